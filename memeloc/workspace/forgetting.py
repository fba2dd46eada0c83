"""Erasing people. In: ids, or a service's export. Out: a receipt that names nobody."""

from __future__ import annotations

import gzip
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

from memeloc.counts import counted
from memeloc.errors import InputError
from memeloc.store.surveys.erasures import NOTHING_COMPUTED
from memeloc.survey.quality.rules import read_rules
from memeloc.survey.targets.protocol import disagree
from memeloc.survey.targets.registry import make_target
from memeloc.workspace.folder import WorkspaceFolder
from memeloc.workspace.stored_survey import Agree, offering
from memeloc.workspace.survey import Survey

_PICTURES = {".jpg", ".jpeg", ".png", ".webp", ".avif", ".gif", ".ttf", ".otf"}
"""Files whose names alone are looked at."""

_SHORTEST = 6
"""Characters of an id from which on it is looked for within files: shorter ones are in any file."""


def forget(
    workspace: WorkspaceFolder,
    people: Sequence[str],
    *,
    exported: Sequence[str | Path] = (),
    agree: Agree = disagree,
) -> dict[str, Any]:
    """Erase people from all surveys, and compute anew what was computed of them.

    Return how many `people` were asked for, the `surveys` that they had taken part in, the `counts`
    of rows that were deleted by table, by survey the labels that are `reopened`, and `files` in the
    workspace's folder that still name them, for their owner to delete.

    Args:
        people: ids as their source has them, or as the workspace stores them.
        exported: a recruitment service's exports; who revoked consent by them is erased, too.
        agree: is given a sentence that says what is erased; only True goes on.

    Raises:
        InputError: nobody is named, or an export cannot be read.
        WorkspaceError: another program has the database open.
    """
    ids = {participant.strip() for participant in people}
    for path in map(Path, exported):
        if not path.exists():
            raise InputError("There is no such file.", file=path)
        for name in offering("revoked"):
            ids |= {participant.strip() for participant in make_target(name).revoked(path)}
    ids.discard("")
    if not ids and not exported:
        raise InputError("Name the participants to erase, or an export that says who they are.")
    whom = counted(len(ids), "person", "people")
    costs = (
        f"This erases {whom} from every survey of the workspace for good: answers, what services "
        "reported of them, and what was computed of both. It cannot be taken back."
    )
    if not ids or agree(costs) is not True:
        return {"people": 0, "surveys": (), "counts": {}, "reopened": {}, "files": ()}
    store = workspace.store.surveys
    before = {
        name: (store.result(name, "check"), store.result(name, "labels")) for name in store.names()
    }
    hashes = {store.hash_participant(participant) for participant in ids}
    for name in before:
        for pair in store.same_people(name).items():
            if not (ids | hashes).isdisjoint(pair):
                ids |= set(pair)  # of one person, whose id was typed otherwise
    erasure = workspace.store.erasures.erase(ids)
    reopened = {}
    for name, (check, labels) in before.items():
        is_computed = check is None or check[1] != NOTHING_COMPUTED["check"]
        if name not in erasure["surveys"] and is_computed:
            continue
        survey = Survey(workspace, name)
        if check is not None:
            survey.answers.checked(read_rules(check[0]))
        if labels is not None:
            now = _settled(survey.labels.settle(labels[0]).labels)
            if count := len(_settled(labels[1]) - now):
                reopened[name] = count
    files = tuple(_naming(workspace.root, ids | hashes)) if workspace.root else ()
    return {**erasure, "reopened": reopened, "files": files}


def _settled(rows: Sequence[Any]) -> set[tuple[str, str]]:
    return {(row["item"], row["culture"]) for row in rows if row["state"] == "settled"}


def _naming(root: Path, ids: set[str]) -> Iterator[Path]:
    """Yield the files of a folder that have an id in their name or in what they hold."""
    long = [participant for participant in ids if len(participant) >= _SHORTEST]
    forms = [each.encode(code) for each in long for code in ("utf-8", "utf-16-le")]
    for path in sorted(path for path in root.rglob("*") if path.is_file()):
        parts = path.relative_to(root).parts
        names = {*parts, *(Path(part).stem for part in parts)}
        is_named = bool(names & ids) or any(each in path.name for each in long)
        if is_named or any(form in content for content in _contents(path) for form in forms):
            yield path


def _contents(path: Path) -> Iterator[bytes]:
    """Yield what a file holds, and what is packed in it; what cannot be unpacked is left."""
    packed = [] if path.suffix.lower() in _PICTURES else [path.read_bytes()]
    while packed:
        content = packed.pop()
        yield content
        try:
            if content.startswith(b"\x1f\x8b"):
                packed.append(gzip.decompress(content))
            elif content.startswith(b"PK\x03\x04"):
                with zipfile.ZipFile(BytesIO(content)) as members:
                    packed += [members.read(name) for name in members.namelist()]
        except (OSError, EOFError, ValueError, RuntimeError, zipfile.BadZipFile, zlib.error):
            continue
