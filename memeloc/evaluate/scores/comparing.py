"""Conditions beside each other. In: `Joined`, scores. Out: rows: cultures, changes, models."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from memeloc.evaluate.answers import CONDITION
from memeloc.evaluate.scores.join import Condition, Joined
from memeloc.evaluate.scores.rows import Rows, figure_rows, gap_rows, ratios, resampled
from memeloc.evaluate.scores.settings import ScoreSettings
from memeloc.reports.figures import BETWEEN, tidy
from memeloc.statistics.significance import holm, rows_of, scipy_stats

if TYPE_CHECKING:
    import pandas as pd

ENGLISH = "en"
_RANK_SUM = "Wilcoxon 1945, two-sided, over prompts"


def _rows(analysis: str, frame: pd.DataFrame, method: str | Mapping[str, str]) -> Rows:
    return list(tidy(analysis, frame, method).itertuples(index=False, name=None))


def rank_sum(first: ArrayLike, second: ArrayLike) -> float:
    """Return the two-sided p-value of Wilcoxon's rank-sum test; NaN with fewer than two a side.

    As scipy's `ranksums`, the normal approximation, which multi3hate 5.1 names.
    """
    sides = [values[np.isfinite(values)] for values in map(np.asarray, (first, second))]
    if min(map(len, sides)) < 2:
        return float("nan")
    return float(scipy_stats().ranksums(*sides).pvalue)


def best_culture(data: Joined, scores: pd.DataFrame, settings: ScoreSettings) -> Iterator[Rows]:
    """Yield the rank of each culture in a condition, and tests of the best (multi3hate 5.3).

    The best is tested against the second and the lowest; each kind of test is corrected for the
    number of conditions.
    """
    import pandas as pd

    ranks = []
    for _, own in scores[scores["n"] > 0].groupby("group", sort=False):
        # Means of the same accuracies may differ in the last bits; of equal ones the first is best.
        ranked = own.iloc[(-own["accuracy"].round(12)).argsort(kind="stable")]
        if len(ranked) > 1:
            ranked = ranked.assign(rank=range(1, len(ranked) + 1), p_second=np.nan, p_lowest=np.nan)
            for place, test in ((1, "p_second"), (-1, "p_lowest")):
                p = rank_sum(ranked["by_prompt"].iloc[0], ranked["by_prompt"].iloc[place])
                ranked.loc[ranked.index[place], test] = p
            ranks.append(ranked)
    if not ranks:
        return
    frame = pd.concat(ranks)
    tests = ("p_second", "p_lowest")
    frame = frame.assign(**{f"{test}_holm": holm(frame[test]) for test in tests})
    methods = dict.fromkeys(tests, _RANK_SUM) | {f"{test}_holm": "Holm 1979" for test in tests}
    wide = frame[["group", "item", "n", "rank", "accuracy", *methods]]
    yield _rows("best-culture", wide, methods | {"accuracy": "mean over prompts"})
    best = frame[frame["rank"] == 1].set_index("group")["item"]
    is_above = frame.groupby("group", sort=False)[[*tests]].min() < settings.alpha
    above = is_above.groupby(best).sum()
    counts = {
        "best": best.value_counts(),
        "above_second": above["p_second"],
        "above_lowest": above["p_lowest"],
        "lowest": frame.drop_duplicates("group", keep="last")["item"].value_counts(),
    }
    wide = pd.DataFrame(counts, index=pd.Index(data.cultures, name="item")).fillna(0)
    wide = wide.assign(n=len(best)).reset_index()
    yield _rows("best-culture-counts", wide, f"p < {settings.alpha:g}, not corrected")
    if frame["p_second"].isna().all():
        reason = "The rank-sum test compares prompts, and each condition has only one of them."
        yield gap_rows("best-culture", reason)


def changes(data: Joined, scores: pd.DataFrame, settings: ScoreSettings) -> Iterator[Rows]:
    """Yield what a change of the question does to the accuracy (multi3hate 5.3 to 5.5).

    Native prompts against English ones, a country named against none, the caption given against
    the picture alone, the picture against the caption alone: on the same model and memes.
    """
    pairs = {(pair.condition, pair.culture): pair for pair in data.pairs()}
    whole: dict[Any, Any] = scores.set_index([*CONDITION, "item"]).to_dict("index")
    method = "of all answers; percentile bootstrap of items"
    for after in pairs.values():
        for kind, condition in _before(after.condition):
            before = pairs.get((condition, after.culture))
            if before is None:
                continue
            target = after.condition.country if kind == "country" else ""
            if kind == "prompt language":
                target = settings.countries.get(after.condition.prompt_language, "")
            known = np.logical_and(after.scored.any(axis=1), before.scored.any(axis=1))
            sides = (after.right, after.scored, before.right, before.scored)
            rows = np.column_stack([side.sum(axis=1) * known for side in sides])
            name = f"change {after.culture} {'|'.join((*condition, *after.condition))}"
            difference = resampled(rows, data.units, lambda s: -np.diff(ratios(s)), settings, name)
            keys = ("changes", f"{kind} · {after.title}", after.culture)
            one, other = (whole[(*side.condition, after.culture)] for side in (after, before))
            others = {
                "before": other["accuracy"],
                "after": one["accuracy"],
                "p": rank_sum(one["by_prompt"], other["by_prompt"]),
                "is_target": after.culture == target,
            }
            yield figure_rows(*keys, "difference", difference, known.sum(), method)
            yield figure_rows(*keys, list(others), list(others.values()), known.sum())


def _before(after: Condition) -> Iterator[tuple[str, Condition]]:
    """Yield what a condition is compared with, and what that changes."""
    if after.country:
        yield "country", after._replace(country="")
    elif after.prompt_language not in ("", ENGLISH):
        yield "prompt language", after._replace(prompt_language=ENGLISH)
    if after.input == "both":
        yield "caption", after._replace(input="picture")
        yield "picture", after._replace(input="text")


def models(scores: pd.DataFrame, settings: ScoreSettings) -> Iterator[Rows]:
    """Yield models by family and size, and with the picture against without (multi3hate 5.2)."""
    import pandas as pd

    facts = {name: each for name, each in settings.models.items() if each.family}
    known = scores[scores["model"].isin(list(facts))].explode("by_prompt")
    if len(known):
        known = known.astype({"by_prompt": float}).assign(
            family=[facts[name].family for name in known["model"]],
            parameters=[facts[name].parameters or np.nan for name in known["model"]],
        )
        known = known.sort_values(["family", "parameters", "model"])
        known["group"] = known["family"] + ": " + known["model"]
        columns = {"by_prompt": ["mean", "std", "count"], "parameters": ["first"]}
        frame = known.groupby(["group", "item"], sort=False).agg(columns).reset_index()
        frame = frame.set_axis(["group", "item", "accuracy", "sd", "n", "parameters"], axis=1)
        yield _rows("models", frame, "over conditions and prompts")
        yield _rows("sizes", pd.DataFrame(_sizes(known, settings)), {"p": _RANK_SUM})
    yield _rows("inputs", pd.DataFrame(_inputs(scores)), {"p": _RANK_SUM})


def _sizes(known: pd.DataFrame, settings: ScoreSettings) -> Iterator[dict[str, Any]]:
    """Yield a row a family and culture, of families with small and large models, then of all.

    They are compared on the conditions that all of these models have, over all of their prompts.
    """
    import pandas as pd

    is_small, is_large = known["parameters"] < settings.small, known["parameters"] > settings.large
    sized = known.assign(
        size=np.select([is_small, is_large], ["small", "large"], ""),
        condition=known[list(CONDITION[1:])].agg("|".join, axis=1),
    )
    sized = sized[sized["size"] != ""]
    families = {name: own for name, own in sized.groupby("family") if own["size"].nunique() == 2}
    if len(families) > 1:
        families["all"] = pd.concat(families.values())
    for family, own in families.items():
        shared = set.intersection(*(set(each["condition"]) for _, each in own.groupby("model")))
        for culture, part in own[own["condition"].isin(shared)].groupby("item", sort=False):
            large, small = (
                part["by_prompt"][part["size"] == size].dropna() for size in ("large", "small")
            )
            if len(large) and len(small):
                yield {
                    **{"group": family, "item": culture},
                    **{"small": small.mean(), "small_sd": small.std(), "small_n": len(small)},
                    **{"large": large.mean(), "large_sd": large.std(), "large_n": len(large)},
                    **{"difference": large.mean() - small.mean(), "p": rank_sum(large, small)},
                }


def _inputs(scores: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """Yield by language of memes the best that saw the picture beside the best that did not."""
    for language, own in scores.groupby("language", sort=False):
        best = []
        for inputs in (("picture", "both"), ("text",)):
            kind = own[own["input"].isin(inputs)]
            means = kind.groupby("group", sort=False)["accuracy"].mean().fillna(-1)
            best.append(kind[kind["group"] == means.idxmax()] if len(kind) else kind)
        for seeing, reading in zip(*map(rows_of, best), strict=False):
            memes = "all memes" if language == "" else f"memes {seeing.language}"
            yield {
                "group": f"{memes}: {seeing.model} ({seeing.input}){BETWEEN}{reading.model}",
                "item": seeing.item,
                **{"with_picture": seeing.accuracy, "with_picture_sd": seeing.sd},
                **{"text_alone": reading.accuracy, "text_alone_sd": reading.sd},
                "difference": seeing.accuracy - reading.accuracy,
                "p": rank_sum(seeing.by_prompt, reading.by_prompt),
            }
