"""A set for its readers. In: its folder or address. Out: its rows as a dataset of pyarrow."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyarrow import compute

from memeloc.errors import InputError
from memeloc.locales.tags import listed_tags
from memeloc.object_storage import Folder, folder_at
from memeloc.render.sets.manifest import MANIFEST, SCHEMA, table_keys

if TYPE_CHECKING:
    from pyarrow import dataset


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
    keys = table_keys(place)
    if not keys:
        raise InputError(
            f"no {MANIFEST} here; give the folder that `memeloc render --out` wrote",
            file=place.address(""),
        )
    with place.translated():
        return dataset.dataset(keys, schema=SCHEMA, filesystem=place.opened, format="parquet")


def picture_batches(
    out: str | Path | Folder, columns: Collection[str], languages: Collection[str] | None = None
) -> Iterator[pa.RecordBatch]:
    """Yield a set's rows, of some languages; what the table has no longer is left out.

    Raises:
        InputError: no set, one without one of the columns, or a language it lacks.
        ServiceError: the storage cannot be reached, or refuses.
    """
    if languages is not None:
        languages = listed_tags(languages)
        batches = set_batches(out, ["language"])
        there = {name for batch in batches for name in batch["language"].unique().to_pylist()}
        for language in languages:
            if language not in there:
                raise InputError(
                    f"no pictures in {language!r}; there are {', '.join(sorted(there))}",
                    file=folder_at(out).address(MANIFEST),
                )
    read = [*{*columns, "in_table"}]
    for batch in set_batches(out, read, required=columns, language=languages):
        in_table = batch.filter(compute.fill_null(batch["in_table"], True))
        if in_table.num_rows:
            yield in_table.select([*columns])


def read_pictures(
    out: str | Path | Folder, columns: Collection[str], languages: Collection[str] | None = None
) -> Iterator[dict[str, Any]]:
    """Yield a set's rows as dicts of `columns`; see `picture_batches`."""
    for batch in picture_batches(out, columns, languages):
        yield from batch.to_pylist()


def shown_pictures(
    out: str | Path, locales: Collection[str] | None = None
) -> dict[tuple[str, str], tuple[Path, str]]:
    """Return by meme and tag of a locale the picture in a set, and its caption.

    Raises:
        InputError: no set, or it is in object storage.
    """
    folder = folder_at(out).path
    if folder is None:
        raise InputError("is in object storage: fetch it to a disk first", file=folder_at(out).url)
    return {
        (row["meme_id"], row["locale"]): (folder / row["path"], row["text"])
        for batch in set_batches(out, ["meme_id", "locale", "path", "text"], locale=locales)
        for row in batch.to_pylist()
    }


def set_batches(
    out: str | Path | Folder,
    columns: Collection[str] | None = None,
    *,
    required: Collection[str] = (),
    **values: Collection[str] | None,
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a set, also of what the table has no longer, few of them held.

    Args:
        columns: names; all when None.
        required: those that the set must have.
        values: by name of a column, what it is to be in the rows that are read.

    Raises:
        InputError: no set, one without a required column, or it cannot be read.
        ServiceError: the storage cannot be reached, or refuses.
    """
    from pyarrow import dataset

    place, rows = folder_at(out), open_set(out)
    wanted = dataset.scalar(True)
    for name, some in values.items():
        if some is not None:
            wanted &= dataset.field(name).isin([*some])
    try:
        with place.translated():
            there = next(rows.get_fragments()).physical_schema.names
            # Sets made before lack findings, whose kinds stand in another column of theirs.
            if absent := {*required} - {*there, "findings"}:
                raise InputError(
                    f"has no column {sorted(absent)[0]!r}; run `memeloc render` again",
                    file=place.address(MANIFEST),
                )
            # Without these limits pyarrow reads many files ahead.
            ahead = {"batch_size": 2048, "batch_readahead": 1, "fragment_readahead": 1}
            names = [*(columns or SCHEMA.names)]
            yield from rows.to_batches(columns=names, filter=wanted, use_threads=False, **ahead)
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
