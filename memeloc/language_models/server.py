"""A server that speaks the OpenAI chat protocol. In: messages and a schema. Out: its model's text.

A cloud model, vLLM, Ollama, llama.cpp: all answer `POST {base_url}/chat/completions`, and each
understands a little less or other than the next. What a server refuses is left out from then on.
Quota, errors of its own and cut connections are met with waiting; a body without end is cut off.
So is what is no answer at all (the page of a hotel's network, half of a body), once the server has
answered: before that, its address is more likely wrong.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from secrets import token_hex
from threading import Event, Lock
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
    request_content,
    sent_settings,
)
from memeloc.language_models.providers import (
    AnyConnections,
    ProviderConnections,
    TranslatedResponse,
)
from memeloc.language_models.questions import Message, Picture, Question
from memeloc.language_models.settings import ModelSettings, read_key
from memeloc.request_pool import Backoff, TransientFailure, retry_after

if TYPE_CHECKING:
    from urllib3 import BaseHTTPResponse

BLIND = frozenset((400, 406, 415, 422, 500, 501))
"""HTTP statuses with which text-only servers answer a picture."""


class Sight:
    """Knowledge of whether a server's model sees. May be used from several threads.

    Attributes:
        known: a picture was answered; there is nothing to find out any more.
    """

    def __init__(self) -> None:
        self.known = False
        self._lock = Lock()
        self._blind: bool | None = None
        self._refused: ServiceError | None = None

    @contextmanager
    def first_picture(self, service: str, stop: Event) -> Iterator[None]:
        """Pictures one after the other, until one is answered; `stop` is the run's end.

        Raises:
            ServiceError: the model does not see, or the run ended meanwhile.
        """
        with self._lock:
            if self._refused is not None:
                raise self._refused
            if not self.known:
                if stop.is_set():
                    raise ServiceError(
                        service, "the run ended before this was asked", retryable=True
                    )
                yield
                self.known = True
                return
        yield

    def refuse(self, error: ServiceError) -> ServiceError:
        """Raise this error for every further picture; it is given back."""
        self._refused = error
        return error

    def blind(self, ask: Callable[[Message], bool]) -> bool:
        """Return whether the model answers texts, but no picture; `ask` says if it answers one."""
        if self._blind is None:
            text = "Answer with one word: hello."
            sees = Message("user", text, (_PLAIN,))
            self._blind = ask(Message("user", text)) and not ask(sees)
        return self._blind


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
        self._sight = Sight()
        self._pip = pip
        self._left_out: frozenset[str] = frozenset()
        self._lock = Lock()
        self._connections: AnyConnections | None = None
        self._key = ""
        self._has_answered = False
        self._missing_since = 0.0
        self._is_there = False

    def send(self, question: Question[Any], backoff: Backoff, pay: Pay) -> Reply:
        """One question, sent until there is an answer, right or wrong.

        `pay` sends each request; an `UnansweredError` that it makes final is not repeated.

        Raises:
            MissingError: urllib3 is missing, or the server wants a key and none is set.
            ServiceError: the server refuses for good, or still after all attempts of `backoff`.
        """
        connections = self.connect()
        if self._sight.known or not any(message.pictures for message in question.messages):
            return self._send(connections, question, backoff, pay)
        with self._sight.first_picture(self.service, backoff.stop):
            return self._send(connections, question, backoff, pay, sees=self._sight.known)

    def _send(
        self,
        connections: AnyConnections,
        question: Question[Any],
        backoff: Backoff,
        pay: Pay,
        *,
        sees: bool = True,
    ) -> Reply:
        """One question; where it is not known whether the model `sees`, that is found out first."""
        while True:
            left_out = self._left_out
            places: dict[str, Picture] = {}
            body = request_body(self.settings, question, left_out, partial(_place, places))
            addresses = {place: self._pictures.data_url(each) for place, each in places.items()}
            content = request_content(body, addresses)
            passing = self._passing if sees else partial(self._passing_or_blind, connections)
            sent = sent_settings(self.settings, body)
            try:
                send = partial(self._post, connections, content)
                return replace(backoff.ask(partial(pay, send), passing), sent=sent)
            except StatusError as error:
                refused = (
                    refused_part(error.reason, body) if error.status in (400, 422, 501) else ""
                )
                if refused:
                    self.leave_out(refused)
                elif not sees and self._blind(connections, error):
                    raise self._sight.refuse(self._sees_nothing(error)) from error
                else:
                    raise

    def _passing_or_blind(
        self, connections: AnyConnections, error: Exception
    ) -> TransientFailure | None:
        """No waiting for a model to see that never will."""
        if isinstance(error, StatusError) and self._blind(connections, error):
            return None
        return self._passing(error)

    def _passing(self, error: Exception) -> TransientFailure | None:
        """Return why a request may be sent again; a server that never was there is given up."""
        if not isinstance(error, ServiceError) or not error.retryable:
            return None
        if isinstance(error, UnansweredError):
            return None if error.final else TransientFailure(error)
        if not isinstance(error, StatusError):
            with self._lock:
                self._missing_since = self._missing_since or monotonic()
                if not self._is_there and monotonic() - self._missing_since > _MISSING:
                    return None
            return TransientFailure(error)
        return TransientFailure(error, error.wait)

    def _blind(self, connections: AnyConnections, error: StatusError) -> bool:
        """Return whether the error comes of there being a picture: two small questions tell."""
        if error.for_all or error.status not in BLIND:
            return False
        return self._sight.blind(lambda message: self._try(connections, message))

    def _try(self, connections: AnyConnections, message: Message) -> bool:
        """Return whether a message gets an answer; one token of it is enough."""
        settings = self.settings.model_copy(update={"max_tokens": 1, "logprobs": 0})
        body = request_body(settings, Question[str]((message,), None), self._left_out)
        try:
            self._post(connections, request_content(body, {}))
        except ServiceError as error:
            return not (isinstance(error, StatusError) and error.status in BLIND)
        return True

    def _sees_nothing(self, error: StatusError) -> StatusError:
        reason = (
            f"{self.settings.model} answers texts, but no picture: {error.reason}; name a model "
            "that sees, or ask this one about texts alone"
        )
        return StatusError(self.service, error.status, reason, for_all=True)

    def leave_out(self, part: str) -> None:
        """Send a part of requests no more; see `request_body`."""
        with self._lock:
            self._left_out |= {part}

    def close(self) -> None:
        """Close the connections."""
        with self._lock:
            if self._connections is not None:
                self._connections.close()
                self._connections = None

    def connect(self) -> AnyConnections:
        """Return the connections, made when there are none yet.

        Raises:
            MissingError: urllib3 is missing, or the server wants a key and none is set.
        """
        with self._lock:
            if self._connections is None:
                if self.settings.provider:
                    self._connections = ProviderConnections(self.service, self.settings)
                    return self._connections
                if find_spec("urllib3") is None or find_spec("certifi") is None:
                    raise MissingError(f"{self.service} needs urllib3: pip install '{self._pip}'")
                self._key = read_key(self.settings)
                headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
                url = f"{self.settings.base_url.rstrip('/')}/chat/completions"
                self._connections = Connections(self.service, url, headers, self.settings.timeout)
            return self._connections

    def _post(self, connections: AnyConnections, content: bytes) -> Reply:
        try:
            response, content = connections.exchange(content)
        except ValueError as error:
            raise self._no_answer(str(error)) from error
        self._is_there = True
        if response.status >= 300:
            return _filtered(self._status(response.status, content, response))
        try:
            reply = read_completion(content)
        except ValidationError:
            reported = error_in(content)
            if reported:  # some relays send the error of the server behind as a success
                code = str(reported.get("code"))
                status = int(code) if re.fullmatch("[45][0-9][0-9]", code) else 502
                return _filtered(self._status(status, content, response))
            raise self._no_answer(
                "its answer is not in the OpenAI chat protocol; does base_url end with /v1?"
            ) from None
        self._has_answered = True
        return reply

    def _no_answer(self, sentence: str) -> ServiceError:
        return ServiceError(self.service, sentence, retryable=self._has_answered)

    def _status(
        self, status: int, content: bytes, response: BaseHTTPResponse | TranslatedResponse
    ) -> ServiceError:
        error = error_in(content)
        reason = error.get("message")
        text = reason if isinstance(reason, str) else content[:2000].decode("utf-8", "replace")
        text = self._without_key(" ".join(text.split()))[:300] or (response.reason or "")
        if 300 <= status < 400:
            text = "it redirects elsewhere; set base_url to where it stands"
        if status in _TIMED_OUT:
            return UnansweredError(self.service, f"HTTP status {status}: {text}")
        code = error.get("code") or error.get("type")
        wait = retry_after(response.headers.get("retry-after", ""))
        return StatusError(self.service, status, text, wait, code if isinstance(code, str) else "")

    def _without_key(self, text: str) -> str:
        return text.replace(self._key, "[key]") if len(self._key) >= _SHORTEST_KEY else text


def _filtered(error: ServiceError) -> Reply:
    """Return the refusal of a filter before the model, such as Azure's; raise any other error."""
    if not isinstance(error, StatusError) or error.status not in (400, 422):
        raise error
    if not _FILTERED.search(f"{error.code} {error.reason}"):
        raise error
    return Reply("", refusal=error.reason)


def _place(places: dict[str, Picture], picture: Picture) -> str:
    """Return what stands for a picture's address until the body is written."""
    place = f"{_NONCE} {len(places)}"
    places[place] = picture
    return place
