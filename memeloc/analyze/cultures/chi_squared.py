"""Do labels depend on the culture? In: `Answers`. Out: rows: effect sizes, permutations, tests."""

from __future__ import annotations

import math
from importlib import import_module
from typing import Any

import numpy as np
import pandas as pd

from memeloc.analyze.answers import Answers, Settings
from memeloc.arrays import NO_LABEL, Floats, Ints, majority
from memeloc.errors import InputError
from memeloc.reports.figures import gap, joined, tidy
from memeloc.statistics.bootstrap import generator
from memeloc.statistics.permutation import PeopleOfCultures, p_above
from memeloc.statistics.significance import scipy_stats
from memeloc.statistics.two_way import Votes

NAME = "chi-squared"
ANSWERS, LABELS, SAME_ITEMS = "answers", "labels of items", "labels of the same items"
"""What is counted: votes, majority labels, and those of items that every culture labelled."""
_METHODS = {
    "cramers_v": "Cramér 1946; Steiger 2004, as if answers were independent",
    "by_chance": "mean of the permutations of people",
    "p_permuted": "permutation of people",
    "smallest_p": "permutation of people",
    "statistic": "Pearson 1900; of the same items Cochran 1950",
    "p": "as if answers were independent",
    "smallest_expected": "below 5 p is rough (Cochran 1954)",
}


def chi_squared(answers: Answers, settings: Settings, *, whole: bool = True) -> pd.DataFrame:
    """Return effect sizes and tests of culture by label, of answers and of items' labels.

    Args:
        whole: with the cells of the tables, which parts of the items go without.

    Raises:
        InputError: two cultures, or two labels, are missing.
        MissingError: scipy is not installed.
    """
    votes = Votes.of(answers.table, answers.labels)
    tables = tables_of(votes.counts[None])
    rows: list[dict[str, Any]] = []
    gaps = []
    for name in (ANSWERS, LABELS):
        try:
            rows.append({"group": name, **pearson_test(tables[name][0], settings.confidence)})
        except InputError as error:
            gaps.append(f"Chi-squared of {name}: {error}.")
    if not rows:
        raise InputError(" ".join(gaps))
    q, items = (values[0] for values in cochran_q(votes.counts[None]))
    if not np.isnan(q):
        dof = len(answers.cultures) - 1
        p = float(scipy_stats().chi2.sf(q, dof))
        rows.append({"group": SAME_ITEMS, "statistic": q, "dof": dof, "p": p, "n": items})
    people = PeopleOfCultures(votes)
    drawn = permuted_statistics(people, settings)
    for row in rows:
        name = str(row["group"])
        row["p_permuted"] = p_above(row["statistic"], drawn[name])
        row["smallest_p"] = people.smallest_p
        if name != SAME_ITEMS:
            ranks = (np.count_nonzero(tables[name][0].sum(axis=side)) for side in (0, 1))
            largest = row["n"] * (min(ranks) - 1)
            row["by_chance"] = float(np.sqrt(drawn[name] / largest).mean())
    if people.smallest_p > 1 - settings.confidence:
        gaps.append(
            f"{len(people.culture)} people can be shared out among the cultures in so few ways "
            f"that p is {people.smallest_p:.2g} at least: no difference could be significant."
        )
    frame = pd.DataFrame(rows)
    order = ["group", "cramers_v", "cramers_v_low", "cramers_v_high", *_METHODS, "dof", "n"]
    frame = frame[[name for name in dict.fromkeys(order) if name in frame]]
    rows_of_tests = tidy(NAME, frame, _METHODS)
    if not whole:
        return rows_of_tests
    return joined(
        [
            rows_of_tests,
            tidy("chi-squared-cells", _cells(tables, answers), "Haberman 1973"),
            *(gap(NAME, reason) for reason in gaps),
        ]
    )


def pearson_test(table: Ints, confidence: float) -> dict[str, float]:
    """Return Pearson's test of a table of counts, without rows and columns that have none.

    Raises:
        InputError: fewer than two rows or columns have counts.
        MissingError: scipy is not installed.
    """
    table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    rows, columns = table.shape
    if min(rows, columns) < 2:
        what = "culture" if rows < 2 else "label"
        raise InputError(f"two {what}s are needed, and there is {min(rows, columns) or 'none'}")
    stats = scipy_stats()
    result = stats.chi2_contingency(table, correction=False)
    n = int(table.sum())
    largest = n * (min(rows, columns) - 1)
    low, high = _noncentralities(stats, float(result.statistic), int(result.dof), confidence)
    if high < result.statistic:
        # Less than chance gives: all that such a statistic speaks for lies below V itself.
        low = high = math.nan
    return {
        "cramers_v": float(np.sqrt(result.statistic / largest)),
        "cramers_v_low": float(np.sqrt(min(low / largest, 1))),
        "cramers_v_high": float(np.sqrt(min(high / largest, 1))),
        "statistic": float(result.statistic),
        "dof": int(result.dof),
        "p": float(result.pvalue),
        "n": n,
        "smallest_expected": float(result.expected_freq.min()),
    }


