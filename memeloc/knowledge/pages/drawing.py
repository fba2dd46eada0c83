"""The graph of a meme as a drawing. In: `MemeKnowledge`. Out: boxes and lines, for SVG.

Statements stand in a column, by dimension, and entities in another beside it, each near the
statements about it. Arcs at the left say what a statement rests on, arcs at the right how entities
are related. All measures are in units of the SVG, of which one is a pixel at full size.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from memeloc.knowledge.statements import Entity, MemeKnowledge, Statement

MOST = 150
"""Statements, and entities, that are drawn; a page lists all."""

WIDTH = 1060
_STATEMENTS = (70, 400)  # x and width of the columns
_ENTITIES = (620, 210)
_STATEMENT_HEIGHT, _ENTITY_HEIGHT, _HEADING_HEIGHT = 44, 30, 26
_GAP = 8
_LABEL_HEIGHT = 15
_CHARACTERS = 24
"""Of a relation's name that is shown."""


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle with a text; `hue` is its dimension's colour in degrees, `link` an anchor."""

    kind: Literal["heading", "statement", "entity"]
    x: float
    y: float
    width: float
    height: float
    text: str
    hue: int
    link: str = ""

    @property
    def middle(self) -> float:
        """Its height on the drawing."""
        return self.y + self.height / 2


@dataclass(frozen=True, slots=True)
class Line:
    """A curve, as the path of SVG, and a relation's name where it has one."""

    kind: Literal["about", "rests", "relation"]
    path: str
    hue: int
    label: str = ""
    label_x: float = 0
    label_y: float = 0
    title: str = ""


@dataclass(frozen=True, slots=True)
class Drawing:
    """Boxes and lines on a sheet; `left_out` statements and entities are not drawn."""

    height: float
    boxes: tuple[Box, ...]
    lines: tuple[Line, ...]
    left_out: int
    width: int = WIDTH


def draw(knowledge: MemeKnowledge, names: Mapping[str, str]) -> Drawing:
    """The drawing of a meme's graph; `names` are the dimensions' for people, by id."""
    statements = list(knowledge.statements())[:MOST]
    entities = list(knowledge.entities().values())[:MOST]
    hues = hues_of(knowledge)
    boxes = _statement_boxes(knowledge, {each.id for each in statements}, names, hues)
    by_statement = {box.link: box for box in boxes if box.kind == "statement"}
    headings = {box.link: box for box in boxes if box.kind == "heading"}
    by_entity = _entity_boxes(entities, statements, {**headings, **by_statement}, hues)
    drawn = [*boxes, *by_entity.values()]
    lines = [
        *_about(statements, by_statement, by_entity),
        *_rests(statements, by_statement),
        *_relations(knowledge, by_entity, hues),
    ]
    every = len(list(knowledge.statements())) + len(knowledge.entities())
    lowest = [box.y + box.height for box in drawn] + [line.label_y for line in lines]
    height = max(lowest, default=0) + _GAP
    left_out = every - len(statements) - len(entities)
    return Drawing(height, tuple(drawn), tuple(lines), left_out)


