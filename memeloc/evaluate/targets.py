"""The target of harm. In: answers of two tasks, harm and target. Out: how right targets are.

harmeme asks for a target of harmful items only (4.2), and its Table 5 scores targets on those that
people found harmful. A system has only its own prediction of harm; so this scores both.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np
import pandas as pd

from memeloc.evaluate.answers import ModelAnswers
from memeloc.evaluate.gold import Gold
from memeloc.evaluate.metrics import Metrics, confusion, measure
from memeloc.reports.sections import Bars, Section, Table

NO_TARGET = "(no target)"
"""Of an item that is not harmful, or was not predicted to be."""
COLUMNS = {
    "model": "its name",
    "after": "which items count; see the method",
    "items": "how many",
    "accuracy": "share with the right target, 0 to 1",
    "precision": "macro precision, 0 to 1",
    "recall": "macro recall, 0 to 1",
    "f1": "macro F1, 0 to 1",
    "mae": "mean distance of the targets' numbers; empty where they have none",
    "mmae": "the same, averaged over targets",
}
METHOD = (
    "True harm: items that people found harmful, as HarMeme's Table 5. Both: those of them that "
    "the model found harmful too. Predicted harm: all items, a target being given where the model "
    f"predicts harm; items without harm, or without predicted harm, are a class of their own, "
    f"{NO_TARGET}, so missed harm and false alarms count as errors. MAE and MMAE take the levels "
    "of the targets, and are left out where that class is among them."
)


def target_section(
    harm: tuple[ModelAnswers, Gold], target: tuple[ModelAnswers, Gold], harmless: AbstractSet[str]
) -> Section:
    """Targets after true and after predicted harm, a model by its name in both tasks.

    Args:
        harm: answers and gold of the task whether an item is harmful.
        target: of whom it harms; answers on all items whose harm was asked, gold of harmful ones.
        harmless: labels of the first task that harm nobody; without an answer an item counts as
            harmless.
    """
    answers, gold = target
    targets = gold.table[gold.cultures[0]].dropna()
    truth = harm[1].table[harm[1].cultures[0]].dropna()
    # By item its target, or none; harmful items whose target is not known are left out.
    whole = targets[targets.isin(gold.labels)].reindex(truth.index)
    whole = whole.where(~truth.isin(harmless), NO_TARGET).dropna()
    alarms, given_targets = _by_model(harm[0]), _by_model(answers)
    models = [name for name in given_targets if name in alarms]
    rows: list[dict[str, Any]] = []
    for model in models:
        predicted, given = alarms[model], given_targets[model]
        alarm = predicted[~predicted.isin(harmless | {""})].index
        asked = whole[whole.index.isin(predicted.index)]
        true = asked[asked != NO_TARGET]
        rows.append(_row(model, "true harm", true, given, gold))
        rows.append(_row(model, "both", true[true.index.isin(alarm)], given, gold))
        rows.append(_after_prediction(model, asked, alarm, given, gold.labels))
    table = pd.DataFrame(rows, columns=list(COLUMNS))
    gaps = () if models else ("No model answered both what is harmful and whom it harms.",)
    title = "Targets after true and after predicted harm"
    plot = table.pivot(index="model", columns="after", values="f1").reindex(models)
    order = [name for name in ("true harm", "both", "predicted harm") if name in plot.columns]
    return Section(
        "targets",
        title,
        (Table("targets", title, table, COLUMNS, METHOD),),
        (Bars("targets", "Macro F1 of targets", plot[order], "macro F1", METHOD),),
        gaps=gaps,
    )


def _by_model(answers: ModelAnswers) -> dict[str, pd.Series[str]]:
    """By model its first answer to each item."""
    table = answers.table.drop_duplicates(["model", "item"])
    return {
        str(name): rows.set_index("item")["choice"]
        for name, rows in table.groupby("model", sort=False)
    }


def _row(
    model: str, after: str, right: pd.Series[str], given: pd.Series[str], gold: Gold
) -> dict[str, Any]:
    levels = [gold.levels[name] for name in gold.labels] if gold.levels else None
    metrics = _measured(right, given.reindex(right.index), gold.labels, levels)
    return {"model": model, "after": after, "items": len(right), **_figures(metrics)}


def _after_prediction(
    model: str,
    whole: pd.Series[str],
    alarm: pd.Index[str],
    given: pd.Series[str],
    labels: tuple[str, ...],
) -> dict[str, Any]:
    """All items, those without predicted harm having no target."""
    guess = given.reindex(whole.index).where(whole.index.isin(alarm), NO_TARGET)
    metrics = _measured(whole, guess, (*labels, NO_TARGET), None)
    return {"model": model, "after": "predicted harm", "items": len(whole), **_figures(metrics)}


def _measured(
    right: pd.Series[str], given: pd.Series[str], labels: tuple[str, ...], levels: list[int] | None
) -> Metrics:
    place = {label: at for at, label in enumerate(labels)}
    gold = np.asarray(right.map(place), dtype=np.int64)
    predicted = np.asarray(given.map(place).fillna(-1), dtype=np.int64)
    return measure(confusion(gold, predicted, len(labels)), levels)


def _figures(metrics: Metrics) -> dict[str, float]:
    names = ("accuracy", "precision", "recall", "f1", "mae", "mmae")
    return {name: float(getattr(metrics, name)) for name in names}
