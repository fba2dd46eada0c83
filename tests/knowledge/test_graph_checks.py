"""The shapes: what a graph must have."""

from __future__ import annotations

import rdflib
from rdflib.namespace import PROV, RDF, RDFS

from memeloc.knowledge.graphs import (
    ONTOLOGY_FILE,
    PREFIXES,
    as_rdflib,
    violations,
)
from tests.each import each
from tests.knowledge.some_memes import tea

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
