"""Prolific's API, version 1. In: requests. Out: JSON values, or a sentence of what went wrong.

The token comes from the environment and stands in no file, error or log. Only https is spoken,
but to this machine; redirects are not followed, and the addresses in answers are not used: pages
are asked for by their number.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from memeloc.errors import InputError, MissingError, ServiceError
from memeloc.request_pool import Backoff, TransientFailure

if TYPE_CHECKING:
    import httpx

TOKEN = "PROLIFIC_API_TOKEN"  # noqa: S105 - the name of the variable, not a secret
"""The environment variable that holds the token."""
BASE_URL = "https://api.prolific.com"
SERVICE = "Prolific"
PAGE = 100
SMALLEST_PAGE = 20
"""What a page holds at the least where more follow: Prolific's default."""
MAX_BODY = 50_000_000
"""Bytes of an answer at the most; the list of all filters is some megabytes."""
MAX_PAGES = 10_000
ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""What Prolific's ids of people, studies, submissions and groups look like."""

_BUSY = frozenset((408, 425, 429, 500, 502, 503, 504))
_HERE = frozenset(("localhost", "127.0.0.1", "::1"))


@dataclass(frozen=True, slots=True)
class ApiSettings:
    """How Prolific is reached.

    Attributes:
        base_url: https, or http on this machine for tests.
        workspace: id of the workspace; empty when the account has one only.
        timeout: seconds for one request.
        backoff: how it waits when Prolific is busy.
    """

    base_url: str = BASE_URL
    workspace: str = ""
    timeout: float = 60.0
    backoff: Backoff = field(default_factory=Backoff)


class StatusError(ServiceError):
    """An HTTP status that is not success.

    Attributes:
        status: of the answer.
        wait: seconds that it asks to wait; 0.0 if it does not say.
    """

    def __init__(self, status: int, said: str, wait: float = 0.0) -> None:
        super().__init__(SERVICE, f"HTTP status {status}: {said}", retryable=status in _BUSY)
        self.status, self.said, self.wait = status, said, wait

    def __reduce__(self) -> tuple[object, ...]:
        """Cross a process boundary whole."""
        return (StatusError, (self.status, self.said, self.wait))


