"""Pages of memes. In: `MemeKnowledge`s with their pictures. Out: a folder of HTML to open.

`index.html` lists the memes, `memes/` has a page of each: picture, graph, and every statement with
where it comes from. Pages need no network and no scripts; every text is escaped.

In the graph statements stand in a column, by dimension, and entities in another beside it, each
near the statements about it. Arcs at the left say what a statement rests on, arcs at the right how
entities are related. Measures are in units of the SVG, of which one is a pixel at full size.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, Literal, NamedTuple

from memeloc.errors import MemelocError
from memeloc.files import replacing
from memeloc.knowledge.dimensions import Dimension
from memeloc.knowledge.statements import Entity, MemeKnowledge, Statement
from memeloc.language_models.prompts import MemeInput
from memeloc.pages import fill_page
from memeloc.tables.cells import drawable

MOST = 150
"""Statements, and entities, that are drawn; a page lists all."""

_PAGES = Path(__file__).with_name("page")
_UNSAFE = re.compile(r"[^\w-]+", re.ASCII)
_WIDTH, _GAP, _LABEL_HEIGHT = 1060, 8, 15
_COLUMNS = {"heading": (70, 400, 26), "statement": (70, 400, 44), "entity": (620, 210, 30)}
"""By kind of box its left side, width and height."""
_CHARACTERS = 24
"""Of a relation's name that is shown: so much stands beside the widest arc."""
_STATES = {"empty": ": none found", "missing": ": no answer"}


class Box(NamedTuple):
    """A rectangle with a text; `hue` is its dimension's colour in degrees, `link` an anchor."""

    kind: Literal["heading", "statement", "entity"]
    y: float
    text: str
    hue: int
    link: str = ""

    @property
    def x(self) -> float:
        return _COLUMNS[self.kind][0]

    @property
    def width(self) -> float:
        return _COLUMNS[self.kind][1]

    @property
    def height(self) -> float:
        return _COLUMNS[self.kind][2]

    @property
    def middle(self) -> float:
        return self.y + self.height / 2

    @property
    def edge(self) -> float:
        return self.x + self.width


class Line(NamedTuple):
    """A curve from a height at an x to another, and a relation's name where it has one."""

    kind: Literal["about", "rests", "relation"]
    path: str
    hue: int
    label: str = ""
    label_x: float = 0
    label_y: float = 0
    title: str = ""


class Drawing(NamedTuple):
    """Boxes and lines on a sheet; `left_out` statements and entities are not drawn."""

    height: float
    boxes: tuple[Box, ...]
    lines: tuple[Line, ...]
    left_out: int
    width: int = _WIDTH


def write_pages(
    memes: Iterable[MemeKnowledge],
    out: Path,
    *,
    inputs: Mapping[tuple[str, str], MemeInput],
    dimensions: Mapping[str, Dimension],
    on_progress: Callable[[int], None] = lambda more: None,
) -> dict[str, Any]:
    """Write an index and a page a meme and version.

    Args:
        out: a folder; files of the same names in it are replaced.
        inputs: by id and version what the model was given of a meme: its picture and text.
        dimensions: by id, for their names and definitions.
        on_progress: gets how many pages more are written.

    Returns:
        `index`, the page to open, the number of `memes`, and of those `without_picture`, whose
        picture could not be read, or is not known.

    Raises:
        InputError: a file cannot be written.
    """
    entries = []
    for knowledge in memes:
        shown = inputs.get((knowledge.meme, knowledge.version))
        name = _name(knowledge)
        picture = _write_picture(shown, out, name)
        ids = [each.dimension for each in knowledge.dimensions]
        names = {id: dimensions[id].name if id in dimensions else id for id in ids}
        statements = {each.id: each for each in knowledge.statements()}
        page = fill_page(
            _PAGES / "meme.html",
            knowledge=knowledge,
            picture=f"../{picture}" if picture else "",
            text=shown.text if shown else "",
            drawing=draw(knowledge, names),
            hues=_hues(knowledge),
            names=names,
            dimensions=dimensions,
            entities=knowledge.entities(),
            statements=statements,
        )
        _write(out / "memes" / f"{name}.html", page)
        entries.append(
            {
                "file": f"memes/{name}.html",
                "meme": drawable(knowledge.meme),
                "version": knowledge.version,
                "language": knowledge.language,
                "statements": len(statements),
                "missing": sum(each.state == "missing" for each in knowledge.dimensions),
                "picture": picture,
                "text": drawable(shown.text) if shown else "",
            }
        )
        on_progress(1)
    index = out / "index.html"
    _write(index, fill_page(_PAGES / "index.html", entries=entries))
    without = sum(not entry["picture"] for entry in entries)
    return {"index": index, "memes": len(entries), "without_picture": without}


def _write_picture(shown: MemeInput | None, out: Path, name: str) -> str:
    """Write a meme's picture; return its path in `out`, empty where there is none."""
    try:
        content = shown.picture.read() if shown and shown.picture else b""
    except MemelocError:
        content = b""  # it was there when the model was asked; the page is worth having without it
    if not content:
        return ""
    path = f"pictures/{name}.jpg"
    with replacing(out / path) as temporary:
        temporary.write_bytes(content)
    return path


