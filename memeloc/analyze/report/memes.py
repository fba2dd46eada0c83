"""Items that divide people. In: `Answers`, names of items. Out: cards with pictures and votes."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

import numpy as np

from memeloc.analyze.answers import ITEM_COLUMNS, NO_LABEL, Answers
from memeloc.errors import InputError
from memeloc.reports.cells import clean
from memeloc.reports.report import Card, Version, Votes
from memeloc.templates.pictures import open_picture

MOST_CARDS = 12
"""Items that a section shows."""
_LONGEST_SIDE = 420
"""Pixels of a picture in the report: it is one file, and goes by mail."""


def cards(
    answers: Answers, items: Sequence[str], pair: tuple[str, str] | None = None
) -> tuple[Card, ...]:
    """Cards of items, at most `MOST_CARDS`; those that nobody answered are left out.

    Args:
        answers: who gave which label, and each item's versions.
        items: names, the first first.
        pair: the cultures whose versions are shown; None for those furthest apart in each item.
    """
    places = {name: place for place, name in enumerate(answers.names)}
    known = [name for name in items if name in places][:MOST_CARDS]
    return tuple(_card(answers, name, places[name], pair) for name in known)


def _card(answers: Answers, item: str, place: int, pair: tuple[str, str] | None) -> Card:
    counts = answers.votes[place]
    votes = tuple(
        Votes(culture, _label(answers, place, number), tuple(map(int, row)), total=int(row.sum()))
        for number, (culture, row) in enumerate(zip(answers.cultures, counts, strict=True))
        if row.sum()
    )
    shown = pair or _furthest(votes)
    return Card(item, _about(answers, item), _versions(answers, item, shown, votes), votes)


def _label(answers: Answers, item: int, culture: int) -> str:
    label = int(answers.majority[item, culture])
    return "tie" if label == NO_LABEL else answers.labels[label]


def _about(answers: Answers, item: str) -> tuple[str, ...]:
    if item not in answers.items.index:
        return ()
    row = answers.items.loc[item]
    return tuple(
        clean(str(row[name]))
        for name in ITEM_COLUMNS
        if name in answers.items.columns and row[name] and str(row[name]) != "nan"
    )


def _furthest(votes: Sequence[Votes]) -> tuple[str, ...]:
    """The two cultures whose shares of labels differ most: by total variation distance."""
    if len(votes) < 2:
        return tuple(each.culture for each in votes)
    shares = {each.culture: np.array(each.counts) / each.total for each in votes}
    names = sorted(shares)
    pairs = [(a, b) for number, a in enumerate(names) for b in names[number + 1 :]]
    return max(pairs, key=lambda two: float(np.abs(shares[two[0]] - shares[two[1]]).sum()))


def _versions(
    answers: Answers, item: str, cultures: Sequence[str], votes: Sequence[Votes]
) -> tuple[Version, ...]:
    labels = {each.culture: each.label for each in votes}
    frame = answers.versions[answers.versions["item"] == item]
    rows = {str(row["culture"]): row for row in frame.to_dict("records")}
    return tuple(
        Version(
            culture,
            str(rows[culture]["language"]),
            clean(str(rows[culture]["text"] or "")),
            _data_address(rows[culture]["picture"]),
            labels.get(culture, ""),
        )
        for culture in cultures
        if culture in rows
    )


def _data_address(picture: object) -> str:
    """The picture as JPEG within an address; empty where there is none that can be opened."""
    if not picture or str(picture) == "nan":
        return ""
    try:
        opened = open_picture(Path(str(picture)), _LONGEST_SIDE)
    except InputError:
        return ""
    content = BytesIO()
    opened.save(content, "JPEG", quality=80)
    return f"data:image/jpeg;base64,{base64.b64encode(content.getvalue()).decode()}"
