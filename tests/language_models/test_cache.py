"""What is kept of answers: right, refused and wrong ones, in a file too; and what makes a key."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import sqlite3
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from pydantic import BaseModel

from memeloc.errors import InputError
from memeloc.language_models import (
    Answer,
    AnswerError,
    FileCache,
    LanguageModel,
    MemoryCache,
    Message,
    ModelSettings,
    Question,
)
from memeloc.language_models.questions import Token
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


def test_asked_once_means_without_corrections(chat: ChatServer, connect: Connect) -> None:
    chat.say = lambda number, body: "warm" if number == 1 else '{"warm": true}'
    cache = MemoryCache()
    with pytest.raises(AnswerError, match="wrongly once"):
        connect(cache, asks=1).ask(ASKED, Weather)
    assert len(chat.bodies) == 1
    # Who allows more may ask again, and what was right at the second time is not right at once.
    chat.say = lambda number, body: "warm" if number == 2 else '{"warm": true}'
    assert connect(cache, asks=2).ask(ASKED, Weather).attempts == 2
    chat.say = lambda number, body: "warm"
    with pytest.raises(AnswerError):
        connect(cache, asks=1).ask(ASKED, Weather)
    assert len(chat.bodies) == 4


def test_each_round_has_an_answer_and_a_seed_of_its_own(chat: ChatServer, connect: Connect) -> None:
    cache = MemoryCache()
    model = connect(cache, seed=40, temperature=0.7)
    rounds = [Question(ASKED, Weather, mark=number, round=number) for number in range(3)]
    for _ in range(2):
        assert all(isinstance(answer, Answer) for _, answer in model.ask_all(rounds))
    assert sorted(body["seed"] for body in chat.bodies) == [40, 41, 42]
    assert {body["temperature"] for body in chat.bodies} == {0.7}


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


def test_an_answer_says_where_it_comes_from(chat: ChatServer, connect: Connect) -> None:
    cache = MemoryCache()
    model = connect(cache, seed=3, extra={"top_p": 0.5})
    first, again = (
        answer
        for _ in range(2)
        for _, answer in model.ask_all([Question[Weather](ASKED, Weather, round=2)])
    )
    assert isinstance(first, Answer)
    assert isinstance(again, Answer)
    assert (first.model, first.text) == ("tiny-2026", '{"warm": true}')
    assert len(first.settings["question"]) == 64
    assert first.date.endswith("+00:00")
    assert (first.settings["base_url"], first.settings["round"]) == (chat.url, 2)
    expected = {"model": "tiny", "seed": 5, "temperature": 0.0, "top_p": 0.5}
    assert first.settings["sent"].items() >= expected.items()
    assert (again.settings, again.date, again.text) == (
        first.settings, first.date, first.text
    )  # fmt: skip


def test_a_kept_answer_is_read_back_whole() -> None:
    kept = Answer(
        "गर्म \ud800", "m", 2, 0, 7, 0.25, "USD", "2026-01-01T00:00:00+00:00", "", "not JSON", True,
        (Token("a", -0.5, (("a", -0.5), ("b", -1.0))),),
    )  # fmt: skip
    text = kept.to_json()
    assert "गर्म" in text
    read = Answer.from_json(text)
    assert read is not None
    assert (read.text, read.tokens_in, read.logprobs) == ("गर्म \ufffd", 0, kept.logprobs)
    assert (read.wrong, read.cut, read.refusal) == ("not JSON", True, "")


def test_threads_share_a_file(tmp_path: Path) -> None:
    path = tmp_path / "answers" / "kept.sqlite"
    with FileCache(path) as cache:

        def put(number: int) -> None:
            for index in range(50):
                cache.put(f"{number} {index}", "v")
                assert cache.get(f"{number} {index}") == "v"

        threads = [Thread(target=put, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        cache.put("0 0", "newer")
    with FileCache(path) as cache:
        assert (len(cache), cache.get("0 0"), cache.get("x")) == (200, "newer", None)


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


def test_another_file_is_not_written_to(tmp_path: Path) -> None:
    text, other = tmp_path / "notes.txt", tmp_path / "other.sqlite"
    text.write_text("tea at four " * 100)
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE tea (leaf TEXT)")
    connection.close()
    for path in (text, other):
        before = path.read_bytes()
        with pytest.raises(InputError, match=path.name):
            FileCache(path)
        assert path.read_bytes() == before


def test_old_answers_without_all_fields_are_asked_again(connect: Connect) -> None:
    cache = MemoryCache()
    model = connect(cache)
    old = {"text": '{"warm": true}', "model": "m", "attempts": 1, "tokens_in": 1, "tokens_out": 1}
    cache.put(model.key(Question(ASKED, Weather)), json.dumps(old))
    assert not model.ask(ASKED, Weather).cached
