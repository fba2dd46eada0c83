"""Prolific's API, version 1. In: requests. Out: validated records, or why not.

The token comes from the environment and stands in no file, error or log. Only https is spoken,
except to this machine; redirects are not followed, and addresses in answers are not used: pages
are asked for by their number.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from pydantic import BaseModel, ValidationError

from memeloc.errors import InputError, MissingError, ServiceError
from memeloc.request_pool import Backoff, TransientFailure
from memeloc.survey.targets.prolific.records import FilterRecord, WorkspaceRecord

if TYPE_CHECKING:
    import httpx

TOKEN = "PROLIFIC_API_TOKEN"  # noqa: S105 - the name of the variable, not a secret
"""The environment variable that holds the token."""
BASE_URL = "https://api.prolific.com"
SERVICE = "Prolific"
PAGE = 100
SMALLEST_PAGE = 20
"""What a page holds at the least where more follow: Prolific's default."""
MAX_PAGES = 10_000
ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""What Prolific's ids of people, studies, submissions and groups look like."""

_BUSY = frozenset((408, 425, 429, 500, 502, 503, 504))
_HERE = frozenset(("localhost", "127.0.0.1", "::1"))

Record = TypeVar("Record", bound=BaseModel)
Answered = TypeVar("Answered")


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

    def __init__(self, status: int, reason: str, wait: float = 0.0) -> None:
        super().__init__(SERVICE, f"HTTP status {status}: {reason}", retryable=status in _BUSY)
        self.status, self.wait = status, wait


