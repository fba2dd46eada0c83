"""A server that speaks the OpenAI chat protocol. In: messages and a schema. Out: its model's text.

A cloud model, vLLM, Ollama, llama.cpp: all answer `POST {base_url}/chat/completions`, and each
understands a little less or other than the next. What a server refuses is left out from then on.
Quota, errors of its own and cut connections are met with waiting; a body without end is cut off.
So is what is no answer at all (the page of a hotel's network, half of a body), once the server has
answered: before that, its address is more likely wrong.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from importlib.util import find_spec
from secrets import token_hex
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from memeloc.errors import MissingError, ServiceError
from memeloc.language_models.connections import Connections, UnansweredError
from memeloc.language_models.pictures import EncodedPictures
from memeloc.language_models.protocol import (
    Reply,
    error_in,
    read_completion,
    refused_part,
    request_body,
    sent_settings,
)
from memeloc.language_models.questions import Message, Picture, Question
from memeloc.language_models.settings import ModelSettings, read_key
from memeloc.request_pool import Backoff, TransientFailure, retry_after

if TYPE_CHECKING:
    from any_llm import AnyLLM
    from urllib3 import BaseHTTPResponse

_STATUSES = {
    "RateLimitError": 429,
    "AuthenticationError": 401,
    "InsufficientFundsError": 402,
    "ModelNotFoundError": 404,
    "UnsupportedParameterError": 400,
    "ContentFilterError": 400,
    "ContextLengthExceededError": 400,
    "InvalidRequestError": 400,
}
"""By any-llm's error the status that stands for it where the service gave none."""


@dataclass(frozen=True, slots=True)
class TranslatedResponse:
    """A status and headers, as urllib3's response has them."""

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    reason: str = ""


class ProviderConnections:
    """A service behind any-llm-sdk, as `Connections` to one that speaks the OpenAI protocol. Raise
    MissingError if any-llm-sdk, what it needs of the provider, or the key is missing."""

    def __init__(self, service: str, settings: ModelSettings) -> None:
        self._service, self._settings = service, settings
        try:
            from any_llm import AnyLLM
            from any_llm.exceptions import (
                AnyLLMError,
                MissingApiKeyError,
                UnsupportedParameterError,
                UnsupportedProviderError,
            )
        except ImportError as error:
            raise MissingError(
                f"{settings.provider} is asked through any-llm-sdk: "
                f"pip install 'any-llm-sdk[{settings.provider}]'"
            ) from error
        self._errors = AnyLLMError
        named = {
            "api_key": read_key(settings) if "key_variable" in settings.model_fields_set else None,
            "api_base": settings.base_url if "base_url" in settings.model_fields_set else None,
        }
        values: dict[str, Any] = {name: value for name, value in named.items() if value}
        try:
            try:
                self._llm: AnyLLM = AnyLLM.create(
                    settings.provider, **values, unified_exceptions=True, max_retries=0
                )
            except UnsupportedParameterError:  # some have no count of retries
                self._llm = AnyLLM.create(settings.provider, **values, unified_exceptions=True)
        except MissingApiKeyError as error:
            raise MissingError(
                f"{settings.provider} wants a key: set the environment variable "
                f"{error.env_var_name}, or name another by key_variable"
            ) from error
        except (ImportError, UnsupportedProviderError) as error:
            raise MissingError(
                f"{settings.provider} cannot be asked: {' '.join(str(error).split())[:300]} "
                f"pip install 'any-llm-sdk[{settings.provider}]'"
            ) from error

    def exchange(self, content: bytes) -> tuple[TranslatedResponse, bytes]:
        """Return the answer to a request in the OpenAI protocol, or the error as a status. Raise
        UnansweredError if none came in time, or one without an answer in it; ServiceError if the
        service was not reached."""
        body: dict[str, Any] = json.loads(content)
        try:
            answer = self._llm.completion(**body, timeout=self._settings.timeout)
        except self._errors as error:
            return self._failed(error)
        return TranslatedResponse(), answer.model_dump_json().encode()

    def _failed(self, error: Any) -> tuple[TranslatedResponse, bytes]:
        status = error.status_code or _STATUSES.get(type(error).__name__)
        message = " ".join(str(error.message).split())
        if status is None:
            cause = type(error.original_exception or error).__name__
            reason = f"{message} ({cause})"
            if "connect" in cause.lower():
                raise ServiceError(self._service, reason, retryable=True) from error
            raise UnansweredError(self._service, reason) from error
        # Gemini refuses, and Anthropic, with words of their own: the filter's code says it for all.
        is_filtered = type(error).__name__ == "ContentFilterError"
        code = "content_filter" if is_filtered else error.code or error.error_type or ""
        wait = getattr(error, "retry_after", None)
        report = {"error": {"message": message, "code": code}}
        headers = {"retry-after": str(wait)} if wait else {}
        return TranslatedResponse(status, headers), json.dumps(report).encode()

    def close(self) -> None:
        """Close nothing: the library's connections end with this object."""


