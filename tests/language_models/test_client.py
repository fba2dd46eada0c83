"""The client of chat models: settings, what is asked and asked again, and its cache."""

from __future__ import annotations

import base64
import json
import multiprocessing
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from memeloc.errors import InputError, MissingError, ServiceError
from memeloc.language_models import (
    Answer,
    AnswerError,
    Budget,
    FileCache,
    LanguageModel,
    MemoryCache,
    Message,
    ModelSettings,
    OverBudgetError,
    Picture,
    Question,
    read_model_settings,
)
from tests.chat_server import ChatServer, error
from tests.each import each

Connect = Callable[..., LanguageModel]


class Weather(BaseModel):
    warm: bool


def _asked(text: str = "Is it warm?") -> tuple[Message, ...]:
    return (Message("system", "You know the weather."), Message("user", text))


def _question(text: str) -> Question[Weather]:
    return Question(_asked(text), Weather, mark=text)


def test_a_deployment_of_azure_is_asked_by_version_and_key(
    chat: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sesame-street")
    settings = ModelSettings(model="tiny", base_url=f"{chat.url}?api-version=2024-10-21")
    with LanguageModel(settings) as model:
        assert model.ask(_asked(), Weather).value.warm
    assert (chat.query, chat.keys) == ("api-version=2024-10-21", ["sesame-street"])


def test_a_picture_goes_out_as_a_data_url_and_is_read_only_then(
    chat: ChatServer, connect: Connect
) -> None:
    reads: list[int] = []

    def read() -> bytes:
        reads.append(1)
        return b"\xff\xd8picture"

    model = connect(MemoryCache())
    message = Message("user", "Is it warm here?", (Picture("sha-1", read),))
    question = Question((message,), Weather)
    assert model.plan([question]).tokens_in > model.settings.picture_tokens
    assert not reads
    for _ in range(2):
        model.ask((message,), Weather)
    assert len(reads) == len(chat.bodies) == 1
    text, picture = chat.bodies[0]["messages"][0]["content"]
    assert text == {"type": "text", "text": "Is it warm here?"}
    url = picture["image_url"]["url"]
    assert base64.b64decode(url.removeprefix("data:image/jpeg;base64,")) == b"\xff\xd8picture"
    other = Message("user", "Is it warm here?", (Picture("sha-2", read),))
    model.ask((other,), Weather)
    assert len(chat.bodies) == 2


@pytest.mark.parametrize(
    ("first", "reported"),
    [
        ("It is warm.", "it is not JSON"),
        ('{"warm": "very"}', "warm: input should be a valid boolean"),
        ('{"cold": false}', "warm: field required"),
        ("", "it is not JSON"),
        (None, "it is not JSON"),
        ({"message": {"content": '{"wa'}, "finish_reason": "length"}, "cut off at 1,024 tokens"),
        ({"message": None}, "it is not JSON"),
    ],
)
def test_a_wrong_answer_is_sent_back_with_what_is_wrong(
    chat: ChatServer, connect: Connect, first: Any, reported: str
) -> None:
    chat.say = lambda number, body: first if number == 1 else '{"warm": false}'
    answer = connect().ask(_asked(), Weather)
    assert (answer.value.warm, answer.attempts) == (False, 2)
    again = chat.bodies[1]["messages"]
    assert [message["role"] for message in again[-2:]] == ["assistant", "user"]
    assert reported in again[-1]["content"]
    assert (answer.tokens_in, answer.tokens_out) == (400, 100)


@pytest.mark.parametrize(
    ("reply", "requests"),
    [
        ({"content": None, "refusal": "I can't assist."}, 1),
        *(
            ({"message": {"content": ""}, "finish_reason": reason}, 1)
            for reason in ("content_filter", "refusal", "SAFETY", "PROHIBITED_CONTENT")
        ),
        ("I cannot help with that.", 3),
        (error(400, "The response was filtered by the content policy"), 1),
        ((400, {}, '{"error": {"message": "no", "code": "content_filter"}}'), 1),
    ],
)
def test_a_refusal_is_reported_as_one(
    chat: ChatServer, connect: Connect, reply: Any, requests: int
) -> None:
    if isinstance(reply, tuple):
        chat.refuse = lambda number, body: reply
    else:
        chat.say = lambda number, body: reply
    model = connect()
    with pytest.raises(AnswerError, match="will not answer") as raised:
        model.ask(_asked(), Weather)
    assert raised.value.kind == "refused"
    assert len(chat.bodies) == requests
    assert model.spent.refused == 1


def test_a_server_is_asked_in_the_words_that_it_understands(
    chat: ChatServer, connect: Connect
) -> None:
    def refuse(number: int, body: dict[str, Any]) -> Any:
        if "response_format" in body:
            return error(400, f"unknown response_format {body['response_format']['type']}")
        if "max_tokens" in body:
            return error(400, "max_tokens is not supported, use max_completion_tokens")
        for name in ("temperature", "seed"):
            if name in body:
                return error(422, f"Unrecognized argument: {name}")
        return None

    chat.refuse = refuse
    model = connect(at_once=1)
    answers = [answer for _, answer in model.ask_all([_question("a"), _question("b")])]
    assert all(isinstance(answer, Answer) for answer in answers)
    assert len(chat.bodies) == 7
    last = chat.bodies[-1]
    assert set(last) == {"model", "messages", "max_completion_tokens"}
    # What the server does not hold its model to, the model reads.
    assert '"required": ["warm"]' in last["messages"][0]["content"]
    assert '"required"' not in chat.bodies[0]["messages"][0]["content"]
    assert '"required"' in chat.bodies[1]["messages"][0]["content"]


def test_quota_errors_and_cut_connections_pass(chat: ChatServer, connect: Connect) -> None:
    relayed = json.dumps({"error": {"message": "overloaded", "code": 503}})
    trouble = {1: error(429, "slow down", **{"Retry-After": "0.2"}), 2: error(529, "overloaded"),
               3: (0, {}, ""), 4: (200, {}, relayed)}  # fmt: skip
    chat.refuse = lambda number, body: trouble.get(number)
    before = time.monotonic()
    assert connect().ask(_asked(), Weather).value.warm
    assert len(chat.bodies) == 5
    assert time.monotonic() - before >= 0.2


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ((200, {}, "[" * 100_000), "not in the OpenAI chat protocol"),
        ((200, {}, '{"choices": {}}'), "not in the OpenAI chat protocol"),
        (error(400, "too many pictures"), "too many pictures"),
    ],
)
def test_an_error_of_every_question_ends_the_run_after_three(
    chat: ChatServer, connect: Connect, answer: Any, message: str
) -> None:
    chat.refuse = lambda number, body: answer
    model = connect(at_once=1)
    with pytest.raises(ServiceError, match=message):
        list(model.ask_all(_question(str(number)) for number in range(50)))
    assert len(chat.bodies) == 3


