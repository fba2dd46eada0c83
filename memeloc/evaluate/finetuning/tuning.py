"""Fine-tuning by a run of any kind. In: a run, a folder. Out: `Tuned`."""

from __future__ import annotations

from pathlib import Path

from memeloc.evaluate.finetuning.classifying import fine_tune
from memeloc.evaluate.finetuning.cultures import read_cultures, tune_cultures
from memeloc.evaluate.finetuning.kept import Tuned
from memeloc.evaluate.finetuning.run_file import FineTuningRun, LoraRun
from memeloc.evaluate.training.reading import read_dataset
from memeloc.evaluate.training.vectors import OnProgress


def tune(
    run: FineTuningRun | LoraRun,
    folder: Path,
    on_progress: OnProgress = lambda what, more, total: None,
) -> Tuned:
    """Read the dataset of a run, and train and test its models.

    The same run again takes what was finished from the folder, and goes on with the rest.

    Args:
        run: of `read_finetuning`.
        folder: for models, and for what they answered.
        on_progress: see `OnProgress`; counts models, and steps and answers within one.

    Raises:
        InputError: the dataset or a model cannot be read; the sentence says why.
        MissingError: the extra `torch` is not installed.
    """
    if isinstance(run, LoraRun):
        return tune_cultures(read_cultures(run, folder), run, folder, on_progress)
    return fine_tune(read_dataset(run.data, run.labels, folder), run, folder, on_progress)
