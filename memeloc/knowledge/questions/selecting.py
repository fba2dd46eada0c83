"""The benchmark. In: questions, judgements, a seed. Out: `Selection`, and what fell out.

As M-QUEST: memes whose toxicity question and answer are both a YES stay (ToxM-QUEST), with the
question of the element that the toxicity rests on; of their questions of each other dimension some
are drawn and judged (the extension). The benchmark is the union.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from memeloc.knowledge.questions.judging import TOXICITY, YES, Judged
from memeloc.knowledge.questions.question import MemeQuestion

SAMPLE = 50
"""Questions that are drawn of each other dimension (M-QUEST, Outcome)."""

Outcome = Literal[
    "its meme was not judged",
    "its meme is not positive",
    "not drawn",
    "not judged",
    "question not a yes",
    "answer not a yes",
    "selected",
]
STEPS = (*get_args(Outcome)[:-1], "selected, toxicity", "selected, others")
"""What can become of a question, in the order of the steps, and by which stage it is selected."""


Stage = Literal["toxicity", "others"]


@dataclass(frozen=True, slots=True)
class QuestionOutcome:
    """What became of a question, and in which stage."""

    question: MemeQuestion
    stage: Stage
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Selection:
    """The benchmark, and what became of every question."""

    outcomes: tuple[QuestionOutcome, ...]

    @property
    def questions(self) -> tuple[MemeQuestion, ...]:
        """Those that are selected, by meme, toxicity first."""
        chosen = [each.question for each in self.outcomes if each.outcome == "selected"]
        order = {meme: place for place, meme in enumerate(dict.fromkeys(q.meme for q in chosen))}
        return tuple(sorted(chosen, key=lambda q: (order[q.meme], q.dimension != TOXICITY)))

    def funnel(self) -> dict[str, dict[str, int]]:
        """By dimension how many questions fell out at each step, and how many each stage selects.

        The steps are `STEPS`.
        """
        counts: dict[str, Counter[str]] = defaultdict(Counter)
        for row in self.outcomes:
            selected = row.outcome == "selected"
            step = f"selected, {row.stage}" if selected else row.outcome
            counts[row.question.dimension][step] += 1
        return {name: {step: own[step] for step in STEPS} for name, own in counts.items()}


def positive_memes(
    questions: Iterable[MemeQuestion], judged: Mapping[str, Judged]
) -> frozenset[str]:
    """Memes whose toxicity question and its answer people found right."""
    return frozenset(
        each.meme
        for each in questions
        if each.dimension == TOXICITY and each.id in judged and judged[each.id].is_positive
    )


def draw(
    questions: Iterable[MemeQuestion],
    positive: Collection[str],
    judged: Collection[str],
    *,
    sample: int = SAMPLE,
    seed: int = 0,
) -> list[MemeQuestion]:
    """The questions that the second stage judges: so many of each dimension but toxicity.

    Args:
        positive: memes of the first stage.
        judged: ids of questions that the first stage judged; they are not drawn again.
        sample: of each dimension; all, where there are no more.
        seed: of the draw, which depends on it, the dimension and the questions' ids alone.
    """
    by_dimension: dict[str, list[MemeQuestion]] = defaultdict(list)
    for each in questions:
        if each.dimension != TOXICITY and each.meme in positive and each.id not in judged:
            by_dimension[each.dimension].append(each)
    drawn = []
    for dimension, those in by_dimension.items():
        those.sort(key=lambda each: each.id)
        chosen = random.Random(f"{seed} {dimension}")
        drawn += chosen.sample(those, min(sample, len(those)))
    return drawn


def select(
    questions: Sequence[MemeQuestion], toxicity: Mapping[str, Judged], others: Mapping[str, Judged]
) -> Selection:
    """The benchmark: what both stages found right, of memes whose toxicity was found right.

    Args:
        toxicity: what the first stage judged, by question's id; open ones have empty answers.
        others: the same of the second.
    """
    positive = positive_memes(questions, toxicity)

    def outcome(each: MemeQuestion, judged: Judged | None) -> Outcome:
        if each.dimension != TOXICITY and each.meme not in positive:
            first = toxicity.get(f"{each.meme}/{TOXICITY}")
            is_open = first is None or first.is_open
            return "its meme was not judged" if is_open else "its meme is not positive"
        if judged is None:
            return "not judged" if each.dimension == TOXICITY else "not drawn"
        if judged.is_positive:
            return "selected"
        if judged.is_open:
            return "not judged"
        return "answer not a yes" if judged.question == YES else "question not a yes"

    outcomes = []
    for each in questions:
        stage: Stage = "others"
        if each.dimension == TOXICITY or each.id in toxicity:
            stage = "toxicity"
        judged = (toxicity if stage == "toxicity" else others).get(each.id)
        outcomes.append(QuestionOutcome(each, stage, outcome(each, judged)))
    return Selection(tuple(outcomes))
