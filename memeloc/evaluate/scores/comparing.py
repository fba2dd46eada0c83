"""Conditions beside each other. In: `Joined`, scores. Out: rows: cultures, changes, models."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from memeloc.arrays import Ints
from memeloc.evaluate.metrics import ratio
from memeloc.evaluate.scores.join import Condition, Joined, Rows
from memeloc.evaluate.scores.settings import ScoreSettings
from memeloc.reports.figures import BETWEEN
from memeloc.statistics.significance import holm, rows_of, scipy_stats

if TYPE_CHECKING:
    import pandas as pd

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
    for name, own in sides.items():
        yield *keys, [name, f"{name}_sd"], [own.mean(), own.std()], own.count(), ""
    first, second = sides.values()
    yield *keys, "difference", first.mean() - second.mean(), np.nan, ""
    yield *keys, "p", rank_sum(first, second), np.nan, _RANK_SUM


def best_culture(data: Joined, scores: pd.DataFrame, settings: ScoreSettings) -> Rows:
    """Yield the rank of each culture in a condition, and tests of the best (multi3hate 5.3).

    The best is tested against the second and the lowest; each kind of test is corrected for the
    number of conditions.
    """
    known = scores[scores["n"] > 0]
    # Means of the same accuracies may differ in the last bits; of equal ones the first is best.
    of_group = known.assign(accuracy=known["accuracy"].round(12)).groupby("group", sort=False)
    ranks = of_group["accuracy"].rank(method="first", ascending=False)
    known = known.assign(rank=ranks, last=of_group["n"].transform("size"), place=of_group.ngroup())
    known = known[known["last"] > 1].sort_values(["place", "rank"])
    if known.empty:
        return
    groups, first = known["group"], known[known["rank"] == 1].set_index("group")
    p = known["by_prompt"].combine(groups.map(first["by_prompt"]), rank_sum)
    tests = {
        "p_second": p.where(known["rank"] == 2),
        "p_lowest": p.where(known["rank"] == known["last"]),
    }
    corrected = {f"{test}_holm": holm(own) for test, own in tests.items()}
    whole = {"rank": known["rank"], "accuracy": known["accuracy"], **tests, **corrected}
    methods = {"rank": "", "accuracy": "mean over prompts"} | dict.fromkeys(tests, _RANK_SUM)
    for figure, values in whole.items():
        keys, method = (groups, known["item"], figure), methods.get(figure, "Holm 1979")
        yield "best-culture", *keys, values, known["n"], method
    lowest = known["item"][known["rank"] == known["last"]]
    counts = {"best": first["item"]}
    for kind, own in zip(("above_second", "above_lowest"), tests.values(), strict=True):
        counts[kind] = first["item"][groups[own < settings.alpha]]
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
            known = np.logical_and(*(pair.scored.any(axis=1) for pair in pairs))
            right = np.column_stack([pair.right.sum(axis=1) * known for pair in pairs])
            asked = np.column_stack([pair.scored.sum(axis=1) * known for pair in pairs])
            stream = f"change {culture} {'|'.join((*other, *condition))}"
            apart = ratio(right, asked, units, settings, stream, lambda shares: -np.diff(shares))
            n, keys = known.sum(), ("changes", f"{kind} · {after.group}", culture)
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
    known = scores[scores["model"].isin(list(facts))].explode("by_prompt")
    known = known.astype({"by_prompt": float}).assign(
        family=[facts[name].family for name in known["model"]],
        parameters=[facts[name].parameters or np.nan for name in known["model"]],
        condition=["|".join(pair.condition[1:]) for pair in known["pair"]],
    )
    known = known.sort_values(["family", "parameters", "model"])
    for (family, model, culture), own in known.groupby(["family", "model", "item"], sort=False):
        accuracy, keys = own["by_prompt"], ("models", f"{family}: {model}", culture)
        values = [accuracy.mean(), accuracy.std(), own["parameters"].iloc[0]]
        figures, method = ["accuracy", "sd", "parameters"], "over conditions and prompts"
        yield *keys, figures, values, accuracy.count(), method

    # By family with small and large ones, then of all: on the conditions that all of them have.
    sizes = {"large": known["parameters"] > settings.large}
    sizes["small"] = known["parameters"] < settings.small
    known = known.assign(size=np.select(list(sizes.values()), list(sizes), ""))
    known = known[known["size"] != ""]
    known = known[known.groupby("family")["size"].transform("nunique") == 2]
    families = dict(iter(known.groupby("family")))
    for family, own in (families | ({"all": known} if len(families) > 1 else {})).items():
        of_models = own.groupby("condition")["model"].transform("nunique")
        shared = own[of_models == own["model"].nunique()]
        for culture, part in shared.groupby("item", sort=False):
            sides = {size: part["by_prompt"][part["size"] == size] for size in sizes}
            if all(side.count() for side in sides.values()):
                yield from compared("sizes", str(family), str(culture), sides)


def inputs(scores: pd.DataFrame) -> Rows:
    """Yield by language of memes the best that saw the picture beside the best that did not."""
    import pandas as pd

    for language, own in scores.groupby("language", sort=False):
        best = []
        for inputs in (("picture", "both"), ("text",)):
            kind = own[own["input"].isin(inputs)]
            means = kind.groupby("group", sort=False)["accuracy"].mean().fillna(-1)
            best.append(kind[kind["group"] == means.idxmax()] if len(kind) else kind)
        for seeing, reading in zip(*map(rows_of, best), strict=False):
            memes = f"memes {seeing.language}" if language else "all memes"
            group = f"{memes}: {seeing.model} ({seeing.input}){BETWEEN}{reading.model}"
            pair = {"with_picture": seeing, "text_alone": reading}
            sides = {name: pd.Series(side.by_prompt, dtype=float) for name, side in pair.items()}
            yield from compared("inputs", group, seeing.item, sides)
