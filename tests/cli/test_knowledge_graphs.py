"""`memeloc knowledge export`, `query` and `check`, and what they do in Python."""

from __future__ import annotations

from pathlib import Path

import pytest

from memeloc.workspace import Workspace
from memeloc.workspace.knowledge import KnowledgeSettings
from tests.chat_server import serve_chat
from tests.workspace.knowledge.answering import right
from tests.workspace.teams import workspace_of

# What rdflib itself still uses of its older names.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:rdflib")


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


def test_nothing_of_the_working_directory_is_run(here, command) -> None:
    (here / "json.py").write_text("raise SystemExit('this is not to be run')")
    done = command("knowledge", "query", "ASK { ?s a ml:Statement }")
    (here / "json.py").unlink()
    assert (done.status, "true" in done.out) == (0, True), done.err
