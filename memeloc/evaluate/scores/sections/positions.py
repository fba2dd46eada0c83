"""What the place of an option does. In: `Coded`. Out: `PositionBias`, and a `Section` of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from memeloc.arrays import Floats, Ints
from memeloc.evaluate.scores.coded import Answered, Coded, Prompt
from memeloc.evaluate.scores.figures import UNDEFINED, PlaceScores, PositionBias, Value
from memeloc.evaluate.scores.right import summed, units_of
from memeloc.evaluate.scores.sections.scored import (
    CONDITION_COLUMNS,
    MOST_LINES,
    Scored,
    by_model,
    cells,
    interval_columns,
    plotted,
    table,
)
from memeloc.evaluate.scores.settings import ScoreSettings
from memeloc.reports.sections import Heatmap, Intervals, Plot, Section, Table
from memeloc.statistics.bootstrap import estimate
from memeloc.statistics.intervals import defined, percent_with_interval

_BIAS = {
    **CONDITION_COLUMNS,
    **interval_columns("first", "share of the valid answers that chose the option shown first"),
    "pairs": "items and wordings with valid answers in both orders of the options",
    **interval_columns("changed", "share of the pairs in which swapping changed the option chosen"),
}
_RIGHT_PLACES = {
    **CONDITION_COLUMNS,
    "culture": "whose answers are right",
    "place": "of the right option, from 1, as shown",
    "answers": "to questions whose right option stands there",
    **interval_columns("accuracy", "of these answers, 0 to 1"),
}


def position_bias(coded: Coded, answered: Answered, settings: ScoreSettings) -> PositionBias:
    """What the place of an option does to a condition's answers."""
    valid = answered.predicted >= 0
    placed = valid & (answered.positions > 0)
    places = int(answered.positions.max())
    pairs = [
        (place, answered.prompts.index(Prompt(prompt.wording, 1)))
        for place, prompt in enumerate(answered.prompts)
        if prompt.order == 0 and Prompt(prompt.wording, 1) in answered.prompts
    ]
    both = np.column_stack(
        [valid[:, one] & valid[:, other] for one, other in pairs] or [valid[:, :0]]
    )
    apart = np.column_stack(
        [answered.predicted[:, one] != answered.predicted[:, other] for one, other in pairs]
        or [valid[:, :0]]
    )
    rows = np.column_stack(
        [
            (placed & (answered.positions == 1)).sum(axis=1),
            placed.sum(axis=1),
            (both & apart).sum(axis=1),
            both.sum(axis=1),
        ]
    ).astype(np.int64)
    first, changed = _estimated(summed(rows, units_of(coded)), answered, settings)
    total = max(int(placed.sum()), 1)
    shares = [
        float((placed & (answered.positions == n)).sum()) / total for n in range(1, places + 1)
    ]
    return PositionBias(answered.condition, tuple(shares), first, int(both.sum()), changed)


def positions_section(
    scored: Scored, biases: Sequence[PositionBias], right_places: Sequence[PlaceScores] = ()
) -> Section:
    """Position bias: what swapping the options does, how often the first one is chosen, and how
    accuracy depends on where the right one stands."""
    method = (
        "Of valid answers. A model that looks at the options only, not at their places, changes "
        "nothing when they are swapped; one that always takes the first changes all. "
        + scored.resampling
    )
    rows = ((*b.condition, *cells(b.first), b.pairs, *cells(b.changed)) for b in biases)
    names = scored.titles
    gaps = []
    if not any(each.shares for each in biases):
        gaps.append("The answers do not say at which place the option chosen was shown.")
    if not any(each.pairs for each in biases) and not scored.coded.is_choice:
        gaps.append("No wording was asked with its options in both orders.")
    return Section(
        "position-bias",
        "What the order of the options does",
        tables=(
            table("position-bias", "Position bias", rows, _BIAS, method),
            *_places(biases),
            *_right_places(scored, right_places),
        ),
        plots=(
            *_plots(scored, biases, method),
            *(_right_places_plot(scored, right_places) if right_places else ()),
        ),
        sentences=tuple(_sentences(scored, biases)),
        figures={
            names[each.condition]: {
                "first": [defined(cell) for cell in cells(each.first)],
                "changed": [defined(cell) for cell in cells(each.changed)],
                "shares": list(each.shares),
            }
            for each in biases
        },
        gaps=tuple(gaps),
    )


