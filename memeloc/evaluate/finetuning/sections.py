"""Sections of fine-tuning. In: `Tuned`, its evaluation. Out: `Section`s of its page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from memeloc.counts import counted
from memeloc.evaluate.finetuning.run_file import LoraRun
from memeloc.evaluate.finetuning.tuned import Tuned, TunedModel
from memeloc.evaluate.scores.evaluation import Evaluation
from memeloc.reports.sections import Heatmap, Lines, Section, Table
from memeloc.statistics.intervals import percent, percent_with_interval

if TYPE_CHECKING:
    import pandas as pd

MATRIX = "cultures"
"""Name of the section that has each culture's model against each culture."""


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


def matrix_section(tuned: Tuned, evaluation: Evaluation) -> Section:
    """Models trained on the labels of one culture each, scored against all (multi3hate, table 11).

    A culture's labels can be learned where its own model is the one that agrees best with it.
    """
    import pandas as pd

    scores = {(each.condition.model, each.culture): each for each in evaluation.scores}
    cultures = evaluation.coded.cultures
    models = list(dict.fromkeys(model for model, _ in scores))
    rows = [
        (
            *(model, culture, scores[model, culture].items),
            *(scores[model, culture].accuracy.value, scores[model, culture].accuracy.low),
            *(scores[model, culture].accuracy.high, scores[model, culture].f1.value),
        )
        for model in models
        for culture in cultures
    ]
    columns = {
        "model": "and on whose labels it was trained",
        "culture": "whose labels are right",
        "items": "with a label of the culture and an answer",
        "accuracy": "0 to 1; an invalid answer is wrong",
        "low": "lower end of its interval",
        "high": "upper end of its interval",
        "macro F1": "mean over both labels, 0 to 1",
    }
    method = (
        f"Every item was answered by a model that was not trained on it. {_split(tuned)} "
        f"Intervals ({evaluation.settings.confidence:.0%}, percentiles) rest on "
        f"{evaluation.settings.bootstraps:,} resamples of items."
    )
    values = pd.DataFrame(
        [[scores[model, culture].accuracy.value for culture in cultures] for model in models],
        index=pd.Index(models, name="model"),
        columns=pd.Index(cultures, name="culture"),
    )
    title = "Accuracy of each culture's model against each culture"
    return Section(
        MATRIX,
        "A model for each culture",
        tables=(Table.of(MATRIX, title, rows, columns, method),),
        plots=(Heatmap("cultures-matrix", title, values, method),),
        sentences=_sentences(tuned, evaluation, values),
        figures={
            model: {culture: scores[model, culture].accuracy.value for culture in cultures}
            for model in models
        },
    )


def _sentences(tuned: Tuned, evaluation: Evaluation, values: pd.DataFrame) -> tuple[str, ...]:
    assert isinstance(tuned.run, LoraRun)
    own = {culture: f"fine-tuned on {culture}" for culture in tuned.run.lora.cultures}
    tuned_values = values.loc[list(own.values())]
    best = [culture for culture, model in own.items() if tuned_values[culture].idxmax() == model]
    which = f": {', '.join(best)}" if best else ""
    sentences = [
        f"{len(best)} of {counted(len(own), 'culture')} agree best with the model that was trained "
        f"on their own labels{which}."
    ]
    scores = {(each.condition.model, each.culture): each for each in evaluation.scores}
    for culture, model in own.items():
        accuracy = scores[model, culture].accuracy
        text = percent_with_interval(accuracy.value, accuracy.low, accuracy.high)
        before = scores.get(("zero-shot", culture))
        more = f", {percent(before.accuracy.value)} without training" if before else ""
        sentences.append(f"{culture}: its own model agrees with {text} of its labels{more}.")
    return tuple(sentences)


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
