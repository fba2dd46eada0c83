"""Sections of analyses that have not moved to rows yet, as rows."""

from __future__ import annotations

from typing import Any

import pandas as pd

from memeloc.reports.figures import gap, joined, tidy


def as_rows(name: str, made: Any) -> pd.DataFrame:
    """Return the rows of an analysis that still makes a section."""
    if isinstance(made, pd.DataFrame):
        return made
    parts = [gap(name, reason) for reason in made.gaps]
    for table in made.tables:
        frame = table.frame.copy()
        if {"first", "second"} <= set(frame):
            frame["group"] = frame.pop("first") + "–" + frame.pop("second")
        if "culture" in frame:
            frame["group"] = frame.pop("culture")
        texts = [
            column
            for column in frame
            if column not in ("group", "item") and not pd.api.types.is_numeric_dtype(frame[column])
        ]
        frame["item"] = frame[texts].astype(str).agg(" ".join, axis=1) if texts else ""
        if table.name == "annotator-pairs":
            frame = frame.rename(columns={"low": "kappa_low", "high": "kappa_high"})
        if "cultures" in frame:
            frame["item"] = frame.pop("cultures").astype(str) + " cultures"
        if table.name == "agreement-within":
            keys = {
                "alpha, nominal": "alpha",
                "alpha, ordinal": "alpha_ordinal",
                "interval": "alpha_interval",
                "Fleiss": "fleiss",
                "percent": "agreement",
                "Cohen": "cohen",
            }
            for row in frame.itertuples():
                key = next(key for text, key in keys.items() if text in row.item)
                named = frame.loc[[row.Index]].assign(item="").drop(columns=texts)
                columns = {"value": key, "low": f"{key}_low", "high": f"{key}_high"}
                parts.append(tidy(name, named.rename(columns=columns), table.name))
            continue
        frame = frame.rename(
            columns={"items_low": "share_of_items_low", "items_high": "share_of_items_high"}
        )
        names = ("value", "cramers_v", "agreement", "share", "kappa")
        main = next((column for column in names if column in frame), "")
        frame = frame.drop(columns=texts)
        frame = frame.rename(columns={"low": f"{main}_low", "high": f"{main}_high"})
        parts.append(tidy(name, frame, table.name))
    rows = joined(parts)
    return rows[~rows.duplicated(["group", "item", "figure"])]
