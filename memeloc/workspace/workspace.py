"""The workspace. In: a folder with memeloc.toml. Out: `Workspace`, all that memeloc does with it.

The parts are imported when they are used: `Workspace.find()` costs no renderer and no survey.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from memeloc.counts import counted
from memeloc.workspace.folder import Phases, WorkspaceFolder, silent

if TYPE_CHECKING:
    import pandas as pd

    from memeloc.render.sets.parallel_set import Summary
    from memeloc.store.records import Accept, ImportRecord
    from memeloc.tables.rows import Frame
    from memeloc.workspace.captions import Captions
    from memeloc.workspace.collecting import Collecting
    from memeloc.workspace.correcting import Correcting
    from memeloc.workspace.curating import Curating
    from memeloc.workspace.evaluating import Evaluating
    from memeloc.workspace.knowledge import Knowledge
    from memeloc.workspace.labels import Labels
    from memeloc.workspace.localising import Localising
    from memeloc.workspace.publishing import Publishing
    from memeloc.workspace.rendering import Rendering
    from memeloc.workspace.surveys import Survey, Surveys
    from memeloc.workspace.translating import Translating


def _part(name: str) -> Any:
    """Return the class `Name` of `memeloc.workspace.name`, made of the workspace on first use."""

    def make(workspace: WorkspaceFolder) -> Any:
        module = import_module(f"memeloc.workspace.{name}")
        return getattr(module, name.capitalize())(workspace)

    return cached_property(make)


class Workspace(WorkspaceFolder):
    """A team's memes, captions and people's answers, in one folder and one database. Use it as a
    context manager, or `close` it. Every method may raise WorkspaceError when the database cannot
    be reached, read or written; nothing of a failed step is stored. Its parts, which are the steps
    of the work, have their methods."""

    captions: Captions = _part("captions")
    translating: Translating = _part("translating")
    correcting: Correcting = _part("correcting")
    rendering: Rendering = _part("rendering")
    collecting: Collecting = _part("collecting")
    curating: Curating = _part("curating")
    localising: Localising = _part("localising")
    surveys: Surveys = _part("surveys")
    evaluating: Evaluating = _part("evaluating")
    labels: Labels = _part("labels")
    knowledge: Knowledge = _part("knowledge")
    publishing: Publishing = _part("publishing")

    def survey(self, name: str) -> Survey:
        """Return a survey by its name."""
        from memeloc.workspace.surveys import Survey

        return Survey(self, name)

    # What scripts do most

    def import_captions(self, table: str | Path | Frame, **options: Any) -> ImportRecord:
        """Import a file or a data frame, see `Captions.import_table`; return what was done, and
        warn of what was left out, lacks its template or is outdated now."""
        record = self.captions.import_table(table, **options)
        if record.problems:
            left_out = counted(record.problems.total(), "cell or row was", "cells or rows were")
            warnings.warn(f"{left_out} left out, such as {record.left_out[0]}", stacklevel=2)
        last_notes = bool(record.not_taken) + bool(record.outdated) + bool(record.waiting)
        for note in record.notes[len(record.notes) - last_notes :]:
            warnings.warn(note, stacklevel=2)
        return record

    def translate(
        self,
        languages: Sequence[str] | None = None,
        *,
        translator: str = "",
        budget: float | None = None,
        options: Mapping[str, Any] | None = None,
        on_progress: Callable[[int, int], None] | None = None,
    ) -> Self:
        """Run what `Translating.prepare` finds, with a warning of what was left."""
        job = self.translating.prepare(
            languages, translator=translator, budget=budget, options=options
        )
        result = job.run(on_progress=on_progress)
        left = result.left + len(result.failures)
        if left:
            why = result.stopped or (result.failures[0].error if result.failures else "the budget")
            warnings.warn(
                f"{counted(left, 'caption was', 'captions were')} not translated: {why}",
                stacklevel=2,
            )
        return self

    def render(
        self,
        out: str | Path,
        languages: str | Sequence[str] = "all",
        *,
        captions: Accept = "any",
        **options: Any,
    ) -> Summary:
        """Render the captions as they stand into a folder; see `Rendering.render`."""
        return self.rendering.render(out, captions=captions, languages=languages, **options)

    def table(
        self, name: str = "captions", *, captions: Accept = "any", selected: bool = False
    ) -> pd.DataFrame:
        """Return a table of the workspace as a frame; see `Captions.table`."""
        return self.captions.table(name, captions=captions, selected=selected)

    def dump(self, path: str | Path, on_progress: Phases = silent) -> dict[str, Any]:
        """Write all of the workspace into a folder; see `memeloc.workspace.dumping`."""
        from memeloc.workspace.dumping import dump

        return dump(self, path, on_progress)

    @staticmethod
    def load(path: str | Path, folder: str | Path, on_progress: Phases = silent) -> dict[str, Any]:
        """Make the workspace of a dump in a folder; see `memeloc.workspace.dumping`."""
        from memeloc.workspace.dumping import load

        return load(path, folder, on_progress)

    def status(self) -> dict[str, Any]:
        """Return how far each stage and language is, and what comes next: see
        `memeloc.workspace.status.status`."""
        from memeloc.workspace.status import status

        return status(self)
