"""What is kept of answers: right, refused and wrong ones, in a file too; and what makes a key."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from memeloc.language_models import (
    AnswerError,
    FileCache,
    LanguageModel,
    MemoryCache,
    Message,
    ModelSettings,
    Question,
)
from tests.chat_server import ChatServer

Connect = Callable[..., LanguageModel]


class Weather(BaseModel):
    warm: bool


ASKED = (Message("user", "Is it warm?"),)


@pytest.mark.parametrize(
    ("reply", "kind", "requests"),
    [
        ("warm", "wrong", 3),
        ("I cannot help with that.", "refused", 3),
        ({"content": None, "refusal": "I can't assist."}, "refused", 1),
    ],
)
def test_refused_and_wrong_answers_are_paid_for_once(
    chat: ChatServer, connect: Connect, reply: Any, kind: str, requests: int
) -> None:
    chat.say = lambda number, body: reply
    cache = MemoryCache()
    for resumed in (False, True):
        model = connect(cache, price_in=1.0)
        with pytest.raises(AnswerError) as raised:
            model.ask(ASKED, Weather)
        assert raised.value.kind == kind
        assert raised.value.answer is not None
        assert raised.value.answer.cached is resumed
        assert (raised.value.cost == 0) is resumed
        assert model.spent.refused + model.spent.failed == 1
    assert len(chat.bodies) == requests
    assert connect(cache).plan([Question(ASKED, Weather)]).cached == 1


def test_all_that_an_answer_depends_on_is_in_its_key() -> None:
    question = Question(ASKED, Weather)

    def key(**more: Any) -> str:
        settings = {"model": "m", "base_url": "http://one/v1", **more}
        return LanguageModel(ModelSettings(**settings)).key(question)

    others = [
        key(model="n"),
        key(base_url="http://two/v1"),
        key(seed=1),
        key(temperature=1.0),
        key(max_tokens=7),
        key(logprobs=5),
        key(extra={"top_p": 0.5}),
    ]
    assert len({key(), *others}) == 8
    assert key() == key(base_url="http://one/v1/", price_in=3.0, at_once=9, timeout=1.0, asks=1)


def _put_and_die(path: str) -> None:
    cache = FileCache(path)
    for index in range(20):
        cache.put(str(index), "kept")
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no kill -9 here")
def test_a_killed_process_loses_no_answer(tmp_path: Path) -> None:
    path = str(tmp_path / "kept.sqlite")
    process = multiprocessing.get_context("spawn").Process(target=_put_and_die, args=(path,))
    process.start()
    process.join()
    assert process.exitcode == -signal.SIGKILL
    with FileCache(path) as cache:
        assert len(cache) == 20
