"""Labels and cultures of a table of answers. In: rows, a map. Out: rows with their names."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from memeloc.analyze.reading.mapping import ABSTENTIONS, AnswersMap
from memeloc.analyze.reading.notes import NAMED_CASES, Notes, listed
from memeloc.counts import counted

if TYPE_CHECKING:
    import pandas as pd

_MISSPELT_SHARE = 0.05
"""A label this rare beside one that is spelt nearly the same may be a mistake in typing."""


def with_labels(rows: pd.DataFrame, answers_map: AnswersMap, notes: Notes) -> pd.DataFrame:
    """The rows with a label, renamed; where the map names all labels, of those only."""
    empty = rows["label"] == ""
    if empty.any():
        notes.add("no answer: the label is empty", rows.loc[empty, "row"])
    rows = rows[~empty].copy()
    scale, abstentions = answers_map.scale, answers_map.abstentions or ()
    names = [*answers_map.labels.values(), *scale, *abstentions]
    renames = {_plain(name): name for name in names}
    renames |= {_plain(key): name for key, name in answers_map.labels.items()}
    rows["label"] = _mapped(rows["label"], lambda text: renames.get(_plain(text), text))
    if scale:
        allowed = {*scale, *abstentions}
        allowed |= {name for name in rows["label"].unique() if _abstains(name, answers_map)}
        for label in [name for name in rows["label"].unique() if name not in allowed]:
            sentence = f"left out: {label[:60]!r} is not a label of the map{_meant(label, allowed)}"
            notes.add(sentence, rows.loc[rows["label"] == label, "row"])
        return rows[rows["label"].isin(allowed)].copy()
    if answers_map.labels:
        unmapped = sorted(set(rows["label"]) - set(renames.values()))
        for label in unmapped[:NAMED_CASES]:
            sentence = f"the map does not name the label {label[:60]!r}; it is kept as it is"
            notes.add(sentence + _meant(label, names), rows.loc[rows["label"] == label, "row"])
        if len(unmapped) > NAMED_CASES:
            notes.add(f"the map does not name {counted(len(unmapped), 'label')}; they are kept")
    return rows


def with_names(
    values: pd.Series[Any], names: Mapping[str, str], what: str, notes: Notes
) -> pd.Series[Any]:
    """Values by the names that the map gives them; a note has those that it lacks."""
    renames = {_plain(name): name for name in names.values()}
    renames |= {_plain(key): name for key, name in names.items()}
    if names:
        unmapped = sorted(v for v in set(values) if v and _plain(v) not in renames)
        if unmapped:
            kept = listed(what, unmapped)
            notes.add(f"the map does not name, and they are kept as they are: {kept}")
    return _mapped(values, lambda text: renames.get(_plain(text), text))


def in_order(labels: pd.Series[Any], answers_map: AnswersMap) -> list[str]:
    """Names of labels: as the map has them, then those that only the table has."""
    used = set(labels)
    named = dict.fromkeys([*answers_map.scale, *answers_map.labels.values()])
    # A step of the scale that nobody gave is a step all the same.
    first = [name for name in named if name in used or name in answers_map.scale]
    return first + sorted(used - set(first), key=_by_number)


def abstentions_in(labels: pd.Series[Any], answers_map: AnswersMap) -> frozenset[str]:
    """The labels that are left out of the vote: the map\'s, else those that are known as such."""
    if answers_map.abstentions is not None:
        return frozenset(answers_map.abstentions)
    return frozenset(label for label in labels.unique() if _abstains(label, answers_map))


def numbered_levels(labels: Sequence[str], notes: Notes) -> dict[str, float]:
    """The scale of labels that are all numbers; of two the order does not matter."""
    levels = {label: _by_number(label)[0] for label in labels}
    if len(levels) < 3 or not all(abs(level) < float("inf") for level in levels.values()):
        return {}
    notes.add("the labels are numbers, and are taken for a scale")
    return levels


def note_spelling(
    labels: pd.Series[Any], voting: Sequence[str], answers_map: AnswersMap, notes: Notes
) -> None:
    """Note labels without a map that are rare, and spelt nearly as a frequent one."""
    if answers_map.scale or answers_map.labels:
        return
    counts = labels.value_counts()
    for label in voting:
        frequent = [n for n in voting if counts[label] < _MISSPELT_SHARE * counts[n]]
        near = difflib.get_close_matches(label[:100], [n[:100] for n in frequent], 1, 0.75)
        if near and _by_number(label)[0] == float("inf"):
            notes.add(
                f"the label {label[:60]!r} has only {counted(int(counts[label]), 'answer')}; if "
                f"{near[0][:60]!r} is meant, name both in the section [labels] of a map"
            )


def _by_number(label: str) -> tuple[float, str]:
    try:
        return float(label), label
    except ValueError:
        return float("inf"), label


def _abstains(label: str, answers_map: AnswersMap) -> bool:
    return answers_map.abstentions is None and _plain(label) in ABSTENTIONS


def _mapped(values: pd.Series[Any], rename: Callable[[str], str]) -> pd.Series[Any]:
    return values.map({text: rename(text) for text in values.unique()}).astype(object)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _meant(label: str, names: Iterable[str]) -> str:
    near = difflib.get_close_matches(label[:100], [name[:100] for name in names], 1)
    return f"; did you mean {near[0][:60]!r}?" if near else ""
