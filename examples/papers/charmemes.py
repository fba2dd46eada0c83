"""CHARMemes: 11, 4 and 2 classes, confusion, models over time, and on other datasets.

    python examples/papers/charmemes.py

It reads memes.csv of the current folder, as `memeloc/evaluate/training/shipped/charmemes.toml`
says, or the starter set, and the datasets of charmemes-transfer.toml that are there.
"""

from __future__ import annotations

import sys
import tomllib
from dataclasses import replace
from pathlib import Path

from memeloc.evaluate.confusion import confusion_figures
from memeloc.evaluate.runs.run import DatasetSettings, GoldSettings
from memeloc.evaluate.scores.joining import join
from memeloc.evaluate.training import (
    Baseline,
    compute_features,
    load_label_map,
    read_dataset,
    share_labels,
    temporal_figures,
    train_run,
    transfer_figures,
    write_training,
)
from memeloc.reports.figures import joined
from memeloc.taxonomy import load_taxonomy

# Run by its file it has its own folder only to import from.
sys.path.append(str(Path(__file__).parents[2]))

from examples.papers.starter import open_run

OUT = Path("charmemes")


def main() -> None:
    votes = load_taxonomy("charmemes").of_role("vote")
    run, dataset = open_run("charmemes", [label.id for label in votes], language="en")
    training = train_run(run, OUT, dataset)
    severity = {label.id: label.group for label in votes if label.severity}
    answers = replace(training.answers, table=training.answers.table.assign(language=""))
    figures = [confusion_figures(join(answers, training.gold), severity)]

    # 5.4, Figure 3: on starter data the words, for want of CLIP.
    models = [model for model in run.models if model.name.startswith("CLIP")]
    models = models or [model for model in run.models if model.features]
    seed, weights = run.seed, run.class_weights
    over_time = {
        model.name: Baseline(model, run.features, dataset.labels, weights, seed) for model in models
    }
    figures.append(temporal_figures(dataset, over_time, run))

    # 5.3, Table 4.
    plan = tomllib.loads(Path(__file__).with_name("charmemes-transfer.toml").read_text("utf-8"))
    datasets, windows = {run.name: ("charmemes", dataset)}, {}
    for target in plan["targets"]:
        data = DatasetSettings.model_validate(target["data"])
        if Path(data.path).is_file():
            other = read_dataset(data, GoldSettings(), OUT / target["name"])
            datasets[target["name"]] = (target.get("dataset", target["name"]), other)
            windows[target["name"]] = tuple(target["window"])
    if len(datasets) > 1:
        shared = share_labels(datasets, load_label_map("harmful"))
        compute_features(shared.frame, run.features, OUT)
        across = {
            model.name: Baseline(model, run.features, shared.labels, weights, seed)
            for model in models
        }
        splits = {run.name: run.split}
        figures.append(transfer_figures(shared, across, run, splits=splits, windows=windows))
    else:
        print("None of the datasets of charmemes-transfer.toml is here: no transfer.")
    print(write_training(training, OUT, joined(figures)).files.page)


if __name__ == "__main__":
    main()
