"""Multiple choice. In: `Joined`, questions. Out: rows: dimensions, places, and rules beside models.

Rules read no meme: they guess, take the longest option, or the one that shares most words with the
question or caption. Of options that are equal by a rule it draws one, and its figures are what is
expected.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memeloc.arrays import Bools, Floats
from memeloc.evaluate.gold import ChoiceQuestion
from memeloc.evaluate.scores.join import INPUT_NAMES, NO_GOLD, NOT_ASKED, Joined, Pair
from memeloc.evaluate.scores.rows import (
    Rows,
    cut,
    figure_rows,
    gap_rows,
    mean_of_defined,
    ratios,
    resampled,
)
from memeloc.evaluate.scores.settings import ScoreSettings
from memeloc.statistics.bootstrap import estimate
from memeloc.statistics.guessing import RULES, right_by_rules

_BOOTSTRAP = "percentile bootstrap of memes"
_LESS = {"none": (), "text": ("none",)}
"""By input those with less of the meme; all others have both."""
_ALONE = {**INPUT_NAMES, "text": "caption alone"}
_KINDS = ("overall", "toxicity", "reasoning", "group_accuracy", "pair_accuracy", "macro")


def examined(
    data: Joined, questions: Mapping[str, ChoiceQuestion], settings: ScoreSettings
) -> Iterator[Rows]:
    """Yield what conditions and rules reach by dimension and by meme, and one above the other."""
    if not data.is_choice:
        return
    parts: list[Rows] = []
    for pair in data.pairs() if data.dimensions.any() else ():
        parts += _by_dimension(data, pair.right.astype(np.int64), pair.scored, settings, pair)
    asked = (data.predicted != NOT_ASKED).any(axis=(0, 2))
    for column, culture in enumerate(data.cultures):
        rules = {name: np.full(len(data.items), np.nan) for name in RULES}
        for index, question, place in _known(data, column, questions):
            texts = question.language, question.question, question.text
            for rule, share in right_by_rules(question.options, place, *texts).items():
                rules[rule][index] = share
        rules = {rule: values for rule, values in rules.items() if np.isfinite(values).any()}
        for rule, expected in rules.items():
            scored = (np.isfinite(expected) & asked)[:, None]
            right = np.where(scored, expected[:, None], 0.0)
            name = rule if len(data.cultures) == 1 else f"{rule} · {culture}"
            parts += _by_dimension(data, right, scored, settings, name)
        pairs = [pair for pair in data.pairs() if pair.culture == culture]
        parts += _beside(data, pairs, rules, settings)
    yield from parts
    rows = [row for part in parts for row in part]
    memes = [row[7] for row in rows if (row[0], row[3]) == ("choice", "group_accuracy")]
    if memes and not any(memes):
        reason = "Group accuracy: no meme has a question about toxicity and another."
        yield gap_rows("choice", reason)
    beside = {row[2] for row in rows if row[0] == "beside-baselines"}
    if beside and beside <= set(RULES):
        reason = "No model was asked without the meme: the question alone, or with its caption."
        yield gap_rows("beside-baselines", reason)


def _by_dimension(
    data: Joined, right: NDArray[Any], scored: Bools, settings: ScoreSettings, whose: Pair | str
) -> Iterator[Rows]:
    """Yield accuracies by dimension, of pairs and of groups of questions (m-quest, Evaluation).

    A group is a meme with a question about toxicity and at least one other: right where all are.

    Args:
        right: (items, prompts), how probably an answer is right; 0 where there is none.
        whose: a condition with a culture, or a rule; only the former has intervals.
    """
    known: Bools = np.asarray(scored.any(axis=1))
    units = int(data.units.max()) + 1
    parts, toxic = _parts(data, known, settings)

    def counts(part: Bools) -> NDArray[Any]:
        """Return how many are right, and of how many: (units, prompts, 2)."""
        sums: NDArray[Any] = np.zeros((units, right.shape[1], 2), dtype=right.dtype)
        np.add.at(sums, data.units[part], np.stack([right, scored], axis=2)[part])
        return sums

    toxicity, reasoning = counts(known & toxic), counts(known & ~toxic)
    both = (toxicity[..., 1] > 0) & (reasoning[..., 1] > 0)
    whole = both.astype(right.dtype)
    np.multiply.at(whole, data.units, np.where(scored, right, 1))
    groups = np.stack([whole, both], axis=2)
    dimensions = [counts(part) for part in parts.values()]
    others = [counts(known), toxicity, reasoning, groups, toxicity * reasoning]
    rows = np.stack([*dimensions, *others], axis=1)

    def means(patterns: NDArray[Any], weights: Floats) -> Floats:
        sums = (weights @ patterns).reshape(len(weights), *rows.shape[1:])
        with np.errstate(invalid="ignore", divide="ignore"):
            values = mean_of_defined(np.moveaxis(sums[..., 0] / sums[..., 1], 2, 1))
            macro = values[:, : len(parts)].sum(axis=1) / np.float64(len(parts))
        return np.column_stack([values[:, len(parts) :], macro, values[:, : len(parts)]])

    flat, totals = rows.reshape(units, -1), rows[..., 1].max(axis=2).sum(axis=0)
    n = [*totals[len(parts) :], known.sum()]
    if isinstance(whose, str):
        value, method = means(flat, np.ones((1, units)))[0], "expected over equal options"
        of_kinds, of_dimensions = value[: len(_KINDS)], value[len(_KINDS) :]
        yield figure_rows("baselines", whose, "", _KINDS, of_kinds, n, method)
        analysis, group = "baselines-by-dimension", whose
    else:
        estimates = estimate(flat, means, settings, f"choice {whose.stream}")
        method = f"mean over prompts; {_BOOTSTRAP}"
        yield figure_rows(
            "choice", whose.name, "", _KINDS, cut(estimates, 0, len(_KINDS)), n, method
        )
        analysis, group, of_dimensions = "dimensions", whose.name, cut(estimates, len(_KINDS))
    names = list(parts)
    yield figure_rows(
        analysis, group, names, "accuracy", of_dimensions, totals[: len(parts)], method
    )


def _parts(data: Joined, known: Bools, settings: ScoreSettings) -> tuple[dict[str, Bools], Bools]:
    """Return by dimension which known items are of it, and which are about toxicity."""
    names = list(data.dimensions.unique()) if data.dimensions.any() else []
    parts = {name: known & (data.dimensions == name).to_numpy() for name in names}
    parts = {name: part for name, part in parts.items() if part.any()}
    toxic = (name for name in parts if name.casefold().startswith("toxic"))
    return parts, parts.get(settings.toxicity or next(toxic, ""), known & False)


def _known(
    data: Joined, culture: int, questions: Mapping[str, ChoiceQuestion]
) -> Iterator[tuple[int, ChoiceQuestion, int]]:
    """Yield items whose options are known: place, question, and the place of the right option."""
    for index, (item, gold) in enumerate(zip(data.items, data.gold[:, culture], strict=True)):
        question = questions.get(item)
        if question is not None and gold != NO_GOLD and data.labels[gold] in question.options:
            yield index, question, question.options.index(data.labels[gold])


def _beside(
    data: Joined, pairs: list[Pair], rules: Mapping[str, Floats], settings: ScoreSettings
) -> Iterator[Rows]:
    """Yield each condition beside each rule, and beside the same model with less of the meme."""
    shares = {}
    for pair in pairs:
        right, scored = pair.right.sum(axis=1), pair.scored.sum(axis=1)
        shares[pair.condition] = np.where(scored, right / np.maximum(scored, 1), np.nan)
    for pair in pairs:
        own, condition = shares[pair.condition], pair.condition
        kinds = _LESS.get(condition.input, ("text", "none"))
        less = [condition._replace(input=kind) for kind in kinds]
        blind = {_ALONE[each.input]: shares[each] for each in shares if each in less}
        for baseline, expected in {**rules, **blind}.items():
            known = np.isfinite(own) & np.isfinite(expected)
            if not known.any():
                continue
            parts = {"": known, **_parts(data, known, settings)[0]}
            asked = np.column_stack(list(parts.values()))
            apart = np.where(known, own - expected, 0.0)[:, None] * asked
            rows = np.stack([apart, asked], axis=2).reshape(len(own), -1)
            name = f"beside {pair.culture} {baseline} {'|'.join(condition)}"
            figures = {
                "accuracy": [own[part].mean() for part in parts.values()],
                "of_baseline": [expected[part].mean() for part in parts.values()],
                "difference": resampled(rows, data.units, ratios, settings, name),
            }
            n, names, group = asked.sum(axis=0), list(parts), f"{pair.name} · {baseline}"
            for figure, values in figures.items():
                whole, *by_dimension = figure_rows(
                    "beside-baselines-by-dimension", group, names, figure, values, n, _BOOTSTRAP
                )
                yield [("beside-baselines", pair.name, baseline, *whole[3:]), *by_dimension]


def right_places(
    data: Joined, questions: Mapping[str, ChoiceQuestion], settings: ScoreSettings
) -> Iterator[Rows]:
    """Yield accuracy by the place at which the right option was shown, of all answers."""
    orders = np.array([order for _, order in data.prompts])
    for pair in data.pairs():
        places = np.zeros(pair.predicted.shape, dtype=np.int64)
        column = data.cultures.index(pair.culture)
        for index, question, place in _known(data, column, questions):
            places[index] = np.where(orders > 0, len(question.options) - place, place + 1)
        shown = [places == place for place in range(1, places.max(initial=0) + 1)]
        counts = [(side & part).sum(axis=1) for part in shown for side in (pair.right, pair.scored)]
        if counts:
            rows = np.column_stack(counts).astype(np.float64)
            accuracy = resampled(rows, data.units, ratios, settings, f"places {pair.stream}")
            names, n = [f"place {place + 1}" for place in range(len(shown))], rows.sum(axis=0)[1::2]
            yield figure_rows("right-places", pair.name, names, "accuracy", accuracy, n, _BOOTSTRAP)
