"""The OpenAI chat protocol against a local server: the question, and what bad answers come to."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from memeloc.errors import InputError, MissingError
from memeloc.glossary import Term
from memeloc.language_models import ModelSettings
from memeloc.request_pool import Backoff
from memeloc.translate import Translation, TranslationItem, create, plan, run
from memeloc.translate.openai import OpenAITranslator
from tests.chat_server import ChatServer, right

Item = Callable[..., TranslationItem]


def _translator(chat: ChatServer, backoff: Backoff, **more: Any) -> OpenAITranslator:
    return OpenAITranslator(ModelSettings(model="tiny", base_url=chat.url, asks=2, **more), backoff)


def test_the_question_carries_the_terms_of_the_glossary(
    chat: ChatServer, quick: Backoff, item: Item
) -> None:
    terms = (Term(("code",), ("Code*", "Quelltext"), ("Kot",), "ours"), Term((), (), ("pfui",)))
    items = [item("my code", meme_id="a", terms=terms, glossary="abc"), item("my code")]
    answers = {
        answer.meme_id: answer.provenance
        for answer in _translator(chat, quick).translate(items)
        if isinstance(answer, Translation)
    }
    provenance = answers.pop("a")
    (other,) = answers.values()
    assert (provenance["glossary"], "glossary" in other) == ("abc", False)
    assert provenance["prompt"] != other["prompt"]
    questions = [body["messages"] for body in chat.bodies]
    without, with_terms = sorted(questions, key=lambda messages: len(messages[1]["content"]))
    assert json.loads(with_terms[1]["content"])["glossary"] == [
        {"term": "code", "use": "Code | Quelltext", "avoid": "Kot", "note": "ours"},
        {"avoid": "pfui"},
    ]
    assert "glossary" in with_terms[0]["content"]
    assert "glossary" not in without[0]["content"] + without[1]["content"]


@pytest.mark.parametrize(
    ("first", "reported"),
    [
        ("Sure! Here you are.", "it is not JSON"),
        ('{"parts": ["ONE"]}', "parts: list should have at least 2 items"),
        ('{"parts": ["ONE", ""]}', "parts.1: string should have at least 1 character"),
        ('{"parts": ["ONE", 2]}', "parts.1: input should be a valid string"),
        ('["ONE", "TWO"]', "the answer: input should be a valid dictionary"),
        ("", "it is not JSON"),
    ],
)
def test_a_wrong_answer_is_sent_back_once_with_what_is_wrong(
    chat: ChatServer, quick: Backoff, item: Item, first: str, reported: str
) -> None:
    chat.say = lambda number, body: first if number == 1 else right(body)
    (answer,) = _translator(chat, quick, price_in=1.0).translate([item("one // two")])
    assert isinstance(answer, Translation)
    assert answer.caption.parts == ("ONE", "TWO")
    assert answer.marks == ("repaired",)
    assert answer.cost == pytest.approx(2 * 200 / 1e6)
    again = chat.bodies[1]["messages"]
    assert again[2] == {"role": "assistant", "content": first}
    assert reported in again[3]["content"]


@pytest.mark.parametrize("usage", [True, False])
def test_the_budget_is_passed_by_what_was_in_flight_at_most(
    chat: ChatServer, quick: Backoff, item: Item, usage: bool
) -> None:
    chat.say = lambda number, body: right(body) if len(body["messages"]) > 2 else "{" + "x" * 5000
    chat.usage = usage
    translator = _translator(chat, quick, price_in=3.0, price_out=9.0, max_tokens=256)
    items = [item(f"caption {number}") for number in range(30)]
    budget = min(plan(items, translator)["most"] / 3, 0.04)
    summary = run(items, translator, budget=budget, on_answer=lambda _: None)
    assert summary.over_budget
    assert summary.translated
    assert summary.left
    most = translator._model.estimate(translator._question(items[0])).most
    assert summary.cost <= budget + translator.settings.at_once * most


def test_a_cloud_model_needs_a_key_and_every_model_a_name(
    item: Item, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(MissingError, match="OPENAI_API_KEY"):
        list(create("openai", {"model": "m"}).translate([item("a")]))
    with pytest.raises(InputError, match="no language model is named"):
        create("openai")
    with pytest.raises(InputError, match="has no setting 'modle'"):
        create("openai", {"model": "m", "modle": "m"})
    with pytest.raises(InputError, match=r"price_in.*valid number"):
        create("openai", {"model": "m", "price_in": "cheap"})
