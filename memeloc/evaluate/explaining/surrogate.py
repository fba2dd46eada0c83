"""A local linear surrogate. In: a model, and parts of what it saw. Out: what each part adds.

Parts (words of a text, regions of a picture) are left out at random, the model is asked each time,
and a weighted linear regression says how much its answer rests on each part: LIME (Ribeiro et al.
2016), which harmeme 6.4 reads its best model by. Constants are those of its authors' program.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memeloc.arrays import Floats
from memeloc.errors import InputError

Masks = NDArray[np.bool_]
Ask = Callable[[Masks], Floats]
"""Of masks (samples, parts), true where a part is kept, the model's scores (samples, labels)."""

SAMPLES = 1000
KERNEL_WIDTH = 0.25
"""In cosine distance; how fast samples count less as they lack more parts."""
RIDGE = 1.0
"""Penalty on squared weights, in samples."""


@dataclass(frozen=True, slots=True, eq=False)
class Surrogate:
    """A linear model near one item, by label.

    Attributes:
        weights: (labels, parts): what keeping a part adds to the score of the label.
        intercepts: (labels): the score without any part.
        fits: (labels): share of the variance of scores that it explains (weighted R squared);
            where it is low the weights say little. NaN where the score never changes.
        scores: (labels): the model's own, with all parts.
    """

    weights: Floats
    intercepts: Floats
    fits: Floats
    scores: Floats


def fit_surrogate(
    ask: Ask,
    parts: int,
    *,
    samples: int = SAMPLES,
    seed: int = 0,
    kernel_width: float = KERNEL_WIDTH,
    ridge: float = RIDGE,
) -> Surrogate:
    """Fit a linear model to what a model answers as parts are left out.

    Args:
        ask: the model; it is asked once, with all samples.
        parts: how many there are, from 1.
        samples: how often it is asked, from 2; the first time with all parts.
        seed: of the parts that are left out: of each sample first how many, then which.

    Raises:
        InputError: there is no part, or there are too few samples.
    """
    if parts < 1 or samples < 2:
        raise InputError("A surrogate needs a part to leave out, and two samples or more.")
    masks = draw_masks(parts, samples, seed)
    scores = np.asarray(ask(masks), dtype=np.float64)
    kept = masks.mean(axis=1)
    # The cosine between a mask and one of all parts is the root of the share it keeps.
    closeness = np.exp(-((1 - np.sqrt(kept)) ** 2) / (2 * kernel_width**2))
    share = closeness / closeness.sum()
    mean_mask, mean_score = share @ masks, share @ scores
    centred = masks - mean_mask
    gram = (centred * closeness[:, None]).T @ centred + ridge * np.eye(parts)
    weights = np.linalg.solve(gram, (centred * closeness[:, None]).T @ (scores - mean_score))
    residual = share @ (scores - mean_score - centred @ weights) ** 2
    variance = share @ (scores - mean_score) ** 2
    constant = variance < 1e-18
    # What is left of the weights of a score that never changes is the processor's rounding.
    weights = np.where(constant, 0, weights)
    fits = np.where(constant, np.nan, 1 - residual / np.where(constant, 1, variance))
    return Surrogate(weights.T, mean_score - mean_mask @ weights, fits, scores[0])


def draw_masks(parts: int, samples: int, seed: int) -> Masks:
    """Return the parts that each sample keeps; the first all, each other not all."""
    generator = np.random.default_rng(seed)
    lacking = generator.integers(1, parts + 1, size=samples)
    lacking[0] = 0
    ranks = generator.random((samples, parts)).argsort(axis=1).argsort(axis=1)
    return np.asarray(ranks >= lacking[:, None])
