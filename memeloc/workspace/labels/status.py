"""How a labelling stands. In: a `Labelling`. Out: how far, how much and how sure, as a value."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any

from memeloc.agreement import fleiss_kappa, pairwise_kappa
from memeloc.label.rounds import Outcome, count
from memeloc.language_models.recording import sent_counts
from memeloc.workspace.labels.labelling import Labelling


def status_of(labelling: Labelling, people: Mapping[str, str]) -> dict[str, Any]:
    """Return how a labelling stands; `people` are the surveys that were made of it, and for what.

    Attributes:
        prompt: SHA-256 of it; `last`, when the model answered last (ISO 8601).
        sent: by parameter and value how many requests held it, of all rounds and of each.
        equal: what counts as equal; `counts` has both meanings.
        kappa: Fleiss' kappa of the rounds, by most severe category; None where not defined.
        pairs: Cohen's kappa of each two rounds.
        labels: by category the memes that it was accepted for, and that differ with it in a round.
        cost: by currency, of all answers that are stored.
    """
    all_outcomes = labelling.outcomes()
    cost: dict[str, float] = defaultdict(float)
    for answer in (*labelling.answers, *labelling.topics):
        cost[answer.currency] += answer.cost
    kappa, pairs = _agreement(all_outcomes)
    return {
        "taxonomy": labelling.labelled.taxonomy,
        "model": labelling.labelled.model,
        "prompt": labelling.labelled.prompt,
        "last": labelling.labelled.last.isoformat(timespec="seconds"),
        "sent": sent_counts(answer.settings for answer in labelling.answers),
        "equal": labelling.settings.equal,
        "counts": count(all_outcomes),
        "rounds": [_round(labelling, 1 + place) for place in range(labelling.settings.rounds)],
        "kappa": kappa,
        "pairs": pairs,
        "labels": _labels(labelling, all_outcomes),
        "topics": len(labelling.topics),
        "cost": {currency: round(value, 6) for currency, value in cost.items()},
        "people": people,
    }


def _round(labelling: Labelling, number: int) -> dict[str, Any]:
    """Return how many memes have an answer in a round, and how many of these are no labels."""
    answers = [answer for answer in labelling.answers if answer.round == number]
    states = Counter(answer.status for answer in answers)
    return {
        "round": number,
        "sent": sent_counts(answer.settings for answer in answers),
        "answered": len(answers),
        "refused": states["refused"],
        "wrong": states["wrong"],
    }


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


def _labels(labelling: Labelling, all_outcomes: list[Outcome]) -> list[dict[str, Any]]:
    accepted = Counter(each.label for each in all_outcomes if each.state == "accepted")
    differing = Counter(
        label
        for each in all_outcomes
        if each.state == "differing"
        for label in {labels[0].category for labels in each.rounds if labels}
    )
    return [
        {
            "label": category.id,
            "name": category.name,
            "accepted": accepted[category.id],
            "differing": differing[category.id],
        }
        for category in labelling.scheme.categories
        if accepted[category.id] or differing[category.id]
    ]
