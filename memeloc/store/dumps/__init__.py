"""A workspace's data as plain files. In: a database and a folder. Out: the same, on the other side.

A dump is a folder: `manifest.json`, `tables/` with a JSON Lines file a table, and `workspace/` with
the files that belong to the data. It is whole once the manifest is there. guides/workspace.md
describes it for people who have no memeloc.

`manifest` is what the manifest holds, `rows` turns rows into lines and back, `tables` writes and
loads all of a database. Which tables there are, and how each is sorted, the tables themselves say
(`memeloc.store.tables`): a new one needs no code here.
"""

from __future__ import annotations

from memeloc.store.dumps.manifest import (
    MANIFEST,
    TABLES,
    WORKSPACE,
    DumpFile,
    Manifest,
    begin,
    complete,
    copied,
    is_own,
    read_manifest,
)
from memeloc.store.dumps.tables import Dumps, Loaded

__all__ = [
    "MANIFEST",
    "TABLES",
    "WORKSPACE",
    "DumpFile",
    "Dumps",
    "Loaded",
    "Manifest",
    "begin",
    "complete",
    "copied",
    "is_own",
    "read_manifest",
]
