"""A whole workspace as plain files. In: a workspace. Out: a dump, or the workspace of a dump.

What travels: every table but what can be computed anew, the pictures that were collected, the
workspace's own templates, fonts and locales, the tables of imported releases, and memeloc.toml
without where the database is. What does not: keys and passwords, links, pictures that were
rendered, surveys as they were exported, caches.
"""

from __future__ import annotations

import shutil
from itertools import chain
from pathlib import Path
from typing import Any

from memeloc.counts import counted
from memeloc.errors import InputError
from memeloc.files import file_sha256, replacing
from memeloc.store import dumps
from memeloc.store.database import without_password
from memeloc.store.dumps import WORKSPACE, Manifest
from memeloc.store.pictures import picture_file
from memeloc.store.store import Store
from memeloc.store.surveys.participant_ids import KEYS
from memeloc.workspace.folder import RELEASES, Phases, WorkspaceFolder, silent
from memeloc.workspace.settings import (
    FILE,
    Settings,
    database_url,
    first_file,
    read_settings,
    without_url,
)


def dump(
    workspace: WorkspaceFolder, path: str | Path, on_progress: Phases = silent
) -> dict[str, Any]:
    """Write all of a workspace into a folder of plain files; see guides/workspace.md. Interrupted,
    it is run again; the folder is a dump once its manifest is there. Return the `folder`, `rows` by
    table, how many `files` of the workspace's folder, the `size` of all in bytes, and `notes`: what
    is not in the dump, as sentences."""
    folder, root = Path(path), workspace.root
    dumps.begin(folder)
    tables, pictures = workspace.store.dumps.write(folder, on_progress)
    names: list[Path] = []
    notes: list[str] = []
    if root is not None:
        folders = (workspace.folders(kind) for kind in ("templates", "fonts", "locales"))
        places = [*chain.from_iterable(folders), root / RELEASES]
        if glossary := workspace.settings.glossary:
            places.append(root / glossary)
        sources = dumps.own_files(root, places, folder, FILE, notes)
        for picture in (picture_file(root, *named) for named in pictures):
            if picture.is_file() and not picture.is_symlink():
                sources.append(picture)
            else:
                notes.append(f"The picture {picture} is missing, so it is not in the dump.")
        names = [Path(FILE), *(source.relative_to(root) for source in sources)]
        for name in names:
            with replacing(folder / WORKSPACE / name) as partial:
                if name == Path(FILE):
                    text = without_url((root / FILE).read_text(encoding="utf-8-sig"), root / FILE)
                    partial.write_text(without_password(text), encoding="utf-8", newline="\n")
                else:
                    shutil.copyfile(root / name, partial)
            on_progress("files", 1, len(names))
    elif pictures:
        notes.append(
            f"{counted(len(pictures), 'picture is', 'pictures are')} not in the dump: the "
            "workspace was opened by its database's URL; open it by its folder."
        )
    keys = {name: check for name, key in KEYS.items() if (check := key.check(root))}
    files = [dumps.dump_file(folder, f"{WORKSPACE}/{name.as_posix()}") for name in names]
    everything = sorted([*tables, *files], key=lambda file: file.path)
    dumps.complete(folder, Manifest(keys=keys, files=everything))
    notes += [f"{name} is not in the dump: keep it apart, and safe." for name in keys]
    return {
        "folder": folder,
        "rows": {Path(file.path).stem: file.rows or 0 for file in tables},
        "files": len(files),
        "size": sum(file.size for file in everything),
        "notes": notes,
    }


def load(path: str | Path, folder: str | Path, on_progress: Phases = silent) -> dict[str, Any]:
    """Make the workspace of a dump in a folder, which may have a memeloc.toml of its own. That,
    else MEMELOC_DATABASE_URL, says where the database is, which has to be empty; the dump's own
    never does. Interrupted, it is run again: the rows are stored in one transaction, memeloc.toml
    comes last.

    Return the `folder`, `rows` by table, how many `files`; `seen`, whether all rows were here
    already; `erased`, by table the rows of people who had been erased here and stay out; and
    `notes`, what is to be done.
    """
    source, root = Path(path), Path(folder)
    manifest = dumps.read_manifest(source)
    settings_file, dumped = root / FILE, source / WORKSPACE / FILE
    notes, has_settings = dumps.check_keys(manifest, root), settings_file.exists()
    settings = read_settings(settings_file) if has_settings else Settings()
    if has_settings:
        notes.append(f"The {FILE} of this folder stays; that of the dump is {dumped}.")
    files = {
        Path(file.path).relative_to(WORKSPACE): file
        for file in manifest.files
        if file.path.startswith(f"{WORKSPACE}/")
    }

    def put_files() -> None:
        for key, check in manifest.keys.items():
            KEYS[key].keep_check(root, check)
        for kind in ("templates", "fonts"):
            (root / kind).mkdir(exist_ok=True)
        for name, file in files.items():
            if name == Path(FILE):
                dumps.check_hash(dumped, file.sha256)
            elif not (root / name).exists():
                dumps.check_hash(source / file.path, file.sha256)
                with replacing(root / name) as partial:
                    shutil.copyfile(source / file.path, partial)
            elif file_sha256(root / name) != file.sha256:
                raise InputError(
                    "The file is here already, and is not the dump's. Move it away, or name "
                    "another folder.",
                    file=root / name,
                )
            on_progress("files", 1, len(files))

    with Store.create(root, database_url(settings)) as store:
        erased = store.dumps.load(source, manifest, on_progress, put_files)
    if not has_settings:
        text = first_file("en", ())
        if Path(FILE) in files:
            text = without_url(dumped.read_text(encoding="utf-8-sig"), dumped)
        with replacing(settings_file) as partial:
            partial.write_text(text, encoding="utf-8", newline="\n")
    return {
        "folder": root,
        "rows": {
            Path(file.path).stem: file.rows for file in manifest.files if file.rows is not None
        },
        "files": len(files),
        "seen": erased is None,
        "erased": dict(erased or {}),
        "notes": notes,
    }
