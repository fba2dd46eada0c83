"""The store: only what is new is made, and queries stay within their limits."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from memeloc.errors import InputError
from memeloc.files import locked
from memeloc.knowledge.dimensions import read_dimension
from memeloc.knowledge.graphs.names import Terms, checked_base
from memeloc.knowledge.graphs.querying import run_query
from memeloc.knowledge.graphs.storing import Update, open_store, update_store
from tests.knowledge.graphs.some_memes import tea


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("graphs")
    update_store(folder, [tea(), tea("Zwei Tassen", "two")])
    return folder


def test_only_what_is_new_is_made(tmp_path: Path) -> None:
    assert update_store(tmp_path, [tea(), tea(meme="b")]) == Update(2, 0, 0)
    changed = replace(tea(), content="d" * 64)
    assert update_store(tmp_path, [changed, tea(meme="c")]) == Update(2, 0, 1)
    assert update_store(tmp_path, [changed, tea(meme="c")]) == Update(0, 2, 0)
    store = open_store(tmp_path)
    assert len(list(store.named_graphs())) == 2
    assert len([quad for quad in store if str(quad.object) == '"' + "c" * 64 + '"']) == 1


def test_store_whose_marker_is_missing_is_made_again(tmp_path: Path) -> None:
    update_store(tmp_path, [tea(), tea(meme="b")])
    (tmp_path / "made.json").unlink()
    assert update_store(tmp_path, [tea()]) == Update(1, 0, 0)
    assert len(list(open_store(tmp_path).named_graphs())) == 1


def test_two_at_once_are_refused_with_a_sentence(tmp_path: Path) -> None:
    with locked(tmp_path / "lock", tmp_path), pytest.raises(InputError, match="Another command"):
        update_store(tmp_path, [tea()])


def test_own_class_of_another_name_makes_graphs_again(tmp_path: Path) -> None:
    update_store(tmp_path, [tea()])
    mood = read_dimension("emotion").model_copy(update={"id": "mood", "class_name": "Mood"})
    assert update_store(tmp_path, [tea()], Terms(dimensions={"mood": mood})) == Update(1, 0, 0)


def test_store_that_is_current_waits_for_nobody(tmp_path: Path) -> None:
    update_store(tmp_path, [tea()], source="1")
    with locked(tmp_path / "lock", tmp_path):
        assert update_store(tmp_path, [], source="1") == Update(0, 1, 0)


def test_store_is_opened_for_reading_by_several(folder: Path) -> None:
    first, second = open_store(folder), open_store(folder)
    assert len(first) == len(second) > 0
    with pytest.raises(RuntimeError):
        first.clear()


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        ("ASK { ?a rel:nextTo ?b }", [["true"]]),
        ("SELECT (COUNT(?g) AS ?n) { GRAPH ?g { ?g a ml:MemeGraph } }", [["2"]]),
        ("SELECT ?name { ?m a prov:SoftwareAgent ; rdfs:label ?name }", [["tiny"]]),
        ("SELECT ?none ('SERVICE' AS ?t) { ?service a ml:Meme } LIMIT 1", [["", "SERVICE"]]),
    ],
)
def test_kinds_of_queries(folder: Path, query: str, rows: list[list[str]]) -> None:
    result = run_query(folder, query)
    assert [[value.text for value in row] for row in result.rows] == rows


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("INSERT DATA { <urn:a> <urn:b> 1 }", "not a query of SPARQL"),
        ("DROP ALL", "not a query of SPARQL"),
        ("SELECT * { SERVICE <http://127.0.0.1/> { ?s ?p ?o } }", "take SERVICE out"),
        ("SELECT * { ?s ?p 1service<http://127.0.0.1/>{ ?s ?p ?o } }", "take SERVICE out"),
        ("PREFIX x: <http://127.0.0.1/>SELECT * { SERVICE:x { ?s ?p ?o } }", "take SERVICE out"),
        ("SELECT ?x WHERE {", "not a query of SPARQL"),
    ],
)
def test_query_that_is_no_reading_is_refused(folder: Path, query: str, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        run_query(folder, query)


def test_query_that_takes_too_long_is_ended(folder: Path) -> None:
    everything = " ".join(f"?a{number} ?b{number} ?c{number} ." for number in range(5))
    query = f"SELECT (COUNT(*) AS ?n) {{ {everything} FILTER(?a0 > ?a4) }}"
    with pytest.raises(InputError, match="longer than 1 seconds"):
        run_query(folder, query, seconds=1)


@pytest.mark.parametrize("base", ["cats", "http://a b/", "https://example.org", "urn:x:<"])
def test_base_that_is_no_iri_is_refused(base: str) -> None:
    with pytest.raises(InputError, match="absolute"):
        checked_base(base)


def test_base_is_of_memes_and_own_dimensions(tmp_path: Path) -> None:
    base = checked_base("https://example.org/memes/")
    update_store(tmp_path, [tea()], Terms(base))
    graphs = [graph.value for graph in open_store(tmp_path).named_graphs()]
    assert graphs == ["https://example.org/memes/graph/tea/hi/hi/m-quest/tiny"]
