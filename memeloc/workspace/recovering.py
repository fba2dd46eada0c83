"""Templates from their memes. In: picture files, or those collected. Out: template folders.

Memes that stand on one picture with different texts are grouped, and where they agree is the
picture of a template; what no meme shows is painted by a restorer, and marked.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from memeloc.counts import counted
from memeloc.curate.duplicates.hashing import hash_picture
from memeloc.curate.pictures import map_pictures
from memeloc.engine import usable_cpus
from memeloc.errors import InputError
from memeloc.items import FoundTemplate, Origin
from memeloc.localise.aligning import group_pictures
from memeloc.localise.recover import Recovered, recover, text_boxes
from memeloc.localise.restoring import make_restorer
from memeloc.templates import write_template
from memeloc.templates.names import name_from
from memeloc.workspace.folder import Phases, WorkspaceFolder, silent
from memeloc.workspace.own_folders import workspace_folder

UNCERTAIN = "uncertain.png"
"""A template's file with what no meme shows: white where it was painted."""


def recover_templates(
    pictures: Sequence[Path],
    out: Path,
    *,
    inpaint: str = "auto",
    jobs: int | None = None,
    on_progress: Phases = silent,
) -> dict[str, Any]:
    """Make a template of each picture that at least two different memes show.

    It is called after its largest meme. A template of that name that is the same is left as it is.
    Return of the `templates` the `folder`, the `memes` that took part, the share of the picture
    that is `uncertain`, as no meme shows it without text, in how many `boxes` text stands, and why
    others of the group are `left_out`; the pictures `alone` that no other one shows with another
    text; and `problems`: why a picture could not be read, or a group made no template. Raise
    InputError if no files are given, and there is no workspace; MissingError without OpenCV.

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
            {
                "folder": folder,
                "memes": [names[each.path] for each in recovered.pictures],
                "uncertain": float(recovered.uncertain.mean()),
                "boxes": len(text_boxes(recovered)),
                "left_out": {names[path]: why for path, why in recovered.left_out},
            }
        )
    return {"templates": templates, "alone": alone, "problems": problems}


def _collected() -> dict[str, Path]:
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
    painted = Image.fromarray(recovered.uncertain.astype(np.uint8) * 255)
    beside = {UNCERTAIN: _png(painted)} if recovered.uncertain.any() else {}
    return write_template(template, out, name=name_from(first), beside=beside)


def _png(image: Image.Image) -> bytes:
    stream = io.BytesIO()
    image.save(stream, "PNG")
    return stream.getvalue()
