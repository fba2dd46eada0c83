"""Sheets as studies of Prolific's. In: a survey, settings. Out: the bodies that make them.

Fields, types and words are those of the public API v1
(docs.prolific.com/api-reference/studies/create-study).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from html import escape
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, Field

from memeloc.errors import InputError
from memeloc.survey.design.planning import (
    SMALLEST_SCREEN_OUT,
    WAGE,
    Rates,
    read_pay,
    shortest_limit,
)
from memeloc.survey.model import CompletionCodes, Sheet
from memeloc.survey.targets.instructions import memes_shown, minutes_shown
from memeloc.survey.targets.prolific.api import checked_id
from memeloc.survey.targets.prolific.filters import Filters
from memeloc.survey.targets.protocol import SheetsToSend
from memeloc.survey.targets.services import is_https

BASE_URL = "https://api.prolific.com"
PARAMETERS = ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID")
"""Parameters that Prolific puts into a study's address, of who opens it."""
NOWHERE = "https://survey.invalid/{sheet}"
"""Stands in a study until it is known where its sheet will be; such a study is not sent."""
GROUP_FILTER = "participant_group_blocklist"
LONGEST_NAME = 255

Device = Literal["desktop", "tablet", "mobile"]
_Count = Annotated[int, Field(ge=0, le=100_000)]


def _split(value: Any) -> Any:
    if isinstance(value, str):
        return [part.strip().lower() for part in value.split(",")]
    return value


class ProlificSettings(BaseModel, extra="forbid", frozen=True):
    """Settings of studies and of the connection: options, and `[survey.prolific]`."""

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
        """Return the wage, currency and fee; raises as `read_pay` does."""
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
        """Return what tells a study from one of other content."""
        content = {name: value for name, value in self.body.items() if name != "metadata"}
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:32]

    @property
    def is_complete(self) -> bool:
        return not (self.missing_filters or self.is_nowhere)


def study(
    survey: SheetsToSend,
    sheet: Sheet,
    settings: ProlificSettings,
    filters: Filters,
    group: str = "",
) -> Study:
    """Return the study of a sheet; `group` is the one that studies fill and keep out, if any.

    Raises InputError if it has no completion codes, or people cannot be sent to its address.
    """
    codes = survey.codes.get(sheet.id)
    if codes is None:
        raise InputError(f"the sheet {sheet.id} has no completion codes, which Prolific needs")
    # What is paid is never for less time than the sheet itself says.
    minutes = max(settings.minutes, survey.minutes) or minutes_shown(survey, sheet)
    if settings.limit and settings.limit < shortest_limit(minutes):
        raise InputError(
            f"Prolific lets a study of {minutes} minutes take {shortest_limit(minutes)} at the "
            f"least, and limit is {settings.limit}."
        )
    balanced = settings.balance_sex and sheet.wanted > 1
    wanted, missing = filters.of(sheet.culture, balance_sex=balanced)
    reward = int(settings.pay.reward(minutes) * 100)
    endings = _codes(codes, settings, reward)
    if group:
        checked_id(group, "participant group")
        wanted.append({"filter_id": GROUP_FILTER, "selected_values": [group]})
        adding = {"action": "ADD_TO_PARTICIPANT_GROUP", "participant_group": group}
        for code in endings:
            code["actions"].append(adding)
    address = _address(survey, sheet, settings)
    texts = survey.texts[sheet.culture.locale.tag]
    warning = _line(texts.get("warning.text"))
    introduction = _line(texts.get("intro", count=memes_shown(sheet), minutes=minutes))
    metadata = {"culture": sheet.culture.code, "sheet": sheet.id, "survey": survey.name}
    body: dict[str, Any] = {
        "name": _line(texts.get("title"))[:LONGEST_NAME],
        "internal_name": f"memeloc {survey.name[:120]} {sheet.id}",
        "description": "".join(
            f"<p>{escape(text, quote=False)}</p>" for text in (introduction, warning) if text
        ),
        "external_study_url": address,
        "prolific_id_option": "url_parameters",
        "completion_codes": endings,
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
    return Study(sheet.id, body, missing, address.startswith(NOWHERE.format(sheet="")))


def _codes(codes: CompletionCodes, settings: ProlificSettings, reward: int) -> list[dict[str, Any]]:
    """Return the four ways that a sheet can end. Nothing is approved or rejected by itself."""
    review = {"action": "MANUALLY_REVIEW"}
    declined = {"action": "REQUEST_RETURN", "return_reason": "Withdrew consent"}
    unfit: tuple[str, dict[str, Any]] = (
        "OTHER",
        {"action": "REQUEST_RETURN", "return_reason": "Not one of those it is for"},
    )
    if settings.screen_out_places:
        paid, least = settings.screen_out_reward, SMALLEST_SCREEN_OUT[settings.pay.currency]
        if not least <= paid < reward:
            raise InputError(
                f"Being screened out pays {least} minor units of {settings.pay.currency} at the "
                f"least and less than the reward of {reward}; screen_out_reward is {paid}."
            )
        places = {"fixed_screen_out_reward": paid, "slots": settings.screen_out_places}
        unfit = "FIXED_SCREENOUT", {"action": "FIXED_SCREEN_OUT_PAYMENT", **places}
    endings = (
        (codes.done, "COMPLETED", review),
        (codes.failed_checks, "FAILED_ATTENTION_CHECK", review),
        (codes.no_consent, "NO_CONSENT", declined),
        (codes.screened_out, *unfit),
    )
    return [
        {"code": code, "code_type": kind, "actions": [action], "actor": "participant"}
        for code, kind, action in endings
    ]


def _address(survey: SheetsToSend, sheet: Sheet, settings: ProlificSettings) -> str:
    """Return where the sheet is filled in, with Prolific's parameters.

    Without `server` and `urls` it is the form that was made for it at another service, if any.
    """
    urls = settings.urls
    if settings.server:
        address = f"{settings.server.rstrip('/')}/join?sheet={{sheet}}"
    elif isinstance(urls, str):
        address = urls and (urls if "{sheet}" in urls else f"{urls.rstrip('/')}/{{sheet}}.html")
    else:
        address = urls.get(sheet.id, "")
    for made in survey.made.values():
        form = made.get(sheet.id)
        address = address or (form.get("prolific", "") if isinstance(form, dict) else "")
    address = (address or NOWHERE).replace("{sheet}", sheet.id)
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
