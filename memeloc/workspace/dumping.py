"""A whole workspace as plain files. In: a workspace. Out: a dump, or the workspace of a dump.

What travels: every table but what can be computed anew, the pictures that were collected, the
workspace's own templates, fonts and locales, the tables of imported releases, and memeloc.toml
without where the database is. What does not: keys and passwords, pictures that were rendered,
surveys as they were exported, caches.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from memeloc.counts import counted
from memeloc.errors import InputError
from memeloc.files import file_sha256, replacing
from memeloc.store.database import without_password
from memeloc.store.dumps import (
    WORKSPACE,
    DumpFile,
    Manifest,
    begin,
    complete,
    copied,
    is_own,
    read_manifest,
)
from memeloc.store.pictures import picture_file
from memeloc.store.store import Store
from memeloc.store.surveys import erasures, participant_ids
from memeloc.store.surveys.participant_ids import keep_check, known_check, present_check
from memeloc.workspace.folder import RELEASES, WorkspaceFolder
from memeloc.workspace.part import Phases, silent
from memeloc.workspace.settings import (
    FILE,
    Settings,
    database_url,
    first_file,
    read_settings,
    without_url,
)

_KEYS = {
    participant_ids.KEY_FILE: participant_ids.KEY_VARIABLE,
    erasures.KEY_FILE: erasures.KEY_VARIABLE,
}
"""The files of keys, which stay where they are, and their variables."""


@dataclass(frozen=True, slots=True)
class DumpResult:
    """What was dumped.

    Attributes:
        folder: the dump.
        rows: by table.
        files: of the workspace's folder.
        size: bytes of all.
        notes: what is not in the dump, as sentences.
    """

    folder: Path
    rows: Mapping[str, int]
    files: int
    size: int
    notes: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class LoadResult:
    """What was loaded.

    Attributes:
        folder: the workspace.
        rows: by table.
        files: of the workspace's folder.
        seen: whether all rows were here already.
        erased: rows of people who had been erased here and stay out, by table.
        notes: what is to be done, as sentences.
    """

    folder: Path
    rows: Mapping[str, int]
    files: int
    seen: bool = False
    erased: Mapping[str, int] = field(default_factory=dict)
    notes: Sequence[str] = ()


def dump(workspace: WorkspaceFolder, path: str | Path, on_progress: Phases = silent) -> DumpResult:
    """Write all of a workspace into a folder of plain files; see guides/workspace.md.

    Interrupted, it is run again. The folder is a dump once its manifest is there.

    Raises:
        InputError: the folder holds something else or a dump, or cannot be written.
    """
    folder = Path(path)
    root = workspace.root
    begin(folder)
    tables, pictures = workspace.store.dumps.write(folder, on_progress)
    files: list[DumpFile] = []
    notes: list[str] = []
    if root is not None:
        sources = [*_own_files(workspace, root, folder, notes)]
        for sha256, format_ in pictures:
            picture = picture_file(root, sha256, format_)
            if picture.is_file():
                sources.append(picture)
            else:
                notes.append(f"The picture {picture} is missing, so it is not in the dump.")
        for source in sources:
            below = f"{WORKSPACE}/{source.relative_to(root).as_posix()}"
            files.append(copied(source, folder / below, below))
            on_progress("files", 1, len(sources))
        files.append(_write_settings(root / FILE, folder))
    elif pictures:
        notes.append(
            f"{counted(len(pictures), 'picture is', 'pictures are')} not in the dump: "
            "the workspace was opened by its "
            "database's URL; open it by its folder."
        )
    keys = {
        name: check
        for name, variable in _KEYS.items()
        if (check := known_check(root, variable, name))
    }
    everything = sorted([*tables, *files], key=lambda file: file.path)
    complete(folder, Manifest(keys=keys, files=everything))
    notes += [f"{name} is not in the dump: keep it apart, and safe." for name in keys]
    rows = {Path(file.path).stem: file.rows or 0 for file in tables}
    return DumpResult(folder, rows, len(files), sum(file.size for file in everything), notes)


def _own_files(
    workspace: WorkspaceFolder, root: Path, folder: Path, notes: list[str]
) -> Iterator[Path]:
    """The workspace's own templates, fonts, locales and glossary, as far as they are in its
    folder, and the tables of releases that were imported."""
    seen: set[Path] = set()
    places = [*workspace.folders("templates"), *workspace.folders("fonts")]
    places += workspace.folders("locales")
    if name := workspace.settings.glossary:
        places.append(root / name)
    places.append(root / RELEASES)
    for place in places:
        if not place.resolve().is_relative_to(root.resolve()):
            notes.append(f"{place} is outside of the workspace, so it is not in the dump.")
            continue
        for file in [place] if place.is_file() else sorted(place.rglob("*")):
            parts = file.relative_to(root).parts
            hidden = any(part.startswith(".") for part in parts)
            own = len(parts) == 1 and (is_own(parts[0]) or parts[0] == FILE)
            inside = file.resolve().is_relative_to(folder.resolve())
            if file.is_file() and not (hidden or own or inside or file in seen):
                seen.add(file)
                yield file


def _write_settings(file: Path, folder: Path) -> DumpFile:
    """memeloc.toml without where the database is, and without passwords."""
    path = f"{WORKSPACE}/{FILE}"
    text = without_password(without_url(file.read_text(encoding="utf-8-sig"), file))
    with replacing(folder / path) as partial:
        partial.write_text(text, encoding="utf-8", newline="\n")
    return DumpFile(
        path=path, sha256=file_sha256(folder / path), size=(folder / path).stat().st_size
    )


def load(path: str | Path, folder: str | Path, on_progress: Phases = silent) -> LoadResult:
    """Make the workspace of a dump in a folder, which may have a memeloc.toml of its own.

    Its memeloc.toml, else MEMELOC_DATABASE_URL, says where the database is, which has to be empty.
    Interrupted, it is run again: the rows are stored in one transaction, memeloc.toml comes last.

    Raises:
        InputError: it is not a whole dump or of another version, a file is not as it was dumped, or
            there is something in the workspace.
        WorkspaceError: the database cannot be used.
    """
    source, root = Path(path), Path(folder)
    manifest = read_manifest(source)
    own, dumped = root / FILE, f"{WORKSPACE}/{FILE}"
    files = [file for file in manifest.files if file.path.startswith(f"{WORKSPACE}/")]
    notes = _check_keys(manifest, root)
    settings = Settings()
    if own.exists():
        settings = read_settings(own)
        notes.append(f"The {FILE} of this folder stays; that of the dump is {source / dumped}.")
    elif any(file.path == dumped for file in files):
        settings = read_settings(source / dumped)
    with Store.create(root, database_url(settings)) as store:
        store.dumps.check(source, manifest)
        for name, check in manifest.keys.items():
            keep_check(root, name, check)
        for kind in ("templates", "fonts"):
            (root / kind).mkdir(exist_ok=True)
        for file in files:
            if file.path != dumped:
                _put(source, root, file)
            on_progress("files", 1, len(files))
        loaded = store.dumps.load(source, manifest, on_progress)
    if not own.exists():
        _write_own(source / dumped, own, files)
    return LoadResult(root, loaded.rows, len(files), loaded.seen, loaded.erased, notes)


def _check_keys(manifest: Manifest, root: Path) -> list[str]:
    """What to do about keys, as sentences.

    Raises:
        InputError: a key is here, and is not the dump's.
    """
    notes = []
    for name, check in manifest.keys.items():
        if name not in _KEYS:
            raise InputError(f"The manifest has a key {name[:40]!r}, which is unknown.")
        present = present_check(root, _KEYS[name], name)
        if present and present != check:
            raise InputError(
                f"The key {name} here is another one than that of the workspace that was dumped, "
                f"so people would not be recognised. Put that one here, or set {_KEYS[name]}.",
                file=root,
            )
        if not present:
            notes.append(
                f"Copy {name} from the workspace that was dumped (or set {_KEYS[name]}) before "
                "answers are imported: a dump has no keys."
            )
    return notes


def _put(source: Path, root: Path, file: DumpFile) -> None:
    """Copy a file of a dump into the workspace, where it is not yet."""
    target = root / Path(file.path).relative_to(WORKSPACE)
    if not target.exists():
        copied(source / file.path, target, file.path, file)
    elif file_sha256(target) != file.sha256:
        raise InputError(
            "The file is here already, and is not the dump's. Move it away, or name another "
            "folder.",
            file=target,
        )


def _write_own(dumped: Path, own: Path, files: Sequence[DumpFile]) -> None:
    """Write memeloc.toml, by which the folder becomes a workspace."""
    file = next((file for file in files if file.path == f"{WORKSPACE}/{FILE}"), None)
    if file is not None:
        copied(dumped, own, file.path, file)
        return
    with replacing(own) as partial:
        partial.write_text(first_file("en", ()), encoding="utf-8", newline="\n")
