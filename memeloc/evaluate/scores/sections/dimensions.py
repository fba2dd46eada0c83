"""Multiple choice by dimension. In: `ChoiceScores`. Out: a `Section`, with group accuracy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from memeloc.evaluate.scores.figures import ChoiceScores
from memeloc.evaluate.scores.sections.scored import (
    CONDITION_COLUMNS,
    Scored,
    cells,
    interval_columns,
    plotted,
    table,
)
from memeloc.reports.sections import Heatmap, Intervals, Section
from memeloc.statistics.intervals import defined, percent_with_interval

if TYPE_CHECKING:
    import pandas as pd

_SUMMARY = {
    **CONDITION_COLUMNS,
    "culture": "whose answers are right",
    "questions": "that were answered",
    **interval_columns("overall", "accuracy of all questions, 0 to 1"),
    **interval_columns("toxicity", "of the questions about toxicity, 0 to 1"),
    **interval_columns("reasoning", "of all other questions, 0 to 1"),
    **interval_columns("macro", "plain mean over the dimensions, toxicity among them, 0 to 1"),
    "memes": "with a question about toxicity and another",
    **interval_columns("group", "share of these with all questions right, 0 to 1"),
    "pairs": "of a question about toxicity and another of the same meme",
    **interval_columns("by_pair", "share of pairs with both right, 0 to 1"),
}
_DIMENSIONS = {
    **CONDITION_COLUMNS,
    "culture": "whose answers are right",
    "dimension": "what the question is about",
    "questions": "that were answered",
    **interval_columns("accuracy", "0 to 1"),
}
_FIGURES = ("overall", "toxicity", "reasoning", "macro", "group", "by_pair")


def dimensions_section(scored: Scored, scores: Sequence[ChoiceScores]) -> Section:
    """Accuracy by dimension, macro average and group accuracy (m-quest, Evaluation and Table 2)."""
    method = (
        "Means over the prompts. Group accuracy is over the memes with a question about toxicity "
        "and at least one other: right when all of them are; by pair, each question about toxicity "
        "with each other one of its meme (m-quest). Intervals "
        f"({scored.settings.confidence:.0%}, percentiles) rest on {scored.settings.bootstraps:,} "
        "resamples of memes."
    )
    summary = (
        (
            *(*s.condition, s.culture, s.questions),
            *(cell for name in _FIGURES[:4] for cell in cells(getattr(s, name))),
            *(s.memes, *cells(s.group), s.pairs, *cells(s.by_pair)),
        )
        for s in scores
    )
    by_dimension = (
        (*s.condition, s.culture, name, questions, *cells(value))
        for s in scores
        for name, questions, value in s.dimensions
    )
    names = _names(scored, scores)
    frame = plotted(
        (names[index], kind.replace("_", " "), getattr(each, kind))
        for index, each in enumerate(scores)
        for kind in ("overall", "macro", "group")
    )
    return Section(
        "dimensions",
        "Multiple choice by dimension",
        tables=(
            table(
                "choice", "Accuracy, macro average and group accuracy", summary, _SUMMARY, method
            ),
            table("dimensions", "Accuracy by dimension", by_dimension, _DIMENSIONS, method),
        ),
        plots=(
            Intervals("choice", "Accuracy, macro average, groups", frame, "accuracy", method),
            Heatmap("dimensions", "Accuracy by dimension", _matrix(names, scores), method),
        ),
        sentences=tuple(_sentences(names, scores)),
        figures={
            names[index]: {
                **{kind: [defined(c) for c in cells(getattr(each, kind))] for kind in _FIGURES},
                "memes": each.memes,
                "pairs": each.pairs,
                "dimensions": {name: defined(value.value) for name, _, value in each.dimensions},
            }
            for index, each in enumerate(scores)
        },
        gaps=()
        if any(each.memes for each in scores)
        else ("Group accuracy: no meme has a question about toxicity and another.",),
    )


def _names(scored: Scored, scores: Sequence[ChoiceScores]) -> list[str]:
    alone = len(scored.coded.cultures) == 1
    return [
        scored.titles[each.condition] + ("" if alone else f" · {each.culture}") for each in scores
    ]


def _matrix(names: Sequence[str], scores: Sequence[ChoiceScores]) -> pd.DataFrame:
    import pandas as pd

    rows = {
        name: {dimension: value.value for dimension, _, value in each.dimensions}
        for name, each in zip(names, scores, strict=True)
    }
    return pd.DataFrame.from_dict(rows, orient="index")


def _sentences(names: Sequence[str], scores: Sequence[ChoiceScores]) -> Iterator[str]:
    best = max(zip(names, scores, strict=True), key=lambda pair: pair[1].overall.value)
    name, each = best
    yield (
        f"{name} answers {percent_with_interval(*cells(each.overall))} of the questions right; the "
        f"mean over the dimensions is {percent_with_interval(*cells(each.macro))}, group accuracy "
        f"{percent_with_interval(*cells(each.group))} of {each.memes:,} memes."
    )
