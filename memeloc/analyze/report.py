"""An analysis as a report. In: answers, rows of figures, settings. Out: a `Report`, with cards.

What is said of each analysis stands in report.toml.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from io import BytesIO
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd

from memeloc.analyze.answers import ITEM_COLUMNS, Answers
from memeloc.analyze.cultures.dividing import NAME as DIVIDING
from memeloc.analyze.cultures.dividing import most_dividing
from memeloc.analyze.differing import NAME as DIFFERING
from memeloc.analyze.differing import differing_items, least_agreeing
from memeloc.analyze.settings import Settings
from memeloc.counts import counted
from memeloc.errors import InputError
from memeloc.reports.cells import clean
from memeloc.reports.figures import of_analysis
from memeloc.reports.report import Card, Report, Version, Votes
from memeloc.templates.pictures import open_picture

TEXTS = Path(__file__).with_suffix(".toml")
"""Titles, meanings, methods, sentences and plots of every analysis."""
MOST_CARDS = 12
"""Items that divide most, shown with their versions and votes."""
_LONGEST_SIDE = 420
"""Pixels of a picture in the report: it is one file, and goes by mail."""


def report_of(
    answers: Answers,
    figures: pd.DataFrame,
    settings: Settings | None = None,
    *,
    title: str = "",
    question: str = "",
    names: Mapping[str, str] | None = None,
    facts: Mapping[str, str] | None = None,
) -> Report:
    """Return the report of an analysis; it does not say how many processes made it.

    Args:
        figures: as `memeloc.analyze.figures` computed them of the answers.
        settings: what they were computed with.
        title: the study's name; how many answers there are by default.
        question: what people were asked.
        names: of codes of cultures, questions and their answers.
        facts: what the study planned, by its name, such as `Plan`; beside what the answers show.
    """
    chosen = settings or Settings()
    count = len(answers.table)
    tables = {}
    if len(of_analysis(figures, DIFFERING)):
        pair = chosen.pair or least_agreeing(answers)
        items = differing_items(answers, pair)
        tables[DIFFERING] = items.drop(columns=[f"{culture} picture" for culture in pair])
    return Report(
        name="analysis",
        title=title or (f"Analysis of {count:,} answers" if count else "Analysis of a dataset"),
        figures=figures,
        texts=TEXTS,
        question=question,
        settings={name: value for name, value in asdict(chosen).items() if name != "jobs"},
        facts={**(_facts(answers, names or {}) if count else {}), **(facts or {})},
        notes=answers.notes,
        names=names or {},
        cultures=answers.cultures,
        labels=answers.labels,
        cards={DIVIDING: _cards(answers, most_dividing(figures, MOST_CARDS), chosen.pair)},
        tables=tables,
    )


def _facts(answers: Answers, names: Mapping[str, str]) -> dict[str, str]:
    people = int(answers.table["participant"].nunique())
    cultures = [names.get(culture, culture) for culture in answers.cultures]
    abstained = int(answers.table["label"].isin(answers.abstentions).sum())
    left_out = ", ".join(sorted(answers.abstentions))
    return {
        "Answers": f"{counted(len(answers.table), 'answer')} of {counted(people, 'annotator')}",
        "Items": counted(len(answers.names), "item"),
        "Cultures": f"{counted(len(cultures), 'culture')} ({', '.join(cultures)})",
        "Labels": ", ".join(answers.labels),
        **({"Abstentions": f"{abstained:,} ({left_out})"} if answers.abstentions else {}),
    }


def _cards(
    answers: Answers, items: Sequence[str], pair: tuple[str, str] | None
) -> tuple[Card, ...]:
    """Return cards of items, with the versions of the pair or of the cultures furthest apart."""
    names = (*answers.labels, "tie")  # the last is that of NO_LABEL, -1
    about = answers.items.reindex(columns=list(ITEM_COLUMNS)).astype(object).fillna("").astype(str)
    cards = []
    for item in items:
        place = answers.names.index(item)
        given = zip(answers.cultures, answers.majority[place], answers.votes[place], strict=True)
        votes = tuple(
            Votes(culture, names[label], tuple(counts.tolist()), int(counts.sum()))
            for culture, label, counts in given
            if counts.any()
        )
        labels = {each.culture: each.label for each in votes}
        own = answers.versions[answers.versions["item"] == item].set_index("culture")
        cells = own[["language", "text", "picture"]].fillna("").astype(str).T.to_dict("list")
        versions = tuple(
            Version(culture, tag, clean(text), _data_address(picture), labels.get(culture, ""))
            for culture in pair or _furthest(votes)
            if culture in cells
            for tag, text, picture in [cells[culture]]
        )
        known = filter(None, about.loc[item]) if item in about.index else ()
        cards.append(Card(item, tuple(map(clean, known)), versions, votes))
    return tuple(cards)


def _furthest(votes: Sequence[Votes]) -> tuple[str, ...]:
    """Return the two cultures whose shares of labels differ most (total variation distance)."""

    def distance(pair: tuple[Votes, Votes]) -> float:
        one, other = (np.array(each.counts) / each.total for each in pair)
        return float(np.abs(one - other).sum())

    return tuple(each.culture for each in max(combinations(votes, 2), key=distance, default=votes))


def _data_address(picture: str) -> str:
    """Return the picture as JPEG within an address; empty where none can be opened."""
    content = BytesIO()
    with suppress(InputError):
        if picture and (opened := open_picture(Path(picture), _LONGEST_SIDE)):
            opened.save(content, "JPEG", quality=80)
            return f"data:image/jpeg;base64,{base64.b64encode(content.getvalue()).decode()}"
    return ""
