"""Items that divide people. In: `Answers`. Out: rows: entropy, divergence and votes of each item.

An item's labels differ for two reasons: people within a culture differ, or cultures do. The entropy
of its pooled answers has both; the Jensen-Shannon divergence of its cultures (Lin 1991) is what is
left without the first.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from memeloc.analyze.answers import Answers, Settings
from memeloc.analyze.cultures.shares import of_kinds, shares_of
from memeloc.arrays import NO_LABEL, Floats, Ints
from memeloc.errors import InputError
from memeloc.reports.figures import gap, joined, of_analysis, tidy
from memeloc.statistics.two_way import Votes, estimate

NAME = "dividing-items"
_METHOD = "Shannon 1948, Lin 1991; each culture counts as much as another"


def dividing_items(answers: Answers, settings: Settings) -> pd.DataFrame:
    """Return every item by how far it divides cultures, those that divide most first.

    Of an item `divergence` (NaN of one culture), `entropy` and `within`, the mean of the entropies
    within cultures, all in bits; `labels`, how many different majority labels cultures gave; n are
    its votes. Of all items `differing`, those with different labels, `differing_share`, of those
    with a label in two cultures or more, and means. By culture and item `votes: LABEL`. Raise
    InputError if no answer takes part in the vote.
    """
    if not answers.votes.any():
        raise InputError("no answer takes part in the vote")

    def different(most: Ints) -> Ints:
        counts: Ints = (most[..., None] == np.arange(len(answers.labels))).any(axis=1).sum(axis=1)
        return counts

    def differing(most: Ints) -> Ints:
        return np.where((most != NO_LABEL).sum(axis=1) > 1, different(most) > 1, NO_LABEL)

    entropy, within, divergence = entropies_of(answers.votes)
    items = pd.DataFrame(
        {
            "item": list(answers.names),
            "divergence": divergence,
            "entropy": entropy,
            "within": within,
            "labels": different(answers.majority),
            "n": answers.votes.sum(axis=(1, 2)),
        }
    )
    order = ["divergence", "entropy", "item"]
    items = items.sort_values(order, ascending=[False, False, True], ignore_index=True)
    statistic = of_kinds(differing, 2, lambda sums: shares_of(sums)[..., 1:])
    share = estimate(Votes.of(answers.table, answers.labels), statistic, settings.confidence)
    whole = pd.DataFrame(
        {
            "differing": int((items["labels"] > 1).sum()),
            **share.columns("differing_share"),
            "differing_share_n": int(((answers.majority != NO_LABEL).sum(axis=1) > 1).sum()),
            "entropy": items["entropy"].mean(),
            "within": items["within"].mean(),
            "n": len(items),
        }
    )
    sides = [answers.names, answers.cultures]
    votes = pd.DataFrame(
        answers.votes.reshape(-1, len(answers.labels)),
        pd.MultiIndex.from_product(sides, names=["item", "group"]),
        [f"votes: {label}" for label in answers.labels],
    )
    votes = votes.assign(n=votes.sum(axis=1)).query("n > 0").reset_index()
    parts = [tidy(NAME, whole, _METHOD), tidy(NAME, items, _METHOD), tidy(NAME, votes, "counted")]
    if len(answers.cultures) == 1:
        parts.append(gap(NAME, "One culture only: items have no divergence."))
    return joined(parts)


def most_dividing(figures: pd.DataFrame, most: int) -> list[str]:
    """Return the items of `dividing_items` that divide cultures most, those that do at all."""
    rows = of_analysis(figures, NAME, "divergence")
    return rows.loc[rows["value"] > 0, "item"].head(most).tolist()


def entropies_of(votes: Ints) -> tuple[Floats, Floats, Floats]:
    """Return by item the entropy of the mean of cultures' shares, the mean of their entropies, and
    the Jensen-Shannon divergence, in bits; NaN without votes, and the last of one culture.

    Args:
        votes: (items, cultures, labels).
    """
    sizes = votes.sum(axis=2)
    cultures = (sizes > 0).sum(axis=1)
    shares = votes / np.maximum(sizes, 1)[:, :, None]
    with np.errstate(invalid="ignore", divide="ignore"):
        pooled = _entropy(shares.sum(axis=1) / cultures[:, None])
        within: Floats = _entropy(shares).sum(axis=1) / cultures
    pooled = np.where(cultures > 0, pooled, np.nan)
    # Rounding must not order items on which cultures answered the same.
    divergence = np.round(np.maximum(pooled - within, 0), 12)
    return pooled, within, np.where(cultures > 1, divergence, np.nan)


def _entropy(shares: Floats) -> Floats:
    logs = np.log2(shares, out=np.zeros_like(shares), where=shares > 0)
    entropy: Floats = np.abs((shares * logs).sum(axis=-1))
    return entropy
