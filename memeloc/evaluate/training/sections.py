"""Trained models as sections of a report. In: a `Comparison`. Out: `Section`s."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from memeloc.evaluate.training.comparing import CONFIDENCE, Comparison, ModelScores
from memeloc.evaluate.training.training import input_of
from memeloc.reports.sections import Heatmap, Intervals, Section, Table

if TYPE_CHECKING:
    import pandas as pd

_INPUTS = {"": "nothing", "text": "text", "picture": "picture", "both": "both"}
_SHARE = "0 to 1"


def sections_of(comparison: Comparison) -> tuple[Section, ...]:
    """What the page shows: all models, classes, languages where there are some, the splits."""
    languages = {example.language for example in comparison.training.dataset.examples}
    parts = [models_section(comparison), classes_section(comparison)]
    if len(languages) > 1:
        parts.append(languages_section(comparison))
    return (*parts, splits_section(comparison))


def models_section(comparison: Comparison) -> Section:
    """All models on their common items, in the labels and in coarser ones."""
    import pandas as pd

    training = comparison.training
    inputs = {model.name: input_of(model, training.features) for model in training.run.models}
    frame = pd.DataFrame([_row(scores, inputs) for scores in comparison.scores])
    if len(training.splits.splits) < 2:
        frame = frame.drop(columns="sd of folds")
    if not training.dataset.levels:
        frame = frame.drop(columns=["MAE", "MMAE"])
    columns = {
        "task": "how many labels; coarser ones by mapping the predictions",
        "model": "its name in the run",
        "input": "what it looks at",
        "items": "tested by all models",
        "accuracy": _SHARE,
        "precision": f"macro average, {_SHARE}",
        "recall": f"macro average, {_SHARE}",
        "F1": f"macro average, {_SHARE}",
        "low": f"of F1: lower end of its {CONFIDENCE:.0%} interval",
        "high": f"of F1: upper end of its {CONFIDENCE:.0%} interval",
        "sd of folds": "standard deviation of the folds' F1 (ddof 1)",
        "MAE": "mean distance of levels",
        "MMAE": "mean over the labels of the MAE within each (harmeme 6)",
    }
    count = comparison.scores[0].items
    method = (
        f"On the {count:,} items that all models were tested on. F1 is the mean over all labels, "
        "one that is never predicted counting 0. Intervals: percentiles of "
        f"{training.run.bootstraps:,} resamples of items (seed {training.run.seed})."
    )
    first = [scores for scores in comparison.scores if scores.task == comparison.tasks[0]]
    best = max(first, key=lambda scores: float(scores.metrics.f1))
    low, high = best.interval("f1")
    sentence = (
        f"Of {len(first)} models {best.model} has the highest macro-F1, "
        f"{float(best.metrics.f1):.3f} [{low:.3f}, {high:.3f}], in {comparison.tasks[0].name} "
        f"on {count:,} items."
    )
    plots = tuple(
        Intervals(
            f"f1-{number}",
            f"Macro-F1, {task.name}",
            _intervals([each for each in comparison.scores if each.task == task]),
            "macro-F1",
            method,
        )
        for number, task in enumerate(comparison.tasks, 1)
    )
    table = Table("models", "Models", frame, _only(columns, frame), method)
    own = _own_items(comparison)
    figures = {f"f1 {s.task.name} {s.model}": float(s.metrics.f1) for s in comparison.scores}
    return Section("models", "Models", (table, own), plots, (sentence,), figures)


def classes_section(comparison: Comparison) -> Section:
    """F1 and support of each label, a model each."""
    rows = [
        (
            scores.task.name,
            label,
            int(scores.metrics.support[place]),
            scores.model,
            int(scores.counts[:, place].sum()),
            float(scores.metrics.precisions[place]),
            float(scores.metrics.recalls[place]),
            float(scores.metrics.f1s[place]),
        )
        for task in comparison.tasks
        for place, label in enumerate(task.labels)
        for scores in comparison.scores
        if scores.task == task
    ]
    columns = {
        "task": "how many labels",
        "class": "the label",
        "support": "items that have it",
        "model": "its name in the run",
        "predicted": "items for which it was predicted",
        "precision": _SHARE,
        "recall": _SHARE,
        "F1": _SHARE,
    }
    method = "On the items that all models were tested on; 0 where nothing was predicted."
    table = Table.of("classes", "F1 by class", rows, columns, method, captions=("class",))
    finest = table.frame[table.frame["task"] == comparison.tasks[0].name]
    matrix = finest.pivot(index="model", columns="class", values="F1")
    matrix = matrix.loc[
        list(comparison.training.predictions), list(comparison.tasks[0].labels)
    ].rename_axis(index=None, columns=None)
    return Section(
        "classes", "Classes", (table,), (Heatmap("f1-by-class", "F1 by class", matrix, method),)
    )


def languages_section(comparison: Comparison) -> Section:
    """Macro-F1 of each language's items, a model each."""
    training, task = comparison.training, comparison.tasks[0]
    tags = np.array([example.language for example in training.dataset.examples])
    common = training.common
    rows = []
    for tag in sorted(set(tags[common])):
        own = common[tags[common] == tag]
        for model in training.predictions:
            scores = comparison.scored(model, task, own)
            low, high = scores.interval("f1")
            f1, accuracy = float(scores.metrics.f1), float(scores.metrics.accuracy)
            rows.append((tag or "none", len(own), model, accuracy, f1, low, high))
    columns = {
        "language": "of the text",
        "items": "tested by all models",
        "model": "its name in the run",
        "accuracy": _SHARE,
        "F1": f"macro average over all labels, {_SHARE}",
        "low": f"of F1: lower end of its {CONFIDENCE:.0%} interval",
        "high": f"of F1: upper end of its {CONFIDENCE:.0%} interval",
    }
    method = f"{task.name}, on the items of a language that all models were tested on."
    table = Table.of("languages", "Macro-F1 by language", rows, columns, method)
    matrix = table.frame.pivot(index="model", columns="language", values="F1")
    matrix = matrix.loc[list(training.predictions)].rename_axis(index=None, columns=None)
    return Section(
        "languages",
        "Languages",
        (table,),
        (Heatmap("f1-by-language", "Macro-F1 by language", matrix, method),),
    )


