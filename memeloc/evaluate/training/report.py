"""A training as a page, files and cards. In: a `Training`. Out: a `Report`, tables, predictions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from memeloc.counts import counted
from memeloc.evaluate.training.comparing import Comparison, ModelScores
from memeloc.evaluate.training.models import Trained
from memeloc.evaluate.training.saving import folder_name, save_model
from memeloc.evaluate.training.sections import sections_of
from memeloc.evaluate.training.settings import FeatureSettings
from memeloc.evaluate.training.training import Training, input_of
from memeloc.files import replacing
from memeloc.reports.sections import Card, Report, Section
from memeloc.reports.writing import ReportFiles, write_report
from memeloc.version import __version__

CLASSIFIERS = {
    "logistic": "scikit-learn's logistic regression",
    "boosting": "scikit-learn's gradient boosting on histograms",
    "xgboost": "XGBoost",
    "majority": "the majority class",
    "random": "uniform guesses",
}


def card_of(comparison: Comparison, trained: Trained) -> str:
    """What a model is, what it learned from, how right it was, and how it is used."""
    training = comparison.training
    run, settings = training.run, trained.settings
    own = comparison.tested(settings.name)
    lines = [
        "---",
        "library_name: memeloc",
        "pipeline_tag: " + _PIPELINES[input_of(settings, training.features)],
        "tags: [memes, skops]",
        "---",
        "",
        f"# {settings.name}",
        "",
        f"A model of the run `{run.name}`: {CLASSIFIERS[settings.classifier]}."
        + (f" Features: {', '.join(settings.features)}." if settings.features else "")
        + (f" Fusion: {settings.fusion}." if len(settings.features) > 1 else ""),
        "",
        "## Trained on",
        "",
        *(f"- {name}: {text}" for name, text in training.dataset.about.items()),
        f"- split: {training.splits.about}",
        f"- class weights: {run.class_weights}",
        f"- seed: {run.seed}",
        "",
        "| label | examples |",
        "| --- | ---: |",
        *(
            f"| {label} | {count} |"
            for label, count in zip(trained.labels, trained.counts, strict=True)
        ),
        "",
        "## How right it was",
        "",
        "| task | items | accuracy | macro-F1 | 95 % interval |",
        "| --- | ---: | ---: | ---: | --- |",
    ]
    for task in comparison.tasks if len(own) else ():
        scores = comparison.scored(settings.name, task, own)
        low, high = scores.interval("f1")
        accuracy, f1 = float(scores.metrics.accuracy), float(scores.metrics.f1)
        figures = f"{len(own)} | {accuracy:.3f} | {f1:.3f} | {low:.3f}, {high:.3f}"
        lines.append(f"| {task.name} | {figures} |")
    if training.splits.method == "folds":
        lines += ["", "These are of models of the folds; this one was trained on all examples."]
    lines += [
        "",
        "## Use",
        "",
        "```python",
        "from memeloc.evaluate.training import Example, load_model",
        "",
        'model = load_model("this-folder")',
        'model.predict([Example(item="1", label="", text="a caption", language="en")], "vectors")',
        "```",
        "",
        "It repeats what its examples say, errors and prejudices among it; look at the classes' F1 "
        "before it decides anything, and let people decide about people.",
    ]
    return "\n".join(lines)


_PIPELINES = {
    "": "text-classification",
    "text": "text-classification",
    "picture": "image-classification",
    "both": "image-text-to-text",
}


PREDICTIONS = "answers.parquet"
"""The long table of predictions, an answer a row, as every evaluation writes it."""
MODELS = "models"
"""The folder of the models that are kept."""


@dataclass(frozen=True, slots=True)
class ModelRow:
    """A model in a task, on the items that all models were tested on; 0 to 1."""

    task: str
    model: str
    items: int
    accuracy: float
    f1: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class TrainingSummary:
    """What was trained and written.

    Attributes:
        split: how examples were divided.
        models: by task, then as in the run; of a fine-tuning against each culture, or in each task.
        answers: the table of predictions, or of answers to all items.
        saved: the folders of the models that are kept.
    """

    run: str
    labels: tuple[str, ...]
    split: str
    models: tuple[ModelRow, ...]
    notes: tuple[str, ...]
    files: ReportFiles
    answers: Path
    saved: tuple[Path, ...]


def report_of(
    training: Training,
    more: Sequence[Section] = (),
    cards: Mapping[str, tuple[Card, ...]] | None = None,
) -> Report:
    """The report of a training.

    Args:
        more: further sections, behind those of every training.
        cards: by section, see `Report`.
    """
    run, dataset = training.run, training.dataset
    sections = (*sections_of(Comparison(training)), *more)
    models, tested = counted(len(run.models), "model"), len(training.common)
    weights = run.class_weights
    facts = {
        **dataset.about,
        "split": training.splits.about,
        "class weights": weights if isinstance(weights, str) else _listed(weights),
        "seed": str(run.seed),
    }
    if dataset.levels:
        facts["levels"] = _listed(dataset.levels)
    for name, mapping in dataset.coarser.items():
        facts[name] = _listed(mapping)
    methods = [" ".join(section.sentences) for section in sections if section.sentences]
    return Report(
        name="training",
        title=f"Trained models: {run.name}",
        heading=f"{run.name}: {models} on {counted(tested, 'item')}",
        facts={name.capitalize(): text for name, text in facts.items()},
        sections=sections,
        methods=(
            _models(training),
            *methods,
            f"All figures were computed with memeloc {__version__}.",
        ),
        notes=dataset.notes,
        cards=cards or {},
        data={"run": run.model_dump(mode="json"), "labels": dataset.labels, "items": tested},
    )


def _models(training: Training) -> str:
    """Features and models as a methods paragraph names them."""
    run, used = training.run, training.features.blocks
    features = [f"{name} ({_feature(run.features[name])})" for name in used]
    models = [
        f"{model.name} ({CLASSIFIERS[model.classifier]}"
        + (f" on {', '.join(model.features)}" if model.features else "")
        + (f", fusion by {model.fusion}" if len(model.features) > 1 else "")
        + ")"
        for model in run.models
    ]
    given = f"Features: {'; '.join(features)}. " if features else ""
    weights = run.class_weights if isinstance(run.class_weights, str) else "of the run"
    return f"{given}Models: {'; '.join(models)}. Class weights: {weights}; seed {run.seed}."


def _feature(settings: FeatureSettings) -> str:
    if settings.model:
        return f"{settings.kind} as vectors of {settings.model.rpartition('/')[2]}"
    low, high = settings.lengths
    return f"tf-idf of {low} to {high} {settings.kind} in a row"


def write_training(
    training: Training,
    out: Path,
    more: Sequence[Section] = (),
    cards: Mapping[str, tuple[Card, ...]] | None = None,
    *,
    on_progress: Callable[[int, int], None] = lambda more, total: None,
) -> TrainingSummary:
    """Write the report, the predictions as `answers.parquet`, and the models that are kept.

    Raises:
        InputError: a file cannot be written.
        MissingError: matplotlib or skops is not installed.
    """
    files = write_report(report_of(training, more, cards), out, on_progress=on_progress)
    with replacing(out / PREDICTIONS) as temporary:
        training.answers.table.to_parquet(temporary, index=False)
    comparison = Comparison(training)
    places = {model.name: number for number, model in enumerate(training.run.models, 1)}
    saved = []
    for trained in training.models:
        saved.append(out / MODELS / folder_name(places[trained.name], trained.name))
        save_model(trained, training.run.features, saved[-1], card_of(comparison, trained))
    return TrainingSummary(
        training.run.name,
        training.dataset.labels,
        training.splits.about,
        tuple(map(_row, comparison.scores)),
        training.dataset.notes,
        files,
        out / PREDICTIONS,
        tuple(saved),
    )


def _row(scores: ModelScores) -> ModelRow:
    metrics, interval = scores.metrics, scores.interval("f1")
    accuracy, f1 = float(metrics.accuracy), float(metrics.f1)
    return ModelRow(scores.task.name, scores.model, scores.items, accuracy, f1, *interval)


def _listed(mapping: object) -> str:
    assert hasattr(mapping, "items")
    return ", ".join(f"{name} = {value}" for name, value in mapping.items())
