"""Fine-tuning encoders by a run. In: a dataset, a run, a folder. Out: `Tuned`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from memeloc.errors import InputError
from memeloc.evaluate.answers import ModelAnswers
from memeloc.evaluate.finetuning.fitting import fit_network, scores_of
from memeloc.evaluate.finetuning.kept import (
    MODELS,
    Fold,
    Tuned,
    TunedModel,
    content_key,
    read_fold,
    run_key,
    write_fold,
)
from memeloc.evaluate.finetuning.run_file import FineTuningRun, NetworkSettings
from memeloc.evaluate.training.examples import Dataset, Example, Rows
from memeloc.evaluate.training.saving import folder_name
from memeloc.evaluate.training.splitting import Split, split_dataset
from memeloc.evaluate.training.vectors import OnProgress


def fine_tune(
    dataset: Dataset,
    run: FineTuningRun,
    folder: Path,
    on_progress: OnProgress = lambda what, more, total: None,
) -> Tuned:
    """Train and test all models of a run; one that was finished before is not trained again.

    A model learns from the examples that have what it sees: a text, a picture, or (both) a picture.

    Args:
        run: encoders, their training, the split, the seed.
        folder: for models, and for what they predicted.
        on_progress: see `OnProgress`; counts models, and steps and predictions within one.

    Raises:
        InputError: an encoder or a picture cannot be loaded, or no example has what a model sees.
        MissingError: the extra `torch` is not installed.
    """
    splits = split_dataset(dataset, run.split, seed=run.seed)
    keys = [content_key(example) for example in dataset.examples]
    total = len(run.models) * len(splits.splits)
    models = []
    for number, settings in enumerate(run.models, 1):
        for split in splits.splits:
            part = f"-{folder_name(0, split.name)[3:]}" if len(splits.splits) > 1 else ""
            own = folder / MODELS / f"{folder_name(number, settings.name)}{part}"
            models.append(_model(dataset, keys, run, settings, split, own, on_progress))
            on_progress("models", 1, total)
    about = {**dataset.about, "split": splits.about}
    return Tuned(run, _answers(dataset, models), dataset.gold, tuple(models), about, dataset.notes)


def _model(
    dataset: Dataset,
    keys: Sequence[str],
    run: FineTuningRun,
    settings: NetworkSettings,
    split: Split,
    folder: Path,
    on_progress: OnProgress,
) -> TunedModel:
    training = run.training_of(settings)
    train, test = (_seen(dataset, rows, settings) for rows in (split.train, split.test))
    examples = [dataset.examples[row] for row in train]
    tested = [dataset.examples[row] for row in test]
    if not examples or not tested:
        what = "text" if settings.input == "text" else "picture"
        raise InputError(
            f"The model {settings.name} needs a {what}, and no example "
            f"{'of training' if not examples else 'that is tested on'} has one."
        )
    depends = [settings.model_dump(), training.recorded(), dataset.labels, run.seed, run.save]
    labelled = [(keys[row], dataset.examples[row].label) for row in train]
    key = run_key(depends, labelled, [keys[row] for row in test])
    fold = read_fold(folder, key)
    if fold is None:
        network, history = fit_network(
            settings,
            examples,
            dataset.labels,
            training,
            checkpoints=folder / f"checkpoints-{key[:16]}",
            device=run.device,
            seed=run.seed,
            on_progress=on_progress,
        )
        scores = scores_of(network, tested, training, device=run.device, on_progress=on_progress)
        if run.save:
            network.save(folder)
        labels = [dataset.labels[place] for place in scores.argmax(axis=1)]
        answers = {each.item: label for each, label in zip(tested, labels, strict=True)}
        counts = Counter(example.label for example in examples)
        by_label = {label: counts[label] for label in dataset.labels}
        fold = Fold(settings.name, split.name, by_label, answers, history)
        write_fold(folder, key, fold)
    built_of = tuple(each for each in (settings.text, settings.picture) if each)
    return TunedModel(fold, folder, settings.input, built_of, training.recorded())


def _seen(dataset: Dataset, rows: Rows, settings: NetworkSettings) -> Rows:
    """Those of the rows that have what a model sees."""

    def has(example: Example) -> bool:
        return bool(example.picture) if settings.picture else bool(example.text.strip())

    return np.array([row for row in rows if has(dataset.examples[row])], dtype=np.int64)


def _answers(dataset: Dataset, models: Sequence[TunedModel]) -> ModelAnswers:
    import pandas as pd

    languages = {example.item: example.language for example in dataset.examples}
    rows = [
        (model.fold.model, item, model.input, languages[item], label, label, "trained")
        for model in models
        for item, label in model.fold.answers.items()
    ]
    columns = ["model", "item", "input", "language", "answer", "choice", "rule"]
    return ModelAnswers.of(pd.DataFrame(rows, columns=columns), dataset.labels)