def permuted_statistics(people: PeopleOfCultures, settings: Settings) -> dict[str, Floats]:
    """Return by what is counted the statistics of permutations of people."""
    random = generator(settings, NAME)
    parts: dict[str, list[Floats]] = {ANSWERS: [], LABELS: [], SAME_ITEMS: []}
    for counts in people.permuted(settings.permutations, random):
        for name, tables in tables_of(counts).items():
            parts[name].append(pearson(tables))
        parts[SAME_ITEMS].append(np.nan_to_num(cochran_q(counts)[0]))
    return {name: np.concatenate(values) for name, values in parts.items()}


def tables_of(counts: Ints) -> dict[str, Ints]:
    """Return culture-by-label tables of answers and of items' majority labels.

    Args:
        counts: (tables, items, cultures, labels).
    """
    most = majority(counts)
    labels = np.stack([(most == label).sum(axis=1) for label in range(counts.shape[3])], axis=-1)
    return {ANSWERS: counts.sum(axis=1), LABELS: labels}


def pearson(tables: Ints) -> Floats:
    """Return chi-squared of (..., rows, columns); a row or column without counts adds nothing."""
    rows, columns = tables.sum(axis=-1, keepdims=True), tables.sum(axis=-2, keepdims=True)
    expected = rows * columns / np.maximum(tables.sum(axis=(-2, -1), keepdims=True), 1)
    apart = np.square(tables - expected) / np.where(expected > 0, expected, 1)
    statistic: Floats = apart.sum(axis=(-2, -1))
    return statistic


def cochran_q(counts: Ints) -> tuple[Floats, Ints]:
    """Return Cochran's Q (1950) of items that every culture labelled, and how many they are.

    NaN of other than two labels, of one culture, and where all cultures gave the same labels.

    Args:
        counts: (tables, items, cultures, labels).
    """
    most = majority(counts)
    every = (most != NO_LABEL).all(axis=2)
    items: Ints = every.sum(axis=1)
    k = counts.shape[2]
    if counts.shape[3] != 2 or k < 2:
        return np.full(len(counts), np.nan), items
    labels = np.where(every[..., None], most, 0)
    by_culture, by_item = labels.sum(axis=1), labels.sum(axis=2)
    total = by_item.sum(axis=1)
    spread = k * total - np.square(by_item).sum(axis=1)
    q = (k - 1) * (k * np.square(by_culture).sum(axis=1) - np.square(total))
    return np.where(spread > 0, q / np.where(spread > 0, spread, 1), np.nan), items


def residuals_of(table: Ints) -> tuple[Floats, Floats]:
    """Return expected counts, and adjusted residuals (Haberman 1973), NaN where a margin is all."""
    total = table.sum()
    rows, columns = table.sum(axis=1, keepdims=True), table.sum(axis=0, keepdims=True)
    expected: Floats = rows * columns / total
    with np.errstate(invalid="ignore", divide="ignore"):
        spread = np.sqrt(expected * (1 - rows / total) * (1 - columns / total))
        residuals: Floats = np.where(spread > 0, (table - expected) / spread, np.nan)
    return expected, residuals


def _noncentralities(
    stats: Any, statistic: float, dof: int, confidence: float
) -> tuple[float, float]:
    """Return the noncentralities under which the statistic ends its middle `confidence`.

    Steiger (2004), "Beyond the F Test"; 0 where even none makes the statistic that small.
    """
    inverse = import_module("scipy.special").chndtrinc
    shares = (1 + confidence) / 2, (1 - confidence) / 2
    central = stats.chi2.cdf(statistic, dof)
    low, high = (
        float(inverse(statistic, dof, share)) if central > share else 0.0 for share in shares
    )
    return low, high


def _cells(tables: dict[str, Ints], answers: Answers) -> pd.DataFrame:
    names = pd.MultiIndex.from_product([answers.cultures, answers.labels], names=["group", "item"])
    frame = names.to_frame(index=False)
    for name, (table,) in tables.items():
        if table.sum():
            expected, residuals = residuals_of(table)
            parts = {"count": table, "expected": expected, "residual": residuals}
            for part, values in parts.items():
                frame[f"{name}: {part}"] = values.ravel()
    return frame
