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


@dataclass(frozen=True, slots=True)
class Ranking:
    """Which culture a condition agrees with best (multi3hate 5.3).

    Attributes:
        best, second, lowest: cultures by mean accuracy; of equal ones the first of the gold.
        p_second, p_lowest: of the rank-sum test of the best one's prompts against theirs; NaN with
            fewer than two prompts.
    """

    condition: Condition
    best: str
    second: str
    lowest: str
    accuracy: float
    accuracy_second: float
    accuracy_lowest: float
    p_second: float
    p_lowest: float


@dataclass(frozen=True, slots=True)
class Change:
    """What a change of the question does to the accuracy with a culture (multi3hate 5.3 to 5.5).

    Attributes:
        kind: what was changed.
        before, after: conditions that differ in it only.
        is_target: whether it is the culture that the change aims at: the country that the prompt
            names, or that of its language (multi3hate 5.4 and 5.5).
        difference: accuracy after minus before, of all their answers.
        p: of the rank-sum test of the prompts after against those before.
    """

    kind: str
    before: Condition
    after: Condition
    culture: str
    is_target: bool
    accuracy_before: float
    accuracy_after: float
    difference: Value
    p: float


@dataclass(frozen=True, slots=True)
class PositionBias:
    """What the place of an option does.

    Attributes:
        shares: by place, from the first, the share of the valid answers that chose what stood
            there; empty where places are not known.
        first: the share of the first place, with its interval.
        pairs: items and wordings whose answers are valid with the options in both orders.
        changed: share of the pairs in which another option was chosen when they were swapped.
    """

    condition: Condition
    shares: tuple[float, ...]
    first: Value
    pairs: int
    changed: Value


@dataclass(frozen=True, slots=True)
class PlaceScores:
    """Multiple choice: a condition's answers to questions whose right option stands at one place.

    Attributes:
        place: from 1, as shown.
        answers: to such questions.
    """

    condition: Condition
    culture: str
    place: int
    answers: int
    accuracy: Value


@dataclass(frozen=True, slots=True)
class BaselineScores:
    """Multiple choice: what a rule reaches that reads options and texts only, or guesses.

    Where a rule finds several options equal it draws one of them; figures are what is expected.

    Attributes:
        name: of the rule.
        dimensions, overall, toxicity, reasoning, macro, memes, group: as of `ChoiceScores`.
    """

    name: str
    culture: str
    questions: int
    dimensions: tuple[tuple[str, int, float], ...]
    overall: float
    toxicity: float
    reasoning: float
    macro: float
    memes: int
    group: float


@dataclass(frozen=True, slots=True)
class BesideBaseline:
    """Multiple choice: a condition beside a baseline, on the questions that both have answered.

    Attributes:
        baseline: a rule, or what the same model got less of, such as `question alone`.
        dimension: of the questions; empty for all.
        difference: accuracy minus that of the baseline, with a paired interval.
    """

    condition: Condition
    culture: str
    baseline: str
    dimension: str
    questions: int
    accuracy: float
    of_baseline: float
    difference: Value


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far two agree: a culture or condition with a culture.

    Attributes:
        first: the culture, or what the condition is called.
        condition: of a model; None of two cultures.
        agreement: share of common items with the same label; of a model the mean over prompts.
    """

    first: str
    second: str
    condition: Condition | None
    items: int
    agreement: Value

    @property
    def is_model(self) -> bool:
        """Whether the first is a model."""
        return self.condition is not None


@dataclass(frozen=True, slots=True)
class ChoiceScores:
    """Multiple choice: a condition against what is right (m-quest, Evaluation).

    Attributes:
        questions: that were asked and have a right answer.
        dimensions: by dimension its number of questions and the accuracy.
        overall: of all questions.
        toxicity, reasoning: of those of the dimension toxicity, and of all others.
        macro: the plain mean over the dimensions, toxicity among them.
        memes: with a toxicity question and at least one other.
        group: share of these whose toxicity question and all others are right.
        pairs: of a toxicity question and another of the same meme.
        by_pair: share of pairs with both right.
    """

    condition: Condition
    culture: str
    questions: int
    dimensions: tuple[tuple[str, int, Value], ...]
    overall: Value
    toxicity: Value
    reasoning: Value
    macro: Value
    memes: int
    group: Value
    pairs: int
    by_pair: Value