class ProlificApi:
    """A connection to Prolific; close it, or use it as a context.

    Raises:
        InputError: the base URL is not https.
        MissingError: httpx or the token is missing.
    """

    def __init__(self, settings: ApiSettings, environ: Mapping[str, str] | None = None) -> None:
        self.settings = settings
        self.base_url = _checked(settings.base_url)
        self._token = (os.environ if environ is None else environ).get(TOKEN, "").strip()
        if not self._token:
            raise MissingError(
                f"Prolific wants a token: make one in its settings under API tokens and set the "
                f"environment variable {TOKEN}."
            )
        if not self._token.isascii() or not self._token.isprintable() or " " in self._token:
            raise MissingError(f"What stands in {TOKEN} is no token; copy it again.")
        try:
            import httpx
        except ImportError as error:
            raise MissingError("Prolific needs httpx: pip install 'memeloc[prolific]'") from error
        self._client = httpx.Client(
            headers={"Authorization": f"Token {self._token}", "Accept-Encoding": "identity"},
            timeout=settings.timeout,
            follow_redirects=False,
        )

    def __enter__(self) -> ProlificApi:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"ProlificApi({self.base_url!r})"

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def get(self, path: str, **parameters: object) -> Any:
        """The JSON value at a path below /api/v1/; raises as `send` does."""
        return self.ask("GET", path, parameters=parameters)

    def ask(
        self,
        method: str,
        path: str,
        body: object = None,
        parameters: Mapping[str, object] | None = None,
    ) -> Any:
        """A request that may be sent again without harm, until it is answered.

        Raises:
            MissingError: the token is not accepted.
            ServiceError: it is refused, or was not answered in the end.
        """
        return self.patiently(lambda: self.send(method, path, body, parameters))

    def patiently(self, send: Any) -> Any:
        """What `send` gives, tried again while Prolific is busy; raises as `ask` does."""
        return self.settings.backoff.ask(send, self._passing)

    def send(
        self,
        method: str,
        path: str,
        body: object = None,
        parameters: Mapping[str, object] | None = None,
    ) -> Any:
        """One request, sent once.

        Raises:
            MissingError: the token is not accepted.
            StatusError: the answer is no success.
            httpx.HTTPError: there was no answer.
        """
        url = f"{self.base_url}/api/v1/{path}"
        given = {name: str(value) for name, value in (parameters or {}).items() if value != ""}
        with self._client.stream(method, url, json=body, params=given or None) as response:
            content = bytearray()
            for chunk in response.iter_bytes():
                content += chunk
                if len(content) > MAX_BODY:
                    raise ServiceError(
                        SERVICE, f"its answer has more than {MAX_BODY:,} bytes", retryable=False
                    )
        try:
            value = json.loads(content) if content else None
        except (ValueError, RecursionError):
            value = None
            if response.status_code < 300:
                raise ServiceError(SERVICE, "its answer is not JSON", retryable=False) from None
        if response.status_code < 300:
            return value
        said = self._said(value, bytes(content))
        if response.status_code in (401, 403):
            raise MissingError(
                f"Prolific does not accept the token in {TOKEN} for this ({said}); make another "
                "in its settings, or ask for the rights in the workspace."
            )
        raise StatusError(response.status_code, said, _asked_wait(response))

    def pages(self, path: str, **parameters: object) -> Iterator[dict[str, Any]]:
        """All objects of a list, each once; raises as `ask` does.

        Lists are asked for by page and by offset at once: the documentation has the one, Prolific's
        own programs the other, and some lists come whole however they are asked for. A list ends
        where a page has nothing new.
        """
        seen: set[str] = set()
        fetched = 0
        for number in range(1, MAX_PAGES):
            asked = {"page": number, "page_size": PAGE, "limit": PAGE, "offset": fetched}
            try:
                page = self.get(path, **parameters, **asked)
            except StatusError as error:
                if error.status == 404 and number > 1:  # there is no such page
                    return
                raise
            results = page.get("results") if isinstance(page, dict) else page
            found = [one for one in results or [] if isinstance(one, dict)]
            fetched += len(found)
            new = False
            for one in found:
                key = str(one.get("id") or json.dumps(one, sort_keys=True))
                if key not in seen:
                    seen.add(key)
                    new = True
                    yield one
            if not new or len(found) < SMALLEST_PAGE:
                return
        raise ServiceError(SERVICE, f"the list {path} does not end", retryable=False)

    def filters(self) -> list[dict[str, Any]]:
        """All filters with their choices; raises as `ask` does."""
        value = self.get("filters/", workspace_id=self.settings.workspace)
        results = value.get("results") if isinstance(value, dict) else value
        return [one for one in results or [] if isinstance(one, dict)]

    def workspace(self) -> str:
        """The workspace that was named, or the account's only one.

        Raises:
            InputError: there are several, or none.
        """
        if self.settings.workspace:
            return checked_id(self.settings.workspace, "workspace")
        found = list(self.pages("workspaces/"))
        if len(found) != 1:
            named = "; ".join(f"{one.get('id')} = {one.get('title')}" for one in found[:20])
            raise InputError(
                f"Your account has {len(found)} workspaces at Prolific; name one by its id: {named}"
            )
        return checked_id(found[0].get("id"), "workspace")

    def _said(self, value: object, content: bytes) -> str:
        error = value.get("error", value) if isinstance(value, dict) else value
        detail = error.get("detail", error) if isinstance(error, dict) else error
        if isinstance(detail, str):
            text = detail
        elif detail:
            text = json.dumps(detail, ensure_ascii=False)
        else:
            text = content[:2000].decode("utf-8", "replace")
        return " ".join(text.replace(self._token, "[token]").split())[:400] or "it did not say why"

    def _passing(self, error: Exception) -> TransientFailure | None:
        import httpx

        if isinstance(error, StatusError):
            return TransientFailure(error, error.wait) if error.retryable else None
        if isinstance(error, httpx.HTTPError | httpx.StreamError):
            said = f"{error or 'no answer'} ({type(error).__name__})".replace(
                self._token, "[token]"
            )
            return TransientFailure(ServiceError(SERVICE, said, retryable=True))
        return None


def checked_id(value: object, what: str) -> str:
    """An id that may stand in a path.

    Raises:
        InputError: it is none.
    """
    if isinstance(value, str) and ID.fullmatch(value):
        return value
    raise InputError(f"{str(value)[:60]!r} is no id of a {what} at Prolific")


def _checked(base_url: str) -> str:
    try:
        parts = urlsplit(base_url)
        host, _port = parts.hostname or "", parts.port
    except ValueError:
        parts, host = urlsplit(""), ""
    safe = parts.scheme == "https" or (parts.scheme == "http" and host in _HERE)
    if not safe or not host or parts.username is not None or parts.query or parts.fragment:
        raise InputError(
            "The address of Prolific's API begins with https:// and holds no password; without "
            "encryption the token goes to this machine only."
        )
    return base_url.rstrip("/").removesuffix("/api/v1")


def _asked_wait(response: httpx.Response) -> float:
    asked = str(response.headers.get("retry-after", ""))
    return float(asked) if asked.isdigit() and len(asked) < 6 else 0.0
