"""Hints at wordplay: what the lists see, what they leave alone, and that they take anything."""

from __future__ import annotations

import csv
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memeloc.curate import hints as package
from memeloc.curate.hints import MOST, hint_line, hints, in_words
from tests.curate.judging import caption, template

STARTER = Path(__file__).parents[2] / "examples" / "starter" / "captions.csv"


@pytest.mark.parametrize(
    ("text", "name", "hint"),
    [
        ("SEAS THE DAY", "", 'idiom: "SEAS THE DAY" plays on "seize the day"'),
        ("a piece of steak", "", 'idiom: "a piece of steak" plays on "a piece of cake"'),
        ("He kicked the bucket", "", 'idiom: "kicked the bucket" is an idiom'),
        ("she was spilling the beans", "", 'idiom: "spilling the beans" is an idiom'),
        ("hold your // horses", "", 'idiom: "hold your horses" is an idiom'),
        ("it made Tom’s day", "", 'idiom: "made Tom’s day" is an idiom'),
        ("the best fairy tail", "", 'idiom: "fairy tail" plays on "fairy tale"'),
        ("Olive you", "", 'idiom: "Olive you" plays on "i love you"'),
        ("You're one in a melon", "", "plays on"),
        ("flower // needs flour", "", 'homophone: "flower" and "flour" sound the same'),
        ("what a long knight", "Night Owl", 'homophone: "knight" sounds like "Night" of the'),
        ("it is purr-fect", "", 'homophone: "purr-fect" may be heard as "perfect"'),
        ("more thyme please", "", 'homophone: "thyme" may be heard as "time"'),
    ],
)
def test_what_the_lists_see(text: str, name: str, hint: str) -> None:
    assert hint in in_words(hints(caption(text), template(name)))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("I can't work today // the internet is down", "Success Kid"),
        ("Two cats are too many to feed", "Two Cats"),
        ("I will ask, will you?", ""),
        ("The bill is here", ""),
        ("Will it rain?", ""),
        ("the bears are bearing it", "Bear"),
        ("seeing the sea", ""),
        ("me // be", ""),
        ("night night", "night"),
        ("the same surname", ""),
        ("wait for it // wait", ""),
        ("I love you and happy birthday", ""),
        ("a meeting that cannot wait", ""),
        ("so definately tired of wardrobes", ""),
        ("the colour of the neighbour's sofa", ""),
        ("hahahaha sooooo tired", ""),
        ("", ""),
        ("🐈 // !!! // 42", "42"),
    ],
)
def test_what_the_lists_leave_alone(text: str, name: str) -> None:
    assert hints(caption(text), template(name)) == []


def test_plain_captions_get_few_hints() -> None:
    with STARTER.open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.DictReader(stream))
    all_hints = [hints(caption(row["en"]), template(row["template"])) for row in rows]
    hinted = [in_words(row_hints) for row_hints in all_hints if row_hints]
    assert len(rows) > 50
    assert len(hinted) <= len(rows) // 20, hinted


def test_lists_are_for_english_and_unknown_languages() -> None:
    assert hints(caption("seas the day", language="de")) == []
    for language in ("", "en", "en-GB", "EN_us"):
        assert "seize the day" in in_words(hints(caption("seas the day", language=language)))


def test_other_languages_say_that_there_are_no_hints() -> None:
    line = hint_line(caption("Tee im Büro", language="de"))
    assert line == "no hints: there are no lists for de, only for English"
    assert hint_line(caption("seas the day"), None).startswith("idiom")


def test_every_idiom_is_found_in_itself_whole() -> None:
    filled = {"one's": "my", "someone": "Tom", "oneself": "yourself"}
    lists = tomllib.loads((Path(package.__file__).parent / "idioms.en.toml").read_text("utf-8"))
    idioms = lists["idioms"].split("\n")[1:-1]
    missed = []
    for idiom in idioms:
        text = " ".join(filled.get(word, word) for word in idiom.replace(",", "").split())
        if f'"{text}" is an idiom' not in [hint.evidence for hint in hints(caption(text))]:
            missed.append(text)
    assert len(idioms) > 300
    assert missed == []


@given(st.lists(st.text(max_size=60), max_size=4), st.text(max_size=40))
def test_hints_take_any_text(parts: list[str], name: str) -> None:
    given_hints = hints(caption(" // ".join(parts)), template(name, description=name[::-1]))
    assert len(given_hints) <= MOST
    assert len(set(given_hints)) == len(given_hints)
