"""What a config.yml of memegen says. In: the file's bytes. Out: a `Config`, with what is odd in it.

The format is that of memegen's own classes (`app/models/template.py`, `text.py`, `overlay.py` at
github.com/jacebrowning/memegen): a key that is missing has their default. memegen reads YAML 1.2,
in which `no` is a word and `012` a number; here every scalar stays the text it was written as, and
is made a number only where one is due. Nothing but texts, lists and mappings is built, whatever
tags a file has, and aliases count as often as they are used.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, ValidationError
from pydantic import dataclasses as validated

from memeloc.errors import InputError
from memeloc.items import CONTROLS

MAX_BYTES = 256_000  # size that a config.yml may have: the largest of memegen's has some 2 kB
MAX_NODES = 20_000  # values that a file may have, each alias counted with all that it stands for
MAX_DEPTH = 30  # lists and mappings that may stand in each other
MAX_REGIONS = 50  # text regions that a template may have: the most that memegen's have is eight
MAX_LINE = 500  # characters that a name, a source or a keyword may have

Number = Annotated[float, Field(gt=-1e6, lt=1e6, allow_inf_nan=False)]

_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_KEYS = frozenset(
    {"id", "variant", "name", "source", "keywords", "text", "example", "sample", "overlay"}
    | {"styles", "aliases", "default", "link"}
)


@validated.dataclass(frozen=True, slots=True)
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
    anchor_x: Number = 0.0
    anchor_y: Number = 0.0
    angle: Number = 0.0
    scale_x: Number = 1.0
    scale_y: Number = 0.2
    align: str = "center"
    start: Number = 0.0
    stop: Number = 1.0


@dataclass(frozen=True, slots=True)
class Config:
    """A config.yml.

    Attributes:
        source: where the meme comes from, mostly an address.
        regions: in the order of a caption's lines.
        example: a caption's lines.
        overlays: where memegen lays pictures of the user, as they are written.
        styles: names of other pictures of the same template, as older files list them.
        other: keys that memegen's classes do not have, as they are written.
        notes: what was odd, a sentence each.
    """

    name: str
    source: str
    keywords: tuple[str, ...]
    aliases: tuple[str, ...]
    regions: tuple[Region, ...]
    example: tuple[str, ...]
    overlays: tuple[Mapping[str, Any], ...]
    styles: tuple[str, ...]
    other: Mapping[str, Any]
    notes: tuple[str, ...]


def parse_config(content: bytes, path: Path) -> Config:
    """Read a config.yml; `path` is named in the errors.

    What is wrong in a single value is noted, and memegen's default stands for it.

    Raises:
        InputError: it is no YAML, no mapping, or larger than any template needs.
    """
    table = load_yaml(content, path)
    if table is None:
        table = {}
    if not isinstance(table, dict):
        raise InputError("must be a mapping of keys to values, as in `name: My Meme`", file=path)
    notes: list[str] = []
    # `default` and `link` until 2020, `sample` for some months then.
    example = table.get("example", table.get("sample", table.get("default")))
    return Config(
        name=_line(table.get("name"), "name", notes),
        source=_line(table.get("source", table.get("link")), "source", notes),
        keywords=_lines(table.get("keywords"), "keywords", notes),
        aliases=_lines(table.get("aliases"), "aliases", notes),
        regions=_regions(table.get("text"), notes),
        example=_example(example, notes),
        overlays=tuple(each for each in _listed(table.get("overlay")) if isinstance(each, dict)),
        styles=_lines(table.get("styles"), "styles", notes),
        other={key: value for key, value in table.items() if key not in _KEYS},
        notes=tuple(notes),
    )


def load_yaml(content: bytes, path: Path) -> Any:
    """The one document of a YAML file as texts, None, lists and dicts of texts.

    Raises:
        InputError: it is no YAML, or larger or deeper than the limits of this module.
    """
    import yaml

    if len(content) > MAX_BYTES:
        raise InputError(
            f"is larger than {MAX_BYTES // 1000} kB, which no template needs", file=path
        )
    nodes = 0

    def value_of(node: Any, depth: int = 0) -> Any:
        nonlocal nodes
        nodes += 1
        if nodes > MAX_NODES or depth > MAX_DEPTH:
            raise InputError(
                f"needs more than a template: more than {MAX_NODES} values, lists in lists "
                f"{MAX_DEPTH} deep, or a list in itself",
                file=path,
            )
        if isinstance(node, yaml.ScalarNode):
            is_null = node.style is None and node.value in _NULLS
            return None if is_null else CONTROLS.sub("\ufffd", node.value)
        if isinstance(node, yaml.SequenceNode):
            return [value_of(item, depth + 1) for item in node.value]
        table: dict[str, Any] = {}
        for key_node, value_node in node.value:
            key, value = value_of(key_node, depth + 1), value_of(value_node, depth + 1)
            if key == "<<":
                for base in _listed(value):
                    table = base | table if isinstance(base, dict) else table
            else:
                table[str(key)[:100]] = value
        return table

    try:
        node = yaml.compose(content, Loader=yaml.SafeLoader)
        return None if node is None else value_of(node)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" in line {mark.line + 1}" if mark is not None else ""
        problem = getattr(error, "problem", "") or getattr(error, "reason", "") or "not readable"
        raise InputError(f"is not YAML: {str(problem)[:120]}{where}", file=path) from None
    except RecursionError:
        raise InputError("has lists in lists too deep to be read", file=path) from None
    except (ValueError, TypeError, IndexError, OverflowError):
        raise InputError("is not YAML: an escape stands for no character", file=path) from None


def _listed(value: Any) -> list[Any]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def _line(value: Any, key: str, notes: list[str]) -> str:
    if value is not None and not isinstance(value, str):
        notes.append(f"{key!r} is not a text and was left out")
        return ""
    line = " ".join((value or "").split())
    if len(line) > MAX_LINE:
        notes.append(f"{key!r} has {len(line)} characters and was cut after {MAX_LINE}")
    return line[:MAX_LINE]


def _lines(value: Any, key: str, notes: list[str]) -> tuple[str, ...]:
    lines = [_line(item, key, notes) for item in _listed(value)]
    return tuple(dict.fromkeys(line for line in lines if line))


def _example(value: Any, notes: list[str]) -> tuple[str, ...]:
    lines = []
    for line in _listed(value):
        if line is not None and not isinstance(line, str):
            notes.append("a line of the example is not a text and was left empty")
        lines.append(line.strip() if isinstance(line, str) else "")
    return tuple(lines)


def _regions(text: Any, notes: list[str]) -> tuple[Region, ...]:
    entries = _listed(text)
    if len(entries) > MAX_REGIONS:
        notes.append(f"of {len(entries)} text regions the first {MAX_REGIONS} were taken")
    if text == []:
        notes.append("it has no text region, so a box at the top and one at the bottom were made")
    return tuple(
        _region(entry, f"text region {number}", notes)
        for number, entry in enumerate(entries[:MAX_REGIONS], 1)
    ) or (Region(), Region(anchor_y=0.8))


def _region(entry: Any, where: str, notes: list[str]) -> Region:
    if entry is not None and not isinstance(entry, dict):
        notes.append(f"{where} is not a mapping, so all of memegen's defaults stand for it")
    entry = entry if isinstance(entry, dict) else {}
    names = {each.name for each in fields(Region)}
    unknown = sorted(entry.keys() - names)
    if unknown:
        notes.append(f"{where}: memegen has no {', '.join(map(repr, unknown[:5]))}")
    values: dict[str, Any] = {
        name: value.strip() if isinstance(value, str) else value
        for name, value in entry.items()
        if name in names and value is not None and value != ""
    }
    try:
        return Region(**values)
    except ValidationError as error:
        for name in sorted({str(problem["loc"][0]) for problem in error.errors()}):
            value = values.pop(name)
            notes.append(
                f"{where}: {name!r} cannot be {value!r:.60}; memegen's default stands for it"
            )
        return Region(**values)
