"""A process of its own that works in a workspace. In: its folder and what to do. Out: its work."""

from __future__ import annotations

import sys
from pathlib import Path

from memeloc.model import Caption
from memeloc.store import Workspace


def translate(workspace: Workspace, language: str) -> None:
    """Store a translation of everything, one by one."""
    for item in workspace.to_translate(language):
        caption = Caption(tuple(f"{language} {part}" for part in item.source.parts))
        workspace.add_translation(
            item.meme_id, language, caption, source_id=item.source.id, translator="pseudo"
        )


if __name__ == "__main__":
    folder, action, what = sys.argv[1:]
    with Workspace.open(folder) as opened:
        print("open", flush=True)
        sys.stdin.readline()
        if action == "import":
            opened.import_captions(Path(what))
        else:
            translate(opened, what)