def test_a_server_that_is_not_there_is_reported_within_five_seconds() -> None:
    model = LanguageModel(ModelSettings(model="tiny", base_url="http://127.0.0.1:9/v1"))
    before = time.monotonic()
    with pytest.raises(ServiceError, match="refused"):
        list(model.ask_all(map(_question, "abcdef")))
    assert time.monotonic() - before < 5


def test_nobody_pays_twice_for_the_same_question(chat: ChatServer, connect: Connect) -> None:
    cache = MemoryCache()
    chat.say = lambda number, body: time.sleep(0.05) or '{"warm": true}'
    model = connect(cache, price_in=1.0, at_once=8)
    answers = [answer for _, answer in model.ask_all([_question("same")] * 8)]
    assert len(chat.bodies) == len(cache) == 1
    assert sorted(answer.cached for answer in answers) == [False] + [True] * 7
    assert sum(answer.cost for answer in answers) == pytest.approx(200 / 1e6)
    assert (model.spent.answered, model.spent.cached, model.spent.requests) == (8, 7, 1)
    assert not model._asking

    class Warmth(BaseModel):
        warm: bool
        why: str = ""

    # Another schema, model, temperature or text is another question.
    connect(cache).ask(_asked("same"), Weather)
    assert len(chat.bodies) == 1
    connect(cache).ask(_asked("same"), Warmth)
    connect(cache, temperature=0.5).ask(_asked("same"), Weather)
    connect(cache, seed=1).ask(_asked("same"), Weather)
    connect(cache).ask(_asked("same "), Weather)
    assert len(chat.bodies) == 5


