"""`memeloc filter` with a language model: what it costs, what is asked once, and what is kept."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from memeloc.curate.review.judgement import Judgement
from memeloc.items import FoundCaption, FoundTemplate, Origin
from memeloc.store.records import FileRecord
from memeloc.workspace import Workspace
from tests.chat_server import ChatServer, serve_chat
from tests.conftest import Outcome
from tests.curate.judging import texts

Command = Callable[..., Outcome]
TEXTS = ("drink this", "drink vinegar", "look at this", "pears are sweet")


def _answer(number: int, body: dict[str, Any]) -> str:
    """Sour is "drink" beside a lemon, and "vinegar" alone; every picture is a photograph."""
    if isinstance(body["messages"][1]["content"], list):
        return '{"shows": "lemons", "cartoon": "no"}'
    shown = texts(body)
    lemon = "drink" in shown["text"] and "emon" in shown.get("picture", "")
    return json.dumps({"why": "taste", "hateful": lemon or "vinegar" in shown["text"]})


@pytest.fixture
def chat(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    for name in ("OPENAI_API_KEY", "OPENAI_MODEL"):
        monkeypatch.delenv(name, raising=False)
    with serve_chat() as server:
        server.say = _answer
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        yield server


@pytest.fixture
def folder(tmp_path: Path, chat: ChatServer, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace of one template that two people described, and four captions."""
    picture = io.BytesIO()
    Image.new("RGB", (400, 300), "yellow").save(picture, "PNG")
    result: list[FoundTemplate | FoundCaption] = [
        FoundTemplate(Origin("test", "lemons"), "Lemons", picture.getvalue())
    ]
    result += [FoundCaption(Origin("test", text), "lemons", (text, "")) for text in TEXTS]
    root = tmp_path / "ws"
    with Workspace.create(root, languages=["de"]) as workspace:
        workspace.store.items.add(result)
        (template,) = workspace.store.items.find("template")
        answer = [
            Judgement(template.id, "description", who, f"A lemon, says {who}.", row=row)
            for row, who in enumerate(("ana", "ben"), 2)
        ]
        workspace.store.curation.add_judgements(
            FileRecord("judgements", "d.csv", "0" * 64, 2), answer
        )
    settings = root / "memeloc.toml"
    table = "[language_model]\nmodel = 'tiny'\nprice_in = 1.0\nprice_out = 1.0\n"
    settings.write_text(settings.read_text().replace("[language_model]\n", table))
    monkeypatch.chdir(root)
    return root


def test_a_dry_run_then_a_run_then_nothing_left_to_ask(
    folder: Path, chat: ChatServer, command: Command
) -> None:
    planned = command("filter", "multimodality", "--dry-run", "--json")
    assert planned.status == 0, planned.err
    (plan,) = json.loads(planned.out)["filters"]
    assert plan["model"]["questions"] == 12
    assert not chat.bodies
    done = command("filter", "multimodality")
    assert done.status == 0, done.err
    assert "12 answered" in done.err + done.out
    assert len(chat.bodies) == 12
    with Workspace.find() as workspace:
        parts = {item.id: item.parts[0] for item in workspace.store.items.find("caption")}
        verdicts = workspace.store.curation.verdicts("multimodality")
    got = {parts[item]: entry["multimodality"] for item, entry in verdicts.items()}
    assert {text: entry.verdict for text, entry in got.items()} == {
        "drink this": "keep", "drink vinegar": "drop",
        "look at this": "drop", "pears are sweet": "drop",
    }  # fmt: skip
    assert [vote["hateful"] for vote in got["drink this"].evidence["votes"]] == [False, True, True]
    command("filter", "multimodality")
    again = command("filter", "multimodality", "--again")  # judged anew, from the cache
    assert again.status == 0, again.err
    assert len(chat.bodies) == 12


def test_a_larger_budget_goes_on_where_one_ended(
    folder: Path, chat: ChatServer, command: Command
) -> None:
    small = command("filter", "multimodality", "--budget", "0.004")
    assert small.status == 1
    assert "budget of 0.004" in small.err
    asked = len(chat.bodies)
    assert 0 < asked < 12
    assert asked * 250 / 1e6 <= 0.004
    assert command("filter", "multimodality", "--budget", "1").status == 0
    assert len(chat.bodies) == 12


def test_a_model_named_on_the_command_line_looks_at_pictures(
    folder: Path, chat: ChatServer, command: Command
) -> None:
    seen = command("filter", "cartoon", "--model", "eyes", "--json")
    assert seen.status == 0, seen.err
    (body,) = chat.bodies
    assert body["model"] == "eyes"
    with Workspace.find() as workspace:
        ((verdict,),) = (
            tuple(entry.values()) for entry in workspace.store.curation.verdicts("cartoon").values()
        )
    assert (verdict.verdict, verdict.evidence["shows"]) == ("keep", "lemons")


def test_wordplay_waits_for_people_with_hints(
    folder: Path, chat: ChatServer, command: Command
) -> None:
    assert command("filter", "wordplay").status == 0
    assert not chat.bodies
    with Workspace.find() as workspace:
        verdicts = [
            entry["wordplay"] for entry in workspace.store.curation.verdicts("wordplay").values()
        ]
    assert [entry.verdict for entry in verdicts] == ["ask"] * len(TEXTS)
    assert all("hints" in entry.evidence for entry in verdicts)
