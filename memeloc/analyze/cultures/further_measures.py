"""Further measures of agreement and labels. In: `Answers`. Out: rows: AC1, AC2, models' labels.

Gwet's coefficients and Randolph's kappa do not fall where nearly all answers are for one label.
Dawid-Skene and MACE weigh answers by how far each person can be trusted; soft labels leave them as
shares. They stand beside the majority, never in its place.
"""

from __future__ import annotations

from math import log2

import numpy as np
import pandas as pd

from memeloc.agreement import coefficients
from memeloc.agreement.crowd import METHODS, label_odds, likeliest
from memeloc.analyze.answers import Answers, Settings
from memeloc.analyze.cultures.within import of_coefficient, places_of
from memeloc.arrays import NO_LABEL, majority
from memeloc.errors import MissingError
from memeloc.reports.figures import gap, joined, tidy
from memeloc.statistics.two_way import Votes, estimate

NAME = "further-measures"
SOFT = "soft-labels"
_MODELS = {
    "dawid-skene": "Dawid and Skene 1979 (crowd-kit)",
    "mace": "Hovy et al. 2013 (crowd-kit)",
    "votes": "shares of votes",
}
_MOST_ANSWERS = 50_000
"""Of a culture, for models of annotators: a minute. More is for those who ask for it alone."""
_ITERATIONS = 30
"""Of EM, from one start. Hovy et al. start ten times, which takes a minute; of 300 items with five
answers for one of two labels, one start gave 8 another label than three did: nearly tied ones."""


def further_measures(answers: Answers, settings: Settings) -> pd.DataFrame:
    """Return Gwet's and Randolph's coefficients, and labels by models of annotators."""
    votes = Votes.of(answers.table, answers.labels)
    chosen = {"ac1": coefficients.gwet(), "randolph": coefficients.randolph()}
    if (places := places_of(answers)) is not None:
        chosen["ac2_ordinal"] = coefficients.gwet("ordinal", places)
        chosen["ac2_interval"] = coefficients.gwet("interval", places)
    parts = []
    for place, culture in enumerate(answers.cultures):
        of_culture = votes.of_cultures(place)
        shared = int((of_culture.counts.sum(axis=(1, 2)) > 1).sum())
        if not shared:
            reason = f"Agreement within {culture}: no item has votes of two annotators."
            parts.append(gap(NAME, reason, culture))
            continue
        row: dict[str, object] = {"group": [culture], "n": shared}
        for name, coefficient in chosen.items():
            row |= estimate(of_culture, of_coefficient(coefficient), settings.confidence).columns(
                name
            )
        parts.append(tidy(NAME, pd.DataFrame(row)))
        parts += _models(answers, culture, of_culture, settings)
    rows = joined(parts)
    return rows[~rows.duplicated()].reset_index(drop=True)


def _models(answers: Answers, culture: str, votes: Votes, settings: Settings) -> list[pd.DataFrame]:
    """Return how often labels of models are others than the majority's, and their odds."""
    counts = votes.counts[:, 0]
    most = majority(counts)
    names = np.array([*answers.labels, ""], dtype=object)  # the last stands at NO_LABEL
    labels = pd.Series(names[np.where(most == NO_LABEL, len(answers.labels), most)], answers.names)
    answered = counts.sum(axis=1) > 0
    shares = pd.DataFrame(counts[answered], labels.index[answered], answers.labels)
    odds_of = {"votes": shares.div(shares.sum(axis=1), axis=0)}
    row: dict[str, object] = {"group": [culture], "n": int(answered.sum())}
    entropy = -odds_of["votes"].map(lambda share: share * log2(share) if share else 0).sum(axis=1)
    row["soft_entropy"] = float(entropy.mean())
    table = answers.table[answers.table["culture"] == culture]
    table = table[table["label"].isin(answers.labels)]
    parts = []
    if len(table) > _MOST_ANSWERS:
        reason = f"Models of annotators take long with {len(table):,} answers of {culture}; "
        return [tidy(NAME, pd.DataFrame(row)), gap(NAME, f"{reason}see memeloc.agreement.crowd.")]
    for method in METHODS:
        try:
            odds, knowing = label_odds(
                table, method, seed=settings.seed, iterations=_ITERATIONS, restarts=1
            )
        except MissingError as error:
            parts.append(gap(NAME, f"{error}."))
            break
        odds_of[method] = odds
        differs = likeliest(odds) != labels.reindex(odds.index)
        row[method.replace("-", "_") + "_differs"] = float(differs.mean())
        figure = "competence" if method == "mace" else "reliability"
        row[f"{method.replace('-', '_')}_{figure}"] = float(knowing.mean())
        people = pd.DataFrame({"group": culture, "item": knowing.index, figure: knowing})
        parts.append(tidy("annotator-competence", people, _MODELS[method]))
    for name, odds in odds_of.items():
        columns = odds.add_prefix(f"{name}: ").rename_axis("item").reset_index()
        parts.append(tidy(SOFT, columns.assign(group=culture), _MODELS[name]))
    return [tidy(NAME, pd.DataFrame(row)), *parts]
