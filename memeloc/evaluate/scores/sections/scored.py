"""What sections are made of. In: `Coded`, scores. Out: `Scored`, and tables' first columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from memeloc.evaluate.gold import Gold
from memeloc.evaluate.scores.coded import Answered, Coded, Condition, titles
from memeloc.evaluate.scores.figures import CultureScores, Value
from memeloc.evaluate.scores.settings import ScoreSettings
from memeloc.reports.sections import Table

if TYPE_CHECKING:
    import pandas as pd

MOST_LINES = 12
"""Conditions whose intervals one plot shows; of more, a matrix shows the figures."""
CONDITION_COLUMNS = {
    "model": "the model",
    "input": "what it got: the picture, the text (the caption), both, or none (the question alone)",
    "language": "of the memes",
    "prompt_language": "of the prompt",
    "country": "that the prompt names; empty for none",
}


@dataclass(frozen=True, eq=False)
class Scored:
    """What sections are made of."""

    coded: Coded
    gold: Gold
    scores: tuple[CultureScores, ...]
    settings: ScoreSettings

    @cached_property
    def titles(self) -> dict[Condition, str]:
        """By condition what it is called."""
        return titles(each.condition for each in self.coded.answered)

    @cached_property
    def by_condition(self) -> dict[Condition, tuple[CultureScores, ...]]:
        """By condition its scores, in the order of the cultures."""
        return {
            each.condition: tuple(s for s in self.scores if s.condition == each.condition)
            for each in self.coded.answered
        }

    @cached_property
    def answered(self) -> dict[Condition, Answered]:
        """By condition its answers."""
        return {each.condition: each for each in self.coded.answered}

    @property
    def resampling(self) -> str:
        """How intervals were made, for a table's method."""
        drawn = "memes, each with all its questions" if self.coded.memes else "items"
        return (
            f"Intervals ({self.settings.confidence:.0%}, percentiles) rest on "
            f"{self.settings.bootstraps:,} resamples of {drawn} and all their answers (Efron and "
            "Tibshirani 1993)."
        )


def table(
    name: str, title: str, rows: Iterable[Sequence[Any]], columns: Mapping[str, str], method: str
) -> Table:
    """A table; columns of a condition that are empty in every row are left out."""
    import pandas as pd

    frame = pd.DataFrame(list(rows), columns=list(columns))
    empty = [c for c in CONDITION_COLUMNS if c in frame and (frame[c] == "").all() and c != "model"]
    kept = frame.drop(columns=empty)
    meanings = {column: columns[column] for column in kept.columns}
    return Table(name, title, kept, meanings, method)


def cells(value: Value) -> tuple[float, float, float]:
    """A figure and its interval as cells."""
    return value.value, value.low, value.high


def interval_columns(name: str, meaning: str) -> dict[str, str]:
    """The columns of a figure with its interval."""
    return {
        name: meaning,
        f"{name}_low": "lower end of its interval",
        f"{name}_high": "upper end",
    }


def plotted(rows: Iterable[tuple[str, str, Value]]) -> pd.DataFrame:
    """A frame for `Intervals`: label, group, value, low, high."""
    import pandas as pd

    return pd.DataFrame(
        [(label, group, *cells(value)) for label, group, value in rows],
        columns=["label", "group", "value", "low", "high"],
    )


def by_model(scored: Scored, value_of: Callable[[Condition], float]) -> pd.DataFrame:
    """A figure of each condition for a `Heatmap`: a column a model, a row all else of it."""
    import pandas as pd

    rest = {each: each._replace(model="") for each in scored.titles}
    names = titles(dict.fromkeys(rest.values()))
    rows: dict[str, dict[str, float]] = {}
    for condition, other in rest.items():
        name = names[other].partition(" · ")[2] or "all"
        rows.setdefault(name, {})[condition.model] = value_of(condition)
    return pd.DataFrame.from_dict(rows, orient="index")
