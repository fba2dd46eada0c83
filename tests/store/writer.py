"""A process of its own that works in a store. In: its folder and what to do. Out: its work."""

from __future__ import annotations

import sys
from pathlib import Path

from memeloc.model import Caption
from memeloc.store import Store
from tests.store.conftest import import_table, reopen


def translate(store: Store, language: str) -> None:
    """Store a translation of everything, one by one."""
    for item in store.captions.to_translate(language):
        caption = Caption(tuple(f"{language} {part}" for part in item.source.parts))
        store.captions.add_translation(
            item.meme_id, language, caption, source_id=item.source.id, translator="pseudo"
        )


if __name__ == "__main__":
    folder, action, what = sys.argv[1:]
    with reopen(Path(folder)) as opened:
        print("open", flush=True)
        sys.stdin.readline()
        if action == "import":
            import_table(opened, Path(what))
        else:
            translate(opened, what)
