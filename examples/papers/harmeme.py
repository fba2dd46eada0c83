"""HarMeme: harm in three and two classes, whom it harms, and what the best model goes by.

    python examples/papers/harmeme.py

It reads memes.csv of the current folder, as `memeloc/evaluate/training/shipped/harmeme.toml` says,
or the starter set, and writes the folder harmeme.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pandas as pd

from memeloc.evaluate.confusion import confusion_figures
from memeloc.evaluate.scores.joining import join
from memeloc.evaluate.training import (
    Baseline,
    Training,
    compute_features,
    telling_words,
    train,
    train_run,
    write_training,
)
from memeloc.evaluate.training.run_file import TrainingRun
from memeloc.evaluate.training.shifts import scored
from memeloc.reports.figures import joined, tidy

# Run by its file it has its own folder only to import from.
sys.path.append(str(Path(__file__).parents[2]))

from examples.papers.explaining import explain
from examples.papers.starter import TARGETS, open_run

OUT = Path("harmeme")
HARMLESS = "harmless"
NO_TARGET = "(no target)"
"""Of an item that is not harmful, or was not predicted to be."""


def target_figures(training: Training) -> pd.DataFrame:
    """Return how right targets are after true harm (Table 5), both, and predicted harm.

    The paper asks for a target of harmful items only (4.2), and scores targets on those that people
    found harmful. A system has only its own prediction of harm; so this scores both.
    """
    dataset, run = training.dataset, training.run
    assert isinstance(run, TrainingRun)
    examples = [
        replace(each, label=each.other["target"] if each.label != HARMLESS else "")
        for each in dataset.examples
    ]
    harmed = replace(dataset, examples=tuple(examples), labels=TARGETS, levels={}, coarser={})
    compute_features(harmed.frame, run.features, OUT)
    harm = training.answers.table.pivot(index="item", columns="model", values="choice")
    rows = []
    for model in run.models:
        baseline = Baseline(model, run.features, TARGETS, seed=run.seed)
        answers: dict[str, str] = {}
        for part in train(harmed, baseline, training.folds):
            answers |= part.answers
        own = pd.DataFrame({"given": answers, "harm": harm[model.name]}).dropna()
        own = own.join(harmed.frame["label"]).join(dataset.frame["label"], rsuffix="_harm")
        is_harmful, alarm = own["label_harm"] != HARMLESS, own["harm"] != HARMLESS
        true = own[is_harmful & own["label"].notna()]
        whole = own.assign(
            label=own["label"].where(is_harmful, NO_TARGET),
            given=own["given"].where(alarm, NO_TARGET),
        ).dropna(subset="label")
        levels = range(len(TARGETS))
        for after, items, names, numbers in (
            ("true harm", true, TARGETS, levels),
            ("both", true[alarm[true.index]], TARGETS, levels),
            ("predicted harm", whole, (*TARGETS, NO_TARGET), None),
        ):
            figures = scored(items["label"], items["given"], names, run, numbers)
            rows.append({"group": model.name, "item": after, **figures})
    return tidy("targets", pd.DataFrame(rows), "percentile bootstrap of items")


def main() -> None:
    run, dataset = open_run(
        "harmeme", (HARMLESS, "partially-harmful", "very-harmful"), language="en"
    )
    training = train_run(run, OUT, dataset)
    severity = {label: "" for label in dataset.labels if label != HARMLESS}
    answers = replace(training.answers, table=training.answers.table.assign(language=""))
    kept = {model.name: model.estimator for model in training.saved}
    figures = [
        confusion_figures(join(answers, training.gold), severity),
        target_figures(training),
        telling_words(kept),
    ]
    written = write_training(training, OUT, joined(figures))
    best = "Concat" if "Concat" in kept else "Text"
    for page in explain(training, best, OUT):
        print(page)
    print(written.files.page)


if __name__ == "__main__":
    main()
