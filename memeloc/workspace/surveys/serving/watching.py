"""How far a survey is that is being served. In: the database. Out: `Live`, for its owner.

It has numbers only: nobody's id, and no answer.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from statistics import median

from memeloc.store.surveys.serving import DECLINED, LEFT
from memeloc.store.tables.types import now
from memeloc.survey.labels.progress import survey_status
from memeloc.survey.quality.checking import COMPLETE
from memeloc.survey.serving.places import FAILED_CHECKS, OPEN, RETURNED, SCREENED_OUT
from memeloc.workspace.surveys.serving.served import Served


@dataclass(frozen=True, slots=True)
class LiveCulture:
    """How far a culture is.

    Attributes:
        annotators, sent, retained: people that are wanted, that came to the end, and that quality
            control retains.
        wanted, answered, kept: the same as answers to memes.
        at_it: people who have a place now.
        stopped, screened_out, declined, left: people who stopped or whose time was over; whom the
            checks or the training ended; who did not agree; who never answered anything.
        minutes: the median that a sheet took; None before anybody came to its end.
    """

    culture: str
    annotators: int
    sent: int
    retained: int
    wanted: int
    answered: int
    kept: int
    at_it: int
    stopped: int
    screened_out: int
    declined: int
    left: int
    minutes: float | None


@dataclass(frozen=True, slots=True)
class Live:
    """How far a survey is: by culture, and at which item (counted from 1) people stopped."""

    survey: str
    at: datetime
    cultures: tuple[LiveCulture, ...]
    stops: Mapping[int, int]
    items: int


class Watching(Served):
    """Says how far everything is."""

    def live(self) -> Live:
        """How far it is now."""
        at, checked = now(), self._survey.checked(keep=False)
        codes = {sheet.id: sheet.culture.code for sheet in checked.sheets}
        places: dict[str, Counter[str]] = defaultdict(Counter)
        stops: Counter[int] = Counter()
        for stop in self._places.stops(self.name):
            is_held = stop.status == OPEN and stop.held_until > at
            is_over = stop.status == OPEN and not is_held
            places[codes.get(stop.sheet, "")][RETURNED if is_over else stop.status] += 1
            if not is_held and stop.answered:
                stops[stop.answered + 1] += 1
        departed: dict[str, Counter[str]] = defaultdict(Counter)
        for (sheet, outcome), people in self._places.departed(self.name).items():
            departed[codes.get(sheet, "")][outcome] += people
            stops[1] += people * (outcome == LEFT)
        taken: dict[str, list[float]] = defaultdict(list)
        for sent in checked.submissions:
            if sent.status == COMPLETE and sent.started and sent.submitted:
                minutes = (sent.submitted - sent.started).total_seconds() / 60
                taken[codes.get(sent.sheet, "")].append(minutes)
        progress = survey_status(checked.sheets, checked.submissions, checked.report)
        cultures = tuple(
            LiveCulture(
                part.name,
                part.annotators,
                part.sent,
                part.retained,
                part.wanted,
                part.answered,
                part.kept,
                places[part.name][OPEN],
                places[part.name][RETURNED],
                places[part.name][FAILED_CHECKS] + places[part.name][SCREENED_OUT],
                departed[part.name][DECLINED],
                departed[part.name][LEFT],
                round(median(taken[part.name]), 1) if taken[part.name] else None,
            )
            for part in progress.cultures
        )
        items = max((len(sheet.sheet.entries) for sheet in self.sheets.values()), default=0)
        return Live(self.name, at, cultures, dict(sorted(stops.items())), items)
