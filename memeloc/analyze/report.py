"""An analysis as a report. In: answers, rows of figures, settings. Out: a `Report`, with cards.

Titles, methods and sentences of the analyses stand in report.toml.
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

from memeloc.analyze.answers import ITEM_COLUMNS, Answers, Settings
from memeloc.analyze.cultures.dividing import NAME as DIVIDING
from memeloc.analyze.cultures.dividing import most_dividing
from memeloc.analyze.differing import NAME as DIFFERING
from memeloc.analyze.differing import differing_items, least_agreeing
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
    """Return the report of an analysis.

    Args:
        figures: as `memeloc.analyze.figures` computed them of the answers with the settings.
        title: the study's name; how many answers there are by default.
        question: what people were asked.
        names: of codes of cultures, questions and their answers.
        facts: what the study planned, by its name, such as `Plan`; beside what the answers show.
    """
    chosen = settings or Settings()
    culture_names = names or {}
    tables = {}
    if len(of_analysis(figures, DIFFERING)):
        pair = chosen.pair or least_agreeing(answers)
        items = differing_items(answers, pair)
        tables[DIFFERING] = items.drop(columns=[f"{culture} picture" for culture in pair])
    shown = {}
    if count := len(answers.table):
        cultures = [culture_names.get(culture, culture) for culture in answers.cultures]
        people = counted(answers.table["participant"].nunique(), "annotator")
        shown = {
            "Answers": f"{counted(count, 'answer')} of {people}",
            "Items": counted(len(answers.names), "item"),
            "Cultures": f"{counted(len(cultures), 'culture')} ({', '.join(cultures)})",
            "Labels": ", ".join(answers.labels),
        }
        if answers.abstentions:
            abstained = int(answers.table["label"].isin(answers.abstentions).sum())
            shown["Abstentions"] = f"{abstained:,} ({', '.join(sorted(answers.abstentions))})"
    return Report(
        name="analysis",
        title=title or (f"Analysis of {count:,} answers" if count else "Analysis of a dataset"),
        figures=figures,
        texts=TEXTS,
        question=question,
        settings=asdict(chosen),
        facts={**shown, **(facts or {})},
        notes=answers.notes,
        names=culture_names,
        cultures=answers.cultures,
        labels=answers.labels,
        cards={
            DIVIDING: [
                _card(answers, item, chosen.pair) for item in most_dividing(figures, MOST_CARDS)
            ]
        },
        tables=tables,
    )


def _card(answers: Answers, item: str, pair: tuple[str, str] | None) -> Card:
    """Return an item with its versions of the pair, or of the cultures furthest apart."""
    names = (*answers.labels, "tie")  # the last is that of NO_LABEL, -1
    place = answers.names.index(item)
    majorities = zip(answers.cultures, answers.majority[place], answers.votes[place], strict=True)
    votes = {
        culture: Votes(culture, names[label], tuple(counts.tolist()), int(counts.sum()))
        for culture, label, counts in majorities
        if counts.any()
    }
    texts = answers.versions[answers.versions["item"] == item].set_index("culture")
    cells = texts[["language", "text", "picture"]].fillna("").astype(str).T.to_dict("list")
    versions = []
    for culture in pair or _furthest(list(votes.values())):
        if culture in cells:
            tag, text, picture = cells[culture]
            label = votes[culture].label if culture in votes else ""
            versions.append(Version(culture, tag, clean(text), _data_address(picture), label))
    facts = answers.items.reindex([item], columns=list(ITEM_COLUMNS)).iloc[0]
    about = tuple(clean(str(fact)) for fact in facts if pd.notna(fact) and fact)
    return Card(item, about, tuple(versions), tuple(votes.values()))


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
