"""`memeloc evaluate train`. In: a run file. Out: models, predictions and a page in a folder."""

from __future__ import annotations

from pathlib import Path

from typer import Argument, Option

import memeloc
from memeloc.cli.options import AsJson
from memeloc.cli.output import progress
from memeloc.cli.show import Column, Table, by_field, explain, show


def fine_tune(run: str | Path, out: Path | None, models: Table, *, as_json: bool) -> None:
    """Train the models of a run of fine-tuning, and show how right they are.

    Args:
        run: a run file, or a shipped run.
        out: the folder; the run's name where it is None.
        models: how a table of models is shown.
    """
    from memeloc.evaluate.finetuning import read_finetuning, tune, write_tuned

    settings = read_finetuning(run)
    folder = out or Path(Path(run).stem)
    with progress("Training", None, unit="models") as bar:
        tuned = tune(settings, folder, bar.phase)
    with progress("Drawing", None, unit="plots") as bar:
        summary = write_tuned(tuned, folder, on_progress=bar.report)
    explain("Note", summary.notes if not as_json else ())
    show(summary, models, f"The report: {summary.files.page}", as_json=as_json)


_FIGURES = ("accuracy", "F1", "low", "high")
_COLUMNS: list[Column] = [
    *by_field("task", "model", "items"),
    *((name, lambda row, field=name: f"{getattr(row, field.lower()):.3f}") for name in _FIGURES),
]
_MODELS = Table("Models", "models", _COLUMNS)


def train(
    run: Path = Argument(
        metavar="RUN",
        help="A run file (.toml), or a shipped one: charmemes, charmemes-transfer, harmeme, "
        "araharmeme; fine-tuned: charmemes-finetuning, harmeme-finetuning, "
        "araharmeme-finetuning.",
    ),
    out: Path | None = Option(
        None, metavar="DIR", help="Where all of it is written.", show_default="the run's name"
    ),
    as_json: AsJson = False,
) -> None:
    """Train models on a dataset with labels, test them, and compare them on one page.

    A run names the dataset (a table, a release, or a survey of the workspace), how it is split,
    features of texts and pictures, and models on them, beside random and majority. Vectors of
    embedding models are kept in DIR, so a run that was stopped goes on where it was. The same run
    gives the same predictions.
    The tables confusion, target, explain, temporal and transfer of a run add analyses to the page.
    A run of the kind finetuning or lora trains networks on PyTorch (the extra torch) instead.

    Example:
      memeloc evaluate train baselines.toml
      memeloc evaluate train harmeme --out harmeme
      memeloc evaluate train charmemes-finetuning --out networks
      memeloc evaluate train baselines.toml --out results --json
    """
    from memeloc.evaluate.finetuning import is_finetuning
    from memeloc.evaluate.protocols import analyze, read_protocol
    from memeloc.evaluate.training import read_dataset, write_training
    from memeloc.evaluate.training import train as train_models

    if is_finetuning(run):
        fine_tune(run, out, _MODELS, as_json=as_json)
        return
    settings = read_protocol(run)
    folder = out or Path(run.stem)
    if settings.data.survey:
        with memeloc.Workspace.find() as workspace:
            dataset = workspace.evaluating.labelled(settings.data, settings.labels)
    else:
        dataset = read_dataset(settings.data, settings.labels, folder)
    with progress("Training", None, unit="models") as bar:
        training = train_models(dataset, settings, folder, bar.phase)
        more = analyze(training, settings, folder, bar.phase)
    with progress("Drawing", None, unit="plots") as bar:
        summary = write_training(
            training, folder, more.sections, more.cards, on_progress=bar.report
        )
    explain("Note", dataset.notes if not as_json else ())
    show(summary, _MODELS, f"The report: {summary.files.page}", as_json=as_json)
