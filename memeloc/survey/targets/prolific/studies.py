"""A sheet as a study of Prolific's. In: a survey, and settings. Out: what POST /studies/ takes.

Fields, types and words are those of the public API v1
(docs.prolific.com/api-reference/studies/create-study). Nothing is sent from here.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from html import escape
from typing import Any

from memeloc.errors import InputError
from memeloc.survey.design.pay import SMALLEST_SCREEN_OUT, shortest_limit
from memeloc.survey.model import CompletionCodes, Sheet
from memeloc.survey.targets.instructions import memes_shown, minutes_shown
from memeloc.survey.targets.prolific.client import checked_id
from memeloc.survey.targets.prolific.filters import Filters
from memeloc.survey.targets.prolific.settings import ProlificSettings
from memeloc.survey.targets.protocol import SurveyPack
from memeloc.survey.targets.services import is_https

PARAMETERS = ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID")
"""What Prolific puts into a study's address of who opens it."""
NOWHERE = "https://survey.invalid/{sheet}"
"""Stands in a study until it is known where its sheet will be; such a study is not sent."""
GROUP_FILTER = "participant_group_blocklist"
STUDIES_FILTER = "previous_studies_blocklist"
LONGEST_NAME = 255


@dataclass(frozen=True, slots=True)
class Study:
    """A sheet as a study; `missing` has a sentence for what must be known before it is sent."""

    sheet: str
    body: Mapping[str, Any]
    missing: tuple[str, ...] = ()

    def in_group(self, group: str) -> Study:
        """The same with the group that all studies of the survey fill, and keep out."""
        group = checked_id(group, "participant group")
        adding = {"action": "ADD_TO_PARTICIPANT_GROUP", "participant_group": group}
        codes = [
            {**code, "actions": [*code["actions"], adding]}
            for code in self.body["completion_codes"]
        ]
        kept_out = {"filter_id": GROUP_FILTER, "selected_values": [group]}
        changed = {"completion_codes": codes, "filters": [*self.body["filters"], kept_out]}
        return replace(self, body={**self.body, **changed})


def digest(body: Mapping[str, Any]) -> str:
    """What tells a study from one of other content."""
    content = {name: value for name, value in body.items() if name != "metadata"}
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:32]


def study(pack: SurveyPack, sheet: Sheet, settings: ProlificSettings, filters: Filters) -> Study:
    """The study of a sheet.

    Raises:
        InputError: it has no completion codes, or an address that people cannot be sent to.
    """
    codes = pack.codes.get(sheet.id)
    if codes is None:
        raise InputError(f"the sheet {sheet.id} has no completion codes, which Prolific needs")
    # What is paid is never for less time than the sheet itself says.
    minutes = max(settings.minutes, pack.minutes) or minutes_shown(pack, sheet)
    if settings.limit and settings.limit < shortest_limit(minutes):
        raise InputError(
            f"Prolific lets a study of {minutes} minutes take {shortest_limit(minutes)} at the "
            f"least, and limit is {settings.limit}."
        )
    balanced = settings.balance_sex and sheet.wanted > 1
    wanted, missing = filters.of(sheet.culture, balance_sex=balanced)
    address = _address(pack, sheet, settings)
    if address.startswith(NOWHERE.format(sheet="")):
        missing.append(
            f"It is not known where the sheet {sheet.id} can be filled in: name the addresses as "
            "urls, such as https://survey.university.example/{sheet}.html, or that of "
            "`memeloc survey serve` as server"
        )
    texts = pack.texts[sheet.culture.locale.tag]
    warning = _line(texts.get("warning.text"))
    introduction = _line(texts.get("intro", count=memes_shown(sheet), minutes=minutes))
    reward = int(settings.pay.reward(minutes) * 100)
    metadata = {"culture": sheet.culture.code, "sheet": sheet.id, "survey": pack.name}
    body: dict[str, Any] = {
        "name": _line(texts.get("title"))[:LONGEST_NAME],
        "internal_name": f"memeloc {pack.name[:120]} {sheet.id}",
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
    }
    body |= {name: value for name, value in optional.items() if value}
    drafted = Study(sheet.id, body, tuple(missing))
    return drafted.in_group(settings.group) if settings.group else drafted


def _codes(codes: CompletionCodes, settings: ProlificSettings, reward: int) -> list[dict[str, Any]]:
    """The four ways that a sheet can end. Nothing is approved or rejected by itself."""
    review = {"action": "MANUALLY_REVIEW"}
    declined, unfit = (
        {"action": "REQUEST_RETURN", "return_reason": reason}
        for reason in ("Withdrew consent", "Not one of those it is for")
    )
    endings: list[tuple[str, str, dict[str, Any]]] = [
        (codes.done, "COMPLETED", review),
        (codes.failed_checks, "FAILED_ATTENTION_CHECK", review),
        (codes.no_consent, "NO_CONSENT", declined),
        (codes.screened_out, "OTHER", unfit),
    ]
    if settings.screen_out_places:
        least = SMALLEST_SCREEN_OUT[settings.pay.currency]
        if not least <= settings.screen_out_reward < reward:
            raise InputError(
                f"Being screened out pays {least} minor units of {settings.pay.currency} at the "
                f"least and less than the reward of {reward}; screen_out_reward is "
                f"{settings.screen_out_reward}."
            )
        paid = {
            "action": "FIXED_SCREEN_OUT_PAYMENT",
            "fixed_screen_out_reward": settings.screen_out_reward,
            "slots": settings.screen_out_places,
        }
        endings[-1] = (codes.screened_out, "FIXED_SCREENOUT", paid)
    return [
        {"code": code, "code_type": kind, "actions": [action], "actor": "participant"}
        for code, kind, action in endings
    ]


def _address(pack: SurveyPack, sheet: Sheet, settings: ProlificSettings) -> str:
    """Where the sheet is filled in, with Prolific's parameters.

    Without `server` and `urls` it is the form that was made for it at another service, if there
    is one.
    """
    forms = (form.get(sheet.id) for form in pack.made.values())
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
    """A text in one line that JSON and UTF-8 can carry."""
    return " ".join(text.encode("utf-8", "replace").decode("utf-8").split())
