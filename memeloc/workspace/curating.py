"""What becomes of collected items. In: a workspace. Out: `Curating`."""

from __future__ import annotations

from memeloc.workspace.folder import WorkspaceFolder


class Curating:
    """Deduplicating, filtering, reviewing and selecting what was collected."""

    def __init__(self, workspace: WorkspaceFolder) -> None:
        self._workspace = workspace
