"""The pictures of a survey. In: a served survey. Out: names that tell nothing, and their files."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

from memeloc.workspace.surveys.serving import ServedSurvey

_TYPES = {b"\xff\xd8": "image/jpeg", b"\x89P": "image/png", b"GI": "image/gif", b"RI": "image/webp"}


class Pictures:
    """The pictures that pages show, by names that are the same after a restart."""

    def __init__(self, served: ServedSurvey) -> None:
        self._served = served

    @cached_property
    def names(self) -> dict[Path, str]:
        """The name of each picture by its file."""
        paths = {
            entry.picture
            for sheet in self._served.sheets.values()
            for entry in sheet.sheet.entries
            if entry.picture is not None
        }
        paths |= set(self._served.pack.examples.values())
        return {path: self._served.tokens.picture(path.read_bytes()) for path in paths}

    @cached_property
    def _paths(self) -> dict[str, Path]:
        return {name: path for path, name in self.names.items()}

    def find(self, name: str) -> tuple[Path, str] | None:
        """The file of a name, and its media type."""
        path = self._paths.get(name)
        if path is None:
            return None
        with path.open("rb") as file:
            return path, _TYPES.get(file.read(2), "application/octet-stream")
