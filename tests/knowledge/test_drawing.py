"""The drawing of a graph: nothing on top of anything else."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from memeloc.knowledge.pages import MOST, Box, draw
from memeloc.knowledge.statements import DimensionKnowledge, Entity, MemeKnowledge, Statement
from tests.knowledge.some_memes import tea


def _overlap(first: Box, second: Box) -> bool:
    across = first.x < second.x + second.width and second.x < first.x + first.width
    return across and first.y < second.y + second.height and second.y < first.y + first.height


def _meme(about: list[list[int]], entities: int) -> MemeKnowledge:
    things = tuple(Entity(f"e{n}", f"thing {n}", "", "scene") for n in range(entities))
    statements = tuple(
        Statement(f"scene-{n}", "scene", "x", tuple(f"e{id}" for id in ids))
        for n, ids in enumerate(about, 1)
    )
    scene = DimensionKnowledge("scene", "answered", things, (), statements)
    return MemeKnowledge("a", "", "en", "en", "m-quest", "tiny", (scene,))


@given(st.lists(st.lists(st.integers(0, 14), max_size=4), max_size=12), st.integers(0, 12))
def test_boxes_never_overlap_and_are_on_the_sheet(about: list[list[int]], entities: int) -> None:
    drawing = draw(_meme(about, entities), {})
    assert not any(_overlap(*pair) for pair in combinations(drawing.boxes, 2))
    assert all(box.y >= 0 and box.y + box.height <= drawing.height for box in drawing.boxes)
    assert len(drawing.boxes) == 1 + len(about) + entities


def test_entity_stands_beside_the_statements_about_it() -> None:
    drawing = draw(_meme([[], [], [0], []], 1), {})
    boxes = {box.link or box.text: box for box in drawing.boxes}
    assert boxes["thing 0"].middle == boxes["scene-3"].middle


def test_lines_say_what_rests_on_what_and_how_things_are_related() -> None:
    drawing = draw(tea(), {"scene": "Scene"})
    assert sorted(line.kind for line in drawing.lines) == ["about", "about", "relation", "rests"]
    assert [line.title for line in drawing.lines if line.title] == ["प्याला — nextTo → मेज़"]
    headings = [box.text for box in drawing.boxes if box.kind == "heading"]
    assert headings == ["Scene", "mood: none found", "emotion: no answer", "toxicity"]


def test_what_is_too_much_is_counted() -> None:
    drawing = draw(_meme([[0]] * (MOST + 5), 2), {})
    assert drawing.left_out == 5
