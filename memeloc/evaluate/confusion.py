"""Errors of models. In: answers joined with gold. Out: rows: labels given by right label.

charmemes B looks at harmful items only, and finds that errors often stay within a severity.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from memeloc.evaluate.scores.joining import NO_GOLD, NOT_ASKED, Joined
from memeloc.reports.figures import joined, tidy

if TYPE_CHECKING:
    import pandas as pd

INVALID = "(none)"
"""The label of an answer that chooses none."""
OUTCOMES = ("right", "same", "other", "harmless", "invalid")
"""Outcomes of an answer on a harmful item: the right label, another of the same severity, one of
another severity, one of what harms nobody, or none."""


def confusion_figures(data: Joined, severity: Mapping[str, str] | None = None) -> pd.DataFrame:
    """Return shares of labels given by right label; with severities also among the harmful only.

    Answers to all prompts of a condition are counted together.

    Args:
        data: what is right is the first culture's; items without a label do not count.
        severity: of the labels that are harmful, empty for none; None leaves out what needs it.
    """
    import pandas as pd

    gold = data.gold[:, 0]
    names = pd.Index([*data.labels, INVALID])  # an invalid answer has the place -1, so the last
    tables = []
    for title, predicted in zip(data.conditions, data.predicted, strict=True):
        item, prompt = np.nonzero((predicted != NOT_ASKED) & (gold != NO_GOLD)[:, None])
        right, answer = gold[item], predicted[item, prompt]
        tables.append(
            pd.DataFrame(
                {
                    "group": title,
                    "item": pd.Categorical.from_codes(right, names),
                    "given": pd.Categorical.from_codes(answer % len(names), names),
                }
            )
        )
    answers = pd.concat(tables, ignore_index=True)
    parts = [_shares("confusion", answers)]
    if severity is not None and len(severity) > 1:
        harmful = answers[answers["item"].isin(severity)]
        among = harmful[harmful["given"].isin(severity)]
        is_right = (among["item"] == among["given"]).groupby(among["group"], sort=False)
        accuracy = is_right.agg(accuracy="mean", n="size").reset_index()
        parts.append(tidy("confusion-harmful", accuracy, "share right"))
        parts.append(_shares("confusion-harmful-labels", among))
        if any(severity.values()):
            parts.append(_by_severity(harmful, severity))
    return joined(parts)


def _shares(analysis: str, answers: pd.DataFrame) -> pd.DataFrame:
    keys = ["group", "item", "given"]
    counts = answers.groupby(keys, sort=False, observed=True).size().unstack(fill_value=0)
    counts = counts.sort_index(axis=1).sort_index(level="item", sort_remaining=False)
    counts = counts.reindex(answers["group"].unique(), level="group")
    total = counts.sum(axis=1)
    shares = counts.div(total, axis=0).add_prefix("given: ").assign(n=total)
    return tidy(analysis, shares.reset_index(), "share of the answers with that right label")


def _by_severity(answers: pd.DataFrame, severity: Mapping[str, str]) -> pd.DataFrame:
    """Return by severity what answers on harmful items gave, then over all severities."""
    import pandas as pd

    right, answered = answers["item"].astype(str), answers["given"].astype(str)
    severities = right.map(severity)
    outcome = np.select(
        [
            right == answered,
            severities == answered.map(severity),
            answered.isin(severity),
            answered != INVALID,
        ],
        OUTCOMES[:-1],
        OUTCOMES[-1],
    )
    counts = pd.crosstab([answers["group"], severities], outcome).reindex(
        columns=OUTCOMES, fill_value=0
    )
    sizes = pd.Series(severity).value_counts(sort=False)
    counts = counts.reindex(answers["group"].unique(), level=0).reindex(sizes.index, level=1)
    counts = counts.rename_axis(["group", "item"])
    errors = counts["same"] + counts["other"]
    # If each error fell on another harmful label at random, all alike.
    chance = (sizes - 1) / (len(severity) - 1)
    expected = errors * chance.reindex(counts.index, level=1)
    total = counts.sum(axis=1)
    shares = counts.div(total, axis=0).assign(
        within=counts["same"] / errors,
        within_by_chance=chance.reindex(counts.index, level=1),
        n=total,
    )
    sums = pd.DataFrame({"same": counts["same"], "errors": errors, "expected": expected})
    sums = sums.groupby("group", sort=False).sum()
    whole = pd.DataFrame(
        {
            "within": sums["same"] / sums["errors"],
            "within_by_chance": sums["expected"] / sums["errors"],
            "n": sums["errors"],
        }
    )
    method = {"within": "of errors among the harmful", "within_by_chance": "errors at random"}
    parts = (shares, whole)
    return joined(tidy("severity", part.reset_index(), method) for part in parts)
