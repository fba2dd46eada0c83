"""The OpenAI chat protocol. In: a question, a server's bytes. Out: a request's body, a `Reply`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

from pydantic import BaseModel, Field, ValidationError, WrapValidator

from memeloc.language_models.answers import strict_schema
from memeloc.language_models.questions import MOST_TOKENS, Message, Picture, Question, Token, whole
from memeloc.language_models.settings import ModelSettings

_FORMATS = ("json_schema", "json_object")
"""Of an answer, the stricter first."""
_ABOUT_FORMAT = r"response_?format|json_?(?:schema|object)|schema|grammar|structured"
# top_p stands before temperature: a sentence that names both is of a server that takes only one of
# them (Claude's, in 2025), and of these it is top_p that is left out.
_COMPLAINTS = {
    "max_tokens": "max_completion_tokens",
    "top_p": r"\btop[_ -]?p\b",
    "temperature": "temperature",
    "seed": r"\bseed\b",
    "logprobs": "logprobs",
    "json_schema": _ABOUT_FORMAT,
    "json_object": _ABOUT_FORMAT,
}
"""What servers write when they refuse a part of a request."""
_REFUSALS = {
    "content_filter": "its content filter ended the answer",
    "refusal": "the model refused",
    "safety": "its safety filter ended the answer (SAFETY)",
    "prohibited_content": "its filter found prohibited content (PROHIBITED_CONTENT)",
    "blocklist": "its filter found a forbidden word (BLOCKLIST)",
    "recitation": "its filter found a recitation (RECITATION)",
    "spii": "its filter found personal data (SPII)",
}
"""By the reason with which providers (OpenAI, Azure, Anthropic, Gemini) end an answer: refusals."""
_ALWAYS_WANTED = ("temperature", "seed", "max_tokens")


@dataclass(frozen=True, slots=True)
class Reply:
    """A server's answer to one request.

    Attributes:
        text: of the model's message.
        refusal: why the model or a filter before it would not answer; empty when it did.
        cut: whether the answer ended at its limit of tokens.
        model: the server's name of what answered.
        tokens_in, tokens_out: as it counts them; None when it does not.
        logprobs: of the first tokens, where they were asked for.
        sent: what the request held; see `sent_settings`.
    """

    text: str
    refusal: str = ""
    cut: bool = False
    model: str = ""
    tokens_in: int | None = None
    tokens_out: int | None = None
    logprobs: tuple[Token, ...] = ()
    sent: Mapping[str, Any] = field(default_factory=dict)


def refused_part(reason: str, body: Mapping[str, Any]) -> str:
    """Return the part of a request that a server refuses and that it was sent; empty for none."""
    sent = {*body, body.get("response_format", {}).get("type")}
    for part, complaint in _COMPLAINTS.items():
        if part in sent and re.search(complaint, reason, re.IGNORECASE):
            return part
    return ""


def request_body(
    settings: ModelSettings,
    question: Question[Any],
    left_out: frozenset[str] = frozenset(),
    encode: Callable[[Picture], str] = Picture.data_url,
) -> dict[str, Any]:
    """Return the body of a request, without the parts that its server does not understand."""
    wired = [_wire(message, encode) for message in question.messages]
    limit = "max_completion_tokens" if "max_tokens" in left_out else "max_tokens"
    body: dict[str, Any] = {
        "model": settings.model,
        "messages": wired,
        limit: settings.max_tokens,
        "temperature": settings.temperature,
        "seed": settings.seed + question.round,
    }
    if settings.logprobs and "logprobs" not in left_out:
        body |= {"logprobs": True, "top_logprobs": settings.logprobs}
    body |= settings.extra
    body = {part: value for part, value in body.items() if part not in left_out}
    if question.form is None:
        return body
    schema = strict_schema(question.form)
    strictest = next((kind for kind in _FORMATS if kind not in left_out), "")
    if strictest:
        body["response_format"] = {"type": strictest}
    if strictest == "json_schema":
        form = {"name": question.form.__name__, "strict": True, "schema": schema}
        body["response_format"][strictest] = form
        return body
    # What the server does not hold its model to, the instruction says.
    instruction = f"Answer with one JSON object only, by this JSON Schema: {json.dumps(schema)}"
    if wired[0]["role"] == "system":
        wired[0]["content"] += f"\n\n{instruction}"
    else:
        wired.insert(0, {"role": "system", "content": instruction})
    return body


def _wire(message: Message, encode: Callable[[Picture], str]) -> dict[str, Any]:
    if not message.pictures:
        return {"role": message.role, "content": message.words}
    pictures = [
        {"type": "image_url", "image_url": {"url": encode(picture)}} for picture in message.pictures
    ]
    before, after = (
        [{"type": "text", "text": whole(text)}] if text else []
        for text in (message.text, message.after)
    )
    return {"role": message.role, "content": [*before, *pictures, *after]}


def sent_settings(settings: ModelSettings, body: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a request's body holds beside messages and schema; None where left out."""
    wanted = dict.fromkeys((*_ALWAYS_WANTED, *settings.extra))
    return wanted | {
        name: value for name, value in body.items() if name not in ("messages", "response_format")
    }


def _or_none(value: Any, check: Callable[[Any], Any]) -> Any:
    """Return None for what has another form: the answer beside it is paid."""
    try:
        return check(value)
    except ValidationError:
        return None


class _Part(BaseModel):
    text: str = ""


class _Message(BaseModel):
    content: str | list[_Part] | None = None
    refusal: str | None = None


class _Likely(BaseModel):
    token: str
    logprob: float = Field(allow_inf_nan=False)


class _Token(_Likely):
    top_logprobs: list[_Likely] = []


class _Logprobs(BaseModel):
    content: list[_Token] | None = None


class _Choice(BaseModel):
    message: _Message | None = None
    finish_reason: str | None = None
    logprobs: Annotated[_Logprobs | None, WrapValidator(_or_none)] = None


class _Usage(BaseModel):
    prompt_tokens: int = Field(ge=0)
    completion_tokens: int = Field(0, ge=0)


class _Completion(BaseModel):
    """An answer in the protocol, with what servers leave out."""

    choices: list[_Choice]
    model: str | None = None
    usage: Annotated[_Usage | None, WrapValidator(_or_none)] = None


def read_completion(content: bytes) -> Reply:
    """Return what a server answered; ValidationError when it is not in the protocol."""
    completion = _Completion.model_validate_json(content)
    choice = completion.choices[0] if completion.choices else _Choice()
    message = choice.message or _Message()
    text = message.content or ""
    tokens = choice.logprobs.content or [] if choice.logprobs else []
    usage = completion.usage
    refusal = message.refusal or _REFUSALS.get((choice.finish_reason or "").lower(), "")
    return Reply(
        text if isinstance(text, str) else "".join(part.text for part in text),
        " ".join(refusal.split())[:300],
        choice.finish_reason == "length",
        (completion.model or "")[:200],
        usage.prompt_tokens if usage else None,
        usage.completion_tokens if usage else None,
        tuple(
            Token(
                token.token,
                token.logprob,
                tuple((each.token, each.logprob) for each in token.top_logprobs),
            )
            for token in tokens[:MOST_TOKENS]
        ),
    )


def error_in(content: bytes) -> dict[str, Any]:
    """Return the error in an answer; empty when there is none."""
    try:
        error = json.loads(content)["error"]
    except (ValueError, RecursionError, TypeError, KeyError):
        return {}
    return error if isinstance(error, dict) else {"message": error} if error else {}