def hues_of(knowledge: MemeKnowledge) -> dict[str, int]:
    """A colour for each dimension, as an angle of the wheel of colours."""
    count = max(1, len(knowledge.dimensions))
    return {each.dimension: 360 * place // count for place, each in enumerate(knowledge.dimensions)}


def _statement_boxes(
    knowledge: MemeKnowledge, drawn: set[str], names: Mapping[str, str], hues: Mapping[str, int]
) -> list[Box]:
    x, width = _STATEMENTS
    y, boxes = 0.0, []
    for found in knowledge.dimensions:
        hue, name = hues[found.dimension], names.get(found.dimension, found.dimension)
        shown = [each for each in found.statements if each.id in drawn]
        if not shown and found.statements:
            continue
        text = name if found.state == "answered" else f"{name}: {_STATES[found.state]}"
        boxes.append(Box("heading", x, y, width, _HEADING_HEIGHT, text, hue, found.dimension))
        y += _HEADING_HEIGHT
        for each in shown:
            boxes.append(Box("statement", x, y, width, _STATEMENT_HEIGHT, each.text, hue, each.id))
            y += _STATEMENT_HEIGHT + _GAP
    return boxes


_STATES = {"empty": "none found", "missing": "no answer"}


def _entity_boxes(
    entities: Sequence[Entity],
    statements: Sequence[Statement],
    beside: Mapping[str, Box],
    hues: Mapping[str, int],
) -> dict[str, Box]:
    """By id the boxes, each as near as it can be to the middle of the statements about it.

    `beside` are the boxes of statements and, for an entity without one, of dimensions.
    """
    heights: dict[str, list[float]] = defaultdict(list)
    for statement in statements:
        for id in statement.entities:
            heights[id].append(beside[statement.id].middle)
    last = max((box.middle for box in beside.values()), default=0)
    at = {}
    for entity in entities:
        values = heights[entity.id]
        own = beside[entity.dimension].middle if entity.dimension in beside else last
        at[entity.id] = sum(values) / len(values) if values else own
    ordered = sorted(entities, key=lambda entity: at[entity.id])
    x, width = _ENTITIES
    boxes, y = {}, 0.0
    step = _ENTITY_HEIGHT + _GAP
    for place, entity in enumerate(ordered):
        # Those that follow must fit above the last statement, as far as they can.
        latest = last - (len(ordered) - place) * step + step / 2
        y = max(y, min(at[entity.id] - _ENTITY_HEIGHT / 2, latest))
        boxes[entity.id] = Box(
            "entity", x, y, width, _ENTITY_HEIGHT, entity.label, hues.get(entity.dimension, 0)
        )
        y += step
    return boxes


def _about(
    statements: Sequence[Statement], by_statement: Mapping[str, Box], by_entity: Mapping[str, Box]
) -> list[Line]:
    lines = []
    for statement in statements:
        box = by_statement[statement.id]
        for entity in dict.fromkeys(statement.entities):
            if entity in by_entity:
                start, end = box.x + box.width, by_entity[entity].x
                bend, middle = (start + end) / 2, by_entity[entity].middle
                path = f"M{start:g} {box.middle:g}C{bend:g} {box.middle:g} {bend:g} {middle:g} "
                lines.append(Line("about", f"{path}{end:g} {middle:g}", box.hue))
    return lines


def _rests(statements: Sequence[Statement], by_statement: Mapping[str, Box]) -> list[Line]:
    lines = []
    for statement in statements:
        for other in dict.fromkeys(statement.rests_on):
            if other in by_statement:
                start, end = by_statement[statement.id], by_statement[other]
                reach = start.x - min(start.x - 4, 24 + abs(start.middle - end.middle) / 8)
                path = f"M{start.x:g} {start.middle:g}C{reach:g} {start.middle:g} {reach:g} "
                lines.append(Line("rests", f"{path}{end.middle:g} {end.x:g} {end.middle:g}", 0))
    return lines


def _relations(
    knowledge: MemeKnowledge, by_entity: Mapping[str, Box], hues: Mapping[str, int]
) -> list[Line]:
    lines: list[Line] = []
    taken: set[int] = set()
    for found in knowledge.dimensions:
        for each in found.relations:
            if each.source not in by_entity or each.target not in by_entity:
                continue
            source, target = by_entity[each.source], by_entity[each.target]
            edge = source.x + source.width
            reach = edge + min(72, 36 + abs(source.middle - target.middle) / 8)
            path = f"M{edge:g} {source.middle:g}C{reach:g} {source.middle:g} {reach:g} "
            row = round((source.middle + target.middle) / 2 / _LABEL_HEIGHT)
            while row in taken:  # names do not overlap
                row += 1
            taken.add(row)
            lines.append(
                Line(
                    "relation",
                    f"{path}{target.middle:g} {edge:g} {target.middle:g}",
                    hues[found.dimension],
                    _shortened(each.name),
                    edge + (reach - edge) * 0.75 + 6,
                    row * _LABEL_HEIGHT,
                    f"{source.text} — {each.name} → {target.text}",
                )
            )
    return lines


def _shortened(text: str) -> str:
    return text if len(text) <= _CHARACTERS else f"{text[: _CHARACTERS - 1]}…"
