"""Items that divide people. In: `Answers`. Out: a `Section`: items by entropy and divergence.

An item's labels differ for two reasons: people within a culture differ, or cultures do. The entropy
of its pooled answers has both; the Jensen-Shannon divergence of its cultures (Lin 1991) is what is
left without the first.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from memeloc.analyze.answers import NO_LABEL, Answers
from memeloc.analyze.settings import Settings
from memeloc.arrays import Floats, Ints
from memeloc.counts import counted
from memeloc.errors import InputError
from memeloc.reports.sections import Histogram, Section, Table

_MOST_SHOWN = 12
"""Items that are named as those that divide most."""
_METHOD = (
    "Of the answers that take part in the vote, in bits (Shannon 1948). Every culture with votes "
    "counts as much as another: `entropy` is of the mean of their shares of labels, `within` the "
    "mean of their own entropies, and `divergence` the difference, the Jensen-Shannon divergence "
    "(Lin 1991): 0 where cultures answered the same. With few answers an item both are rough. "
    "Items are sorted by divergence, then by entropy."
)


def dividing_items(answers: Answers, settings: Settings) -> Section:
    """Every item by how far it divides cultures, and its label in each of them.

    Raises:
        InputError: no answer takes part in the vote.
    """
    if not answers.votes.any():
        raise InputError("no answer takes part in the vote")
    frame = _frame(answers)
    columns = {
        "item": "the item",
        "category": "its category",
        "votes": "answers that take part in the vote",
        "divergence": "Jensen-Shannon divergence of the cultures, in bits; NaN of one culture",
        "entropy": "entropy of the labels, in bits",
        "within": "mean of the entropies within cultures, in bits",
        "labels": "how many different majority labels cultures gave",
        **{
            _column(culture): f"majority label in {culture}; empty for none"
            for culture in answers.cultures
        },
    }
    divided = frame[frame["divergence"] > 0]
    items = tuple(divided["item"].head(_MOST_SHOWN))
    differing = int((frame["labels"] > 1).sum())
    entropies = frame["entropy"].dropna()
    gaps = [] if len(answers.cultures) > 1 else ["One culture only: items have no divergence."]
    return Section(
        "dividing-items",
        "Items that divide most",
        tables=(
            Table(
                "items-by-entropy",
                "Items by divergence and entropy",
                frame,
                {name: columns[name] for name in frame.columns},
                _METHOD,
            ),
        ),
        plots=(
            Histogram(
                "items-by-entropy",
                "Entropy of items",
                entropies.tolist(),
                "entropy of the item's labels, bits",
                _METHOD,
                {"mean": float(entropies.mean())},
            ),
        ),
        sentences=(
            f"Cultures gave different majority labels to {differing:,} of "
            f"{counted(len(frame), 'item')}; the mean entropy of an item's labels is "
            f"{entropies.mean():.2f} bits, {frame['within'].mean():.2f} of them within cultures.",
        ),
        figures={
            "items": list(items),
            "differing": differing,
            "entropy": float(entropies.mean()),
            "within": float(frame["within"].mean()),
        },
        gaps=tuple(gaps),
        items=items,
    )


def entropies_of(votes: Ints) -> tuple[Floats, Floats, Floats]:
    """By item the entropy of the mean of cultures' shares, the mean of their entropies, and the
    Jensen-Shannon divergence, in bits; NaN without votes, and the last of one culture.

    Args:
        votes: (items, cultures, labels).
    """
    sizes = votes.sum(axis=2)
    present = sizes > 0
    cultures = present.sum(axis=1)
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


def _frame(answers: Answers) -> pd.DataFrame:
    entropy, within, divergence = entropies_of(answers.votes)
    names = np.array([*answers.labels, ""], dtype=object)
    majority = answers.majority
    different = np.zeros(len(majority), dtype=np.int64)
    for label in range(len(answers.labels)):
        different += (majority == label).any(axis=1)
    about = answers.items.reindex(list(answers.names))
    frame = pd.DataFrame(
        {
            "item": list(answers.names),
            **({"category": about["category"].fillna("").tolist()} if "category" in about else {}),
            "votes": answers.votes.sum(axis=(1, 2)),
            "divergence": divergence,
            "entropy": entropy,
            "within": within,
            "labels": different,
            **{
                _column(culture): names[
                    np.where(majority[:, place] == NO_LABEL, -1, majority[:, place])
                ]
                for place, culture in enumerate(answers.cultures)
            },
        }
    )
    order = ["divergence", "entropy", "item"]
    return frame.sort_values(order, ascending=[False, False, True], ignore_index=True)


def _column(culture: str) -> str:
    return f"label in {culture}"
