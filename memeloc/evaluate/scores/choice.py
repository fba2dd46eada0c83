"""Multiple choice. In: `Joined`, questions. Out: rows: dimensions, places, and rules beside models.

Rules read no meme: they guess, take the longest option, or the one that shares most words with the
question or caption. Of options that are equal by a rule it draws one, and its figures are what is
expected.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memeloc.arrays import Bools, Floats
from memeloc.evaluate.gold import ChoiceQuestion
from memeloc.evaluate.scores.join import INPUT_NAMES, NO_GOLD, NOT_ASKED, Condition, Joined
from memeloc.evaluate.scores.scoring import (
    as_columns,
    mean_of_defined,
    ratios,
    resampled,
    with_ends,
)
from memeloc.evaluate.scores.settings import ScoreSettings
from memeloc.reports.figures import gap, joined, tidy
from memeloc.statistics.bootstrap import Estimates, estimate
from memeloc.statistics.guessing import RULES, right_by_rules

if TYPE_CHECKING:
    import pandas as pd

Questions = Mapping[str, ChoiceQuestion]
_MEMES = "mean over prompts; percentile bootstrap of memes"
_BESIDE = "on the same questions; percentile bootstrap of memes"
_LESS = {"none": (), "text": ("none",)}
"""By input those with less of the meme; all others have both."""
_ALONE = {**INPUT_NAMES, "text": "caption alone"}


def examined(data: Joined, questions: Questions, settings: ScoreSettings) -> Iterator[pd.DataFrame]:
    """Yield what conditions and rules reach by dimension and by meme, and one above the other."""
    if not data.is_choice:
        return
    asked = (data.predicted != NOT_ASKED).any(axis=(0, 2))
    parts: list[pd.DataFrame] = []
    for column, culture in enumerate(data.cultures):
        for place, (title, condition) in enumerate(data.conditions.items()):
            if data.dimensions.any():
                right, scored = data.right(place, column)
                group, name = data.name(title, culture), f"choice {culture} {'|'.join(condition)}"
                sides = right.astype(np.int64), scored
                parts += _examined(data, *sides, ("choice", "dimensions"), group, settings, name)
        rules = _rules(data, column, questions)
        for rule, expected in rules.items():
            scored = (np.isfinite(expected) & asked)[:, None]
            sides = np.where(scored, expected[:, None], 0.0), scored
            names = ("baselines", "baselines-by-dimension")
            parts += _examined(data, *sides, names, data.name(rule, culture), settings)
        parts += _beside(data, column, rules, settings)
    figures = joined(parts)
    yield figures
    if data.dimensions.any() and not figures["n"][figures["figure"] == "group_accuracy"].any():
        yield gap("choice", "Group accuracy: no meme has a question about toxicity and another.")
    beside = figures["item"][figures["analysis"] == "beside-baselines"]
    if len(beside) and beside.isin(list(RULES)).all():
        reason = "No model was asked without the meme: the question alone, or with its caption."
        yield gap("beside-baselines", reason)


def _examined(
    data: Joined,
    right: NDArray[Any],
    scored: Bools,
    analyses: tuple[str, str],
    group: str,
    settings: ScoreSettings,
    name: str = "",
) -> Iterator[pd.DataFrame]:
    """Yield accuracies by dimension, of pairs and of groups of questions (m-quest, Evaluation).

    A group is a meme with a question about toxicity and at least one other: right where all are.

    Args:
        right: (items, prompts), how probably an answer is right; 0 where there is none.
        name: of the random numbers; without one there are no intervals.
    """
    import pandas as pd

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
    pairs = toxicity * reasoning
    rows = np.stack([*dimensions, counts(known), toxicity, reasoning, groups, pairs], axis=1)

    def means(patterns: NDArray[Any], weights: Floats) -> Floats:
        sums = (weights @ patterns).reshape(len(weights), *rows.shape[1:])
        with np.errstate(invalid="ignore", divide="ignore"):
            values = mean_of_defined(np.moveaxis(sums[..., 0] / sums[..., 1], 2, 1))
            macro = values[:, : len(parts)].sum(axis=1) / np.float64(len(parts))
        return np.column_stack([values[:, len(parts) :], macro, values[:, : len(parts)]])

    flat = rows.reshape(units, -1)
    if name:
        estimates = estimate(flat.astype(np.int64), means, settings, name)
    else:
        value = means(flat, np.ones((1, units)))[0]
        estimates = Estimates(value, value * np.nan, value * np.nan)
    kinds = ["overall", "toxicity", "reasoning", "group_accuracy", "pair_accuracy"]
    totals = rows[..., 1].max(axis=2).sum(axis=0)
    n = {f"{kind}_n": total for kind, total in zip(kinds, totals[len(parts) :], strict=True)}
    cells = {"group": group, **with_ends([*kinds, "macro"], estimates), **n, "n": known.sum()}
    method = _MEMES if name else "expected over equal options"
    yield tidy(analyses[0], pd.DataFrame([cells]), method)
    keys = {"group": group, "item": [*parts], "n": totals[: len(parts)]}
    columns = as_columns("accuracy", estimates, len(kinds) + 1)
    yield tidy(analyses[1], pd.DataFrame(keys | columns), method)


def _parts(data: Joined, known: Bools, settings: ScoreSettings) -> tuple[dict[str, Bools], Bools]:
    """Return by dimension which known items are of it, and which are about toxicity."""
    names = list(data.dimensions.unique()) if data.dimensions.any() else []
    parts = {name: known & (data.dimensions == name).to_numpy() for name in names}
    parts = {name: part for name, part in parts.items() if part.any()}
    toxic = (name for name in parts if name.casefold().startswith("toxic"))
    return parts, parts.get(settings.toxicity or next(toxic, ""), known & False)


def _known(
    data: Joined, culture: int, questions: Questions
) -> Iterator[tuple[int, ChoiceQuestion, int]]:
    """Yield items whose options are known: place, question, and the place of the right option."""
    for index, (item, gold) in enumerate(zip(data.items, data.gold[:, culture], strict=True)):
        question = questions.get(item)
        if question is not None and gold != NO_GOLD and data.labels[gold] in question.options:
            yield index, question, question.options.index(data.labels[gold])


def _rules(data: Joined, culture: int, questions: Questions) -> dict[str, Floats]:
    """Return by rule how probably it answers each item right; without rules that say nothing."""
    rules = {name: np.full(len(data.items), np.nan) for name in RULES}
    for index, question, right in _known(data, culture, questions):
        texts = question.language, question.question, question.text
        for name, share in right_by_rules(question.options, right, *texts).items():
            rules[name][index] = share
    return {name: values for name, values in rules.items() if np.isfinite(values).any()}


def _beside(
    data: Joined, culture: int, rules: Mapping[str, Floats], settings: ScoreSettings
) -> Iterator[pd.DataFrame]:
    """Yield each condition beside each rule, and beside the same model with less of the meme."""
    import pandas as pd

    shares: dict[Condition, Floats] = {}
    for place, condition in enumerate(data.conditions.values()):
        right, scored = (each.sum(axis=1) for each in data.right(place, culture))
        shares[condition] = np.where(scored, right / np.maximum(scored, 1), np.nan)
    for title, condition in data.conditions.items():
        own, kinds = shares[condition], _LESS.get(condition.input, ("text", "none"))
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
            name = f"beside {data.cultures[culture]} {baseline} {'|'.join(condition)}"
            group = data.name(title, data.cultures[culture])
            columns = {
                "accuracy": [own[part].mean() for part in parts.values()],
                "of_baseline": [expected[part].mean() for part in parts.values()],
                **as_columns("difference", resampled(rows, data.units, ratios, settings, name)),
                "n": asked.sum(axis=0),
            }
            frame = pd.DataFrame(columns, index=[*parts])
            yield tidy("beside-baselines", frame[:1].assign(group=group, item=baseline), _BESIDE)
            frame = frame[1:].assign(group=f"{group} · {baseline}", item=frame.index[1:])
            yield tidy("beside-baselines-by-dimension", frame, _BESIDE)


def right_places(
    data: Joined, questions: Questions, settings: ScoreSettings
) -> Iterator[pd.DataFrame]:
    """Yield accuracy by the place at which the right option was shown, of all answers."""
    import pandas as pd

    orders = np.array([order for _, order in data.prompts])
    for column, culture in enumerate(data.cultures):
        places = np.zeros(data.predicted.shape[1:], dtype=np.int64)
        for index, question, place in _known(data, column, questions):
            places[index] = np.where(orders > 0, len(question.options) - place, place + 1)
        shown = [places == place for place in range(1, places.max(initial=0) + 1)]
        for number, (title, condition) in enumerate(data.conditions.items()):
            counts = [
                (side & part).sum(axis=1) for part in shown for side in data.right(number, column)
            ]
            if counts:
                rows = np.column_stack(counts).astype(np.float64)
                name = f"places {culture} {'|'.join(condition)}"
                estimates = resampled(rows, data.units, ratios, settings, name)
                names = [f"place {place}" for place in range(1, len(shown) + 1)]
                keys = {"group": data.name(title, culture), "item": names}
                n = {"n": rows.sum(axis=0)[1::2]}
                frame = pd.DataFrame(keys | as_columns("accuracy", estimates) | n)
                yield tidy("right-places", frame, "percentile bootstrap of memes")
