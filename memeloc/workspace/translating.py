"""Translating the captions. In: a workspace's folder. Out: `Translating`."""

from __future__ import annotations

from memeloc.workspace.folder import WorkspaceFolder


class Translating:
    """Translating the captions."""

    def __init__(self, workspace: WorkspaceFolder) -> None:
        self._workspace = workspace
