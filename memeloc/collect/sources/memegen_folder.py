"""A checkout of memegen's template folder. In: the folder. Out: templates, captions and refusals.

Each `templates/<id>/config.yml` becomes a `FoundTemplate` with a box for every text region, and its
example a `FoundCaption`. What memeloc has no equivalent for stands in `details`, and nothing that
is odd in one template keeps the others from coming in.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memeloc.collect.memegen.boxes import PlacedRegion, place
from memeloc.collect.memegen.case import cased
from memeloc.collect.memegen.config import Config, parse_config
from memeloc.collect.memegen.pictures import Pictures, Still, look_through, read_still
from memeloc.errors import InputError
from memeloc.items import FoundCaption, FoundTemplate, Origin, Refusal
from memeloc.model import check_tag_name

if TYPE_CHECKING:
    from memeloc.collect.fetching.fetch import Fetcher

NAME = "memegen-folder"

_CONFIGS = ("config.yml", "config.yaml")
_SQUARE = (600, 600)  # memegen's own size, for the boxes of a template that has no picture
_PLACEHOLDERS = frozenset({("top line", "bottom line"), ("your text", "goes here")})
_SHORTCODE = re.compile(r":[a-z0-9_+-]+:")


class MemegenFolderSource:
    """A checkout of memegen as a source.

    Args:
        path: a checkout of memegen, its folder `templates`, or the folder of one template.
        styles: also make a template of each other picture (style) of a template.
    """

    name = NAME
    summary = "a checkout of memegen: its templates, text regions and example captions"

    def __init__(self, path: Path, *, styles: bool = False) -> None:
        self.path = path
        self.styles = styles

    def collect(self, fetcher: Fetcher) -> Iterator[FoundTemplate | FoundCaption | Refusal]:
        """Read the folder; nothing is fetched.

        Raises:
            InputError: see `read_folder`.
        """
        yield from read_folder(self.path, styles=self.styles)


def read_folder(
    path: Path, *, styles: bool = False
) -> Iterator[FoundTemplate | FoundCaption | Refusal]:
    """Read memegen's templates.

    Args:
        path: a checkout of memegen, its folder `templates`, or the folder of one template.
        styles: also yield a template for each other picture (style) of a template.

    Raises:
        InputError: there is no such folder, or no template in it.
    """
    folders = _template_folders(path)
    names = safe_names([folder.name for folder in folders])
    for folder in folders:
        yield from _read_template(folder, names[folder.name], styles)


def safe_names(ids: Sequence[str]) -> dict[str, str]:
    """A name for each id that is safe as a file's, and that no other id has.

    >>> safe_names(["fry", "_test", "test", "été!"])
    {'fry': 'fry', '_test': 'test-2', 'test': 'test', 'été!': 'ete'}
    """
    names: dict[str, str] = {}
    taken: set[str] = set()
    for name in ids:
        if _is_safe(name) and name.casefold() not in taken:
            names[name] = name
            taken.add(name.casefold())
    for name in ids:
        if name in names:
            continue
        plain = unicodedata.normalize("NFKD", name)
        plain = "".join(letter for letter in plain if not unicodedata.combining(letter))
        stem = re.sub(r"[^A-Za-z0-9._-]+", "-", plain).strip("-._")[:80].strip("-._") or "template"
        chosen, number = stem, 2
        while chosen.casefold() in taken:
            chosen, number = f"{stem}-{number}", number + 1
        names[name] = chosen
        taken.add(chosen.casefold())
    return {name: names[name] for name in ids}


def _is_safe(name: str) -> bool:
    try:
        check_tag_name(name, "a template's name")
    except InputError:
        return False
    return True


def _template_folders(path: Path) -> list[Path]:
    if not path.is_dir():
        what = "is not a folder" if path.exists() else "there is no such folder"
        raise InputError(f"{what}; give a checkout of memegen or its folder templates", file=path)
    if _config_of(path) is not None:
        return [path.resolve()]
    root = path
    try:
        if not any(_config_of(entry) for entry in path.iterdir()) and (path / "templates").is_dir():
            root = path / "templates"
        entries = sorted(entry for entry in root.iterdir() if entry.name[0] != ".")
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=root) from error
    folders = [entry for entry in entries if entry.is_dir()]
    if not any(_config_of(folder) for folder in folders):
        raise InputError(
            "holds no template: memegen's are folders with a config.yml each", file=root
        )
    return folders


def _config_of(folder: Path) -> Path | None:
    return next((folder / name for name in _CONFIGS if (folder / name).is_file()), None)


def _read_template(
    folder: Path, name: str, styles: bool
) -> Iterator[FoundTemplate | FoundCaption | Refusal]:
    """One template's folder: its template, its example, and what was wrong."""
    where = f"{folder.name}/config.yml"
    path = _config_of(folder)
    if path is None:
        sentence = "there is no config.yml in this folder, so it was left out"
        yield Refusal(NAME, folder.name, "no config.yml", sentence)
        return
    try:
        if not path.resolve().is_relative_to(folder.resolve()):
            raise InputError("leads out of the template's own folder", file=path)
        config = parse_config(_content(path), path)
        pictures = look_through(folder)
    except InputError as error:
        yield Refusal(NAME, where, "not readable", error.message)
        return
    still, refusals = _first_still(pictures.stills or pictures.styles, folder)
    yield from refusals
    if still is None and not refusals:
        yield Refusal(
            NAME,
            where,
            "no picture",
            "there is no default picture in this folder; the template comes in without one",
        )
    template, placed = _template(folder.name, name, config, pictures, still)
    yield template
    caption = _example(folder.name, config, placed)
    if caption is not None:
        yield caption
    if styles:
        yield from _styles(folder, name, config, pictures)


