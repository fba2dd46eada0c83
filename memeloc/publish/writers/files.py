"""What all layouts share. In: a release. Out: its further files, and the script for pictures."""

from __future__ import annotations

import shutil
from pathlib import Path, PurePosixPath
from typing import Any

from memeloc.errors import InputError
from memeloc.publish.registry import OnProgress
from memeloc.publish.release import Release
from memeloc.tables.picture_tables import with_features

SCRIPT = "join_pictures.py"
_SOURCE = Path(__file__).with_name(SCRIPT)


def write_files(release: Release, out: Path) -> None:
    for name, file in release.files.items():
        target = _place(out, name)
        shutil.copyfile(file, target)
    for name, text in release.texts.items():
        _place(out, name).write_text(text, encoding="utf-8", newline="\n")
    first = next(release.pictures(), None)
    if first is not None and first.file is None:
        shutil.copyfile(_SOURCE, out / SCRIPT)


def write_tables(release: Release, out: Path, on_progress: OnProgress) -> None:
    (out / "tables").mkdir()
    for table in release.tables.values():
        _write_frame(table.frame, out / "tables" / f"{table.name}.parquet")
        on_progress("tables", 1, len(release.tables))


def _write_frame(frame: Any, path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.Table.from_pandas(frame, preserve_index=False)
    plain = [
        pa.field(field.name, pa.string() if pa.types.is_large_string(field.type) else field.type)
        for field in table.schema
    ]
    pq.write_table(table.cast(with_features(pa.schema(plain))), path, compression="zstd")


def _place(out: Path, name: str) -> Path:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or not path.parts:
        raise InputError(f"{name[:80]!r} is no path within the release.")
    target = out.joinpath(*path.parts)
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.exists():
        raise InputError(f"Two files of the release have the name {name}; rename yours.")
    return target
