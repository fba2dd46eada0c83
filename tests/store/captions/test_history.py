"""What is remembered of a caption, on both databases."""

from __future__ import annotations

import pytest

from memeloc.errors import InputError
from memeloc.store import Store
from tests.store.conftest import answer, decide, send


def test_steps_are_those_of_rounds_before_and_decisions(filled: Store) -> None:
    send(filled, "s1", person="ann")
    answer(filled, "s1", {"one": "von // Ann"})
    (case,) = answer(
        filled, "s1", {"two": ""}, outcome="case", reason="given up", status="wordplay"
    )
    decide(filled, case, person="eve", comment="so it stays")
    items = {item.meme_id: item for item in filled.sheets.to_correct("de", 2, "bob")}
    assert [
        (step.round, step.person, step.parts, step.status) for step in items["one"].history
    ] == [
        (0, "pseudo", ("de first", "de joke"), ""),
        (1, "ann", ("von", "Ann"), "corrected"),
    ]
    assert [(step.person, step.status, step.comment) for step in items["two"].history] == [
        ("pseudo", "", ""),
        ("ann", "wordplay", "=a comment"),
        ("eve", "settled", "so it stays"),
    ]
    (own,) = (item for item in filled.sheets.to_correct("de", 2, "ANN") if item.meme_id == "one")
    assert own.own_rounds == (1,)
    assert [comment.comment for comment in filled.corrections.comments("de", "caption")] == [
        "=a comment", "=a comment", "so it stays",
    ]  # fmt: skip


def test_what_is_said_twice_in_a_row_is_one_step(filled: Store) -> None:
    send(filled, "s1", person="ann")
    for text, outcome in (("a // b", "placed"), ("a // b", "unchanged"), ("c // d", "replaced")):
        answer(filled, "s1", {"one": text}, outcome=outcome)
    answer(filled, "s1", {"one": "a // b"}, outcome="replaced")
    (item,) = (item for item in filled.sheets.to_correct("de", 2, "bob") if item.meme_id == "one")
    assert [step.parts[0] for step in item.history] == ["de first", "a", "c", "a"]


def test_many_decisions_are_one_transaction(filled: Store) -> None:
    send(filled, "s1", person="ann")
    one, two = (
        answer(filled, "s1", {meme: ""}, outcome="case", reason="given up", status="skip")[0]
        for meme in ("one", "two")
    )
    good = {"case": one, "parts": ("eins", "zwei"), "row": 2}
    with pytest.raises(InputError, match="no case 77") as wrong:
        filled.cases.decide([good, {"case": 77, "row": 3}], person="eve")
    assert wrong.value.row == 3
    assert len(filled.cases.find("de")) == 2
    versions = filled.cases.decide(
        [good, {"case": two, "drop": "drop"}, {"case": two}, good], person="eve"
    )
    assert (versions[0], versions[1]) == (versions[3], None)
    assert filled.captions.current("de")["two"].id == versions[2]
    assert filled.drops.find() == []


def test_a_claim_is_anothers_sheet_of_the_same_round(filled: Store) -> None:
    send(filled, "s1", person="ann")
    assert filled.sheets.to_correct("de", 1, "bob", only="unclaimed") == []
    assert len(filled.sheets.to_correct("de", 1, "Ann", only="unclaimed")) == 3
