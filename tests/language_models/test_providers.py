"""Services of other protocols, through any-llm-sdk: the same answers, budgets and refusals."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from pydantic import BaseModel, ConfigDict

from memeloc.errors import MissingError, ServiceError
from memeloc.language_models import LanguageModel, Message, ModelSettings
from memeloc.language_models.pictures import picture_of
from memeloc.language_models.questions import AnswerError
from memeloc.language_models.settings import read_model_settings
from memeloc.request_pool import Backoff
from tests.local_server import Reply, Request, json_reply, serve

PROVIDERS = {"anthropic": "ANTHROPIC_API_KEY", "gemini": "GEMINI_API_KEY"}


class Warm(BaseModel):
    """An answer."""

    model_config = ConfigDict(extra="forbid")

    warm: bool


class Services:
    """A server of both published shapes: what arrived, and what it is to say."""

    def __init__(self) -> None:
        self.url = ""
        self.bodies: list[dict[str, Any]] = []
        self.text = '{"warm": true}'
        self.stop = ("end_turn", "STOP")
        self.refuse: Callable[[int, dict[str, Any]], Reply | None] = lambda number, body: None

    def answer(self, request: Request) -> Reply:
        body, headers = request.json(), {name.lower(): v for name, v in request.headers.items()}
        self.bodies.append(body)
        if (refusal := self.refuse(len(self.bodies), body)) is not None:
            return refusal
        if request.path.startswith("/v1/messages"):
            assert headers["x-api-key"] == "key-of-mine"
            return json_reply(self.message(body))
        assert request.path.split("/", 2)[2].startswith("models/tiny:generateContent")
        assert headers["x-goog-api-key"] == "key-of-mine"
        return json_reply(self.generated())

    def message(self, body: dict[str, Any]) -> dict[str, Any]:
        """Anthropic's: https://docs.anthropic.com/en/api/messages"""
        return {
            "id": "msg_1", "type": "message", "role": "assistant", "model": "tiny-2026",
            "content": [{"type": "text", "text": self.text}] if self.text else [],
            "stop_reason": self.stop[0], "stop_sequence": None,
            "usage": {"input_tokens": 200, "output_tokens": 50},
        }  # fmt: skip

    def generated(self) -> dict[str, Any]:
        """Gemini's: https://ai.google.dev/api/generate-content"""
        content = {"parts": [{"text": self.text}], "role": "model"} if self.text else {}
        return {
            "candidates": [{"content": content, "finishReason": self.stop[1], "index": 0}],
            "usageMetadata": {
                "promptTokenCount": 200, "candidatesTokenCount": 50, "totalTokenCount": 250,
            },
            "modelVersion": "tiny-2026",
        }  # fmt: skip


