"""A server that speaks the OpenAI chat protocol. In: messages and a schema. Out: its model's text.

A cloud model, vLLM, Ollama, llama.cpp: all answer `POST {base_url}/chat/completions`, and each
understands a little less or other than the next. What a server refuses is left out from then on.
Quota, errors of its own and cut connections are met with waiting; a body without end is cut off.
So is what is no answer at all (the page of a hotel's network, half of a body), once the server has
answered: before that, its address is more likely wrong.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Any, cast

from pydantic import (
    BaseModel,
    Field,
    ValidationError,
    ValidatorFunctionWrapHandler,
    field_validator,
)

from memeloc.errors import MissingError, ServiceError
from memeloc.language_models.forms import strict_schema
from memeloc.language_models.questions import Message
from memeloc.language_models.settings import ModelSettings, read_key
from memeloc.request_pool import Backoff, TransientFailure, retry_after

if TYPE_CHECKING:
    import httpx

MAX_BODY = 4_000_000
"""Bytes of an answer's body at the most."""

_TRANSIENT = frozenset((408, 409, 425, 429, 500, 502, 503, 504, 529))
_FOR_ALL = frozenset((301, 302, 303, 307, 308, 401, 402, 403, 404))
_FILTERED = re.compile(r"content[ _]?(?:filter|policy|management)|moderation", re.IGNORECASE)
_FORMATS = ("json_schema", "json_object")
"""Of an answer, the stricter first."""
_ABOUT_FORMAT = r"response_?format|json_?(?:schema|object)|schema|grammar|structured"
_COMPLAINTS = {
    "max_tokens": "max_completion_tokens",
    "temperature": "temperature",
    "seed": r"\bseed\b",
    "json_schema": _ABOUT_FORMAT,
    "json_object": _ABOUT_FORMAT,
}
"""What servers write when they refuse a part of a request."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a server answered to one request.

    Attributes:
        text: of the model's message.
        refusal: why the model or a filter before it would not answer; empty when it did.
        cut: whether the answer ended at its limit of tokens.
        model: the server's name of what answered.
        tokens_in, tokens_out: as it counts them; None when it does not.
    """

    text: str
    refusal: str = ""
    cut: bool = False
    model: str = ""
    tokens_in: int | None = None
    tokens_out: int | None = None


class StatusError(ServiceError):
    """An HTTP status that is not success.

    It may ask to `wait` so many seconds; `code` is the protocol's short name of the error;
    `for_all` says whether every further question would meet it too.
    """

    def __init__(
        self, service: str, status: int, reason: str, wait: float = 0.0, code: str = ""
    ) -> None:
        spent = code == "insufficient_quota"  # is sent as 429, and waiting does not help
        retryable = status in _TRANSIENT and not spent
        super().__init__(service, f"HTTP status {status}: {reason}", retryable=retryable)
        self.status, self.reason, self.wait, self.code = status, reason, wait, code
        self.for_all = status in _FOR_ALL or spent


class Server:
    """One server and one model on it, see `LanguageModel`. May be used from several threads."""

    def __init__(self, settings: ModelSettings, service: str, pip: str) -> None:
        self.settings = settings
        self.service = service
        self._pip = pip
        self._left_out: frozenset[str] = frozenset()
        self._lock = Lock()
        self._client: httpx.Client | None = None
        self._key = ""
        self._has_answered = False

    def send(
        self,
        messages: Sequence[Message],
        form: type[BaseModel] | None,
        backoff: Backoff,
    ) -> Reply:
        """One question, sent until there is an answer, whose form the server may enforce.

        Raises:
            MissingError: httpx is missing, or the server wants a key and none is set.
            ServiceError: the server refuses for good, or still after all attempts of `backoff`.
        """
        client = self.connect()
        while True:
            left_out = self._left_out
            body = _body(self.settings, left_out, messages, form)
            try:
                return backoff.ask(partial(self._post, client, body), self._passing)
            except StatusError as error:
                # A filter before the model refuses a question as Azure's does, with status 400.
                if error.status in (400, 422) and _FILTERED.search(f"{error.code} {error.reason}"):
                    return Reply("", refusal=error.reason)
                refused = _refused(error, left_out) if error.status in (400, 422, 501) else ""
                if not refused:
                    raise
                self._left_out = left_out | {refused}

    def close(self) -> None:
        """Close the connections."""
        with self._lock:
            if self._client is not None:
                self._client.close()
                self._client = None

    def connect(self) -> httpx.Client:
        """The connections, made when there are none yet.

        Raises:
            MissingError: httpx is missing, or the server wants a key and none is set.
        """
        with self._lock:
            if self._client is None:
                try:
                    import httpx
                except ImportError as error:
                    raise MissingError(
                        f"{self.service} needs httpx: pip install '{self._pip}'"
                    ) from error
                self._key = read_key(self.settings)
                headers = {"Accept-Encoding": "identity"}
                if self._key:
                    headers["Authorization"] = f"Bearer {self._key}"
                self._client = httpx.Client(
                    headers=headers,
                    timeout=self.settings.timeout,
                    limits=httpx.Limits(max_connections=None),
                )
            return self._client

    def _post(self, client: httpx.Client, body: Mapping[str, Any]) -> Reply:
        url = f"{self.settings.base_url.rstrip('/')}/chat/completions"
        with client.stream("POST", url, json=body) as response:
            content = self._read(response)
        if response.status_code >= 300:
            raise self._status(response.status_code, content, response)
        try:
            reply = _Completion.model_validate_json(content).reply()
        except ValidationError:
            error = _error(content)
            if error:  # some relays send the error of the server behind as a success
                code = str(error.get("code"))
                status = int(code) if re.fullmatch("[45][0-9][0-9]", code) else 502
                raise self._status(status, content, response) from None
            raise self._no_answer(
                "its answer is not in the OpenAI chat protocol; does base_url end with /v1?"
            ) from None
        self._has_answered = True
        return reply

    def _no_answer(self, sentence: str) -> ServiceError:
        return ServiceError(self.service, sentence, retryable=self._has_answered)

    def _read(self, response: httpx.Response) -> bytes:
        """The body, as far as it may go."""
        import httpx

        until = monotonic() + self.settings.timeout
        content = bytearray()
        for chunk in response.iter_bytes():  # as they come: whole chunks may take for ever
            content += chunk
            if len(content) > MAX_BODY:
                raise self._no_answer(f"its answer has more than {MAX_BODY:,} bytes")
            if monotonic() > until:
                raise httpx.ReadTimeout(f"no whole answer within {self.settings.timeout:g} s")
        return bytes(content)

    def _status(self, status: int, content: bytes, response: httpx.Response) -> StatusError:
        error = _error(content)
        reason = error.get("message")
        text = reason if isinstance(reason, str) else content[:2000].decode("utf-8", "replace")
        text = self._without_key(" ".join(text.split()))[:300] or response.reason_phrase
        if 300 <= status < 400:
            text = "it redirects elsewhere; set base_url to where it stands"
        code = error.get("code") or error.get("type")
        wait = retry_after(response.headers.get("retry-after", ""))
        return StatusError(self.service, status, text, wait, code if isinstance(code, str) else "")

    def _without_key(self, text: str) -> str:
        return text.replace(self._key, "[key]") if self._key else text

    def _passing(self, error: Exception) -> TransientFailure | None:
        import httpx

        if isinstance(error, ServiceError):
            wait = error.wait if isinstance(error, StatusError) else 0.0
            return TransientFailure(error, wait) if error.retryable else None
        if isinstance(error, httpx.HTTPError | httpx.StreamError):
            reason = self._without_key(f"{error or 'no answer'} ({type(error).__name__})")
            return TransientFailure(ServiceError(self.service, reason, retryable=True))
        return None


