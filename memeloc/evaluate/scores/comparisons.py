"""Baselines of scores, and multiple choice. In: `Joined`, scores. Out: rows of figures.

Rules read no meme: they guess, take the longest option, or the one that shares most words with the
question or caption. Of options that are equal by a rule it draws one, and its figures are what is
expected.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memeloc.arrays import Bools, Floats, Ints
from memeloc.evaluate.gold import ChoiceQuestion
from memeloc.evaluate.metrics import ratio, unit_sums
from memeloc.evaluate.scores.joining import (
    INPUT_NAMES,
    NO_GOLD,
    NOT_ASKED,
    Condition,
    Joined,
    Pair,
    Rows,
    ScoreSettings,
)
from memeloc.reports.figures import BETWEEN
from memeloc.statistics.significance import (
    RULES,
    holm,
    never_right,
    right_by_rules,
    rows_of,
    scipy_stats,
)

if TYPE_CHECKING:
    import pandas as pd

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
        never = unused_options(data, column, questions)
        for index, question, place in _known(data, column, questions):
            texts = question.language, question.question, question.text, never
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
    has_gold: Bools = np.asarray(scored.any(axis=1))
    parts = _parts(data, has_gold)
    toxic = [part for part in parts if part.casefold().startswith("toxic")]
    is_toxic = parts.get(settings.toxicity or "".join(toxic[:1]), has_gold & False)
    kinds = np.column_stack([*parts.values(), has_gold, is_toxic, has_gold & ~is_toxic])[
        ..., None, None
    ]
    sides = np.stack([right, scored], axis=2).astype(right.dtype)
    sums = unit_sums(sides[:, None] * kinds, data.memes)
    pairs = sums[:, -2] * sums[:, -1]
    both = pairs[..., 1] > 0
    whole = both.astype(right.dtype)
    np.multiply.at(whole, data.memes, np.where(scored, right, 1))
    groups = np.stack([whole, both], axis=2)
    sums = np.concatenate([sums, groups[:, None], pairs[:, None]], axis=1)
    count = len(parts)

    def with_macro(shares: Floats) -> Floats:
        macro = shares[:, :count].sum(axis=1) / np.float64(count)
        return np.column_stack([shares, macro])

    n = [*sums[..., 1].max(axis=2).sum(axis=0), has_gold.sum()]
    if stream:
        analyses, method = ("dimensions", "choice"), f"mean over prompts; {_BOOTSTRAP}"
    else:
        analyses, method = ("baselines-by-dimension", "baselines"), "expected over equal options"
        settings = replace(settings, bootstraps=0)
    units = None
    if data.unit == "template":
        units = np.zeros(len(sums), dtype=np.int64)
        units[data.memes] = data.units
    shares = ratio(sums[..., 0], sums[..., 1], units, settings, f"choice {stream}", with_macro)
    return (
        np.repeat(analyses, (count, len(_KINDS))),
        name,
        [*parts, *[""] * len(_KINDS)],
        ["accuracy"] * count + [*_KINDS],
        shares,
        n,
        method,
    )


def _parts(data: Joined, is_known: Bools) -> dict[str, Bools]:
    """Return by dimension which known items are of it."""
    names = data.dimensions.unique() if data.dimensions.any() else ()
    parts = {str(name): is_known & (data.dimensions == name).to_numpy() for name in names}
    return {name: part for name, part in parts.items() if part.any()}


def _known(
    data: Joined, culture: int, questions: Mapping[str, ChoiceQuestion]
) -> Iterator[tuple[int, ChoiceQuestion, int]]:
    """Yield items whose options are known: place, question, and the place of the right option."""
    for index, (item, gold) in enumerate(zip(data.items, data.gold[:, culture], strict=True)):
        question = questions.get(item)
        if question is not None and gold != NO_GOLD and data.labels[gold] in question.options:
            yield index, question, question.options.index(data.labels[gold])


def unused_options(
    data: Joined, culture: int, questions: Mapping[str, ChoiceQuestion]
) -> dict[str, int]:
    """Return the options that are right in no question, and how many have each."""
    places = _known(data, culture, questions)
    return never_right((each.options, each.options[place]) for _, each, place in places)


def _beside(
    data: Joined, pairs: list[Pair], rules: Mapping[str, Floats], settings: ScoreSettings
) -> Rows:
    """Yield each condition beside each rule, and beside the same model with less of the meme."""
    shares = {}
    for pair in pairs:
        right, scored = pair.right.sum(axis=1), pair.scored.sum(axis=1)
        shares[pair.condition] = np.where(scored, right / np.maximum(scored, 1), np.nan)
    for pair in pairs:
        shares_of_pair, condition = shares[pair.condition], pair.condition
        less = [condition._replace(input=kind) for kind in _LESS.get(condition.input, _LEAST)]
        blind = {_ALONE[each.input]: shares[each] for each in shares if each in less}
        for baseline, expected in {**rules, **blind}.items():
            both = np.isfinite(shares_of_pair) & np.isfinite(expected)
            if not both.any():
                continue
            parts = {"": both, **_parts(data, both)}
            asked = np.column_stack(list(parts.values()))
            apart = np.where(both, shares_of_pair - expected, 0.0)[:, None] * asked
            stream = f"beside {pair.culture} {baseline} {'|'.join(condition)}"
            sizes = (1, len(parts) - 1)
            analyses = np.repeat(["beside-baselines", "beside-baselines-by-dimension"], sizes)
            groups = np.repeat([pair.name, f"{pair.name} · {baseline}"], sizes)
            keys = (analyses, groups, [baseline, *list(parts)[1:]])
            figures = {
                "accuracy": [shares_of_pair[part].mean() for part in parts.values()],
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


ENGLISH = "en"
_RANK_SUM = "Wilcoxon 1945, two-sided, over prompts"


def rank_sum(first: ArrayLike, second: ArrayLike) -> float:
    """Return the two-sided p-value of Wilcoxon's rank-sum test; NaN with fewer than two a side.

    As scipy's `ranksums`, the normal approximation, which multi3hate 5.1 names.
    """
    sides = [values[np.isfinite(values)] for values in map(np.asarray, (first, second))]
    if min(map(len, sides)) < 2:
        return float("nan")
    return float(scipy_stats().ranksums(*sides).pvalue)


def compared(analysis: str, group: str, item: str, sides: dict[str, pd.Series[float]]) -> Rows:
    """Yield rows of two sides' accuracies by prompt, the first beside the second."""
    keys = (analysis, group, item)
    for name, columns in sides.items():
        yield *keys, [name, f"{name}_sd"], [columns.mean(), columns.std()], columns.count(), ""
    first, second = sides.values()
    yield *keys, "difference", first.mean() - second.mean(), np.nan, ""
    yield *keys, "p", rank_sum(first, second), np.nan, _RANK_SUM


