"""Groups of people and their answers. In: `Answers` with facts about people. Out: rows.

No row shows a group of fewer people than `Settings.smallest_cell`. In each culture the values that
fewer people gave are put together, and so are the next smallest until the group is large enough:
how many people a culture has is known, so a single cell left out could be computed.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

import pandas as pd

from memeloc.analyze.answers import Answers, Settings
from memeloc.errors import InputError
from memeloc.reports.figures import gap, joined, tidy

NAME = "demographics"
OTHER = "other values"
"""The group of the values that too few people gave."""
NOT_GIVEN = "not given"
"""The group of those who did not answer a question."""

_MOST_NUMBERS = 12
"""Different numbers, such as ages, beyond which they are put into bands."""
_BAND = 10
"""Width of a band."""


def large_groups(people: Mapping[str, int], smallest: int) -> dict[str, str]:
    """Return by value the group it is shown in: itself, or `OTHER`; empty if all are too few.

    >>> large_groups({"woman": 20, "man": 9, "another": 2}, 5)
    {'woman': 'woman', 'man': 'other values', 'another': 'other values'}
    """
    if sum(people.values()) < smallest:
        return {}
    merged: set[str] = set()
    together = 0
    for value in sorted(people, key=lambda value: (people[value], value)):
        if people[value] < smallest or 0 < together < smallest:
            merged.add(value)
            together += people[value]
    return {value: OTHER if value in merged else value for value in people}


def demographics(answers: Answers, settings: Settings) -> pd.DataFrame:
    """Return people by question, culture and value, and what labels they gave.

    The group is `QUESTION · CULTURE`, the item a value or `OTHER`: `people`, their `share` of the
    culture's, `answers` that vote, and `share: LABEL` of these. Of a culture `people`, where they
    are enough to be shown.

    Raises:
        InputError: nothing is known of people but their culture.
    """
    people = answers.people[answers.people.index.isin(answers.table["participant"])]
    questions = [str(name) for name in people.columns if name != "culture"]
    if not questions:
        raise InputError("nothing is known of the people who answered but their culture")
    smallest = settings.smallest_cell
    culture = people["culture"].astype(str)
    facts = [
        pd.DataFrame(
            {"place": place, "group": f"{name} · " + culture, "item": _values(people[name])}
        )
        for place, name in enumerate(questions)
    ]
    groups = pd.concat(facts)
    by_group = groups.groupby(["place", "group"])["item"]
    groups["item"] = by_group.transform(
        lambda own: own.map(large_groups(dict(own.value_counts()), smallest))
    )
    keys = ["place", "group", "item"]
    counts = groups.groupby(keys).size().reset_index(name="people")
    counts["share_n"] = counts.groupby("group")["people"].transform("sum")
    counts["share"] = counts["people"] / counts["share_n"]
    voting = answers.table[answers.table["label"].isin(answers.labels)]
    given = voting[["participant", "label"]].join(groups.dropna(), on="participant", how="inner")
    labels = pd.crosstab([given[key] for key in keys], given["label"])
    labels = labels.reindex(columns=list(answers.labels), fill_value=0)
    counts = counts.join(labels.sum(axis=1).rename("answers"), on=keys)
    shares = labels.div(labels.sum(axis=1), axis="index").add_prefix("share: ")
    counts = counts.join(shares, on=keys)
    order = counts.assign(last=counts["item"] == OTHER, most=-counts["people"])
    order = order.sort_values(["place", "group", "last", "most", "item"])
    frame = counts.loc[order.index].drop(columns="place")
    frame = frame.assign(**{f"share: {label}_n": frame["answers"] for label in answers.labels})
    # A culture's number of people is a cell, too.
    people_of = culture.value_counts().sort_index()
    sizes = people_of[people_of >= smallest].rename_axis("group").reset_index(name="people")
    whole = pd.DataFrame([{"people": len(people), "questions": len(questions)}])
    parts = [tidy(NAME, each, "counted") for each in (whole, sizes, frame)]
    for question, code in product(questions, people_of.index):
        group = f"{question} · {code}"
        values = groups.loc[groups["group"] == group, "item"]
        if values.isna().all():
            reason = f"{code} has fewer than {smallest} people, so none are shown."
        elif (values == OTHER).all():
            reason = f"in {code} no value was given by {smallest} people."
        else:
            continue
        parts.append(gap(NAME, f"{question}: {reason}", group))
    return joined(parts)


def _values(facts: pd.Series[str]) -> pd.Series[str]:
    """Return facts as text; many different numbers in bands of ten."""
    text = facts.astype("string").str.strip()
    text = text.mask(text == "")
    numbers = pd.to_numeric(text, errors="coerce")
    if numbers.count() == text.count() and numbers.nunique() > _MOST_NUMBERS:
        low = (numbers // _BAND * _BAND).astype("Int64")
        text = low.astype("string") + "–" + (low + _BAND - 1).astype("string")
    given: pd.Series[str] = text.fillna(NOT_GIVEN).astype(object)
    return given
