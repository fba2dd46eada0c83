"""Do labels depend on the culture? In: `Answers`. Out: a `Section`: chi-squared, effect sizes."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from memeloc.analyze.answers import NO_LABEL, Answers
from memeloc.analyze.settings import Settings
from memeloc.arrays import Floats, Ints
from memeloc.errors import InputError
from memeloc.reports.sections import Heatmap, Section, Table
from memeloc.statistics.intervals import with_interval
from memeloc.statistics.significance import p_text, scipy_stats

if TYPE_CHECKING:
    pass

_COLUMNS = {
    "test": "what is counted",
    "statistic": "chi-squared, or Cochran's Q, which follows the same distribution",
    "dof": "degrees of freedom",
    "p": "the probability of such a statistic if labels did not depend on the culture",
    "n": "answers, labels or items counted",
    "cramers_v": "effect size, 0 (none) to 1",
    "low": "lower end of its interval",
    "high": "upper end",
    "smallest_expected": "the smallest expected count; below 5 the p-value is rough",
}
_CELL_COLUMNS = {
    "counted": "answers or labels",
    "culture": "the culture",
    "label": "the label",
    "count": "how many",
    "expected": "how many there were if labels did not depend on the culture",
    "residual": "adjusted residual: standard deviations above (negative: below) what is expected",
}
_METHOD = (
    "Pearson's chi-squared test of the culture-by-label table, without Yates' correction, once of "
    "the answers that take part in the vote and once of items' majority labels "
    "(multi3hate 4.2). It takes answers for independent, although cultures label the same items, "
    "and a person many; Cochran's Q (1950), for two labels, compares the labels of the same items. "
    "Effect size: Cramér's V (1946), with the interval of the noncentral chi-squared distribution "
    "(Steiger 2004)."
)


@dataclass(frozen=True, slots=True)
class ChiSquared:
    """A test of a table; see `_COLUMNS`."""

    statistic: float
    dof: int
    p: float
    n: int
    cramers_v: float
    low: float
    high: float
    smallest_expected: float


def chi_squared(answers: Answers, settings: Settings) -> Section:
    """Chi-squared tests on answers and on labels, with degrees of freedom and effect sizes."""
    counts = counted_labels(answers.votes, answers.majority)
    rows, cells, gaps = [], [], []
    tests: dict[str, ChiSquared] = {}
    for name, table in counts.items():
        try:
            test = tests[name] = chi_squared_of(table, settings.confidence)
        except InputError as error:
            gaps.append(f"Chi-squared on {name}: {error}.")
            continue
        fields = (getattr(test, column) for column in list(_COLUMNS)[1:])
        rows.append((f"{name}: chi-squared", *fields))
        cells += _cells(name, table, answers)
        if test.smallest_expected < 5:
            gaps.append(
                f"Chi-squared on {name} is rough: the smallest expected count is "
                f"{test.smallest_expected:.1f}, below 5 (Cochran 1954)."
            )
    if not rows:
        raise InputError(" ".join(gaps))
    rows += _cochran(answers)
    frame = pd.DataFrame(rows, columns=list(_COLUMNS))
    cell_frame = pd.DataFrame(cells, columns=list(_CELL_COLUMNS))
    residuals = cell_frame[cell_frame["counted"] == cell_frame["counted"].iloc[-1]]
    cell_method = (
        "Adjusted residuals (Haberman 1973); beyond ±2 a cell stands out, at 5 % and by itself."
    )
    return Section(
        "chi-squared",
        "Do labels depend on the culture?",
        tables=(
            Table("chi-squared", "Chi-squared tests", frame, _COLUMNS, _METHOD),
            Table("chi-squared-cells", "Cells", cell_frame, _CELL_COLUMNS, cell_method),
        ),
        plots=(
            Heatmap(
                "chi-squared-residuals",
                f"Adjusted residuals of {residuals['counted'].iloc[0]}",
                residuals.pivot(index="culture", columns="label", values="residual"),
                cell_method,
            ),
        ),
        sentences=(*(_sentence(name, test, settings) for name, test in tests.items()),),
        figures={name: asdict(test) for name, test in tests.items()},
        gaps=tuple(gaps),
    )


def chi_squared_of(table: Ints, confidence: float) -> ChiSquared:
    """Pearson's test of a table of counts, without rows and columns that have none.

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
    return ChiSquared(
        statistic=float(result.statistic),
        dof=int(result.dof),
        p=float(result.pvalue),
        n=n,
        cramers_v=float(np.sqrt(result.statistic / largest)),
        low=float(np.sqrt(min(low / largest, 1))),
        high=float(np.sqrt(min(high / largest, 1))),
        smallest_expected=float(result.expected_freq.min()),
    )


