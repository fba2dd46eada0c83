"""Sheets that a server shows. In: who comes, what they answer. Out: screens, replies, counts.

It knows no HTTP: `memeloc.studio.application` reads requests and calls this. Answers become
submissions by the one resolver.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from statistics import median
from typing import Annotated, Any, Literal
from urllib.parse import quote, urlsplit

from pydantic import BaseModel, Field

from memeloc.errors import InputError
from memeloc.locales import default
from memeloc.settings import validate
from memeloc.store.surveys.participant_ids import hash_id, hidden
from memeloc.store.surveys.serving import DECLINED, LEFT, GivenAnswer, last_values
from memeloc.store.tables.types import now
from memeloc.survey.labels.checked import progress
from memeloc.survey.model import Culture
from memeloc.survey.serving import (
    COMPLETE,
    FAILED_CHECKS,
    LINK,
    OPEN,
    RETURNED,
    SCREENED_OUT,
    Assigner,
    PageTexts,
    Place,
    ServeSettings,
    Tokens,
    cannot_pass,
    raw_submission,
    read_signed,
)
from memeloc.survey.targets.html.target import Presented
from memeloc.survey.targets.places import clean_id
from memeloc.survey.targets.protocol import Imported, SheetsToSend
from memeloc.survey.targets.resolver import SERVED, resolve
from memeloc.survey.texts import SurveyTexts, survey_texts
from memeloc.tables import read_table
from memeloc.workspace.surveys import Survey

_ENDS = {
    OPEN: ("serve.time", "", ""),
    COMPLETE: ("sent.thanks", "done", ""),
    RETURNED: ("serve.ended", "", "returned"),
    FAILED_CHECKS: ("serve.failed", "failed_checks", "screened out"),
    SCREENED_OUT: ("serve.unqualified", "screened_out", "screened out"),
    DECLINED: ("consent.declined", "no_consent", ""),
}
"""The message at each end (an open place is another's by now), which of `CompletionCodes`, and the
status of the submission, where the resolver does not find it out."""

_MEMBER = "member-"
"""What stands before the hash of a team's person in a personal link."""

_LONGEST_ID = 200  # characters of a person's id; services' have 24 to 40

_Key = Annotated[str, Field(max_length=100)]
_Text = Annotated[str, Field(max_length=10_000)]
_Milliseconds = Annotated[int, Field(ge=0, lt=1 << 53)]


class PageAnswer(BaseModel):
    """An answer as a page sends it: `number` grows with each of a place, `shown` and `took` are as
    of `Answer`."""

    item: _Key
    label: _Key = ""
    others: dict[_Key, list[_Text]] = Field({}, alias="further", max_length=100)
    number: _Milliseconds
    shown: _Milliseconds | None = None
    took: _Milliseconds | None = None


class PageEnd(BaseModel):
    status: Literal["complete", "returned", "no consent"]
    comments: _Text = ""


Reply = tuple[int, Mapping[str, Any]]
"""A status and JSON values; with 200 all that a page sent is stored."""


@dataclass(frozen=True, slots=True)
class Screen:
    """A screen of a browser.

    Attributes:
        kind: a `message`; `sex` or `code`, which are asked for; a `sheet`; or a `place`, to whose
            address the browser is led.
        texts: in the language of who comes; those of a sheet.
        values: `text`, `code` and `return_to` of a message (the last two may be empty); what a
            sheet's page needs to go on; `token` of a place, and `place`, its id, if it is theirs
            beyond doubt: who comes to a place that was there before, with an id that anybody may
            write into an address, has to have the browser that opened it, or its code.
    """

    kind: Literal["message", "sex", "code", "sheet", "place"]
    texts: SurveyTexts | PageTexts
    values: Mapping[str, Any]


def serve_survey(
    survey: Survey, settings: Mapping[str, Any] | None = None, **options: Any
) -> SurveyServer:
    """Return a server of the sheets of all rounds that are not closed. `settings` are of
    `ServeSettings`, before memeloc.toml's; see `SurveySheets.to_serve` for the `options`."""
    values = {**survey.settings("serve"), **(settings or {})}
    chosen = validate(ServeSettings, values, "the server for sheets")
    return SurveyServer(survey, survey.sheets.to_serve(**options), chosen)


class SurveyServer:
    """A survey that is shown by a server. `to_send` is what goes out of it, with its pictures.
    Quality control's rule attention ends sheets early, and person says how many sheets somebody may
    fill."""

    def __init__(self, survey: Survey, to_send: SheetsToSend, settings: ServeSettings) -> None:
        examples = len(to_send.taxonomy.examples)
        if settings.training > examples or settings.qualify > settings.training:
            raise InputError(
                f"[survey.serve] asks for training = {settings.training} and qualify = "
                f"{settings.qualify}; {to_send.taxonomy.name} has {examples} examples, and no more "
                "than are asked can be right"
            )
        to_send = replace(to_send, order=settings.order or to_send.order)
        self.name, self.to_send, self.settings = survey.name, to_send, settings
        self.sheets = {
            sheet.id: PageTexts(to_send, sheet, settings.training) for sheet in to_send.sheets
        }
        store = survey.workspace.store
        self._answers, self._places = survey.answers, store.serving
        self._rules = survey.answers.rules
        self._key = store.surveys.key
        self.tokens = Tokens(survey.name, self._key)
        self._assigner = Assigner(to_send.sheets, settings)
        self._hold = timedelta(minutes=settings.hold_minutes)
        self._team, self._assigned = survey.team, survey.assigned
        self._cultures = {sheet.culture.code: sheet.culture for sheet in to_send.sheets}
        # The sheet of each study that a recruiter's target made, by its id there.
        self._sheet_of_study = {
            str(made["id"]): key.removeprefix("study/")
            for state in to_send.made.values()
            for key, made in state.items()
            if key.startswith("study/") and isinstance(made, dict) and "id" in made
        }
        root = survey.workspace.root or Path()
        self._keys = root / settings.prolific_keys if settings.prolific_keys else None
        self._invited: frozenset[str] | None = None
        if settings.invited:
            rows = read_table(root / settings.invited, ("participant",)).rows
            self._invited = frozenset(hash_id(self._key, clean_id(r["participant"])) for r in rows)
        if self._keys:
            read_signed("", self._keys, "", now())

    # Who comes

    def links(
        self, numbers: Mapping[str, int], address: str = "", *, team: bool = False
    ) -> dict[str, Any]:
        """Return new personal `links`, for one person each: the culture and the address; so many
        (`numbers`) by culture. `address` is the server's, where the settings name none. For a
        `team` there is one for each of its people instead, always the same, with the place in the
        team."""
        before = f"{self.settings.address or address}/join/"
        links: list[tuple[str, str]] = []
        if team:
            if self._team is None:
                raise InputError(f"{self.name} has no named team; whoever comes is asked.")
            (code,) = self._cultures  # of a team; see `Surveys.build`
            for place, who in self._team.people.items():
                links.append((place, before + self.tokens.sign("link", code, _MEMBER + who)))
        for code, number in numbers.items():
            if code not in self._cultures:
                codes = ", ".join(self._cultures)
                raise InputError(f"{self.name} asks nobody of {code[:20]!r}; it asks {codes}")
            links += [(code, before + self.tokens.link(code)) for _ in range(number)]
        return {"survey": self.name, "links": links}

    def join_by_link(self, token: str, sex: str = "") -> Screen:
        """Return the place of who has a personal link, which nobody else can write; see `join`."""
        parts = self.tokens.read("link", token)
        culture = self._cultures.get(parts[0]) if parts else None
        if parts is None or culture is None:
            return self.message("serve.link")
        person = parts[1].removeprefix(_MEMBER)
        if person == parts[1]:
            person = hash_id(self._key, f"link {person}")
        return self._take(culture, person, sex=sex, origin=LINK, is_signed=True)

    def join(self, address: Mapping[str, str], cookies: Mapping[str, str] | None = None) -> Screen:
        """Return somebody's place, a new one or theirs from before; or why there is none. `address`
        says of them `participant`, `study`, `sheet`, `culture`, `sex`, and `signed`, what the
        service has signed of it (see `read_signed`); `cookies`, by place id, what the browser holds
        of the places that it opened."""
        asked = defaultdict(str, address)
        if self._keys:
            host = urlsplit(self.settings.address).hostname or ""
            signed = read_signed(asked["signed"], self._keys, host, now()) or {}
            names = self.settings.parameters
            if not signed.get(names.participant):
                return self.message("serve.link")
            for name in ("participant", "study"):
                asked[name] = signed.get(getattr(names, name)) or asked[name]
        sheet = self._sheet_of_study.get(asked["study"], "") or asked["sheet"]
        if sheet in self.sheets:
            culture = self.sheets[sheet].original.culture
        else:
            found = self._cultures.get(asked["culture"].strip().upper())
            if found is None or sheet:
                return self.message("serve.link", found)
            culture = found
        participant = clean_id(asked["participant"])
        if not participant or len(participant) > _LONGEST_ID:
            return self.message("serve.link", culture)
        return self._take(
            culture,
            hash_id(self._key, participant),
            sheet=sheet,
            sex=asked["sex"],
            cookies=cookies or {},
            is_signed=bool(self._keys),
        )

    def _take(
        self,
        culture: Culture,
        person: str,
        *,
        is_signed: bool,
        sheet: str = "",
        sex: str = "",
        origin: str = "",
        cookies: Mapping[str, str] | None = None,
    ) -> Screen:
        """Give a person, by hash, a place; `is_signed` if nobody else can have come as them."""
        sheets = {
            name: page.original.batch
            for name, page in self.sheets.items()
            if (name == sheet if sheet else page.original.culture == culture)
        }
        most = self.settings.sheets or self._rules.person.sheets
        if self._team is not None:
            places = {who: place for place, who in self._team.people.items()}
            their_place = places.get(person, "")
            batches = {batch for batch, members in self._assigned.items() if their_place in members}
            sheets = {name: batch for name, batch in sheets.items() if batch in batches}
            most = len(batches)
        is_listed = self._invited is None or origin == LINK or person in self._invited
        if not is_listed or (self._team is not None and not (sheets and is_signed)):
            return self.message("serve.closed", culture)
        sex = sex.strip().casefold()[:100] if self.settings.sex else ""
        if self.settings.sex and not sex:
            return Screen("sex", self._texts(culture), {})
        at = now()

        def is_theirs(place: Place) -> bool:
            cookie = (cookies or {}).get(place.id, "")
            is_opener = place.created_at == at or self.tokens.is_proof(cookie, "browser", place.id)
            return is_signed or is_opener

        place = self._places.take(
            Place("", self.name, "", person, sex, OPEN, at + self._hold, at, origin),
            lambda taken: self._assigner.assign(
                list(sheets), taken, at, is_study=bool(sheet), sex=sex, most=most
            ),
            is_theirs,
        )
        if not isinstance(place, Place):
            return self.message(place, culture)
        token = self.tokens.sign("place", place.id, place.sheet)
        opened = place.id if is_theirs(place) else None
        return Screen("place", self._texts(culture), {"token": token, "place": opened})

    # What a page shows and sends

    def message(self, key: str, culture: Culture | None = None) -> Screen:
        """Return a message in a culture's language; in English where nobody knows whose."""
        texts = self._texts(culture)
        return Screen("message", texts, {"text": texts.get(key), "code": "", "return_to": ""})

    def _texts(self, culture: Culture | None) -> SurveyTexts:
        if culture is None:
            return survey_texts(default().get("en"))
        return self.to_send.texts[culture.locale.tag]

    def _end(self, page: PageTexts, place: Place | None, status: str = "") -> Screen:
        """Return the message at a sheet's end, with the code that it ends by and the way back."""
        key, name, _ = _ENDS[status or (place.status if place else RETURNED)]
        code = getattr(self.to_send.codes[page.sheet.id], name) if name else ""
        is_sent = code and place is not None and place.origin != LINK
        return_to = self.settings.return_to.replace("{code}", quote(code)) if is_sent else ""
        values = {"text": page.get(key, code=code), "code": code, "return_to": return_to}
        return Screen("message", page, values)

    def _ended(self, page: PageTexts, place: Place | None) -> Reply:
        return 410, {"ended": self._end(page, place).values}

    def find(self, token: str) -> tuple[str, PageTexts] | None:
        """Return the id of a place and the page of its sheet by the place's token."""
        parts = self.tokens.read("place", token)
        page = self.sheets.get(parts[1]) if parts else None
        return (parts[0], page) if parts and page else None

    def open(self, token: str, cookies: Mapping[str, str]) -> Screen:
        """Return the sheet of a place, or what is shown instead; `cookies` are as of `join`."""
        found = self.find(token)
        if found is None:
            return self.message("serve.link")
        place_id, page = found
        if not self.tokens.is_proof(cookies.get(place_id, ""), "browser", place_id):
            return Screen("code", page, {})
        place = self._places.place(place_id)
        if place is None or place.status != OPEN:
            return self._end(page, place)
        answers = self._places.answers(place_id)
        values = {
            "csrf": self.tokens.proof("csrf", token),
            "training": len(page.training),
            "place": place_id,
            "code": self.tokens.code(place_id),
            "number": max((answer.turn for answer in answers), default=0),
            "stored": last_values(answers),
            "presented": place.presented,
        }
        return Screen("sheet", page, values)

    def consent(self, place_id: str, page: PageTexts, presented: Presented) -> Reply:
        """Store that a person agreed, when, to what and in which language; the first time holds."""
        place = self._places.agree(place_id, presented.model_dump(mode="json"))
        return (200, {}) if place and place.status == OPEN else self._ended(page, place)

    def answer(self, place_id: str, page: PageTexts, answer: PageAnswer) -> Reply:
        """Store an answer, once for each number; none of who has not agreed to take part. The reply
        has feedback on a training item, or the end that follows."""
        if answer.item not in page.entries or answer.label not in ("", *page.labels):
            return 422, {"error": "This sheet has no such item, or no such label."}
        at = now()
        value = answer.model_dump(by_alias=True, exclude={"item", "number"}, exclude_none=True)
        place = self._places.add_answer(
            *(place_id, answer.item, answer.number, value, at + self._hold, at),
            self._assigner.has_room,
        )
        if place is not None and place.status == OPEN and place.presented is None:
            return 409, {"error": "Nobody has agreed to take part here."}
        if place is None or not place.is_held(at):
            return self._ended(page, place)
        if item := page.training.get(answer.item):
            if self._is_unqualified(page, self._places.answers(place_id)):
                return self._ended(page, self._close(page, place_id, SCREENED_OUT))
            return 200, {"feedback": page.feedback(item, answer.label)} if answer.label else {}
        if answer.label and self.settings.screen_out:
            values = last_values(self._places.answers(place_id))
            labels = {
                getattr(page.entries[key], "id", key): value["label"]
                for key, value in values.items()
                if value["label"] and key in page.entries
            }
            if cannot_pass(page.original, labels, self._rules.attention):
                return self._ended(page, self._close(page, place_id, FAILED_CHECKS))
        return 200, {}

    def finish(self, place_id: str, page: PageTexts, end: PageEnd) -> Reply:
        """Bring a place to its end; the code comes once all is stored."""
        if end.status == "no consent":
            place = self._places.place(place_id)
            self._places.decline(place_id)
            return 200, self._end(page, place, DECLINED).values
        place = self._close(page, place_id, end.status, end.comments)
        if place is not None and place.status == OPEN:
            return 409, {"error": "Some questions are not answered yet."}
        return 200, self._end(page, place).values

    def _is_unqualified(self, page: PageTexts, answers: Sequence[GivenAnswer]) -> bool:
        """Return whether all training items were answered, and too few right the first time. Those
        that could not be shown are not expected."""
        first: dict[str, str] = {}
        for answer in answers:
            if answer.value["label"]:
                first.setdefault(answer.item, answer.value["label"])
        last = last_values(answers)
        seen = {k: item for k, item in page.training.items() if last.get(k, {}).get("shown") != 0}
        right = sum(first.get(key) == item.expected for key, item in seen.items())
        return seen.keys() <= first.keys() and right < min(self.settings.qualify, len(seen))

    def _close(
        self, page: PageTexts, place_id: str, status: str, comments: str = ""
    ) -> Place | None:

        def resolved(place: Place, answers: Sequence[GivenAnswer]) -> Imported | None:
            """Return what was answered; None if the place may not end like that yet."""
            if place.presented is None:
                return None
            values = last_values(answers)
            items = {key: value for key, value in values.items() if key not in page.training}
            raw = replace(
                raw_submission(place, items, now()),
                status=_ENDS[status][2],
                finished=status == COMPLETE,
                code=self._end(page, place, status).values["code"],
                comments=hidden(comments, (), partial(hash_id, self._key)),
            )
            imported = resolve([raw], self.to_send, source=SERVED, file=SERVED)
            if status == COMPLETE and any(sent.status != COMPLETE for sent in imported.submissions):
                return None
            return imported

        return self._places.finish(place_id, status, resolved)

    # How far it is

    def free(self) -> int:
        """Forget places whose time is over and where nothing was answered; return how many."""
        return self._places.free(self.name, now())

    def live(self) -> dict[str, Any]:
        """Return how far it is now, as JSON values with numbers only: nobody's id, and no answer.
        `cultures` has a row each: `annotators`, `sent`, `retained` (people that are wanted, that
        came to the end, and that quality control retains), `wanted`, `answered`, `kept` (the same
        as answers to memes), `at_it` (people who have a place now), `stopped` (or their time was
        over), `screened_out` (by checks or training), `declined`, `left` (without any answer) and
        `minutes` (the median that a sheet took; None before anybody came to its end). `stops` is by
        item, counted from 1, how many people stopped there."""
        at, checked = now(), self._answers.checked(keep=False)
        codes = {sheet.id: sheet.culture.code for sheet in checked.sheets}
        places: Counter[tuple[str, str]] = Counter()
        stops: Counter[int] = Counter()
        for stop in self._places.stops(self.name):
            is_held = stop.status == OPEN and stop.held_until > at
            outcome = stop.status if is_held or stop.status != OPEN else RETURNED
            places[codes.get(stop.sheet, ""), outcome] += 1
            if not is_held and stop.answered:
                stops[stop.answered + 1] += 1
        for (sheet, outcome), people in self._places.departed(self.name).items():
            places[codes.get(sheet, ""), outcome] += people
            stops[1] += people * (outcome == LEFT)
        minutes: dict[str, list[float]] = defaultdict(list)
        for sent in checked.submissions:
            if sent.status == COMPLETE and sent.started and sent.submitted:
                seconds = (sent.submitted - sent.started).total_seconds()
                minutes[codes.get(sent.sheet, "")].append(seconds / 60)
        numbers = ("annotators", "sent", "retained", "wanted", "answered", "kept")
        parts = progress(checked.sheets, checked.report)["cultures"]
        cultures = [
            {
                "culture": code,
                **{name: part[name] for name in numbers},
                "at_it": places[code, OPEN],
                "stopped": places[code, RETURNED],
                "screened_out": places[code, FAILED_CHECKS] + places[code, SCREENED_OUT],
                "declined": places[code, DECLINED],
                "left": places[code, LEFT],
                "minutes": round(median(minutes[code]), 1) if minutes[code] else None,
            }
            for code, part in ((part["name"], part) for part in parts)
        ]
        return {
            "survey": self.name,
            "at": at.isoformat(),
            "cultures": cultures,
            "stops": {str(item): people for item, people in sorted(stops.items())},
            "items": max((len(page.sheet.entries) for page in self.sheets.values()), default=0),
        }
