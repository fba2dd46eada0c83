"""Finding templates. In: folders. Out: templates by name, and the problems met on the way.

A folder is a template (it has a template.toml), or holds folders that are, or holds plain pictures,
of which each becomes a template with a box at the top and one at the bottom; or it is a checkout
of memegen. A wrong template is a
problem with a sentence, and the rest goes on.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

from memeloc import resources
from memeloc.errors import InputError
from memeloc.files import fetch_first
from memeloc.model import Template, TextBox, check_tag_name
from memeloc.templates.definition import check_turned_boxes, read_definition
from memeloc.templates.memegen import CONFIGS, PLACES
from memeloc.templates.names import name_from, safe_names
from memeloc.templates.pictures import SUFFIXES, picture_notes, picture_size, unread_kind

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
    image = _picture(folder, definition.image, "image")
    size = picture_size(image)
    check_turned_boxes(definition.boxes, size, path)
    pictures = {
        key: _picture(folder, file, f"pictures.{key}") for key, file in definition.pictures.items()
    }
    for key, own in pictures.items():
        _check_size(own, key, size, path)
    return Template(
        name=name,
        image=image,
        boxes=definition.boxes,
        subject=tuple(definition.subject),
        title=definition.title or name.replace("-", " ").replace("_", " ").capitalize(),
        description=definition.description,
        keywords=tuple(definition.keywords),
        source=definition.source,
        licence=definition.licence,
        pictures=tuple(pictures.items()),
        notes=_notes(image, *pictures.values()),
    )


def _picture(folder: Path, file: str, setting: str) -> Path:
    """The picture that a setting of a template names, checked to be there and in its folder."""
    path, image = folder / DEFINITION, folder / file
    try:
        leads_out = not image.resolve().is_relative_to(folder.resolve())
        is_there = image.exists()
    except (OSError, RuntimeError):  # a name too long for the disk; a link to itself
        leads_out = is_there = False
    if leads_out:
        raise InputError(f"{setting!r} leads out of the template's own folder: {file!r}", file=path)
    if not is_there:
        raise InputError(
            f"{setting!r} names {file[:60]!r}, and there is no such file beside it", file=path
        )
    return image


def _notes(*images: Path) -> tuple[str, ...]:
    return tuple(f"{image.name}: {note}" for image in images for note in picture_notes(image))


def _check_size(image: Path, key: str, size: tuple[int, int], path: Path) -> None:
    own_size = picture_size(image)
    if own_size != size:
        raise InputError(
            f"the picture for {key!r} has {own_size[0]} x {own_size[1]} pixels and 'image' "
            f"{size[0]} x {size[1]}; all pictures of a template have one size, because its boxes "
            "are the same",
            file=path,
        )


def load_templates(folders: Sequence[Path] = ()) -> tuple[dict[str, Template], list[InputError]]:
    """Read the built-in templates and those of `folders`, and say what is wrong with the others.

    A template of the user takes the place of a built-in one of the same name. Of two templates of
    the user with the same name (but for upper and lower case, which some file systems do not
    tell apart) the first counts, and the other is a problem.

    Args:
        folders: each a template's folder, a folder of such, a folder of plain pictures, or a
            checkout of memegen.

    Returns:
        The templates by name, in the order of their names, and the problems, each with its file.
    """
    problems: list[InputError] = []
    different: dict[Path, Path] = {}
    for folder in folders:
        different.setdefault(folder.resolve(), folder)
    own = _by_name(different.values(), problems)
    shipped, shipped_problems = _shipped(resources.folder("templates"))
    problems += shipped_problems
    merged = {**shipped, **own}
    return dict(sorted((template.name, template) for template in merged.values())), problems


def problems_by_name(problems: Iterable[InputError]) -> dict[str, InputError]:
    """What is wrong with templates, the first of each, by the name that the template would have.

    >>> problems_by_name([InputError("is not a picture", file="mine/My cat.jpg")])
    {'My-cat': InputError('is not a picture')}
    """
    named: dict[str, InputError] = {}
    for problem in problems:
        path = Path(problem.file or "")
        if (path.parent / DEFINITION).is_file() or path.name in CONFIGS:
            name = path.parent.name
        else:
            name = name_from(path, otherwise=path.name)
        named.setdefault(name, problem)
    return named


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


@cache
def _shipped(folder: Path) -> tuple[Mapping[str, Template], Sequence[InputError]]:
    """memeloc's own templates by name, and their problems: they do not change while it runs."""
    problems: list[InputError] = []
    return _by_name([folder], problems), problems