def best_culture(data: Joined, scores: pd.DataFrame, settings: ScoreSettings) -> Rows:
    """Yield the rank of each culture in a condition, and tests of the best (multi3hate 5.3).

    The best is tested against the second and the lowest; each kind of test is corrected for the
    number of conditions.
    """
    scored = scores[scores["n"] > 0]
    # Means of the same accuracies may differ in the last bits; of equal ones the first is best.
    of_group = scored.assign(accuracy=scored["accuracy"].round(12)).groupby("group", sort=False)
    ranks = of_group["accuracy"].rank(method="first", ascending=False)
    scored = scored.assign(
        rank=ranks, last=of_group["n"].transform("size"), place=of_group.ngroup()
    )
    scored = scored[scored["last"] > 1].sort_values(["place", "rank"])
    if scored.empty:
        return
    groups, first = scored["group"], scored[scored["rank"] == 1].set_index("group")
    p = scored["by_prompt"].combine(groups.map(first["by_prompt"]), rank_sum)
    tests = {
        "p_second": p.where(scored["rank"] == 2),
        "p_lowest": p.where(scored["rank"] == scored["last"]),
    }
    corrected = {f"{test}_holm": holm(compared) for test, compared in tests.items()}
    whole = {"rank": scored["rank"], "accuracy": scored["accuracy"], **tests, **corrected}
    methods = {"rank": "", "accuracy": "mean over prompts"} | dict.fromkeys(tests, _RANK_SUM)
    for figure, values in whole.items():
        keys, method = (groups, scored["item"], figure), methods.get(figure, "Holm 1979")
        yield "best-culture", *keys, values, scored["n"], method
    lowest = scored["item"][scored["rank"] == scored["last"]]
    counts = {"best": first["item"]}
    for kind, compared in zip(("above_second", "above_lowest"), tests.values(), strict=True):
        counts[kind] = first["item"][groups[compared < settings.alpha]]
    method, names = f"p < {settings.alpha:g}, not corrected", list(data.cultures)
    for figure, cultures in (counts | {"lowest": lowest}).items():
        values = cultures.value_counts().reindex(names, fill_value=0)
        yield "best-culture-counts", "", names, figure, values, len(first), method


