"""`memeloc evaluate train`. In: a run file. Out: models, predictions and a page in a folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from typer import Argument, Option

import memeloc
from memeloc.cli.options import AsJson
from memeloc.cli.output import print_json, progress
from memeloc.cli.show import Column, Table, explain, show

if TYPE_CHECKING:
    from memeloc.evaluate.training.report import TrainedFiles


_COLUMNS: list[Column] = [
    ("model", "group"),
    ("labels of", "item"),
    ("items", lambda row: f"{row['n']:.0f}"),
    *(
        (heading, lambda row, name=name: f"{row[name]:.3f}")
        for heading, name in (
            ("accuracy",) * 2,
            ("F1", "f1"),
            ("low", "f1_low"),
            ("high", "f1_high"),
        )
    ),
]


def _models(written: TrainedFiles) -> list[Any]:
    from memeloc.reports.figures import wide

    tables = [wide(written.figures, name) for name in ("accuracy", "tasks")]
    return [row for table in tables for row in table.to_dict("records")]


_MODELS = Table("Models", _models, _COLUMNS)


def train(
    run: Path = Argument(
        metavar="RUN",
        help="A run file (.toml), or a shipped one: charmemes, harmeme, araharmeme; fine-tuned: "
        "charmemes-finetuning, harmeme-finetuning, araharmeme-finetuning, multi3hate-lora.",
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
    A run of the kind finetuning or lora trains networks on PyTorch (the extra torch) instead.

    Example:
      memeloc evaluate train baselines.toml
      memeloc evaluate train harmeme --out harmeme
      memeloc evaluate train charmemes-finetuning --out networks
      memeloc evaluate train baselines.toml --out results --json
    """
    from memeloc.evaluate.training import read_run, train_run, write_training
    from memeloc.reports import as_json_rows

    settings, folder, dataset = read_run(run), out or Path(run.stem), None
    if settings.data.survey:
        with memeloc.Workspace.find() as workspace:
            dataset = workspace.evaluating.labelled(settings.data, settings.labels)
    with progress("Training", None, unit="models") as bar:
        training = train_run(settings, folder, dataset, bar.phase)
    with progress("Drawing", None, unit="plots") as bar:
        written = write_training(training, folder, on_progress=bar.report)
    explain("Note", written.notes if not as_json else ())
    if as_json:
        print_json(as_json_rows(written.figures))
    else:
        show(written, _MODELS, f"The report: {written.files.page}", as_json=False)
