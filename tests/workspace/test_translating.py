"""Two programs that translate at once, and what is booked of a run."""

from __future__ import annotations

import json
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from memeloc.items import FoundPicture, Origin
from memeloc.model import Caption
from memeloc.translate import RunSummary
from memeloc.workspace import Workspace
from tests.chat_server import ChatServer, right
from tests.store.test_collected import picture

MEMES = 50


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


def _translate(folder: Path, chat: ChatServer, **more: Any) -> RunSummary:
    budget = more.pop("budget", None)
    with Workspace.open(folder) as workspace:
        options = _settings(chat) | more
        job = workspace.translating.prepare(translator="openai", options=options, budget=budget)
        return job.run()


def _asked(chat: ChatServer) -> Counter[str]:
    questions = (json.loads(body["messages"][1]["content"]) for body in chat.bodies)
    return Counter(part["text"] for question in questions for part in question["caption"])


@pytest.mark.parametrize("again", ["", "openai"])
def test_threads_of_one_program_pay_once(folder: Path, chat: ChatServer, again: str) -> None:
    if again:
        _translate(folder, chat)
        chat.bodies.clear()
        chat.say = lambda number, body: right(body).replace("CAPTION", "TITEL")
    failures: list[BaseException] = []
    ready = threading.Barrier(3)  # all have found everything to do before one begins
    waited: list[int] = []
    elsewhere: list[int] = []

    def translate() -> None:
        try:
            with Workspace.open(folder) as workspace:
                job = workspace.translating.prepare(
                    translator="openai", options=_settings(chat), again=again
                )
                ready.wait()
                elsewhere.append(job.run(on_wait=waited.append).elsewhere)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=translate) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert waited == [MEMES, MEMES]  # each that waited said so once
    assert sorted(elsewhere) == [0, MEMES, MEMES]
    assert set(_asked(chat).values()) == {1}


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
                source_id = captions.current("en")["m7"].id
                text = Caption(("Titel",))
                captions.add_translation("m7", "de", text, source_id=source_id, translator="other")
        return right(body)

    chat.say = say
    summary = _translate(folder, chat)
    with Workspace.open(folder) as workspace:
        failures, history = workspace.table("failures"), workspace.table("history")
        assert workspace.store.captions.current("de")["m7"].parts == ("Titel",)
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


def test_a_budget_is_used_up_by_the_sizes_of_answers(folder: Path, chat: ChatServer) -> None:
    """By the most that each could cost, 0.10 would send one caption."""
    prices = {"price_in": 5.0, "price_out": 25.0, "asks": 2}
    summary = _translate(folder, chat, budget=0.1, **prices)
    each = (200 * 5 + 50 * 25) / 1e6
    assert summary.over_budget
    assert 0.1 - 2 * each < summary.cost <= 0.1 + 4 * each
    assert summary.cost == pytest.approx(len(chat.bodies) * each)
    with Workspace.open(folder) as workspace:
        assert workspace.table("history")["cost"].sum() == pytest.approx(summary.cost)


def test_a_model_sees_what_a_corrector_sees(folder: Path, chat: ChatServer) -> None:
    terms = "term,de\ncaption,Titel*\n"
    (folder / "terms.csv").write_text(terms, encoding="utf-8")
    (folder / "house.md").write_text("Write {as} we do.", encoding="utf-8")
    settings = (folder / "memeloc.toml").read_text("utf-8").partition("\n[translate]")[0]
    settings = settings.replace('glossary = ""', 'glossary = "terms.csv"')
    table = '\n[translate]\ninstructions = "house.md"\n[translate.openai]\npictures = true\n'
    (folder / "memeloc.toml").write_text(settings + table, encoding="utf-8")
    rows = "meme_id,template,en,de\nold,cloud-monday,caption 0 too,auch Titel 0\n"
    (folder / "old.csv").write_text(rows, encoding="utf-8")
    with Workspace.open(folder) as workspace:
        workspace.captions.import_table(folder / "old.csv")
    _translate(folder, chat)
    (messages,) = [
        body["messages"] for body in chat.bodies if '"caption 0"' in str(body["messages"][1])
    ]
    system, user = messages
    assert system["content"].endswith("Write {as} we do.")
    text, shown = user["content"]
    assert shown["image_url"]["url"].startswith("data:image/jpeg;base64,")
    question = json.loads(text["text"])
    assert question["examples"] == [{"source": ["caption 0 too"], "translation": ["auch Titel 0"]}]
    assert question["glossary"] == [{"term": "caption", "use": "Titel"}]
    with Workspace.open(folder) as workspace:
        history = workspace.table("history")
    of_this = history[(history["meme_id"] == "m0") & (history["stage"] == "translated")]
    made = json.loads(of_this["provenance"].iloc[0])
    assert made["examples"] == "1"
    assert {name: len(made[name]) for name in ("glossary", "instructions", "picture")} == {
        "glossary": 64, "instructions": 64, "picture": 64
    }  # fmt: skip
    chat.bodies.clear()
    off = {"pictures": False, "examples": 0, "glossary": False, "instructions": ""}
    with Workspace.open(folder) as workspace:
        job = workspace.translating.prepare(
            translator="openai", options=_settings(chat) | off, again="openai"
        )
        job.run()
    (plain,) = {body["messages"][0]["content"] for body in chat.bodies}
    assert plain.endswith("with exactly 1 text(s).")
    assert {"examples", "glossary"}.isdisjoint(json.loads(chat.bodies[0]["messages"][1]["content"]))


def test_a_model_sees_the_picture_of_a_collected_meme(folder: Path, chat: ChatServer) -> None:
    with Workspace.open(folder) as workspace:
        workspace.store.items.add([FoundPicture(Origin("shop", "a"), picture("blue"), "a")])
        (item,) = workspace.store.items.find("picture")
        rows = f"meme_id,template,en\n{item.id},not-there,tea is ready\n"
        (folder / "collected.csv").write_text(rows, encoding="utf-8")
        workspace.captions.import_table(folder / "collected.csv")
    _translate(folder, chat, pictures=True)
    (content,) = [
        body["messages"][1]["content"] for body in chat.bodies if "tea is ready" in str(body)
    ]
    assert content[1]["image_url"]["url"].startswith("data:image/")
