"""Questions without a form: sent as they stand, answered with the model's own text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from memeloc.errors import InputError
from memeloc.language_models import (
    LanguageModel,
    MemoryCache,
    Message,
    Picture,
    Question,
    read_model_settings,
)
from tests.chat_server import ChatServer, error

Connect = Callable[..., LanguageModel]


def test_a_text_may_come_behind_the_pictures(chat: ChatServer, connect: Connect) -> None:
    picture = Picture("sha", lambda: b"tea")
    model = connect()
    model.ask([Message("user", "Caption: tea", (picture,), "Is it warm?")])
    model.ask([Message("user", "", (picture,), "Is it warm?")])
    model.ask([Message("user", "Caption: tea", after="Is it warm?")])
    first, second, third = (body["messages"][0]["content"] for body in chat.bodies)
    assert [part["type"] for part in first] == ["text", "image_url", "text"]
    assert [part["type"] for part in second] == ["image_url", "text"]
    assert third == "Caption: tea\nIs it warm?"
    asked = [Question[str]((Message("user", "x", (picture,), after),), None) for after in "ab"]
    assert model.key(asked[0]) != model.key(asked[1])
    assert "x\n[a picture]\na" in model.plan(asked[:1]).samples[0]


@pytest.mark.parametrize("text", ["", "I'm sorry, but I can't help with that.", "{", "x" * 5000])
def test_any_text_is_an_answer_and_paid_for_once(
    chat: ChatServer, connect: Connect, text: str
) -> None:
    chat.say = lambda number, body: text
    model = connect(MemoryCache())
    first, again = (model.ask([Message("user", "?")]) for _ in range(2))
    assert first.value == again.value == text
    assert (first.refusal, again.cached, len(chat.bodies)) == ("", True, 1)


@pytest.mark.parametrize(
    "refusal",
    [
        {"content": None, "refusal": "I can't assist."},
        {"message": {"content": ""}, "finish_reason": "content_filter"},
        error(400, "The response was filtered by the content policy"),
    ],
)
def test_a_refusal_by_field_or_filter_is_kept(
    chat: ChatServer, connect: Connect, refusal: Any
) -> None:
    if isinstance(refusal, tuple):
        chat.refuse = lambda number, body: refusal
    else:
        chat.say = lambda number, body: refusal
    model = connect(MemoryCache())
    first, again = (model.ask([Message("user", "?")]) for _ in range(2))
    assert first.value == ""
    assert first.refusal
    assert first.refusal == again.refusal
    assert len(chat.bodies) == 1


def test_a_field_with_a_setting_of_its_own_is_no_further_one() -> None:
    with pytest.raises(InputError, match="max_tokens is set by memeloc itself"):
        read_model_settings({"model": "m", "extra": {"max_tokens": 3}}, environ={})