AnyConnections = Connections | ProviderConnections


_BLIND = frozenset((400, 406, 415, 422, 500, 501))
"""HTTP statuses with which text-only servers answer a picture."""
_PNG = (
    "iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAAAAACPAi4CAAAAK0lEQVR42u3MMREAAAgEoNfkRjeEmwcBqMlNRyAQCAQC"
    "gUAgEAgEAsHzYAFAdAEArKmlZAAAAABJRU5ErkJggg=="
)
_PLAIN = Picture("64 x 64 grey pixels", lambda: base64.b64decode(_PNG), "image/png")
_TIMED_OUT = frozenset((408, 504))
_MISSING = 1.5
"""Seconds after which a server that nothing was heard of is not waited for: it takes some three."""
_SHORTEST_KEY = 8
"""Letters of a key that is searched for in texts: local servers are given such as `x`."""
_TRANSIENT = frozenset((408, 409, 425, 429, 500, 502, 503, 504, 529))
_FOR_ALL = frozenset((301, 302, 303, 307, 308, 401, 402, 403, 404))
_FILTERED = re.compile(
    r"content[ _]?(?:filter|policy|management)|moderation|prohibited_content|\bsafety\b",
    re.IGNORECASE,
)
_NONCE = token_hex(8)
"""Nobody's text holds it, so the place of a picture's address is no text of anybody."""


class StatusError(ServiceError):
    """An HTTP status that is not success.

    It may ask to `wait` so many seconds; `code` is the protocol's short name of the error;
    `for_all` says whether every further question would meet it too.
    """

    def __init__(
        self,
        service: str,
        status: int,
        reason: str,
        wait: float = 0.0,
        code: str = "",
        *,
        for_all: bool = False,
    ) -> None:
        # An empty account is sent as 429, and waiting does not help.
        for_all = for_all or status in _FOR_ALL or code == "insufficient_quota"
        retryable = status in _TRANSIENT and not for_all
        super().__init__(service, f"HTTP status {status}: {reason}", retryable=retryable)
        self.status, self.reason, self.wait, self.code = status, reason, wait, code
        self.for_all = for_all


Pay = Callable[[Callable[[], Reply]], Reply]
"""Sends a request by calling what it is given, and accounts for what that costs."""


