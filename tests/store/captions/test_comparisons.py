"""Texts of a language beside each other, as they stream."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from memeloc.store import Store
from tests.store.conftest import answer, import_table, send


def test_everybodys_last_answer_of_a_round_stands(filled: Store) -> None:
    for sheet, person in (("s1", "ann"), ("s2", "bob")):
        send(filled, sheet, person=person)
        answer(filled, sheet, {"two": f"{person} // zwei", "one": f"{person} // eins"})
    answer(filled, "s1", {"one": "besser // eins"}, outcome="replaced")
    answer(filled, "s1", {"one": "alt // eins"}, outcome="older")
    rows = list(filled.comparisons.standing("de"))
    assert [(row.meme_id, row.person, row.parts) for row in rows] == [
        ("one", "bob", ("bob", "eins")),
        ("one", "ann", ("besser", "eins")),
        ("two", "ann", ("ann", "zwei")),
        ("two", "bob", ("bob", "zwei")),
    ]
    assert {row.base for row in rows} == {("de first", "de joke"), ("de second", "de joke")}
    assert filled.comparisons.languages() == ["de"]
    assert filled.comparisons.languages("survey") == []


def test_answers_to_an_earlier_source_do_not_stand(
    filled: Store, write_table: Callable[..., Path]
) -> None:
    send(filled, "s1")
    answer(filled, "s1", {"two": "zwei // Witz", "three": "drei"})
    import_table(filled, write_table(("three", "protest-hamster", "third, newer")))
    assert [row.meme_id for row in filled.comparisons.standing("de")] == ["two"]


def test_machine_texts_stand_beside_what_all_rounds_left(filled: Store) -> None:
    send(filled, "s1")
    answer(filled, "s1", {"one": "erste // Fassung", "two": "de second // de joke"})
    send(filled, "s2", round_=2, person="bob")
    answer(filled, "s2", {"one": "letzte // Fassung"})
    assert [tuple(row) for row in filled.comparisons.machine_and_final("de")] == [
        ("one", ("de first", "de joke"), ("letzte", "Fassung")),
        ("two", ("de second", "de joke"), ("de second", "de joke")),
    ]
