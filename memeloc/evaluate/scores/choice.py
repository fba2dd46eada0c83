"""Multiple choice. In: `Joined`, questions. Out: rows: dimensions, places, and rules beside models.

Rules read no meme: they guess, take the longest option, or the one that shares most words with the
question or caption. Of options that are equal by a rule it draws one, and its figures are what is
expected.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memeloc.arrays import Bools, Floats
from memeloc.evaluate.gold import ChoiceQuestion
from memeloc.evaluate.metrics import ratio, unit_sums
from memeloc.evaluate.scores.join import INPUT_NAMES, NO_GOLD, NOT_ASKED, Joined, Pair, Rows
from memeloc.evaluate.scores.settings import ScoreSettings
from memeloc.statistics.guessing import RULES, right_by_rules

_BOOTSTRAP = "percentile bootstrap of memes"
_LESS = {"none": (), "text": ("none",)}
_LEAST = ("text", "none")
"""By input those with less of the meme; all others have both."""
_ALONE = {**INPUT_NAMES, "text": "caption alone"}
_KINDS = ("overall", "toxicity", "reasoning", "group_accuracy", "pair_accuracy", "macro")


def examined(
    data: Joined, questions: Mapping[str, ChoiceQuestion], settings: ScoreSettings
) -> Rows:
    """Yield what conditions and rules reach by dimension and by meme, and one above the other."""
    if not data.is_choice:
        return
    for pair in data.pairs() if data.dimensions.any() else ():
        right = pair.right.astype(np.int64)
        yield _by_dimension(data, right, pair.scored, settings, pair.name, pair.stream)
    asked = (data.predicted != NOT_ASKED).any(axis=(0, 2))
    for column, culture in enumerate(data.cultures):
        rules = {rule: np.full(len(data.items), np.nan) for rule in RULES}
        for index, question, place in _known(data, column, questions):
            texts = question.language, question.question, question.text
            for rule, share in right_by_rules(question.options, place, *texts).items():
                rules[rule][index] = share
        rules = {rule: values for rule, values in rules.items() if np.isfinite(values).any()}
        for rule, expected in rules.items():
            scored = (np.isfinite(expected) & asked)[:, None]
            right = np.where(scored, expected[:, None], 0.0)
            name = rule if len(data.cultures) == 1 else f"{rule} · {culture}"
            yield _by_dimension(data, right, scored, settings, name)
        pairs = [pair for pair in data.pairs() if pair.culture == culture]
        yield from _beside(data, pairs, rules, settings)


def _by_dimension(
    data: Joined,
    right: NDArray[Any],
    scored: Bools,
    settings: ScoreSettings,
    name: str,
    stream: str = "",
) -> tuple[Any, ...]:
    """Return accuracies by dimension, of pairs and of groups of questions (m-quest, Evaluation).

    A group is a meme with a question about toxicity and at least one other: right where all are.

    Args:
        right: (items, prompts), how probably an answer is right; 0 where there is none.
        stream: of a condition with a culture; rules have none, and no intervals.
    """
    known: Bools = np.asarray(scored.any(axis=1))
    parts = _parts(data, known)
    toxic = [part for part in parts if part.casefold().startswith("toxic")]
    is_toxic = parts.get(settings.toxicity or "".join(toxic[:1]), known & False)
    kinds = np.column_stack([*parts.values(), known, is_toxic, known & ~is_toxic])[..., None, None]
    sides = np.stack([right, scored], axis=2).astype(right.dtype)
    sums = unit_sums(sides[:, None] * kinds, data.units)
    pairs = sums[:, -2] * sums[:, -1]
    both = pairs[..., 1] > 0
    whole = both.astype(right.dtype)
    np.multiply.at(whole, data.units, np.where(scored, right, 1))
    groups = np.stack([whole, both], axis=2)
    sums = np.concatenate([sums, groups[:, None], pairs[:, None]], axis=1)
    count = len(parts)

    def with_macro(shares: Floats) -> Floats:
        macro = shares[:, :count].sum(axis=1) / np.float64(count)
        return np.column_stack([shares, macro])

    n = [*sums[..., 1].max(axis=2).sum(axis=0), known.sum()]
    if stream:
        analyses, method = ("dimensions", "choice"), f"mean over prompts; {_BOOTSTRAP}"
    else:
        analyses, method = ("baselines-by-dimension", "baselines"), "expected over equal options"
        settings = replace(settings, bootstraps=0)
    shares = ratio(sums[..., 0], sums[..., 1], None, settings, f"choice {stream}", with_macro)
    return (
        np.repeat(analyses, (count, len(_KINDS))),
        name,
        [*parts, *[""] * len(_KINDS)],
        ["accuracy"] * count + [*_KINDS],
        shares,
        n,
        method,
    )


def _parts(data: Joined, known: Bools) -> dict[str, Bools]:
    """Return by dimension which known items are of it."""
    names = data.dimensions.unique() if data.dimensions.any() else ()
    parts = {str(name): known & (data.dimensions == name).to_numpy() for name in names}
    return {name: part for name, part in parts.items() if part.any()}


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
) -> Rows:
    """Yield each condition beside each rule, and beside the same model with less of the meme."""
    shares = {}
    for pair in pairs:
        right, scored = pair.right.sum(axis=1), pair.scored.sum(axis=1)
        shares[pair.condition] = np.where(scored, right / np.maximum(scored, 1), np.nan)
    for pair in pairs:
        own, condition = shares[pair.condition], pair.condition
        less = [condition._replace(input=kind) for kind in _LESS.get(condition.input, _LEAST)]
        blind = {_ALONE[each.input]: shares[each] for each in shares if each in less}
        for baseline, expected in {**rules, **blind}.items():
            known = np.isfinite(own) & np.isfinite(expected)
            if not known.any():
                continue
            parts = {"": known, **_parts(data, known)}
            asked = np.column_stack(list(parts.values()))
            apart = np.where(known, own - expected, 0.0)[:, None] * asked
            stream = f"beside {pair.culture} {baseline} {'|'.join(condition)}"
            sizes = (1, len(parts) - 1)
            analyses = np.repeat(["beside-baselines", "beside-baselines-by-dimension"], sizes)
            groups = np.repeat([pair.name, f"{pair.name} · {baseline}"], sizes)
            keys = (analyses, groups, [baseline, *list(parts)[1:]])
            figures = {
                "accuracy": [own[part].mean() for part in parts.values()],
                "of_baseline": [expected[part].mean() for part in parts.values()],
                "difference": ratio(apart, asked, data.units, settings, stream),
            }
            for figure, values in figures.items():
                yield *keys, figure, values, asked.sum(axis=0), _BOOTSTRAP


def right_places(
    data: Joined, questions: Mapping[str, ChoiceQuestion], settings: ScoreSettings
) -> Rows:
    """Yield accuracy by the place at which the right option was shown, of all answers."""
    is_swapped = np.array([order > 0 for _, order in data.prompts])
    for pair in data.pairs():
        places = np.zeros(pair.predicted.shape, dtype=np.int64)
        for index, question, place in _known(data, data.cultures.index(pair.culture), questions):
            places[index] = np.where(is_swapped, len(question.options) - place, place + 1)
        numbers = np.arange(1, places.max(initial=0) + 1)
        if len(numbers):
            shown = places[..., None] == numbers
            right, asked = (
                (side[..., None] & shown).sum(axis=1).astype(np.float64)
                for side in (pair.right, pair.scored)
            )
            accuracy = ratio(right, asked, data.units, settings, f"places {pair.stream}")
            names, n = [f"place {number}" for number in numbers], asked.sum(axis=0)
            yield "right-places", pair.name, names, "accuracy", accuracy, n, _BOOTSTRAP
