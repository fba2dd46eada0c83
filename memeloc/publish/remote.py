"""A release in object storage. In: its address. Out: a folder to write, whose files become objects.

Nothing can be renamed there, so readers may see two releases at once while one is written:
release.json, which names every file with its SHA-256, is the old one's until all files are new.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from memeloc.object_storage import Folder
from memeloc.publish.folder import RELEASE, listed_files, refuse_others, replacing_folder

_UPLOAD = "release.partial.json"
"""Lists the files of a release that is being written; one that is there was cut off."""


def check_objects(place: Folder) -> None:
    """See that a release can take the place of all that is there without loss of anybody's work.

    Sizes are compared: objects are not read.

    Raises:
        InputError: there are objects that memeloc did not write, or that were changed.
        ServiceError: the storage cannot be reached, or refuses.
    """
    lists = _lists(place)
    own = {RELEASE, _UPLOAD} if lists else set()
    listed = {(name, file.get("bytes")) for files in lists for name, file in files.items()}
    there = {(entry.key, entry.size) for entry in place.entries() if entry.key not in own}
    foreign = {name for name, _ in there} - {name for name, _ in listed}
    refuse_others(sorted(foreign), sorted(name for name, _ in there - listed), place.url)


def _lists(place: Folder) -> list[Mapping[str, Any]]:
    found = []
    for name in (RELEASE, _UPLOAD):
        with suppress(FileNotFoundError):
            found.append(listed_files(place.read(name)))
    return [values["files"] for values in found if values is not None]


@contextmanager
def replacing(place: Folder, values: Mapping[str, Any]) -> Iterator[Path]:
    """Give an empty folder, whose files take the release's place when all went well.

    Raises:
        InputError: `replacing_folder` or `check_objects` says so.
        ServiceError: the storage cannot be reached, or refuses; the same again goes on.
    """
    if place.path is not None:
        with replacing_folder(place.path, values) as partial:
            yield partial
        return
    check_objects(place)
    with TemporaryDirectory(prefix="memeloc-") as name:
        folder = Path(name) / (place.name or "release")
        with replacing_folder(folder, values) as partial:
            yield partial
        check_objects(place)
        before = {name for files in _lists(place) for name in files}
        files = json.loads((folder / RELEASE).read_text(encoding="utf-8"))["files"]
        place.write(_UPLOAD, folder / RELEASE)
        with place.writing_many() as write:
            for name in files:
                write(name, folder / name)
        place.write(RELEASE, folder / RELEASE)
        for name in before - files.keys():
            place.remove(name)
        place.remove(_UPLOAD)
