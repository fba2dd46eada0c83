"""A run against a server: what is sent, asked again, kept, counted and written."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from memeloc.errors import InputError
from memeloc.evaluate.runs.evaluating import Sources, evaluate_run, plan_run
from memeloc.evaluate.runs.items import RunData
from memeloc.evaluate.runs.run import Run, read_run
from memeloc.evaluate.runs.tables import read_table_data
from tests.chat_server import ChatServer, error
from tests.evaluate.runs.small_dataset import checkout, marker_of, texts_of

ENGLISH = [{"name": "english", "inputs": ["both"], "prompt_languages": ["en"]}]


def _opened(folder: Path, *, gold: bool = False, **changes: Any) -> tuple[Run, RunData]:
    languages = {"languages": changes.pop("languages", ["en"])}
    run, _ = read_run("multi3hate", {"dataset": languages, "condition": ENGLISH, **changes})
    data = read_table_data(run, checkout(folder))
    return run, data if gold else replace(data, gold=None)  # without it no page is drawn


def test_six_prompts_are_sent_as_text_picture_text(
    tmp_path: Path, chat: ChatServer, sources: Sources
) -> None:
    run, data = _opened(tmp_path / "set")
    result = evaluate_run(run, data, tmp_path / "out", sources)
    assert (result.questions, result.answered, result.requests) == (18, 18, 18)
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


def test_answers_are_read_in_the_order_that_was_shown(
    tmp_path: Path, chat: ChatServer, sources: Sources
) -> None:
    chat.say = lambda number, body: marker_of(body, "Hate")
    run, data = _opened(tmp_path / "set", gold=True)
    result = evaluate_run(run, data, tmp_path / "out", sources)
    assert result.answers is not None
    table = pd.read_parquet(result.answers)
    assert set(table["choice"]) == {"Hate"}
    assert (table["position"] == table["order"] + 1).all()
    assert set(table["wording"]) == {1, 2, 3}
    assert set(table["served_model"]) == {"tiny-2026"}
    assert table["prompt_sha256"].nunique() == 18
    assert result.page is not None
    assert result.page.is_file()
    assert json.loads((tmp_path / "out/run.json").read_text())["run"]["name"] == "multi3hate"


def test_native_prompts_have_names_and_letters_of_their_own(
    tmp_path: Path, chat: ChatServer, sources: Sources
) -> None:
    answers = {"घृणा नहीं": "ख", "Kein Hass": "b"}
    chat.say = lambda number, body: next(
        marker_of(body, name) for name in answers if name in texts_of(body)
    )
    native = [{"name": "native", "inputs": ["text"], "prompt_languages": ["native"]}]
    run, data = _opened(tmp_path / "set", languages=["de", "hi"], condition=native)
    result = evaluate_run(run, data, tmp_path / "out", sources)
    assert (result.answered, result.invalid) == (36, 0)
    assert result.answers is not None
    table = pd.read_parquet(result.answers)
    assert set(table["choice"]) == {"Non-hate"}
    assert set(table["prompt_language"]) == {"de", "hi"}
    assert all(isinstance(body["messages"][0]["content"], str) for body in chat.bodies)


def test_a_country_prompt_names_the_one_of_the_language(
    tmp_path: Path, chat: ChatServer, sources: Sources
) -> None:
    country = [{"name": "country", "inputs": ["text"], "country": True}]
    run, data = _opened(tmp_path / "set", languages=["hi"], condition=country)
    result = evaluate_run(run, data, tmp_path / "out", sources)
    assert all("India" in texts_of(body) for body in chat.bodies)
    assert result.answers is not None
    assert set(pd.read_parquet(result.answers)["country"]) == {"IN"}


def test_a_question_of_two_conditions_is_asked_once(tmp_path: Path, sources: Sources) -> None:
    both = [*ENGLISH, {"name": "native", "inputs": ["both"], "prompt_languages": ["native"]}]
    run, data = _opened(tmp_path / "set", languages=["en", "de"], condition=both)
    plan = plan_run(run, data, sources)
    assert plan.models[0].questions == 18 + 18 + 18


def test_the_same_run_again_pays_for_nothing(
    tmp_path: Path, chat: ChatServer, sources: Sources
) -> None:
    chat.say = lambda number, body: "tea" if number % 3 else "a"
    run, data = _opened(tmp_path / "set", reasks=1)
    first = evaluate_run(run, data, tmp_path / "out", sources)
    sent = len(chat.bodies)
    again = evaluate_run(run, data, tmp_path / "out", sources)
    assert len(chat.bodies) == sent == first.requests
    assert (again.requests, again.cached, again.reasked) == (0, 18, first.reasked)


def test_an_invalid_answer_is_asked_again_with_a_reminder(
    tmp_path: Path, chat: ChatServer, sources: Sources
) -> None:
    chat.say = lambda number, body: "b" if len(body["messages"]) == 5 else "tea, please"
    run, data = _opened(tmp_path / "set", reasks=5)
    result = evaluate_run(run, data, tmp_path / "out", sources)
    assert (result.invalid, result.reasked, result.requests) == (0, 36, 54)
    roles = [message["role"] for message in chat.bodies[-1]["messages"]]
    assert roles == ["user", "assistant", "user", "assistant", "user"]
    assert chat.bodies[-1]["messages"][1]["content"] == "tea, please"
    assert "one letter only: a, b." in chat.bodies[-1]["messages"][2]["content"]
    assert result.answers is not None
    table = pd.read_parquet(result.answers)
    assert set(table["asks"]) == {3}
    assert set(table["first_answer"]) == {"tea, please"}


def test_what_stays_invalid_is_kept_after_five_times(
    tmp_path: Path, chat: ChatServer, sources: Sources
) -> None:
    chat.say = lambda number, body: ""
    run, data = _opened(tmp_path / "set", reasks=5, wordings=[1], orders=[0])
    result = evaluate_run(run, data, tmp_path / "out", sources)
    assert (result.answered, result.invalid, result.requests) == (3, 3, 18)


def test_multi3hate_asks_nothing_again(tmp_path: Path, chat: ChatServer, sources: Sources) -> None:
    chat.say = lambda number, body: "perhaps"
    run, data = _opened(tmp_path / "set")
    result = evaluate_run(run, data, tmp_path / "out", sources)
    assert (result.invalid, result.requests, result.reasked) == (18, 18, 0)


def test_a_refusal_by_field_is_an_answer(
    tmp_path: Path, chat: ChatServer, sources: Sources
) -> None:
    chat.say = lambda number, body: {"role": "assistant", "content": None, "refusal": "No."}
    run, data = _opened(tmp_path / "set", wordings=[1], orders=[0])
    result = evaluate_run(run, data, tmp_path / "out", sources)
    assert (result.answered, result.refused, result.invalid) == (3, 3, 3)


def test_a_dry_run_sends_nothing_and_bounds_the_cost(
    tmp_path: Path, chat: ChatServer, sources: Sources
) -> None:
    run, data = _opened(tmp_path / "set", reasks=2)
    priced = replace(sources, defaults={**sources.defaults, "price_in": 1.0, "price_out": 2.0})
    plan = plan_run(run, data, priced)
    assert not chat.bodies
    assert plan.models[0].questions == 18
    assert plan.most > 3 * plan.models[0].most > 0


def test_a_budget_ends_the_run_with_a_sentence(
    tmp_path: Path, chat: ChatServer, sources: Sources
) -> None:
    defaults = {**sources.defaults, "price_in": 100.0, "price_out": 100.0, "picture_tokens": 10}
    run, data = _opened(tmp_path / "set")
    poor = replace(sources, defaults=defaults, budget=0.3)
    result = evaluate_run(run, data, tmp_path / "out", poor)
    assert result.over_budget
    assert "budget" in result.stopped
    assert 0 < result.answered < 18
    assert result.page is None
    assert not (tmp_path / "out/answers.parquet").exists()
    rich = replace(sources, defaults=defaults)
    assert evaluate_run(run, data, tmp_path / "out", rich).cached == result.answered
    assert len(chat.bodies) == 18


def test_a_question_without_an_answer_is_listed(
    tmp_path: Path, chat: ChatServer, sources: Sources
) -> None:
    chat.refuse = lambda number, body: (
        error(400, "too many tokens") if "'a cat at work'" in texts_of(body) else None
    )
    run, data = _opened(tmp_path / "set", wordings=[1], orders=[0])
    result = evaluate_run(run, data, tmp_path / "out", sources)
    assert result.answered == 2
    assert result.failures[0].startswith("12 in en: ")


def test_a_text_only_model_is_asked_about_texts(
    tmp_path: Path, chat: ChatServer, sources: Sources
) -> None:
    models = [{"model": "tiny", "inputs": ["text"], "base_url": chat.url, "name": "Tiny"}]
    conditions = [{"name": "inputs", "inputs": ["picture", "text", "both"]}]
    run, data = _opened(tmp_path / "set", model=models, condition=conditions)
    result = evaluate_run(run, data, tmp_path / "out", sources)
    assert result.answers is not None
    table = pd.read_parquet(result.answers)
    assert (set(table["input"]), set(table["model"])) == ({"text"}, {"Tiny"})


def test_nothing_to_ask_is_a_sentence(tmp_path: Path, sources: Sources) -> None:
    run, _ = read_run("multi3hate", {"dataset": {"languages": ["en"]}, "condition": ENGLISH})
    data = read_table_data(run, checkout(tmp_path / "set", pictures=False))
    with pytest.raises(InputError, match="3 items without picture"):
        evaluate_run(run, data, tmp_path / "out", sources)


def test_multiple_choice_is_asked_with_its_own_options(
    tmp_path: Path, chat: ChatServer, sources: Sources
) -> None:
    table = tmp_path / "questions.csv"
    table.write_text(
        "meme,dimension,question,text,A,B,C,D,correct\n"
        "7,Toxicity,Is it kind?,tea,Yes,No,Perhaps,None of the others,A\n"
        "7,Scene,Where is it?,tea,Home,Office,Sea,None of the others,B\n"
    )
    chat.say = lambda number, body: "B. The desk." if "Office" in texts_of(body) else "D"
    condition = [{"name": "questions", "inputs": ["text"], "prompt_languages": ["native"]}]
    run, _ = read_run("multiple-choice", {"condition": condition})
    data = replace(read_table_data(run, table), gold=None)
    result = evaluate_run(run, data, tmp_path / "out", sources)
    assert "Is it kind?" in texts_of(chat.bodies[0]) + texts_of(chat.bodies[1])
    assert result.answers is not None
    choices = pd.read_parquet(result.answers).set_index("item")["choice"].to_dict()
    assert choices == {"7/Toxicity": "None of the others", "7/Scene": "Office"}


def test_araharmeme_leaves_out_what_is_missing(
    tmp_path: Path, chat: ChatServer, sources: Sources
) -> None:
    table = tmp_path / "memes.csv"
    table.write_text("id,text,picture,label\n1,شاي,1.jpg,2\n2,,1.jpg,1\n", encoding="utf-8")
    (checkout(tmp_path / "set") / "data/memes/en/7.jpg").rename(tmp_path / "1.jpg")
    chat.say = lambda number, body: "2\nIt is about tea."
    run, _ = read_run("araharmeme")
    data = replace(read_table_data(run, table), gold=None)
    result = evaluate_run(run, data, tmp_path / "out", sources)
    assert (result.questions, result.answered) == (5, 5)
    assert any("1 item without text left out" in note for note in result.notes)
    shown = ["Extracted text: شاي" in texts_of(body) for body in chat.bodies]
    assert sum(shown) == 2
    assert all(texts_of(body).endswith("<class_number>\n<explanation>") for body in chat.bodies)


def test_without_a_workspace_the_folder_keeps_the_answers(
    tmp_path: Path, chat: ChatServer, sources: Sources
) -> None:
    run, data = _opened(tmp_path / "set")
    poor = replace(sources, cache=None)
    assert evaluate_run(run, data, tmp_path / "out", poor).requests == 18
    again = evaluate_run(run, data, tmp_path / "out", poor)
    assert (again.requests, again.cached) == (0, 18)
    assert plan_run(run, data, poor, tmp_path / "out").models[0].cached == 18
    assert plan_run(run, data, poor, tmp_path / "other").models[0].cached == 0


def test_logprobs_of_markers_decide_where_a_server_has_them(
    tmp_path: Path, chat: ChatServer, sources: Sources
) -> None:
    top = [{"token": "b", "logprob": -0.1}, {"token": " A", "logprob": -2.5}]
    token = {"token": "The", "logprob": -0.1, "top_logprobs": top}
    chat.say = lambda number, body: {
        "message": {"role": "assistant", "content": "The answer"},
        "logprobs": {"content": [token]},
    }
    run, data = _opened(tmp_path / "set", parser="logprobs", wordings=[1], orders=[0])
    result = evaluate_run(run, data, tmp_path / "out", sources)
    assert chat.bodies[0]["top_logprobs"] == 20
    assert result.answers is not None
    table = pd.read_parquet(result.answers)
    assert set(table["choice"]) == {"Non-hate"}
    assert json.loads(table["option_logprobs"][0]) == pytest.approx(
        {"Non-hate": -0.1, "Hate": -2.5}
    )


def test_reasons_of_a_model_have_tokens_of_their_own(
    tmp_path: Path, chat: ChatServer, sources: Sources
) -> None:
    chat.say = lambda number, body: "It is only about tea.\nb"
    models = [{"model": "thinker", "reasoning": "before"}, {"model": "quick"}]
    run, data = _opened(tmp_path / "set", model=models, wordings=[1], orders=[0])
    result = evaluate_run(run, data, tmp_path / "out", sources)
    asked = {body["model"]: (body["max_tokens"], texts_of(body)) for body in chat.bodies}
    assert (asked["thinker"][0], asked["quick"][0]) == (440, 40)
    assert "First give your reasons" in asked["thinker"][1]
    assert "reasons" not in asked["quick"][1]
    assert result.answers is not None
    table = pd.read_parquet(result.answers)
    assert set(table["choice"]) == {"Non-hate"}
    assert set(table["explanation"]) == {"It is only about tea"}
    assert table.attrs["Dataset"] == "set"
    assert table.attrs["Sent"] == "temperature 0.0, seed 0"
