"""Coarser tasks, and parts of the items. In: `Scored`. Out: their scores, and `Section`s."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

import numpy as np

from memeloc.errors import InputError
from memeloc.evaluate.scores.by_culture import scores_of
from memeloc.evaluate.scores.coded import Coded, only, recoded
from memeloc.evaluate.scores.figures import CultureScores
from memeloc.evaluate.scores.sections.scored import (
    CONDITION_COLUMNS,
    Scored,
    cells,
    interval_columns,
    plotted,
    table,
)
from memeloc.reports.sections import Intervals, Section
from memeloc.statistics.intervals import defined

_SCORES = {
    **CONDITION_COLUMNS,
    "culture": "whose labels are right",
    "items": "with a label of the culture and an answer",
    **interval_columns("accuracy", "mean over the prompts, 0 to 1"),
    **interval_columns("f1", "macro average, mean over the prompts, 0 to 1"),
}
_MOST_LINES = 40

Tasks = Mapping[str, tuple[CultureScores, ...]]
"""By the name of a task its scores, in the order of `Scored.scores`."""
Groups = Mapping[tuple[str, str], tuple[CultureScores, ...]]
"""By grouping and group the scores of its items."""


def tasks_of(scored: Scored) -> Tasks:
    """Scores of each coarser task, of the same answers by mapping (charmemes 5.1).

    Raises:
        InputError: a task lacks a label.
    """
    tasks = {}
    for name, coarser in scored.gold.coarser.items():
        missing = [label for label in scored.coded.labels if label not in coarser]
        if missing:
            raise InputError(f"The coarser task {name} has no label for {missing[0]!r}.")
        tasks[name] = _every(scored, recoded(scored.coded, coarser), f"task {name}")
    return tasks


def groups_of(scored: Scored) -> Groups:
    """Scores of the items of each group, such as items without text (araharmeme 3.3)."""
    if scored.gold.groups is None:
        return {}
    frame = scored.gold.groups[~scored.gold.groups.index.duplicated()]
    frame = frame.set_axis(frame.index.astype(str)).reindex(list(scored.coded.items))
    groups = {}
    for column in frame.columns:
        for value in sorted(frame[column].dropna().unique(), key=str):
            kept = (frame[column] == value).to_numpy(dtype=bool)
            if str(value) and (scored.coded.gold[kept] >= 0).any():
                part = only(scored.coded, kept)
                groups[str(column), str(value)] = _every(scored, part, f"{column} {value}")
    return groups


def tasks_section(scored: Scored, tasks: Tasks) -> Section:
    """The same answers with coarser labels (charmemes 5.1: 11, 4 and 2 classes by mapping)."""
    named = {f"{len(scored.coded.labels)} labels": scored.scores, **tasks}
    method = (
        "The labels of gold and of answers are mapped to those of the task; an invalid answer "
        f"stays invalid. {scored.resampling}"
    )
    mappings = (
        (task, label, coarser)
        for task, mapping in scored.gold.coarser.items()
        for label, coarser in mapping.items()
    )
    meanings = {"task": "its name", "label": "a label", "coarser": "what it counts as"}
    columns = {"task": "the task", **_SCORES}
    ordered = scored.coded.levels is not None
    if ordered:
        columns |= interval_columns("mae", "mean absolute error of the ranks of the labels")
        columns |= interval_columns("mmae", "mean over labels of the error within each")
    rows = (
        (task, *_cells(s), *((*cells(s.mae), *cells(s.mmae)) if ordered else ()))
        for task, scores in named.items()
        for s in scores
    )
    return Section(
        "tasks",
        "Coarser labels",
        tables=(
            table("tasks", "Scores with coarser labels", rows, columns, method),
            table(
                "mappings", "What labels count as", mappings, meanings, "Of the run or taxonomy."
            ),
        ),
        plots=(_plot(scored, "tasks", "Macro-F1 with coarser labels", named, method),),
        figures={task: _figures(scored, scores) for task, scores in tasks.items()},
    )


def groups_section(scored: Scored, groups: Groups) -> Section:
    """Parts of the items apart."""
    method = f"As for all items, of the items of the group only. {scored.resampling}"
    columns = {"grouping": "what divides the items", "group": "the part of them", **_SCORES}
    rows = (
        (grouping, group, *_cells(s))
        for (grouping, group), scores in groups.items()
        for s in scores
    )
    named = {"all": scored.scores} | {f"{a}: {b}": scores for (a, b), scores in groups.items()}
    return Section(
        "groups",
        "Parts of the items",
        tables=(table("groups", "Scores by group of items", rows, columns, method),),
        plots=(_plot(scored, "groups", "Macro-F1 by group of items", named, method),),
        figures={f"{a}: {b}": _figures(scored, scores) for (a, b), scores in groups.items()},
    )


def _every(scored: Scored, coded: Coded, task: str) -> tuple[CultureScores, ...]:
    return tuple(
        scores_of(coded, answered, culture, scored.settings, task)
        for answered in coded.answered
        for culture in range(len(coded.cultures))
    )


def _cells(score: CultureScores) -> tuple[object, ...]:
    return (*score.condition, score.culture, score.items, *cells(score.accuracy), *cells(score.f1))


def _plot(
    scored: Scored, name: str, title: str, named: Mapping[str, Sequence[CultureScores]], method: str
) -> Intervals:
    """The first culture where there are too many lines for all."""
    is_choice = scored.coded.is_choice
    cultures = scored.coded.cultures

    def rows() -> Iterator[tuple[str, str, object]]:
        few = len(scored.scores) <= _MOST_LINES
        for task, scores in named.items():
            for score in scores:
                if few or score.culture == cultures[0]:
                    line = scored.titles[score.condition]
                    line += f" · {score.culture}" if few and len(cultures) > 1 else ""
                    yield line, task, score.accuracy if is_choice else score.f1

    frame = plotted(islice(rows(), _MOST_LINES * len(named)))  # type: ignore[arg-type]
    return Intervals(name, title, frame, "accuracy" if is_choice else "macro-F1", method)


def _figures(scored: Scored, scores: Sequence[CultureScores]) -> dict[str, object]:
    return {
        f"{scored.titles[score.condition]} {score.culture}": {
            "items": score.items,
            "accuracy": [defined(cell) for cell in cells(score.accuracy)],
            "f1": [defined(cell) for cell in cells(score.f1)],
            "mae": defined(score.mae.value),
            "mmae": defined(score.mmae.value),
        }
        for score in scores
        if np.isfinite(score.accuracy.value)
    }
