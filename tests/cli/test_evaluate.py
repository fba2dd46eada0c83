"""`memeloc evaluate RUN`, against a local server, with and without a workspace."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memeloc.workspace import Workspace
from tests.chat_server import ChatServer, serve_chat
from tests.conftest import Outcome
from tests.evaluate.runs.small_dataset import checkout, texts_of

Command = Callable[..., Outcome]


@pytest.fixture
def chat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    monkeypatch.chdir(tmp_path)
    with serve_chat() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_MODEL", "tiny")
        server.say = lambda number, body: "a"
        yield server


def test_a_dry_run_counts_and_sends_nothing(
    tmp_path: Path, chat: ChatServer, command: Command
) -> None:
    data = checkout(tmp_path / "set")
    outcome = command("evaluate", "multi3hate", "--data", str(data), "--langs", "en,hi",
        "--only", "english,native", "--dry-run", "--json")  # fmt: skip
    plan = json.loads(outcome.out)
    # English: picture and both in two languages; native: Hindi alone is new.
    assert plan["models"][0]["questions"] == (4 + 1) * 3 * 6
    assert not chat.bodies


def test_a_run_without_a_workspace(tmp_path: Path, chat: ChatServer, command: Command) -> None:
    table = tmp_path / "memes.csv"
    table.write_text("id,text,language\n1,tea,en\n2,rain,en\n")
    outcome = command("evaluate", "multi3hate", "--data", str(table), "--inputs", "text",
        "--model", "small", "--out", "results", "--json")  # fmt: skip
    result = json.loads(outcome.out)
    assert (result["answered"], result["page"]) == (12, None)
    assert {body["model"] for body in chat.bodies} == {"small"}
    assert (tmp_path / "results" / "answers.parquet").is_file()


def test_a_run_on_the_workspaces_own_memes(
    tmp_path: Path, chat: ChatServer, command: Command
) -> None:
    Workspace.create(tmp_path, languages=["de"]).close()
    (tmp_path / "captions.csv").write_text(
        "meme_id,template,en,de\nm1,cloud-monday,Tea,Tee\nm2,long-train,Rain,Regen\n"
    )
    command("import", "captions.csv")
    arguments = ("evaluate", "multi3hate", "--inputs", "text", "--langs", "de", "--json")
    assert json.loads(command(*arguments).out)["answered"] == 12
    assert any("Regen" in texts_of(body) for body in chat.bodies)
    again = json.loads(command(*arguments).out)
    assert (again["cached"], again["requests"]) == (12, 0)


def test_no_dataset_is_a_sentence(chat: ChatServer, command: Command) -> None:
    outcome = command("evaluate", "multi3hate")
    assert outcome.status == 1
    assert "--data" in outcome.err
