"""Prolific's API on this machine, as far as it is spoken to; bodies are held to the schemas.

It keeps drafts, groups and money as Prolific does. Calls are `VERB path`, with `ID` for the ids in
paths. Lists come by page, by offset, or whole: the documentation and Prolific's own programs do not
agree.
"""

from __future__ import annotations

import json
import re
from functools import cache
from http import HTTPStatus
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from memeloc.survey.targets.prolific.api import FilterRecord
from tests.local_server import RefusedError, Reply, Request, Service, json_reply

SCHEMAS = Path(__file__).parent / "prolific_schema"
TOKEN = "tkn-0123456789-never-shown"
WORKSPACE = "65f0c0ffee0000000000ff01"
FEE, TAX = 0.4, 0.2


@cache
def _registry() -> Registry[Any]:
    registry: Registry[Any] = Registry()
    for path in SCHEMAS.glob("*.json"):
        content = json.loads(path.read_text(encoding="utf-8"))
        registry = registry.with_resource(path.name, Resource.from_contents(content))
    return registry


def problems(body: Any, schema: str = "create-study.json") -> list[str]:
    """What is wrong with a body, by the schema of that name."""
    validator = Draft202012Validator({"$ref": schema}, registry=_registry())
    result = [
        f"{problem.json_path}: {problem.message[:200]}" for problem in validator.iter_errors(body)
    ]
    if schema == "create-study.json" and not result:
        codes = [code["code"] for code in body["completion_codes"]]
        if len(set(codes)) < len(codes):
            result.append("completion_codes: each code must be unique within a study")
        for code in body["completion_codes"]:
            for action in code["actions"]:
                if action.get("fixed_screen_out_reward", 0) >= body["reward"]:
                    result.append("fixed_screen_out_reward: must be less than the reward")
    return result


class ProlificServer(Service):
    """The state of the service.

    Attributes:
        studies: by id, as GET /studies/ID/ gives them.
        groups: by id.
        filters: as GET /filters/ gives them.
        submissions: by id, as GET /submissions/ID/ gives them; `bodies` are those that decided it.
        style: `page`, `offset` or `whole`.
        currency: of the account.
        workspaces: ids.
        retry_after: seconds that a 429 asks to wait.
    """

    root = "/api/v1/"

    def __init__(self) -> None:
        super().__init__()
        self.studies: dict[str, dict[str, Any]] = {}
        self.groups: dict[str, dict[str, Any]] = {}
        self.filters: list[dict[str, Any]] = []
        self.submissions: dict[str, dict[str, Any]] = {}
        self.style = "page"
        self.currency = "GBP"
        self.workspaces = [WORKSPACE]
        self.retry_after = 0
        self._count = 0

    def _id(self) -> str:
        self._count += 1
        return f"65f0c0ffee{self._count:014x}"

    def call(self, verb: str, path: str) -> str:
        pattern = re.sub(r"(studies|submissions)/[0-9A-Za-z-]+/", r"\1/ID/", path)
        return f"{verb} {pattern}"

    def answer(self, request: Request, path: str, query: dict[str, list[str]]) -> Any:
        if request.headers.get("Authorization") != f"Token {TOKEN}":
            # Some services repeat in an error what they were sent.
            raise RefusedError(401, f"Invalid token: {request.headers.get('Authorization')}")
        verb, body = request.method, request.json()
        if (verb, path) == ("GET", "filters/"):
            return {"results": self.filters}
        if (verb, path) == ("GET", "workspaces/"):
            return self._page(
                [{"id": workspace, "title": "Lab"} for workspace in self.workspaces], query
            )
        if (verb, path) == ("GET", "studies/"):
            return self._page(list(self.studies.values()), query)
        if (verb, path) == ("POST", "studies/"):
            self._check(body, "create-study.json")
            number = self._id()
            self.studies[number] = {
                **body,
                "id": number,
                "status": "UNPUBLISHED",
                "presentment_currency_code": self.currency,
            }
            return self.studies[number]
        if path == "participant-groups/":
            if verb == "GET":
                if query.get("workspace_id") != [WORKSPACE]:
                    raise RefusedError(400, "filter is required")
                return self._page(list(self.groups.values()), query)
            self._check(body, "requests.json#/$defs/group")
            number = self._id()
            self.groups[number] = {**body, "id": number, "is_deleted": False}
            return self.groups[number]
        if (verb, path) == ("POST", "study-cost-calculator/"):
            self._check(body, "requests.json#/$defs/cost")
            rewards = body["reward"] * body["total_available_places"]
            return {"total_cost": rewards * (1 + FEE * (1 + TAX))}
        if match := re.fullmatch(r"studies/([^/]+)/(transition/)?", path):
            return self._study(verb, match[1], bool(match[2]), body)
        if match := re.fullmatch(r"submissions/([^/]+)/(transition/|request-return/|)", path):
            return self._submission(verb, match[1], match[2], body)
        raise RefusedError(404, f"no method {verb} {path}")

    def _study(self, verb: str, number: str, transition: bool, body: Any) -> Any:
        study = self.studies.get(number)
        if study is None:
            raise RefusedError(404, "no such study")
        if transition:
            self._check(body, "requests.json#/$defs/transition")
            if study["status"] != "UNPUBLISHED":
                raise RefusedError(409, f"the study is {study['status']}")
            study["status"] = "ACTIVE"
        elif verb == "PATCH":
            self._check(body, "requests.json#/$defs/update")
            if study["status"] != "UNPUBLISHED":
                raise RefusedError(400, {"filters": ["the study is published"]})
            study |= body
        return study

    def _submission(self, verb: str, number: str, action: str, body: Any) -> Any:
        submission = self.submissions.get(number)
        if submission is None:
            raise RefusedError(404, "no such submission")
        if verb == "GET":
            return submission
        if submission["status"] != "AWAITING REVIEW":
            raise RefusedError(400, f"the submission is {submission['status']}")
        if action == "transition/":
            self._check(body, "requests.json#/$defs/submission_transition")
            submission["status"] = {"APPROVE": "APPROVED", "REJECT": "REJECTED"}[body["action"]]
        else:
            self._check(body, "requests.json#/$defs/request_return")
            submission["return_requested"] = "2026-11-21T12:00:00Z"
        submission["bodies"].append(body)
        return submission

    def awaiting(self, *numbers: str, study: str = "65f0", status: str = "AWAITING REVIEW") -> None:
        """Submissions that wait for a decision, or have another status."""
        for number in numbers:
            self.submissions[number] = {
                "id": number,
                "status": status,
                "started_at": "2026-03-01T12:00:00Z",
                "participant": f"person{number}",
                "study_id": study,
                "return_requested": None,
                "bodies": [],
            }

    def error(self, status: int, reason: Any) -> Reply:
        title, headers = HTTPStatus(status).phrase, {}
        if status == 429:
            headers["Retry-After"] = str(self.retry_after)
        error = {"status": status, "error_code": 140000 + status, "title": title, "detail": reason}
        return json_reply({"error": error}, status, headers)

    @staticmethod
    def _check(body: Any, schema: str) -> None:
        if wrong := problems(body, schema):
            detail = {each.split(":")[0]: [each] for each in wrong}
            raise RefusedError(400, detail)

    def _page(self, whole: list[Any], query: dict[str, list[str]]) -> Any:
        if self.style == "whole":
            return {"results": whole}
        first, size = 0, 20
        if self.style == "page":
            size = min(int(query.get("page_size", ["20"])[0]), 50)
            number = int(query.get("page", ["1"])[0])
            first = (number - 1) * size
            if number > 1 and first >= len(whole):
                raise RefusedError(404, "Invalid page.")
        else:
            size = min(int(query.get("limit", ["20"])[0]), 50)
            first = int(query.get("offset", ["0"])[0])
        return {"results": whole[first : first + size], "meta": {"count": len(whole)}}


