"""Prolific's API, version 1. In: requests, decisions. Out: validated records, or why not.

The token comes from the environment and stands in no file, error or log. Only https is spoken,
except to this machine; redirects are not followed, and addresses in answers are not used: pages
are asked for by their number.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping
from functools import lru_cache
from itertools import count
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, Field, ValidationError

from memeloc.errors import InputError, MissingError, ServiceError
from memeloc.request_pool import Backoff
from memeloc.survey.quality.decisions import Decision
from memeloc.survey.targets.services import JsonService, RequestError, is_https

TOKEN = "PROLIFIC_API_TOKEN"  # noqa: S105 - the name of the variable, not a secret
"""The environment variable that holds the token."""
SERVICE = "Prolific"
ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""What Prolific's ids of people, studies, submissions and groups look like."""
SENT = "sent"
STATUSES: Mapping[str, str] = {
    **{
        status.lower(): status
        for status in (
            *("RESERVED", "ACTIVE", "PROCESSING", "AWAITING REVIEW", "APPROVED", "REJECTED"),
            *("PARTIALLY APPROVED", "RETURNED", "SCREENED OUT", "UNKNOWN"),
        )
    },
    "timed out": "TIMED-OUT",
    "timedout": "TIMED-OUT",
    "screenedout": "SCREENED OUT",
}
"""Statuses as `Participant.status` has them, by what exports and the API write, as of `key_of`."""
_REFUSED = (
    f"Prolific does not accept the token in {TOKEN} for this ({{reason}}); make another in its "
    "settings, or ask for the rights in the workspace."
)
_PAGE = 100
_TIMEOUT = 60.0
"""Seconds for one request."""
_BETWEEN = re.compile(r"[\W_]+")


@lru_cache(1 << 14)
def key_of(text: str) -> str:
    """Return a heading or value as it is compared: small letters, digits and single spaces.

    >>> key_of("Ethnicity (simplified)"), key_of("TIMED-OUT"), key_of("Participant.id")
    ('ethnicity simplified', 'timed out', 'participant id')
    """
    return " ".join(_BETWEEN.sub(" ", text.casefold()).split())


class Record(BaseModel):
    """A workspace, group, study or submission, as far as it is used; money in minor units."""

    id: Annotated[str, Field(pattern=f"^{ID.pattern}$")]
    title: str | None = ""
    name: str | None = ""
    is_deleted: bool = False
    internal_name: str | None = ""
    status: str = ""
    external_study_url: str | None = None
    total_available_places: int | None = None
    reward: float | None = None
    presentment_currency_code: str | None = None
    currency_code: str | None = None
    return_requested: Any = None


class FilterRecord(BaseModel):
    """A filter; `choices` are labels by id, where it has any."""

    filter_id: str
    title: str | None = ""
    choices: dict[str, Any] | None = None

    @property
    def labels(self) -> dict[str, str]:
        return {key: str(label) for key, label in (self.choices or {}).items()}


class CostRecord(BaseModel):
    """What a study costs, in minor units."""

    total_cost: Annotated[float, Field(ge=0)]


Model = TypeVar("Model", bound=BaseModel)


