"""Answers in. In: what a page sends. Out: the reply; submissions through the one resolver."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from memeloc.store.surveys.participant_ids import hash_id, hidden
from memeloc.store.surveys.serving import GivenAnswer, last_values
from memeloc.store.tables.types import now
from memeloc.survey.model import Check
from memeloc.survey.serving.pages import ServedSheet
from memeloc.survey.serving.places import (
    COMPLETE,
    FAILED_CHECKS,
    OPEN,
    RETURNED,
    SCREENED_OUT,
    Place,
    raw_submission,
)
from memeloc.survey.serving.screening_out import cannot_pass
from memeloc.survey.targets.protocol import Imported
from memeloc.survey.targets.resolver import SERVED, resolve
from memeloc.workspace.surveys.serving.served import Message, Served

_STATUSES = {FAILED_CHECKS: "screened out", SCREENED_OUT: "screened out", RETURNED: "returned"}
"""The status of the submission of each end but a complete one, which the resolver finds out."""

_Key = Annotated[str, Field(max_length=100)]
_Text = Annotated[str, Field(max_length=10_000)]


class Given(BaseModel):
    """An answer as a page sends it: `number` grows with each of a place, `shown` as of `Answer`."""

    item: _Key
    label: _Key = ""
    further: Annotated[dict[_Key, list[_Text]], Field(max_length=100)] = {}
    number: Annotated[int, Field(ge=0, lt=1 << 53)]
    shown: Annotated[int, Field(ge=0, lt=1 << 53)] | None = None


class Finish(BaseModel):
    """How a page comes to its end."""

    status: Literal["complete", "returned", "no consent"]
    comments: _Text = ""


@dataclass(frozen=True, slots=True)
class Reply:
    """The reply to a page; with a `status` of 200 all that it sent is stored."""

    status: int
    content: Mapping[str, Any] = field(default_factory=dict)


class Answering(Served):
    """Takes answers, and ends sheets."""

    def page(self, token: str) -> tuple[ServedSheet, dict[str, Any]] | Message:
        """The sheet of a place and what its page needs to go on; or a message instead."""
        known = self.sheet_of(token)
        if known is None:
            return self.message(None, "serve.link")
        place_id, sheet = known
        place = self._places.place(place_id)
        if place is None or place.status != OPEN:
            return self.end(sheet, place.status if place else RETURNED)
        answers = self._places.answers(place_id)
        return sheet, {
            "csrf": self.tokens.csrf(token),
            "training": len(sheet.training),
            "place": place_id,
            "number": max((answer.turn for answer in answers), default=0),
            "stored": last_values(answers),
        }

    def answer(self, token: str, given: Given) -> Reply:
        """Store an answer, once for each number."""
        known = self.sheet_of(token)
        if known is None:
            return Reply(404)
        place_id, sheet = known
        if given.item not in sheet.entries or given.label not in ("", *sheet.labels):
            return Reply(422, {"error": "This sheet has no such item, or no such label."})
        at = now()
        value = given.model_dump(include={"label", "further", "shown"}, exclude_none=True)
        place = self._places.add_answer(
            *(place_id, given.item, given.number, value, at + self._hold, at),
            self._assigner.has_room,
        )
        if place is None or place.status != OPEN or not place.is_held(at):
            return self._ended(sheet, place.status if place else RETURNED)
        return self._after(sheet, place, given)

    def finish(self, token: str, finish: Finish) -> Reply:
        """Bring a place to its end; the code comes once all is stored."""
        known = self.sheet_of(token)
        if known is None:
            return Reply(404)
        place_id, sheet = known
        if finish.status == "no consent":
            self._places.decline(place_id)
            code = self.pack.codes[sheet.own.id].no_consent
            return Reply(200, {"text": sheet.get("consent.declined", code=code), "code": code})
        status = self._close(sheet, place_id, finish.status, finish.comments)
        if status == OPEN:
            return Reply(409, {"error": "Some questions are not answered yet."})
        return Reply(200, self._shown_end(sheet, status))

    def _after(self, sheet: ServedSheet, place: Place, given: Given) -> Reply:
        """What follows from an answer that was stored: feedback, the end, or nothing."""
        entry = sheet.entries[given.item]
        is_training = isinstance(entry, Check) and entry in sheet.training
        if not (is_training or (given.label and self.settings.screen_out)):
            return Reply(200)
        answers = self._places.answers(place.id)
        if isinstance(entry, Check) and is_training:
            if self._is_unqualified(sheet, answers):
                return self._ended(sheet, self._close(sheet, place.id, SCREENED_OUT))
            shown = {"feedback": sheet.feedback(entry, given.label)} if given.label else {}
            return Reply(200, shown)
        last = {sheet.id_of(item): value for item, value in last_values(answers).items()}
        chosen = {entry: value["label"] for entry, value in last.items() if value["label"]}
        if cannot_pass(sheet.own, chosen, self._rules.attention):
            return self._ended(sheet, self._close(sheet, place.id, FAILED_CHECKS))
        return Reply(200)

    def _is_unqualified(self, sheet: ServedSheet, answers: Sequence[GivenAnswer]) -> bool:
        """Whether all training items were answered, and too few right the first time.

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

    def _close(self, sheet: ServedSheet, place_id: str, status: str, comments: str = "") -> str:
        """End a place and store its submission; what the place is then."""
        build = partial(self._submission, sheet, status, comments)
        place = self._places.finish(place_id, status, build)
        return place.status if place else RETURNED

    def _submission(
        self,
        sheet: ServedSheet,
        status: str,
        comments: str,
        place: Place,
        answers: Sequence[GivenAnswer],
    ) -> Imported | None:
        """What was answered at a place, resolved; None if it is to be complete and is not."""
        trained = {sheet.key(item) for item in sheet.training}
        given = {item: value for item, value in last_values(answers).items() if item not in trained}
        raw = replace(
            raw_submission(place, given, now()),
            status=_STATUSES.get(status, ""),
            finished=status == COMPLETE,
            code=self.end(sheet, status).code,
            comments=hidden(comments, (), partial(hash_id, self._key)),
        )
        imported = resolve([raw], self.pack, source=SERVED, file=SERVED)
        if status == COMPLETE and any(sent.status != COMPLETE for sent in imported.submissions):
            return None
        return imported

    def _ended(self, sheet: ServedSheet, status: str) -> Reply:
        """The reply to a page that goes on at a place that came to its end."""
        return Reply(410, {"ended": self._shown_end(sheet, status)})

    def _shown_end(self, sheet: ServedSheet, status: str) -> dict[str, str]:
        end = self.end(sheet, status)
        return {"text": end.text, "code": end.code}
