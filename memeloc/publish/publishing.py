"""Publishing. In: a `Release`, a folder. Out: the release in it, described, or nothing."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memeloc.errors import InputError
from memeloc.object_storage import Folder, folder_at
from memeloc.publish.checks import Finding, Private, check, refuse
from memeloc.publish.checks.further_files import private_files
from memeloc.publish.registry import PUBLISHERS, OnProgress
from memeloc.publish.release import Release
from memeloc.publish.remote import replacing


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
        findings: what the rules warn of, where they were run.
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
        checked: whether all of them are run; else that of private files alone.

    Raises:
        InputError: a rule refuses something, there is no such layout or option, the folder has
            files that memeloc did not write, or something cannot be read or written.
        ServiceError: the storage cannot be reached, or refuses.
    """
    from memeloc.publish.describing.describe import describe

    place = folder_at(out)
    write: Callable[..., None] = PUBLISHERS.load(to)
    chosen = dict(options or {})
    known = list(inspect.signature(write).parameters)[3:]
    for name in chosen:
        if name not in known:
            has = f"it has {', '.join(known)}" if known else "it has none"
            raise InputError(f"The layout {to} has no option {name!r}; {has}.")
    private = private or Private()
    findings = check(release, private) if checked else tuple(private_files(release, private))
    refuse(findings)
    with replacing(place, {"layout": to, "options": chosen}) as folder:
        write(release, folder, on_progress, **chosen)
        describe(release, folder, to)
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
