"""The same by category, topic and template (multi3hate 4.3, Table 4). In: `Answers`. Out: rows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import pandas as pd

from memeloc.analyze.answers import ITEM_COLUMNS, Answers, Settings
from memeloc.analyze.cultures.between import agreement_between
from memeloc.analyze.cultures.chi_squared import chi_squared
from memeloc.analyze.cultures.shares import label_shares
from memeloc.analyze.cultures.within import agreement_within
from memeloc.counts import counted
from memeloc.errors import InputError
from memeloc.reports.figures import gap, joined
from memeloc.reports.texts import PARTS
from memeloc.statistics.significance import holm

NAME = "breakdowns"
_FIGURES = {
    "agreement-between": ("agreement",),
    "cultures-agree": ("share",),
    "chi-squared": (
        *("cramers_v", "by_chance", "p_permuted", "smallest_p"),
        *("statistic", "dof", "p", "smallest_expected"),
    ),
    "label-shares": ("share_of_items",),
    "agreement-within": ("alpha", "agreement"),
}
"""What is computed for each part of the items; all else stands for all items only."""
_ANALYSES = (agreement_between, chi_squared, label_shares, agreement_within)
_CORRECTED = ("p", "p_permuted")
_MOST_GROUPS = 100
"""Parts that a breakdown has, those with most items."""
_PLURALS = {"category": "categories", "topic": "topics", "template": "templates"}


def breakdowns(answers: Answers, settings: Settings) -> pd.DataFrame:
    """Return figures of cultures over the items of each category, topic and template.

    The groups are `category: tea`, `category: tea · DE`, `category: tea · DE–US`; p-values are
    corrected for the number of parts as well (`p_holm`).

    Raises:
        InputError: neither category, topic nor template is known, or all items have the same.
    """
    parts: list[pd.DataFrame] = []
    reasons = []
    for by in ITEM_COLUMNS:
        values = answers.items.get(by, pd.Series(dtype=object)).reindex(list(answers.names))
        values = values[values.notna() & (values != "")].astype(str)
        counts = values.value_counts().sort_index().sort_values(ascending=False, kind="stable")
        if len(counts) == 1:
            reasons.append(f"All items have one {by}, {counts.index[0][:60]!r}.")
        if len(counts) < 2:
            continue
        names = sorted(counts.index[:_MOST_GROUPS])
        rows = joined(
            _of_part(answers.of_items(values.index[values == name]), settings).assign(part=name)
            for name in names
        )
        rows = joined([rows, *_corrected(rows)])
        groups = zip(rows.pop("part"), rows["group"], strict=True)
        named = [PARTS.join(filter(None, (f"{by}: {part}", group))) for part, group in groups]
        parts.append(rows.assign(analysis=NAME, group=named))
        if without := len(answers.names) - len(values):
            parts.append(gap(NAME, f"{counted(without, 'item')} without a {by} left out."))
        if rest := len(counts) - len(names):
            left_out = counted(rest, by, _PLURALS[by])
            parts.append(gap(NAME, f"{left_out} with the fewest items left out."))
    if not parts:
        raise InputError(" ".join(reasons) or "no category, topic or template of items is known")
    return joined([*parts, *(gap(NAME, reason) for reason in reasons)])


def _of_part(part: Answers, settings: Settings) -> pd.DataFrame:
    """Return the figures of some of the items."""
    parts = []
    for function in _ANALYSES:
        with suppress(InputError):  # one culture or one label here: nothing to compare
            parts.append(function(part, settings, whole=False))
    rows = joined(parts)
    wanted = {(analysis, name) for analysis, names in _FIGURES.items() for name in names}
    return rows[[pair in wanted for pair in zip(rows["analysis"], rows["figure"], strict=True)]]


def _corrected(rows: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """Yield p-values corrected for the number of parts that were tested in the same way."""
    for figure in _CORRECTED:
        for _, own in rows[rows["figure"] == figure].groupby(["group", "item"]):
            yield own.assign(figure=f"{figure}_holm", value=holm(own["value"]), method="Holm 1979")
