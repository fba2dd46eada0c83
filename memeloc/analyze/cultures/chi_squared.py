"""Do labels depend on the culture? In: `Answers`. Out: rows: effect sizes, permutations, tests."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd

from memeloc.analyze.answers import Answers, Settings
from memeloc.arrays import NO_LABEL, Floats, Ints, majority
from memeloc.errors import InputError
from memeloc.reports.figures import gap, joined, tidy
from memeloc.statistics.bootstrap import generator
from memeloc.statistics.significance import scipy_module, scipy_stats
from memeloc.statistics.two_way import PeopleOfCultures, Votes, p_above

NAME = "chi-squared"
ANSWERS, LABELS, SAME_ITEMS = "answers", "labels of items", "labels of the same items"
"""Counts: votes, majority labels, and those of items that every culture labelled."""
_METHODS = {
    "cramers_v": "Cramér 1946; Steiger 2004, as if answers were independent",
    "by_chance": "mean of the permutations of people",
    "p_permuted": "permutation of people",
    "smallest_p": "permutation of people",
    "statistic": "Pearson 1900; of the same items Cochran 1950",
    "p": "as if answers were independent",
    "smallest_expected": "below 5 p is rough (Cochran 1954)",
}
_ORDER = ("group", "cramers_v", "cramers_v_low", "cramers_v_high", *_METHODS, "dof", "n")


def chi_squared(answers: Answers, settings: Settings, *, whole: bool = True) -> pd.DataFrame:
    """Return effect sizes and tests of culture by label, of answers and of items' labels.

    Parts of the items (not `whole`) go without the cells of the tables. Raise InputError if two
    cultures, or two labels, are missing; MissingError if scipy is not installed.
    """
    votes = Votes.of(answers.table, answers.labels)
    people = PeopleOfCultures(votes)
    tables = {name: table for name, (table,) in tables_of(votes.counts[None]).items()}
    rows: list[dict[str, Any]] = []
    gaps = []
    for name, table in tables.items():
        try:
            rows.append({"group": name, **pearson_test(table, settings.confidence)})
        except InputError as error:
            gaps.append(f"Chi-squared of {name}: {error}.")
    if not rows:
        raise InputError(" ".join(gaps))
    q = float(statistics_of(votes.counts[None])[SAME_ITEMS][0])
    if not np.isnan(q):
        dof = len(answers.cultures) - 1
        row = {"statistic": q, "dof": dof, "p": float(scipy_stats().chi2.sf(q, dof))}
        labelled = (majority(votes.counts) != NO_LABEL).all(axis=1)
        rows.append({"group": SAME_ITEMS, **row, "n": labelled.sum()})
    drawn = permuted_statistics(people, settings)
    for row in rows:
        name = str(row["group"])
        row["p_permuted"] = p_above(row["statistic"], drawn[name])
        row["smallest_p"] = people.smallest_p
        if name in tables:
            row["by_chance"] = float(np.sqrt(drawn[name] / _largest(tables[name])).mean())
    frame = pd.DataFrame(rows)
    tests = tidy(NAME, frame[[name for name in dict.fromkeys(_ORDER) if name in frame]], _METHODS)
    if not whole:
        return tests
    cells: dict[str, object] = {
        "group": np.repeat(answers.cultures, len(answers.labels)),
        "item": answers.labels * len(answers.cultures),
    }
    for name, table in tables.items():
        if table.any():
            expected, residuals = residuals_of(table)
            cells[f"{name}: count"] = table.ravel()
            cells[f"{name}: expected"] = expected.ravel()
            cells[f"{name}: residual"] = residuals.ravel()
    gaps += too_few(people, settings.confidence)
    rows_of_cells = tidy("chi-squared-cells", pd.DataFrame(cells), "Haberman 1973")
    return joined([tests, rows_of_cells, *(gap(NAME, reason) for reason in gaps)])


def too_few(people: PeopleOfCultures, confidence: float) -> list[str]:
    """Return the sentence that says that so few people cannot differ, where it is so."""
    if people.smallest_p <= 1 - confidence:
        return []
    return [
        f"{len(people.culture)} people can be shared out among the cultures in so few ways that p "
        f"is {people.smallest_p:.2g} at least: no difference could be significant."
    ]


def pearson_test(table: Ints, confidence: float) -> dict[str, float]:
    """Return Pearson's test of a table of counts, without rows and columns that have none.

    The interval of V is that of the noncentralities under which the statistic ends its middle
    `confidence` (Steiger 2004, "Beyond the F Test"); 0 where none makes the statistic that small.
    Raise InputError if fewer than two rows or columns have counts; MissingError if scipy is not
    installed.
    """
    table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    rows, columns = table.shape
    if min(rows, columns) < 2:
        what = "culture" if rows < 2 else "label"
        raise InputError(f"two {what}s are needed, and there is {min(rows, columns) or 'none'}")
    statistic, dof, largest = float(pearson(table)), (rows - 1) * (columns - 1), _largest(table)
    chi2, inverse = scipy_stats().chi2, scipy_module("special").chndtrinc
    central = chi2.cdf(statistic, dof)
    low, high = (
        float(inverse(statistic, dof, share)) if central > share else 0.0
        for share in ((1 + confidence) / 2, (1 - confidence) / 2)
    )
    if high < statistic:
        # Less than chance gives: all that such a statistic speaks for lies below V itself.
        low = high = math.nan
    return {
        "cramers_v": math.sqrt(statistic / largest),
        "cramers_v_low": float(np.sqrt(min(low / largest, 1))),
        "cramers_v_high": float(np.sqrt(min(high / largest, 1))),
        "statistic": statistic,
        "dof": dof,
        "p": float(chi2.sf(statistic, dof)),
        "n": int(table.sum()),
        "smallest_expected": float(expected_of(table).min()),
    }


def _largest(table: Ints) -> float:
    """Return the largest statistic of a table of as many counts, rows and columns."""
    return float(table.sum() * (min((table.sum(axis=side) > 0).sum() for side in (0, 1)) - 1))


def permuted_statistics(people: PeopleOfCultures, settings: Settings) -> dict[str, Floats]:
    """Return by what is counted the statistics of permutations of people."""
    permuted = people.permuted(settings.permutations, generator(settings, NAME))
    parts = [statistics_of(counts) for counts in permuted]
    return {
        name: np.nan_to_num(np.concatenate([part[name] for part in parts])) for name in parts[0]
    }


def statistics_of(counts: Ints) -> dict[str, Floats]:
    """Return by what is counted chi-squared of (tables, items, cultures, labels) of counts.

    Of the same items it is Cochran's Q (1950): NaN of other than two labels, of one culture, and
    where all cultures gave the same labels.
    """
    statistics = {name: pearson(tables) for name, tables in tables_of(counts).items()}
    most, k = majority(counts), counts.shape[2]
    labels = np.where((most != NO_LABEL).all(axis=2, keepdims=True), most, 0)
    by_culture, by_item = labels.sum(axis=1), labels.sum(axis=2)
    total = by_item.sum(axis=1)
    spread = k * total - np.square(by_item).sum(axis=1)
    q = (k - 1) * (k * np.square(by_culture).sum(axis=1) - np.square(total))
    is_defined = (spread > 0) & (counts.shape[3] == 2) & (k > 1)
    statistics[SAME_ITEMS] = np.where(is_defined, q / np.where(is_defined, spread, 1), np.nan)
    return statistics


def tables_of(counts: Ints) -> dict[str, Ints]:
    """Return culture-by-label tables of answers and of items' majority labels.

    Args:
        counts: (tables, items, cultures, labels).
    """
    most = majority(counts)
    labels = np.stack([(most == label).sum(axis=1) for label in range(counts.shape[3])], axis=-1)
    return {ANSWERS: counts.sum(axis=1), LABELS: labels}


def expected_of(tables: Ints) -> Floats:
    """Return what the margins of (..., rows, columns) alone would give."""
    rows, columns = tables.sum(axis=-1, keepdims=True), tables.sum(axis=-2, keepdims=True)
    expected: Floats = rows * columns / np.maximum(tables.sum(axis=(-2, -1), keepdims=True), 1)
    return expected


def pearson(tables: Ints) -> Floats:
    """Return chi-squared of (..., rows, columns); a row or column without counts adds nothing."""
    expected = expected_of(tables)
    apart = np.square(tables - expected) / np.where(expected > 0, expected, 1)
    statistic: Floats = apart.sum(axis=(-2, -1))
    return statistic


def residuals_of(table: Ints) -> tuple[Floats, Floats]:
    """Return expected counts, and adjusted residuals (Haberman 1973), NaN where a margin is all."""
    total, expected = table.sum(), expected_of(table)
    rows, columns = table.sum(axis=1, keepdims=True), table.sum(axis=0, keepdims=True)
    spread = np.sqrt(expected * (1 - rows / total) * (1 - columns / total))
    is_defined = spread > 0
    return expected, np.where(
        is_defined, (table - expected) / np.where(is_defined, spread, 1), np.nan
    )
