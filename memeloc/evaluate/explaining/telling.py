"""Telling words. In: a trained linear model of words. Out: the words that speak for each label.

harmeme's Table 3 lists the words of highest tf-idf by label; these are those the model goes by.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memeloc.evaluate.training.models import Part, Trained

if TYPE_CHECKING:
    import pandas as pd

WORDS = 5
"""A label; as many as harmeme's Table 3 has."""
COLUMNS = {
    "model": "its name",
    "feature": "which of its features",
    "label": "that the term speaks for",
    "rank": "from 1, the most telling",
    "term": "words or characters as they are counted, in small letters; _ is the end of a word",
    "weight": "what the term adds to the label's log odds at a tf-idf of 1",
}


def telling_words(trained: Trained, count: int = WORDS) -> pd.DataFrame:
    """The terms with the largest positive weights of each label; columns as `COLUMNS`.

    Empty for models without weights of words: of vectors, trees, and reduced features.

    Args:
        count: terms a label and feature.
    """
    import pandas as pd

    rows = []
    for part in trained.parts:
        for feature, terms, weights in _weights(part):
            for place, own in zip(part.classifier.classes, weights, strict=True):
                best = np.argsort(-own, kind="stable")[:count]
                rows += [
                    (
                        trained.name,
                        feature,
                        trained.labels[place],
                        rank,
                        _with_ends(terms[at]),
                        float(own[at]),
                    )
                    for rank, at in enumerate(best, 1)
                    if own[at] > 0
                ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _with_ends(term: str) -> str:
    """A term, with _ for the space at an end of a word that characters may have."""
    start, end = len(term) - len(term.lstrip()), len(term) - len(term.rstrip())
    return "_" * start + term.strip() + "_" * end


def _weights(part: Part) -> list[tuple[str, NDArray[Any], NDArray[np.float64]]]:
    """Of each feature of words its name, terms, and weights (classes, terms)."""
    all_weights = getattr(part.classifier.fitted, "coef_", None)
    if all_weights is None or any(block.reduction is not None for block in part.blocks):
        return []
    if len(all_weights) == 1:  # of two classes there is one row, for the second
        all_weights = np.vstack([-all_weights, all_weights])
    of_features: list[tuple[str, NDArray[Any], NDArray[np.float64]]] = []
    start = 0
    for block in part.blocks:
        if block.terms is None:
            start += int(block.scaling.n_features_in_)
            continue
        own = all_weights[:, start : start + len(block.terms)]
        of_features.append((block.name, block.terms, np.asarray(own, dtype=np.float64)))
        start += len(block.terms)
    return of_features