def changes(scores: pd.DataFrame, settings: ScoreSettings, units: Ints) -> Rows:
    """Yield what a change of the question does to the accuracy (multi3hate 5.3 to 5.5).

    Native prompts against English ones, a country named against none, the caption given against
    the picture alone, the picture against the caption alone: on the same model and memes.
    """
    rows = {(row.pair.condition, row.item): row for row in rows_of(scores)}
    method = "of all answers; percentile bootstrap of items"
    for (condition, culture), after in rows.items():
        for kind, other in _before(condition):
            before = rows.get((other, culture))
            if before is None:
                continue
            target = {
                "country": condition.country,
                "prompt language": settings.countries.get(condition.prompt_language, ""),
            }
            pairs = after.pair, before.pair
            has_gold = np.logical_and(*(pair.scored.any(axis=1) for pair in pairs))
            right = np.column_stack([pair.right.sum(axis=1) * has_gold for pair in pairs])
            asked = np.column_stack([pair.scored.sum(axis=1) * has_gold for pair in pairs])
            stream = f"change {culture} {'|'.join((*other, *condition))}"
            apart = ratio(right, asked, units, settings, stream, lambda shares: -np.diff(shares))
            n, keys = has_gold.sum(), ("changes", f"{kind} · {after.group}", culture)
            yield *keys, "difference", apart, n, method
            others = {
                "before": before.accuracy,
                "after": after.accuracy,
                "p": rank_sum(after.by_prompt, before.by_prompt),
                "is_target": culture == target.get(kind, ""),
            }
            yield *keys, list(others), list(others.values()), n, ""


def _before(after: Condition) -> Iterator[tuple[str, Condition]]:
    """Yield what a condition is compared with, and what that changes."""
    if after.country:
        yield "country", after._replace(country="")
    elif after.prompt_language not in ("", ENGLISH):
        yield "prompt language", after._replace(prompt_language=ENGLISH)
    if after.input == "both":
        yield "caption", after._replace(input="picture")
        yield "picture", after._replace(input="text")


def models(scores: pd.DataFrame, settings: ScoreSettings) -> Rows:
    """Yield models by family, then small beside large ones (multi3hate 5.2)."""
    facts = {name: each for name, each in settings.models.items() if each.family}
    with_facts = scores[scores["model"].isin(list(facts))].explode("by_prompt")
    with_facts = with_facts.astype({"by_prompt": float}).assign(
        family=[facts[name].family for name in with_facts["model"]],
        parameters=[facts[name].parameters or np.nan for name in with_facts["model"]],
        condition=["|".join(pair.condition[1:]) for pair in with_facts["pair"]],
    )
    with_facts = with_facts.sort_values(["family", "parameters", "model"])
    for (family, model, culture), rows in with_facts.groupby(
        ["family", "model", "item"], sort=False
    ):
        accuracy, keys = rows["by_prompt"], ("models", f"{family}: {model}", culture)
        values = [accuracy.mean(), accuracy.std(), rows["parameters"].iloc[0]]
        figures, method = ["accuracy", "sd", "parameters"], "over conditions and prompts"
        yield *keys, figures, values, accuracy.count(), method

    # By family with small and large ones, then of all: on the conditions that all of them have.
    sizes = {"large": with_facts["parameters"] > settings.large}
    sizes["small"] = with_facts["parameters"] < settings.small
    with_facts = with_facts.assign(size=np.select(list(sizes.values()), list(sizes), ""))
    with_facts = with_facts[with_facts["size"] != ""]
    with_facts = with_facts[with_facts.groupby("family")["size"].transform("nunique") == 2]
    families = dict(iter(with_facts.groupby("family")))
    for family, rows in (families | ({"all": with_facts} if len(families) > 1 else {})).items():
        of_models = rows.groupby("condition")["model"].transform("nunique")
        shared = rows[of_models == rows["model"].nunique()]
        for culture, part in shared.groupby("item", sort=False):
            sides = {size: part["by_prompt"][part["size"] == size] for size in sizes}
            if all(side.count() for side in sides.values()):
                yield from compared("sizes", str(family), str(culture), sides)


def inputs(scores: pd.DataFrame) -> Rows:
    """Yield by language of memes the best that saw the picture beside the best that did not."""
    import pandas as pd

    for language, rows in scores.groupby("language", sort=False):
        best = []
        for inputs in (("picture", "both"), ("text",)):
            kind = rows[rows["input"].isin(inputs)]
            means = kind.groupby("group", sort=False)["accuracy"].mean().fillna(-1)
            best.append(kind[kind["group"] == means.idxmax()] if len(kind) else kind)
        for seeing, reading in zip(*map(rows_of, best), strict=False):
            memes = f"memes {seeing.language}" if language else "all memes"
            group = f"{memes}: {seeing.model} ({seeing.input}){BETWEEN}{reading.model}"
            pair = {"with_picture": seeing, "text_alone": reading}
            sides = {name: pd.Series(side.by_prompt, dtype=float) for name, side in pair.items()}
            yield from compared("inputs", group, seeing.item, sides)
