"""Agreement within each culture. In: `Answers`. Out: rows: alpha, kappas, percent agreement.

multi3hate 4.1 (Krippendorff's alpha), harmeme Table 1 and araharmeme 3.5 (Cohen's kappa of each two
annotators), charmemes E (Fleiss' kappa).
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from memeloc.agreement import Ratings, coefficients, pairwise_kappa
from memeloc.agreement.coefficients import Coefficient
from memeloc.agreement.people import pairs_of
from memeloc.analyze.answers import Answers, Settings
from memeloc.arrays import Floats
from memeloc.counts import counted
from memeloc.reports.figures import BETWEEN, gap, joined, tidy
from memeloc.statistics.two_way import Estimates, Scale, Statistic, Votes, estimate, interval

NAME = "agreement-within"
_MOST_PAIRS = 1_000
"""Pairs of annotators that are listed a culture; 500 people are 124,750 pairs."""


def agreement_within(answers: Answers, settings: Settings, *, whole: bool = True) -> pd.DataFrame:
    """Return how far the annotators of each culture agree, by every measure of the papers.

    Parts of the items (not `whole`) have alpha and plain agreement only.
    """
    chosen = {
        "alpha": coefficients.alpha(),
        "fleiss": coefficients.fleiss(),
        "agreement": coefficients.observed(),
    }
    if (places := places_of(answers)) is not None:
        chosen["alpha_ordinal"] = coefficients.alpha("ordinal", places)
        chosen["alpha_interval"] = coefficients.alpha("interval", places)
    if not whole:
        chosen = {name: chosen[name] for name in ("alpha", "agreement")}
    parts = []
    for culture in answers.cultures:
        table = answers.table[answers.table["culture"] == culture]
        votes = Votes.of(table, answers.labels)
        sizes, people = votes.counts.sum(axis=(1, 2)), int(votes.people()[0])
        shared = sizes > 1
        if people < 2 or not shared.any():
            few = f"Agreement within {culture} needs two annotators; it has {people}."
            none = f"Agreement within {culture}: no item has votes of two annotators."
            parts.append(gap(NAME, few if people < 2 else none, culture))
            continue
        numbers = {"annotators": people, "items": shared.sum(), "votes": sizes[shared].sum()}
        row: dict[str, object] = {"group": [culture], **numbers, "n": shared.sum()}
        for name, coefficient in chosen.items():
            statistic = of_coefficient(
                coefficient, "share" if name == "agreement" else "coefficient"
            )
            row |= estimate(votes, statistic, settings.confidence).columns(name)
        if whole:
            ratings = Ratings.of(table[table["label"].isin(answers.labels)])
            row |= mean_kappa(ratings, settings.confidence).columns("cohen")
        frame = pd.DataFrame(row)
        parts.append(tidy(NAME, frame))
        if frame["alpha"].isna().any():
            reason = f"Alpha within {culture} is not defined: all votes are for one label."
            parts.append(gap(NAME, reason, culture))
        if whole:
            parts += _pairs(ratings, culture)
    return joined(parts)


def places_of(answers: Answers) -> Floats | None:
    """Return the labels' places on a scale of three or more; None where there is none."""
    levels = answers.levels
    if not levels or len(set(levels.values())) < 3:
        return None
    return np.array([levels[label] for label in answers.labels])


def of_coefficient(coefficient: Coefficient, scale: Scale = "coefficient") -> Statistic:
    """Return a coefficient of one culture's votes as a statistic."""
    return Statistic(
        lambda counts: coefficient.sums(counts[:, 0]),
        lambda sums: coefficient.value(sums)[..., None],
        scale,
        pairs=True,
    )


def mean_kappa(ratings: Ratings, confidence: float) -> Estimates:
    """Return the mean of Cohen's kappa over the pairs of people of which it is defined.

    What it loses without a person is known from the kappas; without an item, or a vote, kappas
    change a little each, and what a kappa that is no longer defined would lose is left out.
    """
    each, pair, sides = pairs_of(ratings)
    labels, people = len(ratings.labels), len(ratings.participants)
    first, second = (ratings.label[side] for side in sides)
    cell = first * labels + second
    counts = np.bincount(pair * labels**2 + cell, minlength=len(each[0]) * labels**2)
    tables: Floats = counts.reshape(-1, labels, labels).astype(np.float64)
    kappas = coefficients.cohen(tables)
    defined = np.isfinite(kappas)
    number = max(int(defined.sum()), 1)
    value = kappas[defined].sum() / number if defined.any() else np.nan

    fewer = tables[:, None] - np.eye(labels**2).reshape(1, labels**2, labels, labels)
    less = np.nan_to_num(kappas[:, None] - coefficients.cohen(fewer)) / number
    of_pair_votes = less[pair, cell]
    of_items = np.bincount(ratings.item[sides[0]], of_pair_votes, ratings.items)
    of_votes = sum(
        (np.bincount(side, of_pair_votes, len(ratings.item)) for side in sides),
        np.zeros(len(ratings.item)),
    )

    theirs, item_counts = np.zeros((2, people))
    for side in (each[0][defined], each[1][defined]):
        theirs += np.bincount(side, kappas[defined], people)
        item_counts += np.bincount(side, minlength=people)
    has_items = item_counts > 0
    # A person's influence on a mean of pairs: twice the distance of the mean of the own ones.
    of_people = 2 * (theirs[has_items] / item_counts[has_items] - value) / people
    more = people / (people - 1) * np.square(of_people).sum() - np.square(of_votes).sum()
    return interval(
        np.array([value]),
        of_items[:, None].astype(np.float64),
        np.array([more]),
        np.array([people]),
        "coefficient",
        confidence,
    )


def _pairs(ratings: Ratings, culture: str) -> list[pd.DataFrame]:
    frame = pairwise_kappa(ratings).sort_values("items", ascending=False, kind="stable")
    frame = frame.assign(group=culture, item=frame["first"] + BETWEEN + frame["second"])
    columns = ["group", "item", "kappa", "agreement", "n"]
    shown = frame.rename(columns={"items": "n"}).head(_MOST_PAIRS)[columns]
    rows = [tidy("annotator-pairs", shown, "Cohen 1960")]
    if left := len(frame) - len(shown):
        reason = f"{counted(left, 'pair')} of annotators with the fewest common items left out."
        rows.append(gap("annotator-pairs", reason, culture))
    return rows
