"""Rows and resamples. In: estimates, sums. Out: rows of the table of figures, intervals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memeloc.arrays import Floats, Ints
from memeloc.evaluate.scores.settings import ScoreSettings
from memeloc.statistics.bootstrap import Estimates, estimate

Rows = list[tuple[Any, ...]]
"""Of the table of figures, with the cells of its `COLUMNS`."""


def figure_rows(
    analysis: str,
    group: str | Sequence[str],
    item: Any,
    figure: str | Sequence[str],
    values: Any,
    n: Any = np.nan,
    method: str = "",
) -> Rows:
    """Return rows of the table of figures; what is one for all of them may be given once.

    Args:
        values: numbers, or `Estimates` with their intervals.
    """
    missing = np.nan
    ends = (values.value, values.low, values.high) if isinstance(values, Estimates) else (values,)
    columns = (analysis, group, item, figure, *(*ends, missing, missing)[:3], n, method)
    cells = np.broadcast_arrays(*(np.asarray(column, dtype=object) for column in columns))
    return list(zip(*cells, strict=True))


def gap_rows(analysis: str, reason: str, group: str = "") -> Rows:
    """Return the row of what could not be computed, or was noticed."""
    return figure_rows(analysis, group, "", "", [np.nan], np.nan, reason)


def cut(estimates: Estimates, first: int = 0, last: int | None = None) -> Estimates:
    """Return some of the estimates."""
    values = (estimates.value, estimates.low, estimates.high)
    return Estimates(*(each[first:last] for each in values))


def resampled(
    rows: NDArray[Any],
    units: Ints,
    statistic: Callable[[Floats], Floats],
    settings: ScoreSettings,
    name: str,
) -> Estimates:
    """Return statistics of sums of rows, with intervals that draw units anew.

    Args:
        rows: (items, columns). Sums of whole numbers are few patterns; others are drawn each.
        units: by item the number of its unit; those without anything are left out.
        statistic: of sums (resamples, columns) the values (resamples, figures).
        name: of the random numbers, see `memeloc.statistics.bootstrap.generator`.
    """
    sums: NDArray[Any] = np.zeros((int(units.max()) + 1, rows.shape[1]), dtype=rows.dtype)
    np.add.at(sums, units, rows)
    sums = sums[sums.any(axis=1)]
    are_whole = sums.dtype.kind == "i"

    def weighed(patterns: Ints, weights: Floats) -> Floats:
        with np.errstate(invalid="ignore", divide="ignore"):
            return statistic(weights @ (patterns if are_whole else sums[patterns[:, 0]]))

    return estimate(sums if are_whole else np.arange(len(sums))[:, None], weighed, settings, name)


def ratios(sums: Floats) -> Floats:
    """Return the shares of columns that are, by turns, counts and their totals."""
    return np.asarray(sums[:, ::2] / sums[:, 1::2])


def mean_of_defined(values: Floats) -> Floats:
    """Return the mean over prompts, (resamples, prompts, ...), of what is defined; else NaN."""
    defined = np.isfinite(values)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(defined, values, 0).sum(axis=1) / defined.sum(axis=1))
