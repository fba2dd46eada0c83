"""Who answered, and how they answered. In: `Answers` with facts about people. Out: a `Section`.

No table shows a group of fewer people than `Settings.smallest_cell`. In each culture the values
that fewer people gave are put together, and so are the next smallest until the group is large
enough: how many people a culture has is known, so a single cell left out could be computed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from memeloc.analyze.answers import Answers
from memeloc.analyze.settings import Settings
from memeloc.counts import counted
from memeloc.errors import InputError
from memeloc.reports.sections import Bars, Section, Table

OTHER = "other values"
"""The group of the values that too few people gave."""
NOT_GIVEN = "not given"
"""The group of those who did not answer a question."""

_MOST_NUMBERS = 12
"""Different numbers, such as ages, beyond which they are put into bands."""
_BAND = 10
"""Width of a band."""
_MOST_BARS = 10
"""Groups of a question beyond which it gets no plot."""


def large_groups(people: Mapping[str, int], smallest: int) -> dict[str, str]:
    """By value the group it is shown in: itself, or `OTHER`; empty if all are too few people.

    >>> large_groups({"woman": 20, "man": 9, "another": 2}, 5)
    {'woman': 'woman', 'man': 'other values', 'another': 'other values'}
    """
    if sum(people.values()) < smallest:
        return {}
    by_size = sorted(people, key=lambda value: (people[value], value))
    merged: set[str] = set()
    together = 0
    for value in by_size:
        if people[value] < smallest or 0 < together < smallest:
            merged.add(value)
            together += people[value]
    if 0 < together < smallest:
        merged = set(people)
    return {value: OTHER if value in merged else value for value in people}


def demographics(answers: Answers, settings: Settings) -> Section:
    """People by culture and group, and what labels the groups gave.

    Raises:
        InputError: nothing is known of people but their culture.
    """
    everybody = set(answers.table["participant"].unique())
    answered = answers.people[[name in everybody for name in answers.people.index]]
    questions = [str(name) for name in answered.columns if name != "culture"]
    if not questions:
        raise InputError("nothing is known of the people who answered but their culture")
    voting = answers.table[answers.table["label"].isin(answers.labels)]
    groups, labels = [], []
    gaps: list[str] = []
    for question in questions:
        grouped = _Question.of(question, answered, settings.smallest_cell)
        gaps += grouped.gaps(settings.smallest_cell)
        groups.append(grouped.people())
        labels.append(grouped.labels(voting, answers.labels))
    people = pd.concat(groups, ignore_index=True)
    given = pd.concat(labels, ignore_index=True)
    return Section(
        name="demographics",
        title="Who answered",
        tables=(
            _people_table(people, settings.smallest_cell),
            _labels_table(given, answers.labels, settings.smallest_cell),
        ),
        plots=tuple(_plots(people, questions)),
        sentences=tuple(_sentences(answered, people, questions, settings.smallest_cell)),
        figures={"people": len(answered), "questions": len(questions)},
        gaps=tuple(gaps),
    )


@dataclass(frozen=True, eq=False)
class _Question:
    """A fact about people.

    Attributes:
        table: a row a person, indexed by participant: `culture`, `group`; without the people of
            cultures that are too small to be shown.
        small: cultures with too few people.
    """

    name: str
    table: pd.DataFrame
    small: tuple[str, ...]

    @classmethod
    def of(cls, name: str, people: pd.DataFrame, smallest: int) -> _Question:
        values = _values(people[name])
        table = pd.DataFrame({"culture": people["culture"].astype(str), "value": values})
        table["group"] = ""
        small = []
        for culture, part in table.groupby("culture"):
            counts = {str(value): int(n) for value, n in part["value"].value_counts().items()}
            shown = large_groups(counts, smallest)
            if shown:
                table.loc[part.index, "group"] = part["value"].map(shown)
            else:
                small.append(str(culture))
        return cls(name, table.loc[table["group"] != "", ["culture", "group"]], tuple(small))

    def gaps(self, smallest: int) -> Iterator[str]:
        """What cannot be shown."""
        for culture in self.small:
            yield f"{self.name}: {culture} has fewer than {smallest} people, so none are shown."
        for code, part in self.table.groupby("culture"):
            if (part["group"] == OTHER).all():
                yield f"{self.name}: in {code} no value was given by {smallest} people."

    def people(self) -> pd.DataFrame:
        """Question, culture, group, people, share; the largest groups first."""
        counts = self.table.groupby(["culture", "group"]).size().rename("people").reset_index()
        counts["share"] = counts["people"] / counts.groupby("culture")["people"].transform("sum")
        counts["last"] = counts["group"] == OTHER
        order = ["culture", "last", "people", "group"]
        counts = counts.sort_values(order, ascending=[True, True, False, True])
        counts.insert(0, "question", self.name)
        return counts.drop(columns="last").reset_index(drop=True)

    def labels(self, voting: pd.DataFrame, labels: tuple[str, ...]) -> pd.DataFrame:
        """Question, culture, group, answers, and the share of each label."""
        keys = self.table["culture"] + "\n" + self.table["group"]
        names = sorted(set(keys))
        # Whoever has no group belongs to a culture that is not shown.
        group = keys.map({key: place for place, key in enumerate(names)})
        row = voting["participant"].map(group).to_numpy(dtype=float, na_value=np.nan)
        column = pd.Index(list(labels), dtype=object).get_indexer(
            pd.Index(voting["label"].astype(object))
        )
        shown = ~np.isnan(row)
        counts = np.zeros((len(names), len(labels)), dtype=np.int64)
        np.add.at(counts, (row[shown].astype(np.int64), column[shown]), 1)
        answers = counts.sum(axis=1)
        frame = pd.DataFrame([key.split("\n", 1) for key in names], columns=["culture", "group"])
        frame.insert(0, "question", self.name)
        frame["answers"] = answers
        for place, label in enumerate(labels):
            frame[f"share of {label}"] = counts[:, place] / np.maximum(answers, 1)
        return frame[frame["answers"] > 0].reset_index(drop=True)


def _values(facts: pd.Series[str]) -> pd.Series[str]:
    """Facts as text; many different numbers in bands of ten."""
    text = facts.astype("string").fillna("").str.strip()
    numbers = pd.to_numeric(text.where(text != ""), errors="coerce")
    if numbers.notna().sum() == (text != "").sum() and numbers.nunique() > _MOST_NUMBERS:
        low = (numbers // _BAND * _BAND).astype("Int64")
        text = low.astype("string") + "–" + (low + _BAND - 1).astype("string")
    given: pd.Series[str] = text.fillna("").replace("", NOT_GIVEN).astype(object)
    return given


def _people_table(frame: pd.DataFrame, smallest: int) -> Table:
    method = (
        f"People whose answers are in the analysis. Values that fewer than {smallest} people of a "
        f"culture gave are put together as {OTHER!r}, with the next smallest until that group has "
        f"{smallest}; cultures with fewer people are left out."
    )
    columns = {
        "question": "the fact about people",
        "culture": "the culture",
        "group": "the value; many different numbers in bands of ten",
        "people": "people who gave it",
        "share": "share of the culture's people, 0 to 1",
    }
    return Table("demographics", "People by culture", frame, columns, method)


def _labels_table(frame: pd.DataFrame, labels: tuple[str, ...], smallest: int) -> Table:
    method = (
        "Labels among the answers of each group that take part in the vote. Groups answered "
        f"different items, so shares compare groups only roughly. Groups have {smallest} people "
        "or more, as in the table of people."
    )
    columns = {
        "question": "the fact about people",
        "culture": "the culture",
        "group": "the value",
        "answers": "answers of that group",
        **{f"share of {label}": f"share of them that are {label}, 0 to 1" for label in labels},
    }
    return Table("demographics-labels", "Labels by group", frame, columns, method)


def _plots(people: pd.DataFrame, questions: list[str]) -> Iterator[Bars]:
    for number, question in enumerate(questions, 1):
        rows = people[people["question"] == question]
        if rows.empty or rows["group"].nunique() > _MOST_BARS:
            continue
        shares = rows.pivot(index="culture", columns="group", values="share").fillna(0.0)
        order = [name for name in shares.columns if name != OTHER]
        shares = shares[[*order, *([OTHER] if OTHER in shares.columns else [])]]
        shares.columns = [str(name) for name in shares.columns]
        name = f"demographics-{number}"
        method = "share of each culture's people, small groups put together"
        yield Bars(name, f"People by {question}", shares, "share of people", method, stacked=True)


def _sentences(
    answered: pd.DataFrame, people: pd.DataFrame, questions: list[str], smallest: int
) -> Iterator[str]:
    sizes = answered["culture"].value_counts().sort_index()
    # A culture's number of people is a cell, too.
    known = [f"{count} of {culture}" for culture, count in sizes.items() if count >= smallest]
    if known:
        yield f"Answers came from {len(answered):,} people ({', '.join(known)})."
    hidden = people[people["group"] == OTHER]
    yield (
        f"{counted(len(questions), 'demographic question is', 'demographic questions are')} "
        f"reported; groups of fewer than {smallest} "
        f"people are not shown on their own ({int(hidden['people'].sum()):,} answers to the "
        "questions were put together)."
    )
