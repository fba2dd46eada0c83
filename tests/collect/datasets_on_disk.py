"""Writing small datasets, and reading them with a source."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from memeloc.collect.fetching.fetch import Fetcher
from memeloc.collect.protocol import SOURCES, Source
from memeloc.items import Refusal
from tests.curate.drawn import as_jpeg, as_png, draw_picture

PICTURE = as_png(draw_picture(1, 64, 48))
OTHER = as_jpeg(draw_picture(2, 64, 48))


def put(path: Path, content: bytes | str) -> Path:
    """A file with its folders."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def lines(*records: object) -> str:
    """JSON Lines; a text is a line as it is."""
    return "".join(f"{item if isinstance(item, str) else json.dumps(item)}\n" for item in records)


def collected(name: str, path: Path, **options: Any) -> tuple[list[Any], list[Refusal]]:
    """What a source finds in a folder or table, and what it refuses."""
    source: Source = SOURCES.load(name)(path=path, **options)
    with Fetcher(None) as fetcher:
        results = list(source.collect(fetcher))
    return (
        [item for item in results if not isinstance(item, Refusal)],
        [item for item in results if isinstance(item, Refusal)],
    )


def reasons(refusals: list[Refusal]) -> dict[str, str]:
    """Why each file was refused."""
    return {refusal.url: refusal.reason for refusal in refusals}


def parquet(path: Path, columns: dict[str, Any], features: object = None) -> Path:
    """A table, with what the `datasets` library says of its columns."""
    path.parent.mkdir(parents=True, exist_ok=True)
    table = pa.table(columns)
    if features is not None:
        metadata = json.dumps({"info": {"features": features}}).encode()
        table = table.replace_schema_metadata({b"huggingface": metadata})
    pq.write_table(table, path)
    return path
