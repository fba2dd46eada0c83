"""OpenAI and Google as translators: what is asked, what is paid, and what is no translation."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from memeloc.errors import InputError, MissingError, ServiceError
from memeloc.glossary import Term
from memeloc.language_models import ModelSettings
from memeloc.request_pool import Backoff
from memeloc.translate import (
    RunSummary,
    Translation,
    TranslationItem,
    create,
    plan,
    run,
)
from memeloc.translate.google import Connection, GoogleSettings, GoogleTranslator
from memeloc.translate.openai import OpenAITranslator
from tests.chat_server import ChatServer, right
from tests.local_server import json_reply, serve
from tests.translate.google_server import GoogleServer, translated

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


def _google(server: GoogleServer, backoff: Backoff, **more: Any) -> GoogleTranslator:
    settings = GoogleSettings(endpoint=server.endpoint, **more)
    return GoogleTranslator(settings, backoff)


def _collect(items: list[TranslationItem], translator: GoogleTranslator) -> dict[Any, Translation]:
    answers: dict[Any, Translation] = {}

    def store(answer: Translation) -> None:
        key = (answer.meme_id, answer.language)
        assert key not in answers
        answers[key] = answer

    summary = run(items, translator, on_answer=store)
    assert not summary.failures
    assert summary.stopped is None
    return answers


def _expected(item: TranslationItem) -> tuple[str, ...]:
    return tuple(translated(p, item.target.google) if p else "" for p in item.source.parts)


def test_trouble_on_the_way_changes_nothing_but_marks(
    google: GoogleServer, quick: Backoff, starter: list[TranslationItem]
) -> None:
    undisturbed = _collect(starter, _google(google, quick))
    calm = len(google.requests)
    google.requests.clear()
    google.answered.clear()

    def trouble(number: int, request: Any) -> str:
        if number == 2:
            return "drop"
        return "quota" if number % 3 == 0 else ""

    google.trouble = trouble
    google.lose = lambda text: len(text) % 5 == 0
    disturbed = _collect(starter, _google(google, quick))

    assert len(google.requests) > calm
    assert disturbed.keys() == undisturbed.keys()
    assert len(disturbed) == len(starter)
    marked = extra = 0
    for item in starter:
        key = (item.meme_id, item.target.tag)
        assert disturbed[key].caption.parts == undisturbed[key].caption.parts == _expected(item)
        assert undisturbed[key].marks == ()
        sent = [part for part in item.source.parts if part]
        lost = len(sent) > 1 and len(" // ".join(sent)) % 5 == 0
        assert disturbed[key].marks == (("separator lost",) if lost else ())
        marked += lost
        billed = len(" // ".join(sent)) + (sum(map(len, sent)) if lost else 0)
        # One bears what was under way on the connection that went: it may have been billed too.
        extra += disturbed[key].characters > billed
        assert disturbed[key].characters >= billed
        assert disturbed[key].cost == pytest.approx(disturbed[key].characters * 20 / 1e6)
    assert marked > 10
    assert extra == 1
    # No text was translated twice but for those whose separator was lost, and these once in parts.
    needed = len(starter) + sum(
        len([p for p in item.source.parts if p])
        for item in starter
        if disturbed[item.meme_id, item.target.tag].marks
    )
    answered = sum(google.answered.values())
    assert answered == needed


def test_a_batch_refused_for_one_text_is_halved_until_it_stands_alone(
    google: GoogleServer, quick: Backoff, item: Item
) -> None:
    google.trouble = lambda number, request: "invalid" if "bad" in request.contents else ""
    items = [item("bad" if n == 7 else f"good {n}", meme_id=f"m{n}") for n in range(16)]
    answers: list[Translation] = []
    summary = run(items, _google(google, quick), on_answer=answers.append)
    assert len(answers) == 15
    assert [failure.meme_id for failure in summary.failures] == ["m7"]
    assert "trouble: invalid" in str(summary.failures[0].error)
    assert summary.characters == sum(_size(text) for text in google.answered)
    assert set(google.answered.values()) == {1}
    assert len(google.requests) == 9


def _size(text: str) -> int:
    """How long a text is that the server has answered, without its language."""
    return len(text.partition("|")[2])


@pytest.mark.parametrize("wrong", ["denied", "not found", "unauthenticated"])
def test_what_every_request_would_meet_ends_the_run_at_once(
    google: GoogleServer, quick: Backoff, item: Item, wrong: str
) -> None:
    google.trouble = lambda number, request: wrong
    items = [item(f"{number}{'a' * 4000}") for number in range(3)]
    summary = run(items, _google(google, quick, at_once=1), on_answer=lambda _: None)
    assert isinstance(summary.stopped, ServiceError)
    assert not summary.stopped.retryable
    assert f"trouble: {wrong}" in str(summary.stopped)
    assert len(google.requests) == 1
    assert summary.left + len(summary.failures) == 3


def test_what_is_sent(google: GoogleServer, quick: Backoff, item: Item) -> None:
    settings = {"project": "memes-1", "location": "us-central1", "model": "general/nmt"}
    translator = _google(google, quick, glossary={"zh-Hans": "slang"}, **settings)
    items = [
        item("me // // my code", "zh"),
        item("// only below", "de"),
        item("two\nlines", "de"),
    ]
    answers = {
        answer.language + answer.meme_id: answer for answer in _collect(items, translator).values()
    }
    first, second = google.requests
    if first.target_language_code != "zh-CN":
        first, second = second, first
    parent = "projects/memes-1/locations/us-central1"
    assert (first.parent, first.source_language_code) == (parent, "en")
    assert first.target_language_code == "zh-CN"
    assert list(first.contents) == ["me // my code"]
    assert first.model == f"{parent}/models/general/nmt"
    assert first.glossary_config.glossary == f"{parent}/glossaries/slang"
    assert list(second.contents) == ["only below", "two\nlines"]
    assert not second.glossary_config.glossary
    parts = [answer.caption.parts for answer in answers.values()]
    assert ("zh-CN: me", "", "zh-CN: my code") in parts
    assert ("", "de: only below") in parts
    assert ("de: two\nlines",) in parts


def test_the_budget_is_never_passed_whatever_is_asked_again(
    google: GoogleServer, quick: Backoff, starter: list[TranslationItem]
) -> None:
    google.lose = lambda text: True
    translator = _google(google, quick)
    whole = plan(starter, translator)
    budget = whole["cost"] / 2
    summary: RunSummary = run(starter, translator, budget=budget, on_answer=lambda _: None)
    assert summary.over_budget
    assert 0 < summary.cost <= budget
    assert summary.cost > budget - 0.01
    sent = sum(len(text) for request in google.requests for text in request.contents)
    assert summary.cost == pytest.approx(sent * 20 / 1e6)
    assert summary.translated + summary.repeated + summary.left == len(starter)


def test_credentials_never_go_in_plain_text(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048).private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    account = {
        "type": "service_account",
        "project_id": "from-the-key",
        "private_key": key.decode(),
        "client_email": "memes@from-the-key.example.org",
        "token_uri": "https://oauth2.example.org/token",
    }
    file = tmp_path / "key.json"
    file.write_text(json.dumps(account))
    monkeypatch.delenv("GOOGLE_CLOUD_PROJECT", raising=False)
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(file))
    connection = Connection(GoogleSettings())
    service = "https://translate.googleapis.com/v3/projects"
    assert connection.url == f"{service}/from-the-key/locations/global:translateText"
    assert connection.credentials.service_account_email == account["client_email"]
    europe = Connection(GoogleSettings(endpoint="translate-eu.googleapis.com"))
    assert europe.url.startswith("https://translate-eu.googleapis.com/v3/")
    monkeypatch.setenv("GOOGLE_CLOUD_PROJECT", "from-the-environment")
    named = Connection(GoogleSettings(location="europe-west1"))
    assert "/projects/from-the-environment/locations/europe-west1:" in named.url
    local = Connection(GoogleSettings(endpoint="localhost:8080"))
    assert local.url.startswith("http://localhost:8080/v3/")
    assert local.credentials is None
    with serve(lambda request: json_reply({"access_token": "abc", "expires_in": 60})) as address:
        file.write_text(json.dumps(account | {"token_uri": f"{address}/token"}))
        headers = Connection(GoogleSettings())._authorization()
    assert headers["authorization"] == "Bearer abc"
    file.unlink()
    with pytest.raises(MissingError, match=r"names .*key\.json"):
        Connection(GoogleSettings())
