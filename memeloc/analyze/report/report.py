"""An analysis as a report. In: answers, rows of figures, settings. Out: a `Report`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

import pandas as pd

from memeloc.analyze.answers import Answers
from memeloc.analyze.cultures.dividing import NAME as DIVIDING
from memeloc.analyze.cultures.dividing import most_dividing
from memeloc.analyze.differing import NAME as DIFFERING
from memeloc.analyze.differing import differing_items, least_agreeing
from memeloc.analyze.report.memes import MOST_CARDS, cards
from memeloc.analyze.settings import Settings
from memeloc.counts import counted
from memeloc.reports.figures import of_analysis
from memeloc.reports.report import Report

TEXTS = Path(__file__).parent.parent / "report.toml"
"""Titles, meanings, methods, sentences and plots of every analysis."""


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
    pair = chosen.pair or (
        least_agreeing(answers) if len(of_analysis(figures, DIFFERING)) else None
    )
    tables = {}
    if pair and len(of_analysis(figures, DIFFERING)):
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
        cards={DIVIDING: cards(answers, most_dividing(figures, MOST_CARDS), chosen.pair)},
        tables=tables,
        jobs=chosen.jobs,
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
