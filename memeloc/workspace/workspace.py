"""The workspace. In: a folder with memeloc.toml. Out: `Workspace`, all that memeloc does with it.

The parts are imported when they are used: `Workspace.find()` costs no renderer and no survey.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from memeloc.workspace.folder import WorkspaceFolder

if TYPE_CHECKING:
    import pandas as pd

    from memeloc.render.sets.parallel_set import Summary
    from memeloc.workspace.captions import Captions, Status
    from memeloc.workspace.collecting import Collecting
    from memeloc.workspace.correcting import Correcting
    from memeloc.workspace.curating import Curating
    from memeloc.workspace.rendering import Rendering
    from memeloc.workspace.surveys import Survey, Surveys
    from memeloc.workspace.translating import Translating


class Workspace(WorkspaceFolder):
    """A team's memes, captions and people's answers, in one folder and one database.

    Use it as a context manager, or `close` it. Every method may raise WorkspaceError when the
    database cannot be reached, read or written; nothing of a failed step is stored.
    """

    @cached_property
    def captions(self) -> Captions:
        """Captions in and out, and how far each language is."""
        from memeloc.workspace.captions import Captions

        return Captions(self)

    @cached_property
    def translating(self) -> Translating:
        """Translating the captions, and the translation memory."""
        from memeloc.workspace.translating import Translating

        return Translating(self)

    @cached_property
    def correcting(self) -> Correcting:
        """Having people correct the captions."""
        from memeloc.workspace.correcting import Correcting

        return Correcting(self)

    @cached_property
    def rendering(self) -> Rendering:
        """Pictures of the captions."""
        from memeloc.workspace.rendering import Rendering

        return Rendering(self)

    @cached_property
    def collecting(self) -> Collecting:
        """Collecting items from sources, and reading the text in pictures."""
        from memeloc.workspace.collecting import Collecting

        return Collecting(self)

    @cached_property
    def curating(self) -> Curating:
        """Deduplicating, filtering, reviewing and selecting what was collected."""
        from memeloc.workspace.curating import Curating

        return Curating(self)

    @cached_property
    def surveys(self) -> Surveys:
        """Surveys of the memes."""
        from memeloc.workspace.surveys import Surveys

        return Surveys(self)

    def survey(self, name: str) -> Survey:
        """A survey by its name.

        Raises:
            InputError: there is no survey of that name.
        """
        from memeloc.workspace.surveys import Survey

        return Survey(self, name)

    # What scripts do most

    def import_captions(
        self,
        path: str | Path,
        *,
        languages: Sequence[str] | None = None,
        templates: Sequence[Path] = (),
        strict: bool = False,
        on_progress: Callable[[int, int], None] | None = None,
    ) -> Self:
        """Import a captions table, and warn of the rows that were left out.

        See `Captions.import_table`, which returns what it did.
        """
        result = self.captions.import_table(
            path, languages=languages, templates=templates, strict=strict, on_progress=on_progress
        )
        if result.problems:
            left_out = sum(result.problems.values())
            warnings.warn(
                f"{left_out:,} cells or rows were left out, such as {result.left_out[0]}",
                stacklevel=2,
            )
        return self

    def translate(
        self,
        languages: Sequence[str] | None = None,
        *,
        translator: str = "",
        budget: float | None = None,
        options: Mapping[str, Any] | None = None,
        on_progress: Callable[[int, int], None] | None = None,
    ) -> Self:
        """Translate what lacks a translation, and warn of what was left.

        See `Translating.prepare` for the arguments and for what a run would cost.
        """
        job = self.translating.prepare(
            languages, translator=translator, budget=budget, options=options
        )
        result = job.run(on_progress=on_progress)
        left = result.left + len(result.failures)
        if left:
            why = result.stopped or (result.failures[0].error if result.failures else "the budget")
            warnings.warn(f"{left:,} captions were not translated: {why}", stacklevel=2)
        return self

    def render(
        self, out: str | Path, languages: Sequence[str] | None = None, *, jobs: int = 1
    ) -> Summary:
        """Render the captions as they stand into a folder; see `Rendering.render`."""
        return self.rendering.render(out, languages=languages, jobs=jobs)

    def table(self, name: str = "captions") -> pd.DataFrame:
        """A table of the workspace as a frame; see `Captions.table`."""
        return self.captions.table(name)

    def status(self) -> Status:
        """How far each language is, and what to do next."""
        return self.captions.status()
