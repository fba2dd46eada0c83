"""Sheets that the server shows. In: who comes, what they answer. Out: places, answers, counts.

People are keyed hashes here. Each answer is stored before its sender gets a reply, once for each
turn; a sheet's end and its submission are one transaction.
"""

from __future__ import annotations

import hashlib
import secrets
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, Select, bindparam, delete, distinct, func, select, update

from memeloc.store.queries import Repository, add_row, add_rows, columns_of, two_columns, values_of
from memeloc.store.records import FileRecord
from memeloc.store.surveys.erasures import letting_go
from memeloc.store.surveys.surveys import add_submissions
from memeloc.store.tables.surveys import departures, given_answers, submissions, survey_places
from memeloc.survey.model import Sheet
from memeloc.survey.serving import COMPLETE, OPEN, Occupancy, Place, Refusal
from memeloc.survey.targets.protocol import Imported

DECLINED, LEFT = "declined", "left"
"""Who did not agree to take part, and whose time was over before their first answer."""


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """An answer as it was given: `value` has the label and what else was asked, `turn` grows."""

    item: str
    turn: int
    value: Mapping[str, Any]
    created_at: datetime


def last_values(answers: Sequence[GivenAnswer]) -> dict[str, Mapping[str, Any]]:
    """Return what holds of a place's answers, by item: the last; of a picture that was seen, one of
    then, for whoever comes back to an answered item when its picture does not load has answered."""
    seen = sorted(answers, key=lambda answer: answer.value.get("shown") != 0)
    return {answer.item: answer.value for answer in seen}


# Made once: building a statement takes longer than the database takes to run one of these.
_PLACE = select(*columns_of(survey_places, Place)).where(survey_places.c.id == bindparam("place"))
_LOCKED = _PLACE.with_for_update()
_OF_PLACE = update(survey_places).where(survey_places.c.id == bindparam("place"))
_HOLD = _OF_PLACE.values(held_until=bindparam("until"))
_END = _OF_PLACE.values(status=bindparam("end"))
_ANSWERS = (
    select(*columns_of(given_answers, GivenAnswer))
    .where(given_answers.c.place_id == bindparam("place"))
    .order_by(given_answers.c.turn, given_answers.c.number)
)


class Serving(Repository):
    def take(
        self,
        wanted: Place,
        choose: Callable[[Occupancy], Place | Sheet | Refusal],
        is_theirs: Callable[[Place], bool],
    ) -> Place | Refusal:
        """Give somebody the place that `choose` finds; or return why there is none.

        Args:
            wanted: the place as it is stored of a new one, without id and sheet.
            choose: is given what is taken; nobody else takes anything meanwhile.
            is_theirs: whether one from before is held longer, for its person has come for it.
        """
        with self.database.write() as connection:
            at = wanted.created_at
            choice = choose(_taken(connection, wanted.survey, wanted.participant, at))
            if isinstance(choice, Sheet):
                place = replace(wanted, id=secrets.token_hex(8), sheet=choice.id)
                add_row(connection, survey_places, **values_of(place))
                return place
            if isinstance(choice, Place) and choice.status == OPEN and is_theirs(choice):
                connection.execute(_HOLD, {"place": choice.id, "until": wanted.held_until})
            return choice

    def agree(self, place_id: str, presented: Mapping[str, Any]) -> Place | None:
        """Store what somebody agreed to before their first answer; return the place."""
        columns = survey_places.c
        is_first = (columns.id == place_id, columns.status == OPEN, columns.presented.is_(None))
        with self.database.write() as connection:
            connection.execute(
                update(survey_places).where(*is_first).values(presented=dict(presented))
            )
            return _place(connection, place_id)

    def place(self, place_id: str) -> Place | None:
        with self.database.read() as connection:
            return _place(connection, place_id)

    def answers(self, place_id: str) -> list[GivenAnswer]:
        """Return everything that was answered at a place, in the order of turns."""
        with self.database.read() as connection:
            return _answers(connection, place_id)

    def add_answer(
        self,
        place_id: str,
        item: str,
        turn: int,
        value: Mapping[str, Any],
        until: datetime,
        at: datetime,
        has_room: Callable[[Place, Occupancy], bool],
    ) -> Place | None:
        """Store an answer, once for each turn, and hold the place until then; return the place. An
        answer is stored if it is open and its person has agreed to take part. One whose time is
        over is taken up again if `has_room` says so, and is left as it is if not."""
        row = {"place_id": place_id, "item": item, "turn": turn, "value": dict(value)}

        def store(connection: Connection, place: Place) -> Place:
            add_rows(connection, given_answers, [row], ["place_id", "item", "turn"])
            connection.execute(_HOLD, {"place": place_id, "until": until})
            return replace(place, held_until=until)

        # Many answer at once, each at a place of their own: they need not take turns.
        with self.database.write(shared=True) as connection:
            place = _place(connection, place_id, _LOCKED)
            if place is None or place.status != OPEN or place.presented is None:
                return place
            if place.is_held(at):
                return store(connection, place)
        with self.database.write() as connection:
            place = _place(connection, place_id)
            if place is None or place.status != OPEN:
                return place
            taken = _taken(connection, place.survey, place.participant, at)
            is_free = place.is_held(at) or has_room(place, taken)
            return store(connection, place) if is_free else place

    def finish(
        self,
        place_id: str,
        status: str,
        build: Callable[[Place, Sequence[GivenAnswer]], Imported | None],
    ) -> Place | None:
        """Bring a place to its end and store its submission, both or neither. `build` makes the
        submission of what was answered; None leaves the place open. A place that came to its end
        before stays as it is."""
        with self.database.write() as connection:
            place = _place(connection, place_id)
            if place is None or place.status != OPEN:
                return place
            imported = build(place, _answers(connection, place_id))
            if imported is None:
                return place
            # All that a survey's server stores is of one source, which has no file.
            source = hashlib.sha256(f"memeloc survey serve {place.survey}".encode()).hexdigest()
            file = FileRecord("submissions", "memeloc survey serve", source, 0)
            add_submissions(connection, place.survey, [(file, imported)])
            connection.execute(_END, {"place": place_id, "end": status})
            return replace(place, status=status)

    def decline(self, place_id: str) -> bool:
        """Forget a place whose person does not agree, but for a count; whether it was there.
        Answers from before, of somebody who went back to take the consent away, are erased."""
        with self.database.write() as connection:
            place = _place(connection, place_id)
            if place is None or place.status != OPEN:
                return False
            if answers := len(_answers(connection, place_id)):
                with letting_go(connection) as counts:  # the database asks for a receipt
                    theirs = given_answers.c.place_id == place_id
                    connection.execute(delete(given_answers).where(theirs))
                    counts.update({"people": 1, given_answers.name: answers})
            _depart(connection, [place], DECLINED)
            return True

    def free(self, survey: str, at: datetime) -> int:
        """Forget the places whose time is over and where nothing was answered; how many."""
        with self.database.write() as connection:
            places = _expired(connection, survey, at, answered=False)
            _depart(connection, places, LEFT)
            return len(places)

    def expired(self, survey: str, at: datetime) -> list[tuple[Place, list[GivenAnswer]]]:
        """Return the open places whose time is over and where something was answered, with all of
        that."""
        with self.database.read() as connection:
            places = _expired(connection, survey, at, answered=True)
            return [(place, _answers(connection, place.id)) for place in places]

    def stops(self, survey: str) -> Sequence[Row[Any]]:
        """Return `sheet`, `status`, `held_until` and the number of items that were `answered` of
        every place that did not come to a complete sheet."""
        columns = survey_places.c
        answered = func.count(distinct(given_answers.c.item)).label("answered")
        query = (
            select(columns.sheet, columns.status, columns.held_until, answered)
            .select_from(survey_places.outerjoin(given_answers))
            .where(columns.survey == survey, columns.status != COMPLETE)
            .group_by(columns.id, columns.sheet, columns.status, columns.held_until)
        )
        return self.fetch(query)

    def departed(self, survey: str) -> dict[tuple[str, str], int]:
        """Return by sheet and outcome (`declined` or `left`) how many people there were."""
        columns = departures.c
        query = select(columns.sheet, columns.outcome, columns.people)
        rows = self.fetch(query.where(columns.survey == survey))
        return {(sheet, outcome): people for sheet, outcome, people in rows}


