"""Fine-tuning runs of `memeloc evaluate train`. In: a run file. Out: models, answers, a page."""

from __future__ import annotations

from pathlib import Path

from memeloc.cli.output import progress
from memeloc.cli.show import Table, explain, show


def fine_tune(run: str | Path, out: Path | None, models: Table, *, as_json: bool) -> None:
    """Train the models of a run of fine-tuning, and show how right they are.

    Args:
        run: a run file, or a shipped run.
        out: the folder; the run's name where it is None.
        models: how a table of models is shown.
        as_json: whether plain data are printed.
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
