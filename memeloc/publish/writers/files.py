"""What all layouts share. In: a release. Out: its pictures in files, tables, further files."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import ExitStack
from itertools import groupby
from pathlib import Path, PurePosixPath
from typing import Any

from memeloc.errors import InputError
from memeloc.picture_writers import TarWriter
from memeloc.publish.columns import picture_values
from memeloc.publish.registry import OnProgress
from memeloc.publish.release import Release, ReleasedPicture
from memeloc.tables.picture_tables import PictureTable, with_features

SCRIPT = "join_pictures.py"


class SplitFiles:
    """The files of a split's pictures in a language, as SPLIT-00000-of-00002.tar.

    Args:
        path: of the files, without number and suffix.
        most: pictures of a file.
        size: bytes of pictures after which the next file begins.
    """

    def __init__(
        self,
        path: Path,
        suffix: str,
        open_file: Callable[[Path], TarWriter | PictureTable],
        *,
        most: float = float("inf"),
        size: float = float("inf"),
    ) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path, self._suffix = path, suffix
        self._open, self._most, self._size = open_file, most, size
        self._files: list[Path] = []
        self._writer: TarWriter | PictureTable | None = None
        self._count = 0

    def add(self, picture: ReleasedPicture) -> None:
        """Write a picture with its row; where pictures stay behind, the row alone."""
        if self._writer is None:
            file = Path(f"{self._path}-{len(self._files):05}{self._suffix}")
            self._files.append(file)
            self._writer, self._count = self._open(file), 0
        content = picture.content() if picture.file is not None else None
        self._writer.add(picture_values(picture), content, picture.path)
        self._count += 1
        if self._count >= self._most or self._writer.written >= self._size:
            self.close()

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()
        self._writer = None

    def finish(self) -> None:
        """Give the files their names, with their number."""
        self.close()
        count = len(self._files)
        for number, file in enumerate(self._files):
            file.rename(f"{self._path}-{number:05}-of-{count:05}{self._suffix}")


def write_all(
    release: Release, out: Path, on_progress: OnProgress, begin: Callable[[str, str, bool], Any]
) -> None:
    """Write the pictures by split and language, the tables as Parquet, and further files.

    Args:
        begin: opens what takes those of a language and a split (`add`, `close`, `finish`); the
            third argument says whether they come with their files.
    """
    total = sum(release.counts.values())
    for split, released in groupby(release.pictures(), key=lambda picture: picture.split):
        with ExitStack() as stack:
            files: dict[str, Any] = {}
            for picture in released:
                language = picture.language
                if language not in files:
                    files[language] = begin(language, split, picture.file is not None)
                    stack.callback(files[language].close)
                files[language].add(picture)
                on_progress("pictures", 1, total)
            for each in files.values():
                each.finish()
    (out / "tables").mkdir()
    for table in release.tables.values():
        _write_frame(table.frame, out / "tables" / f"{table.name}.parquet")
        on_progress("tables", 1, len(release.tables))
    write_files(release, out)


def write_files(release: Release, out: Path) -> None:
    """Write further files, and where pictures stay behind the program that joins them again."""
    for name, file in release.files.items():
        shutil.copyfile(file, _place(out, name))
    for name, text in release.texts.items():
        _place(out, name).write_text(text, encoding="utf-8", newline="\n")
    first = next(release.pictures(), None)
    if first is not None and first.file is None:
        shutil.copyfile(Path(__file__).with_name(SCRIPT), out / SCRIPT)


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
