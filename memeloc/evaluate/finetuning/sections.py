"""Sections of fine-tuning. In: `Tuned`, its evaluation. Out: `Section`s of its page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from memeloc.evaluate.finetuning.tuned import Tuned, TunedModel
from memeloc.reports.sections import Lines, Section, Table

if TYPE_CHECKING:
    import pandas as pd


def training_section(tuned: Tuned) -> Section:
    """What was trained, on how much, and how its loss went; what could not be built."""
    rows = [_row(model) for model in tuned.models]
    columns = {
        "model": "its name in the run",
        "part": "what it was tested on",
        "built of": "the encoders, or the model, that it began as",
        "input": "what it sees",
        "trained on": "examples",
        "tested on": "examples",
        "epochs": "passes over the examples of training",
        "learning rate": "the highest of the schedule",
        "loss": "mean over the last epoch; of labels in nats, of answers by token",
    }
    table = Table.of(
        "training",
        "What was trained",
        rows,
        columns,
        f"{_split(tuned)} The optimiser is AdamW, without weight decay unless the run names one.",
    )
    return Section(
        "training",
        "Training",
        tables=(table, _epochs(tuned), _settings(tuned)),
        plots=tuple(_losses(tuned)),
        gaps=tuple(f"{each.name} is not built: {each.why}" for each in tuned.run.not_built),
    )


def _row(model: TunedModel) -> tuple[object, ...]:
    fold = model.fold
    return (
        *(fold.model, fold.part, " + ".join(model.built_of), model.input),
        *(sum(fold.trained_on.values()), len(fold.answers)),
        *(len(fold.history), f"{model.training['learning_rate']:g}" if fold.history else ""),
        fold.history[-1]["loss"] if fold.history else float("nan"),
    )


def _settings(tuned: Tuned) -> Table:
    """How each model was trained, but for what it was trained on."""
    import pandas as pd

    models = {model.fold.model: model for model in tuned.models if model.fold.history}
    frame = pd.DataFrame(
        [
            {"model": name}
            | {key.replace("_", " "): _plain(value) for key, value in each.training.items()}
            for name, each in models.items()
        ]
    )
    columns = dict.fromkeys(frame.columns, "as in the run file") | {"model": "its name in the run"}
    return Table(
        "training-settings", "How it was trained", frame, columns, "Settings of the run file."
    )


def _plain(value: object) -> object:
    """Numbers with a fraction as text, for a learning rate has more zeros than a column shows."""
    return f"{value:g}" if isinstance(value, float) else value


def _epochs(tuned: Tuned) -> Table:
    columns = {
        "model": "its name in the run",
        "part": "what it was tested on",
        "epoch": "from 1",
        "loss": "mean over the epoch",
        "learning rate": "at its end",
    }
    rows = [
        (model.fold.model, model.fold.part, round(each["epoch"]), each["loss"], rate)
        for model in tuned.models
        for each in model.fold.history
        for rate in (f"{each['learning_rate']:.3g}",)
    ]
    return Table.of("epochs", "Loss by epoch", rows, columns, _split(tuned))


def _losses(tuned: Tuned) -> Iterator[Lines]:
    """A plot for each kind of input, a line a model: the mean over the parts of the split."""
    import pandas as pd

    names = {"text": "text", "picture": "pictures", "both": "text and pictures"}
    for kind, name in names.items():
        losses: dict[str, list[pd.Series[float]]] = {}
        for model in tuned.models:
            if model.input == kind and model.fold.history:
                by_epoch = {round(each["epoch"]): each["loss"] for each in model.fold.history}
                losses.setdefault(model.fold.model, []).append(pd.Series(by_epoch))
        if losses:
            means = {each: pd.concat(own, axis=1).mean(axis=1) for each, own in losses.items()}
            yield Lines(
                f"losses-{kind}",
                f"Loss by epoch, models of {name}",
                pd.DataFrame(means).rename_axis("epoch"),
                "mean loss of training",
                f"{_split(tuned)} Of several parts the mean.",
            )


def _split(tuned: Tuned) -> str:
    return f"Split: {tuned.about['split']}."
