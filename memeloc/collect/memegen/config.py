"""What a config.yml of memegen says. In: the file's bytes. Out: a `Config`, with what is odd in it.

The format is that of memegen's own classes (`app/models/template.py`, `text.py`, `overlay.py` at
github.com/jacebrowning/memegen): a key that is missing has their default. memegen reads YAML 1.2,
in which `no` is a word and `012` a number; here every scalar stays the text it was written as, and
is made a number only where one is due. Nothing but texts, lists and mappings is built, whatever
tags a file has, and aliases count as often as they are used.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from memeloc.errors import InputError, MissingError

MAX_BYTES = 256_000
"""Size that a config.yml may have: the largest of memegen's has some 2 kB."""

MAX_NODES = 20_000
"""Values that a file may hold, each alias counted with all that it stands for."""

MAX_DEPTH = 30
"""Lists and mappings that may stand in each other."""

MAX_REGIONS = 50
"""Text regions that a template may have: the most that memegen's have is eight."""

MAX_LINE = 500
"""Characters that a name, a source or a keyword may have."""

_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")
_KNOWN = frozenset(
    {"id", "variant", "name", "source", "keywords", "text", "example", "sample", "overlay"}
    | {"styles", "aliases"}
)


@dataclass(frozen=True, slots=True)
class Region:
    """A text region as memegen has it; the defaults are memegen's.

    Attributes:
        style: how the text's case is changed: `upper`, `lower`, `default` (a sentence), `mock`
            (alternating), `none`, or the name of any method of Python's str, such as `title`.
        color: a name or `#rgb`, `#rrggbb`, `#rrggbbaa`; perhaps a second one, of the outline,
            after a comma.
        font: id or alias of memegen's fonts.
        anchor_x, anchor_y: top left of the region, in fractions of the picture. Of a turned region
            it is the top left of the rectangle that holds it all once it is turned.
        angle: in degrees, counter-clockwise.
        scale_x, scale_y: width and height before turning, in fractions of the picture.
        align: `center`, `left`, `right`, `start` or `end`.
        start, stop: when it is shown, in fractions of the animation.
    """

    style: str = "upper"
    color: str = "white"
    font: str = "thick"
    anchor_x: float = 0.0
    anchor_y: float = 0.0
    angle: float = 0.0
    scale_x: float = 1.0
    scale_y: float = 0.2
    align: str = "center"
    start: float = 0.0
    stop: float = 1.0


DEFAULT_REGIONS = (Region(), Region(anchor_y=0.8))
"""The regions of a template that names none."""


@dataclass(frozen=True, slots=True)
class Config:
    """A config.yml.

    Attributes:
        name: the template's title; empty when it has none.
        source: where the meme comes from, mostly an address; empty when not given.
        keywords, aliases: what else it is found by.
        regions: in the order of a caption's lines.
        example: a caption's lines; None when there is no example.
        overlays: where memegen lays pictures of the user, as they are written.
        styles: names of other pictures of the same template, as older files list them.
        other: keys that memegen's classes do not have, as they are written.
        notes: what was odd, a sentence each.
    """

    name: str = ""
    source: str = ""
    keywords: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    regions: tuple[Region, ...] = DEFAULT_REGIONS
    example: tuple[str, ...] | None = None
    overlays: tuple[Mapping[str, Any], ...] = ()
    styles: tuple[str, ...] = ()
    other: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def parse_config(content: bytes, path: Path) -> Config:
    """Read a config.yml; `path` is named in the errors.

    What is wrong in a single value is noted, and memegen's default stands for it.

    Raises:
        InputError: it is no YAML, no mapping, or larger than any template needs.
        MissingError: PyYAML is not installed.
    """
    table = load_yaml(content, path)
    if table is None:
        table = {}
    if not isinstance(table, dict):
        raise InputError("must be a mapping of keys to values, as in `name: My Meme`", file=path)
    notes: list[str] = []
    example = table.get("example", table.get("sample"))
    return Config(
        name=_line(table.get("name"), "name", notes),
        source=_line(table.get("source"), "source", notes),
        keywords=_lines(table.get("keywords"), "keywords", notes),
        aliases=_lines(table.get("aliases"), "aliases", notes),
        regions=_regions(table, notes),
        example=None if example is None else _example(example, notes),
        overlays=tuple(one for one in _listed(table.get("overlay")) if isinstance(one, dict)),
        styles=_lines(table.get("styles"), "styles", notes),
        other={key: value for key, value in table.items() if key not in _KNOWN},
        notes=tuple(notes),
    )


