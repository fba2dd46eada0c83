"""What a corrected caption should be looked at for."""

from __future__ import annotations

import csv
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from memeloc.correct.checks import CHECKS, Checked, check
from memeloc.locales import default
from memeloc.model import Caption
from tests.each import each

STARTER = Path(__file__).parents[2] / "examples/starter/captions.csv"


def kinds(tag: str, source: tuple[str, ...], parts: tuple[str, ...]) -> set[str]:
    return {warning.check for warning in check(Checked("m", default().get(tag), source, parts))}


@each(
    ("tag", "source", "wrong", "right", "kind"),
    [
        ("de", ("a", "b"), ("x", ""), ("x", "y"), "part"),
        ("de", ("", "b"), ("x", "y"), ("", "y"), "part"),
        ("de", ("my long day",), ("My long day",), ("mein langer Tag",), "same as source"),
        ("hi", ("my long day",), ("mera lamba din",), ("मेरा लंबा दिन",), "script"),
        ("ru", ("my cocktail",), ("мой коктeйль",), ("мой коктейль",), "damaged text"),
        ("de", ("my day",), ("mein\u202e Tag",), ("mein Tag",), "hidden characters"),
        ("de", ("my day",), ("mein (Tag",), ("mein (Tag)",), "punctuation"),
        ("es", ("What?",), ("Qué?",), ("¿Qué?",), "punctuation"),
        ("zh", ("Hello, you",), ("你好,你",), ("你好，你",), "punctuation"),
        ("de", ("Why now?",), ("Warum jetzt",), ("Warum jetzt?",), "punctuation"),
        ("de", ("at 9 sharp",), ("um 8 genau",), ("um 9 genau",), "numbers"),
        ("bn", ("19 degrees",), ("১৮ ডিগ্রি",), ("১৯ ডিগ্রি",), "numbers"),
        ("de", ("my day",), ("mein  Tag",), ("mein Tag",), "spaces"),
        ("de", ("my long day!",), ("My long day",), ("mein langer Tag!",), "same as source"),
        ("hi", ("some meetings",), ("some meetings",), ("कुछ मीटिंग",), "same as source"),
        ("de", ("my day",), ("MEIN TAG",), ("Mein Tag",), "capitals"),
        ("ru", ("my day",), ("МОЙ ДЕНЬ",), ("Мой день",), "capitals"),
        ("fr", ("it is me",), ("c&#39;est moi",), ("c'est moi",), "damaged text"),
        ("de", ("a & b",), ("a &amp; b",), ("a & b",), "damaged text"),
        ("de", ("ask @ada_l",), ("frag ada",), ("frag @ada_l",), "names"),
        ("de", ("my YouTube day",), ("mein Tag",), ("mein YouTube-Tag",), "names"),
    ],
)
def test_each_check_finds_its_own_and_leaves_the_right_alone(
    tag: str, source: tuple[str, ...], wrong: tuple[str, ...], right: tuple[str, ...], kind: str
) -> None:
    assert kind in kinds(tag, source, wrong)
    assert kinds(tag, source, right) == set()


@each(
    ("tag", "source", "text"),
    [
        ("de", "Meetings", "Meetings"),
        ("de", "ha ha ha", "ha ha ha"),
        ("de", "New York Times", "New York Times"),
        ("hi", "Zoom", "Zoom"),
        ("de", "5 hot dogs", "5 Hot Dogs"),
        ("de", "do it yourself", "DIY"),
        ("ja", "with Netflix", "NETFLIX見る"),
        ("ja", "Now with Wi-Fi 6", "Wi-Fi 6はじめました"),
        ("hi", "my YouTube day", "मेरा यूट्यूब दिन"),
        ("de", "fish & chips; tea", "Fisch & Chips; Tee"),
    ],
)
def test_names_loanwords_and_abbreviations_may_stay(tag: str, source: str, text: str) -> None:
    assert kinds(tag, (source,), (text,)) == set()


@given(
    st.lists(st.text(max_size=20), min_size=1, max_size=3),
    st.lists(st.text(max_size=20), min_size=1, max_size=3),
    st.sampled_from(["de", "hi", "zh", "ar", "th", "hy"]),
)
def test_no_text_is_too_strange(source: list[str], parts: list[str], tag: str) -> None:
    warnings = check(Checked("m", default().get(tag), tuple(source), tuple(parts)))
    assert {warning.check for warning in warnings} <= set(CHECKS)


def test_the_starter_set_raises_few() -> None:
    with STARTER.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    languages = [name for name in rows[0] if name not in ("meme_id", "template", "en")]
    warnings = [
        warning
        for row in rows
        for tag in languages
        for warning in check(
            Checked(
                row["meme_id"], default().get(tag),
                Caption.parse(row["en"]).parts, Caption.parse(row[tag]).parts,
            )
        )
    ]  # fmt: skip
    assert len(warnings) <= 3, warnings
