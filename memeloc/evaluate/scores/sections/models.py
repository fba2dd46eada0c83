"""Models beside each other. In: `Scored`. Out: a `Section`: by size, with and without picture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import nan
from typing import TYPE_CHECKING

import numpy as np

from memeloc.evaluate.scores.by_culture import sd
from memeloc.evaluate.scores.coded import Condition
from memeloc.evaluate.scores.figures import CultureScores
from memeloc.evaluate.scores.sections.ranks import METHOD, rank_sum
from memeloc.evaluate.scores.sections.scored import Scored, table
from memeloc.evaluate.scores.settings import ScoreSettings
from memeloc.reports.sections import Bars, Section, Table

if TYPE_CHECKING:
    import pandas as pd

_SIZES = {
    "family": "models of one maker and kind; `all` for the mean of those that have both sizes",
    "culture": "whose labels are right",
    "small_models": "small models of the family",
    "small": "their mean accuracy, 0 to 1",
    "small_sd": "standard deviation (n - 1)",
    "large_models": "large models of the family",
    "large": "their mean accuracy, 0 to 1",
    "large_sd": "standard deviation (n - 1)",
    "difference": "large minus small, -1 to 1",
    "p": "two-sided p-value of the rank-sum test",
}
_MODELS = {
    "family": "models of one maker and kind",
    "model": "the model",
    "parameters": "in billions",
    "size": "small, large, or between",
    "culture": "whose labels are right",
    "accuracy": "mean over its conditions and prompts, 0 to 1",
    "sd": "standard deviation over them (n - 1)",
}
_INPUTS = {
    "memes": "their language",
    "culture": "whose labels are right",
    "with_picture": "the best model with the picture, and what it got",
    "accuracy_with_picture": "mean over its prompts, 0 to 1",
    "sd_with_picture": "standard deviation (n - 1)",
    "text_alone": "the best model with the caption alone",
    "accuracy_text_alone": "mean over its prompts, 0 to 1",
    "sd_text_alone": "standard deviation (n - 1)",
    "difference": "with the picture minus without, -1 to 1",
    "p": "two-sided p-value of the rank-sum test over the prompts",
}


def models_section(scored: Scored) -> Section | None:
    """Models by family and size, and with the picture against without (multi3hate 5.2, Table 5).

    None where families are not known and no model got both.
    """
    known = {name for name, facts in scored.settings.models.items() if facts.family}
    by_model = list(_models(scored)) if known else []
    sizes = list(_sizes(scored)) if known else []
    inputs = list(_inputs(scored))
    if not by_model and not inputs:
        return None
    settings = scored.settings
    method = (
        f"Small: fewer than {settings.small:g} billion parameters; large: more than "
        f"{settings.large:g} billion (multi3hate 5.2). Small and large ones are compared on the "
        f"conditions that all of them have, over all of their prompts. {METHOD}."
    )
    inputs_method = (
        "In each language of memes the model with the highest mean accuracy over all cultures, "
        f"once of those that saw the picture, once of those with the caption alone. {METHOD}."
    )
    tables = [table("models", "Models by family", by_model, _MODELS, method)] if by_model else []
    tables += [table("sizes", "Small and large models", sizes, _SIZES, method)] if sizes else []
    title = "With the picture and without"
    tables += [table("inputs", title, inputs, _INPUTS, inputs_method)] if inputs else []
    return Section(
        "models",
        "Models beside each other",
        tables=tuple(tables),
        plots=tuple(_plots(tables)),
        sentences=tuple(_sentences(tables)),
    )


def size_of(model: str, settings: ScoreSettings) -> str:
    """`small`, `large` or `between`; empty where it is not known."""
    facts = settings.models.get(model)
    if facts is None or facts.parameters is None:
        return ""
    if facts.parameters < settings.small:
        return "small"
    return "large" if facts.parameters > settings.large else "between"


def _models(scored: Scored) -> Iterator[tuple[object, ...]]:
    facts = scored.settings.models
    models = dict.fromkeys(condition.model for condition in scored.by_condition)
    named = [model for model in models if model in facts and facts[model].family]
    for model in sorted(named, key=lambda m: (facts[m].family, facts[m].parameters or 0, m)):
        size, parameters = size_of(model, scored.settings), facts[model].parameters
        for culture in scored.coded.cultures:
            values = _accuracies(scored, [model], culture, _conditions(scored, model))
            shown = nan if parameters is None else float(parameters)
            row = (facts[model].family, model, shown, size, culture)
            yield (*row, float(np.mean(values)) if values else nan, sd(values))


def _sizes(scored: Scored) -> Iterator[tuple[object, ...]]:
    """A row a family and culture, of families with small and large models, then all of them."""
    facts = scored.settings.models
    models = list(dict.fromkeys(condition.model for condition in scored.by_condition))
    families: dict[str, dict[str, list[str]]] = {}
    for model in models:
        if model in facts and facts[model].family:
            sizes = families.setdefault(facts[model].family, {})
            sizes.setdefault(size_of(model, scored.settings), []).append(model)
    both = {name: sizes for name, sizes in families.items() if sizes.keys() >= {"small", "large"}}
    if len(both) > 1:
        both["all"] = {
            size: [model for sizes in list(both.values()) for model in sizes[size]]
            for size in ("small", "large")
        }
    for family, sizes in both.items():
        shared = set.intersection(
            *(_conditions(scored, model) for size in ("small", "large") for model in sizes[size])
        )
        for culture in scored.coded.cultures:
            small, large = (
                _accuracies(scored, sizes[size], culture, shared) for size in ("small", "large")
            )
            if small and large:
                yield (
                    *(family, culture, ", ".join(sizes["small"]), np.mean(small), sd(small)),
                    *(", ".join(sizes["large"]), np.mean(large), sd(large)),
                    *(np.mean(large) - np.mean(small), rank_sum(large, small)),
                )


def _conditions(scored: Scored, model: str) -> set[Condition]:
    """A model's conditions, without its name."""
    return {each._replace(model="") for each in scored.by_condition if each.model == model}