def _name(knowledge: MemeKnowledge) -> str:
    """Return a name that every file system takes, and that is another one for another graph."""
    key = repr((knowledge.meme, knowledge.version, knowledge.language))
    start = _UNSAFE.sub("-", f"{knowledge.meme}-{knowledge.version}".strip("-"))[:60]
    return f"{start}-{hashlib.sha256(key.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"


def _write(path: Path, text: str) -> None:
    with replacing(path) as temporary:
        temporary.write_text(drawable(text), encoding="utf-8", newline="\n")


# The graph


def draw(knowledge: MemeKnowledge, names: Mapping[str, str]) -> Drawing:
    """Return the drawing of a meme's graph; `names` are the dimensions' for people, by id."""
    statements = list(knowledge.statements())
    entities = knowledge.entities()
    shown, hues = statements[:MOST], _hues(knowledge)
    drawn = {each.id for each in shown}
    headings: dict[str, Box] = {}
    of_statement: dict[str, Box] = {}
    y = 0.0
    for part in knowledge.dimensions:
        own = [each for each in part.statements if each.id in drawn]
        if not own and part.statements:
            continue
        id, hue = part.dimension, hues[part.dimension]
        text = names.get(id, id) + _STATES.get(part.state, "")
        headings[id] = Box("heading", y, text, hue, id)
        y += headings[id].height
        for each in own:
            of_statement[each.id] = Box("statement", y, each.text, hue, each.id)
            y += of_statement[each.id].height + _GAP
    of_entity = _entity_boxes(
        list(entities.values())[:MOST], shown, {**headings, **of_statement}, hues
    )
    boxes = (*headings.values(), *of_statement.values(), *of_entity.values())
    lines = []
    for each in shown:
        box = of_statement[each.id]
        for entity in filter(None, map(of_entity.get, dict.fromkeys(each.entities))):
            bend = (box.edge + entity.x) / 2
            lines.append(Line("about", _curve(box.edge, box, bend, entity.x, entity), box.hue))
        for other in filter(None, map(of_statement.get, dict.fromkeys(each.rests_on))):
            bend = min(box.x - 4, 24 + abs(box.middle - other.middle) / 8)
            lines.append(Line("rests", _curve(box.x, box, box.x - bend, box.x, other), 0))
    lines += _relation_lines(knowledge, of_entity, hues)
    bottoms = [box.y + box.height for box in boxes] + [line.label_y for line in lines]
    left_out = len(statements) + len(entities) - len(of_statement) - len(of_entity)
    return Drawing(max(bottoms, default=0) + _GAP, boxes, tuple(lines), left_out)


def _hues(knowledge: MemeKnowledge) -> dict[str, int]:
    """Return a colour for each dimension, as an angle of the wheel of colours."""
    ids = [each.dimension for each in knowledge.dimensions]
    return {id: 360 * place // len(ids) for place, id in enumerate(ids)}


def _entity_boxes(
    entities: Sequence[Entity],
    statements: Sequence[Statement],
    beside: Mapping[str, Box],
    hues: Mapping[str, int],
) -> dict[str, Box]:
    """Return boxes by id, each as near as it can be to the middle of the statements about it.

    `beside` are the boxes of statements and, for an entity without one, of dimensions.
    """
    last = max((box.middle for box in beside.values()), default=0)

    def wanted(entity: Entity) -> float:
        about = [beside[each.id].middle for each in statements if entity.id in each.entities]
        heading = beside.get(entity.dimension)
        return fmean(about) if about else heading.middle if heading else last

    height = _COLUMNS["entity"][2]
    boxes: dict[str, Box] = {}
    y, step = 0.0, height + _GAP
    for place, entity in enumerate(sorted(entities, key=wanted)):
        # Those that follow must fit above the last statement, as far as they can.
        latest = last - (len(entities) - place) * step + step / 2
        y = max(y, min(wanted(entity) - height / 2, latest))
        boxes[entity.id] = Box("entity", y, entity.label, hues.get(entity.dimension, 0))
        y += step
    return boxes


def _relation_lines(
    knowledge: MemeKnowledge, boxes: Mapping[str, Box], hues: Mapping[str, int]
) -> list[Line]:
    lines: list[Line] = []
    taken: set[int] = set()
    for part in knowledge.dimensions:
        for each in part.relations:
            if each.source not in boxes or each.target not in boxes:
                continue
            source, target = boxes[each.source], boxes[each.target]
            reach = min(72, 36 + abs(source.middle - target.middle) / 8)
            row = round((source.middle + target.middle) / 2 / _LABEL_HEIGHT)
            while row in taken:  # names do not overlap
                row += 1
            taken.add(row)
            name = each.name
            lines.append(
                Line(
                    "relation",
                    _curve(source.edge, source, source.edge + reach, source.edge, target),
                    hues[part.dimension],
                    name if len(name) <= _CHARACTERS else f"{name[: _CHARACTERS - 1]}…",
                    source.edge + reach * 0.75 + 6,
                    row * _LABEL_HEIGHT,
                    f"{source.text} — {name} → {target.text}",
                )
            )
    return lines


def _curve(start: float, first: Box, bend: float, end: float, second: Box) -> str:
    """Return the path of a curve between the middles of two boxes, at the x of each."""
    return (
        f"M{start:g} {first.middle:g}C{bend:g} {first.middle:g} {bend:g} {second.middle:g} "
        f"{end:g} {second.middle:g}"
    )
