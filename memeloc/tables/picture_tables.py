"""Pictures in Parquet. In: rows and pictures. Out: a file as Hugging Face's `datasets` reads it.

Rows are written in row groups as they come: memory does not grow with the file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

_ROWS = 100
"""Rows of a row group; the Hub's viewer reads as many at once."""
_BUFFER = 8 * 2**20
"""Bytes of pictures after which a row group is written before it has that many rows."""


class PictureTable:
    """A Parquet file of pictures; `written` are the bytes of pictures that stand in it."""

    def __init__(self, path: Path, schema: pa.Schema) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        self._schema = schema
        # Parquet's names of the columns within columns, as only a file tells them.
        empty = pa.BufferOutputStream()
        pq.write_table(schema.empty_table(), empty)
        leaves = [leaf.path for leaf in pq.ParquetFile(pa.BufferReader(empty.getvalue())).schema]
        self._writer: Any = pq.ParquetWriter(
            path,
            schema,
            # Pictures are compressed already.
            compression={name: "none" if name == "image.bytes" else "zstd" for name in leaves},
            use_dictionary=[name for name in leaves if name != "image.bytes"],
            write_statistics=False,
        )
        self._rows: list[Mapping[str, Any]] = []
        self._buffered = self.written = 0

    def add(self, row: Mapping[str, Any], content: bytes | None = None, path: str = "") -> None:
        """Add a row, and the picture that it is of."""
        if content is not None:
            row = {**row, "image": {"bytes": content, "path": path}}
            self._buffered += len(content)
        self._rows.append(row)
        if len(self._rows) >= _ROWS or self._buffered >= _BUFFER:
            self._flush()

    def _flush(self) -> None:
        import pyarrow as pa

        self._writer.write_table(pa.Table.from_pylist(self._rows, schema=self._schema))
        self.written += self._buffered
        self._rows, self._buffered = [], 0

    def close(self) -> None:
        if self._rows:
            self._flush()
        self._writer.close()


def picture_schema(columns: Sequence[pa.Field], *, pictures: bool) -> pa.Schema:
    """Return the schema of a table of pictures: `image` first, where they are embedded."""
    import pyarrow as pa

    image = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
    fields = [pa.field("image", image)] if pictures else []
    return with_features(pa.schema([*fields, *columns]), pictures=pictures)


def with_features(schema: Any, *, pictures: bool = False) -> Any:
    """Return an Arrow schema with the metadata by which `datasets` gives pictures and features. The
    format is that of `datasets.Features.to_dict`, which `datasets` reads from the key `huggingface`
    of a Parquet file's schema."""
    features = {field.name: _feature(field.type) for field in schema if field.name != "image"}
    image = {"image": {"_type": "Image"}} if pictures else {}
    info = {"info": {"features": image | features}}
    return schema.with_metadata({"huggingface": json.dumps(info)})


def _feature(kind: pa.DataType) -> Any:
    import pyarrow as pa

    if pa.types.is_struct(kind):
        return {field.name: _feature(field.type) for field in kind}
    if pa.types.is_list(kind):
        each, is_struct = _feature(kind.value_type), pa.types.is_struct(kind.value_type)
        return [each] if is_struct else {"feature": each, "_type": "Sequence"}
    names = {pa.float64(): "float64", pa.bool_(): "bool"}
    return {"dtype": names.get(kind, str(kind)), "_type": "Value"}