def _plots(scored: Scored, biases: Sequence[PositionBias], method: str) -> Iterator[Plot]:
    if len(biases) > MOST_LINES:
        first = {each.condition: each.first.value for each in biases}
        title = "Share of answers that chose the first option"
        yield Heatmap("first-option", title, by_model(scored, first.__getitem__), method)
        changed = {each.condition: each.changed.value for each in biases}
        title = "Share of answers that swapping the options changed"
        yield Heatmap("swapped", title, by_model(scored, changed.__getitem__), method)
        return
    frame = plotted(
        (scored.titles[each.condition], kind, value)
        for each in biases
        for kind, value in (
            ("the first option is chosen", each.first),
            ("swapping changes the option", each.changed),
        )
    )
    yield Intervals("position-bias", "Position bias", frame, "share", method)


def _estimated(rows: Ints, answered: Answered, settings: ScoreSettings) -> tuple[Value, Value]:
    def shares(patterns: Ints, weights: Floats) -> Floats:
        sums = weights @ patterns
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(sums[:, ::2] / sums[:, 1::2])

    if not len(rows):
        return UNDEFINED, UNDEFINED
    estimates = estimate(rows, shares, settings, f"positions {'|'.join(answered.condition)}")
    columns = zip(estimates.value, estimates.low, estimates.high, strict=True)
    first, changed = (Value(*map(float, column)) for column in columns)
    return first, changed


def _places(biases: Sequence[PositionBias]) -> Iterator[Table]:
    """The share of each place, where there are more than two."""
    most = max(len(each.shares) for each in biases)
    if most < 3:
        return
    columns = CONDITION_COLUMNS | {
        f"place {number}": "share of the valid answers that chose what stood there, 0 to 1"
        for number in range(1, most + 1)
    }
    rows = ((*each.condition, *each.shares, *(0.0,) * (most - len(each.shares))) for each in biases)
    yield table("places", "Places of the options chosen", rows, columns, "Of valid answers.")


def _right_places(scored: Scored, places: Sequence[PlaceScores]) -> Iterator[Table]:
    if places:
        rows = ((*p.condition, p.culture, p.place, p.answers, *cells(p.accuracy)) for p in places)
        title = "Accuracy by the place of the right option"
        yield table("right-places", title, rows, _RIGHT_PLACES, scored.resampling)


def _right_places_plot(scored: Scored, places: Sequence[PlaceScores]) -> Iterator[Plot]:
    import pandas as pd

    names, title = scored.titles, "Accuracy by the place of the right option"
    if len(names) <= MOST_LINES:
        frame = plotted((names[p.condition], f"place {p.place}", p.accuracy) for p in places)
        yield Intervals("right-places", title, frame, "accuracy", scored.resampling)
        return
    rows: dict[str, dict[str, float]] = {}
    for each in places:
        rows.setdefault(names[each.condition], {})[f"place {each.place}"] = each.accuracy.value
    values = pd.DataFrame.from_dict(rows, orient="index")
    yield Heatmap("right-places", title, values, scored.resampling)


def _sentences(scored: Scored, biases: Sequence[PositionBias]) -> Iterator[str]:
    known = [each for each in biases if np.isfinite(each.changed.value)]
    if known:
        most = max(known, key=lambda each: each.changed.value)
        least = min(known, key=lambda each: each.changed.value)
        text = (
            f"Swapping the options changed {percent_with_interval(*cells(most.changed))} of the "
            f"answers of {scored.titles[most.condition]}"
        )
        if least is not most:
            text += (
                f" (most) and {percent_with_interval(*cells(least.changed))} of those of "
                f"{scored.titles[least.condition]} (least)"
            )
        yield text + "."