@pytest.fixture
def services(monkeypatch: pytest.MonkeyPatch) -> Iterator[Services]:
    for name in ("ANTHROPIC_BASE_URL", "GOOGLE_API_KEY", "GOOGLE_GEMINI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    for name in PROVIDERS.values():
        monkeypatch.setenv(name, "key-of-mine")
    services = Services()
    with serve(services.answer) as services.url:
        yield services


def _model(services: Services, provider: str, **more: Any) -> LanguageModel:
    settings = ModelSettings(model="tiny", provider=provider, base_url=services.url, **more)
    return LanguageModel(settings, backoff=Backoff(attempts=4, first=0.004, longest=0.1, seed=3))


@pytest.mark.parametrize("provider", PROVIDERS)
def test_answer_tokens_and_model_are_those_of_the_service(
    services: Services, provider: str
) -> None:
    with _model(services, provider, price_in=1000, price_out=10_000) as model:
        answer = model.ask([Message("system", "Be brief."), Message("user", "Tea?")], Warm)
        assert answer.value == Warm(warm=True)
        # Of Gemini any-llm gives the model as it was asked for.
        name = {"anthropic": "tiny-2026", "gemini": "tiny"}[provider]
        assert (answer.model, answer.tokens_in, answer.tokens_out) == (name, 200, 50)
        assert model.spent.cost == answer.cost == pytest.approx(0.7)
    sent = json.dumps(services.bodies[-1])
    assert "Be brief." in sent
    assert "warm" in sent  # the schema


@pytest.mark.parametrize("provider", PROVIDERS)
def test_picture_arrives_as_it_is(services: Services, provider: str, tmp_path: Path) -> None:
    Image.new("RGB", (40, 30), "teal").save(tmp_path / "tea.png")
    message = Message("user", "Tea?", (picture_of(tmp_path / "tea.png"),))
    with _model(services, provider) as model:
        assert model.ask([message], Warm).value == Warm(warm=True)
    block = services.bodies[-1]
    if provider == "anthropic":
        (source,) = [
            part["source"] for part in block["messages"][-1]["content"] if part["type"] == "image"
        ]
        data = source["data"]
    else:
        (data,) = [
            part["inlineData"]["data"]
            for part in block["contents"][-1]["parts"]
            if "inlineData" in part
        ]
    assert base64.urlsafe_b64decode(data)[:2] == b"\xff\xd8"  # a JPEG


def failed(status: int, message: str, name: str) -> Reply:
    """An error, in the shapes of both services."""
    about = {"type": name.lower(), "message": message, "code": status, "status": name}
    return json_reply({"error": about}, status)


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize(
    ("stop", "text", "reply", "kind", "reason"),
    [
        (("refusal", "SAFETY"), "", None, "refused", ""),
        (("refusal", "PROHIBITED_CONTENT"), "", None, "refused", ""),
        (
            ("end_turn", "STOP"),
            "",
            failed(400, "Output blocked by content filtering policy", "INVALID_REQUEST_ERROR"),
            "refused",
            "",
        ),
        (("max_tokens", "MAX_TOKENS"), '{"wa', None, "wrong", "cut off at 1,024 tokens"),
    ],
    ids=["safety", "prohibited", "blocked prompt", "cut"],
)
def test_no_answer_says_why(
    services: Services, provider: str, stop: Any, text: str, reply: Any, kind: str, reason: str
) -> None:
    services.text, services.stop = text, stop
    services.refuse = lambda number, body: reply
    with _model(services, provider, asks=1) as model, pytest.raises(AnswerError) as caught:
        model.ask([Message("user", "Tea?")], Warm)
    assert caught.value.kind == kind
    assert reason in caught.value.reason
    assert len(services.bodies) == 1


@pytest.mark.parametrize("provider", PROVIDERS)
def test_quota_is_waited_for_and_a_wrong_key_ends_the_run(
    services: Services, provider: str
) -> None:
    busy = failed(429, "Too many", "RESOURCE_EXHAUSTED")
    services.refuse = lambda number, body: busy if number == 1 else None
    with _model(services, provider) as model:
        assert model.ask([Message("user", "Tea?")], Warm).value == Warm(warm=True)
        assert len(services.bodies) == 2
        services.refuse = lambda number, body: failed(401, "invalid x-api-key", "UNAUTHENTICATED")
        with pytest.raises(ServiceError, match="401"):
            model.ask([Message("user", "Coffee?")], Warm)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_several_are_asked_at_once(services: Services, provider: str) -> None:
    from memeloc.language_models import Question

    questions = [Question((Message("user", f"Tea {n}?"),), Warm) for n in range(24)]
    with _model(services, provider, at_once=8) as model:
        answers = [answer for _, answer in model.ask_all(questions)]
    assert all(getattr(answer, "value", None) == Warm(warm=True) for answer in answers)
    assert len(answers) == len(services.bodies) == 24


@pytest.mark.parametrize(("provider", "variable"), PROVIDERS.items())
def test_missing_key_names_the_variable(
    services: Services, provider: str, variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(variable)
    with _model(services, provider) as model, pytest.raises(MissingError, match=variable):
        model.ask([Message("user", "Tea?")], Warm)


def test_unknown_provider_is_a_sentence() -> None:
    settings = ModelSettings(model="tiny", provider="nobody")
    with LanguageModel(settings) as model, pytest.raises(MissingError, match="nobody"):
        model.ask([Message("user", "Tea?")], Warm)


def test_address_of_openai_is_not_taken_for_a_provider() -> None:
    environ = {"OPENAI_BASE_URL": "http://localhost:1/v1", "OPENAI_MODEL": "m"}
    settings = read_model_settings({"provider": "anthropic"}, environ=environ)
    assert settings.recorded["base_url"] == ""
    assert settings.recorded["provider"] == "anthropic"
    assert "provider" not in read_model_settings({}, environ=environ).recorded
