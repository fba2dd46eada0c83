"""Figures of an evaluation. In: what was counted. Out: plain dataclasses, NaN for not defined."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan

from memeloc.evaluate.scores.coded import Condition, Prompt


@dataclass(frozen=True, slots=True)
class Value:
    """A figure with its interval; NaN where it is not defined."""

    value: float
    low: float = nan
    high: float = nan


UNDEFINED = Value(nan)


@dataclass(frozen=True, slots=True)
class PromptScores:
    """A prompt against a culture; its attributes are those of `metrics.Metrics`."""

    prompt: Prompt
    items: int
    accuracy: float
    precision: float
    recall: float
    f1: float
    mae: float
    mmae: float


@dataclass(frozen=True, slots=True)
class LabelScores:
    """A label, means over the prompts.

    Attributes:
        support: items whose gold label it is.
        predicted: mean number of items for which it was chosen.
    """

    label: str
    precision: float
    recall: float
    f1: Value
    support: int
    predicted: float


@dataclass(frozen=True, slots=True)
class CultureScores:
    """A condition against a culture: means over its prompts, with intervals over items.

    Attributes:
        items: with a label of the culture and an answer.
        sd: standard deviation of the prompts' accuracy (ddof 1); NaN of one prompt.
        by_prompt: in the order of wording and order.
        by_label: in the order of the labels; empty for multiple choice.
    """

    condition: Condition
    culture: str
    items: int
    accuracy: Value
    sd: float
    precision: Value
    recall: Value
    f1: Value
    mae: Value
    mmae: Value
    by_prompt: tuple[PromptScores, ...]
    by_label: tuple[LabelScores, ...] = ()

    @property
    def accuracies(self) -> tuple[float, ...]:
        """By prompt."""
        return tuple(prompt.accuracy for prompt in self.by_prompt)


@dataclass(frozen=True, slots=True)
class Rates:
    """How often a condition's answers chose nothing, whatever the gold.

    Attributes:
        answers: all, of items without gold too.
        invalid: share of them that chose no option; refusals are among them.
        refused: share of them where the model would not answer.
        asks: mean times that it was asked until the answer.
    """

    condition: Condition
    items: int
    answers: int
    invalid: Value
    refused: Value
    asks: float
