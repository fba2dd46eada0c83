"""Answers to further questions, settled. In: retained answers, labels. Out: a table.

A question is settled of an item whose own settled answers ask for it; everybody counts who answered
it. Of a choice the answer with most votes wins, and a tie is none (harmeme 4.3: the target apart
from the harmfulness); of choices those win that more than half chose; of a scale it is the median;
texts and spans are listed, and none of them wins. What is asked about the picture is settled over
all items of a template.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Any

from memeloc.survey.labels.settling import BETWEEN, Settled
from memeloc.taxonomy import LABEL, Question, Taxonomy

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("item", "culture", "question", "answer", "people", "votes")
_Cell = tuple[str, str]


@dataclass
class _Votes:
    """What was answered to a question about an item or a picture, and by how many people."""

    people: int
    counts: Counter[str]

    def answer(self, question: Question) -> str:
        """The answer that is settled; several have `BETWEEN` between them, none is empty."""
        counts = self.counts
        if question.kind == "scale":
            return f"{median(map(int, counts.elements())):g}" if counts else ""
        if question.kind not in ("choice", "choices"):
            return ""
        several = question.kind == "choices"
        needed = self.people // 2 + 1 if several else max(counts.values(), default=1)
        won = [answer for answer in question.answers if counts[answer] >= needed]
        return BETWEEN.join(won) if several or len(won) == 1 else ""


def settle_further(
    answers: pd.DataFrame,
    settled: Settled,
    taxonomy: Taxonomy,
    templates: Mapping[str, str],
    decided: Mapping[_Cell, Mapping[str, str]] | None = None,
) -> pd.DataFrame:
    """The answers to further questions, of each item and culture that they are asked of.

    Args:
        answers: as `settling.answers_table` gives them, with a column for each question.
        templates: by item, for questions about the picture.
        decided: by item and culture, what people decided, as `decided_answers` gives it.

    Returns:
        `item`, `culture`, `question` (its id), `answer` (empty for none; of choices several with
        `|` between), `people` (who answered it) and `votes`: how many there are of each answer.
        Sorted by item and culture, in the questions' order.
    """
    import pandas as pd

    asked = taxonomy.about("item", "picture")
    votes = {question.id: _votes(answers, question, templates) for question in asked}
    everything = {label.id for label in taxonomy.of_role("vote")}
    rows = []
    for item, culture, label, state in _labels(settled):
        given: dict[str, tuple[str, ...]] = {LABEL: (label,)}
        for question in asked if state != "rejected" else ():
            always = everything.issubset(question.when.get(LABEL, everything))
            when = {name for name in question.when if name != LABEL or not always}
            if not all(set(question.when[name]) & set(given.get(name, ())) for name in when):
                continue
            own = votes[question.id].get((_subject(item, question, templates), culture))
            if own is None and question.item_text == "question":
                continue  # it is asked only of items with a text of their own
            own = own or _Votes(0, Counter())
            answer = (decided or {}).get((item, culture), {}).get(question.id, "")
            answer = answer or own.answer(question)
            given[question.id] = tuple(answer.split(BETWEEN)) if answer else ()
            rows.append((item, culture, question.id, answer, own.people, by_votes(own.counts)))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def beside_labels(labels: pd.DataFrame, further: pd.DataFrame, taxonomy: Taxonomy) -> pd.DataFrame:
    """The table of labels with a column for each further question, named by its id."""
    answers = {
        (row.item, row.culture, row.question): str(row.answer) for row in further.itertuples()
    }
    cells = list(zip(labels["item"], labels["culture"], strict=True))
    table = labels.copy()
    for question in taxonomy.about("item", "picture"):
        table[question.id] = [answers.get((*cell, question.id), "") for cell in cells]
    return table


def by_votes(counts: Mapping[str, int]) -> dict[str, int]:
    """Sort votes: most first, equal ones by name, so that no order of people shows."""
    return dict(sorted(counts.items(), key=lambda each: (-each[1], each[0])))


def as_json(further: pd.DataFrame) -> dict[_Cell, dict[str, Any]]:
    values: dict[_Cell, dict[str, Any]] = defaultdict(dict)
    for row in further.itertuples():
        settled = {"answer": row.answer, "people": row.people, "votes": row.votes}
        values[str(row.item), str(row.culture)][str(row.question)] = settled
    return values


def _labels(settled: Settled) -> Iterable[tuple[str, str, str, str]]:
    return settled.table[["item", "culture", "label", "state"]].itertuples(index=False, name=None)


def _subject(item: str, question: Question, templates: Mapping[str, str]) -> str:
    return templates.get(item, item) if question.about == "picture" else item


def _votes(
    answers: pd.DataFrame, question: Question, templates: Mapping[str, str]
) -> dict[_Cell, _Votes]:
    votes: dict[_Cell, _Votes] = {}
    if question.id not in answers.columns:
        return votes
    asked = answers
    if LABEL in question.when:
        asked = answers[answers["label"].isin(question.when[LABEL])]
    for item, culture, cell in zip(
        asked["item"], asked["culture"], asked[question.id], strict=True
    ):
        if cell:
            several = question.kind in ("choices", "span")
            chosen = cell.split(BETWEEN) if several else [cell]
            place = (_subject(item, question, templates), culture)
            own = votes.setdefault(place, _Votes(0, Counter()))
            own.people += 1
            own.counts.update(set(chosen))
    return votes
