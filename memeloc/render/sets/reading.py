"""The manifest for its readers. In: a set's folder or address. Out: its rows, of some languages.

Of the languages that are not asked for no row is read, see `memeloc.render.sets.row_groups`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from memeloc.errors import InputError
from memeloc.locales.tags import listed_tags
from memeloc.object_storage import LocalFolder, folder_at
from memeloc.render.sets.manifest import MANIFEST
from memeloc.render.sets.row_groups import groups_with

_BATCH = 2048
"""Rows that are held at a time."""


def open_manifest(out: Path) -> pq.ParquetFile:
    """Open OUT/manifest.parquet; of an address only what is read is fetched.

    Raises:
        InputError: it is not there, or is no Parquet file.
        ServiceError: the storage cannot be reached, or refuses.
    """
    place = folder_at(out)
    path = place.address(MANIFEST)
    try:
        if isinstance(place, LocalFolder):
            return pq.ParquetFile(path)
        return pq.ParquetFile(place.open(MANIFEST))
    except FileNotFoundError:
        raise InputError(
            f"no {MANIFEST} here; give the folder that `memeloc render --out` wrote",
            file=place.address(""),
        ) from None
    except (pa.ArrowInvalid, OSError) as error:
        raise InputError(
            f"cannot be read as Parquet ({error}); run `memeloc render` again", file=path
        ) from None


def read_pictures(
    out: Path, columns: Collection[str], languages: Collection[str] | None = None
) -> Iterator[dict[str, Any]]:
    """The manifest's rows as dicts of `columns`; see `picture_batches`."""
    for batch in picture_batches(out, columns, languages):
        yield from batch.to_pylist()


def picture_batches(
    out: Path, columns: Collection[str], languages: Collection[str] | None = None
) -> Iterator[pa.RecordBatch]:
    """The manifest's rows, a language after the other in slices of it.

    What earlier runs made and the table has no longer is left out.

    Args:
        out: the set's folder.
        columns: names of the manifest's columns.
        languages: which to read; all when None.

    Raises:
        InputError: no manifest, a manifest without one of the columns, or a language it lacks.
    """
    if languages is not None:
        languages = listed_tags(languages)
    with open_manifest(out) as manifest:
        names = set(manifest.schema_arrow.names)
        if absent := set(columns) - names:
            raise InputError(
                f"has no column {sorted(absent)[0]!r}; run `memeloc render` again",
                file=folder_at(out).address(MANIFEST),
            )
        seen: set[str] = set()
        read = [*{*columns, "language", *({"in_table"} & names)}]
        groups = groups_with(manifest.metadata, "language", languages)
        for batch in manifest.iter_batches(_BATCH, groups, read):
            if "in_table" in names:
                batch = batch.filter(pc.fill_null(batch["in_table"], True))
            if languages is not None:
                seen.update(batch["language"].unique().to_pylist())
                batch = batch.filter(pc.is_in(batch["language"], pa.array(languages, pa.string())))
            if batch.num_rows:
                yield batch.select([*columns])
    for language in languages or ():
        if language not in seen:
            there = {row["language"] for row in read_pictures(out, ["language"])}
            raise InputError(
                f"no pictures in {language!r}; there are {', '.join(sorted(there))}",
                file=folder_at(out).address(MANIFEST),
            )


def shown_pictures(
    out: Path, locales: Collection[str] | None = None
) -> dict[tuple[str, str], tuple[Path, str]]:
    """By meme and tag of a locale the picture in the set, and its caption.

    Args:
        out: the set's folder.
        locales: tags; all when None.

    Raises:
        InputError: no manifest.
    """
    shown = {}
    with open_manifest(out) as manifest:
        groups = groups_with(manifest.metadata, "locale", locales)
        columns = ["meme_id", "locale", "path", "text"]
        for batch in manifest.iter_batches(_BATCH, groups, columns, use_threads=False):
            for row in batch.to_pylist():
                if locales is None or row["locale"] in locales:
                    shown[row["meme_id"], row["locale"]] = out / row["path"], row["text"]
    return shown
