"""Items told apart by what their text is written in."""

from __future__ import annotations

from memeloc.evaluate.runs.dataset import RunItem, groups_of, text_group
from tests.each import each


@each(
    ("text", "language", "group"),
    [
        ("قطة في المكتب", "ar", "one script"),
        ("قطة at work", "ar", "code-switched"),
        ("cat at work", "ar", "another script"),
        ("", "ar", "no text"),
        ("12:30 !!", "ar", "no text"),
        ("漢字とかな", "ja", "one script"),
        ("今天下雨", "zh", "one script"),
        ("सोमवार OK", "hi", "code-switched"),
    ],
)
def test_a_text_has_the_group_that_a_reader_sees(text: str, language: str, group: str) -> None:
    assert text_group(text, language) == group


def test_an_item_has_the_group_of_its_first_language() -> None:
    groups = groups_of([RunItem("1", "ar", "شاي"), RunItem("1", "en", ""), RunItem("2", "ar")])
    assert groups["text"].to_dict() == {"1": "one script", "2": "no text"}