def _place(connection: Connection, place_id: str, query: Select[Any] = _PLACE) -> Place | None:
    row = connection.execute(query, {"place": place_id}).first()
    return Place(*row) if row else None


def _answers(connection: Connection, place_id: str) -> list[GivenAnswer]:
    return [GivenAnswer(*row) for row in connection.execute(_ANSWERS, {"place": place_id})]


def _expired(connection: Connection, survey: str, at: datetime, *, answered: bool) -> list[Place]:
    columns, places = survey_places.c, select(given_answers.c.place_id)
    query = select(*columns_of(survey_places, Place)).where(
        columns.survey == survey,
        columns.status == OPEN,
        columns.held_until <= at,
        columns.id.in_(places) if answered else columns.id.not_in(places),
    )
    return [Place(*row) for row in connection.execute(query)]


def _taken(connection: Connection, survey: str, participant: str, at: datetime) -> Occupancy:
    """Return what is taken: complete submissions of any source, and places that are held."""
    sent = submissions.c
    query = select(sent.sheet, func.count(distinct(sent.participant)))
    query = query.where(sent.survey == survey, sent.status == COMPLETE).group_by(sent.sheet)
    people = Counter(two_columns(connection.execute(query)))
    places = survey_places.c
    held = (places.status == OPEN) & (places.held_until > at)
    query = select(places.sheet, places.sex, places.status, func.count())
    query = query.where(places.survey == survey, held | (places.status == COMPLETE))
    sexes: Counter[tuple[str, str]] = Counter()
    for sheet, sex, status, number in connection.execute(
        query.group_by(places.sheet, places.sex, places.status)
    ):
        sexes[sheet, sex] += number
        people[sheet] += number * (status == OPEN)
    of_person = select(*columns_of(survey_places, Place)).where(
        places.survey == survey, places.participant == participant
    )
    filled = select(sent.sheet).where(sent.survey == survey, sent.participant == participant)
    return Occupancy(
        people,
        sexes,
        [Place(*row) for row in connection.execute(of_person.order_by(places.created_at))],
        set(connection.execute(filled).scalars()),
    )


def _depart(connection: Connection, places: Sequence[Place], outcome: str) -> None:
    columns = departures.c
    for place in places:
        connection.execute(delete(survey_places).where(survey_places.c.id == place.id))
        key = {"survey": place.survey, "sheet": place.sheet, "outcome": outcome}
        add_rows(connection, departures, [{**key, "people": 0}], list(key))
        same = (columns[name] == value for name, value in key.items())
        connection.execute(update(departures).where(*same).values(people=columns.people + 1))
