"""Captions in and out, and how far each language is. In: a workspace's folder. Out: `Captions`."""

from __future__ import annotations

from memeloc.workspace.folder import WorkspaceFolder


class Captions:
    """Captions in and out, and how far each language is."""

    def __init__(self, workspace: WorkspaceFolder) -> None:
        self._workspace = workspace
