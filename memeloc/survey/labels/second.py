"""Answers to the second question as one label. In: retained answers, labels. Out: a table.

The second question is asked after some labels only (harmeme: whom it harms). An item has a second
label where its own label is one of these; everybody counts who gave such a label. Where people give
one answer, the one with most votes wins, and a tie is none; where several, those that more than
half chose.
"""

from __future__ import annotations

from collections import Counter, defaultdict

import pandas as pd

from memeloc.survey.labels.settling import BETWEEN, Settled
from memeloc.survey.taxonomy import Taxonomy


def settle_second(answers: pd.DataFrame, settled: Settled, taxonomy: Taxonomy) -> pd.DataFrame:
    """The second label of each item and culture whose label asks for one.

    Args:
        answers: as `settling.answers_table` gives them.

    Returns:
        `item`, `culture`, `label` (the first one), `second` (empty for none; several with `|`
        between), `answers` (people who were asked and answered), and `votes.ANSWER` for each
        answer; sorted. Empty where the taxonomy has no second question.
    """
    second = taxonomy.second
    choices, when = (second.answers, second.when) if second else ((), ())
    several = second is not None and second.several
    votes: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    people: Counter[tuple[str, str]] = Counter()
    asked = answers[answers["label"].isin(when)]
    for item, culture, cell in zip(asked["item"], asked["culture"], asked["second"], strict=True):
        if chosen := set(cell.split(BETWEEN)).intersection(choices):
            people[item, culture] += 1
            votes[item, culture].update(chosen)
    rows = []
    labelled = settled.table[settled.table["label"].isin(when)]
    for item, culture, label in labelled[["item", "culture", "label"]].to_numpy():
        counts, total = votes[item, culture], people[item, culture]
        needed = total // 2 + 1 if several else max(counts.values(), default=1)
        won = [choice for choice in choices if counts[choice] >= needed]
        won = won if several or len(won) == 1 else []
        numbers = [counts[choice] for choice in choices]
        rows.append([item, culture, label, BETWEEN.join(won), total, *numbers])
    columns = ["item", "culture", "label", "second", "answers", *(f"votes.{c}" for c in choices)]
    return pd.DataFrame(rows, columns=columns)