@pytest.mark.parametrize("usage", [True, False])
@pytest.mark.parametrize("at_once", [1, 6])
def test_the_budget_holds(chat: ChatServer, connect: Connect, usage: bool, at_once: int) -> None:
    chat.usage = usage
    chat.say = lambda number, body: "x" * 300 if number % 2 else '{"warm": true}'
    budget = Budget(0.02)
    model = connect(budget=budget, price_in=3.0, price_out=9.0, max_tokens=256, at_once=at_once)
    got: list[Any] = []
    with pytest.raises(OverBudgetError, match=r"budget of 0\.02"):
        got.extend(answer for _, answer in model.ask_all(_question(str(n)) for n in range(500)))
    assert 2 < len(got) < 500
    assert model.spent.cost == pytest.approx(budget.spent)
    most = model.estimate(_question("500")).most / model.settings.asks
    # What is left is less than two likely answers; by the most that one may cost it would be more.
    likely = (200 * 3 + 50 * 9) / 1e6
    assert 0.02 - (2 * likely if usage else 2 * most) < budget.spent <= 0.02 + at_once * most
    assert not budget._held
    assert (model.spent.guessed == 0) is usage


def test_a_plan_asks_nothing_and_is_not_exceeded(
    chat: ChatServer, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    chat.usage = False
    chat.say = lambda number, body: "wrong" * 40
    model = connect(MemoryCache(), price_in=1.0, price_out=1.0, max_tokens=300)
    monkeypatch.setattr("memeloc.language_models.server.Server.connect", None)
    plan = model.plan([_question("a"), _question("a"), _question("b")])
    assert not chat.bodies
    assert (plan.questions, plan.cached) == (3, 1)
    assert 0 < plan.expected < plan.most
    assert "[user]\na" in plan.samples[0]
    assert "2 questions to tiny (1 more" in plan.line()
    monkeypatch.undo()
    for _, answer in model.ask_all([_question("a"), _question("b")]):
        assert isinstance(answer, AnswerError)
    assert model.spent.cost <= plan.most


def test_the_key_is_nowhere_to_be_seen(
    chat: ChatServer, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-sesame")
    chat.refuse = lambda number, body: error(401, "Incorrect API key: sk-sesame.")
    model = connect()
    with pytest.raises(ServiceError) as raised:
        model.ask(_asked(), Weather)
    assert "Incorrect API key: [key]." in str(raised.value)
    assert "sesame" not in repr(model.settings) + model.spent.line()
    monkeypatch.setenv("OPENAI_API_KEY", "sk-sesame\nopen")
    with pytest.raises(MissingError) as missing:
        connect().ask(_asked(), Weather)
    assert "sesame" not in str(missing.value)


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


def test_command_comes_before_file_before_environment() -> None:
    environ = {"OPENAI_BASE_URL": "http://localhost:1/v1", "OPENAI_MODEL": "env"}
    assert read_model_settings({}, environ=environ).model == "env"
    read = read_model_settings({"model": "file", "price_in": 1}, environ=environ)
    assert (read.model, read.base_url, read.price_in) == ("file", "http://localhost:1/v1", 1.0)
    read = read_model_settings({"model": "file"}, model="cli", environ={})
    assert (read.model, read.base_url) == ("cli", "https://api.openai.com/v1")
    assert (read.temperature, read.seed) == (0.0, 0)


@each(
    ("table", "message"),
    [
        ({}, "no language model is named"),
        ({"model": "m", "modle": 1}, "no setting 'modle'"),
        ({"model": "m", "key": "sk-1"}, "no setting 'key'"),
        ({"model": "m", "price_in": "cheap"}, "price_in .*number.*million tokens"),
        ({"model": "m", "price_in": float("nan")}, "price_in .*finite"),
        ({"model": "m", "asks": 0}, "asks .*greater than or equal to 1"),
        ({"model": "m", "base_url": "ftp://localhost"}, "setting base_url"),
        ({"model": "m", "base_url": "file:///etc/hosts"}, "setting base_url"),
        ({"model": "m", "base_url": "http://"}, "setting base_url"),
        ({"model": "m", "key_variable": "MY KEY"}, "setting key_variable"),
    ],
)
def test_a_wrong_setting_is_a_sentence(table: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_model_settings(table, environ={})


def test_a_password_in_an_address_is_refused_and_not_shown() -> None:
    with pytest.raises(InputError) as raised:
        read_model_settings({"model": "m", "base_url": "http://me:sesame@localhost/v1"}, environ={})
    assert "sesame" not in str(raised.value)


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
