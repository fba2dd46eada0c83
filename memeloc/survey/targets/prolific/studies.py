"""Sheets as studies of Prolific's. In: a survey, settings. Out: the bodies that make them.

Fields, types and words are those of the public API v1
(docs.prolific.com/api-reference/studies/create-study).
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from html import escape
from pathlib import Path
from typing import Annotated, Any, Literal

import tomli_w
from pydantic import BaseModel, BeforeValidator, Field

from memeloc.errors import InputError
from memeloc.settings import read_toml, validate
from memeloc.sheets import write_sheet
from memeloc.survey.design.planning import (
    SMALLEST_SCREEN_OUT,
    WAGE,
    Rates,
    read_pay,
    shortest_limit,
)
from memeloc.survey.model import CompletionCodes, Culture, Sheet
from memeloc.survey.targets.files import write_text
from memeloc.survey.targets.instructions import memes_shown, minutes_shown
from memeloc.survey.targets.prolific.api import FilterRecord, checked_id
from memeloc.survey.targets.protocol import SheetsToSend
from memeloc.survey.targets.services import is_https

SHIPPED = Path(__file__).parent / "filters.toml"
SCREENED = (
    *("first_language", "nationality", "country_of_birth", "most_of_life", "residence"),
    "monocultural",
)
"""Criteria that are screened for (multi3hate 3.3), in the order of the study's filters."""
BICULTURAL = (
    *("first_language", "fluent_languages", "country_of_birth", "residence", "multicultural"),
)
"""The same of bicultural people (multi3hate 4.3)."""
SEX = "sex"
FIXED = "fixed"
"""The key of a choice that is the same for every culture."""


class Choice(BaseModel, extra="forbid", frozen=True):
    """Prolific's choices that stand for one of ours: ids such as `1`, and their labels there."""

    ids: Annotated[tuple[str, ...], Field(min_length=1)]
    labels: tuple[str, ...]


class Criterion(BaseModel, extra="forbid", frozen=True):
    """A property that is screened for.

    Attributes:
        filter_id: Prolific's name of the filter; empty when unknown.
        titles, labels: how the filter, and the choices of a fixed one, may be called there.
        kind: what its choices are by: the culture's language or country, or the same for all.
        choices: by language tag, country or `fixed`.
    """

    filter_id: str = ""
    titles: Annotated[tuple[str, ...], Field(min_length=1)]
    kind: Literal["language", "country", "fixed"]
    labels: tuple[str, ...] = ()
    choices: dict[str, Choice] = {}


class Filters(BaseModel, extra="forbid", frozen=True):
    """All that is known of Prolific's filters: what a TOML of them holds. `looked_up` is the day;
    `criteria` are by name, those of `SCREENED`, `BICULTURAL` and `sex`; `countries` has by ISO
    3166-1 code how Prolific's choices may call it."""

    looked_up: Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\d$")]
    source: str
    criteria: dict[str, Criterion]
    countries: dict[str, tuple[str, ...]] = {}

    def of(
        self, culture: Culture, *, balance_sex: bool
    ) -> tuple[list[dict[str, Any]], dict[str, list[str]]]:
        """Return the filters of a culture's studies, and the keys whose ids are missing."""
        filters: list[dict[str, Any]] = []
        missing: dict[str, list[str]] = {}
        for name, keys in self.wanted([culture], balance_sex=balance_sex).items():
            criterion = self.criteria[name]
            choices = criterion.choices if criterion.filter_id else {}
            if unknown := [key for key in keys if key not in choices]:
                missing[name] = unknown
            if ids := [id for key in keys if key in choices for id in choices[key].ids]:
                filters.append({"filter_id": criterion.filter_id, "selected_values": ids})
                if name == SEX:
                    filters[-1]["weightings"] = dict.fromkeys(ids, 1)
        return filters, missing

    def wanted(
        self, cultures: Iterable[Culture], *, balance_sex: bool = True
    ) -> dict[str, dict[str, tuple[str, ...]]]:
        """Return by criterion and key the choices that cultures need, as Prolific may call them.
        The residence is left out where annotators need not live in the country (multi3hate 3.3)."""
        wanted: dict[str, dict[str, tuple[str, ...]]] = {}
        for culture in cultures:
            names: tuple[str, ...] = BICULTURAL
            if culture.second is None:
                names = tuple(each for each in SCREENED if culture.resident or each != "residence")
            for name in (*names, *((SEX,) if balance_sex else ())):
                criterion, keys = self.criteria[name], wanted.setdefault(name, {})
                if criterion.kind == "language":
                    for locale in (culture.locale, culture.second):
                        if locale is not None:
                            keys[locale.tag] = (locale.recruitment or locale.name.split(" (")[0],)
                elif criterion.kind == "country":
                    code = culture.residence if name == "residence" else culture.country
                    keys[code] = self.countries.get(code, ())
                else:
                    keys[FIXED] = criterion.labels
        return wanted


