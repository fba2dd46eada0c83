"""Logprobs of options: asked for by a setting, read where a server gives them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from memeloc.language_models import LanguageModel, MemoryCache, Message, Token, option_logprobs
from tests.chat_server import ChatServer, error

Connect = Callable[..., LanguageModel]
ASKED = [Message("user", "a) warm b) cold")]


def _choice(content: Any) -> dict[str, Any]:
    return {"message": {"content": "(a)"}, "logprobs": content}


def test_they_are_asked_for_and_kept(chat: ChatServer, connect: Connect) -> None:
    top = [{"token": "a", "logprob": -0.5}, {"token": " B", "logprob": -1.0}]
    tokens = [
        {"token": "(", "logprob": -0.1, "top_logprobs": [{"token": "(", "logprob": -0.1}]},
        {"token": "a", "logprob": -0.5, "bytes": [97], "top_logprobs": top},
    ]
    chat.say = lambda number, body: _choice({"content": tokens})
    model = connect(MemoryCache(), logprobs=2)
    first, again = (model.ask(ASKED) for _ in range(2))
    assert (chat.bodies[0]["logprobs"], chat.bodies[0]["top_logprobs"]) == (True, 2)
    assert again.cached
    assert first.logprobs == again.logprobs
    assert option_logprobs(first.logprobs, ["a", "b", "c"]) == {"a": -0.5, "b": -1.0}
    connect().ask(ASKED)
    assert "logprobs" not in chat.bodies[1]


@pytest.mark.parametrize(
    "content", [None, {}, {"content": None}, {"content": "x"}, {"content": [{"token": 3}]}, []]
)
def test_a_server_without_them_is_read_all_the_same(
    chat: ChatServer, connect: Connect, content: Any
) -> None:
    chat.say = lambda number, body: _choice(content)
    answer = connect(logprobs=5).ask(ASKED)
    assert (answer.value, answer.logprobs) == ("(a)", ())


def test_a_server_that_refuses_them_is_not_asked_again(chat: ChatServer, connect: Connect) -> None:
    chat.refuse = lambda number, body: (
        error(400, "logprobs is not supported by this model") if "logprobs" in body else None
    )
    chat.say = lambda number, body: "a"
    assert connect(logprobs=5).ask(ASKED).value == "a"
    assert len(chat.bodies) == 2


def test_no_option_among_the_tokens_is_no_logprob() -> None:
    assert option_logprobs([Token("warm", -0.1)], ["a", "b"]) == {}
    assert option_logprobs([Token("▁A", math.log(0.5))], ["a", "b"]) == {"a": math.log(0.5)}
