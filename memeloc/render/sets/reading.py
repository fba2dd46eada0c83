"""A set for its readers. In: its folder or address. Out: its rows as a dataset of pyarrow."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from memeloc.errors import InputError
from memeloc.locales.tags import listed_tags
from memeloc.object_storage import Folder, folder_at
from memeloc.render.sets.manifest import MANIFEST, SCHEMA, table_keys

if TYPE_CHECKING:
    from pyarrow import dataset

_ELSEWHERE = {"findings"}
"""Columns that sets made before lack, and whose kinds stand in another of theirs."""
_BATCH = 2048
"""Rows that are held at a time."""


def has_set(out: str | Path | Folder) -> bool:
    """Return whether there is a rendered set."""
    return bool(table_keys(folder_at(out)))


def open_set(out: str | Path | Folder) -> dataset.FileSystemDataset:
    """Return the rows of a set as one dataset; of an address only what is read is fetched.

    Columns that a table of an earlier version lacks are null.

    Raises:
        InputError: there is no set.
        ServiceError: the storage cannot be reached, or refuses.
    """
    from pyarrow import dataset

    place = folder_at(out)
    system, path = place.opened
    keys = table_keys(place)
    if not keys:
        raise InputError(
            f"no {MANIFEST} here; give the folder that `memeloc render --out` wrote",
            file=place.address(""),
        )
    with place.translated():
        files = [f"{path}/{key}" for key in keys]
        return dataset.dataset(files, schema=SCHEMA, filesystem=system, format="parquet")


def read_pictures(
    out: str | Path | Folder, columns: Collection[str], languages: Collection[str] | None = None
) -> Iterator[dict[str, Any]]:
    """Yield a set's rows as dicts of `columns`; see `picture_batches`."""
    for batch in picture_batches(out, columns, languages):
        yield from batch.to_pylist()


def picture_batches(
    out: str | Path | Folder, columns: Collection[str], languages: Collection[str] | None = None
) -> Iterator[pa.RecordBatch]:
    """Yield a set's rows; what earlier runs made and the table has no longer is left out.

    Args:
        out: the set's folder or address.
        columns: names of the manifest's columns.
        languages: which to read; all when None.

    Raises:
        InputError: no set, one without one of the columns, or a language it lacks.
        ServiceError: the storage cannot be reached, or refuses.
    """
    from pyarrow import compute, dataset

    wanted = None if languages is None else listed_tags(languages)
    place, rows = folder_at(out), open_set(out)
    there = dataset.field("in_table")
    is_wanted = there.is_null() | there
    if wanted is not None:
        is_wanted &= dataset.field("language").isin(wanted)
    seen: set[str] = set()
    with _readable(place):
        names = set(next(rows.get_fragments()).physical_schema.names)
        if absent := set(columns) - names - _ELSEWHERE:
            raise InputError(
                f"has no column {sorted(absent)[0]!r}; run `memeloc render` again",
                file=place.address(MANIFEST),
            )
        for batch in _batches(rows, [*{*columns, "language"}], is_wanted):
            seen.update(batch["language"].unique().to_pylist())
            yield batch.select([*columns])
        for language in wanted or ():
            if language not in seen:
                all_languages: set[str] = set()
                for batch in _batches(rows, ["language"], None):
                    all_languages.update(compute.unique(batch["language"]).to_pylist())
                raise InputError(
                    f"no pictures in {language!r}; there are {', '.join(sorted(all_languages))}",
                    file=place.address(MANIFEST),
                )


def shown_pictures(
    out: str | Path, locales: Collection[str] | None = None
) -> dict[tuple[str, str], tuple[Path, str]]:
    """Return by meme and tag of a locale the picture in a set, and its caption.

    Args:
        out: the set's folder.
        locales: tags; all when None.

    Raises:
        InputError: no set, or it is in object storage.
    """
    from pyarrow import dataset

    place = folder_at(out)
    if place.path is None:
        raise InputError("is in object storage: fetch it to a disk first", file=place.url)
    wanted = None if locales is None else dataset.field("locale").isin([*locales])
    shown = {}
    with _readable(place):
        for batch in _batches(open_set(place), ["meme_id", "locale", "path", "text"], wanted):
            for row in batch.to_pylist():
                shown[row["meme_id"], row["locale"]] = place.path / row["path"], row["text"]
    return shown


def set_batches(
    out: str | Path | Folder,
    columns: Collection[str] | None = None,
    languages: Collection[str] | None = None,
) -> Iterator[pa.RecordBatch]:
    """Yield all rows of a set, also of what the table has no longer.

    Args:
        columns: names; all when None.
        languages: which to read; those of these that it lacks have no rows.

    Raises:
        InputError: no set, or it cannot be read.
    """
    from pyarrow import dataset

    wanted = None if languages is None else dataset.field("language").isin([*languages])
    with _readable(folder_at(out)):
        yield from _batches(open_set(out), columns or SCHEMA.names, wanted)


@contextmanager
def _readable(place: Folder) -> Iterator[None]:
    """Raise InputError where a table is no Parquet file, or a broken one."""
    try:
        with place.translated():
            yield
    except (pa.ArrowInvalid, OSError) as error:
        raise InputError(
            f"cannot be read as Parquet ({error}); run `memeloc render` again",
            file=place.address(MANIFEST),
        ) from error


def set_sha256(out: str | Path | Folder) -> str:
    """Return SHA-256 over the tables of a set, in their order, in hex."""
    place = folder_at(out)
    digest = hashlib.sha256()
    for key in table_keys(place):
        digest.update(place.read(key))
    return digest.hexdigest()


def _batches(rows: Any, columns: Collection[str], wanted: Any) -> Iterator[pa.RecordBatch]:
    """Yield batches with rows, few of them held: pyarrow would read many files ahead."""
    for batch in rows.to_batches(
        columns=[*columns],
        filter=wanted,
        batch_size=_BATCH,
        batch_readahead=1,
        fragment_readahead=1,
        use_threads=False,
    ):
        if batch.num_rows:
            yield batch