def splits_section(comparison: Comparison) -> Section:
    """How many examples of each label were trained on and tested on."""
    training = comparison.training
    classes, labels = training.dataset.classes, training.dataset.labels
    rows = []
    for split in training.splits.splits:
        learned, tested = (
            np.bincount(classes[own], minlength=len(labels)) for own in (split.train, split.test)
        )
        rows += [
            (split.name, label, int(learned[place]), int(tested[place]))
            for place, label in enumerate(labels)
        ]
    columns = {
        "split": "its name",
        "class": "the label",
        "trained on": "examples",
        "tested on": "examples",
    }
    about = training.splits.about
    method = f"{about[:1].upper()}{about[1:]}."
    gaps: tuple[str, ...] = ()
    if training.splits.left_out:
        gaps = (f"{training.splits.left_out:,} examples are in neither part and were not used.",)
    table = Table.of("splits", "Examples by split", rows, columns, method, captions=("class",))
    return Section("splits", "Splits", (table,), sentences=(method,), gaps=gaps)


def _row(scores: ModelScores, inputs: dict[str, str]) -> dict[str, object]:
    low, high = scores.interval("f1")
    metrics, folds = scores.metrics, scores.by_fold[~np.isnan(scores.by_fold)]
    return {
        "task": scores.task.name,
        "model": scores.model,
        "input": _INPUTS[inputs[scores.model]],
        "items": scores.items,
        "accuracy": float(metrics.accuracy),
        "precision": float(metrics.precision),
        "recall": float(metrics.recall),
        "F1": float(metrics.f1),
        "low": low,
        "high": high,
        "sd of folds": float(np.std(folds, ddof=1)) if len(folds) > 1 else float("nan"),
        "MAE": float(metrics.mae),
        "MMAE": float(metrics.mmae),
    }


def _intervals(scores: list[ModelScores]) -> pd.DataFrame:
    import pandas as pd

    rows = [(each.model, float(each.metrics.f1), *each.interval("f1")) for each in scores]
    return pd.DataFrame(rows, columns=["label", "value", "low", "high"])


def _own_items(comparison: Comparison) -> Table:
    rows = []
    for model in comparison.training.predictions:
        own = comparison.tested(model)
        for task in comparison.tasks if len(own) else ():
            metrics = comparison.scored(model, task, own).metrics
            rows.append((task.name, model, len(own), float(metrics.accuracy), float(metrics.f1)))
    columns = {
        "task": "how many labels",
        "model": "its name in the run",
        "items": "that it was tested on",
        "accuracy": _SHARE,
        "F1": f"macro average, {_SHARE}",
    }
    method = (
        "Each model on all items that have what it looks at; not to be compared with each other "
        "where the items differ."
    )
    return Table.of("own-items", "Models on all of their items", rows, columns, method)


def _only(columns: dict[str, str], frame: pd.DataFrame) -> dict[str, str]:
    return {name: columns[name] for name in frame.columns}
