"""Prolific's API, version 1. In: requests, decisions. Out: validated records, or why not.

The token comes from the environment and stands in no file, error or log. Only https is spoken,
except to this machine; redirects are not followed, and addresses in answers are not used: pages
are asked for by their number. What is made or decided is looked for before each attempt, for an
answer that was lost may have been one of success.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from itertools import count
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, Field

from memeloc.counts import counted
from memeloc.errors import InputError, MissingError, ServiceError
from memeloc.request_pool import Backoff
from memeloc.survey.quality.decisions import Decision
from memeloc.survey.targets.services import JsonService, RequestError, is_https

TOKEN = "PROLIFIC_API_TOKEN"  # noqa: S105 - the name of the variable, not a secret
"""The environment variable that holds the token."""
SERVICE = "Prolific"
ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""The form of Prolific's ids of people, studies, submissions and groups."""
SENT, DRAFT, STUDIES_FILTER = "sent", "UNPUBLISHED", "previous_studies_blocklist"
_AWAITING = "AWAITING REVIEW"
STATUSES: Mapping[str, str] = {
    **{
        status.lower(): status
        for status in (
            *("RESERVED", "ACTIVE", "PROCESSING", _AWAITING, "APPROVED", "REJECTED"),
            *("PARTIALLY APPROVED", "RETURNED", "SCREENED OUT", "UNKNOWN"),
        )
    },
    **dict.fromkeys(("timed out", "timedout"), "TIMED-OUT"),
    "screenedout": "SCREENED OUT",
}
"""Statuses as `Participant.status` has them, by what exports and the API write, as of `key_of`."""
_REFUSED = (
    f"Prolific does not accept the token in {TOKEN} for this ({{reason}}); make another in its "
    "settings, or ask for the rights in the workspace."
)
_PAGE = 100  # entries asked for at once
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
    choices: Annotated[
        dict[str, Annotated[str, BeforeValidator(str)]], BeforeValidator(lambda each: each or {})
    ] = {}


class CostRecord(BaseModel):
    total_cost: Annotated[float, Field(ge=0)]


class ProlificApi(JsonService):
    """A connection to Prolific, used as a context; `workspace` is an id, empty for the only one.

    Raises InputError if the base URL is not https, MissingError if httpx or the token is missing.
    """

    def __init__(self, base_url: str, workspace: str = "", backoff: Backoff | None = None) -> None:
        if not is_https(base_url, or_local=True) or "?" in base_url:
            raise InputError(
                "The address of Prolific's API begins with https:// and holds no password; without "
                "encryption the token goes to this machine only."
            )
        self.address = f"{base_url.rstrip('/').removesuffix('/api/v1')}/api/v1/"
        self._workspace, self._listed = workspace, dict[str, list[Record]]()
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
        client = httpx.Client(headers=headers, timeout=_TIMEOUT, base_url=self.address)
        super().__init__(SERVICE, client, dict.fromkeys((401, 403), _REFUSED), backoff, token)

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
            page = {each.id: each for each in (self.validated(Record, value) for value in results)}
            if page.keys() <= records.keys():
                break
            records |= page
        return records.values()

    def filters(self) -> list[FilterRecord]:
        """Return all filters with their choices; raises as `ask` does."""
        answer = self.call("GET", "filters/", workspace_id=self._workspace)
        return [self.validated(FilterRecord, value) for value in _results(answer)]

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
        return self.validated(Record, self.call("GET", f"studies/{id}/"))

    def cost(self, reward: int, places: int) -> int:
        """Return what places cost with fee and tax, as Prolific computes it."""
        asked = {"reward": reward, "total_available_places": places}
        answer = self.call("POST", "study-cost-calculator/", asked)
        return round(self.validated(CostRecord, answer).total_cost)

    def find_or_make(
        self, path: str, among: str, field: str, body: Mapping[str, Any], **query: str
    ) -> tuple[str, bool]:
        """Return the id of what the list `among` has under a body's `field`, or of what is made at
        `path`; and whether it was made. Raises ServiceError if there are several such studies.
        """
        tried = False

        def send() -> str:
            nonlocal tried
            if tried or among not in self._listed:
                self._listed[among] = list(self.pages(among, **query))
            same = [
                each.id
                for each in self._listed[among]
                if getattr(each, field) == body[field] and not each.is_deleted
            ]
            if len(same) > 1 and field == "internal_name":
                message = (
                    f"it has {counted(len(same), 'study', 'studies')} named {body[field]!r}; "
                    "delete all but one"
                )
                raise ServiceError(SERVICE, message, retryable=False)
            if same:
                return same[0]
            tried = True
            return self.validated(Record, self.send("POST", path, body)).id

        return self.ask(send), tried

    def publish(self, id: str, filters: Sequence[Any], public: Collection[str]) -> str:
        """Return the status of a study once it is public, of a survey with `public` studies."""
        path = f"studies/{id}/"
        if public:
            # Who returned another sheet of this survey has seen memes, and is in no group.
            before = {"filter_id": STUDIES_FILTER, "selected_values": sorted(public)}
            self.call("PATCH", path, {"filters": [*filters, before]})

        def send() -> str:
            status = self.validated(Record, self.send("GET", path)).status
            if status != DRAFT:
                return status
            answer = self.send("POST", f"{path}transition/", {"action": "PUBLISH"})
            return self.validated(Record, answer).status

        return self.ask(send)

    def decide(self, submission: str, decision: Decision) -> str:
        """Send a decision: `SENT`; or the submission's status where it had been decided before."""
        path, body = decision.body()
        tried = False

        def send() -> str:
            nonlocal tried
            record = self.validated(Record, self.send("GET", f"submissions/{submission}/"))
            status = STATUSES.get(key_of(record.status), "UNKNOWN")
            asked = bool(record.return_requested) and decision.action == "return"
            if status != _AWAITING or asked:
                return SENT if tried else "return requested" if asked else status
            tried = True
            self.send("POST", f"submissions/{submission}/{path}", body)
            return SENT

        return self.ask(send)


def checked_id(value: str, what: str) -> str:
    """Return an id that may stand in a path; raise InputError for another text."""
    if ID.fullmatch(value):
        return value
    raise InputError(f"{value[:60]!r} is not an id of a {what} at Prolific")


def _results(answer: Any) -> list[Any]:
    results = answer.get("results") if isinstance(answer, dict) else answer
    return results if isinstance(results, list) else []
