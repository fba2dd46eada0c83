"""Sheets as studies of Prolific's. In: a survey, settings. Out: drafts, published if agreed to.

Fields, types and words are those of the public API v1
(docs.prolific.com/api-reference/studies/create-study).

What was made goes into the state as soon as it is known. A run that died between asking for a study
and hearing of it finds it again by its internal name, which is unique to a sheet. Publishing costs
money: all of it is shown first, fees and tax included, and nothing is published before that is
agreed to.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from html import escape
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from memeloc.counts import counted
from memeloc.errors import InputError, ServiceError
from memeloc.survey.design.planning import (
    SMALLEST_SCREEN_OUT,
    WAGE,
    Rates,
    amount,
    read_pay,
    shortest_limit,
)
from memeloc.survey.model import CompletionCodes, Sheet
from memeloc.survey.targets.instructions import memes_shown, minutes_shown
from memeloc.survey.targets.prolific.api import (
    SERVICE,
    CostRecord,
    ProlificApi,
    Record,
    checked_id,
    validated,
)
from memeloc.survey.targets.prolific.filters import Filters
from memeloc.survey.targets.protocol import SheetsToSend, State
from memeloc.survey.targets.services import is_https

BASE_URL = "https://api.prolific.com"
PARAMETERS = ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID")
"""What Prolific puts into a study's address of who opens it."""
NOWHERE = "https://survey.invalid/{sheet}"
"""Stands in a study until it is known where its sheet will be; such a study is not sent."""
DRAFT = "UNPUBLISHED"
GROUP = "group"
"""The state's key of the participant group; a study is noted under `study/SHEET`."""
GROUP_FILTER, STUDIES_FILTER = "participant_group_blocklist", "previous_studies_blocklist"
LONGEST_NAME = 255

Device = Literal["desktop", "tablet", "mobile"]
_Count = Annotated[int, Field(ge=0, le=100_000)]


def _split(value: Any) -> Any:
    if isinstance(value, str):
        return [part.strip().lower() for part in value.split(",")]
    return value


