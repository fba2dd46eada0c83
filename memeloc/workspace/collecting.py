"""Collecting items, and reading the text in pictures. In: a workspace. Out: `Collecting`."""

from __future__ import annotations

from memeloc.workspace.folder import WorkspaceFolder


class Collecting:
    """Collecting items from sources, and reading the text in pictures."""

    def __init__(self, workspace: WorkspaceFolder) -> None:
        self._workspace = workspace
