"""Decisions about labels. In: what people decided, who and why. Out: all of it, oldest first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from sqlalchemy import Connection, select

from memeloc.store.queries import Repository, add_row, add_rows
from memeloc.store.tables.surveys import label_deciders, label_decisions
from memeloc.survey.labels.settling import LabelDecision


class LabelDecisions(Repository):
    def add(self, survey: str, decisions: Sequence[LabelDecision]) -> int:
        """Store decisions, all or none; how many differ from the newest about their item."""
        count = 0
        with self.database.write() as connection:
            newest = {each.cell: each for each in _find(connection, survey)}
            for decision in decisions:
                if newest.get(decision.cell) == decision:
                    continue
                newest[decision.cell] = decision
                number = add_row(
                    connection,
                    label_decisions,
                    survey=survey,
                    item=decision.item,
                    culture=decision.culture,
                    label=decision.label,
                    further=decision.further,
                    reason=decision.reason,
                )
                people = [{"decision": number, "participant": who} for who in decision.people]
                add_rows(connection, label_deciders, people)
                count += 1
        return count

    def find(self, survey: str) -> list[LabelDecision]:
        with self.database.read() as connection:
            return _find(connection, survey)


def _find(connection: Connection, survey: str) -> list[LabelDecision]:
    people: dict[int, list[str]] = defaultdict(list)
    columns = label_decisions.c
    of_survey = select(columns.number).where(columns.survey == survey)
    query = select(label_deciders).where(label_deciders.c.decision.in_(of_survey))
    for number, participant in connection.execute(query):
        people[number].append(participant)
    rows = connection.execute(
        select(label_decisions).where(columns.survey == survey).order_by(columns.number)
    )
    return [
        LabelDecision(
            row.item,
            row.culture,
            row.label,
            tuple(sorted(people[row.number])),
            row.reason,
            tuple((question, tuple(values)) for question, values in row.further),
        )
        for row in rows
    ]
