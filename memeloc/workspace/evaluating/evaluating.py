"""Evaluating models. In: a run, its dataset, the workspace if there is one. Out: plans, results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from memeloc.errors import InputError
from memeloc.evaluate.runs.asking import OpenRun
from memeloc.evaluate.runs.items import RunData
from memeloc.evaluate.runs.run import INPUTS, Run, read_run
from memeloc.evaluate.runs.tables import read_table_data
from memeloc.evaluate.training.dataset import Dataset
from memeloc.evaluate.training.run_file import DataSettings, LabelSettings
from memeloc.publish.reading import is_release
from memeloc.workspace.evaluating.learned import labelled_memes
from memeloc.workspace.evaluating.own_memes import own_memes
from memeloc.workspace.evaluating.published import published_memes
from memeloc.workspace.folder import WorkspaceFolder
from memeloc.workspace.part import Part

PICTURES = "pictures"
"""The folder of a run's results into which pictures of a release are copied."""


def open_run(
    name: str | Path,
    out: str | Path | None = None,
    *,
    workspace: WorkspaceFolder | None = None,
    data: str | Path | None = None,
    gold: str | Path | None = None,
    models: Sequence[str] = (),
    only: Sequence[str] = (),
    languages: Sequence[str] = (),
    inputs: Sequence[str] = (),
    pictures: str | Path | None = None,
    prompts: str | Path | None = None,
    limit: int | None = None,
    budget: float | None = None,
    changes: Mapping[str, Any] | None = None,
) -> OpenRun:
    """Return a run by its file or shipped name, with its dataset.

    Args:
        out: the folder of its results; `evaluation-NAME` by default.
        workspace: whose memes, model settings and kept answers are used; None for none.
        data: a table, a folder of one, or a published dataset, in the place of the run's.
        gold: a table of labels.
        models: names of models at the server of the settings, in the place of the run's.
        only: conditions of the run; empty for all.
        languages: of the memes; empty for the run's.
        inputs: only these of `picture`, `text`, `both`, `none`.
        pictures: the folder of the workspace's rendered pictures; `out` in it by default.
        prompts: a file of prompts, or the name of shipped ones.
        limit: only so many items, the first.
        budget: money, in the currency of the prices.
        changes: further settings of the run, before those of its file.

    Raises:
        InputError: something of that is not there, or does not fit the run.
    """
    values = dict(changes or {})
    if models:
        values["model"] = [{"model": model} for model in models]
    if prompts is not None:
        path = Path(prompts)
        values["prompts"] = str(path.resolve() if path.suffix else prompts)
    dataset = {**values.pop("dataset", {})}
    if languages:
        dataset["languages"] = list(languages)
    if limit is not None:
        dataset["limit"] = limit
    run, folder = read_run(name, {**values, **({"dataset": dataset} if dataset else {})})
    run = _narrowed(run, only, inputs)
    target = Path(out) if out is not None else Path(f"evaluation-{run.name}")
    sources = (
        target,
        folder,
        workspace.settings.language_model if workspace else {},
        workspace.store.computed if workspace else None,
        budget,
    )
    where = Path(data) if data is not None else None
    if where is None and run.dataset.path:
        where = folder / run.dataset.path
    labels = Path(gold) if gold is not None else None
    if data is not None and where is not None and not (where / run.gold.path).exists():
        # The run's table of labels is of its own dataset, not of the one that is named here.
        run = run.model_copy(update={"gold": run.gold.model_copy(update={"path": ""})})
    if where is None and workspace is not None:
        rendered = Path(pictures) if pictures is not None else None
        return OpenRun(run, own_memes(workspace, run, labels, rendered), *sources)
    return OpenRun(run, _data(run, where, labels, target), *sources)


def _narrowed(run: Run, only: Sequence[str], inputs: Sequence[str]) -> Run:
    """Return the run with only some of its conditions and inputs."""
    names = [condition.name for condition in run.conditions]
    if unknown := [name for name in only if name not in names]:
        raise InputError(
            f"The run {run.name} has no condition {unknown[0][:40]!r}; it has {', '.join(names)}."
        )
    if unknown := [each for each in inputs if each not in INPUTS]:
        raise InputError(f"An input is picture, text, both or none, not {unknown[0][:40]!r}.")
    conditions = []
    for condition in run.conditions:
        kept = tuple(each for each in condition.inputs if not inputs or each in inputs)
        if kept and (not only or condition.name in only):
            conditions.append(condition.model_copy(update={"inputs": kept}))
    if not conditions:
        raise InputError(f"No condition of {run.name} has the input {', '.join(inputs)}.")
    return run.model_copy(update={"conditions": tuple(conditions)})


def _data(run: Run, where: Path | None, gold: Path | None, out: Path) -> RunData:
    if where is None:
        raise InputError(
            "The run names no dataset and there is no workspace here: name a table or folder with "
            "--data."
        )
    if not where.exists():
        raise InputError("There is no such dataset.", file=where)
    if where.is_dir() and is_release(where):
        return published_memes(run, where, out / PICTURES, gold)
    return read_table_data(run, where, gold)


class Evaluating(Part):
    """Evaluating models on the workspace's memes, or on another dataset."""

    def open(self, name: str | Path, out: str | Path | None = None, **settings: Any) -> OpenRun:
        """Return a run with its dataset; see `open_run` for the settings."""
        return open_run(name, out, workspace=self._workspace, **settings)

    def labelled(self, data: DataSettings, labels: LabelSettings) -> Dataset:
        """Return the memes of a survey with its labels, to learn from; see `labelled_memes`."""
        return labelled_memes(self._workspace, data, labels)
