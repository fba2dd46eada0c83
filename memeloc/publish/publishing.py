"""Publishing. In: a `Release`, a folder. Out: the release in it, described, or nothing."""

from __future__ import annotations

import inspect
import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from memeloc.errors import InputError
from memeloc.object_storage import Folder, folder_at
from memeloc.plugins import Registry
from memeloc.publish.checks import STATED, Finding, Private, check, refuse
from memeloc.publish.folder import replacing_release
from memeloc.publish.release import OnProgress, Release


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
        "hf": "memeloc.publish.writers:write_hf",
        "csv": "memeloc.publish.writers:write_csv",
        "webdataset": "memeloc.publish.writers:write_shards",
    },
    "layout",
)
"""Layouts of a release, each a `Write`; its further parameters are its options."""


@dataclass(frozen=True, slots=True)
class Published:
    """What was published.

    Attributes:
        folder: its path or address.
        pictures: by language how many.
        splits: pictures by split.
        tables: rows by table.
        size: bytes of all files.
        unread: captions that no person read, by language.
        notes: what was left out and why.
        findings: what the rules warn of, as far as they were run.
    """

    folder: Path | str
    layout: str
    pictures: Mapping[str, int]
    splits: Mapping[str, int]
    tables: Mapping[str, int]
    files: int
    size: int
    unread: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()


def publish(
    release: Release,
    out: str | Path | Folder,
    to: str = "hf",
    *,
    options: Mapping[str, Any] | None = None,
    private: Private | None = None,
    checked: bool = False,
    on_progress: OnProgress = lambda phase, more, total: None,
) -> Published:
    """Write a release into a folder in the place of an earlier one.

    Args:
        out: new, empty, or with a release that nobody has changed since; a folder, or its address
            in object storage.
        to: a layout of `PUBLISHERS`.
        private: what the rules of `memeloc.publish.checks` are run with before anything is written.
        checked: whether all of them are run; else those of private files and of a licence and
            title alone, and without the latter two it is published all the same.

    Raises:
        InputError: a rule refuses something, there is no such layout or option, the folder has
            files that memeloc did not write, or something cannot be read or written.
        ServiceError: the storage cannot be reached, or refuses.
    """
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
        _describe(release, folder)
    sizes = [entry.size for entry in place.entries()]
    by_language: Counter[str] = Counter()
    by_split: Counter[str] = Counter()
    for (language, split), count in release.counts.items():
        by_language[language] += count
        by_split[split] += count
    return Published(
        place.address(""),
        to,
        dict(by_language),
        dict(by_split),
        {name: len(table.frame) for name, table in release.tables.items()},
        len(sizes),
        sum(sizes),
        release.unread,
        release.notes,
        findings,
    )


def _describe(release: Release, folder: Path) -> None:
    """Write the card and the files for catalogues into a folder with the data of any layout."""
    from memeloc.publish.card import CARD, SHEET, card, contact_sheet
    from memeloc.publish.citing import CITATION, citation
    from memeloc.publish.contents import find_data, summarise
    from memeloc.publish.croissant import CROISSANT, croissant

    data, summary = find_data(release, folder), summarise(release)
    provenance = json.dumps(
        release.provenance, ensure_ascii=False, indent=1, sort_keys=True, default=str
    )
    texts = {
        CARD: card(release, summary, data),
        CROISSANT: croissant(release, summary, data, folder),
        CITATION: citation(release),
        "TERMS.md": release.about.terms,
        "provenance.json": provenance if release.provenance else "",
    }
    for name, text in texts.items():
        if text:
            (folder / name).write_text(f"{text.rstrip()}\n", encoding="utf-8")
    if sheet := contact_sheet(summary):
        (folder / SHEET).write_bytes(sheet)
