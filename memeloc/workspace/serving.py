"""Sheets that a server shows. In: who comes, what they answer. Out: places, pages, replies, counts.

It knows no HTTP: the application (`memeloc.studio`) reads requests and calls this. Answers become
submissions by the one resolver.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cached_property, partial
from pathlib import Path
from statistics import median
from typing import Annotated, Any, Literal
from urllib.parse import quote, urlsplit

from pydantic import BaseModel, Field

from memeloc.errors import InputError
from memeloc.locales import default
from memeloc.store.surveys.participant_ids import hash_id, hidden
from memeloc.store.surveys.serving import DECLINED, LEFT, GivenAnswer, last_values
from memeloc.store.tables.types import now
from memeloc.survey.labels.progress import survey_status
from memeloc.survey.model import Check, Culture
from memeloc.survey.serving import (
    COMPLETE,
    FAILED_CHECKS,
    LINK,
    OPEN,
    RETURNED,
    SCREENED_OUT,
    Assigner,
    Place,
    Refusal,
    ServedSheet,
    ServeSettings,
    SheetRequest,
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
from memeloc.workspace.stored_survey import StoredSurvey
from memeloc.workspace.survey_answers import SurveyAnswers
from memeloc.workspace.survey_teams import assigned_to, team_of

_ENDS = {
    OPEN: ("serve.time", ""),
    COMPLETE: ("sent.thanks", "done"),
    RETURNED: ("serve.ended", ""),
    FAILED_CHECKS: ("serve.failed", "failed_checks"),
    SCREENED_OUT: ("serve.unqualified", "screened_out"),
    DECLINED: ("consent.declined", "no_consent"),
}
"""The message at each end, and which of `CompletionCodes`; an open place is another's by now."""

_REFUSED: dict[Refusal, str] = {
    "full": "serve.full",
    "taken part": "serve.taken",
    "time over": "serve.time",
}

_STATUSES = {FAILED_CHECKS: "screened out", SCREENED_OUT: "screened out", RETURNED: "returned"}
"""The status of the submission of each end but a complete one, which the resolver finds out."""

_MEMBER = "member-"
"""What stands before the hash of a team's person in a personal link."""

_LONGEST_ID = 200

_Key = Annotated[str, Field(max_length=100)]
_Text = Annotated[str, Field(max_length=10_000)]
_Milliseconds = Annotated[int, Field(ge=0, lt=1 << 53)]


class Given(BaseModel):
    """An answer as a page sends it.

    `number` grows with each of a place, `shown` and `took` are as of `Answer`.
    """

    item: _Key
    label: _Key = ""
    further: Annotated[dict[_Key, list[_Text]], Field(max_length=100)] = {}
    number: _Milliseconds
    shown: _Milliseconds | None = None
    took: _Milliseconds | None = None


class Finish(BaseModel):
    """How a page comes to its end."""

    status: Literal["complete", "returned", "no consent"]
    comments: _Text = ""


Reply = tuple[int, Mapping[str, Any]]
"""A status and JSON values; with 200 all that a page sent is stored."""


@dataclass(frozen=True, slots=True)
class Message:
    """What people read who get no sheet, or no more of it; code and `return_to` may be empty."""

    texts: SurveyTexts
    text: str
    code: str = ""
    return_to: str = ""

    @property
    def shown(self) -> dict[str, str]:
        return {"text": self.text, "code": self.code, "return_to": self.return_to}


@dataclass(frozen=True, slots=True)
class Question:
    """What has to be asked before a sheet is shown: the `sex`, or the `code` of another browser."""

    kind: Literal["sex", "code"]
    texts: SurveyTexts


@dataclass(frozen=True, slots=True)
class JoinRequest:
    """Who comes: an id, and what the address says besides; empty where it says nothing.

    `signed` is what the service has signed of it, see `read_signed`.
    """

    participant: str = ""
    study: str = ""
    sheet: str = ""
    culture: str = ""
    sex: str = ""
    signed: str = ""


@dataclass(frozen=True, slots=True)
class Joined:
    """The `token` of somebody's place; whether it is `theirs` beyond doubt.

    Who comes to a place that was there before, with an id that anybody may write into an address,
    has to have the browser that opened it, or its code.
    """

    token: str
    place: str
    theirs: bool


@dataclass(frozen=True, slots=True)
class Links:
    """Personal links of a survey: the culture (or place in the team) and the address of each."""

    survey: str
    links: tuple[tuple[str, str], ...]