class Server:
    """One server and one model on it, see `LanguageModel`. May be used from several threads."""

    def __init__(
        self, settings: ModelSettings, service: str, pip: str, pictures: EncodedPictures
    ) -> None:
        self.settings = settings
        self.service = service
        self._pictures = pictures
        self._pip = pip
        self._left_out: frozenset[str] = frozenset()
        self._lock = Lock()
        self._connections: AnyConnections | None = None
        self._key = ""
        self._has_answered = self._is_there = False
        self._missing_since = 0.0
        self._first_picture = Lock()
        self._sees = False  # a picture was answered
        self._blind: bool | None = None
        self._refused: ServiceError | None = None

    def connect(self) -> AnyConnections:
        """Return the connections, made when there are none yet. Raise MissingError if urllib3 is
        missing, or the server wants a key and none is set."""
        with self._lock:
            if self._connections is None and self.settings.provider:
                self._connections = ProviderConnections(self.service, self.settings)
            elif self._connections is None:
                if find_spec("urllib3") is None or find_spec("certifi") is None:
                    raise MissingError(f"{self.service} needs urllib3: pip install '{self._pip}'")
                self._key = read_key(self.settings)
                address, mark, query = self.settings.base_url.partition("?")
                # Azure's deployments, which have versions, take a key by a header of their own.
                named = {"api-key": self._key} if query else {}
                headers = named or {"Authorization": f"Bearer {self._key}"} if self._key else {}
                url = f"{address.rstrip('/')}/chat/completions{mark}{query}"
                self._connections = Connections(self.service, url, headers, self.settings.timeout)
            return self._connections

    def close(self) -> None:
        """Close the connections."""
        with self._lock:
            if self._connections is not None:
                self._connections.close()
                self._connections = None

    def leave_out(self, part: str) -> None:
        """Send a part of requests no more; see `request_body`."""
        with self._lock:
            self._left_out |= {part}

    def send(self, question: Question[Any], backoff: Backoff, pay: Pay) -> Reply:
        """Send one question until there is an answer, right or wrong.

        Pictures go out one after the other until one is answered, so that a model that does not see
        is found out by one of them. `pay` sends each request; an `UnansweredError` that it makes
        final is not repeated. Raise MissingError if urllib3 is missing, or the server wants a key
        and none is set; ServiceError if the server refuses for good, or still after all attempts of
        `backoff`; or the model does not see.
        """
        connections = self.connect()
        if not self._sees and any(message.pictures for message in question.messages):
            with self._first_picture:
                if self._refused is not None:
                    raise self._refused
                if not self._sees:
                    if backoff.stop.is_set():
                        reason = "the run ended before this was asked"
                        raise ServiceError(self.service, reason, retryable=True)
                    reply = self._send(connections, question, backoff, pay, sees=False)
                    self._sees = True
                    return reply
        return self._send(connections, question, backoff, pay, sees=True)

    def _send(
        self,
        connections: AnyConnections,
        question: Question[Any],
        backoff: Backoff,
        pay: Pay,
        *,
        sees: bool,
    ) -> Reply:
        def passing(error: Exception) -> TransientFailure | None:
            """Return why a request may be sent again; a server that never was there is given up,
            and so is a model that will never see."""
            if not isinstance(error, ServiceError) or not error.retryable:
                return None
            if isinstance(error, UnansweredError):
                return None if error.final else TransientFailure(error)
            if isinstance(error, StatusError):
                is_blind = not sees and self._is_blind(connections, error)
                return None if is_blind else TransientFailure(error, error.wait)
            with self._lock:
                self._missing_since = self._missing_since or monotonic()
                if not self._is_there and monotonic() - self._missing_since > _MISSING:
                    return None
            return TransientFailure(error)

        while True:
            pictures: list[Picture] = []

            def place(picture: Picture, pictures: list[Picture] = pictures) -> str:
                pictures.append(picture)
                return f"{_NONCE} {len(pictures)}"

            body = request_body(self.settings, question, self._left_out, place)
            content = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
            # Addresses of pictures are put in last: JSON would look at each of their letters.
            for number, picture in enumerate(pictures, 1):
                url = self._pictures.data_url(picture)
                content = content.replace(f'"{_NONCE} {number}"'.encode(), f'"{url}"'.encode())
            try:
                send = partial(pay, partial(self._post, connections, content))
                reply = backoff.ask(send, passing)
                return replace(reply, sent=sent_settings(self.settings, body))
            except StatusError as error:
                refused = (
                    refused_part(error.reason, body) if error.status in (400, 422, 501) else ""
                )
                if refused:
                    self.leave_out(refused)
                elif not sees and self._is_blind(connections, error):
                    reason = (
                        f"{self.settings.model} answers texts, but no picture: {error.reason}; "
                        "name a model that sees, or ask this one about texts alone"
                    )
                    self._refused = StatusError(self.service, error.status, reason, for_all=True)
                    raise self._refused from error
                else:
                    raise

    def _is_blind(self, connections: AnyConnections, error: StatusError) -> bool:
        """Return whether an error comes of there being a picture: two small questions tell, whether
        a text is answered, and not a text with a picture."""
        if error.for_all or error.status not in _BLIND:
            return False
        if self._blind is None:
            settings = self.settings.model_copy(update={"max_tokens": 1, "logprobs": 0})
            answered = []
            for pictures in ((), (_PLAIN,)):
                message = Message("user", "Answer with one word: hello.", pictures)
                body = request_body(settings, Question[str]((message,), None), self._left_out)
                try:
                    self._post(connections, json.dumps(body).encode())
                    answered.append(True)
                except ServiceError as failure:
                    is_refusal = isinstance(failure, StatusError) and failure.status in _BLIND
                    answered.append(not is_refusal)
            self._blind = answered == [True, False]
        return self._blind

    def _post(self, connections: AnyConnections, content: bytes) -> Reply:
        try:
            response, content = connections.exchange(content)
        except ValueError as error:
            retryable = self._has_answered
            raise ServiceError(self.service, str(error), retryable=retryable) from error
        self._is_there = True
        if response.status >= 300:
            return self._filtered(response.status, content, response)
        try:
            reply = read_completion(content)
        except ValidationError:
            reported = error_in(content)
            if reported:  # some relays send the error of the server behind as a success
                code = str(reported.get("code"))
                status = int(code) if re.fullmatch("[45][0-9][0-9]", code) else 502
                return self._filtered(status, content, response)
            raise ServiceError(
                self.service,
                "its answer is not in the OpenAI chat protocol; does base_url end with /v1?",
                retryable=self._has_answered,
            ) from None
        self._has_answered = True
        return reply

    def _filtered(
        self, status: int, content: bytes, response: BaseHTTPResponse | TranslatedResponse
    ) -> Reply:
        """Return the refusal of a filter before the model, such as Azure's; raise other errors."""
        error = error_in(content)
        reason = error.get("message")
        text = reason if isinstance(reason, str) else content[:2000].decode("utf-8", "replace")
        text = " ".join(text.split())
        if len(self._key) >= _SHORTEST_KEY:
            text = text.replace(self._key, "[key]")
        text = text[:300] or (response.reason or "")
        if 300 <= status < 400:
            text = "it redirects elsewhere; set base_url to where it stands"
        if status in _TIMED_OUT:
            raise UnansweredError(self.service, f"HTTP status {status}: {text}")
        code = error.get("code") or error.get("type")
        code = code if isinstance(code, str) else ""
        if status in (400, 422) and _FILTERED.search(f"{code} {text}"):
            return Reply("", refusal=text)
        wait = retry_after(response.headers.get("retry-after", ""))
        raise StatusError(self.service, status, text, wait, code)
