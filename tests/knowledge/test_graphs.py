"""Graphs: their shapes, their store, and what other readers of RDF find in exports."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path

import pyoxigraph
import pytest
import rdflib
from hypothesis import given
from hypothesis import strategies as st
from rdflib.compare import isomorphic
from rdflib.namespace import PROV, RDF, RDFS

from memeloc.errors import InputError
from memeloc.files import locked
from memeloc.knowledge.graph_store import open_store, run_query, store_of
from memeloc.knowledge.graphs import (
    ONTOLOGY_FILE,
    PREFIXES,
    ExportFormat,
    Terms,
    as_rdflib,
    checked_base,
    clean,
    violations,
    write_graphs,
)
from tests.each import each
from tests.knowledge.some_memes import tea

# What rdflib itself still uses of its older names.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:rdflib")


HOSTILE = "\"</script>'''\\ \n\t\x00\ud800 \u202e चाय <urn:x> {} @en ^^ 🫖"


MEMES = [tea(), tea(HOSTILE, "../a b/%2F\ud800", "zh-Hans"), tea(meme="a", version="")]


FORMATS: dict[ExportFormat, str] = {"ttl": "turtle", "jsonld": "json-ld", "nquads": "nquads"}


@pytest.fixture(scope="module")
def exports(tmp_path_factory: pytest.TempPathFactory) -> dict[ExportFormat, Path]:
    folder = tmp_path_factory.mktemp("exports")
    files = {to: folder / f"graphs.{to}" for to in FORMATS}
    for to, file in files.items():
        write_graphs(MEMES, file, to)
    return files


def _triples_by_rdflib(file: Path, form: str) -> rdflib.Graph:
    dataset = rdflib.Dataset(default_union=True)
    dataset.parse(file, format=form)
    graph = rdflib.Graph()
    for triple in dataset.triples((None, None, None)):
        graph.add(triple)
    return graph


def test_rdflib_reads_the_same_of_each_format(exports: dict[ExportFormat, Path]) -> None:
    first, *others = [_triples_by_rdflib(exports[to], form) for to, form in FORMATS.items()]
    assert len(first) > 100
    assert all(isomorphic(first, other) for other in others)


def test_pyoxigraph_reads_the_same_of_each_format(exports: dict[ExportFormat, Path]) -> None:
    forms = pyoxigraph.RdfFormat
    by_name = {"ttl": forms.TURTLE, "jsonld": forms.JSON_LD, "nquads": forms.N_QUADS}
    read = {
        to: {str(quad.triple) for quad in pyoxigraph.parse(path=str(file), format=by_name[to])}
        for to, file in exports.items()
    }
    assert read["ttl"] == read["jsonld"] == read["nquads"]


@pytest.mark.skipif(shutil.which("rapper") is None, reason="raptor2-utils is not installed")
@pytest.mark.parametrize(("to", "form"), [("ttl", "turtle"), ("nquads", "nquads")])
def test_rapper_reads_as_many_triples(
    exports: dict[ExportFormat, Path], to: ExportFormat, form: str
) -> None:
    file = exports[to]
    done = subprocess.run(
        ["rapper", "--quiet", "-i", form, "-o", "ntriples", file, "urn:base:"],
        capture_output=True,
        check=True,
    )
    assert not done.stderr
    assert len(set(done.stdout.splitlines())) == len(_triples_by_rdflib(file, FORMATS[to]))


@given(st.text(min_size=1), st.text(min_size=1))
def test_any_text_and_id_come_back(text: str, meme: str) -> None:
    knowledge = replace(tea(text, meme), dimensions=tea(text).dimensions[:1])
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "graph.ttl"
        write_graphs([knowledge], file, "ttl")
        values: dict[str, list[str]] = {}
        for quad in pyoxigraph.parse(path=str(file)):
            values.setdefault(quad.predicate.value, []).append(quad.object.value)
    assert values["urn:memeloc:ontology#text"] == [clean(text)]
    assert values["urn:memeloc:ontology#id"] == [clean(meme)]


ML = rdflib.Namespace("urn:memeloc:ontology#")


GRAPH = "urn:memeloc:graph/tea/hi/hi/m-quest/tiny/"


def test_good_graphs_meet_the_shapes() -> None:
    for knowledge in (tea(), tea("x", "a b"), tea(version="")):
        assert not violations(as_rdflib(knowledge))


@each(
    ("where", "change", "message"),
    [
        ("statement/scene-1", f"- <{ML.text}>", "A statement has one text, with the tag"),
        ("statement/scene-1", f'= <{ML.text}> "no language"', "A statement has one text"),
        ("statement/scene-1", f"- <{ML.dimension}>", "It has one dimension"),
        ("statement/scene-1", f"- <{PROV.wasGeneratedBy}>", "It has provenance"),
        ("statement/scene-1", f"= <{ML.about}> <urn:other>", "about entities of this graph"),
        ("statement/toxicity-1", f"= <{ML.restsOn}> <urn:other>", "rests on statements of this"),
        ("statement/toxicity-1", f"- <{ML.value}>", "has one of the six types"),
        ("statement/toxicity-1", f'= <{ML.value}> "rude"', "has one of the six types"),
        ("entity/cup", f"- <{RDFS.label}>", "An entity has one label"),
        ("relation/1", f"= <{ML.target}> <urn:other>", "A relation ends at one entity"),
        ("relation/1", f"= <{ML.target}> <{GRAPH}entity/cup>", "does not end there"),
        ("dimension/emotion", f"- <{ML.reason}>", "or the reason why it is missing"),
        ("dimension/scene", f'= <{ML.state}> "done"', "answered, empty or missing"),
        ("answer/scene", f"- <{PROV.endedAtTime}>", "the time when it was given"),
        ("answer/scene", f'= <{ML.prompt}> "short"', "the SHA-256 of its prompt"),
        ("answer/scene", f"- <{PROV.wasAssociatedWith}>", "names the model"),
    ],
)
def test_broken_graph_is_refused_by_its_node(where: str, change: str, message: str) -> None:
    graph = as_rdflib(tea())
    how, predicate, *value = change.split(" ", 2)
    node = GRAPH + where
    graph.update(f"DELETE WHERE {{ <{node}> {predicate} ?o }}")
    if how == "=":
        graph.update(f"INSERT DATA {{ <{node}> {predicate} {value[0]} }}")
    found = violations(graph, "tea")
    assert any(message in violation.message for violation in found), found
    assert any(where in str(violation) or "toxicity" in str(violation) for violation in found)


def test_relation_into_another_meme_is_refused() -> None:
    graph = as_rdflib(tea()) + as_rdflib(tea(meme="b"))
    other = rdflib.URIRef(GRAPH.replace("/tea/", "/b/") + "entity/table")
    graph.set((rdflib.URIRef(GRAPH + "relation/1"), ML.target, other))
    assert {each.message for each in violations(graph)} == {
        "A relation joins entities of the same meme."
    }


def test_ontology_declares_what_graphs_use() -> None:
    ontology = rdflib.Graph().parse(ONTOLOGY_FILE)
    terms = {
        term
        for triple in as_rdflib(tea())
        for term in triple
        if isinstance(term, rdflib.URIRef) and term.startswith(PREFIXES["ml"])
    }
    assert terms
    assert all((term, RDF.type, None) in ontology for term in terms)


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
