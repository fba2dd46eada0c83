"""What the parts of the Python API share. In: a workspace's folder. Out: `Part`, callbacks."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from memeloc.workspace.folder import WorkspaceFolder

if TYPE_CHECKING:
    from memeloc.language_models import LanguageModel

Phases = Callable[[str, int, int | None], None]
"""Gets what is being done (such as "hashing"), how many more are done, and how many there are; None
when that is not known."""


def silent(phase: str, more: int, total: int | None) -> None:
    """Report nothing."""


class Part:
    """A part of the Python API: methods over one workspace."""

    def __init__(self, workspace: WorkspaceFolder) -> None:
        self._workspace = workspace
        self._store = workspace.store

    @contextmanager
    def _open_model(
        self, name: str = "", budget: float | None = None
    ) -> Iterator[LanguageModel | None]:
        """The language model of the settings, or another at its server; None when none is set.

        It may cost `budget` at the most, in the currency of its prices.
        """
        values = self._workspace.settings.language_model
        if not (name or values.get("model") or os.environ.get("OPENAI_MODEL")):
            yield None
            return
        from memeloc.language_models import Budget, LanguageModel, read_model_settings

        settings = read_model_settings(values, model=name)
        cache = self._store.computed
        with LanguageModel(settings, cache=cache, budget=Budget(budget)) as model:
            yield model