def _accuracies(
    scored: Scored, models: Sequence[str], culture: str, shared: set[Condition]
) -> list[float]:
    return [
        accuracy
        for score in scored.scores
        if score.culture == culture
        and score.condition.model in models
        and score.condition._replace(model="") in shared
        for accuracy in score.accuracies
        if np.isfinite(accuracy)
    ]


def _inputs(scored: Scored) -> Iterator[tuple[object, ...]]:
    for language in dict.fromkeys(each.language for each in scored.by_condition):
        own = [each for each in scored.by_condition if each.language == language]
        seeing = _best(scored, [each for each in own if each.input in ("picture", "both")])
        reading = _best(scored, [each for each in own if each.input == "text"])
        if not seeing or not reading:
            continue
        for first, second in zip(seeing, reading, strict=True):
            yield (
                *(language, first.culture, f"{first.condition.model} ({first.condition.input})"),
                *(first.accuracy.value, first.sd, second.condition.model),
                *(second.accuracy.value, second.sd, first.accuracy.value - second.accuracy.value),
                rank_sum(first.accuracies, second.accuracies),
            )


def _best(scored: Scored, conditions: Sequence[Condition]) -> tuple[CultureScores, ...]:
    def mean(condition: Condition) -> float:
        values = [score.accuracy.value for score in scored.by_condition[condition]]
        return float(np.nanmean(values)) if np.isfinite(values).any() else -1.0

    return scored.by_condition[max(conditions, key=mean)] if conditions else ()


def _plots(tables: Sequence[Table]) -> Iterator[Bars]:
    for each in tables:
        if each.name == "sizes":
            frame = each.frame.set_index(["family", "culture"])[["small", "large"]]
            yield Bars("sizes", each.title, frame, "accuracy", each.method)
        if each.name == "inputs":
            columns = ["accuracy_with_picture", "accuracy_text_alone"]
            frame = each.frame.set_index(["memes", "culture"])[columns]
            frame.columns = ["with the picture", "caption alone"]
            yield Bars("inputs", each.title, frame, "accuracy", each.method)


def _sentences(tables: Sequence[Table]) -> Iterator[str]:
    frames: dict[str, pd.DataFrame] = {each.name: each.frame for each in tables}
    if "sizes" in frames:
        sizes = frames["sizes"]
        last = sizes[sizes["family"] == sizes["family"].iloc[-1]]
        most = last.loc[last["difference"].idxmax()]
        yield (
            f"Large models differ most from small ones with the labels of {most['culture']} "
            f"({100 * most['difference']:+.1f} percentage points)."
        )
    if "inputs" in frames:
        for _, row in frames["inputs"].groupby("memes", sort=False).head(1).iterrows():
            memes = f"With memes in {row['memes']}" if row["memes"] else "Of all memes"
            yield (
                f"{memes} the best model with the picture reaches "
                f"{100 * row['accuracy_with_picture']:.1f} % with the labels of "
                f"{row['culture']}, the best with the caption alone "
                f"{100 * row['accuracy_text_alone']:.1f} %."
            )
