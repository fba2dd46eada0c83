"""Sets for tests. In: rows of captions. Out: a set, looked at as its readers see it."""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from memeloc.object_storage import TEMPORARY, Folder, folder_at
from memeloc.picture_writers import read_shard
from memeloc.render.sets.parallel_set import Summary
from memeloc.render.sets.reading import set_batches

HEADER = ("meme_id", "template", "en", "de")
ROWS = [
    ("m1", "robot-chef", "two eggs // one error", "zwei Eier // ein Fehler"),
    ("m2.b", "summit-snail", "I said // by noon", "sagte ich // bis Mittag"),
    ("m3", "robot-chef", "tea // is ready", "Tee // ist fertig"),
]


def many_rows(count: int) -> list[tuple[str, ...]]:
    """Return rows of captions that differ by their number."""
    return [
        (f"m{n}", "robot-chef", f"tea {n} // is ready", f"Tee {n} // ist da") for n in range(count)
    ]


def keys_of(rows: Iterable[Sequence[str]]) -> list[tuple[str, str]]:
    """Return the pictures of captions by meme and language."""
    return sorted((row[0], language) for row in rows for language in ("en", "de"))


def write_captions(
    folder: Path, rows: Iterable[Sequence[str]], header: Sequence[str] = HEADER
) -> Path:
    """Write a table of captions."""
    path = folder / "captions.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header, *rows])
    return path


def counts(summary: Summary) -> tuple[int, int, int, int]:
    """Return how many pictures were made, unchanged, skipped and failed."""
    return summary.rendered, summary.unchanged, summary.skipped, summary.failed


def rows_of(out: str | Path | Folder) -> list[dict[str, Any]]:
    """Return the rows of a set by meme and language, each of which stands once."""
    batches = list(set_batches(out))
    rows = pa.Table.from_batches(batches).to_pylist() if batches else []
    keys = [(row["meme_id"], row["language"]) for row in rows]
    assert len(set(keys)) == len(keys), "a picture has two rows"
    return sorted(rows, key=lambda row: (row["meme_id"], row["language"]))


def whole_set(out: str | Path | Folder) -> list[tuple[str, str]]:
    """Return the pictures of a set by meme and language.

    All are as their rows say, no file is there besides, and nothing unfinished.
    """
    place = folder_at(out)
    rows = rows_of(place)
    keys = {entry.key for entry in place.entries()}
    assert ".memeloc/running" not in keys
    assert not [key for key in keys if key.endswith(TEMPORARY) or ".kept" in key]
    files = {key for key in keys if not key.startswith((".memeloc/", "manifest/"))}
    files -= {"index.html", "skipped.csv"}
    assert files == {row["shard"] or row["path"] for row in rows}
    recorded = {(row["shard"] or row["path"], row["sha256"]) for row in rows}
    assert {(key, sha256) for key in files for sha256 in _hashes(place, key)} == recorded
    if files and not rows[0]["shard"]:
        assert "index.html" in keys
    return [(row["meme_id"], row["language"]) for row in rows]


def _hashes(place: Folder, key: str) -> list[str]:
    """Return SHA-256 of each picture in a file."""
    content = place.read(key)
    if key.endswith(".tar"):
        with place.reading(key) as path:
            samples = list(read_shard(path))
        pictures = [files for sample in samples for files in [dict(sample.files)]]
        assert all(files.pop("json") for files in pictures)
        contents = [content for files in pictures for content in files.values()]
    elif key.endswith(".parquet"):
        images = pq.read_table(io.BytesIO(content))["image"].to_pylist()
        contents = [image["bytes"] for image in images]
    else:
        contents = [content]
    return [hashlib.sha256(content).hexdigest() for content in contents]
