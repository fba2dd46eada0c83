"""What the parts of the Python API share. In: a workspace's folder. Out: `Part`, callbacks."""

from __future__ import annotations

from collections.abc import Callable

from memeloc.workspace.folder import WorkspaceFolder

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