_GREW_UP = "Place of most time spent before turning 18"

LANGUAGES = (
    "English", "Spanish", "French", "German", "Hindi", "Mandarin", "Cantonese", "Arabic",
    "Portuguese", "Russian", "Bengali", "Turkish", "Vietnamese", "Thai", "Korean", "Japanese",
    "Greek", "Hebrew", "Italian", "Polish", "Dutch", "Swedish", "Danish", "Norwegian", "Finnish",
    "Czech", "Hungarian", "Romanian", "Bulgarian", "Croatian", "Serbian", "Slovak", "Ukrainian",
    "Farsi", "Urdu", "Punjabi", "Tamil", "Telugu", "Marathi", "Gujarati", "Kannada", "Malayalam",
    "Oriya", "Sinhala", "Nepali", "Burmese", "Khmer", "Lao", "Malay", "Indonesian",
    "Tagalog-Filipino", "Swahili", "Amharic", "Armenian", "Georgian", "Azerbaijani", "Kazakh",
    "Catalan", "British Sign Language", "Swiss German",
)  # fmt: skip
"""As a list of first languages may be, in no order that means anything."""


def offered_records(countries: list[str]) -> list[FilterRecord]:
    """The same, validated."""
    return [FilterRecord.model_validate(each) for each in offered(countries)]


def offered(countries: list[str]) -> list[dict[str, Any]]:
    """Filters as GET /api/v1/filters/ gives them, with choices of countries and languages."""

    def select(number: str, title: str, labels: list[str]) -> dict[str, Any]:
        return {
            "filter_id": number,
            "title": title,
            "question": f"{title}?",
            "type": "select",
            "data_type": "ChoiceID",
            "choices": {str(place): label for place, label in enumerate(labels)},
        }

    return [
        {"filter_id": "age", "title": "Age", "type": "range", "data_type": "integer"},
        select("sex", "Sex", ["Male", "Female"]),
        select("first-language", "First language", list(LANGUAGES)),
        select("fluent-languages", "Fluent languages", list(LANGUAGES)),
        select("nationality", "Nationality", [*countries, "Stateless"]),
        select("country-of-birth", "Country of birth", ["Other", *countries]),
        select("place-of-most-time-spent-before-turning-18", _GREW_UP, ["Aland", *countries]),
        select("current-country-of-residence", "Current country of residence", countries),
        select(
            "cultural-background",
            "Monocultural/Multicultural",
            [
                "I was raised in two or more cultures",
                "I was raised with my native culture only",
                "I don't know",
            ],
        ),
    ]
