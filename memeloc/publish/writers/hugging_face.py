"""The layout of Hugging Face. In: a release. Out: what `datasets.load_dataset(DIR)` reads.

- data/LANGUAGE/SPLIT-NNNNN-of-NNNNN.parquet: a row a picture, which is embedded (`image`); or
  data/LANGUAGE/SPLIT/: a folder of pictures with metadata.parquet.
- tables/NAME.parquet: the other tables.

Pictures come one by one and are written in row groups: memory does not grow with the release.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from itertools import groupby
from pathlib import Path
from typing import Any

from memeloc.errors import InputError
from memeloc.publish.columns import picture_fields, picture_values, with_features
from memeloc.publish.registry import OnProgress
from memeloc.publish.release import Release, ReleasedPicture
from memeloc.publish.writers.files import write_files, write_tables

_ROWS = 100
"""Rows of a row group; the Hub's viewer reads as many at once."""
_BUFFER = 8 * 2**20
"""Bytes of pictures after which a row group is written before it has that many rows."""
_FILE = 450 * 2**20
"""Bytes of pictures of a file, after which the next one begins."""

PICTURES = ("embedded", "folder")


def write(
    release: Release, out: Path, on_progress: OnProgress, *, pictures: str = "embedded"
) -> None:
    """Write a release.

    Args:
        pictures: `embedded` in Parquet, or a `folder` of files. Where pictures stay behind, the
            rows are written without them.

    Raises:
        InputError: a picture cannot be read.
    """
    if pictures not in PICTURES:
        raise InputError(f"Pictures are {' or '.join(PICTURES)}, not {pictures[:40]!r}.")
    total = sum(release.counts.values())
    for split, released in groupby(release.pictures(), key=lambda picture: picture.split):
        with ExitStack() as stack:
            files: dict[str, _SplitFiles] = {}
            for picture in released:
                language = picture.language
                if language not in files:
                    kind = _Folder if pictures == "folder" and picture.file else _SplitFiles
                    files[language] = kind(out / "data" / language, split, picture.file is not None)
                    stack.callback(files[language].close)
                files[language].add(picture)
                on_progress("pictures", 1, total)
            for each in files.values():
                each.finish()
    write_tables(release, out, on_progress)
    write_files(release, out)


class _SplitFiles:
    """The Parquet files of a language and split."""

    def __init__(self, folder: Path, split: str, embedded: bool) -> None:
        import pyarrow as pa

        folder.mkdir(parents=True, exist_ok=True)
        self._folder, self._split, self._embedded = folder, split, embedded
        image = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
        fields = [pa.field("image", image)] if embedded else []
        self._schema = with_features(pa.schema([*fields, *picture_fields()]), pictures=embedded)
        self._rows: list[dict[str, Any]] = []
        self._files: list[Path] = []
        self._writer: Any = None
        self._buffered = self._written = 0

    def add(self, picture: ReleasedPicture) -> None:
        """Add a picture's row."""
        values = picture_values(picture)
        if self._embedded:
            content = picture.content()
            values["image"] = {"bytes": content, "path": picture.path.rpartition("/")[2]}
            self._buffered += len(content)
        self._rows.append(values)
        if len(self._rows) >= _ROWS or self._buffered >= _BUFFER:
            self._flush()

    def _flush(self) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        if self._writer is None:
            self._files.append(self._folder / f"{self._split}-{len(self._files):05}.parquet")
            self._writer = pq.ParquetWriter(
                self._files[-1],
                self._schema,
                # Pictures are compressed already.
                compression={name: "none" if name == "image.bytes" else "zstd" for name in
                             _leaves(self._schema)},
                use_dictionary=[name for name in _leaves(self._schema) if name != "image.bytes"],
                write_statistics=False,
            )  # fmt: skip
        self._writer.write_table(pa.Table.from_pylist(self._rows, schema=self._schema))
        self._written += self._buffered
        self._rows, self._buffered = [], 0
        if self._written >= _FILE:
            self.close()

    def close(self) -> None:
        """Close the file that is open."""
        if self._writer is not None:
            self._writer.close()
        self._writer, self._written = None, 0

    def finish(self) -> None:
        """Write what is left, and name the files by how many there are."""
        if self._rows:
            self._flush()
        self.close()
        count = len(self._files)
        for number, file in enumerate(self._files):
            file.rename(self._folder / f"{self._split}-{number:05}-of-{count:05}.parquet")


class _Folder(_SplitFiles):
    """A folder of pictures of a language and split, with their rows in metadata.parquet."""

    def __init__(self, folder: Path, split: str, embedded: bool) -> None:
        import pyarrow as pa

        super().__init__(folder / split, "metadata", False)
        self._schema = pa.schema([("file_name", pa.string()), *picture_fields()])

    def add(self, picture: ReleasedPicture) -> None:
        """Add a picture and its row."""
        name = picture.path.rpartition("/")[2]
        (self._folder / name).write_bytes(picture.content())
        self._rows.append({"file_name": name, **picture_values(picture)})
        if len(self._rows) >= _ROWS:
            self._flush()

    def finish(self) -> None:
        """Write what is left: one file, for it holds no pictures."""
        if self._rows:
            self._flush()
        self.close()
        (file,) = self._files
        file.rename(self._folder / "metadata.parquet")


def _leaves(schema: Any) -> Iterator[str]:
    """The paths of a schema's columns of values, as Parquet names them."""
    import pyarrow as pa

    for field in schema:
        path, kind = field.name, field.type
        if pa.types.is_struct(kind):
            yield from (f"{path}.{inner.name}" for inner in kind)
            continue
        while pa.types.is_list(kind):
            path, kind = f"{path}.list.element", kind.value_type
        yield path