class ServedSurvey:
    """A survey that is being served.

    Args:
        to_send: what goes out of it, with its pictures.
        answers: of the survey; quality control's rule attention ends sheets early, and person says
            how many sheets somebody may fill.

    Raises:
        InputError: the settings ask for more right answers than there are training items, or name a
            file that cannot be read.
    """

    def __init__(
        self,
        survey: StoredSurvey,
        to_send: SheetsToSend,
        settings: ServeSettings,
        answers: SurveyAnswers,
    ) -> None:
        trained = min(settings.training, len(to_send.taxonomy.examples))
        if trained < settings.training or settings.qualify > trained:
            raise InputError(
                f"[survey.serve] asks for training = {settings.training} and qualify = "
                f"{settings.qualify}; {to_send.taxonomy.name} has {len(to_send.taxonomy.examples)} "
                "examples, and no more than are asked can be right"
            )
        to_send = replace(to_send, order=settings.order or to_send.order)
        self.name, self.to_send, self.settings = survey.name, to_send, settings
        self.sheets: Mapping[str, ServedSheet] = {
            sheet.id: ServedSheet(to_send, sheet, settings.training) for sheet in to_send.sheets
        }
        store = survey.workspace.store
        self._answers, self._rules, self._places = answers, answers.rules, store.serving
        self._key = store.surveys.key
        self.tokens = Tokens(survey.name, self._key)
        self._assigner = Assigner(to_send.sheets, settings)
        self._hold = timedelta(minutes=settings.hold_minutes)
        self._team, self._assigned = team_of(survey), assigned_to(survey)
        root = survey.workspace.root or Path()
        self._keys = root / settings.prolific_keys if settings.prolific_keys else None
        self._invited: frozenset[str] | None = None
        if settings.invited:
            rows = read_table(root / settings.invited, ("participant",)).rows
            self._invited = frozenset(hash_id(self._key, clean_id(r["participant"])) for r in rows)
        if self._keys:
            read_signed("", self._keys, "", now())

    # What people read

    def texts(self, culture: Culture | None) -> SurveyTexts:
        """Return what a culture's people read; English where nobody knows whose."""
        if culture is None:
            return survey_texts(default().get("en"))
        return self.to_send.texts[culture.locale.tag]

    def message(self, culture: Culture | None, key: str) -> Message:
        texts = self.texts(culture)
        return Message(texts, texts.get(key))

    def _end(self, sheet: ServedSheet, place: Place | None, status: str = "") -> Message:
        """Return the message at a sheet's end, with the code that it ends by and the way back."""
        key, own = _ENDS[status or (place.status if place else RETURNED)]
        code = getattr(self.to_send.codes[sheet.own.id], own) if own else ""
        is_sent = code and place is not None and place.origin != LINK
        return_to = self.settings.return_to.replace("{code}", quote(code)) if is_sent else ""
        return Message(self.texts(sheet.own.culture), sheet.get(key, code=code), code, return_to)

    def _ended(self, sheet: ServedSheet, place: Place | None) -> Reply:
        """Return the reply to a page that goes on at a place that came to its end."""
        return 410, {"ended": self._end(sheet, place).shown}

    # Who comes

    def links(self, wanted: Mapping[str, int], address: str = "", *, team: bool = False) -> Links:
        """Return new personal links, for one person each.

        Args:
            wanted: how many by culture.
            address: the server's, where the settings name none.
            team: one for each person of the named team instead, always the same.

        Raises:
            InputError: nobody of a culture is asked, or there is no team.
        """
        before = f"{self.settings.address or address}/join/"
        if team:
            if self._team is None:
                raise InputError(f"{self.name} has no named team; whoever comes is asked.")
            (code,) = self._cultures  # of a team; see `Surveys.build`
            people = {place: _MEMBER + who for place, who in self._team.people.items()}
            signed = ((place, self.tokens.sign("link", code, who)) for place, who in people.items())
            return Links(self.name, tuple((place, before + token) for place, token in signed))
        for code in wanted:
            if code not in self._cultures:
                codes = ", ".join(self._cultures)
                raise InputError(f"{self.name} asks nobody of {code[:20]!r}; it asks {codes}")
        tokens = ((code, self.tokens.link(code)) for code, n in wanted.items() for _ in range(n))
        return Links(self.name, tuple((code, before + token) for code, token in tokens))

    def join_by_link(self, token: str, sex: str = "") -> Joined | Message | Question:
        """`join` for who has a personal link, which nobody else can write."""
        parts = self.tokens.read("link", token)
        culture = self._cultures.get(parts[0]) if parts else None
        if parts is None or culture is None:
            return self.message(None, "serve.link")
        person = parts[1].removeprefix(_MEMBER)
        if person == parts[1]:
            person = hash_id(self._key, f"link {person}")
        return self._take(culture, person, JoinRequest(sex=sex), LINK, {}, is_signed=True)

    def join(
        self, request: JoinRequest, cookies: Mapping[str, str] | None = None
    ) -> Joined | Message | Question:
        """Return somebody's place, a new one or theirs from before.

        `cookies`: by place id what the browser holds of the places that it opened.
        """
        if self._keys:
            host = urlsplit(self.settings.address).hostname or ""
            signed = read_signed(request.signed, self._keys, host, now())
            names = self.settings.parameters
            if signed is None or not signed.get(names.participant):
                return self.message(None, "serve.link")
            own = {each: signed.get(getattr(names, each)) for each in ("participant", "study")}
            request = replace(request, **{each: value for each, value in own.items() if value})
        sheet = self._sheet_of_study.get(request.study, "") if request.study else ""
        sheet = sheet or request.sheet
        if sheet in self.sheets:
            culture = self.sheets[sheet].own.culture
        else:
            found = self._cultures.get(request.culture.strip().upper())
            if found is None or sheet:
                return self.message(found, "serve.link")
            culture = found
        participant = clean_id(request.participant)
        if not participant or len(participant) > _LONGEST_ID:
            return self.message(culture, "serve.link")
        person, request = hash_id(self._key, participant), replace(request, sheet=sheet)
        return self._take(culture, person, request, "", cookies or {}, is_signed=bool(self._keys))

    def _take(
        self,
        culture: Culture,
        person: str,
        request: JoinRequest,
        origin: str,
        cookies: Mapping[str, str],
        *,
        is_signed: bool,
    ) -> Joined | Message | Question:
        """Give a person, by hash, a place; `is_signed` if nobody else can have come as them."""
        wanted = [
            sheet.own.id
            for sheet in self.sheets.values()
            if (sheet.own.id == request.sheet if request.sheet else sheet.own.culture == culture)
        ]
        most = self.settings.sheets or self._rules.person.sheets
        if self._team is not None:
            places = {who: place for place, who in self._team.people.items()}
            own = places.get(person, "")
            batches = {batch for batch, members in self._assigned.items() if own in members}
            wanted = [name for name in wanted if self.sheets[name].own.batch in batches]
            most = len(batches)
        is_listed = self._invited is None or origin == LINK or person in self._invited
        if not is_listed or (self._team is not None and not (wanted and is_signed)):
            return self.message(culture, "serve.closed")
        sex = request.sex.strip().casefold()[:100] if self.settings.sex else ""
        if self.settings.sex and not sex:
            return Question("sex", self.texts(culture))
        at = now()

        def is_theirs(place: Place) -> bool:
            cookie = cookies.get(place.id, "")
            is_opener = place.created_at == at or self.tokens.is_proof(cookie, "browser", place.id)
            return is_signed or is_opener

        ask = SheetRequest(wanted, bool(request.sheet), sex, most)
        place = self._places.take(
            Place("", self.name, "", person, sex, OPEN, at + self._hold, at, origin),
            lambda taken: self._assigner.assign(ask, taken, at),
            is_theirs,
        )
        if not isinstance(place, Place):
            return self.message(culture, _REFUSED[place])
        return Joined(self.tokens.sign("place", place.id, place.sheet), place.id, is_theirs(place))

    @cached_property
    def _cultures(self) -> dict[str, Culture]:
        return {sheet.culture.code: sheet.culture for sheet in self.to_send.sheets}

    @cached_property
    def _sheet_of_study(self) -> dict[str, str]:
        """The sheet of each study that a recruiter's target made, by its id there."""
        return {
            str(made["id"]): key.removeprefix("study/")
            for state in self.to_send.made.values()
            for key, made in state.items()
            if key.startswith("study/") and isinstance(made, dict) and "id" in made
        }

    # What a page shows and sends

    def _sheet_of(self, token: str) -> tuple[str, ServedSheet] | None:
        """Return the place's id and the sheet of a place's token; None for another one."""
        parts = self.tokens.read("place", token)
        if parts is None or parts[1] not in self.sheets:
            return None
        return parts[0], self.sheets[parts[1]]

    def open(self, token: str, code: str) -> str | None:
        """Return the id of a place whose code is right."""
        known = self._sheet_of(token)
        return known[0] if known and self.tokens.is_code(code, known[0]) else None

    def page(
        self, token: str, cookies: Mapping[str, str]
    ) -> tuple[ServedSheet, dict[str, Any]] | Message | Question:
        """Return the sheet of a place and what its page needs to go on; or what is shown instead.

        `cookies` are as of `join`.
        """
        known = self._sheet_of(token)
        if known is None:
            return self.message(None, "serve.link")
        place_id, sheet = known
        if not self.tokens.is_proof(cookies.get(place_id, ""), "browser", place_id):
            return Question("code", self.texts(sheet.own.culture))
        place = self._places.place(place_id)
        if place is None or place.status != OPEN:
            return self._end(sheet, place)
        answers = self._places.answers(place_id)
        return sheet, {
            "csrf": self.tokens.proof("csrf", token),
            "training": len(sheet.training),
            "place": place_id,
            "code": self.tokens.code(place_id),
            "number": max((answer.turn for answer in answers), default=0),
            "stored": last_values(answers),
            "presented": place.presented,
        }

    def consent(self, token: str, presented: Presented) -> Reply:
        """Store that a person agreed, when, to what and in which language; the first time holds."""
        known = self._sheet_of(token)
        if known is None:
            return 404, {}
        place = self._places.agree(known[0], presented.model_dump(mode="json"))
        if place is None or place.status != OPEN:
            return self._ended(known[1], place)
        return 200, {}

    def answer(self, token: str, given: Given) -> Reply:
        """Store an answer, once for each number; none of who has not agreed to take part."""
        known = self._sheet_of(token)
        if known is None:
            return 404, {}
        place_id, sheet = known
        if given.item not in sheet.entries or given.label not in ("", *sheet.labels):
            return 422, {"error": "This sheet has no such item, or no such label."}
        at = now()
        value = given.model_dump(exclude={"item", "number"}, exclude_none=True)
        place = self._places.add_answer(
            *(place_id, given.item, given.number, value, at + self._hold, at),
            self._assigner.has_room,
        )
        if place is not None and place.status == OPEN and place.presented is None:
            return 409, {"error": "Nobody has agreed to take part here."}
        if place is None or not place.is_held(at):
            return self._ended(sheet, place)
        return self._after(sheet, place, given)

    def finish(self, token: str, finish: Finish) -> Reply:
        """Bring a place to its end; the code comes once all is stored."""
        known = self._sheet_of(token)
        if known is None:
            return 404, {}
        place_id, sheet = known
        if finish.status == "no consent":
            place = self._places.place(place_id)
            self._places.decline(place_id)
            return 200, self._end(sheet, place, DECLINED).shown
        place = self._close(sheet, place_id, finish.status, finish.comments)
        if place is not None and place.status == OPEN:
            return 409, {"error": "Some questions are not answered yet."}
        return 200, self._end(sheet, place).shown

    def _after(self, sheet: ServedSheet, place: Place, given: Given) -> Reply:
        """Return what follows from an answer that was stored: feedback, the end, or nothing."""
        entry = sheet.entries[given.item]
        is_training = isinstance(entry, Check) and entry in sheet.training
        if not (is_training or (given.label and self.settings.screen_out)):
            return 200, {}
        answers = self._places.answers(place.id)
        if isinstance(entry, Check) and is_training:
            if self._is_unqualified(sheet, answers):
                return self._ended(sheet, self._close(sheet, place.id, SCREENED_OUT))
            shown = {"feedback": sheet.feedback(entry, given.label)} if given.label else {}
            return 200, shown
        last = {sheet.id_of(item): value for item, value in last_values(answers).items()}
        chosen = {entry: value["label"] for entry, value in last.items() if value["label"]}
        if cannot_pass(sheet.own, chosen, self._rules.attention):
            return self._ended(sheet, self._close(sheet, place.id, FAILED_CHECKS))
        return 200, {}

    def _is_unqualified(self, sheet: ServedSheet, answers: Sequence[GivenAnswer]) -> bool:
        """Return whether all training items were answered, and too few right the first time.

        Those that could not be shown are not expected.
        """
        first: dict[str, str] = {}
        for answer in answers:
            if answer.value["label"]:
                first.setdefault(sheet.id_of(answer.item), answer.value["label"])
        last = {sheet.id_of(item): value for item, value in last_values(answers).items()}
        shown = [item for item in sheet.training if last.get(item.id, {}).get("shown") != 0]
        if any(item.id not in first for item in shown):
            return False
        right = sum(first[item.id] == item.expected for item in shown)
        return right < min(self.settings.qualify, len(shown))

    def _close(
        self, sheet: ServedSheet, place_id: str, status: str, comments: str = ""
    ) -> Place | None:
        """End a place and store its submission."""
        build = partial(self._submission, sheet, status, comments)
        return self._places.finish(place_id, status, build)

    def _submission(
        self,
        sheet: ServedSheet,
        status: str,
        comments: str,
        place: Place,
        answers: Sequence[GivenAnswer],
    ) -> Imported | None:
        """Return what was answered at a place, resolved; None if it may not end like that yet."""
        if place.presented is None:
            return None
        trained = {sheet.key(item) for item in sheet.training}
        given = {item: value for item, value in last_values(answers).items() if item not in trained}
        raw = replace(
            raw_submission(place, given, now()),
            status=_STATUSES.get(status, ""),
            finished=status == COMPLETE,
            code=self._end(sheet, place, status).code,
            comments=hidden(comments, (), partial(hash_id, self._key)),
        )
        imported = resolve([raw], self.to_send, source=SERVED, file=SERVED)
        if status == COMPLETE and any(sent.status != COMPLETE for sent in imported.submissions):
            return None
        return imported

    # How far it is

    def free(self) -> int:
        """Forget places whose time is over and where nothing was answered; how many."""
        return self._places.free(self.name, now())

    def live(self) -> dict[str, Any]:
        """Return how far it is now, as JSON values with numbers only: nobody's id, and no answer.

        `cultures` has a row each: `annotators`, `sent`, `retained` (people that are wanted, that
        came to the end, and that quality control retains), `wanted`, `answered`, `kept` (the same
        as answers to memes), `at_it` (people who have a place now), `stopped` (or their time was
        over), `screened_out` (by checks or training), `declined`, `left` (without any answer) and
        `minutes` (the median that a sheet took; None before anybody came to its end). `stops` is by
        item, counted from 1, how many people stopped there.
        """
        at, checked = now(), self._answers.checked(keep=False)
        codes = {sheet.id: sheet.culture.code for sheet in checked.sheets}
        places: dict[str, Counter[str]] = defaultdict(Counter)
        stops: Counter[int] = Counter()
        for stop in self._places.stops(self.name):
            is_held = stop.status == OPEN and stop.held_until > at
            is_over = stop.status == OPEN and not is_held
            places[codes.get(stop.sheet, "")][RETURNED if is_over else stop.status] += 1
            if not is_held and stop.answered:
                stops[stop.answered + 1] += 1
        for (sheet, outcome), people in self._places.departed(self.name).items():
            places[codes.get(sheet, "")][outcome] += people
            stops[1] += people * (outcome == LEFT)
        taken: dict[str, list[float]] = defaultdict(list)
        for sent in checked.submissions:
            if sent.status == COMPLETE and sent.started and sent.submitted:
                minutes = (sent.submitted - sent.started).total_seconds() / 60
                taken[codes.get(sent.sheet, "")].append(minutes)
        progress = survey_status(checked.sheets, checked.submissions, checked.report)
        numbers = ("annotators", "sent", "retained", "wanted", "answered", "kept")
        cultures = [
            {
                "culture": part.name,
                **{name: getattr(part, name) for name in numbers},
                "at_it": places[part.name][OPEN],
                "stopped": places[part.name][RETURNED],
                "screened_out": places[part.name][FAILED_CHECKS] + places[part.name][SCREENED_OUT],
                "declined": places[part.name][DECLINED],
                "left": places[part.name][LEFT],
                "minutes": round(median(taken[part.name]), 1) if taken[part.name] else None,
            }
            for part in progress.cultures
        ]
        return {
            "survey": self.name,
            "at": at.isoformat(),
            "cultures": cultures,
            "stops": {str(item): people for item, people in sorted(stops.items())},
            "items": max((len(sheet.sheet.entries) for sheet in self.sheets.values()), default=0),
        }
