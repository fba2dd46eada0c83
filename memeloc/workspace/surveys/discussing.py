"""Labels for people to decide. In: what is open, decisions as people write them. Out: decisions.

What is open goes out as a table with all votes, and comes back half filled in and in any order. A
row without a label and without answers decides nothing; one that cannot be read stops the file.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memeloc.errors import InputError
from memeloc.locales import default
from memeloc.sheets import (
    FilledRow,
    SheetColumn,
    SheetForm,
    all_records,
    read_form,
    write_form,
)
from memeloc.survey.labels.settling import Cell, LabelDecision, Unsettled, by_votes
from memeloc.survey.model import MemeEntry
from memeloc.survey.targets.questions import resolve_further
from memeloc.survey.texts import SurveyTexts, TaxonomyTexts, survey_texts
from memeloc.tables import folded
from memeloc.taxonomy import LABEL, SOURCE, Taxonomy
from memeloc.workspace.surveys.stored import NO_PICTURE, StoredSurvey

if TYPE_CHECKING:
    import pandas as pd

_BETWEEN = re.compile(r"[|;\n]")


def open_labels(
    labels: pd.DataFrame,
    further: pd.DataFrame,
    answers: pd.DataFrame,
    open_questions: Collection[Unsettled],
    captions: Mapping[Cell, str],
) -> list[dict[str, Any]]:
    """Return what people may decide: labels that are tied or given up, and answers that are tied.

    Of each item and culture there is its `text`, empty where the workspace has none, its `label`
    and `state` by now, the ids of the questions that are `open`, and the `votes` by question id.

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
            row = {"item": item, "culture": culture, "text": captions.get(cell, "")}
            row |= {"label": label, "state": state, "open": [*own, *questions[cell]]}
            rows.append(row | {"votes": by_question})
    return rows


def decision_form(asked: Iterable[str]) -> SheetForm:
    """Return the sheet on which people decide labels, and answers to the questions asked."""
    shown = ("item", "culture", "text", "state", "votes", *(f"{name} votes" for name in asked))
    return SheetForm(
        "Decisions",
        (
            *(SheetColumn(name) for name in shown),
            *(SheetColumn(name, "answer") for name in (LABEL, *asked)),
            *(SheetColumn(name, "note") for name in ("people", "reason")),
        ),
    )


def write_open(path: Path, rows: Sequence[Mapping[str, Any]], taxonomy: Taxonomy) -> Path:
    """Write what is open and return where: with columns for the label, further answers, people
    and the reason."""
    questions = [question.id for question in taxonomy.about("item", "picture")]
    asked = [name for name in questions if any(name in row["open"] for row in rows)]
    cells = []
    for row in rows:
        votes = {
            question: " | ".join(f"{answer}: {count}" for answer, count in counts.items())
            for question, counts in row["votes"].items()
        }
        shown = {name: row[name] for name in ("item", "culture", "text", "state")}
        further = {f"{name} votes": votes.get(name, "") for name in asked}
        cells.append({**shown, "votes": votes[LABEL], **further})
    return write_form(path, decision_form(asked), cells)


def read_decisions(
    path: Path, resolver: DecisionResolver, people: Sequence[str], reason: str
) -> list[LabelDecision]:
    """Read the decisions of a sheet; `people` and `reason` are those of rows that have none.

    Raises:
        InputError: it cannot be read, or has not the columns item and label, or a decision cannot.
    """
    questions = resolver.taxonomy.about("item", "picture")
    form = decision_form([question.id for question in questions])

    def decide(row: FilledRow) -> LabelDecision | None:
        further = {
            each.id: _parts(row[each.id]) if each.kind in ("choices", "span") else [row[each.id]]
            for each in questions
            if row[each.id]
        }
        if not (row[LABEL] or further):
            return None
        given: dict[str, Any] = {name: row[name] for name in ("item", "culture", LABEL)}
        given |= {"people": _parts(row["people"]) or people, "reason": row["reason"] or reason}
        return resolver.decision({**given, "further": further})

    return all_records(read_form(path, form, needed=[("item", LABEL)]), decide)


def _parts(text: str) -> list[str]:
    return [part.strip() for part in _BETWEEN.split(text) if part.strip()]


class DecisionResolver:
    """Makes decisions of what people wrote.

    Args:
        labels: by item and culture the label by now, of all that was asked.
        texts: by culture, for labels and answers that are named as people read them.
        team: by place, such as `a-2`, the people of a named team as they are stored.
    """

    def __init__(
        self,
        survey: StoredSurvey,
        labels: Mapping[Cell, str],
        texts: Mapping[str, SurveyTexts],
        team: Mapping[str, str],
    ) -> None:
        self.survey, self.taxonomy = survey, survey.taxonomy
        self.labels, self.team = labels, team
        self._names = {code: self._by_name(own) for code, own in texts.items()}

    def decision(self, given: Mapping[str, Any]) -> LabelDecision:
        """Return a decision with ids, and with people as hashes.

        Args:
            given: `item`, `label`, answers by question as `further`, `people` and `reason`, by id
                or name; `culture` may be left out of a survey with one.

        Raises:
            InputError: the survey does not ask about the item there, the label or an answer is
                none, nobody took part, or there is no reason; with the column.
        """
        further = given.get("further", {})
        cell = self._cell(given["item"], given.get("culture", ""))
        label = self._label(given.get(LABEL, "").strip(), cell)
        if not (label or further):
            raise InputError("nothing is decided; give a label or an answer", column=LABEL)
        in_force = label or self.labels[cell]
        if not in_force:
            raise InputError(f"the label of {cell[0]!r} is open; decide it, too", column=LABEL)
        own_texts = self.survey.item_texts.get(cell[0], {})
        entry = MemeEntry(cell[0], "", NO_PICTURE, texts=own_texts)
        answers, problems = resolve_further(
            self.taxonomy, entry, in_force, further, lambda *of: self._answer(cell, *of)
        )
        for problem, message in problems:
            if problem != "not answered":
                raise InputError(message, column=LABEL)
        reason = given.get("reason", "").strip()
        if not given.get("people"):
            raise InputError("it does not say who decided", column="people")
        if not reason:
            raise InputError("it does not say why", column="reason")
        people = {self.team.get(who) or self.survey.hashed(who) for who in given["people"]}
        return LabelDecision(*cell, label, tuple(sorted(people)), reason, answers)

    def _cell(self, item: str, given: str) -> Cell:
        codes = [culture.code for culture in self.survey.design.cultures]
        culture = given.strip().upper() or (codes[0] if len(codes) == 1 else "")
        if (item, culture) not in self.labels:
            where = f" in {culture[:20]}" if culture else "; name its culture"
            message = f"{self.survey.name} does not ask about {item[:80]!r}{where}"
            raise InputError(message, column="item" if culture else "culture")
        return (item, culture)

    def _label(self, given: str, cell: Cell) -> str:
        label = self._answer(cell, LABEL, given) if given else ""
        allowed = [each.id for each in self.taxonomy.of_role("vote", "reject")]
        if label not in ("", *allowed):
            message = f"{given[:80]!r} is no label; there are {', '.join(allowed)}"
            raise InputError(message, column=LABEL)
        return label

    def _answer(self, cell: Cell, question: str, text: str) -> str | None:
        return self._names[cell[1]].get(question, {}).get(folded(text))

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
