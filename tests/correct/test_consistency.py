"""What only several captions tell."""

from __future__ import annotations

from collections.abc import Collection

from memeloc.correct.checks import Checked, check_together
from memeloc.locales import default

DE = default().get("de")
Texts = list[tuple[str, str]]


def warned(texts: Texts, about: Collection[str] = ()) -> list[tuple[str, str]]:
    """Meme and check of each warning about these sources and texts, whose parts are cut at /."""
    captions = [
        Checked(f"m{number}", DE, tuple(source.split("/")), tuple(text.split("/")))
        for number, (source, text) in enumerate(texts, 1)
    ]
    return [(each.meme_id, each.check) for each in check_together(captions, about or None)]


TWO_WAYS: Texts = [
    ("still typing/a", "tippt noch/x"),
    ("still typing/b", "tippt noch!/y"),
    ("Still  typing/c", "schreibt noch/z"),
]


def test_a_part_that_is_translated_in_two_ways() -> None:
    assert warned(TWO_WAYS) == [("m3", "two ways")]


def test_one_text_for_two_sources() -> None:
    text = "Und dann schlief die Katze ein"
    sources = ["and then the cat fell asleep", "the meeting was an email again"]
    assert warned([(source, text) for source in sources]) == [("m2", "same text")]


def test_a_name_that_others_keep_is_missed() -> None:
    kept: Texts = [(f"day {n} with Ada", f"Tag {n} mit Ada") for n in range(20, 26)]
    texts = [*kept, ("lunch with Ada", "Essen mit Eda")]
    assert warned(texts) == warned(texts, {"m7"}) == [("m7", "names")]