class ProlificSettings(BaseModel):
    """How studies are made, and how Prolific is reached: options, and `[survey.prolific]`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    urls: str | dict[str, str] = Field(
        "",
        description="where sheets are filled in: an https address with {sheet} in it, or that of "
        "the folder of SHEET.html, or by sheet id; the participant's id is added to it",
    )
    server: str = Field(
        "",
        description="the https address of `memeloc survey serve`, where each study is given a "
        "place in its sheet; comes before urls",
    )
    signed: bool = Field(
        False, description="whether Prolific signs its links to server, see prolific_keys there"
    )
    wage: str | float | Decimal = Field(WAGE, description="an hour; multi3hate's by default")
    currency: str = Field("GBP", description="of your account at Prolific, GBP or USD")
    fee: str | float | Decimal = Field(
        "academic", description="Prolific's share, for estimates: academic, corporate or a share"
    )
    minutes: _Count = Field(0, description="that a sheet took, if more than it says itself")
    limit: _Count = Field(0, description="minutes a submission may take; 0 leaves it to Prolific")
    filters: str = Field("", description="a TOML of filter ids; else the workspace's or shipped")
    devices: Annotated[tuple[Device, ...], BeforeValidator(_split)] = Field(
        ("desktop", "tablet", "mobile"), description="with commas between them"
    )
    warning: Literal["sensitive", "explicit"] = Field("sensitive", description="of the content")
    balance_sex: bool = Field(True, description="whether as many women as men are asked for")
    project: str = Field("", description="id of the project; empty for your default one")
    group: str = Field(
        "", description="id of the group that keeps people to one sheet; pushing makes one"
    )
    screen_out_reward: _Count = Field(0, description="minor units for who is screened out")
    screen_out_places: _Count = Field(
        0, description="how many may be; 0 asks those to return the study instead"
    )
    endpoint: str = Field(BASE_URL, description="the address of Prolific's API")
    workspace: str = Field("", description="id of the workspace, if the account has several")
    sheet: str = Field("", description="of an import: whose study a file is of")

    @property
    def pay(self) -> Rates:
        """The wage, currency and fee; raises as `read_pay` does."""
        return read_pay(self.wage, self.currency, self.fee)


@dataclass(frozen=True, slots=True)
class Study:
    """A sheet as a study, and what must be known before it is sent: its filters, and its address.

    `missing_filters` has by criterion the keys of choices whose ids are not known.
    """

    sheet: str
    body: Mapping[str, Any]
    missing_filters: Mapping[str, Sequence[str]]
    is_nowhere: bool

    @property
    def digest(self) -> str:
        """What tells a study from one of other content."""
        content = {name: value for name, value in self.body.items() if name != "metadata"}
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:32]

    @property
    def is_complete(self) -> bool:
        return not (self.missing_filters or self.is_nowhere)

    def in_group(self, group: str) -> Study:
        """Return the same with the group that all studies of the survey fill, and keep out."""
        group = checked_id(group, "participant group")
        adding = {"action": "ADD_TO_PARTICIPANT_GROUP", "participant_group": group}
        codes = [
            {**code, "actions": [*code["actions"], adding]}
            for code in self.body["completion_codes"]
        ]
        kept_out = {"filter_id": GROUP_FILTER, "selected_values": [group]}
        changed = {"completion_codes": codes, "filters": [*self.body["filters"], kept_out]}
        return replace(self, body={**self.body, **changed})


def study(
    to_send: SheetsToSend, sheet: Sheet, settings: ProlificSettings, filters: Filters
) -> Study:
    """Return the study of a sheet.

    Raises:
        InputError: it has no completion codes, or an address that people cannot be sent to.
    """
    codes = to_send.codes.get(sheet.id)
    if codes is None:
        raise InputError(f"the sheet {sheet.id} has no completion codes, which Prolific needs")
    # What is paid is never for less time than the sheet itself says.
    minutes = max(settings.minutes, to_send.minutes) or minutes_shown(to_send, sheet)
    if settings.limit and settings.limit < shortest_limit(minutes):
        raise InputError(
            f"Prolific lets a study of {minutes} minutes take {shortest_limit(minutes)} at the "
            f"least, and limit is {settings.limit}."
        )
    balanced = settings.balance_sex and sheet.wanted > 1
    wanted, missing = filters.of(sheet.culture, balance_sex=balanced)
    address = _address(to_send, sheet, settings)
    texts = to_send.texts[sheet.culture.locale.tag]
    warning = _line(texts.get("warning.text"))
    introduction = _line(texts.get("intro", count=memes_shown(sheet), minutes=minutes))
    reward = int(settings.pay.reward(minutes) * 100)
    metadata = {"culture": sheet.culture.code, "sheet": sheet.id, "survey": to_send.name}
    body: dict[str, Any] = {
        "name": _line(texts.get("title"))[:LONGEST_NAME],
        "internal_name": f"memeloc {to_send.name[:120]} {sheet.id}",
        "description": "".join(
            f"<p>{escape(text, quote=False)}</p>" for text in (introduction, warning) if text
        ),
        "external_study_url": address,
        "prolific_id_option": "url_parameters",
        "completion_codes": _codes(codes, settings, reward),
        "total_available_places": sheet.wanted,
        "estimated_completion_time": minutes,
        "reward": reward,
        "device_compatibility": list(settings.devices),
        "peripheral_requirements": [],
        "filters": wanted,
        "submissions_config": {"max_submissions_per_participant": 1},
        "study_labels": ["annotation"],
        "content_warnings": [settings.warning],
        "content_warning_details": warning,
        "metadata": json.dumps(metadata, sort_keys=True),
    }
    optional = {
        "maximum_allowed_time": settings.limit,
        "is_custom_screening": bool(settings.screen_out_places),
        "project": settings.project,
        "is_external_study_url_secure": bool(settings.server) and settings.signed,
    }
    body |= {name: value for name, value in optional.items() if value}
    is_nowhere = address.startswith(NOWHERE.format(sheet=""))
    drafted = Study(sheet.id, body, missing, is_nowhere)
    return drafted.in_group(settings.group) if settings.group else drafted


def _codes(codes: CompletionCodes, settings: ProlificSettings, reward: int) -> list[dict[str, Any]]:
    """Return the four ways that a sheet can end. Nothing is approved or rejected by itself."""
    kind, unfit = "OTHER", _returned("Not one of those it is for")
    if settings.screen_out_places:
        least = SMALLEST_SCREEN_OUT[settings.pay.currency]
        if not least <= settings.screen_out_reward < reward:
            raise InputError(
                f"Being screened out pays {least} minor units of {settings.pay.currency} at the "
                f"least and less than the reward of {reward}; screen_out_reward is "
                f"{settings.screen_out_reward}."
            )
        kind, unfit = (
            "FIXED_SCREENOUT",
            {
                "action": "FIXED_SCREEN_OUT_PAYMENT",
                "fixed_screen_out_reward": settings.screen_out_reward,
                "slots": settings.screen_out_places,
            },
        )
    endings = (
        (codes.done, "COMPLETED", {"action": "MANUALLY_REVIEW"}),
        (codes.failed_checks, "FAILED_ATTENTION_CHECK", {"action": "MANUALLY_REVIEW"}),
        (codes.no_consent, "NO_CONSENT", _returned("Withdrew consent")),
        (codes.screened_out, kind, unfit),
    )
    return [
        {"code": code, "code_type": kind, "actions": [action], "actor": "participant"}
        for code, kind, action in endings
    ]


def _returned(reason: str) -> dict[str, Any]:
    return {"action": "REQUEST_RETURN", "return_reason": reason}


def _address(to_send: SheetsToSend, sheet: Sheet, settings: ProlificSettings) -> str:
    """Return where the sheet is filled in, with Prolific's parameters.

    Without `server` and `urls` it is the form that was made for it at another service, if any.
    """
    forms = (form.get(sheet.id) for form in to_send.made.values())
    made = next(
        (form["prolific"] for form in forms if isinstance(form, dict) and form.get("prolific")),
        NOWHERE,
    )
    urls = settings.urls
    if settings.server:
        address = f"{settings.server.rstrip('/')}/join?sheet={{sheet}}"
    elif isinstance(urls, str):
        address = urls and (urls if "{sheet}" in urls else f"{urls.rstrip('/')}/{{sheet}}.html")
    else:
        address = urls.get(sheet.id, "")
    address = (address or made).replace("{sheet}", sheet.id)
    if not is_https(address):
        raise InputError(
            f"{address[:100]!r} is not an address that Prolific can send people to: it begins with "
            "https:// and has neither a password nor a part after #."
        )
    for name in PARAMETERS:
        placeholder = f"{{{{%{name}%}}}}"
        if placeholder not in address:
            address += f"{'&' if '?' in address else '?'}{name}={placeholder}"
    return address


def _line(text: str) -> str:
    """Return a text in one line that JSON and UTF-8 can carry."""
    return " ".join(text.encode("utf-8", "replace").decode("utf-8").split())


def studies_made(values: Mapping[str, Any]) -> dict[str, str]:
    """Return by Prolific's id of a study the id of its sheet, from a state's values.

    >>> studies_made({"study/r1-b01-DE": {"id": "65f0", "digest": "x"}, "group": "7"})
    {'65f0': 'r1-b01-DE'}
    """
    return {
        value["id"]: key.removeprefix("study/")
        for key, value in values.items()
        if key.startswith("study/")
    }


class Drafting:
    """One run against one account; `state` has what was made so far."""

    def __init__(
        self, api: ProlificApi, survey: str, settings: ProlificSettings, state: State
    ) -> None:
        self.api, self.survey, self.settings, self.state = api, survey, settings, state
        self._listed: dict[str, list[Record]] = {}

    def group(self) -> str:
        """Return the group of all who took part in this survey, made when there is none."""
        if not self.state.get(GROUP):
            body = {
                "name": f"memeloc {self.survey[:120]}",
                "workspace_id": (workspace := self.api.workspace()),
                "description": "Took part in a sheet of this survey; kept out of all others.",
            }
            path = "participant-groups/"
            self.state.put(
                GROUP, self._find_or_make(path, path, "name", body, workspace_id=workspace)[0]
            )
        return str(self.state.get(GROUP))

    def draft(self, study: Study) -> dict[str, Any]:
        """Return a study's row: its sheet, id and status, and whether this run made it.

        Raises:
            InputError: it was drafted with other content, or the account's currency is another.
        """
        noted, made = self.state.get(f"study/{study.sheet}") or {}, False
        if not noted:
            project = self.settings.project
            among = f"projects/{checked_id(project, 'project')}/studies/" if project else "studies/"
            id, made = self._find_or_make("studies/", among, "internal_name", study.body)
            noted = {"id": id, "digest": study.digest}
            record = None if made else self.api.study(id)
            for name in ("external_study_url", "total_available_places", "reward"):
                value = getattr(record, name, None)
                if value is not None and value != study.body[name]:
                    raise InputError(
                        f"Prolific has a study {study.body['internal_name']!r} whose {name} is "
                        f"another ({str(value)[:80]}); delete it there, or name the survey "
                        "otherwise."
                    )
            self.state.put(f"study/{study.sheet}", noted)
        elif noted["digest"] != study.digest:
            raise InputError(
                f"The study of {study.sheet} was drafted with other content. Keep it, or delete "
                f"it at Prolific ({noted['id']}) and push a survey of another name."
            )
        record = self.api.study(noted["id"])
        currency = record.presentment_currency_code or record.currency_code
        if currency and currency.upper() != self.settings.pay.currency:
            raise InputError(
                f"Your account at Prolific pays in {currency[:10]}, and the wage is in "
                f"{self.settings.pay.currency}: name wage and currency of the account."
            )
        return {"sheet": study.sheet, "study": record.id, "status": record.status, "made": made}

    def _find_or_make(
        self, path: str, among: str, field: str, body: Mapping[str, Any], **query: str
    ) -> tuple[str, bool]:
        """Return the id of what is listed under a body's name, or is made; and whether it was."""
        tried = False

        def send() -> str:
            nonlocal tried
            if tried or among not in self._listed:  # an answer that was lost may have made it
                self._listed[among] = list(self.api.pages(among, **query))
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
            return validated(Record, self.api.send("POST", path, body)).id

        return self.api.ask(send), tried

    def publish(
        self,
        studies: Sequence[Study],
        drafts: Sequence[dict[str, Any]],
        agree: Callable[[str], bool],
    ) -> None:
        """Publish what is still a draft, once the money is agreed to; note it in the rows."""
        bodies = {study.sheet: study.body for study in studies}
        waiting = [row for row in drafts if row["status"] == DRAFT]
        if not waiting or agree(self._costs([bodies[row["sheet"]] for row in waiting])) is not True:
            return
        public = {row["study"] for row in drafts if row["status"] != DRAFT}
        for row in waiting:
            row["status"] = self._publish(row["study"], bodies[row["sheet"]]["filters"], public)
            public.add(row["study"])

    def _publish(self, id: str, filters: Sequence[Any], public: set[str]) -> str:
        """Return the status of a study once it is public."""
        path = f"studies/{id}/"
        if public:
            # Who returned another sheet of this survey has seen memes, and is in no group.
            before = {"filter_id": STUDIES_FILTER, "selected_values": sorted(public)}
            self.api.call("PATCH", path, {"filters": [*filters, before]})

        def send() -> str:
            status = validated(Record, self.api.send("GET", path)).status
            if status != DRAFT:  # it was published, and the answer lost
                return status
            answer = self.api.send("POST", f"{path}transition/", {"action": "PUBLISH"})
            return validated(Record, answer).status

        return self.api.ask(send)

    def _costs(self, bodies: Sequence[Mapping[str, Any]]) -> str:
        """Return what whoever agrees reads: the money as Prolific computes it, with fee and tax.

        Being screened out is counted as often as it may happen.
        """
        paid = [(body["reward"], body["total_available_places"]) for body in bodies]
        paid += [
            (action["fixed_screen_out_reward"], action["slots"])
            for body in bodies
            for code in body["completion_codes"]
            for action in code["actions"]
            if "fixed_screen_out_reward" in action
        ]
        total = 0
        for reward, places in paid:
            asked = {"reward": reward, "total_available_places": places}
            answer = self.api.call("POST", "study-cost-calculator/", asked)
            total += round(validated(CostRecord, answer).total_cost)
        rewards, currency = sum(each * places for each, places in paid), self.settings.pay.currency
        return (
            f"Publishing {counted(len(bodies), 'study', 'studies')} costs "
            f"{amount(total, currency)}, fee and tax "
            f"included; people get {rewards / 100:,.2f} of it."
        )
