"""Publishing. In: a `Release`, a folder. Out: the release in it, described, or nothing."""

from __future__ import annotations

import inspect
import json
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

from memeloc.errors import InputError
from memeloc.object_storage import Folder, folder_at
from memeloc.plugins import Registry
from memeloc.publish.checks import STATED, Private, check, refuse
from memeloc.publish.folder import replacing_release
from memeloc.publish.release import OnProgress, Release, find_data, summarise


class Write(Protocol):
    """Function that writes a release into a folder that is new and empty."""

    def __call__(self, release: Release, out: Path, on_progress: OnProgress) -> None:
        """Write pictures with their rows, tables and further files; nothing of the card. Raise
        InputError if a picture cannot be read, or stays behind where the layout needs it."""


PUBLISHERS: Registry[None] = Registry(
    "memeloc.publishers",
    {
        "hf": "memeloc.publish.writers:write_hf",
        "csv": "memeloc.publish.writers:write_csv",
        "webdataset": "memeloc.publish.writers:write_shards",
    },
    "layout",
)
"""Layouts of a release, each a `Write`; its further parameters are its options."""


def publish(
    release: Release,
    out: str | Path | Folder,
    to: str = "hf",
    *,
    options: Mapping[str, Any] | None = None,
    private: Private | None = None,
    checked: bool = False,
    on_progress: OnProgress = lambda phase, more, total: None,
) -> dict[str, Any]:
    """Write a release into a folder in the place of an earlier one. Raise InputError if a rule
    refuses something, there is no such layout or option, the folder has files that memeloc did not
    write, or something cannot be read or written; ServiceError if the storage cannot be reached, or
    refuses.

    Args:
        out: new, empty, or with a release that nobody has changed since; a folder, or its address
            in object storage.
        to: a layout of `PUBLISHERS`.
        private: what the rules of `memeloc.publish.checks` are run with before anything is written.
        checked: whether all of them are run; else those of private files and of a licence and
            title alone, and without the latter two it is published all the same.

    Returns:
        the fields of `publish --json`: pictures by language and by split, rows by table, how many
        files and bytes, captions that no person read by language, notes of what was left out, and
        the findings of the rules that were run.
    """
    from memeloc.publish.card import CARD, CITATION, SHEET, card, citation, contact_sheet
    from memeloc.publish.croissant import CROISSANT, croissant

    place = folder_at(out)
    write: Callable[..., None] = PUBLISHERS.load(to)
    chosen = dict(options or {})
    names = list(inspect.signature(write).parameters)[3:]
    for name in chosen:
        if name not in names:
            has = f"it has {', '.join(names)}" if names else "it has none"
            raise InputError(f"The layout {to} has no option {name!r}; {has}.")
    findings = check(release, private, all_rules=checked)
    refuse([finding for finding in findings if checked or finding.rule not in STATED])
    with replacing_release(place, {"layout": to, "options": chosen}) as folder:
        write(release, folder, on_progress, **chosen)
        data, summary = find_data(release, folder), summarise(release)
        provenance = json.dumps(
            release.provenance, ensure_ascii=False, indent=1, sort_keys=True, default=str
        )
        texts = {
            CARD: card(release, summary, data),
            CROISSANT: croissant(release, summary, data, folder),
            CITATION: citation(release.about),
            "TERMS.md": release.about.terms,
            "provenance.json": provenance if release.provenance else "",
        }
        for name, text in texts.items():
            if text:
                (folder / name).write_text(f"{text.rstrip()}\n", encoding="utf-8")
        if sheet := contact_sheet(summary):
            (folder / SHEET).write_bytes(sheet)
    sizes = [entry.size for entry in place.entries()]
    by_language: Counter[str] = Counter()
    by_split: Counter[str] = Counter()
    for (language, split), count in release.counts.items():
        by_language[language] += count
        by_split[split] += count
    return {
        "folder": place.address(""),
        "layout": to,
        "pictures": dict(by_language),
        "splits": dict(by_split),
        "tables": {name: len(table.frame) for name, table in release.tables.items()},
        "files": len(sizes),
        "size": sum(sizes),
        "unread": release.unread,
        "notes": release.notes,
        "findings": findings,
    }