def load_filters(path: Path | None = None) -> Filters:
    """Read a TOML of filters, or else the shipped one; raises as `read_toml` and `validate`.
    Criteria that a file lacks are the shipped ones."""
    file = path or SHIPPED
    values = dict(read_toml(file))
    if isinstance(values.get("criteria"), dict):
        values["criteria"] = {**read_toml(SHIPPED)["criteria"], **values["criteria"]}
    return validate(Filters, values, "the file of filters", file=file)


def lookup(
    filters: Filters, offered: Sequence[FilterRecord], cultures: Sequence[Culture]
) -> tuple[Filters, list[str]]:
    """Find the ids that a survey needs in `offered`, what GET /api/v1/filters/ answered. `filters`
    is what is known so far; choices of other cultures are kept. Returns what is known now, and a
    sentence for each thing that was not found."""
    problems: list[str] = []
    criteria = dict(filters.criteria)
    for name, wanted in filters.wanted(cultures).items():
        criterion = criteria[name]
        same = [each for each in offered if each.filter_id == criterion.filter_id]
        for title in criterion.titles:  # the first title first, if it is of one filter only
            titled = [each for each in offered if _plain(each.title or "") == _plain(title)]
            same += titled if len(titled) == 1 else []
        if not same:
            problems.append(
                f"No filter of Prolific is called {' or '.join(criterion.titles)}; look for it "
                f"in your account and write its id into [criteria.{name}]."
            )
            continue
        record, choices = same[0], dict(criterion.choices)
        labels = record.choices
        for key, names in wanted.items():
            ids = _choices(labels, names, within=criterion.kind == FIXED)
            if ids and (name != SEX or len(ids) == 2):
                choices[key] = Choice(ids=ids, labels=tuple(labels[id] for id in ids))
                continue
            choices.pop(key, None)
            listed = "; ".join(f"{id} = {label}" for id, label in list(labels.items())[:12])
            problems.append(
                f"The filter {record.filter_id!r} has no choice that is surely {key}; it has "
                f"{listed}. Write the right one into [criteria.{name}.choices]."
            )
        update = {"filter_id": record.filter_id, "choices": choices}
        criteria[name] = criterion.model_copy(update=update)
    return filters.model_copy(update={"criteria": criteria}), problems


def differing(
    filters: Filters, offered: Iterable[FilterRecord], cultures: Sequence[Culture]
) -> list[str]:
    """Return a sentence for each id that means something else by now than it is written to mean. A
    choice whose number came to stand for another country would recruit the wrong people."""
    labels_now = {record.filter_id: record.choices for record in offered}
    problems: list[str] = []
    for name, keys in filters.wanted(cultures).items():
        id, choices = filters.criteria[name].filter_id, filters.criteria[name].choices
        chosen = [choices[key] for key in keys if id and key in choices]
        if chosen and id not in labels_now:
            problems.append(f"Prolific has no filter {id!r} any more; look again.")
            continue
        for choice, label in sorted(
            {pair for each in chosen for pair in zip(each.ids, each.labels, strict=False)}
        ):
            now = labels_now[id].get(choice, "nothing")
            if _plain(now) != _plain(label):
                problems.append(
                    f"Choice {choice} of Prolific's filter {id!r} is {now[:60]!r} and not "
                    f"{label!r}; look the filters up again."
                )
    return problems


def write_filters(filters: Filters, path: Path) -> Path:
    """Write a TOML that `load_filters` reads; return where it is, see `memeloc.sheets`."""
    listed = re.compile(r"\[\n((?: {4}.*\n)+)\]")  # a list a line is easier to correct
    written = listed.sub(
        lambda match: f"[{' '.join(map(str.strip, match[1].splitlines()))[:-1]}]",
        tomli_w.dumps(filters.model_dump(mode="json")),
    )
    text = f"# Ids of Prolific's filters, as GET /api/v1/filters/ gave them.\n{written}"
    return write_sheet(path, lambda draft: write_text(draft, text))[0]


def _choices(labels: Mapping[str, str], names: Iterable[str], *, within: bool) -> tuple[str, ...]:
    """Return the ids of choices called so; `within`, the only one with a name in its label."""
    plain = {_plain(name) for name in names}
    ids = tuple(id for id, label in labels.items() if _plain(label) in plain)
    if within and not ids:
        ids = tuple(
            id for id, label in labels.items() if any(name in _plain(label) for name in plain)
        )
        return ids if len(ids) == 1 else ()
    return ids


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


BASE_URL = "https://api.prolific.com"
PARAMETERS = ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID")
"""Parameters that Prolific puts into a study's address, of who opens it."""
NOWHERE = "https://survey.invalid/{sheet}"
"""Stands in a study until it is known where its sheet will be; such a study is not sent."""
GROUP_FILTER = "participant_group_blocklist"
LONGEST_NAME = 255  # characters of a study's name

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
    `missing_filters` has by criterion the keys of choices whose ids are not known."""

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
    Raises InputError if it has no completion codes, or people cannot be sent to its address."""
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
    """Return where the sheet is filled in, with Prolific's parameters. Without `server` and `urls`
    it is the form that was made for it at another service, if any."""
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
