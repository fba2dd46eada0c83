"""The row groups of a manifest. In: what a Parquet file says of itself. Out: which to read.

A row group has the pictures of one language, in the memes' order. Whoever reads one language, with
pyarrow, pandas, polars or DuckDB, skips the row groups of all others by what the file says of each.
Earlier versions wrote the rows of a meme one after another; such a file is read whole.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import pyarrow.parquet as pq

from memeloc.render.sets.manifest import SCHEMA

LOOKED_UP = ["meme_id", "template", "language", "locale"]
"""Columns of which each row group says what values it has."""


class RowGroup(NamedTuple):
    """A row group: its rows, by their numbers in the file, and its language, None for several."""

    begin: int
    end: int
    language: str | None


def row_groups(metadata: pq.FileMetaData) -> list[RowGroup]:
    """The row groups of a file, in their order."""
    groups: list[RowGroup] = []
    for number in range(metadata.num_row_groups):
        begin = groups[-1].end if groups else 0
        values = _values(metadata, number, "language")
        language = values[0] if values and values[0] == values[1] else None
        groups.append(RowGroup(begin, begin + metadata.row_group(number).num_rows, language))
    return groups


def groups_with(
    metadata: pq.FileMetaData, column: str, values: Collection[str] | None
) -> list[int]:
    """The numbers of those row groups that may have one of the values in a column of texts.

    Args:
        metadata: of the file.
        column: one of `LOOKED_UP`.
        values: that are wanted; None for all.
    """
    return [
        number
        for number in range(metadata.num_row_groups)
        if values is None
        or (limits := _values(metadata, number, column)) is None
        or any(limits[0] <= value <= limits[1] for value in values)
    ]


def _values(metadata: pq.FileMetaData, number: int, column: str) -> tuple[str, str] | None:
    """The least and the greatest value of a column in a row group, where the file says it."""
    group = metadata.row_group(number)
    at = SCHEMA.get_field_index(column)  # before all columns of lists, in every version
    chunk = group.column(at) if at < group.num_columns else None
    if chunk is None or chunk.path_in_schema != column or chunk.statistics is None:
        return None
    statistics = chunk.statistics
    return (statistics.min, statistics.max) if statistics.has_min_max else None
