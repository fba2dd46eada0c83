"""Tests of significance that several analyses share. In: statistics. Out: p-values."""

from __future__ import annotations

from importlib import import_module
from math import erfc, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from memeloc.arrays import Floats
from memeloc.errors import MissingError


def scipy_stats() -> Any:
    """Return the module scipy.stats; it has no types.

    Raises:
        MissingError: scipy is not installed.
    """
    return _scipy("stats")


def scipy_special() -> Any:
    """Return the module scipy.special, as `scipy_stats`."""
    return _scipy("special")


def _scipy(name: str) -> Any:
    try:
        return import_module(f"scipy.{name}")
    except ImportError as error:
        message = "This analysis needs scipy: pip install 'memeloc[analyze]'"
        raise MissingError(message) from error


def two_sided(z: float) -> float:
    """The probability that a standard normal value lies as far from 0 as z; NaN of NaN.

    >>> round(two_sided(-1.959964), 6)
    0.05
    """
    return erfc(abs(z) / sqrt(2))


def holm(p_values: ArrayLike) -> Floats:
    """P-values corrected for their number, by Holm's step-down procedure (1979).

    NaN, of a test that was not defined, stays NaN and does not count.

    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    given = np.asarray(p_values, dtype=float)
    corrected = np.full(given.shape, np.nan)
    defined = np.flatnonzero(~np.isnan(given))
    order = defined[np.argsort(given[defined], kind="stable")]
    times = np.arange(len(order), 0, -1)
    corrected[order] = np.minimum(np.maximum.accumulate(given[order] * times), 1.0)
    return corrected


def p_text(p: float) -> str:
    """A p-value for a sentence.

    >>> p_text(0.0312), p_text(0.00001)
    ('p = 0.031', 'p < 0.001')
    """
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"
