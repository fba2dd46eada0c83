"""Numbers, names and links that a translation keeps."""

from __future__ import annotations

from memeloc.correct.checks import lost_marks, lost_numbers, names
from tests.each import each


@each(
    ("source", "text", "lost"),
    [
        ("at 9 sharp", "um 8 genau", ["9"]),
        ("19 degrees", "১৮ ডিগ্রি", ["19"]),
        ("37 tabs", "mehrere Tabs", ["37"]),
        ("2 cats, 2 dogs", "2 Katzen, 3 Hunde", ["2"]),
        ("12,500 steps", "125 000 Schritte", ["12500"]),
        ("8 pm", "21 Uhr", ["8"]),
    ],
)
def test_changed_numbers_are_lost(source: str, text: str, lost: list[str]) -> None:
    assert lost_numbers(source, text)[0] == lost


@each(
    ("source", "text"),
    [
        ("19 degrees", "१९ डिग्री"),
        ("19 degrees", "١٩ درجة"),
        ("1,000 steps", "1 000 pas"),
        ("1,000 steps", "1.000 Schritte"),
        ("100,000 views", "1,00,000 बार देखा गया"),
        ("10,000 steps", "1万步"),
        ("5k views", "5000 Aufrufe"),
        ("3:07", "3 h 07"),
        ("9:00 sharp", "Punkt 9"),
        ("8 pm", "20 Uhr"),
        ("8:30 p.m.", "20:30"),
        ("me at 07:15", "ich um 7:15"),
        ("open 24/7", "immer offen"),
        ("2 minutes", "zwei Minuten"),
        ("30 cats", "三十只猫"),
        ("Four alarms", "目覚まし4個"),
    ],
)
def test_numbers_that_are_written_otherwise_are_kept(source: str, text: str) -> None:
    assert lost_numbers(source, text) == ([], [])


@each(
    ("source", "text", "lost"),
    [
        ("thanks @anna_k", "danke @anna_l", ["@anna_k"]),
        ("#monday again", "schon wieder Montag", ["#monday"]),
        ("see https://example.org/a.", "siehe da", ["https://example.org/a"]),
        ("thanks @anna_k", "@Anna_K, danke", []),
        ("#monday again", "schon wieder #montag", []),
        ("see www.example.org/en", "siehe www.example.org/de", []),
        ("we are #1", "wir sind die Nummer 1", []),
        ("lunch @ home", "Essen zu Hause", []),
    ],
)
def test_handles_hashtags_and_links_are_kept(source: str, text: str, lost: list[str]) -> None:
    assert list(lost_marks(source, text)) == lost


@each(
    ("text", "expected"),
    [
        ("my cat meets Ada at noon", ["Ada"]),
        ("Monday. Again. “Really?” And I’m here", []),
        ("When You Forget All Your Keys", []),
        ("WHEN ADA MEETS BEN", []),
        ("greetings from New York", ["New", "York"]),
    ],
)
def test_names_are_capitalised_within_a_sentence(text: str, expected: list[str]) -> None:
    assert names(text) == expected
