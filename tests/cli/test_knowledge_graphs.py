"""`memeloc knowledge export`, `query` and `check`, and what they do in Python."""

from __future__ import annotations

import json
from pathlib import Path

import pyoxigraph
import pytest

from memeloc.workspace import Workspace
from memeloc.workspace.knowledge import KnowledgeSettings
from tests.chat_server import serve_chat
from tests.workspace.knowledge.answering import right
from tests.workspace.teams import workspace_of

# What rdflib itself still uses of its older names.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:rdflib")

STATEMENTS = "SELECT ?text { ?s a ml:Statement ; ml:text ?text }"


@pytest.fixture(scope="module")
def extracted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace of two captions in two versions, whose meaning a model has given."""
    folder = tmp_path_factory.mktemp("extracted")
    workspace_of(folder, ["de"], memes=2).close()
    with pytest.MonkeyPatch.context() as patch, serve_chat() as server:
        server.say = right
        patch.setenv("OPENAI_BASE_URL", server.url)
        with Workspace.open(folder / "work") as workspace:
            for language in ("en", "de"):
                settings = KnowledgeSettings(
                    input="text", language=language, statements_language="en"
                )
                workspace.knowledge.extract(settings, model="tiny")
    return folder / "work"


@pytest.fixture
def here(extracted: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(extracted)
    return extracted


def test_query_shows_texts_with_their_language(here, command) -> None:
    done = command("knowledge", "query", STATEMENTS, "--rows", 3)
    assert done.status == 0, done.err
    assert "A cat waits for tea." in done.out
    assert "text language" in done.out
    assert "Only the first 3 rows" in done.err


def test_nothing_of_the_working_directory_is_run(here, command) -> None:
    (here / "json.py").write_text("raise SystemExit('this is not to be run')")
    done = command("knowledge", "query", "ASK { ?s a ml:Statement }")
    (here / "json.py").unlink()
    assert (done.status, "true" in done.out) == (0, True), done.err


def test_query_writes_rows_and_reads_files(here, command, tmp_path) -> None:
    (tmp_path / "all.rq").write_text(STATEMENTS)
    done = command("knowledge", "query", tmp_path / "all.rq", "--out", tmp_path / "all.csv")
    assert done.status == 0, done.err
    lines = (tmp_path / "all.csv").read_text("utf-8-sig").splitlines()
    assert (lines[0], len(lines)) == ("text,text language", 41)


def test_query_as_json_has_kinds_of_values(here, command) -> None:
    done = command("knowledge", "query", "SELECT ?g { ?g a ml:MemeGraph }", "--json")
    rows = json.loads(done.out)["rows"]
    assert len(rows) == 4
    assert rows[0][0]["kind"] == "iri"


@pytest.mark.parametrize(("to", "name"), [("ttl", "all.ttl"), ("nquads", "all.nq")])
def test_export_writes_what_is_read_again(here, command, tmp_path, to, name) -> None:
    done = command("knowledge", "export", tmp_path / name, "--to", to)
    assert done.status == 0, done.err
    count = len(set(pyoxigraph.parse(path=str(tmp_path / name))))
    assert f"{count:,} statements of RDF" in done.out


def test_graphs_of_a_real_run_meet_the_shapes(here, command) -> None:
    done = command("knowledge", "check")
    assert (done.status, done.out) == (0, "4 graphs checked, 0 violations\n"), done.err


def test_versions_are_compared(here, command, tmp_path) -> None:
    done = command("knowledge", "compare", "--langs", "de,en", "--out", tmp_path)
    assert done.status == 0, done.err
    assert "2 memes compared by statements in en (ngrams-3-1); 0 in one version only" in done.out
    assert "100.0%" in done.out
    assert "Statements, those without a counterpart first" in (tmp_path / "report.html").read_text()


def test_pages_are_written_with_the_captions(here, command, tmp_path) -> None:
    done = command("knowledge", "page", tmp_path / "pages")
    assert done.status == 0, done.err
    assert "index.html: 4 memes" in done.out
    assert "4 pages have no picture" in done.err
    index = (tmp_path / "pages/index.html").read_text("utf-8")
    assert index.count("<li>") == index.count("class=about") == 4


def test_pages_have_the_pictures_that_were_rendered(here, tmp_path) -> None:
    with Workspace.open(here) as workspace:
        workspace.render(tmp_path / "out", ["en", "de"])
        result = workspace.knowledge.pages(tmp_path / "pages", pictures=tmp_path / "out")
    assert (result.memes, result.without_picture) == (4, 0)
    assert len(list((tmp_path / "pages/pictures").glob("*.jpg"))) == 4


def test_graphs_are_there_for_python(here) -> None:
    with Workspace.open(here) as workspace:
        store = workspace.knowledge.graph()
        assert len(list(store.named_graphs())) == 4
        assert len(workspace.knowledge.rdflib()) == len({quad.triple for quad in store})


def test_query_without_extraction_is_a_sentence(command, tmp_path, monkeypatch) -> None:
    workspace_of(tmp_path, [], memes=1).close()
    monkeypatch.chdir(tmp_path / "work")
    done = command("knowledge", "query", STATEMENTS)
    assert (done.status, "Nothing was extracted yet" in done.err) == (1, True)
