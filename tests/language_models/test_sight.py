"""Servers whose model does not see: known after one question, whatever they answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from memeloc.errors import ServiceError
from memeloc.language_models import Answer, LanguageModel, Message, Picture, Question
from tests.chat_server import ChatServer, error

Connect = Callable[..., LanguageModel]


def _questions(count: int) -> list[Question[str]]:
    picture = Picture("tea", lambda: b"tea")
    return [Question((Message("user", f"Cup {n}?", (picture,)),), None) for n in range(count)]


def _has_picture(body: dict[str, Any]) -> bool:
    return any(isinstance(message["content"], list) for message in body["messages"])


@pytest.mark.parametrize(
    "answer",
    [
        error(500, "image input is not supported - hint: you may need to provide the mmproj"),
        (500, {}, "Internal Server Error"),
        error(400, "messages[0].content must be a string"),
        error(422, "unknown variant `image_url`, expected `text`"),
    ],
)
def test_a_model_that_does_not_see_ends_the_run(
    chat: ChatServer, connect: Connect, answer: Any
) -> None:
    chat.refuse = lambda number, body: answer if _has_picture(body) else None
    model = connect(at_once=8)
    with pytest.raises(ServiceError, match="tiny answers texts, but no picture: ") as raised:
        list(model.ask_all(_questions(50)))
    assert not raised.value.retryable
    # One question, and two small ones that find out why it failed.
    assert len(chat.bodies) == 3
    assert [body["max_tokens"] for body in chat.bodies] == [1024, 1, 1]


def test_a_broken_picture_does_not_end_the_run(chat: ChatServer, connect: Connect) -> None:
    chat.refuse = lambda number, body: error(400, "could not decode") if number == 1 else None
    answers = [answer for _, answer in connect(at_once=1).ask_all(_questions(5))]
    assert [isinstance(answer, Answer) for answer in answers] == [False, True, True, True, True]


def test_a_server_that_fails_for_a_while_is_waited_for(chat: ChatServer, connect: Connect) -> None:
    chat.refuse = lambda number, body: error(500, "busy") if number <= 2 else None
    answers = [answer for _, answer in connect(at_once=4).ask_all(_questions(5))]
    assert all(isinstance(answer, Answer) for answer in answers)


def test_pictures_go_out_together_once_one_was_answered(chat: ChatServer, connect: Connect) -> None:
    from threading import Barrier

    barrier = Barrier(3)

    def say(number: int, body: dict[str, Any]) -> str:
        if number > 1:
            barrier.wait(10)
        return "warm"

    chat.say = say
    answers = [answer for _, answer in connect(at_once=3).ask_all(_questions(4))]
    assert len(answers) == 4
