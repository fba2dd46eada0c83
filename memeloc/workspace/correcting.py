"""Having people correct the captions. In: a workspace's folder. Out: `Correcting`."""

from __future__ import annotations

from memeloc.workspace.folder import WorkspaceFolder


class Correcting:
    """Having people correct the captions."""

    def __init__(self, workspace: WorkspaceFolder) -> None:
        self._workspace = workspace