def _content(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(300_000)  # what is larger than the parser's limit it refuses
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=path) from error


def _first_still(paths: Sequence[Path], folder: Path) -> tuple[Still | None, list[Refusal]]:
    """The first of the pictures that can be read, and a refusal for each that cannot."""
    refusals: list[Refusal] = []
    for path in paths:
        try:
            return read_still(path, folder), refusals
        except InputError as error:
            url = f"{folder.name}/{path.name}"
            refusals.append(Refusal(NAME, url, "not a picture", error.message))
    return None, refusals


def _template(
    key: str, name: str, config: Config, pictures: Pictures, still: Still | None
) -> tuple[FoundTemplate, tuple[PlacedRegion, ...]]:
    placed = place(config.regions, (still.width, still.height) if still else _SQUARE)
    notes = list(config.notes)
    if still is not None and still.frame:
        notes.append(f"its animation begins empty, so frame {still.frame + 1} is the still")
    details: dict[str, Any] = {
        "id": key,
        "safe_name": name,
        "aliases": list(dict.fromkeys([*([key] if key != name else []), *config.aliases])),
        "source": config.source,
        "regions": [_region_details(one) for one in placed],
        "overlays": [dict(one) for one in config.overlays],
        "styles": sorted({path.stem for path in pictures.styles} | set(config.styles)),
        "picture": still.file if still else "",
        "other": dict(config.other),
        "notes": notes,
    }
    if pictures.animated is not None or (still is not None and still.frames > 1):
        moving = still.file if still and still.frames > 1 else ""
        details["animated"] = {
            "file": moving or (pictures.animated.name if pictures.animated else ""),
            "frames": still.frames if still else 0,
            "frame": still.frame if still and still.frames > 1 else None,
        }
    return (
        FoundTemplate(
            origin=Origin(NAME, key, f"{key}/config.yml"),
            name=config.name or key,
            picture=still.content if still else None,
            keywords=config.keywords,
            boxes=tuple(one.box for one in placed),
            details={key: value for key, value in details.items() if value not in ("", [], {})},
        ),
        placed,
    )


def _region_details(placed: PlacedRegion) -> dict[str, Any]:
    """A region as it was written, the name of its box, and what has no equivalent."""
    return {"box": placed.box.name, **asdict(placed.region), "notes": list(placed.notes)}


def _example(key: str, config: Config, placed: Sequence[PlacedRegion]) -> FoundCaption | None:
    """The template's example, a part for each box; None when it has none or only empty lines."""
    lines = config.example or ()
    if not any(lines):
        return None
    kept = [*lines[: len(placed)], *[""] * (len(placed) - len(lines))]
    parts = tuple(
        cased(line, one.region.style.lower(), lines) for line, one in zip(kept, placed, strict=True)
    )
    details: dict[str, Any] = {"kind": "example"}
    if list(parts) != kept:
        details["as_written"] = kept
    if lines[len(placed) :]:
        details["lines_without_a_region"] = list(lines[len(placed) :])
    if tuple(line.casefold() for line in lines) in _PLACEHOLDERS:
        details["placeholder"] = True
    if any(_SHORTCODE.search(line) for line in lines):
        details["notes"] = ["memegen makes emoji of names like :wave:; they stand as written"]
    return FoundCaption(
        origin=Origin(NAME, f"{key}#example", f"{key}/config.yml"),
        template=key,
        parts=parts,
        details=details,
    )


def _styles(
    folder: Path, name: str, config: Config, pictures: Pictures
) -> Iterator[FoundTemplate | Refusal]:
    """A template for each other picture: the same regions on another background."""
    for path in pictures.styles:
        still, refusals = _first_still([path], folder)
        yield from refusals
        if still is None:
            continue
        key = f"{folder.name}?style={path.stem}"
        placed = place(config.regions, (still.width, still.height))
        yield FoundTemplate(
            origin=Origin(NAME, key, f"{folder.name}/{path.name}"),
            name=f"{config.name or folder.name} ({path.stem})",
            picture=still.content,
            keywords=config.keywords,
            boxes=tuple(one.box for one in placed),
            details={
                "id": folder.name,
                "style": path.stem,
                "safe_name": safe_names([f"{name}-{path.stem}"])[f"{name}-{path.stem}"],
                "source": config.source,
                "regions": [_region_details(one) for one in placed],
                "picture": still.file,
            },
        )
