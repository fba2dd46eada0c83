"""An evaluation in plain values. In: `Evaluation`. Out: what `--json` prints; NaN is None."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any

from memeloc.evaluate.scores import CultureScores, Evaluation, Rates, Value
from memeloc.evaluate.scores.coded import Condition, Prompt
from memeloc.evaluate.scores.figures import BesideBaseline, ChoiceScores, PositionBias, Ranking

_MACRO = ("precision", "recall", "f1", "mae", "mmae")


def summary_of(
    run: str, evaluation: Evaluation, numbers: Mapping[tuple[int, int], str]
) -> dict[str, Any]:
    """The figures of an evaluation; guides/evaluation.md has each key.

    Args:
        numbers: by wording and order the prompt's number in `by_prompt`.
    """
    table = evaluation.answers.table
    conditions = [_condition(evaluation, rates, numbers) for rates in evaluation.rates]
    return {
        "run": run,
        "answers": len(table),
        "items": int(table["item"].nunique()),
        "invalid": int(table["invalid"].sum()),
        "refused": int(table["refused"].sum()),
        "rules": {str(rule): int(n) for rule, n in table["rule"].value_counts().items()},
        "cultures": conditions[0]["cultures"] if len(conditions) == 1 else {},
        "conditions": conditions,
        "baselines": {
            each.name: {
                "questions": each.questions,
                "accuracy": _number(each.overall),
                "macro": _number(each.macro),
                "group_accuracy": _number(each.group),
            }
            for each in evaluation.baselines
        },
        "notes": list(dict.fromkeys([*evaluation.answers.notes, *evaluation.notes])),
        "settings": {
            "seed": evaluation.settings.seed,
            "bootstraps": evaluation.settings.bootstraps,
            "confidence": evaluation.settings.confidence,
        },
    }


def _condition(
    evaluation: Evaluation, rates: Rates, numbers: Mapping[tuple[int, int], str]
) -> dict[str, Any]:
    key = rates.condition
    choices = {each.culture: each for each in evaluation.choices if each.condition == key}
    return {
        **key._asdict(),
        "answers": rates.answers,
        "items": rates.items,
        "invalid": round(rates.invalid.value * rates.answers),
        "refused": round(rates.refused.value * rates.answers),
        "invalid_rate": _number(rates.invalid.value),
        "refused_rate": _number(rates.refused.value),
        "cultures": {
            scores.culture: _culture(scores, numbers, choices.get(scores.culture))
            for scores in evaluation.scores
            if scores.condition == key
        },
        "best": _best(_of(key, evaluation.rankings)),
        "position": _position(_of(key, evaluation.positions)),
        "right_places": {
            str(each.place): {"answers": each.answers, **_interval("accuracy", each.accuracy)}
            for each in evaluation.places
            if each.condition == key
        },
        "beside_baselines": {
            each.baseline: _beside(each)
            for each in evaluation.beside_baselines
            if each.condition == key and not each.dimension
        },
    }


def _beside(each: BesideBaseline) -> dict[str, Any]:
    return {
        "questions": each.questions,
        "accuracy": _number(each.accuracy),
        "of_baseline": _number(each.of_baseline),
        **_interval("difference", each.difference),
    }


def _of(condition: Condition, figures: Any) -> Any:
    return next((each for each in figures if each.condition == condition), None)


def _culture(
    scores: CultureScores, numbers: Mapping[tuple[int, int], str], choice: ChoiceScores | None
) -> dict[str, Any]:
    result = {
        "items": scores.items,
        **_interval("accuracy", scores.accuracy),
        "sd": _number(scores.sd),
        **{name: _number(getattr(scores, name).value) for name in _MACRO},
        "by_prompt": {
            _prompt(each.prompt, numbers): _number(each.accuracy) for each in scores.by_prompt
        },
        "f1_by_prompt": {
            _prompt(each.prompt, numbers): _number(each.f1) for each in scores.by_prompt
        },
        "labels": {
            each.label: {
                "precision": _number(each.precision),
                "recall": _number(each.recall),
                "f1": _number(each.f1.value),
                "support": each.support,
            }
            for each in scores.by_label
        },
    }
    if choice is not None:
        result |= {
            "dimensions": {
                name: {"questions": questions, **_interval("accuracy", value)}
                for name, questions, value in choice.dimensions
            },
            "toxicity": _number(choice.toxicity.value),
            "reasoning": _number(choice.reasoning.value),
            "macro": _number(choice.macro.value),
            "group_accuracy": _number(choice.group.value),
            "group_memes": choice.memes,
            "pair_accuracy": _number(choice.by_pair.value),
            "pairs": choice.pairs,
        }
    return result


def _prompt(prompt: Prompt, numbers: Mapping[tuple[int, int], str]) -> str:
    return numbers.get((prompt.wording, prompt.order), prompt.title)


def _best(ranking: Ranking | None) -> dict[str, Any] | None:
    if ranking is None:
        return None
    return {
        "culture": ranking.best,
        "second": ranking.second,
        "lowest": ranking.lowest,
        "p_second": _number(ranking.p_second),
        "p_lowest": _number(ranking.p_lowest),
    }


def _position(bias: PositionBias | None) -> dict[str, Any] | None:
    if bias is None or not bias.shares:
        return None
    return {
        "shares": [_number(share) for share in bias.shares],
        "changed": _number(bias.changed.value),
        "pairs": bias.pairs,
    }


def _interval(name: str, value: Value) -> dict[str, float | None]:
    return {name: _number(value.value), "low": _number(value.low), "high": _number(value.high)}


def _number(value: float) -> float | None:
    return float(value) if isfinite(value) else None
