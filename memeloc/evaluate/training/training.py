"""Training. In: a dataset, estimators, folds. Out: what they predict of what they did not see."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from memeloc.embedding.models import library
from memeloc.errors import InputError
from memeloc.evaluate.answers import ModelAnswers
from memeloc.evaluate.choices import read_choice
from memeloc.evaluate.gold import Gold
from memeloc.evaluate.training.dataset import Dataset, read_cultures, read_dataset
from memeloc.evaluate.training.features import EXTRA, OnProgress, compute_features
from memeloc.evaluate.training.folds import Fold, folds_of
from memeloc.evaluate.training.run_file import (
    AnyRun,
    FineTuningRun,
    LoraRun,
    SplitSettings,
    TrainingRun,
)
from memeloc.files import file_sha256, replacing

MODELS = "models"
"""The folder of the models that are kept, within that of the run."""
_KEPT = "answers.json"


@dataclass(frozen=True, slots=True)
class Trained:
    """The result of one training.

    Attributes:
        part: of the dataset, that it was tested on.
        trained_on: examples by label.
        answers: by item what it answered: a label, or words.
        history: of a network by epoch its number, mean loss and last learning rate.
        estimator: as it was fitted; None of a network that is kept.
        name: of the model, in a run.
        input: what it looks at: `text`, `picture`, `both`, or nothing (empty).
        settings: of a network, how it was trained.
        built_of: of a network, names of the encoders or of the model that it began as.
        folder: where it is kept.
    """

    part: str
    trained_on: Mapping[str, int]
    answers: Mapping[str, str]
    history: Sequence[Mapping[str, float]] = ()
    estimator: Any = None
    name: str = ""
    input: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    built_of: Sequence[str] = ()
    folder: Path | None = None


def train(
    dataset: Dataset,
    estimator: Any,
    folds: Sequence[Fold],
    *,
    keep: Path | None = None,
    save: bool = True,
    on_progress: OnProgress = lambda what, more, total: None,
) -> list[Trained]:
    """Train an estimator for each fold, and ask it about what the fold tests. Raise InputError if
    it cannot be trained, MissingError if what it needs is not installed.

    Args:
        estimator: any with fit and predict of scikit-learn's kind, which take tables as
            `Dataset.frame`; it is not changed. Where it has `needs`, names of columns, it sees the
            examples that have any of them.
        folds: of `folds_of`, `periods_of`, or any others.
        keep: the folder where a network of one fold is kept, with what it answered: one that was
            finished is not trained again unless what it depends on has changed, and one that was
            stopped goes on.
        save: whether the network itself is kept, too.
        on_progress: see `OnProgress`; of a network counts steps and answers.
    """
    clone = library("sklearn.base", EXTRA).clone
    frame, needs = dataset.frame, list(getattr(estimator, "needs", ()))
    seen = frame[needs].notna().any(axis=1).to_numpy() | (not needs)
    labelled = seen & frame["label"].notna().to_numpy()
    results = []
    for fold in folds:
        learned = frame.iloc[fold.train[labelled[fold.train]]]
        tested = frame.iloc[fold.test[seen[fold.test]]]
        key = ""
        if keep is not None:
            key = _key([*estimator.key, save], learned, tested)
            if (before := _read_kept(keep, key)) is not None:
                results.append(before)
                continue
        fitted = clone(estimator)
        if keep is not None and not len(tested):
            raise InputError(f"It needs a {needs[0]}, and no example that is tested on has one.")
        if keep is not None:
            fitted.checkpoints = keep / f"checkpoints-{key[:16]}"
            fitted.on_progress = on_progress
        fitted.fit(learned, learned["label"])
        predicted = fitted.predict(tested) if len(tested) else []
        counts = learned["label"].value_counts()
        result = Trained(
            fold.name,
            {label: int(counts.get(label, 0)) for label in dataset.labels},
            dict(zip(tested.index, map(str, predicted), strict=True)),
            getattr(fitted, "history", ()),
            fitted if keep is None else None,
        )
        if keep is not None:
            if save and result.history:
                fitted.save(keep)
            content = {"key": key, "fold": asdict(result)}
            with replacing(keep / _KEPT) as temporary:  # the last file that is written
                temporary.write_text(json.dumps(content, ensure_ascii=False, indent=1), "utf-8")
        results.append(result)
    return results


def _key(settings: list[Any], learned: pd.DataFrame, tested: pd.DataFrame) -> str:
    """Return the hash of all that a training depends on, pictures by their content."""

    def keys(frame: pd.DataFrame) -> list[Any]:
        rows = zip(frame.index, frame["text"], frame["picture"], strict=True)
        try:
            return [[item, text, picture and file_sha256(picture)] for item, text, picture in rows]
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror}", file=error.filename) from error

    content = [settings, list(zip(keys(learned), learned["label"], strict=True)), keys(tested)]
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def _read_kept(folder: Path, key: str) -> Trained | None:
    try:
        content = json.loads((folder / _KEPT).read_text(encoding="utf-8"))
        return Trained(**content["fold"]) if content["key"] == key else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


@dataclass(frozen=True, eq=False)
class Training:
    """The result of a run.

    Attributes:
        dataset: what was learned from; of several cultures with the labels of the first that has
            some.
        gold: what is right, a column a culture where there are several.
        folds: of the dataset; `about` says how they came about.
        tested: what models answered about items of which they had not learned.
        saved: models that are saved; classifiers on all examples where there are folds.
    """

    run: AnyRun
    dataset: Dataset
    gold: Gold
    folds: Sequence[Fold]
    about: Mapping[str, str]
    tested: Sequence[Trained]
    saved: Sequence[Trained]

    @property
    def answers(self) -> ModelAnswers:
        """The answers as those of any models, a row a model and tested item."""
        languages, texts = (self.dataset.frame[name] for name in ("language", "text"))
        rows = [
            (model.name, item, model.input, languages[item], answer)
            for model in self.tested
            for item, answer in model.answers.items()
        ]
        table = pd.DataFrame(rows, columns=["model", "item", "input", "language", "answer"])
        if not isinstance(self.run, LoraRun):
            table = table.assign(choice=table["answer"], rule="trained")
            return ModelAnswers.of(table, self.dataset.labels)
        lora = self.run.lora
        names = [label for _, label in lora.options]
        read = [
            read_choice(
                answer,
                lora.options,
                language=lora.prompt_language,
                prompt=lora.prompt.replace("{text}", texts[item] or ""),
            ).cells(names)
            for item, answer in zip(table["item"], table["answer"], strict=True)
        ]
        table = table.assign(prompt_language=lora.prompt_language, wording=1)
        return ModelAnswers.of(table.join(pd.DataFrame(read, table.index)), names)


def train_run(
    run: AnyRun,
    folder: Path,
    dataset: Dataset | None = None,
    on_progress: OnProgress = lambda what, more, total: None,
) -> Training:
    """Train and test all models of a run; the same run and dataset give the same predictions.
    Raise InputError if a dataset, a feature or a model cannot be read or made, MissingError if what
    the run needs is not installed.

    Args:
        run: of `read_run`.
        folder: for vectors and networks, so that a run that was stopped goes on.
        dataset: in the place of the run's.
        on_progress: see `OnProgress`; counts vectors and models, and steps and answers of networks.
    """
    gold = None
    if isinstance(run, LoraRun):
        jobs, dataset, folds, gold, about = _cultures(run, folder)
    else:
        dataset = dataset or read_dataset(run.dataset, run.gold, folder)
        # Before anything takes long: a split that cannot be made is known at once.
        folds, split = folds_of(dataset, run.split, seed=run.seed)
        about = {**dataset.about, "split": split}
        if isinstance(run, TrainingRun):
            jobs = _baselines(run, dataset, folds, folder, on_progress)
        else:
            jobs = _encoders(run, dataset, folds)
    tested, models = [], []
    total = sum(len(job.folds) for job in jobs)
    is_network = not isinstance(run, TrainingRun)
    for number, job in enumerate(jobs, 1):
        for fold in job.folds:
            has_part = is_network and (len(job.folds) > 1 or isinstance(run, LoraRun))
            name = f"{job.name} {fold.name}" if has_part else job.name
            path = folder / MODELS / folder_name(number, name)
            try:
                (trained,) = train(
                    job.dataset,
                    job.estimator,
                    [fold],
                    keep=path if is_network else None,
                    save=bool(run.save),
                    on_progress=on_progress,
                )
            except InputError as error:
                raise InputError(f"The model {job.name}: {error}") from error
            model = replace(
                trained,
                name=job.name,
                input=job.input,
                settings=job.settings,
                built_of=job.built_of,
                folder=path,
            )
            if len(fold.test):
                tested.append(model)
            is_saved = run.save in (True, "all")
            if isinstance(run.save, tuple):
                is_saved = job.name in run.save
            if is_saved and (bool(trained.history) if is_network else fold is job.folds[-1]):
                models.append(model)
            on_progress("models", 1, total)
    return Training(run, dataset, gold or dataset.gold, folds, about, tested, models)


class _Job(NamedTuple):
    name: str
    input: str
    estimator: Any
    dataset: Dataset
    folds: Sequence[Fold]
    settings: Mapping[str, Any] = {}
    built_of: tuple[str, ...] = ()


def _baselines(
    run: TrainingRun, dataset: Dataset, folds: list[Fold], folder: Path, on_progress: OnProgress
) -> list[_Job]:
    from memeloc.evaluate.training.baselines import Baseline

    used = {name for model in run.models for name in model.features}
    features = {name: each for name, each in run.features.items() if name in used}
    compute_features(dataset.frame, features, folder, on_progress)
    every = np.arange(len(dataset.examples))
    jobs = []
    for model in run.models:
        kinds = {features[name].kind for name in model.features}
        sees = "both" if "pictures" in kinds and len(kinds) > 1 else "text" if kinds else ""
        # Of folds a model is kept that was trained on all examples.
        is_kept = len(folds) > 1 and (run.save == "all" or model.name in run.save)
        jobs.append(
            _Job(
                model.name,
                "picture" if kinds == {"pictures"} else sees,
                Baseline(model, run.features, dataset.labels, run.class_weights, run.seed),
                dataset,
                [*folds, Fold("all", every, every[:0])] if is_kept else folds,
            )
        )
    return jobs


def _encoders(run: FineTuningRun, dataset: Dataset, folds: list[Fold]) -> list[_Job]:
    from memeloc.evaluate.training.networks import Encoder

    jobs = []
    for model in run.models:
        settings = run.training_of(model)
        encoder = Encoder(model, dataset.labels, settings, device=run.device, seed=run.seed)
        built_of = tuple(filter(None, (model.text, model.picture)))
        job = (model.name, model.input, encoder, dataset, folds, settings.recorded, built_of)
        jobs.append(_Job(*job))
    return jobs


def _cultures(
    run: LoraRun, folder: Path
) -> tuple[list[_Job], Dataset, list[Fold], Gold, dict[str, str]]:
    """Return a job for each culture's labels (multi3hate, appendix C).

    For each culture and fold new adapters are trained on that culture's labels of the other folds;
    the answers of all folds together are the model's, and are scored against every culture.
    """
    from memeloc.evaluate.training.networks import Adapter

    datasets = read_cultures(run, folder)
    first = next(iter(datasets.values()))
    examples = {each.item: each for data in datasets.values() for each in data.examples}
    whole = replace(first, examples=tuple(examples.values()))
    split = SplitSettings(method="folds", folds=run.lora.folds)
    folds, sentence = folds_of(whole, split, seed=run.seed)
    adapter = Adapter(run.lora, run.training, device=run.device, seed=run.seed)
    sees = "both" if "{text}" in run.lora.prompt else "picture"
    end = (run.training.recorded, (run.lora.model,))
    jobs = []
    if run.lora.zero_shot:
        every = np.arange(len(examples))
        jobs.append(_Job("zero-shot", sees, adapter, whole, [Fold("all", every[:0], every)], *end))
    labels = {}
    for culture, dataset in datasets.items():
        labels[culture] = {each.item: each.label for each in dataset.examples}
        rows = [
            replace(each, label=labels[culture].get(item, "")) for item, each in examples.items()
        ]
        labelled = replace(whole, examples=tuple(rows))
        jobs.append(_Job(f"fine-tuned on {culture}", sees, adapter, labelled, folds, *end))
    about = {
        **first.about,
        "labels": f"of {', '.join(run.lora.cultures)}",
        "examples": f"{len(examples):,}",
        "split": sentence,
    }
    columns = {name: [rows.get(item) for item in examples] for name, rows in labels.items()}
    table = pd.DataFrame(columns, index=whole.frame.index, dtype=object)
    return jobs, whole, folds, Gold(table, first.labels, about=about), about


def folder_name(number: int, name: str) -> str:
    """Return the folder of a model: its number in the run, and its name in plain letters.

    >>> folder_name(3, "Words + pictures (score)")
    '03-words-pictures-score'
    """
    plain = re.sub(r"[^a-z0-9]+", "-", name.casefold()).strip("-")
    return f"{number:02}-{plain}".strip("-")
