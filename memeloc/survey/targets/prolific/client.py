"""Prolific's API, version 1. In: requests. Out: validated records, or why not.

The token comes from the environment and stands in no file, error or log. Only https is spoken,
except to this machine; redirects are not followed, and addresses in answers are not used: pages
are asked for by their number.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Collection
from itertools import count
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, ValidationError

from memeloc.errors import InputError, MissingError, ServiceError
from memeloc.request_pool import Backoff, retry_after
from memeloc.survey.targets.prolific.records import ID, FilterRecord, Record, WorkspaceRecord
from memeloc.survey.targets.services import RequestError, is_https, passing

if TYPE_CHECKING:
    import httpx

TOKEN = "PROLIFIC_API_TOKEN"  # noqa: S105 - the name of the variable, not a secret
"""The environment variable that holds the token."""
BASE_URL = "https://api.prolific.com"
SERVICE = "Prolific"
PAGE = 100
_TIMEOUT = 60.0
"""Seconds for one request."""

Model = TypeVar("Model", bound=BaseModel)
Listed = TypeVar("Listed", bound=Record)
Result = TypeVar("Result")


class ProlificApi:
    """A connection to Prolific, used as a context; `workspace` is an id, empty for the only one.

    Raises:
        InputError: the base URL is not https.
        MissingError: httpx or the token is missing.
    """

    def __init__(
        self, base_url: str = BASE_URL, workspace: str = "", backoff: Backoff | None = None
    ) -> None:
        if not is_https(base_url, or_local=True) or "?" in base_url:
            raise InputError(
                "The address of Prolific's API begins with https:// and holds no password; without "
                "encryption the token goes to this machine only."
            )
        self.base_url = base_url.rstrip("/").removesuffix("/api/v1")
        self._workspace = workspace
        self._backoff = backoff or Backoff()
        self._token = os.environ.get(TOKEN, "").strip()
        if not re.fullmatch(r"[!-~]+", self._token):
            raise MissingError(
                f"Prolific needs a token: make one in its settings under API tokens and set the "
                f"environment variable {TOKEN} to it."
            )
        try:
            import httpx
        except ImportError as error:
            raise MissingError("Prolific needs httpx: pip install 'memeloc[prolific]'") from error
        headers = {"Authorization": f"Token {self._token}"}
        self._client = httpx.Client(headers=headers, timeout=_TIMEOUT)

    def __enter__(self) -> ProlificApi:
        return self

    def __exit__(self, *_exception: object) -> None:
        self._client.close()

    def ask(self, method: str, path: str, body: object = None, **parameters: object) -> Any:
        """A request that may be sent again without harm, until it is answered.

        Raises:
            MissingError: the token is not accepted.
            ServiceError: it is refused, or was not answered in the end.
        """
        return self.patiently(lambda: self.send(method, path, body, **parameters))

    def patiently(self, send: Callable[[], Result]) -> Result:
        """What `send` returns, tried again while Prolific is busy; raises as `ask` does."""
        return self._backoff.ask(send, passing)

    def send(self, method: str, path: str, body: object = None, **parameters: object) -> Any:
        """The answer to one request to a path below /api/v1/, sent once; raises as `ask` does."""
        import httpx

        query = {name: str(value) for name, value in parameters.items() if value != ""}
        try:
            response = self._client.request(
                method, f"{self.base_url}/api/v1/{path}", json=body, params=query or None
            )
            if response.is_success:
                return response.json() if response.content else None
        except (httpx.HTTPError, ValueError) as error:
            reason = f"{error or 'no answer'} ({type(error).__name__})"
            raise RequestError(SERVICE, 0, self._safe(reason)) from error
        status, reason = response.status_code, self._reason(response)
        if status in (401, 403):
            raise MissingError(
                f"Prolific does not accept the token in {TOKEN} for this ({reason}); make another "
                "in its settings, or ask for the rights in the workspace."
            )
        wait = retry_after(response.headers.get("retry-after", ""))
        raise RequestError(SERVICE, status, f"HTTP status {status}: {reason}", wait)

    def pages(self, record: type[Listed], path: str, **parameters: object) -> Collection[Listed]:
        """All objects of a list, each once; raises as `ask` does.

        Lists are asked for by page and by offset at once: the documentation has the one, Prolific's
        own programs the other, and some lists come whole however they are asked for. A list ends
        where a page has nothing new.
        """
        records: dict[str, Listed] = {}
        offset = 0
        for number in count(1):
            place = {"page": number, "page_size": PAGE, "limit": PAGE, "offset": offset}
            try:
                results = _results(self.ask("GET", path, **parameters, **place))
            except RequestError as error:
                if error.status == 404 and number > 1:  # there is no such page
                    break
                raise
            offset += len(results)
            page = {each.id: each for each in (validated(record, value) for value in results)}
            if page.keys() <= records.keys():
                break
            records |= page
        return records.values()

    def filters(self) -> list[FilterRecord]:
        """All filters with their choices; raises as `ask` does."""
        answer = self.ask("GET", "filters/", workspace_id=self._workspace)
        return [validated(FilterRecord, value) for value in _results(answer)]

    def workspace(self) -> str:
        """The workspace that was named, or the account's only one; else raises InputError."""
        if self._workspace:
            return checked_id(self._workspace, "workspace")
        workspaces = list(self.pages(WorkspaceRecord, "workspaces/"))
        if len(workspaces) != 1:
            names = "; ".join(f"{each.id} = {each.title}" for each in workspaces[:20])
            raise InputError(
                f"Your account has {len(workspaces)} workspaces at Prolific; name one by its id: "
                f"{names}"
            )
        return workspaces[0].id

    def _reason(self, response: httpx.Response) -> str:
        try:
            value = response.json()
        except ValueError:
            value = response.text[:2000]
        for key in ("error", "detail"):
            value = value.get(key, value) if isinstance(value, dict) else value
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        return self._safe(text)

    def _safe(self, text: str) -> str:
        """A text of the service in a line, without the token."""
        return " ".join(text.replace(self._token, "[token]").split())[:400]


def validated(model: type[Model], value: object) -> Model:
    """An answer as a record; raises ServiceError where it is not as the API documents it."""
    try:
        return model.model_validate(value)
    except ValidationError as error:
        problem = error.errors(include_input=False, include_url=False)[0]
        where = ".".join(map(str, problem["loc"]))
        message = f"its answer is not as documented: {where}: {problem['msg']}"
        raise ServiceError(SERVICE, message, retryable=False) from error


def checked_id(value: str, what: str) -> str:
    """An id that may stand in a path; raises InputError for another text."""
    if ID.fullmatch(value):
        return value
    raise InputError(f"{value[:60]!r} is not an id of a {what} at Prolific")


def _results(answer: Any) -> list[Any]:
    results = answer.get("results") if isinstance(answer, dict) else answer
    return results if isinstance(results, list) else []
