"""The same by category, topic and template (multi3hate 4.3, Table 4). In: `Answers`. Out: rows."""

from __future__ import annotations

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
"""Figures of each part of the items; all others stand for all items only."""
_WANTED = {(analysis, name) for analysis, names in _FIGURES.items() for name in names}
_ANALYSES = (agreement_between, chi_squared, label_shares, agreement_within)
_MOST_GROUPS = 100
"""Parts that a breakdown has, those with most items."""
_PLURALS = {"category": "categories", "topic": "topics", "template": "templates"}


def breakdowns(answers: Answers, settings: Settings) -> pd.DataFrame:
    """Return figures of cultures over the items of each category, topic and template.

    The groups are `category: tea`, `category: tea · DE`, `category: tea · DE–US`; p-values are
    corrected for the number of parts as well (`p_holm`). Raise InputError if neither category,
    topic nor template is known, or all items have the same.
    """
    found: list[pd.DataFrame] = []
    reasons = []
    for by in ITEM_COLUMNS:
        values = answers.items.get(by, pd.Series(dtype=object)).reindex(list(answers.names))
        values = values[values.notna() & (values != "")].astype(str)
        counts = values.value_counts().sort_index().sort_values(ascending=False, kind="stable")
        if len(counts) == 1:
            reasons.append(f"All items have one {by}, {counts.index[0][:60]!r}.")
        if len(counts) < 2:
            continue
        parts = []
        for name in sorted(counts.index[:_MOST_GROUPS]):
            of_group = answers.of_items(values.index[values == name])
            for function in _ANALYSES:
                with suppress(InputError):  # one culture or one label here: nothing to compare
                    parts.append(function(of_group, settings, whole=False).assign(part=name))
        rows = joined(parts)
        pairs = zip(rows["analysis"], rows["figure"], strict=True)
        rows = rows[[pair in _WANTED for pair in pairs]]
        # For the number of parts that were tested in the same way.
        tests = rows[rows["figure"].isin(["p", "p_permuted"])]
        same = tests.groupby(["figure", "group", "item"])["value"]
        corrected = tests.assign(
            figure=tests["figure"] + "_holm",
            value=same.transform(lambda p_values: holm(p_values)),
            method="Holm 1979",
        )
        rows = joined([rows, corrected])
        groups = zip(rows.pop("part"), rows["group"], strict=True)
        named = [PARTS.join(filter(None, (f"{by}: {part}", group))) for part, group in groups]
        found.append(rows.assign(analysis=NAME, group=named))
        if without := len(answers.names) - len(values):
            found.append(gap(NAME, f"{counted(without, 'item')} without a {by} left out."))
        if (rest := len(counts) - _MOST_GROUPS) > 0:
            left_out = counted(rest, by, _PLURALS[by])
            found.append(gap(NAME, f"{left_out} with the fewest items left out."))
    if not found:
        raise InputError(" ".join(reasons) or "no category, topic or template of items is known")
    return joined([*found, *(gap(NAME, reason) for reason in reasons)])
