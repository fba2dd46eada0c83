"""What a change of the question does. In: `Scored`. Out: `Change`s, and a `Section` of them.

Native prompts against English ones, a country named against none, the caption given against the
picture alone, the picture given against the caption alone: each on the same model and memes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from memeloc.arrays import Floats, Ints
from memeloc.counts import counted
from memeloc.evaluate.scores.coded import NO_GOLD, Condition
from memeloc.evaluate.scores.figures import UNDEFINED, Change, CultureScores, Value
from memeloc.evaluate.scores.right import rightness, summed, units_of
from memeloc.evaluate.scores.sections.ranks import METHOD, rank_sum
from memeloc.evaluate.scores.sections.scored import (
    MOST_LINES,
    Scored,
    cells,
    interval_columns,
    plotted,
    table,
)
from memeloc.reports.sections import Heatmap, Intervals, Plot, Section
from memeloc.statistics.bootstrap import estimate
from memeloc.statistics.intervals import defined

if TYPE_CHECKING:
    import pandas as pd

ENGLISH = "en"
_KINDS = {
    "prompt language": "prompts in another language against English ones",
    "country": "prompts that name a country against those that do not",
    "caption": "picture and caption against the picture alone",
    "picture": "picture and caption against the caption alone",
}
_CHANGES = {
    "change": "what was changed",
    "model": "the model",
    "memes": "language of the memes",
    "input": "after the change",
    "prompt_language": "after the change",
    "country": "that the prompt names after the change",
    "culture": "whose labels are right",
    "is_target": "whether the prompt names this culture's country, or is in its language",
    "before": "accuracy before, mean over the prompts, 0 to 1",
    "after": "accuracy after",
    **interval_columns("difference", "after minus before, -1 to 1"),
    "p": "two-sided p-value of the rank-sum test over the prompts",
}


def changes_of(scored: Scored) -> Iterator[Change]:
    """Each two conditions that differ in one thing, against each culture."""
    conditions = list(scored.by_condition)
    for after in conditions:
        for kind, before in _before(after):
            if before in scored.by_condition:
                pairs = zip(scored.by_condition[before], scored.by_condition[after], strict=True)
                for first, second in pairs:
                    yield _change(scored, kind, first, second)


def changes_section(scored: Scored, changes: Sequence[Change]) -> Section:
    """What changes of the question do to the accuracy (multi3hate 5.3 to 5.5, Tables 7 and 8)."""
    kinds = dict.fromkeys(each.kind for each in changes)
    method = (
        "Of the same model and memes, all else equal: "
        f"{'; '.join(_KINDS[kind] for kind in kinds)}. "
        "The difference is that of all their answers. "
        f"{METHOD}. {scored.resampling}"
    )
    rows = (
        (
            *(c.kind, c.after.model, c.after.language, c.after.input, c.after.prompt_language),
            *(c.after.country, c.culture, c.is_target, c.accuracy_before, c.accuracy_after),
            *(*cells(c.difference), c.p),
        )
        for c in changes
    )
    return Section(
        "changes",
        "What a change of the question does",
        tables=(table("changes", "Accuracy after and before", rows, _CHANGES, method),),
        plots=tuple(_plots(scored, changes, method)),
        sentences=tuple(_sentences(scored, changes)),
        figures={
            kind: [
                {
                    "after": scored.titles[each.after],
                    "before": scored.titles[each.before],
                    "culture": each.culture,
                    "difference": [defined(cell) for cell in cells(each.difference)],
                    "p": defined(each.p),
                }
                for each in changes
                if each.kind == kind
            ]
            for kind in kinds
        },
    )


def _before(after: Condition) -> Iterator[tuple[str, Condition]]:
    """What a condition is compared with, and what that changes."""
    if after.country:
        yield "country", after._replace(country="")
    elif after.prompt_language not in ("", ENGLISH):
        yield "prompt language", after._replace(prompt_language=ENGLISH)
    if after.input == "both":
        yield "caption", after._replace(input="picture")
        yield "picture", after._replace(input="text")


def _change(scored: Scored, kind: str, before: CultureScores, after: CultureScores) -> Change:
    return Change(
        kind,
        before.condition,
        after.condition,
        after.culture,
        after.culture == _target(scored, kind, after.condition),
        before.accuracy.value,
        after.accuracy.value,
        _difference(scored, before, after),
        rank_sum(after.accuracies, before.accuracies),
    )


def _target(scored: Scored, kind: str, after: Condition) -> str:
    """The culture that a change aims at; empty for none."""
    if kind == "prompt language":
        return scored.settings.countries.get(after.prompt_language, "")
    return after.country if kind == "country" else ""


def _difference(scored: Scored, before: CultureScores, after: CultureScores) -> Value:
    gold = scored.coded.gold[:, scored.coded.cultures.index(after.culture)]
    sides = [rightness(gold, scored.answered[each.condition].predicted) for each in (after, before)]
    known = (gold != NO_GOLD) & np.all([(side >= 0).any(axis=1) for side in sides], axis=0)
    if not known.any():
        return UNDEFINED
    rows = np.column_stack(
        [counts for side in sides for counts in ((side == 1).sum(axis=1), (side >= 0).sum(axis=1))]
    )
    rows = summed(np.where(known[:, None], rows, 0), units_of(scored.coded))

    def difference(patterns: Ints, weights: Floats) -> Floats:
        right, asked, right_before, asked_before = (weights @ patterns).T
        return np.asarray(right / asked - right_before / asked_before)[:, None]

    name = f"change {after.culture} {'|'.join((*before.condition, *after.condition))}"
    estimates = estimate(rows, difference, scored.settings, name)
    return Value(*(float(v[0]) for v in (estimates.value, estimates.low, estimates.high)))


def _plots(scored: Scored, changes: Sequence[Change], method: str) -> Iterator[Plot]:
    for kind in dict.fromkeys(each.kind for each in changes):
        own = [each for each in changes if each.kind == kind]
        name, title = f"changes-{kind.replace(' ', '-')}", _title(kind)
        if len({each.after for each in own}) > MOST_LINES:
            yield Heatmap(name, f"{title}: difference of accuracy", _matrix(own), method)
        else:
            rows = ((scored.titles[each.after], each.culture, each.difference) for each in own)
            yield Intervals(name, title, plotted(rows), "accuracy, difference", method)


def _title(kind: str) -> str:
    return _KINDS[kind][0].upper() + _KINDS[kind][1:]


def _matrix(changes: Sequence[Change]) -> pd.DataFrame:
    """The mean difference by model and language of memes, a column a culture."""
    import pandas as pd

    rows = [
        (f"{c.after.model} · {c.after.language}", c.culture, c.difference.value) for c in changes
    ]
    frame = pd.DataFrame(rows, columns=["row", "culture", "value"])
    means = frame.groupby(["row", "culture"], sort=False)["value"].mean().unstack()
    return means.loc[frame["row"].unique(), frame["culture"].unique()]


def _sentences(scored: Scored, changes: Sequence[Change]) -> Iterator[str]:
    alpha = scored.settings.alpha
    for kind in dict.fromkeys(each.kind for each in changes):
        own = [each for each in changes if each.kind == kind and np.isfinite(each.difference.value)]
        if own:
            yield (
                f"Of {_KINDS[kind]}, {counted(len(own), 'comparison')} of accuracy have a mean "
                f"difference of {_points(own)} percentage points; "
                f"{sum(each.p < alpha for each in own):,} of them are significant."
            )
        aimed = [each for each in own if each.is_target]
        if aimed:
            yield (
                f"With the labels of the culture aimed at it is {_points(aimed)} "
                f"({counted(len(aimed), 'comparison')}, "
                f"{sum(each.p < alpha for each in aimed):,} significant)."
            )


def _points(changes: Sequence[Change]) -> str:
    """The mean difference in percentage points."""
    mean = 100 * float(np.mean([each.difference.value for each in changes]))
    return f"{round(mean, 1) + 0.0:+.1f}"