def load_yaml(content: bytes, path: Path) -> Any:
    """The one document of a YAML file as texts, None, lists and dicts of texts.

    Raises:
        InputError: it is no YAML, or larger or deeper than the limits of this module.
        MissingError: PyYAML is not installed.
    """
    try:
        import yaml
    except ImportError:
        raise MissingError("PyYAML is not installed: pip install 'memeloc[collect]'") from None
    if len(content) > MAX_BYTES:
        raise InputError(
            f"is larger than {MAX_BYTES // 1000} kB, which no template needs", file=path
        )
    try:
        node = yaml.compose(content, Loader=yaml.SafeLoader)
        return _Tree().value(node)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" in line {mark.line + 1}" if mark is not None else ""
        problem = (
            getattr(error, "problem", None) or getattr(error, "reason", None) or "not readable"
        )
        raise InputError(f"is not YAML: {str(problem)[:120]}{where}", file=path) from None
    except _TooMuchError as error:
        raise InputError(f"holds more than a template needs: {error}", file=path) from None
    except RecursionError:
        raise InputError("holds lists in lists too deep to be read", file=path) from None
    except (ValueError, TypeError, IndexError, OverflowError):
        raise InputError("is not YAML: an escape stands for no character", file=path) from None


class _TooMuchError(Exception):
    """The limits of this module are passed."""


class _Tree:
    """Makes plain values of YAML nodes, and counts them."""

    def __init__(self) -> None:
        self.nodes = 0

    def value(self, node: Any, depth: int = 0) -> Any:
        self.nodes += 1
        if self.nodes > MAX_NODES:
            raise _TooMuchError(f"more than {MAX_NODES} values")
        if depth > MAX_DEPTH:
            raise _TooMuchError(f"lists in lists {MAX_DEPTH} deep, or a list that holds itself")
        if node is None:
            return None
        if node.id == "scalar":
            plain = node.style is None
            return None if plain and node.value in _NULLS else _clean(node.value)
        if node.id == "sequence":
            return [self.value(one, depth + 1) for one in node.value]
        table: dict[str, Any] = {}
        for key_node, value_node in node.value:
            key = self.value(key_node, depth + 1)
            value = self.value(value_node, depth + 1)
            if key == "<<" and key_node.style is None:
                for one in value if isinstance(value, list) else [value]:
                    table = (one | table) if isinstance(one, dict) else table
            elif isinstance(key, str):
                table[key] = value
            else:
                table[str(key)[:100]] = value
        return table


def _clean(text: str) -> str:
    """Without control characters and lone surrogates, which no store takes."""
    return _CONTROLS.sub("\ufffd", text)


def _listed(value: Any) -> list[Any]:
    """A list of a value that may be one, none or a single entry."""
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def _line(value: Any, key: str, notes: list[str]) -> str:
    if isinstance(value, str):
        line = " ".join(value.split())
        if len(line) > MAX_LINE:
            notes.append(f"{key!r} has {len(line)} characters and was cut after {MAX_LINE}")
        return line[:MAX_LINE]
    if value is not None:
        notes.append(f"{key!r} is not a text and was left out")
    return ""


def _lines(value: Any, key: str, notes: list[str]) -> tuple[str, ...]:
    found = [_line(one, key, notes) for one in _listed(value)]
    return tuple(dict.fromkeys(one for one in found if one))


def _example(value: Any, notes: list[str]) -> tuple[str, ...]:
    lines = []
    for one in _listed(value):
        if one is not None and not isinstance(one, str):
            notes.append("a line of the example is not a text and was left empty")
        lines.append(one.strip() if isinstance(one, str) else "")
    return tuple(lines)


def _regions(table: Mapping[str, Any], notes: list[str]) -> tuple[Region, ...]:
    if table.get("text") is None:
        return DEFAULT_REGIONS
    entries = _listed(table["text"])
    if len(entries) > MAX_REGIONS:
        notes.append(f"of {len(entries)} text regions the first {MAX_REGIONS} were taken")
    if not entries:
        notes.append("it has no text region, so a box at the top and one at the bottom were made")
        return DEFAULT_REGIONS
    return tuple(
        _region(entry, f"text region {number}", notes)
        for number, entry in enumerate(entries[:MAX_REGIONS], 1)
    )


def _region(entry: Any, where: str, notes: list[str]) -> Region:
    if entry is None:
        return Region()
    if not isinstance(entry, dict):
        notes.append(f"{where} is not a mapping, so all of memegen's defaults stand for it")
        return Region()
    values: dict[str, Any] = {}
    for one in fields(Region):
        value = entry.get(one.name)
        if value is None:
            continue
        if isinstance(one.default, float):
            number = _number(value)
            if number is None:
                notes.append(
                    f"{where}: {one.name!r} is {_shown(value)} and not a number; memegen's "
                    f"default {one.default:g} stands for it"
                )
                continue
            values[one.name] = number
        elif isinstance(value, str):
            values[one.name] = value.strip() or one.default
        else:
            notes.append(
                f"{where}: {one.name!r} is not a text; memegen's default {one.default!r} "
                "stands for it"
            )
    unknown = sorted(key for key in entry if key not in Region.__dataclass_fields__)
    if unknown:
        notes.append(f"{where}: memegen has no {', '.join(map(repr, unknown[:5]))}")
    return Region(**values)


def _number(value: Any) -> float | None:
    try:
        number = float(value) if isinstance(value, str) else math.nan
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) and abs(number) < 1e6 else None


def _shown(value: Any) -> str:
    return repr(value)[:60]
