"""The seventeen templates that come along: complete, small, and with their boxes in place."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest

from memeloc.model import Template
from memeloc.templates import (
    load_templates,
    open_picture,
    picture_size,
)
from memeloc.templates.definition import turned_corners
from tests.each import each

# Part 1 of the agreement on the built-in templates: captions are written against these names.
BOXES = {
    "black-bar-llama": ["caption"],
    "bookmark": ["column"],
    "busy-market": ["top", "bottom"],
    "cat-and-plant": ["cat", "plant"],
    "chat-with-fridge": ["you", "fridge", "you again"],
    "cloud-monday": ["top", "bottom"],
    "four-steps": ["one", "two", "three", "four"],
    "long-train": ["top", "bottom"],
    "night-owl": ["top", "bottom"],
    "protest-hamster": ["sign"],
    "rainy-mug": ["caption"],
    "robot-chef": ["top", "bottom"],
    "summit-snail": ["top", "bottom"],
    "tall-giraffe": ["top", "bottom"],
    "then-and-now": ["left", "right"],
    "tug-of-war": ["left team", "rope", "right team"],
    "zebra-crossing": ["top", "bottom"],
}


@pytest.fixture(scope="module")
def templates() -> dict[str, Template]:
    """The built-in ones."""
    result, problems = load_templates()
    assert problems == []
    return result


class TestBuiltIn:
    def test_are_the_seventeen_with_their_boxes(self, templates: dict[str, Template]) -> None:
        assert {name: [box.name for box in one.boxes] for name, one in templates.items()} == BOXES

    @each("name", BOXES)
    def test_is_complete_and_within_its_limits(
        self, templates: dict[str, Template], name: str
    ) -> None:
        template = templates[name]
        assert template.title
        assert template.description.endswith(".")
        assert len(template.keywords) >= 3
        assert (template.source, template.licence) == ("drawn for memeloc", "CC0-1.0")
        assert template.image.stat().st_size <= 200_000
        drawing = template.image.with_name("picture.svg")
        assert drawing.stat().st_size <= 150_000
        tags = {element.tag.rpartition("}")[2] for element in ElementTree.parse(drawing).iter()}
        assert tags.isdisjoint({"text", "image", "script"})  # no language, all vectors

    @each("name", BOXES)
    def test_has_its_boxes_in_the_picture(self, templates: dict[str, Template], name: str) -> None:
        template = templates[name]
        picture = open_picture(template.image)
        assert picture.size == picture_size(template.image)
        for box in template.boxes:
            corners = turned_corners(box, picture.size)
            assert all(0 <= x <= 1 and 0 <= y <= 1 for x, y in corners), box.name
            assert box.width * picture.width >= 100
            assert box.height * picture.height >= 70
