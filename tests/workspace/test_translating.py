"""Two programs that translate at once, and what is booked of a run."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memeloc.errors import MemelocError
from memeloc.model import Caption
from memeloc.translate import RunSummary
from memeloc.workspace import Workspace, claiming
from tests.chat_server import ChatServer, right, serve_chat

MEMES = 50


@pytest.fixture
def chat(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with serve_chat() as server:
        yield server


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A workspace with captions, of which every tenth has the text of the one before."""
    table = tmp_path / "captions.csv"
    texts = [f"caption {n - (n % 10 == 9)}" for n in range(MEMES)]
    rows = [f"m{n},cloud-monday,{text}\n" for n, text in enumerate(texts)]
    table.write_text("meme_id,template,en\n" + "".join(rows), encoding="utf-8")
    with Workspace.create(tmp_path / "memes", languages=["de"]) as workspace:
        workspace.captions.import_table(table)
    return tmp_path / "memes"


def _settings(chat: ChatServer) -> dict[str, Any]:
    return {"base_url": chat.url, "model": "tiny", "price_in": 1000.0, "asks": 1}


def _translate(folder: Path, chat: ChatServer) -> RunSummary:
    with Workspace.open(folder) as workspace:
        job = workspace.translating.prepare(translator="openai", options=_settings(chat))
        return job.run()


def _asked(chat: ChatServer) -> Counter[str]:
    questions = (json.loads(body["messages"][1]["content"]) for body in chat.bodies)
    return Counter(part["text"] for question in questions for part in question["caption"])


_TRANSLATE = """
import sys, json
from memeloc.workspace import Workspace
folder, options = sys.argv[1:]
with Workspace.open(folder) as workspace:
    job = workspace.translating.prepare(translator="openai", options=json.loads(options))
    print("ready", flush=True)
    sys.stdin.readline()
    print(job.run().elsewhere)
"""


@pytest.mark.slow
def test_two_programs_pay_once(folder: Path, chat: ChatServer) -> None:
    command = [sys.executable, "-c", _TRANSLATE, str(folder), json.dumps(_settings(chat))]
    programs = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    for program in programs:
        assert program.stdout is not None
        assert program.stdout.readline() == "ready\n"
    for program in programs:  # both have found everything to do before either begins
        assert program.stdin is not None
        program.stdin.write("\n")
        program.stdin.flush()
    elsewhere = [int(program.communicate(timeout=120)[0]) for program in programs]
    assert [program.returncode for program in programs] == [0, 0]
    assert set(_asked(chat).values()) == {1}
    assert len(chat.bodies) == MEMES - MEMES // 10
    assert sum(elsewhere) == MEMES
    with Workspace.open(folder) as workspace:
        history = workspace.table("history")
        assert not workspace.store.translations.tokens()
    translated = history[history["stage"] == "translated"]
    assert len(translated) == MEMES
    assert not translated.duplicated(["meme_id", "language"]).any()


def test_threads_of_one_program_pay_once(folder: Path, chat: ChatServer) -> None:
    failures: list[BaseException] = []

    def translate() -> None:
        try:
            _translate(folder, chat)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=translate) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert set(_asked(chat).values()) == {1}


def test_claims_of_a_killed_program_lapse(
    folder: Path, chat: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys: dict[tuple[str, str], int | None] = {(f"m{n}", "de"): None for n in range(40)}
    with Workspace.open(folder) as workspace:
        translations = workspace.store.translations
        states = translations.claim(keys, "elsewhere:1:a", 0.5)
        assert set(states.values()) == {"claimed"}
        assert set(translations.claim(keys, "elsewhere:2:b", 9).values()) == {"held"}
        gone = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"],
                              capture_output=True, text=True, check=True)  # fmt: skip
        token = f"{claiming._machine()}:{int(gone.stdout)}:c"
        translations.claim({("m49", "de"): None}, token, 3600)
    summary = _translate(folder, chat)
    assert summary.translated + summary.repeated == MEMES
    assert summary.elsewhere == summary.left == 0


def test_a_failure_that_was_billed_is_booked(folder: Path, chat: ChatServer) -> None:
    chat.say = lambda number, body: (
        "no" if '"caption 7"' in body["messages"][1]["content"] else right(body)
    )
    summary = _translate(folder, chat)
    with Workspace.open(folder) as workspace:
        failures, history = workspace.table("failures"), workspace.table("history")
    assert set(failures["meme_id"]) == {"m7"}
    assert failures["cost"].tolist() == [0.2]
    assert set(failures["currency"]) == {"USD"}
    assert failures["message"].str.contains("wrongly once: it is not JSON").all()
    assert summary.cost == pytest.approx(failures["cost"].sum() + history["cost"].sum())
    assert summary.cost == pytest.approx(len(chat.bodies) * 0.2)


def test_an_answer_that_comes_too_late_is_booked(folder: Path, chat: ChatServer) -> None:
    def say(number: int, body: dict[str, Any]) -> str:
        if '"caption 7"' in body["messages"][1]["content"]:
            with Workspace.open(folder) as other:
                captions = other.store.captions
                source_id = captions.current("en", ["m7"])["m7"].id
                text = Caption(("Titel",))
                captions.add_translation("m7", "de", text, source_id=source_id, translator="other")
        return right(body)

    chat.say = say
    summary = _translate(folder, chat)
    with Workspace.open(folder) as workspace:
        failures, history = workspace.table("failures"), workspace.table("history")
        assert workspace.store.captions.current("de", ["m7"])["m7"].parts == ("Titel",)
    assert failures["meme_id"].tolist() == ["m7"]
    assert failures["message"].str.contains("meanwhile").all()
    assert summary.cost == pytest.approx(failures["cost"].sum() + history["cost"].sum())


def test_a_version_says_what_made_it(folder: Path, chat: ChatServer) -> None:
    _translate(folder, chat)
    with Workspace.open(folder) as workspace:
        history = workspace.table("history")
    made = history[history["stage"] == "translated"]["provenance"].map(json.loads)
    assert {each["model"] for each in made} == {"tiny-2026"}
    assert {len(each["prompt"]) for each in made} == {64}
    assert history[history["stage"] == "imported"]["provenance"].isna().all()


def test_an_error_of_storing_gives_the_claims_back(
    folder: Path, chat: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Workspace.open(folder) as workspace:
        job = workspace.translating.prepare(translator="openai", options=_settings(chat))

        def full(*_: object, **__: object) -> None:
            raise MemelocError("The disk is full.")

        monkeypatch.setattr(workspace.store.captions, "add_translation", full)
        assert str(job.run().stopped) == "The disk is full."
        assert not workspace.store.translations.tokens()
