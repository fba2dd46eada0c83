"""A checkout of memegen's template folder. In: the folder. Out: templates, captions and refusals.

Each `templates/<id>/config.yml` becomes a `FoundTemplate` with a box for every text region, and its
example a `FoundCaption`. What memeloc has no equivalent for stands in `details`, and nothing that
is odd in one template keeps the others from coming in.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Sequence
from dataclasses import KW_ONLY, asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memeloc.collect.page_values import without_empty
from memeloc.collect.protocol import Dataset, dataset_at
from memeloc.errors import InputError
from memeloc.items import FoundCaption, FoundTemplate, Origin, Refusal
from memeloc.templates.memegen import (
    Config,
    PlacedRegion,
    Still,
    look_through,
    place,
    read_config,
    read_still,
    template_folders,
)
from memeloc.templates.names import config_of, safe_names

if TYPE_CHECKING:
    from memeloc.collect.fetching.fetch import Fetcher

NAME = "memegen-folder"

_SQUARE = (600, 600)  # memegen's own size, for the boxes of a template that has no picture
_PLACEHOLDERS = frozenset({("top line", "bottom line"), ("your text", "goes here")})
_CASES = {
    "lower": str.lower,
    "casefold": str.lower,
    "title": str.title,
    "capitalize": str.capitalize,
}
_SHORTCODE = re.compile(r":[a-z0-9_+-]+:")


@dataclass
class MemegenFolderSource:
    """A checkout of memegen as a source.

    Args:
        path: a checkout of memegen, its folder `templates`, or the folder of one template.
        styles: also make a template of each other picture (style) of a template.
    """

    name = NAME
    summary = "a checkout of memegen: its templates, text regions and example captions"

    path: Path
    _: KW_ONLY
    styles: bool = False

    def dataset(self) -> Dataset:
        root = self.path.resolve()
        root = root.parent if config_of(root) is not None else root
        return dataset_at(root.parent if root.name == "templates" else root)

    def collect(self, fetcher: Fetcher) -> Iterator[FoundTemplate | FoundCaption | Refusal]:
        yield from read_folder(self.path, styles=self.styles)


def read_folder(
    path: Path, *, styles: bool = False
) -> Iterator[FoundTemplate | FoundCaption | Refusal]:
    """Read memegen's templates, as the source does; raise InputError where there are none."""
    folders = template_folders(path)
    names = safe_names([folder.name for folder in folders])
    for folder in folders:
        yield from _read_template(folder, names[folder.name], styles)


def _read_template(
    folder: Path, name: str, styles: bool
) -> Iterator[FoundTemplate | FoundCaption | Refusal]:
    key = folder.name
    where = f"{key}/config.yml"
    if config_of(folder) is None:
        sentence = "there is no config.yml in this folder, so it was left out"
        yield Refusal(NAME, key, "no config.yml", sentence)
        return
    try:
        config = read_config(folder)
        pictures = look_through(folder)
    except (InputError, OSError) as error:
        yield Refusal(NAME, where, "not readable", _sentence(error))
        return
    still = yield from _still(pictures.stills or pictures.styles, folder)
    if not pictures.stills and not pictures.styles:
        sentence = "there is no default picture in this folder; the template comes in without one"
        yield Refusal(NAME, where, "no picture", sentence)
    placed = place(config.text, still.size if still else _SQUARE)
    is_moving = still is not None and still.frames > 1
    animated = None
    if is_moving or pictures.animations:
        animated = {
            "file": still.file if still and is_moving else pictures.animations[0].name,
            "frames": still.frames if still else 0,
            "frame": still.frame if still and is_moving else None,
        }
    notes = list(config.notes)
    if still is not None and still.frame:
        notes.append(f"its animation begins empty, so frame {still.frame + 1} is the still")
    details = {
        "id": key,
        "safe_name": name,
        "aliases": list(dict.fromkeys([*([key] if key != name else []), *config.aliases])),
        "source": config.source,
        "overlays": [dict(overlay) for overlay in config.overlay],
        "styles": sorted({path.stem for path in pictures.styles} | set(config.styles)),
        "picture": still.file if still else "",
        "other": dict(config.other),
        "notes": notes,
        "animated": animated,
        "regions": _regions(placed),
    }
    template = FoundTemplate(
        Origin(NAME, key, where),
        config.name or key,
        still.content if still else None,
        keywords=config.keywords,
        boxes=tuple(each.box for each in placed),
        details=without_empty(details),
    )
    yield template
    yield from _example(key, config, placed)
    for style in pictures.styles if styles else ():
        still = yield from _still([style], folder)
        if still is not None:
            placed = place(config.text, still.size)
            safe_name = f"{name}-{style.stem}"
            yield replace(
                template,
                origin=Origin(NAME, f"{key}?style={style.stem}", f"{key}/{style.name}"),
                name=f"{template.name} ({style.stem})",
                picture=still.content,
                boxes=tuple(each.box for each in placed),
                details={
                    "id": key,
                    "style": style.stem,
                    "safe_name": safe_names([safe_name])[safe_name],
                    "source": config.source,
                    "regions": _regions(placed),
                    "picture": still.file,
                },
            )


def _sentence(error: InputError | OSError) -> str:
    return error.message if isinstance(error, InputError) else f"cannot be read: {error.strerror}"


def _still(paths: Sequence[Path], folder: Path) -> Generator[Refusal, None, Still | None]:
    """Return the first picture that can be read; yield a refusal for each that cannot."""
    for path in paths:
        try:
            return read_still(path, folder)
        except (InputError, OSError) as error:
            place_of = f"{folder.name}/{path.name}"
            yield Refusal(NAME, place_of, "not a picture", _sentence(error))
    return None


def _regions(placed: Sequence[PlacedRegion]) -> list[dict[str, Any]]:
    return [
        {"box": each.box.name, **asdict(each.region), "notes": list(each.notes)} for each in placed
    ]


def _example(key: str, config: Config, placed: Sequence[PlacedRegion]) -> Iterator[FoundCaption]:
    """Yield the template's example, a part for each box, unless it has only empty lines."""
    lines = config.example
    if not any(lines):
        return
    written = [*lines[: len(placed)], *[""] * (len(placed) - len(lines))]
    parts = tuple(
        cased(line, each.region.style.lower(), lines)
        for line, each in zip(written, placed, strict=True)
    )
    emoji = "memegen makes emoji of names like :wave:; they stand as written"
    details = {
        "kind": "example",
        "as_written": written if list(parts) != written else None,
        "lines_without_a_region": list(lines[len(placed) :]),
        "placeholder": True if tuple(map(str.casefold, lines)) in _PLACEHOLDERS else None,
        "notes": [emoji] if any(_SHORTCODE.search(line) for line in lines) else [],
    }
    origin = Origin(NAME, f"{key}#example", f"{key}/config.yml")
    yield FoundCaption(origin, key, parts, details=without_empty(details))


def cased(line: str, style: str, lines: Sequence[str]) -> str:
    """Return a line in the case of its region's style; `lines` are all of the caption.

    After `stylize` in memegen's `app/models/text.py`. `upper` is left to the renderer, which knows
    the language, and `mock` (alternating case) is left out: it does not translate.

    >>> cased("one does not simply", "default", ["one does not simply"])
    'One does not simply'
    """
    if style in _CASES:
        return _CASES[style](line)
    if style not in ("default", "thin"):
        return line
    written = [each for each in lines if each.strip()]
    sentences = any(each.endswith((".", "?", "!")) for each in written)
    if line.islower() and (sentences or all(each.islower() for each in written)):
        line = line.capitalize()
    return re.sub(r"\bi\b", "I", line)