def _noncentralities(
    stats: Any, statistic: float, dof: int, confidence: float
) -> tuple[float, float]:
    """The noncentralities under which the statistic is at either end of its middle `confidence`.

    Steiger (2004), "Beyond the F Test"; 0 where even none makes the statistic that small.
    """
    inverse = import_module("scipy.special").chndtrinc
    shares = (1 + confidence) / 2, (1 - confidence) / 2
    central = stats.chi2.cdf(statistic, dof)
    low, high = (
        float(inverse(statistic, dof, share)) if central > share else 0.0 for share in shares
    )
    return low, high


def residuals_of(table: Ints) -> tuple[Floats, Floats]:
    """Expected counts, and adjusted residuals (Haberman 1973); NaN where a margin is all."""
    total = table.sum()
    rows, columns = table.sum(axis=1, keepdims=True), table.sum(axis=0, keepdims=True)
    expected: Floats = rows * columns / total
    with np.errstate(invalid="ignore", divide="ignore"):
        spread = np.sqrt(expected * (1 - rows / total) * (1 - columns / total))
        residuals: Floats = np.where(spread > 0, (table - expected) / spread, np.nan)
    return expected, residuals


def counted_labels(votes: Ints, majority: Ints) -> dict[str, Ints]:
    """Culture-by-label tables of answers and of items' majority labels.

    Args:
        votes: (items, cultures, labels), as `Answers.votes`; any part of the items.
        majority: the same items by cultures, as `Answers.majority`.
    """
    places = range(votes.shape[2])
    labels: Ints = np.stack([(majority == place).sum(axis=0) for place in places], axis=1)
    return {"answers": votes.sum(axis=0), "labels": labels}


def _cells(name: str, table: Ints, answers: Answers) -> list[tuple[Any, ...]]:
    expected, residuals = residuals_of(table)
    return [
        (name, culture, label, int(table[r, c]), float(expected[r, c]), float(residuals[r, c]))
        for r, culture in enumerate(answers.cultures)
        for c, label in enumerate(answers.labels)
    ]


def _cochran(answers: Answers) -> list[tuple[Any, ...]]:
    """Cochran's Q of items that every culture labelled, for two labels only."""
    k = len(answers.cultures)
    if len(answers.labels) != 2 or k < 2:
        return []
    majority = answers.majority[(answers.majority != NO_LABEL).all(axis=1)]
    if not (majority.min(axis=1) != majority.max(axis=1)).any():
        return []  # nothing differs: Q is 0 / 0
    by_culture, by_item = majority.sum(axis=0), majority.sum(axis=1)
    total = by_item.sum()
    q = (k - 1) * (k * np.square(by_culture).sum() - total**2)
    q = q / (k * total - np.square(by_item).sum())
    p = float(scipy_stats().chi2.sf(q, k - 1))
    none = (np.nan,) * 4
    return [("labels of the same items: Cochran's Q", float(q), k - 1, p, len(majority), *none)]


def _sentence(name: str, test: ChiSquared, settings: Settings) -> str:
    depend = "depend" if test.p < 1 - settings.confidence else "do not depend"
    whose = "Answers" if name == "answers" else "Majority labels"
    return (
        f"{whose} {depend} significantly on the culture (χ²({test.dof}, N = {test.n:,}) = "
        f"{test.statistic:.2f}, {p_text(test.p)}, Cramér's V = "
        f"{with_interval(test.cramers_v, test.low, test.high)})."
    )
