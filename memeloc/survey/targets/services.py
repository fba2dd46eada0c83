"""Services that targets speak to. In: requests. Out: answers, or why there are none."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar
from urllib.parse import urlsplit

from pydantic import BaseModel, ValidationError

from memeloc.errors import MissingError, ServiceError
from memeloc.request_pool import Backoff, TransientFailure, retry_after

if TYPE_CHECKING:
    import httpx

Result = TypeVar("Result")
Model = TypeVar("Model", bound=BaseModel)

_BUSY = frozenset({0, 408, 425, 429, 500, 502, 503, 504})


class RequestError(ServiceError):
    """A request without success: HTTP's `status`, 0 when no answer came, and seconds to wait."""

    def __init__(
        self, service: str, status: int, reason: str, wait: float = 0.0, *, busy: bool = False
    ) -> None:
        super().__init__(service, reason, retryable=busy or status in _BUSY)
        self.status, self.wait = status, wait


class JsonService:
    """Requests to a service's JSON API, sent by a client of httpx, tried again while it is busy.

    `refused` has what is said when it does not take the credentials, by status, with `{reason}`
    where the service's own reason stands; `secret` stands in no error. As a context it is closed.
    """

    def __init__(
        self,
        name: str,
        client: httpx.Client,
        refused: Mapping[int, str],
        backoff: Backoff | None = None,
        secret: str = "",
    ) -> None:
        self.name, self._client, self._refused = name, client, refused
        self._backoff, self._secret = backoff or Backoff(), secret

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self._client.close()

    def ask(self, send: Callable[[], Result]) -> Result:
        """Return what `send` does, tried again while the service is busy. When it is given up it is
        raised as a plain ServiceError, so that no outer request, of which it was a part, is tried
        again as well. Raises MissingError if the credentials are not taken."""

        def passing(error: Exception) -> TransientFailure | None:
            if isinstance(error, RequestError) and error.retryable:
                final = ServiceError(error.service, error.message, retryable=True)
                return TransientFailure(final, error.wait)
            return None

        return self._backoff.ask(send, passing)

    def call(self, method: str, url: str, body: object = None, **query: object) -> Any:
        """Return the answer to a request that may be sent again without harm; raises as `ask`."""
        return self.ask(lambda: self.send(method, url, body, **query))

    def send(self, method: str, url: str, body: object = None, **query: object) -> Any:
        """Return the answer to one request, sent once; raises as `ask` does."""
        import httpx

        params = {name: str(value) for name, value in query.items() if value != ""}
        try:
            response = self._client.request(method, url, json=body, params=params or None)
            if response.is_success:
                return response.json() if response.content else None
        except (httpx.HTTPError, ValueError) as error:
            reason = self._line(f"{error or 'no answer'} ({type(error).__name__})")
            raise RequestError(self.name, 0, reason) from error
        try:
            answer = response.json()
        except ValueError:
            answer = response.text
        for key in ("error", "message", "detail"):
            answer = answer.get(key, answer) if isinstance(answer, dict) else answer
        reason = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
        status, reason = response.status_code, self._line(reason)
        if status in self._refused:
            raise MissingError(self._refused[status].format(reason=reason))
        wait = retry_after(response.headers.get("retry-after", ""))
        busy = status == 403 and "ratelimit" in response.text.casefold()  # so Google says it
        raise RequestError(self.name, status, f"HTTP status {status}: {reason}", wait, busy=busy)

    def validated(self, model: type[Model], value: object) -> Model:
        """Return an answer as a record; raise ServiceError where it is not as documented."""
        try:
            return model.model_validate(value)
        except ValidationError as error:
            problem = error.errors(include_input=False, include_url=False)[0]
            where = ".".join(map(str, problem["loc"]))
            message = f"its answer is not as documented: {where}: {problem['msg']}"
            raise ServiceError(self.name, message, retryable=False) from error

    def _line(self, text: str) -> str:
        text = text.replace(self._secret, "[token]") if self._secret else text
        return " ".join(text.split())[:400]


def is_https(address: str, *, or_local: bool = False) -> bool:
    """Return whether it is an https address without a password, a part after # or white space.

    With `or_local` it may also be http on this machine.

    >>> is_https("https://a.example/x?y=z"), is_https("https://me:secret@a.example")
    (True, False)
    """
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    local = parts.hostname in ("localhost", "127.0.0.1", "::1")
    return (
        (parts.scheme == "https" or (or_local and parts.scheme == "http" and local))
        and bool(parts.hostname)
        and parts.username is None
        and not parts.fragment
        and address.isprintable()
        and " " not in address
    )