def _refused(error: StatusError, left_out: frozenset[str]) -> str:
    """The part of a request that a server refuses and that it was sent; empty for none."""
    for part, complaint in _COMPLAINTS.items():
        if part not in left_out and re.search(complaint, error.reason, re.IGNORECASE):
            return part
    return ""


def _body(
    settings: ModelSettings,
    left_out: frozenset[str],
    messages: Sequence[Message],
    form: type[BaseModel] | None,
) -> dict[str, Any]:
    wired = [message.wire() for message in messages]
    limit = "max_completion_tokens" if "max_tokens" in left_out else "max_tokens"
    body: dict[str, Any] = {
        "model": settings.model,
        "messages": wired,
        limit: settings.max_tokens,
        "temperature": settings.temperature,
        "seed": settings.seed,
    }
    body = {part: value for part, value in body.items() if part not in left_out} | settings.extra
    if form is None:
        return body
    schema = strict_schema(form)
    strictest = next((kind for kind in _FORMATS if kind not in left_out), "")
    if strictest:
        body["response_format"] = {"type": strictest}
    if strictest == "json_schema":
        body["response_format"][strictest] = {
            "name": form.__name__,
            "strict": True,
            "schema": schema,
        }
        return body
    # What the server does not hold its model to, the instruction says.
    instruction = f"Answer with one JSON object only, by this JSON Schema: {json.dumps(schema)}"
    if wired[0]["role"] == "system":
        wired[0]["content"] += f"\n\n{instruction}"
    else:
        wired.insert(0, {"role": "system", "content": instruction})
    return body


class _Part(BaseModel):
    text: str = ""


class _Message(BaseModel):
    content: str | list[_Part] | None = None
    refusal: str | None = None


class _Choice(BaseModel):
    message: _Message | None = None
    finish_reason: str | None = None


class _Usage(BaseModel):
    prompt_tokens: int = Field(ge=0)
    completion_tokens: int = Field(0, ge=0)


class _Completion(BaseModel):
    """An answer in the protocol, with what servers leave out."""

    choices: list[_Choice]
    model: str | None = None
    usage: _Usage | None = None

    @field_validator("usage", mode="wrap")
    @classmethod
    def _counted(cls, value: Any, check: ValidatorFunctionWrapHandler) -> _Usage | None:
        """Tokens that are no numbers are tokens not counted: the answer beside them is paid."""
        try:
            return cast("_Usage | None", check(value))
        except ValidationError:
            return None

    def reply(self) -> Reply:
        choice = self.choices[0] if self.choices else _Choice()
        message = choice.message or _Message()
        content = message.content or ""
        refusal = message.refusal or ""
        if choice.finish_reason == "content_filter" and not refusal:
            refusal = "its content filter ended the answer"
        return Reply(
            content if isinstance(content, str) else "".join(part.text for part in content),
            " ".join(refusal.split())[:300],
            choice.finish_reason == "length",
            (self.model or "")[:200],
            self.usage.prompt_tokens if self.usage else None,
            self.usage.completion_tokens if self.usage else None,
        )


def _error(content: bytes) -> dict[str, Any]:
    """The error in an answer; empty when there is none."""
    try:
        error = json.loads(content)["error"]
    except (ValueError, RecursionError, TypeError, KeyError):
        return {}
    return error if isinstance(error, dict) else {"message": error} if error else {}