def _by_name(folders: Iterable[Path], problems: list[InputError]) -> dict[str, Template]:
    """The folders' templates by name in lower case; what is wrong with others goes to problems."""
    templates: dict[str, Template] = {}
    for folder in folders:
        try:
            paths = _template_paths(folder)
        except InputError as error:
            problems.append(error)
            continue
        problems += _unread(paths)
        for path, memegen_name in paths.items():
            if not path.is_dir() and path.suffix.lower() not in SUFFIXES:
                continue
            try:
                template = _load(path, memegen_name)
                other = templates.setdefault(template.name.casefold(), template)
                if other is not template:
                    raise InputError(
                        f"a second template would be called {template.name!r}; {other.image} has "
                        "the name already and is used, so rename one of them",
                        file=template.image,
                    )
            except InputError as error:
                problems.append(error)
            except OSError as error:
                problems.append(InputError(f"cannot be read: {error.strerror}", file=path))
    return templates


def _load(path: Path, memegen_name: str | None) -> Template:
    if memegen_name is None:
        return load_template(path) if path.is_dir() else _plain_picture(path)
    from memeloc.templates.memegen.folder import load_template as load_memegen

    return load_memegen(path, memegen_name)


def _template_paths(folder: Path) -> dict[Path, str | None]:
    """What stands in a folder: templates' folders and files, those of memegen with their names.

    In a checkout of memegen that is its folder `templates`, but for the templates of memegen's own
    pages, whose names begin with `_`.
    """
    if not folder.is_dir():
        what = "is not a folder" if folder.exists() else "there is no such folder"
        raise InputError(
            f"{what}; give a folder of templates or pictures{fetch_first(folder)}", file=folder
        )
    try:
        paths = [folder]
        if not (folder / DEFINITION).is_file() and not _is_memegens(folder):
            paths = _inside_checkout(folder) or _visible(folder)
        memegens = [path for path in paths if _is_memegens(path)]
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=folder) from error
    if not memegens:
        return dict.fromkeys(paths)
    own = [path for path in memegens if path.name.startswith("_")]
    names = safe_names([path.name for path in memegens if path not in own])
    return {path: names.get(path.name) for path in paths if path not in own}


def _inside_checkout(folder: Path) -> list[Path]:
    """What stands in the folder of templates of a checkout of memegen; nothing in other folders."""
    for place in PLACES:
        paths = _visible(folder / place) if (folder / place).is_dir() else []
        if any(map(_is_memegens, paths)):
            return paths
    return []


def _visible(folder: Path) -> list[Path]:
    return sorted(entry for entry in folder.iterdir() if not entry.name.startswith("."))


def _is_memegens(folder: Path) -> bool:
    """Whether it is the folder of one of memegen's templates."""
    return not (folder / DEFINITION).is_file() and any(
        (folder / name).is_file() for name in CONFIGS
    )


def _unread(paths: Iterable[Path]) -> list[InputError]:
    """A sentence for each picture that is of no kind that is read, unless it was made one."""
    by_stem = {path.stem for path in paths if path.suffix.lower() in SUFFIXES}
    return [
        InputError(why, file=path)
        for path in paths
        if (why := unread_kind(path)) and path.stem not in by_stem and path.is_file()
    ]


def _plain_picture(path: Path) -> Template:
    name = name_from(path)
    picture_size(path)
    return Template(name=name, image=path, boxes=TOP_BOTTOM, title=path.stem, notes=_notes(path))
