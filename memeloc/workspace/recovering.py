"""Templates from their memes. In: picture files, or those collected. Out: template folders.

Memes that stand on one picture with different texts are grouped, and where they agree is the
picture of a template; what no meme shows is painted by a restorer, and marked.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image

from memeloc.counts import counted
from memeloc.curate.duplicates.hashing import hash_picture
from memeloc.curate.pictures import map_pictures
from memeloc.engine import usable_cpus
from memeloc.errors import InputError
from memeloc.items import FoundTemplate, Origin
from memeloc.localise.grouping import group_pictures
from memeloc.localise.protocol import Mask
from memeloc.localise.recover import Recovered, recover
from memeloc.localise.restoring import make_restorer
from memeloc.localise.text_places import text_boxes
from memeloc.templates import write_template
from memeloc.templates.names import name_from
from memeloc.workspace.folder import Phases, WorkspaceFolder, silent
from memeloc.workspace.own_folders import workspace_folder

UNCERTAIN = "uncertain.png"
"""A template's file with what no meme shows: white where it was painted."""


@dataclass(frozen=True, slots=True)
class RecoveredTemplate:
    """A template that was made of its memes.

    Attributes:
        folder: of the template.
        memes: the pictures that took part.
        uncertain: the share of the picture that no meme shows without text, 0 to 1; painted.
        boxes: how many places text stands at.
        left_out: pictures of the group that took no part, and why.
    """

    folder: Path
    memes: tuple[str, ...]
    uncertain: float
    boxes: int
    left_out: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class RecoveredTemplates:
    """The outcome of pictures.

    Attributes:
        templates: those made.
        alone: pictures whose picture no other one shows with another text.
        problems: why a picture could not be read, or a group made no template.
    """

    templates: tuple[RecoveredTemplate, ...]
    alone: tuple[str, ...]
    problems: Mapping[str, str]


def recover_templates(
    pictures: Sequence[Path],
    out: Path,
    *,
    inpaint: str = "auto",
    jobs: int | None = None,
    on_progress: Phases = silent,
) -> RecoveredTemplates:
    """Make a template of each picture that at least two different memes show.

    It is called after its largest meme. A template of that name that is the same is left as it is.
    Raise InputError if no files are given, and there is no workspace; MissingError if OpenCV is not
    installed.

    Args:
        pictures: files; without any, the pictures that the workspace here has collected.
        out: the folder of templates.
        inpaint: paints what no meme shows; see `memeloc.localise.restoring.make_restorer`.
        jobs: processes that hash pictures.
        on_progress: gets phases, and how many pictures of how many are done.
    """
    files = {str(path): path for path in pictures} or _collected()
    painter = make_restorer(inpaint)
    hashes, problems = map_pictures(hash_picture, files, jobs=jobs or usable_cpus())
    names = {files[key]: key for key in hashes}
    groups = group_pictures(
        {files[key]: value for key, value in hashes.items()},
        lambda more, total: on_progress("comparing", more, total),
    )
    templates, alone = [], [names[group[0]] for group in groups if len(group) == 1]
    several = [group for group in groups if len(group) > 1]
    for group in several:
        on_progress("recovering", 1, len(several))
        try:
            recovered = recover(group)
            image = painter.restore(recovered.image, recovered.uncertain)
            folder = _write(recovered, Image.fromarray(image), out)
        except InputError as error:
            problems[names[group[0]]] = str(error)
            continue
        templates.append(
            RecoveredTemplate(
                folder,
                tuple(names[each.path] for each in recovered.pictures),
                float(recovered.uncertain.mean()),
                len(text_boxes(recovered)),
                {names[path]: why for path, why in recovered.left_out},
            )
        )
    return RecoveredTemplates(tuple(templates), tuple(alone), problems)


def _collected() -> dict[str, Path]:
    """Return the files of the collected pictures, by item."""
    with WorkspaceFolder.open(workspace_folder()) as workspace:
        items = workspace.store.items.find("picture")
        return {item.id: item.path for item in items if item.path is not None}


def _write(recovered: Recovered, image: Image.Image, out: Path) -> Path:
    first = recovered.pictures[0].path
    count = len(recovered.pictures)
    template = FoundTemplate(
        Origin("recovered", first.name),
        first.stem,
        _png(image),
        boxes=text_boxes(recovered),
        details={"source": f"recovered from {counted(count, 'meme')}"},
    )
    beside = {UNCERTAIN: _png(_drawn(recovered.uncertain))} if recovered.uncertain.any() else {}
    return write_template(template, out, name=name_from(first), beside=beside)


def _drawn(mask: Mask) -> Image.Image:
    return Image.fromarray(mask.astype(np.uint8) * 255)


def _png(image: Image.Image) -> bytes:
    stream = io.BytesIO()
    image.save(stream, "PNG")
    return stream.getvalue()
