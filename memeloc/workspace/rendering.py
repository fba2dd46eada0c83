"""Pictures of the captions. In: a workspace's folder. Out: `Rendering`."""

from __future__ import annotations

from memeloc.workspace.folder import WorkspaceFolder


class Rendering:
    """Pictures of the captions."""

    def __init__(self, workspace: WorkspaceFolder) -> None:
        self._workspace = workspace
