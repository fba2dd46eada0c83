"""The store: only what is new is made, and queries stay within their limits."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from memeloc.errors import InputError
from memeloc.files import locked
from memeloc.knowledge.graph_store import open_store, run_query, store_of
from memeloc.knowledge.graphs import Terms, checked_base
from tests.knowledge.some_memes import tea


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("graphs")
    return store_of(folder, "1", [tea(), tea("Zwei Tassen", "two")])


def test_store_is_made_once_for_what_it_is_made_of(tmp_path: Path) -> None:
    store = store_of(tmp_path, "1", [tea(), tea(meme="b")])
    assert len(list(open_store(store).named_graphs())) == 2
    assert store_of(tmp_path, "1", []) == store
    changed = store_of(tmp_path, "2", [replace(tea(), content="d" * 64)])
    quads = list(open_store(changed))
    assert not [quad for quad in quads if str(quad.object) == '"' + "c" * 64 + '"']
    assert not store.exists()


def test_store_that_was_not_finished_is_made_again(tmp_path: Path) -> None:
    store = store_of(tmp_path, "1", [tea(), tea(meme="b")])
    store.rename(tmp_path / "new")  # a kill before the end
    assert len(list(open_store(store_of(tmp_path, "1", [tea()])).named_graphs())) == 1


def test_two_at_once_are_refused_with_a_sentence(tmp_path: Path) -> None:
    with locked(tmp_path / "lock", tmp_path), pytest.raises(InputError, match="Another command"):
        store_of(tmp_path, "1", [tea()])


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
    assert run_query(folder, query)["rows"] == rows


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


def test_base_is_of_memes_and_own_dimensions(tmp_path: Path) -> None:
    base = checked_base("https://example.org/memes/")
    store = store_of(tmp_path, "1", [tea()], Terms(base))
    graphs = [graph.value for graph in open_store(store).named_graphs()]
    assert graphs == ["https://example.org/memes/graph/tea/hi/hi/m-quest/tiny"]