class ProlificApi:
    """A connection to Prolific; close it, or use it as a context.

    Raises:
        InputError: the base URL is not https.
        MissingError: httpx or the token is missing.
    """

    def __init__(self, settings: ApiSettings, environ: Mapping[str, str] | None = None) -> None:
        self.settings = settings
        self.base_url = _checked_url(settings.base_url)
        self._token = (os.environ if environ is None else environ).get(TOKEN, "").strip()
        if not self._token:
            raise MissingError(
                f"Prolific needs a token: make one in its settings under API tokens and set the "
                f"environment variable {TOKEN}."
            )
        if not self._token.isascii() or not self._token.isprintable() or " " in self._token:
            raise MissingError(f"The value of {TOKEN} is not a token; copy it again.")
        try:
            import httpx
        except ImportError as error:
            raise MissingError("Prolific needs httpx: pip install 'memeloc[prolific]'") from error
        self._client = httpx.Client(
            headers={"Authorization": f"Token {self._token}"}, timeout=settings.timeout
        )

    def __enter__(self) -> ProlificApi:
        return self

    def __exit__(self, *_exception: object) -> None:
        self._client.close()

    def __repr__(self) -> str:
        return f"ProlificApi({self.base_url!r})"

    def get(self, record: type[Record], path: str) -> Record:
        """The object at a path below /api/v1/; raises as `ask` does."""
        return validated(record, self.ask("GET", path))

    def ask(self, method: str, path: str, body: object = None, **parameters: object) -> Any:
        """A request that may be sent again without harm, until it is answered.

        Raises:
            MissingError: the token is not accepted.
            ServiceError: it is refused, or was not answered in the end.
        """
        return self.patiently(lambda: self.send(method, path, body, **parameters))

    def patiently(self, send: Callable[[], Answered]) -> Answered:
        """What `send` returns, tried again while Prolific is busy; raises as `ask` does."""
        return self.settings.backoff.ask(send, self._passing)

    def send(self, method: str, path: str, body: object = None, **parameters: object) -> Any:
        """One request, sent once.

        Raises:
            MissingError: the token is not accepted.
            StatusError: the answer is no success.
            httpx.HTTPError: there was no answer.
        """
        url = f"{self.base_url}/api/v1/{path}"
        query = {name: str(value) for name, value in parameters.items() if value != ""}
        response = self._client.request(method, url, json=body, params=query or None)
        if response.is_success:
            try:
                return response.json() if response.content else None
            except ValueError:
                raise ServiceError(SERVICE, "its answer is not JSON", retryable=False) from None
        reason = self._reason(response)
        if response.status_code in (401, 403):
            raise MissingError(
                f"Prolific does not accept the token in {TOKEN} for this ({reason}); make another "
                "in its settings, or ask for the rights in the workspace."
            )
        asked = str(response.headers.get("retry-after", ""))
        raise StatusError(response.status_code, reason, float(asked) if asked.isdigit() else 0.0)

    def pages(self, record: type[Record], path: str, **parameters: object) -> Iterator[Record]:
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
                results = _results(self.ask("GET", path, **parameters, **asked))
            except StatusError as error:
                if error.status == 404 and number > 1:  # there is no such page
                    return
                raise
            fetched += len(results)
            before = len(seen)
            for value in results:
                key = json.dumps(value, sort_keys=True)
                if key not in seen:
                    seen.add(key)
                    yield validated(record, value)
            if len(seen) == before or len(results) < SMALLEST_PAGE:
                return
        raise ServiceError(SERVICE, f"the list {path} does not end", retryable=False)

    def filters(self) -> list[FilterRecord]:
        """All filters with their choices; raises as `ask` does."""
        answer = self.ask("GET", "filters/", workspace_id=self.settings.workspace)
        return [validated(FilterRecord, value) for value in _results(answer)]

    def workspace(self) -> str:
        """The workspace that was named, or the account's only one.

        Raises:
            InputError: there are several, or none.
        """
        if self.settings.workspace:
            return checked_id(self.settings.workspace, "workspace")
        workspaces = list(self.pages(WorkspaceRecord, "workspaces/"))
        if len(workspaces) != 1:
            names = "; ".join(f"{each.id} = {each.title}" for each in workspaces[:20])
            raise InputError(
                f"Your account has {len(workspaces)} workspaces at Prolific; name one by its id: "
                f"{names}"
            )
        return workspaces[0].id

    def _reason(self, response: httpx.Response) -> str:
        """Why a request was refused, in Prolific's words, without the token."""
        try:
            value = response.json()
        except ValueError:
            value = None
        error = value.get("error", value) if isinstance(value, dict) else value
        detail = error.get("detail", error) if isinstance(error, dict) else error
        text = detail if isinstance(detail, str) else json.dumps(detail, ensure_ascii=False)
        if not detail:
            text = response.text[:2000]
        return " ".join(text.replace(self._token, "[token]").split())[:400] or "no reason given"

    def _passing(self, error: Exception) -> TransientFailure | None:
        import httpx

        if isinstance(error, StatusError):
            return TransientFailure(error, error.wait) if error.retryable else None
        if isinstance(error, httpx.HTTPError):
            reason = f"{error or 'no answer'} ({type(error).__name__})"
            reason = reason.replace(self._token, "[token]")
            return TransientFailure(ServiceError(SERVICE, reason, retryable=True))
        return None


def validated(record: type[Record], value: object) -> Record:
    """An answer as a record.

    Raises:
        ServiceError: it is not what the API's documentation has.
    """
    try:
        return record.model_validate(value)
    except ValidationError as error:
        problem = error.errors(include_input=False, include_url=False)[0]
        where = ".".join(map(str, problem["loc"]))
        raise ServiceError(
            SERVICE, f"its answer is not as documented: {where}: {problem['msg']}", retryable=False
        ) from error


def checked_id(value: str, what: str) -> str:
    """An id that may stand in a path.

    Raises:
        InputError: it is not one.
    """
    if ID.fullmatch(value):
        return value
    raise InputError(f"{value[:60]!r} is not an id of a {what} at Prolific")


def _results(answer: Any) -> list[Any]:
    results = answer.get("results") if isinstance(answer, dict) else answer
    return results if isinstance(results, list) else []


def _checked_url(base_url: str) -> str:
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
