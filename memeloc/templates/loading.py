"""Finding templates. In: folders. Out: templates by name, and the problems met on the way.

A folder is a template (it has a template.toml), or holds folders that are, or holds plain pictures,
of which each becomes a template with a box at the top and one at the bottom. A wrong template is a
problem with a sentence, and the rest goes on.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from memeloc import resources
from memeloc.errors import InputError
from memeloc.model import Template, TextBox, check_tag_name
from memeloc.templates.definition import check_turned_boxes, read_definition
from memeloc.templates.pictures import SUFFIXES, picture_size

DEFINITION = "template.toml"

TOP_BOTTOM = (
    TextBox("top", x=0.03, y=0.02, width=0.94, height=0.25, valign="top"),
    TextBox("bottom", x=0.03, y=0.73, width=0.94, height=0.25, valign="bottom"),
)
"""The boxes of a plain picture."""


def load_template(folder: Path) -> Template:
    """Read the template that stands in `folder`: its template.toml and its picture's header.

    The template is called as the folder is.

    Raises:
        InputError: the folder's name, the file or the picture is wrong.
    """
    # Also of a folder given as `.` or `a/..`.
    name = folder.resolve().name if folder.name in ("", "..") else folder.name
    path = folder / DEFINITION
    if not path.is_file():
        raise InputError(f"there is no {DEFINITION} in this folder", file=folder)
    try:
        check_tag_name(name, "a template's folder")
    except InputError as error:
        raise InputError(error.message, file=folder) from None
    definition = read_definition(path)
    image = folder / definition.image
    if not image.resolve().is_relative_to(folder.resolve()):
        raise InputError(
            f"'image' leads out of the template's own folder: {definition.image!r}", file=path
        )
    if not image.exists():
        raise InputError(
            f"'image' names {definition.image!r}, and there is no such file beside it", file=path
        )
    check_turned_boxes(definition.boxes, picture_size(image), path)
    return Template(
        name=name,
        image=image,
        boxes=definition.boxes,
        title=definition.title or name.replace("-", " ").replace("_", " ").capitalize(),
        description=definition.description,
        keywords=tuple(definition.keywords),
        source=definition.source,
        licence=definition.licence,
    )


def load_templates(folders: Sequence[Path] = ()) -> tuple[dict[str, Template], list[InputError]]:
    """Read the built-in templates and those of `folders`, and say what is wrong with the others.

    A template of the user takes the place of a built-in one of the same name. Of two templates of
    the user with the same name (but for upper and lower case, which some file systems do not
    tell apart) the first counts, and the other is a problem.

    Args:
        folders: each a template's folder, a folder of such, or a folder of plain pictures.

    Returns:
        The templates by name, in the order of their names, and the problems, each with its file.
    """
    problems: list[InputError] = []
    different: dict[Path, Path] = {}
    for folder in folders:
        different.setdefault(folder.resolve(), folder)
    own = _by_name(different.values(), problems)
    merged = _by_name([resources.folder("templates")], problems) | own
    return dict(sorted((template.name, template) for template in merged.values())), problems


def find_template(templates: Mapping[str, Template], name: str) -> Template:
    """The template called `name`.

    Raises:
        InputError: there is none; the error says which names are near.
    """
    if name in templates:
        return templates[name]
    near = difflib.get_close_matches(name, templates, 3, 0.5)
    hint = f"did you mean {' or '.join(near)}?" if near else "`memeloc templates list` names them"
    raise InputError(f"there is no template {name[:60]!r}; {hint}")


def _by_name(folders: Iterable[Path], problems: list[InputError]) -> dict[str, Template]:
    """The folders' templates by name in lower case; what is wrong with others goes to problems."""
    templates: dict[str, Template] = {}
    for folder in folders:
        try:
            paths = _template_paths(folder)
        except InputError as error:
            problems.append(error)
            continue
        for path in paths:
            try:
                template = load_template(path) if path.is_dir() else _plain_picture(path)
                other = templates.setdefault(template.name.casefold(), template)
                if other is not template:
                    raise InputError(
                        f"a second template would be called {template.name!r}; {other.image} has "
                        "the name already and is used, so rename one of them",
                        file=template.image,
                    )
            except InputError as error:
                problems.append(error)
    return templates


def _template_paths(folder: Path) -> list[Path]:
    """The templates' folders and plain pictures that stand in one folder."""
    if not folder.is_dir():
        what = "is not a folder" if folder.exists() else "there is no such folder"
        raise InputError(f"{what}; give a folder of templates or pictures", file=folder)
    if (folder / DEFINITION).is_file():
        return [folder]
    try:
        entries = sorted(entry for entry in folder.iterdir() if not entry.name.startswith("."))
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=folder) from error
    return [entry for entry in entries if entry.is_dir() or entry.suffix.lower() in SUFFIXES]


def _plain_picture(path: Path) -> Template:
    name = name_from(path)
    picture_size(path)
    return Template(name=name, image=path, boxes=TOP_BOTTOM, title=path.stem)


def name_from(path: Path) -> str:
    """A template's name made of a file's: letters without their accents, `-` for the rest.

    Raises:
        InputError: nothing is left, because the name has no Latin letter and no digit.

    >>> name_from(Path("Café am See (2).jpeg"))
    'Cafe-am-See-2'
    """
    plain = unicodedata.normalize("NFKD", path.stem)
    plain = "".join(letter for letter in plain if not unicodedata.combining(letter))
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", plain).strip("-._")[:100].rstrip("-._")
    if not name:
        raise InputError(
            "a template is named as its file, in Latin letters and digits, and this name has "
            "none; rename the file",
            file=path,
        )
    return check_tag_name(name, "a template's name")
