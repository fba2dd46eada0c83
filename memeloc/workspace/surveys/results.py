"""Results of a survey's steps. In: nothing. Out: what the methods of `Survey` return."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import pandas as pd
from pydantic import ConfigDict, Field

from memeloc.survey.labels.progress import SurveyStatus
from memeloc.survey.quality.report import Absent, SetAside, Warned
from memeloc.survey.quality.rules import Rules


@dataclass(frozen=True)
class CheckResult:
    """What quality control found.

    Attributes:
        survey: the survey's name.
        submissions: how many there are.
        retained: how many pass every rule.
        by_culture: by code, how many are retained, and how many there are.
        by_rule: how many submissions each rule set aside.
        rules: that were applied.
        set_aside: each exclusion with its evidence.
        warnings: what a person should look at.
        absent: people at the service of whom no answers came.
        table: `sheet`, `submission`, `participant`, `rule` and `evidence` (JSON) of each exclusion.
    """

    __pydantic_config__ = ConfigDict(arbitrary_types_allowed=True)

    survey: str
    submissions: int
    retained: int
    by_culture: Mapping[str, tuple[int, int]]
    by_rule: Mapping[str, int]
    rules: Rules
    set_aside: tuple[SetAside, ...]
    warnings: tuple[Warned, ...]
    absent: tuple[Absent, ...]
    table: Annotated[pd.DataFrame, Field(exclude=True)]


@dataclass(frozen=True, slots=True)
class NextBatch:
    """A batch of what is open; see `memeloc.survey.model.Batch`."""

    batch: str
    round: int
    memes: tuple[str, ...]
    cultures: tuple[str, ...]
    answers: int


@dataclass(frozen=True)
class SettleResult:
    """The labels by now.

    Attributes:
        survey: the survey's name.
        labels: a row for each meme and culture, with the votes.
        states: by culture, how many labels are in each of `settling.STATES`.
        next: the batches that were made of what is open.
        differences: where Dawid-Skene or MACE differ from the majority; None when not asked for.
        to_ask: labels that are open and need more answers than open places can give.
        unsent: batches of further rounds that never went out.
        last_round: the newest round there was before.
        table: the labels, a row an item and culture; see `settling.Settled`, and `second`.
        answers: the retained answers, a row each; see `settling.answers_table`.
    """

    __pydantic_config__ = ConfigDict(arbitrary_types_allowed=True)

    survey: str
    labels: tuple[Mapping[str, Any], ...]
    states: Mapping[str, Mapping[str, int]]
    next: tuple[NextBatch, ...]
    differences: tuple[Mapping[str, Any], ...] | None
    to_ask: int
    unsent: tuple[str, ...]
    last_round: int
    table: Annotated[pd.DataFrame, Field(exclude=True)]
    answers: Annotated[pd.DataFrame, Field(exclude=True)]


@dataclass(frozen=True)
class StatusResult(SurveyStatus):
    """How far the survey `survey` is; money in `currency`."""

    survey: str = ""
    currency: str = ""
