"""What a config.yml of memegen says. In: the file's bytes. Out: a `Config`, with what is odd in it.

The format is that of memegen's own classes (`app/models/template.py`, `text.py`, `overlay.py` at
github.com/jacebrowning/memegen): a key that is missing has their default. memegen reads YAML 1.2,
in which `no` is a word and `012` a number; here every scalar stays the text it was written as, and
is made a number only where one is due. Nothing but texts, lists and mappings is built, whatever
tags a file has.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Annotated, Any, TypeVar

import yaml
from pydantic import AfterValidator, BeforeValidator, Field, ValidationError
from pydantic import dataclasses as validated

from memeloc.errors import InputError
from memeloc.items import CONTROLS

MAX_BYTES = 256_000  # size that a config.yml may have: the largest of memegen's has some 2 kB

Model = TypeVar("Model", bound="Region | Config")
Number = Annotated[float, Field(gt=-1e6, lt=1e6, allow_inf_nan=False)]


def _listed(value: Any) -> list[Any]:
    if isinstance(value, list | tuple):
        return list(value)
    return [] if value in (None, "") else [value]


def _distinct(value: Any) -> list[Any]:
    values = [each for each in _listed(value) if each]
    return [each for at, each in enumerate(values) if each not in values[:at]]


Line = Annotated[str, AfterValidator(lambda text: " ".join(text.split()))]
Lines = Annotated[tuple[Line, ...], BeforeValidator(_distinct)]


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


@validated.dataclass(frozen=True, slots=True)
class Config:
    """A config.yml: what memegen's keys of these names say; `text` and `example` line by line.

    `overlay` is where memegen lays pictures of the user, `styles` the other pictures of the
    template, as older files list them, `other` the keys that memegen's classes do not have, and
    `notes` what was odd, a sentence each.
    """

    name: Line = ""
    source: Line = ""
    keywords: Lines = ()
    aliases: Lines = ()
    text: tuple[Region, ...] = (Region(), Region(anchor_y=0.8))
    example: tuple[str, ...] = ()
    overlay: Annotated[tuple[dict[str, Any], ...], BeforeValidator(_listed)] = ()
    styles: Lines = ()
    other: Mapping[str, Any] = Field(default_factory=dict)
    notes: tuple[str, ...] = ()


def parse_config(content: bytes, path: Path) -> Config:
    """Read a config.yml; `path` is named in the errors.

    What is wrong in a single value is noted, and memegen's default stands for it.

    Raises:
        InputError: it is no YAML, no mapping, or larger than any template needs.
    """
    table = load_yaml(content, path)
    if not isinstance(table or {}, dict):
        raise InputError("must be a mapping of keys to values, as in `name: My Meme`", file=path)
    values = {str(key): value for key, value in (table or {}).items()}
    for old, new in (("default", "example"), ("sample", "example"), ("link", "source")):  # by 2020
        if old in values:
            values.setdefault(new, values.pop(old))
    notes: list[str] = []
    values["example"] = [
        line.strip() if isinstance(line, str) else "" for line in _listed(values.get("example"))
    ]
    values["text"] = [
        _lenient(Region, region if isinstance(region, dict) else {}, f"text region {number}", notes)
        for number, region in enumerate(_listed(values.get("text")), 1)
    ]
    known = {each.name for each in fields(Config)} - {"other", "notes"}
    config = _lenient(Config, {key: values[key] for key in known & values.keys()}, "it", notes)
    other = {key: values[key] for key in values.keys() - known - {"id", "variant"}}
    return replace(config, other=other, notes=tuple(notes))


def _lenient(model: type[Model], values: dict[Any, Any], where: str, notes: list[str]) -> Model:
    """Return an object of the model; a value that it cannot have is left out, with a note."""
    names = {each.name for each in fields(model)}
    if unknown := sorted(map(str, values.keys() - names)):
        notes.append(f"{where}: memegen has no {', '.join(map(repr, unknown[:5]))}")
    kept = {key: values[key] for key in names & values.keys() if values[key] not in ("", [])}
    try:
        return model(**kept)
    except ValidationError as error:
        for name in sorted({str(problem["loc"][0]) for problem in error.errors()}):
            value = kept.pop(name)
            notes.append(f"{where}: {name!r} cannot be {value!r:.60}; memegen's default stands")
        return model(**kept)


class _Texts(yaml.BaseLoader):
    """A reader of YAML that gives texts (null as an empty one), lists and mappings alone."""

    def construct_scalar(self, node: yaml.ScalarNode) -> str:
        is_null = node.style is None and node.value in ("~", "null", "Null", "NULL")
        return "" if is_null else CONTROLS.sub("\ufffd", node.value)

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):  # a few bytes of them can stand for gigabytes
            mark = self.get_event().start_mark  # type: ignore[no-untyped-call]
            raise yaml.MarkedYAMLError(None, None, "an alias stands for a value", mark)
        return super().compose_node(parent, index)


def load_yaml(content: bytes, path: Path) -> Any:
    """Return the one document of a YAML file as texts, lists and dicts of texts; None without one.

    Raises:
        InputError: it is no YAML, has aliases, or is larger than `MAX_BYTES`.
    """
    if len(content) > MAX_BYTES:
        raise InputError(
            f"has more than {MAX_BYTES // 1000} kB; no template needs so many", file=path
        )
    try:
        return yaml.load(content, Loader=_Texts)  # noqa: S506 - it builds nothing else
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" (at line {mark.line + 1})" if mark is not None else ""
        problem = getattr(error, "problem", "") or getattr(error, "reason", "") or "not readable"
        raise InputError(f"is not YAML: {str(problem)[:120]}{where}", file=path) from None
    except RecursionError:
        raise InputError("has lists in lists too deep to be read", file=path) from None
    except (ValueError, TypeError, IndexError, OverflowError):
        raise InputError("is not YAML: an escape stands for no character", file=path) from None
