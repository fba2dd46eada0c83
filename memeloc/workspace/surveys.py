"""Surveys of the memes. In: a workspace's folder. Out: `Surveys`."""

from __future__ import annotations

from memeloc.workspace.folder import WorkspaceFolder


class Surveys:
    """Surveys of the memes."""

    def __init__(self, workspace: WorkspaceFolder) -> None:
        self._workspace = workspace