class ProlificApi(JsonService):
    """A connection to Prolific, used as a context; `workspace` is an id, empty for the only one.

    Raises:
        InputError: the base URL is not https.
        MissingError: httpx or the token is missing.
    """

    def __init__(self, base_url: str, workspace: str = "", backoff: Backoff | None = None) -> None:
        if not is_https(base_url, or_local=True) or "?" in base_url:
            raise InputError(
                "The address of Prolific's API begins with https:// and holds no password; without "
                "encryption the token goes to this machine only."
            )
        self.base_url, self._workspace = base_url.rstrip("/").removesuffix("/api/v1"), workspace
        token = os.environ.get(TOKEN, "").strip()
        if not re.fullmatch(r"[!-~]+", token):
            raise MissingError(
                f"Prolific needs a token: make one in its settings under API tokens and set the "
                f"environment variable {TOKEN} to it."
            )
        try:
            import httpx
        except ImportError as error:
            raise MissingError("Prolific needs httpx: pip install 'memeloc[prolific]'") from error
        headers = {"Authorization": f"Token {token}"}
        client = httpx.Client(
            headers=headers, timeout=_TIMEOUT, base_url=f"{self.base_url}/api/v1/"
        )
        super().__init__(SERVICE, client, dict.fromkeys((401, 403), _REFUSED), backoff, token)

    def __enter__(self) -> ProlificApi:
        return self

    def __exit__(self, *_exception: object) -> None:
        self._client.close()

    def call(self, method: str, path: str, body: object = None, **query: object) -> Any:
        """Send a request that may be sent again without harm, until it is answered.

        Paths are below /api/v1/; raises as `ask` does.
        """
        return self.ask(lambda: self.send(method, path, body, **query))

    def pages(self, path: str, **parameters: object) -> Collection[Record]:
        """Return all objects of a list, each once; raises as `ask` does.

        Lists are asked for by page and by offset at once: the documentation has the one, Prolific's
        own programs the other, and some lists come whole however they are asked for. A list ends
        where a page has nothing new.
        """
        records: dict[str, Record] = {}
        offset = 0
        for number in count(1):
            place = {"page": number, "page_size": _PAGE, "limit": _PAGE, "offset": offset}
            try:
                results = _results(self.call("GET", path, **parameters, **place))
            except RequestError as error:
                if error.status == 404 and number > 1:  # there is no such page
                    break
                raise
            offset += len(results)
            page = {each.id: each for each in (validated(Record, value) for value in results)}
            if page.keys() <= records.keys():
                break
            records |= page
        return records.values()

    def filters(self) -> list[FilterRecord]:
        """Return all filters with their choices; raises as `ask` does."""
        answer = self.call("GET", "filters/", workspace_id=self._workspace)
        return [validated(FilterRecord, value) for value in _results(answer)]

    def workspace(self) -> str:
        """Return the workspace that was named, or the account's only one; else raise InputError."""
        if self._workspace:
            return checked_id(self._workspace, "workspace")
        workspaces = list(self.pages("workspaces/"))
        if len(workspaces) != 1:
            names = "; ".join(f"{each.id} = {each.title}" for each in workspaces[:20])
            raise InputError(
                f"Your account has {len(workspaces)} workspaces at Prolific; name one by its id: "
                f"{names}"
            )
        return workspaces[0].id

    def study(self, id: str) -> Record:
        """Return a study; raises as `ask` does."""
        return validated(Record, self.call("GET", f"studies/{id}/"))


def validated(model: type[Model], value: object) -> Model:
    """Return an answer as a record; raise ServiceError where it is not as the API documents it."""
    try:
        return model.model_validate(value)
    except ValidationError as error:
        problem = error.errors(include_input=False, include_url=False)[0]
        where = ".".join(map(str, problem["loc"]))
        message = f"its answer is not as documented: {where}: {problem['msg']}"
        raise ServiceError(SERVICE, message, retryable=False) from error


def checked_id(value: str, what: str) -> str:
    """Return an id that may stand in a path; raise InputError for another text."""
    if ID.fullmatch(value):
        return value
    raise InputError(f"{value[:60]!r} is not an id of a {what} at Prolific")


def _results(answer: Any) -> list[Any]:
    results = answer.get("results") if isinstance(answer, dict) else answer
    return results if isinstance(results, list) else []


def decide(api: ProlificApi, submission: str, decision: Decision) -> str:
    """Send a decision: `SENT`; or the status of the submission where it had been decided before."""
    path, body = decision.body()
    tried = False

    def send() -> str:
        nonlocal tried
        # Looked at each time: an answer that was lost may have been one of success.
        record = validated(Record, api.send("GET", f"submissions/{submission}/"))
        status = STATUSES.get(key_of(record.status), "UNKNOWN")
        asked = bool(record.return_requested) and decision.action == "return"
        if status != STATUSES["awaiting review"] or asked:
            return SENT if tried else "return requested" if asked else status
        tried = True
        api.send("POST", f"submissions/{submission}/{path}", body)
        return SENT

    return api.ask(send)
