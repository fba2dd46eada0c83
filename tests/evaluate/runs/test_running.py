"""A run against a server: what is sent, asked again, kept, counted and written."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from memeloc.evaluate.runs.asking import OpenRun
from memeloc.evaluate.runs.dataset import RunData, read_table_data
from memeloc.evaluate.runs.run import Run, read_run
from tests.chat_server import ChatServer
from tests.evaluate.runs.small_dataset import checkout, texts_of

ENGLISH = [{"name": "english", "inputs": ["both"], "prompt_languages": ["en"]}]


def _opened(folder: Path, *, gold: bool = False, **changes: Any) -> tuple[Run, RunData]:
    languages = {"languages": changes.pop("languages", ["en"])}
    run, _ = read_run("multi3hate", {"dataset": languages, "condition": ENGLISH, **changes})
    data = read_table_data(run, checkout(folder))
    return run, data if gold else replace(data, gold=None)  # without it no page is drawn


def test_six_prompts_are_sent_as_text_picture_text(
    tmp_path: Path, chat: ChatServer, sources: dict[str, Any]
) -> None:
    run, data = _opened(tmp_path / "set")
    result = OpenRun(run, data, tmp_path / "out", **sources).ask()
    assert (result["questions"], result["answered"], result["requests"]) == (18, 18, 18)
    body = chat.bodies[0]
    assert "response_format" not in body
    assert (body["temperature"], body["max_tokens"], len(body["messages"])) == (0, 40, 1)
    before, picture, after = body["messages"][0]["content"]
    assert before["text"].startswith("Hate speech is")
    assert before["text"].endswith("\nMeme: ")
    assert picture["type"] == "image_url"
    assert "Text in the meme: 'tea // again'" in after["text"]
    orders = Counter(texts_of(each).endswith("a: Hate\nb: Non-hate\n") for each in chat.bodies)
    assert orders == {True: 9, False: 9}


def test_an_invalid_answer_is_asked_again_with_a_reminder(
    tmp_path: Path, chat: ChatServer, sources: dict[str, Any]
) -> None:
    chat.say = lambda number, body: "b" if len(body["messages"]) == 5 else "tea, please"
    run, data = _opened(tmp_path / "set", reasks=5)
    result = OpenRun(run, data, tmp_path / "out", **sources).ask()
    assert (result["invalid"], result["reasked"], result["requests"]) == (0, 36, 54)
    roles = [message["role"] for message in chat.bodies[-1]["messages"]]
    assert roles == ["user", "assistant", "user", "assistant", "user"]
    assert chat.bodies[-1]["messages"][1]["content"] == "tea, please"
    assert "one letter only: a, b." in chat.bodies[-1]["messages"][2]["content"]
    assert result["answers"] is not None
    table = pd.read_parquet(result["answers"])
    assert set(table["asks"]) == {3}
    assert set(table["first_answer"]) == {"tea, please"}


def test_araharmeme_leaves_out_what_is_missing(
    tmp_path: Path, chat: ChatServer, sources: dict[str, Any]
) -> None:
    table = tmp_path / "memes.csv"
    table.write_text("id,text,picture,label\n1,شاي,1.jpg,2\n2,,1.jpg,1\n", encoding="utf-8")
    (checkout(tmp_path / "set") / "data/memes/en/7.jpg").rename(tmp_path / "1.jpg")
    chat.say = lambda number, body: "2\nIt is about tea."
    run, _ = read_run("araharmeme")
    data = replace(read_table_data(run, table), gold=None)
    result = OpenRun(run, data, tmp_path / "out", **sources).ask()
    assert (result["questions"], result["answered"]) == (5, 5)
    assert any("1 item without text left out" in note for note in result["notes"])
    shown = ["Extracted text: شاي" in texts_of(body) for body in chat.bodies]
    assert sum(shown) == 2
    assert all(texts_of(body).endswith("<class_number>\n<explanation>") for body in chat.bodies)


def test_reasons_of_a_model_have_tokens_of_their_own(
    tmp_path: Path, chat: ChatServer, sources: dict[str, Any]
) -> None:
    chat.say = lambda number, body: "It is only about tea.\nb"
    models = [{"model": "thinker", "reasoning": "before"}, {"model": "quick"}]
    run, data = _opened(tmp_path / "set", model=models, wordings=[1], orders=[0])
    result = OpenRun(run, data, tmp_path / "out", **sources).ask()
    asked = {body["model"]: (body["max_tokens"], texts_of(body)) for body in chat.bodies}
    assert (asked["thinker"][0], asked["quick"][0]) == (440, 40)
    assert "First give your reasons" in asked["thinker"][1]
    assert "reasons" not in asked["quick"][1]
    assert result["answers"] is not None
    table = pd.read_parquet(result["answers"])
    assert set(table["choice"]) == {"Non-hate"}
    assert set(table["explanation"]) == {"It is only about tea"}
    assert table.attrs["Dataset"] == "set"
    assert table.attrs["Sent"] == "temperature 0.0, seed 0"


def test_new_runs_are_answered_in_json(
    tmp_path: Path, chat: ChatServer, sources: dict[str, Any]
) -> None:
    """By a schema of the options' letters; what does not fit it is asked again."""
    answers = ['{"answer": "c"}', '{"answer": "a", "explanation": "It is rude."}', "I cannot help."]
    chat.say = lambda number, body: answers[(number - 1) % 3]
    run, data = _opened(tmp_path / "set", parser="json", reasks=1, reasoning="after",
        source="", wordings=[1], orders=[1])  # fmt: skip
    result = OpenRun(run, data, tmp_path / "out", **{**sources, "defaults": {
        **sources["defaults"], "at_once": 1}}).ask()  # fmt: skip
    schema = chat.bodies[0]["response_format"]["json_schema"]["schema"]
    assert list(schema["properties"]) == ["answer", "explanation"]
    assert schema["properties"]["answer"]["enum"] == ["a", "b"]
    assert (result["answered"], result["invalid"], result["refused"]) == (3, 1, 0)
    table = pd.read_parquet(result["answers"])
    assert table["rule"].tolist() == ["json", "not as the schema has it", "json"]
    assert table["choice"].tolist() == ["Non-hate", "", "Non-hate"]
    assert table["explanation"][0] == "It is rude."
    assert table["asks"].tolist() == [2, 2, 1]
