"""Answers to the second question as one label. In: retained submissions, labels. Out: a table.

The second question is asked after some labels only (harmeme: whom it harms). An item has a second
label where its own label is one of these; everybody counts who gave such a label. Where people give
one answer, the one with most votes wins, and a tie is none; where several, those that more than
half chose.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

import pandas as pd

from memeloc.survey.labels.settling import Settled
from memeloc.survey.model import Answer, Check, Sheet, Submission, entry_id
from memeloc.survey.quality.checking import sent
from memeloc.survey.taxonomy import Taxonomy

BETWEEN = "|"
"""What stands between several answers in one cell."""


def settle_second(
    submissions: Iterable[Submission], sheets: Sequence[Sheet], settled: Settled, taxonomy: Taxonomy
) -> pd.DataFrame:
    """The second label of each item and culture whose label asks for one.

    Args:
        submissions: those that are retained (`checking.retained`).
        sheets: those of the survey.
        settled: the labels.
        taxonomy: whose second question it is.

    Returns:
        `item`, `culture`, `label` (the first one), `second` (empty for none; several with `|`
        between), `answers` (people who were asked and answered), and `votes.ANSWER` for each
        answer; sorted. Empty where the taxonomy has no second question.
    """
    second = taxonomy.second
    choices = second.answers if second else ()
    columns = ["item", "culture", "label", "second", "answers", *(f"votes.{o}" for o in choices)]
    if second is None:
        return pd.DataFrame({name: [] for name in columns}, dtype=object)
    votes: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    people: Counter[tuple[str, str]] = Counter()
    for item, culture, answer in _first_answers(submissions, sheets):
        chosen = set(answer.second) & set(choices) if answer.label in second.when else set()
        if chosen:
            people[item, culture] += 1
            votes[item, culture].update(chosen)
    rows = []
    table = settled.table
    for item, culture, label in zip(table["item"], table["culture"], table["label"], strict=True):
        if label not in second.when:
            continue
        counts, total = votes[item, culture], people[item, culture]
        if second.several:
            won = [one for one in choices if 2 * counts[one] > total]
        else:
            best = max(counts.values(), default=0)
            won = [one for one in choices if best and counts[one] == best]
            won = won if len(won) == 1 else []
        numbers = [counts[one] for one in choices]
        rows.append([item, culture, label, BETWEEN.join(won), total, *numbers])
    return pd.DataFrame(rows, columns=columns)


def _first_answers(
    submissions: Iterable[Submission], sheets: Sequence[Sheet]
) -> Iterable[tuple[str, str, Answer]]:
    """Each person's first answer to each meme in a culture, as `settling.answers_table` has it."""
    known = {
        sheet.id: (
            sheet.culture.code,
            {entry_id(one) for one in sheet.entries if not isinstance(one, Check)},
        )
        for sheet in sheets
    }
    found: dict[tuple[str, str, str], Answer] = {}
    for submission in sorted(submissions, key=sent):
        culture, memes = known.get(submission.sheet, ("", set()))
        who = submission.participant or f"{submission.sheet}/{submission.id}"
        for answer in submission.answers:
            if answer.label and answer.entry in memes:
                found.setdefault((answer.entry, culture, who), answer)
    for (item, culture, _), answer in found.items():
        yield item, culture, answer
