"""How paragraphs are cut into runs: direction, script, face."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memeloc.fonts import FaceName
from memeloc.locales import default
from memeloc.model import Direction
from memeloc.render.typesetting.breaks import clusters
from memeloc.render.typesetting.itemize import Itemized, Itemizer, base_direction, resolve
from tests.each import each
from tests.render.sentences import SENTENCES
from tests.render.typesetting.laying import FONTS

MIXED = (
    "aZ é1,.!?()«» אבג اب٣ می\u200c नमस्ते สวัสดี 猫かなカナ、。한글 ЖжΩ 😀👩‍🚀🇩🇪❤️1️⃣©"
    "\u0301\u064b\u200f\u202e\u202c\u2067\u2069\ufffd\U0001f3fd\U00020000"
)


def itemized(text: str, tag: str, face: FaceName = "poster") -> Itemized:
    locale = default().get(tag)
    return Itemizer(FONTS.stack(locale, face)).runs(text, locale.direction)


def described(text: str, tag: str) -> list[tuple[str, str, str]]:
    runs = itemized(text, tag).runs
    return [(text[run.start : run.end], run.script, run.face.family) for run in runs]


@each(
    ("text", "direction", "base"),
    [
        ("hello", "ltr", "ltr"),
        ("hello שלום", "ltr", "ltr"),
        ("שלום hello", "ltr", "ltr"),  # one letter of the locale's direction is enough
        ("שלום", "ltr", None),  # none of it: the first strong character decides
        ("שלום hello", "rtl", "rtl"),
        ("Python هي لغة", "rtl", "rtl"),
        ("Python!", "rtl", None),
        ("123", "rtl", None),
        ("😀", "ltr", "ltr"),
    ],
)
def test_the_base_direction_of_a_paragraph(
    text: str, direction: Direction, base: str | None
) -> None:
    assert base_direction(text, direction) == base


@each(
    "emoji",
    [
        "👩‍🚀", "👨‍👩‍👧‍👦", "🏳️‍🌈", "👍🏽", "🇩🇪", "❤️", "1️⃣", "👩🏽‍💻", "🏴󠁧󠁢󠁳󠁣󠁴󠁿",
    ],
)  # fmt: skip
def test_an_emoji_sequence_is_one_cluster_in_one_face(emoji: str) -> None:
    text = f"so {emoji} ok"
    assert 3 + len(emoji) in clusters(text)
    assert not set(range(4, 3 + len(emoji))) & set(clusters(text))
    result = itemized(text, "en")
    assert result.missing == []
    (run,) = [run for run in result.runs if run.start <= 3 < run.end]
    assert run.end >= 3 + len(emoji)
    assert run.face.emoji


def test_a_word_is_never_in_two_faces_when_one_has_it_all() -> None:
    assert not FONTS.face("anton", "poster").covers("ƕ")
    assert described("saiƕan is seeing", "en") == [
        ("saiƕan", "Latn", "noto-sans"),
        (" is seeing", "Latn", "anton"),
    ]


@each("word", ["Ƙ’Ƙ", "24Ƙ", "Ƙ24", "Ƙ²"])
def test_digits_and_marks_of_a_word_go_with_its_letters(word: str) -> None:
    """A letter that the poster face lacks does not leave the digits beside it behind."""
    assert described(f"A {word} B", "en")[1:2] == [(word, "Latn", "noto-sans")]


def test_another_script_within_a_word_has_a_face_of_its_own() -> None:
    assert described("MY КЕФИР, NOW", "en") == [
        ("MY ", "Latn", "anton"),
        ("КЕФИР", "Cyrl", "noto-sans"),
        (", ", "Cyrl", "anton"),
        ("NOW", "Latn", "anton"),
    ]


@each("tag", sorted(SENTENCES))
def test_every_locales_sentences_are_drawn_by_its_own_stack(tag: str) -> None:
    locale = default().get(tag)
    for face, names in (("poster", locale.poster), ("plain", locale.plain)):
        for text in SENTENCES[tag]:
            result = itemized(text, tag, face)
            assert result.missing == []
            assert {run.face.family for run in result.runs} <= set(names)
            assert result.level == int(locale.direction == "rtl")


@given(
    st.text(st.sampled_from(MIXED) | st.characters(exclude_categories=["Cs", "Cc"]), max_size=30),
    st.sampled_from(["en", "ar", "he", "hi", "ja", "th", "ru"]),
)
def test_runs_are_whole_uniform_and_never_split_a_cluster(text: str, tag: str) -> None:
    locale = default().get(tag)
    result = itemized(text, tag)
    ends = [run.end for run in result.runs]
    assert [run.start for run in result.runs] == [0, *ends][: len(ends)]
    assert (ends or [0])[-1] == len(text)
    assert set(ends) <= set(clusters(text))
    levels = resolve(text, base_direction(text, locale.direction)).levels
    starts = [0, *clusters(text)]
    for run in result.runs:
        assert {levels[at] for at in starts if run.start <= at < run.end} == {run.level}
