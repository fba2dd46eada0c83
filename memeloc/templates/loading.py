"""Finding templates. In: folders. Out: templates by name, and the problems met on the way.

A folder is a template (it has a template.toml), or holds folders that are, or holds plain pictures,
of which each becomes a template with a box at the top and one at the bottom; or it is a checkout
of memegen. A wrong template is a problem with a sentence, and the rest goes on.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from memeloc import resources
from memeloc.errors import InputError
from memeloc.files import Paths, fetch_first, paths_of
from memeloc.model import Template, TextBox, check_tag_name
from memeloc.settings import read_toml
from memeloc.templates.definition import check_definition, check_turned_boxes
from memeloc.templates.names import (
    CONFIGS,
    check_within,
    checkout_entries,
    config_of,
    name_from,
    safe_names,
    visible,
)
from memeloc.templates.pictures import SUFFIXES, picture_notes, picture_size, unread_kind

DEFINITION = "template.toml"

TOP_BOTTOM = (
    TextBox("top", x=0.03, y=0.02, width=0.94, height=0.25, valign="top"),
    TextBox("bottom", x=0.03, y=0.73, width=0.94, height=0.25, valign="bottom"),
)
"""The boxes of a plain picture."""


def load_template(folder: str | Path) -> Template:
    """Read the template that stands in `folder`: its template.toml and its picture's header.

    The template is called as the folder is; InputError says what of it is wrong.
    """
    folder = Path(folder)
    # Also of a folder given as `.` or `a/..`.
    name = folder.resolve().name if folder.name in ("", "..") else folder.name
    path = folder / DEFINITION
    if not path.is_file():
        raise InputError(f"there is no {DEFINITION} in this folder", file=folder)
    try:
        check_tag_name(name, "a template's folder")
    except InputError as error:
        raise InputError(error.message, file=folder) from None
    definition, boxes = check_definition(read_toml(path), path)
    pictures = {"image": definition.image}
    pictures |= {f"pictures.{key}": file for key, file in definition.pictures.items()}
    sizes = {}
    for setting, file in pictures.items():
        try:
            sizes[setting] = size = picture_size(check_within(folder / file, folder))
        except InputError as error:
            message = f"{setting!r} names {file[:60]!r}: {error.message}"
            raise InputError(message, file=path) from None
        if size != sizes["image"]:
            raise InputError(
                f"{setting!r} has {size[0]} x {size[1]} pixels and 'image' "
                f"{sizes['image'][0]} x {sizes['image'][1]}; all pictures of a template have one "
                "size, because its boxes are the same",
                file=path,
            )
    check_turned_boxes(boxes, sizes["image"], path)
    image, *others = (folder / file for file in pictures.values())
    return Template(
        name=name,
        image=image,
        boxes=boxes,
        subject=tuple(definition.subject),
        title=definition.title or name.replace("-", " ").replace("_", " ").capitalize(),
        description=definition.description,
        keywords=tuple(definition.keywords),
        source=definition.source,
        licence=definition.licence,
        pictures=tuple(zip(definition.pictures, others, strict=True)),
        notes=picture_notes(image, *others),
    )


def load_templates(
    folders: Paths | Mapping[str, Template] = (),
) -> tuple[dict[str, Template], list[InputError]]:
    """Read the built-in templates and those of `folders`, and say what is wrong with the others.

    A template of the user takes the place of a built-in one of the same name. Of two templates of
    the user with the same name (but for upper and lower case, which some file systems do not
    tell apart) the first counts, and the other is a problem.

    Args:
        folders: one or several, each a template's folder, a folder of such, a folder of plain
            pictures, or a checkout of memegen; or templates by name, which are returned as they
            are.

    Returns:
        The templates by name, in the order of their names, and the problems, each with its file.
    """
    if isinstance(folders, Mapping):
        return dict(folders), []
    different = {folder.resolve(): folder for folder in reversed(paths_of(folders))}
    loaded, problems = _by_name(reversed(different.values()))
    shipped, shipped_problems = _shipped((resources.folder("templates"),))
    by_name = {template.name: template for template in (shipped | loaded).values()}
    return dict(sorted(by_name.items())), problems + shipped_problems


def problems_by_name(problems: Iterable[InputError]) -> dict[str, InputError]:
    """Return what is wrong with templates, the first of each, by the name that each would have.

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
    """Return the template called `name`, or raise InputError, which says what names are near."""
    if name in templates:
        return templates[name]
    near = difflib.get_close_matches(name, templates, 3, 0.5)
    hint = f"did you mean {' or '.join(near)}?" if near else "`memeloc templates show` names them."
    raise InputError(
        f"there is no template {name[:60]!r}; {hint} Templates of yours are found in a folder that "
        "--templates DIR names"
    )


def _by_name(folders: Iterable[Path]) -> tuple[dict[str, Template], list[InputError]]:
    """Return the folders' templates by name in lower case, and what is wrong with others."""
    problems: list[InputError] = []
    templates: dict[str, Template] = {}
    for folder in folders:
        try:
            names = _template_paths(folder)
        except InputError as error:
            problems.append(error)
            continue
        pictures = {path.stem for path in names if path.suffix.lower() in SUFFIXES}
        for path, memegen_name in names.items():
            try:
                if why := unread_kind(path):
                    if path.stem not in pictures and path.is_file():
                        raise InputError(why, file=path)
                elif path.is_dir() or path.suffix.lower() in SUFFIXES:
                    template = _load(path, memegen_name)
                    other = templates.setdefault(template.name.casefold(), template)
                    if other is not template:
                        raise InputError(
                            f"a second template would be called {template.name!r}; {other.image} "
                            "has the name already and is used, so rename one of them",
                            file=template.image,
                        )
            except InputError as error:
                problems.append(error)
            except OSError as error:
                problems.append(InputError(f"cannot be read: {error.strerror}", file=path))
    return templates, problems


_shipped = cache(_by_name)  # memeloc's own do not change while it runs


def _load(path: Path, memegen_name: str) -> Template:
    if memegen_name:
        from memeloc.templates import memegen

        return memegen.load_template(path, memegen_name)
    if path.is_dir():
        return load_template(path)
    return Template(name_from(path), path, TOP_BOTTOM, path.stem, notes=picture_notes(path))


def _template_paths(folder: Path) -> dict[Path, str]:
    """Return the templates' folders and files in a folder, those of memegen with their names.

    In a checkout of memegen that is its folder `templates`, but for the templates of memegen's own
    pages, whose names begin with `_`.
    """
    if not folder.is_dir():
        what = "is not a folder" if folder.exists() else "there is no such folder"
        raise InputError(
            f"{what}; give a folder of templates or pictures{fetch_first(folder)}", file=folder
        )
    paths = [folder]
    if not (folder / DEFINITION).is_file() and not config_of(folder):
        paths = checkout_entries(folder) or visible(folder)
    memegens = {path for path in paths if config_of(path) and not (path / DEFINITION).is_file()}
    paths = [path for path in paths if path not in memegens or not path.name.startswith("_")]
    names = safe_names([path.name for path in paths if path in memegens])
    return {path: names[path.name] if path in memegens else "" for path in paths}
