"""The state of each caption: what nobody, somebody and everybody has found right."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from memeloc.items import FoundPicture
from memeloc.ocr.transcript import Transcript
from memeloc.store import Store
from memeloc.store.records import Accept
from tests.store.conftest import answer, decide, import_table, send
from tests.store.test_collected import origin, picture

Write = Callable[..., Path]

MACHINE = "de first // de joke"


def states(store: Store, tag: str = "de", rounds: int = 2) -> dict[str, str]:
    return {row.meme_id: row.state for row in store.captions.states([tag], rounds=rounds)}


def drop(store: Store, meme: str, language: str = "") -> None:
    store.drops.add([meme], [language], dropped=True, person="ann", comment="a pun")


def test_what_people_brought_is_given(filled: Store, write_table: Write) -> None:
    rows = ("four", "night-owl", "fourth", "vierter")
    import_table(filled, write_table(rows, columns="en de", name="four.csv"))
    assert states(filled, "en") == dict.fromkeys(("one", "two", "three", "four"), "given")
    assert states(filled) == {"one": "machine", "two": "machine", "three": "machine"} | {
        "four": "given"
    }


def test_a_text_that_its_author_alone_has_seen_is_corrected(filled: Store) -> None:
    send(filled, "s1")
    answer(filled, "s1", {"one": "von // Hand"})
    (one, *_) = filled.captions.states(["de"])
    assert (one.meme_id, one.state, one.round, one.people) == ("one", "corrected", 1, 1)


def test_machine_text_that_a_person_found_right_is_accepted(filled: Store) -> None:
    send(filled, "s1")
    answer(filled, "s1", {"one": MACHINE}, status="correct")
    assert states(filled)["one"] == "accepted"


def test_two_people_with_the_same_text_agree(filled: Store) -> None:
    send(filled, "s1", person="ann")
    send(filled, "s2", person="bob")
    answer(filled, "s1", {"one": " von  // Hand", "two": "a // b"})
    answer(filled, "s2", {"one": "von // Hand"})
    assert states(filled) == {"one": "accepted", "two": "corrected", "three": "machine"}


@pytest.mark.parametrize(
    ("person", "status", "text", "expected"),
    [
        ("bob", "correct", "von // Hand", "accepted"),
        ("ann", "correct", "von // Hand", "corrected"),  # her own text
        ("bob", "corrected", "aus // Bobs Hand", "corrected"),
    ],
)
def test_a_second_round_of_three(
    filled: Store, person: str, status: str, text: str, expected: str
) -> None:
    send(filled, "s1")
    answer(filled, "s1", {"one": "von // Hand"})
    send(filled, "s2", round_=2, person=person)
    answer(filled, "s2", {"one": text}, status=status)
    assert states(filled, rounds=3)["one"] == expected
    (one, *_) = filled.captions.states(["de"], rounds=3)
    assert one.people == len({"ann", person})


def test_a_case_disputes_until_a_decision_accepts(filled: Store) -> None:
    send(filled, "s1")
    (case,) = answer(filled, "s1", {"one": ""}, outcome="case", status="wordplay")
    assert states(filled)["one"] == "disputed"
    decide(filled, case, person="maria")
    assert states(filled)["one"] == "accepted"
    decide(filled, case, person="maria", drop="drop")
    assert states(filled)["one"] == "dropped"


def test_another_source_makes_a_translation_outdated(filled: Store, write_table: Write) -> None:
    send(filled, "s1")
    answer(filled, "s1", {"one": MACHINE}, status="correct")
    import_table(filled, write_table(("one", "cloud-monday", "another // joke")))
    assert (states(filled)["one"], states(filled, "en")["one"]) == ("outdated", "given")
    table = write_table(("one", "cloud-monday", "first // joke"), name="back.csv")
    import_table(filled, table)  # the text that was translated
    assert states(filled)["one"] == "accepted"


def test_a_meme_is_dropped_in_one_language_or_in_all(filled: Store) -> None:
    drop(filled, "one", "de")
    drop(filled, "two")
    assert states(filled) == {"one": "dropped", "two": "dropped", "three": "machine"}
    assert states(filled, "en") == {"one": "given", "two": "dropped", "three": "given"}


def test_a_transcript_is_a_machines_until_somebody_looks(store: Store) -> None:
    store.items.add([FoundPicture(origin("p"), picture(), "a meme")])
    (meme,) = store.items.find("picture")
    store.transcripts.add([Transcript(meme.id, ("redd",), "de", "reader", 1.0)])
    (row,) = store.captions.states(kind="transcript")
    assert row.state == "machine"
    (item,) = send(store, "s1", kind="transcript")
    answer(store, "s1", {item: "read"})
    (row,) = store.captions.states(kind="transcript")
    assert row.state == "corrected"  # and not outdated by itself


@pytest.fixture
def mixed(filled: Store) -> Store:
    """`one` was found right, `two` typed by one person; `three` is a machine's."""
    send(filled, "s1")
    answer(filled, "s1", {"one": MACHINE}, status="correct")
    answer(filled, "s1", {"two": "von // Hand"})
    return filled


@pytest.mark.parametrize(
    ("which", "german"),
    [("accepted", ["one"]), ("corrected", ["one", "two"]), ("any", ["one", "two", "three"])],
)
def test_a_table_has_the_captions_that_are_asked_for(
    mixed: Store, which: Accept, german: list[str]
) -> None:
    frame = mixed.exports.frame("captions", ["en", "de"], which).set_index("meme_id")
    assert list(frame["en"].dropna().index) == ["one", "two", "three"]
    assert list(frame["de"].dropna().index) == german
    acceptance = mixed.captions.acceptance(which)
    assert sum(acceptance.taken["de"].values()) == len(german)
    assert mixed.captions.left_out(which).get("de", set()) == {"one", "two", "three"} - {*german}


def test_the_history_has_the_state_of_what_stands(mixed: Store) -> None:
    history = mixed.exports.frame("history").query("language == 'de'")
    assert dict(zip(history["meme_id"], history["state"], strict=True)) == {
        "one": "accepted",
        "two": "corrected",
        "three": "machine",
    }
    assert list(history["state"].isna()) == list(~history["current"])
