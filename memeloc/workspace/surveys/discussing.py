"""Labels for people to decide. In: what is open, decisions as people write them. Out: decisions.

What is open goes out as a table with all votes, and comes back half filled in and in any order. A
row without a label and without answers decides nothing; one that cannot be read stops the file.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from memeloc.errors import InputError
from memeloc.locales import default
from memeloc.sheets import write_sheet_table
from memeloc.survey.labels.decided import Cell, LabelDecision
from memeloc.survey.labels.further import by_votes
from memeloc.survey.labels.unsettled import Unsettled
from memeloc.survey.model import MemeEntry
from memeloc.survey.targets.further import resolve_further
from memeloc.survey.texts import SurveyTexts, TaxonomyTexts, survey_texts
from memeloc.tables import Row, folded, read_table
from memeloc.taxonomy import LABEL, SOURCE, Taxonomy
from memeloc.workspace.surveys.stored import NO_PICTURE, StoredSurvey

if TYPE_CHECKING:
    import pandas as pd

_BETWEEN = re.compile(r"[|;\n]")
_BEFORE = ("item", "culture", "text", "state", "votes")
_PEOPLE, _REASON = "people", "reason"


@dataclass(frozen=True, slots=True)
class OpenLabel:
    """An item that is open in a culture: its label, or answers to further questions.

    Attributes:
        text: its caption there; empty where the workspace has none.
        label, state: as they are by now; see `settling.STATES`.
        open: ids of the questions that are open, `label` among them.
        votes: by question id, how many there are of each answer; further ones only if open.
    """

    item: str
    culture: str
    text: str
    label: str
    state: str
    open: tuple[str, ...]
    votes: Mapping[str, Mapping[str, int]]


@dataclass(frozen=True, slots=True)
class GivenDecision:
    """A decision as people write it: labels, answers and people by id or name.

    `culture` may be left out of a survey with one culture; `row` is where it stands in a file.
    """

    item: str
    culture: str = ""
    label: str = ""
    further: Mapping[str, Sequence[str]] = field(default_factory=dict)
    people: Sequence[str] = ()
    reason: str = ""
    row: int | None = None


@dataclass(frozen=True, slots=True)
class DecideLabelsResult:
    """What was decided and what is open.

    Attributes:
        new: how many decisions were stored; `known` were the newest about their items already.
        decided: the labels and answers that hold by decisions, oldest first.
        open: what is left for people to decide.
        file: the table that was written; None without one.
    """

    survey: str
    new: int
    known: int
    decided: tuple[LabelDecision, ...]
    open: tuple[OpenLabel, ...]
    file: Path | None


def open_labels(
    labels: pd.DataFrame,
    further: pd.DataFrame,
    answers: pd.DataFrame,
    open_questions: Collection[Unsettled],
    captions: Mapping[Cell, str],
) -> tuple[OpenLabel, ...]:
    """What people may decide: labels that are tied or given up, and answers that are tied.

    Args:
        labels: as of `Settled.table`.
        further: as of `settle_further`.
        answers: the retained answers, whose votes are shown.
        open_questions: those that have to be settled.
        captions: by item and culture.
    """
    wanted = {(each.item, each.culture, each.question) for each in open_questions}
    questions: dict[Cell, list[str]] = defaultdict(list)
    votes: dict[Cell, dict[str, Mapping[str, int]]] = defaultdict(dict)
    columns = ["item", "culture", "question", "answer", "votes"]
    for item, culture, question, answer, counts in further[columns].to_numpy():
        is_tied = len(counts) > 1 and len(set(counts.values())) == 1
        if not answer and (is_tied or (item, culture, question) in wanted):
            questions[item, culture].append(question)
            votes[item, culture][question] = counts
    given: dict[Cell, Counter[str]] = defaultdict(Counter)
    for item, culture, label in answers[["item", "culture", "label"]].to_numpy():
        given[item, culture][label] += 1
    rows = []
    for item, culture, label, state in labels[["item", "culture", "label", "state"]].to_numpy():
        cell = (item, culture)
        own = [LABEL] if state in ("tied", "given up") else []
        if own or questions[cell]:
            by_question = {LABEL: by_votes(given[cell]), **votes[cell]}
            text = captions.get(cell, "")
            opened = (*own, *questions[cell])
            rows.append(OpenLabel(item, culture, text, label, state, opened, by_question))
    return tuple(rows)


def write_open(path: Path, rows: Sequence[OpenLabel], taxonomy: Taxonomy) -> Path:
    """Write what is open and return where: with columns for the label, further answers, people
    and the reason."""
    questions = [question.id for question in taxonomy.about("item", "picture")]
    asked = [name for name in questions if any(name in row.open for row in rows)]
    columns = [*_BEFORE, *(f"{name} votes" for name in asked), LABEL, *asked, _PEOPLE, _REASON]
    cells = (
        [
            *(row.item, row.culture, row.text, row.state, _votes(row, LABEL)),
            *(_votes(row, name) for name in asked),
            *("" for _ in range(len(asked) + 3)),
        ]
        for row in rows
    )
    return write_sheet_table(path, columns, cells)[0]


def _votes(row: OpenLabel, question: str) -> str:
    votes = row.votes.get(question, {})
    return " | ".join(f"{answer}: {count}" for answer, count in votes.items())


def read_decisions(
    path: Path, taxonomy: Taxonomy, people: Sequence[str], reason: str
) -> Iterator[GivenDecision]:
    """The decisions of a table; `people` and `reason` are those of rows that have none.

    Raises:
        InputError: it cannot be read, or has not the columns item and label.
    """
    table = read_table(path, required=("item", LABEL))
    questions = taxonomy.about("item", "picture")
    for row in table.rows:
        if row.reason:
            raise InputError(row.error, file=path, row=row.number)
        further = {
            each.id: _parts(row, each.id) if each.kind in ("choices", "span") else [row[each.id]]
            for each in questions
            if row[each.id]
        }
        if row[LABEL] or further:
            yield GivenDecision(
                row["item"],
                row["culture"],
                row[LABEL],
                further,
                _parts(row, _PEOPLE) or people,
                row[_REASON] or reason,
                row.number,
            )


def _parts(row: Row, name: str) -> list[str]:
    return [part.strip() for part in _BETWEEN.split(row[name]) if part.strip()]


class DecisionResolver:
    """Makes decisions of what people wrote.

    Args:
        labels: by item and culture the label by now, of all that was asked.
        texts: by culture, for labels and answers that are named as people read them.
        team: by place, such as `a-2`, the people of a named team as they are stored.
        file: where decisions stand, for errors.
    """

    def __init__(
        self,
        survey: StoredSurvey,
        labels: Mapping[Cell, str],
        texts: Mapping[str, SurveyTexts],
        team: Mapping[str, str],
        file: Path | None = None,
    ) -> None:
        self.survey, self.taxonomy, self.labels, self.file = survey, survey.taxonomy, labels, file
        self.team = team
        self._names = {code: self._by_name(own) for code, own in texts.items()}

    def decision(self, given: GivenDecision) -> LabelDecision:
        """A decision with ids, and with people as hashes.

        Raises:
            InputError: the survey does not ask about the item there, the label or an answer is
                none, nobody took part, or there is no reason.
        """
        cell = self._cell(given)
        label = self._label(given, cell)
        if not (label or given.further):
            raise self._error(given, LABEL, "nothing is decided; give a label or an answer")
        in_force = label or self.labels[cell]
        if not in_force and given.further:
            raise self._error(given, LABEL, f"the label of {cell[0]!r} is open; decide it, too")
        entry = MemeEntry(cell[0], "", NO_PICTURE, texts=self._own_texts(cell[0]))
        further, problems = resolve_further(
            self.taxonomy, entry, in_force, given.further, lambda *of: self._answer(cell, *of)
        )
        for reason, problem in problems:
            if reason != "not answered":
                raise self._error(given, LABEL, problem)
        if not given.people:
            raise self._error(given, _PEOPLE, "it does not say who decided")
        if not given.reason.strip():
            raise self._error(given, _REASON, "it does not say why")
        people = tuple(
            sorted({self.team.get(who) or self.survey.hashed(who) for who in given.people})
        )
        return LabelDecision(*cell, label, people, given.reason.strip(), further)

    def _cell(self, given: GivenDecision) -> Cell:
        codes = [culture.code for culture in self.survey.design.cultures]
        culture = given.culture.strip().upper() or (codes[0] if len(codes) == 1 else "")
        if (given.item, culture) not in self.labels:
            where = f" in {culture[:20]}" if culture else "; name its culture"
            message = f"{self.survey.name} does not ask about {given.item[:80]!r}{where}"
            raise self._error(given, "item" if culture else "culture", message)
        return (given.item, culture)

    def _label(self, given: GivenDecision, cell: Cell) -> str:
        if not given.label.strip():
            return ""
        label = self._answer(cell, LABEL, given.label)
        allowed = [each.id for each in self.taxonomy.of_role("vote", "reject")]
        if label not in allowed:
            message = f"{given.label[:80]!r} is no label; there are {', '.join(allowed)}"
            raise self._error(given, LABEL, message)
        return label

    def _answer(self, cell: Cell, question: str, text: str) -> str | None:
        return self._names[cell[1]].get(question, {}).get(folded(text))

    def _own_texts(self, item: str) -> Mapping[str, str]:
        return self.survey.item_texts.get(item, {})

    def _by_name(self, texts: SurveyTexts) -> dict[str, dict[str, str]]:
        """Ids of answers by themselves, by their names, and by the English ones."""
        english = survey_texts(default().get(SOURCE), taxonomy=self.taxonomy)
        by_name: dict[str, dict[str, str]] = defaultdict(dict)
        for each in (english, texts):
            for question, names in TaxonomyTexts(each, self.taxonomy).answers.items():
                by_name[question] |= {folded(name): own for own, name in names.items()}
        for question, answers in by_name.items():
            by_name[question] = answers | {folded(own): own for own in answers.values()}
        return by_name

    def _error(self, given: GivenDecision, column: str, message: str) -> InputError:
        return InputError(message, file=self.file, row=given.row, column=column)
