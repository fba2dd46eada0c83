"""Exports: what other readers of RDF find in them."""

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

from memeloc.knowledge.graphs import (
    ExportFormat,
    clean,
    write_graphs,
)
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
