"""Publishing. In: a `Release`, a folder. Out: the release in it, described, or nothing."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from memeloc.errors import InputError
from memeloc.object_storage import Folder, folder_at
from memeloc.publish.checks import Finding, Private, check, refuse
from memeloc.publish.checks.further_files import private_files
from memeloc.publish.folder import replacing_folder
from memeloc.publish.registry import PUBLISHERS, OnProgress
from memeloc.publish.release import Release
from memeloc.publish.remote import replacing_objects

DESCRIPTIONS: tuple[str, ...] = ("memeloc.publish.describing.describe:describe",)
"""Functions `(Release, Path, layout) -> None`, as `module:function`, that describe what a layout
has written into a folder: its card, Croissant's file, and the like."""


@dataclass(frozen=True, slots=True)
class Published:
    """What was published.

    Attributes:
        folder: its path or address.
        layout: its name.
        pictures: by language how many.
        splits: by split how many.
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
    values = {"layout": to, "options": chosen}
    replacing: AbstractContextManager[Path] = (
        replacing_folder(place.path, values)
        if place.path is not None
        else replacing_objects(place, values)
    )
    with replacing as folder:
        write(release, folder, on_progress, **chosen)
        for description in DESCRIPTIONS:
            module, _, attribute = description.partition(":")
            getattr(import_module(module), attribute)(release, folder, to)
    if place.path is not None:
        sizes = [path.stat().st_size for path in place.path.rglob("*") if path.is_file()]
    else:
        sizes = [entry.size for entry in place.entries()]
    by_language: dict[str, int] = {}
    by_split: dict[str, int] = {}
    for (language, split), count in release.counts.items():
        by_language[language] = by_language.get(language, 0) + count
        by_split[split] = by_split.get(split, 0) + count
    return Published(
        place.address(""),
        to,
        by_language,
        by_split,
        {name: len(table.frame) for name, table in release.tables.items()},
        len(sizes),
        sum(sizes),
        release.unread,
        release.notes,
        findings,
    )
