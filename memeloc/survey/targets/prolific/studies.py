"""A sheet as a study of Prolific's. In: a survey, and settings. Out: what POST /studies/ takes.

Fields, types and words are those of the public API v1
(docs.prolific.com/api-reference/studies/create-study). Nothing is sent from here.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any
from urllib.parse import urlsplit

from memeloc.errors import InputError
from memeloc.survey.instructions import memes_shown, minutes_told
from memeloc.survey.model import CompletionCodes, Sheet
from memeloc.survey.targets.prolific.client import ID
from memeloc.survey.targets.prolific.filters import Filters
from memeloc.survey.targets.prolific.money import SMALLEST_SCREEN_OUT, Pay, shortest_limit
from memeloc.survey.targets.protocol import SurveyPack

PLACEHOLDERS = {
    "PROLIFIC_PID": "{{%PROLIFIC_PID%}}",
    "STUDY_ID": "{{%STUDY_ID%}}",
    "SESSION_ID": "{{%SESSION_ID%}}",
}
NOWHERE = "https://survey.invalid/{sheet}"
"""Stands in a study until it is known where its sheet will be; such a study is not sent."""
DEVICES = ("desktop", "tablet", "mobile")
WARNINGS = ("sensitive", "explicit")
GROUP_FILTER = "participant_group_blocklist"
STUDIES_FILTER = "previous_studies_blocklist"
LONGEST_NAME = 255


@dataclass(frozen=True, slots=True)
class StudySettings:
    """How studies are made; see `Prolific` for what each means."""

    filters: Filters
    pay: Pay
    urls: str | Mapping[str, str] = ""
    minutes: int = 0
    limit: int = 0
    devices: tuple[str, ...] = DEVICES
    warning: str = "sensitive"
    balance_sex: bool = True
    project: str = ""
    group: str = ""
    screen_out_reward: int = 0
    screen_out_places: int = 0


@dataclass(frozen=True, slots=True)
class Study:
    """A sheet as a study.

    Attributes:
        sheet: the sheet's id.
        body: as Prolific takes it.
        missing: a sentence for each thing that has to be known before it can be sent.
        guessed: whether its minutes are those of the pace that is assumed.
    """

    sheet: str
    body: Mapping[str, Any]
    missing: tuple[str, ...] = field(default=())
    guessed: bool = False

    @property
    def internal_name(self) -> str:
        """What it is found again by."""
        return str(self.body["internal_name"])

    def in_group(self, group: str) -> Study:
        """The same with the group that all studies of the survey fill, and keep out."""
        if not ID.fullmatch(group):
            raise InputError(f"{group[:60]!r} is no id of a participant group at Prolific")
        body = dict(self.body)
        adding = {"action": "ADD_TO_PARTICIPANT_GROUP", "participant_group": group}
        body["completion_codes"] = [
            {**code, "actions": [*code["actions"], adding]} for code in body["completion_codes"]
        ]
        body["filters"] = [
            *body["filters"],
            {"filter_id": GROUP_FILTER, "selected_values": [group]},
        ]
        return Study(self.sheet, body, self.missing, self.guessed)


def digest(body: Mapping[str, Any]) -> str:
    """What a study is told apart by from one of other content."""
    whole = {name: value for name, value in body.items() if name != "metadata"}
    return hashlib.sha256(json.dumps(whole, sort_keys=True).encode()).hexdigest()[:32]


def study(pack: SurveyPack, sheet: Sheet, settings: StudySettings) -> Study:
    """The study of a sheet.

    Raises:
        InputError: it has no completion codes or no places, or its address is none that people
            can be sent to.
    """
    codes = pack.codes.get(sheet.id)
    if codes is None:
        raise InputError(f"the sheet {sheet.id} has no completion codes, which Prolific needs")
    if sheet.wanted < 1:
        raise InputError(f"the sheet {sheet.id} wants no answers; Prolific needs a place at least")
    minutes = settings.minutes or minutes_told(pack, sheet)
    if settings.limit and settings.limit < shortest_limit(minutes):
        raise InputError(
            f"Prolific lets a study of {minutes} minutes take {shortest_limit(minutes)} at the "
            f"least, and limit is {settings.limit}."
        )
    balanced = settings.balance_sex and sheet.wanted > 1
    filters, missing = settings.filters.of(sheet.culture, balance_sex=balanced)
    address, nowhere = _address(sheet, settings.urls)
    if nowhere:
        missing.append(
            f"It is not known where the sheet {sheet.id} can be filled in: name the addresses as "
            "urls, such as https://survey.university.example/{sheet}.html"
        )
    texts = pack.texts[sheet.culture.locale.tag]
    reward = settings.pay.reward(minutes)
    body: dict[str, Any] = {
        "name": _line(texts.get("title"))[:LONGEST_NAME],
        "internal_name": f"memeloc {pack.name[:120]} {sheet.id}",
        "description": _paragraphs(
            texts.get("intro", count=memes_shown(sheet), minutes=minutes),
            texts.get("warning.text"),
        ),
        "external_study_url": address,
        "prolific_id_option": "url_parameters",
        "completion_codes": _codes(codes, settings, reward),
        "total_available_places": sheet.wanted,
        "estimated_completion_time": minutes,
        "reward": reward,
        "device_compatibility": list(settings.devices),
        "peripheral_requirements": [],
        "filters": filters,
        "submissions_config": {"max_submissions_per_participant": 1},
        "study_labels": ["annotation"],
        "content_warnings": [settings.warning],
        "content_warning_details": _line(texts.get("warning.text")),
    }
    if settings.limit:
        body["maximum_allowed_time"] = settings.limit
    if settings.screen_out_places:
        body["is_custom_screening"] = True
    if settings.project:
        body["project"] = settings.project
    body["metadata"] = json.dumps(
        {"culture": sheet.culture.code, "sheet": sheet.id, "survey": pack.name},
        ensure_ascii=True,
        sort_keys=True,
    )
    made = Study(sheet.id, body, tuple(missing), not (settings.minutes or pack.minutes))
    return made.in_group(settings.group) if settings.group else made


def _codes(codes: CompletionCodes, settings: StudySettings, reward: int) -> list[dict[str, Any]]:
    """The four ways that a sheet can end. Nothing is approved or rejected by itself."""
    returned = "REQUEST_RETURN"
    screened: dict[str, Any] = {
        "code": codes.screened_out,
        "code_type": "OTHER",
        "actions": [{"action": returned, "return_reason": "Not one of those it is for"}],
    }
    if settings.screen_out_places:
        least = SMALLEST_SCREEN_OUT[settings.pay.currency]
        if not least <= settings.screen_out_reward < reward:
            raise InputError(
                f"Being screened out pays {least} minor units of {settings.pay.currency} at the "
                f"least and less than the reward of {reward}; screen_out_reward is "
                f"{settings.screen_out_reward}."
            )
        screened = {
            "code": codes.screened_out,
            "code_type": "FIXED_SCREENOUT",
            "actions": [
                {
                    "action": "FIXED_SCREEN_OUT_PAYMENT",
                    "fixed_screen_out_reward": settings.screen_out_reward,
                    "slots": settings.screen_out_places,
                }
            ],
        }
    found = [
        {
            "code": codes.done,
            "code_type": "COMPLETED",
            "actions": [{"action": "MANUALLY_REVIEW"}],
        },
        {
            "code": codes.failed_checks,
            "code_type": "FAILED_ATTENTION_CHECK",
            "actions": [{"action": "MANUALLY_REVIEW"}],
        },
        {
            "code": codes.no_consent,
            "code_type": "NO_CONSENT",
            "actions": [{"action": returned, "return_reason": "Withdrew consent"}],
        },
        screened,
    ]
    if len({one["code"] for one in found}) < len(found):
        raise InputError("two completion codes of a sheet are the same, which Prolific refuses")
    return [{**one, "actor": "participant"} for one in found]


def _address(sheet: Sheet, urls: str | Mapping[str, str]) -> tuple[str, bool]:
    """The sheet's address with Prolific's parameters, and whether it leads nowhere yet."""
    if isinstance(urls, str):
        given = urls or NOWHERE
        if "{sheet}" not in given:
            given = given.rstrip("/") + "/{sheet}.html"
        address = given.replace("{sheet}", sheet.id)
    else:
        address = urls.get(sheet.id, "") or NOWHERE.replace("{sheet}", sheet.id)
    try:
        parts = urlsplit(address)
        host = parts.hostname or ""
    except ValueError:
        parts, host = urlsplit(""), ""
    if (
        parts.scheme != "https"
        or not host
        or parts.username is not None
        or parts.fragment
        or any(ord(sign) <= 32 or ord(sign) == 127 for sign in address)
    ):
        raise InputError(
            f"{address[:100]!r} is no address that Prolific can send people to: it begins with "
            "https:// and has neither a password nor a part after #."
        )
    for name, placeholder in PLACEHOLDERS.items():
        if placeholder not in address:
            address += f"{'&' if '?' in address else '?'}{name}={placeholder}"
    return address, host == "survey.invalid"


def _paragraphs(*texts: str) -> str:
    """Texts as Prolific shows a description: it understands a little HTML."""
    return "".join(f"<p>{escape(_line(one), quote=False)}</p>" for one in texts if one.strip())


def _line(text: str) -> str:
    """A text in one line that JSON and UTF-8 can carry."""
    return " ".join(text.encode("utf-8", "replace").decode("utf-8").split())
