"""How a labelling stands. In: a `Labelling`. Out: how far, how much and how sure, as a value."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from memeloc.agreement import fleiss_kappa, pairwise_kappa
from memeloc.label.rounds import Outcome, RoundCounts, count
from memeloc.language_models.recording import sent_counts
from memeloc.workspace.labels.labelling import Labelling


@dataclass(frozen=True, slots=True)
class RoundStatus:
    """A round: how many memes have an answer, and how many of these are no labels.

    `sent` is by parameter and value how many requests held it; see `sent_counts`.
    """

    round: int
    sent: Mapping[str, Mapping[str, int]]
    answered: int
    refused: int
    wrong: int


@dataclass(frozen=True, slots=True)
class LabelCount:
    """A category: memes that it was accepted for, and memes that differ with it in a round."""

    label: str
    name: str
    accepted: int
    differing: int


@dataclass(frozen=True, slots=True)
class LabelStatus:
    """How a labelling stands.

    Attributes:
        prompt: SHA-256 of it; `last`, when the model answered last (ISO 8601).
        sent: of all rounds, as of a round.
        equal: what counts as equal; `counts` has both meanings.
        kappa: Fleiss' kappa of the rounds, by most severe category; None where not defined.
        pairs: Cohen's kappa of each two rounds.
        cost: by currency, of all answers that are stored.
        people: surveys that were made of it, by name: for what.
    """

    taxonomy: str
    model: str
    prompt: str
    last: str
    sent: Mapping[str, Mapping[str, int]]
    equal: str
    counts: RoundCounts
    rounds: tuple[RoundStatus, ...]
    kappa: float | None
    pairs: Mapping[str, float | None]
    labels: tuple[LabelCount, ...]
    topics: int
    cost: Mapping[str, float]
    people: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class LabelStatusList:
    """All labellings of a workspace."""

    labellings: tuple[LabelStatus, ...]


def status_of(labelling: Labelling, people: Mapping[str, str]) -> LabelStatus:
    """How a labelling stands; `people` are the surveys that were made of it."""
    all_outcomes = labelling.outcomes()
    cost: dict[str, float] = defaultdict(float)
    for answer in (*labelling.answers, *labelling.topics):
        cost[answer.currency] += answer.cost
    kappa, pairs = _agreement(all_outcomes)
    return LabelStatus(
        labelling.labelled.taxonomy,
        labelling.labelled.model,
        labelling.labelled.prompt,
        labelling.labelled.last.isoformat(timespec="seconds"),
        sent_counts(answer.settings for answer in labelling.answers),
        labelling.settings.equal,
        count(all_outcomes),
        _rounds(labelling),
        kappa,
        pairs,
        _labels(labelling, all_outcomes),
        len(labelling.topics),
        {currency: round(value, 6) for currency, value in cost.items()},
        people,
    )


def _rounds(labelling: Labelling) -> tuple[RoundStatus, ...]:
    rows = []
    for number in range(1, labelling.settings.rounds + 1):
        answers = [answer for answer in labelling.answers if answer.round == number]
        states = Counter(answer.status for answer in answers)
        sent = sent_counts(answer.settings for answer in answers)
        rows.append(RoundStatus(number, sent, len(answers), states["refused"], states["wrong"]))
    return tuple(rows)


def _agreement(all_outcomes: list[Outcome]) -> tuple[float | None, dict[str, float | None]]:
    """Fleiss' kappa of the rounds, and Cohen's of each two, by most severe category."""
    import pandas as pd

    rows = [
        (each.item, f"round {number}", labels[0].category)
        for each in all_outcomes
        for number, labels in enumerate(each.rounds, 1)
        if labels
    ]
    table = pd.DataFrame(rows, columns=["item", "participant", "label"], dtype=object)
    if table.empty:
        return None, {}
    pairs = pairwise_kappa(table)
    kappas = zip(pairs["first"], pairs["second"], pairs["kappa"], strict=True)
    return fleiss_kappa(table), {
        f"{first} and {second.removeprefix('round ')}": None if pd.isna(kappa) else float(kappa)
        for first, second, kappa in kappas
    }


def _labels(labelling: Labelling, all_outcomes: list[Outcome]) -> tuple[LabelCount, ...]:
    accepted = Counter(each.label for each in all_outcomes if each.state == "accepted")
    differing = Counter(
        label
        for each in all_outcomes
        if each.state == "differing"
        for label in {labels[0].category for labels in each.rounds if labels}
    )
    return tuple(
        LabelCount(category.id, category.name, accepted[category.id], differing[category.id])
        for category in labelling.scheme.categories
        if accepted[category.id] or differing[category.id]
    )
