"""Layouts that a release is written in. In: a name. Out: the function that writes it.

Another package adds one by the entry point group `memeloc.publishers`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from memeloc.plugins import Registry
from memeloc.publish.release import Release

OnProgress = Callable[[str, int, int | None], None]
"""Gets what is being done (such as "pictures"), how many more are done, and how many there are."""


class Write(Protocol):
    """Writes a release into a folder that is new and empty."""

    def __call__(self, release: Release, out: Path, on_progress: OnProgress) -> None:
        """Write pictures with their rows, tables and further files; nothing of the card.

        Raises:
            InputError: a picture cannot be read, or stays behind where the layout needs it.
        """


PUBLISHERS: Registry[None] = Registry(
    "memeloc.publishers",
    {
        "hf": "memeloc.publish.writers.hugging_face:write",
        "csv": "memeloc.publish.writers.plain:write",
        "webdataset": "memeloc.publish.writers.hugging_face:write_shards",
    },
    "layout",
)
