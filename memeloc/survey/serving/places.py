"""Who gets which sheet. In: a wish, and what is taken. Out: a place to go on with, a sheet, or why
there is none.

Nobody gets a sheet twice, nor a meme, unless the design allows that, and who was screened out gets
no other. Of the sheets that somebody can have, the one with the fewest people is given, the first
of several.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from memeloc.survey.model import Sheet
from memeloc.survey.serving.settings import ServeSettings
from memeloc.survey.targets.protocol import RawAnswer, RawSubmission

OPEN, COMPLETE, RETURNED = "open", "complete", "returned"
FAILED_CHECKS, SCREENED_OUT = "failed_checks", "screened_out"
"""What a place is, or how the person came to the sheet's end."""

Refusal = Literal["full", "taken part", "time over"]


@dataclass(frozen=True, slots=True)
class Place:
    """Somebody's place in a sheet; `participant` is hashed, and `held_until` when it is freed."""

    id: str
    survey: str
    sheet: str
    participant: str
    sex: str
    status: str
    held_until: datetime
    created_at: datetime

    def is_held(self, at: datetime) -> bool:
        """Whether nobody else can have it: it is open, and its time is not over."""
        return self.status == OPEN and at < self.held_until


def raw_submission(
    place: Place, given: Mapping[str, Mapping[str, Any]], submitted: datetime
) -> RawSubmission:
    """What was answered at a place, by item (label, further, shown); the end is not known."""
    return RawSubmission(
        place.participant,
        [
            RawAnswer(
                item,
                [value["label"]] if value["label"] else [],
                value.get("further", {}),
                shown=value.get("shown"),
            )
            for item, value in given.items()
        ],
        sheet=place.sheet,
        id=place.id,
        consent=True,
        started=place.created_at,
        submitted=submitted,
    )


@dataclass(frozen=True, slots=True)
class Wish:
    """What somebody comes with: the sheet of their study, or their culture's code; their sex."""

    sheet: str = ""
    culture: str = ""
    sex: str = ""


@dataclass(frozen=True, slots=True)
class Taken:
    """What is taken.

    Attributes:
        people: by sheet, how many filled it or are at it.
        sexes: the same by sheet and sex.
        own: the places of the person who comes, in the order of time.
        filled: sheets that the person filled, wherever.
    """

    people: Mapping[str, int]
    sexes: Mapping[tuple[str, str], int]
    own: Sequence[Place] = ()
    filled: Collection[str] = ()


class Assigner:
    """Assigns people to sheets.

    Args:
        sheets_a_person: how many of them somebody may fill.
    """

    def __init__(
        self, sheets: Sequence[Sheet], settings: ServeSettings, sheets_a_person: int
    ) -> None:
        self._sheets = {sheet.id: sheet for sheet in sheets}
        self._memes = {sheet.id: frozenset(sheet.memes) for sheet in sheets}
        self._settings = settings
        self._most = settings.sheets or sheets_a_person

    def assign(self, wish: Wish, taken: Taken, at: datetime) -> Place | Sheet | Refusal:
        """The place to go on with or to be shown the end of, a sheet to begin, or why not."""
        wanted = [sheet for sheet in self._sheets.values() if _fits(sheet, wish)]
        names = {sheet.id for sheet in wanted}
        own = [place for place in taken.own if place.sheet in names]
        for place in own:
            if place.status == OPEN:
                return place if place.is_held(at) or self.has_room(place, taken) else "time over"
        if wish.sheet and own:
            return own[-1]
        sheets = {place.sheet for place in taken.own} | set(taken.filled)
        is_out = any(place.status in (FAILED_CHECKS, SCREENED_OUT) for place in taken.own)
        if is_out or len(sheets) >= self._most:
            return own[-1] if own else "taken part"
        free = [sheet for sheet in wanted if self._can_have(sheet, wish, sheets, taken)]
        if not free:
            return own[-1] if own else "full"
        return min(free, key=lambda sheet: taken.people.get(sheet.id, 0))

    def has_room(self, place: Place, taken: Taken) -> bool:
        """Whether a place whose time is over can be taken up again."""
        sheet = self._sheets.get(place.sheet)
        return sheet is not None and self._is_free(sheet, place.sex, taken)

    def _can_have(self, sheet: Sheet, wish: Wish, sheets: Collection[str], taken: Taken) -> bool:
        if sheet.id in sheets or not self._is_free(sheet, wish.sex, taken):
            return False
        seen = (self._memes.get(name, frozenset()) for name in sheets)
        return self._settings.repeat_memes or not any(self._memes[sheet.id] & each for each in seen)

    def _is_free(self, sheet: Sheet, sex: str, taken: Taken) -> bool:
        code = sheet.culture.code
        of_culture = [each for each in self._sheets.values() if each.culture.code == code]
        people = sum(taken.people.get(each.id, 0) for each in of_culture)
        of_sex = sum(taken.sexes.get((each.id, sex), 0) for each in of_culture)
        places = sum(each.wanted for each in of_culture)
        share = self._settings.sex.get(sex, 1.0)
        return (
            taken.people.get(sheet.id, 0) < sheet.wanted
            and people < self._settings.people.get(code, places)
            and of_sex < math.ceil(share * places)
        )


def _fits(sheet: Sheet, wish: Wish) -> bool:
    if wish.sheet:
        return sheet.id == wish.sheet
    return sheet.culture.code == wish.culture
