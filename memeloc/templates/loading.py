"""Finding templates. In: folders. Out: templates by name, and the problems met on the way.

A folder is a template (it has a template.toml), or holds folders that are, or holds plain pictures,
of which each becomes a template with a box at the top and one at the bottom. A wrong template is a
problem with a sentence, and the rest goes on.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
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
    name = _name_of(folder)
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
        keywords=definition.keywords,
        source=definition.source,
        licence=definition.licence,
    )


def load_templates(
    folders: Sequence[Path] = (),
) -> tuple[dict[str, Template], list[InputError]]:
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
    own: dict[str, Template] = {}
    seen: set[Path] = set()
    for folder in folders:
        place = folder.resolve()
        if place not in seen:
            seen.add(place)
            for template in _look_in(folder):
                _keep(template, own, problems)
    builtin: dict[str, Template] = {}
    for template in _look_in(resources.folder("templates")):
        _keep(template, builtin, problems)
    merged = {template.name: template for template in (builtin | own).values()}
    return dict(sorted(merged.items())), problems


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


def _keep(
    template: Template | InputError, templates: dict[str, Template], problems: list[InputError]
) -> None:
    if isinstance(template, InputError):
        problems.append(template)
        return
    other = templates.setdefault(template.name.casefold(), template)
    if other is not template:
        problems.append(
            InputError(
                f"a second template would be called {template.name!r}; {other.image} has the name "
                "already and is used, so rename one of them",
                file=template.image,
            )
        )


def _look_in(folder: Path) -> Iterator[Template | InputError]:
    """What stands in one folder: its templates, and an error for each that is wrong."""
    if not folder.is_dir():
        what = "is not a folder" if folder.exists() else "there is no such folder"
        yield InputError(f"{what}; give a folder of templates or pictures", file=folder)
        return
    if (folder / DEFINITION).is_file():
        yield _or_error(load_template, folder)
        return
    try:
        entries = sorted(entry for entry in folder.iterdir() if not entry.name.startswith("."))
    except OSError as error:
        yield InputError(f"cannot be read: {error.strerror}", file=folder)
        return
    for entry in entries:
        if entry.is_dir():
            yield _or_error(load_template, entry)
        elif entry.suffix.lower() in SUFFIXES:
            yield _or_error(_plain_picture, entry)


def _or_error(load: Callable[[Path], Template], path: Path) -> Template | InputError:
    try:
        return load(path)
    except InputError as error:
        return error


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


def _name_of(folder: Path) -> str:
    """The name of a folder, also of one given as `.` or `a/..`."""
    name = folder.absolute().name
    return folder.resolve().name if name in ("", "..") else name
