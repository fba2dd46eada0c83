"""Plain files. In: a release. Out: pictures.csv, pictures/, captions.csv, tables/NAME.csv.

`memeloc import` and `memeloc render` read captions.csv. Lists stand in their cells as JSON.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from memeloc.publish.columns import PICTURE_COLUMNS, picture_values
from memeloc.publish.registry import OnProgress
from memeloc.publish.release import Release
from memeloc.publish.writers.files import write_files
from memeloc.tables import write_table


def write(release: Release, out: Path, on_progress: OnProgress) -> None:
    """Write a release."""
    total = sum(release.counts.values())

    def rows() -> Iterator[list[Any]]:
        for picture in release.pictures():
            if picture.file is not None:
                target = out / "pictures" / picture.path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(picture.content())
            on_progress("pictures", 1, total)
            yield [_cell(value) for value in picture_values(picture).values()]

    write_table(out / "pictures.csv", [column.name for column in PICTURE_COLUMNS], rows())
    for table in release.tables.values():
        _write_frame(table.frame, out / "tables" / f"{table.name}.csv")
        on_progress("tables", 1, len(release.tables))
    if "captions" in release.tables:
        frame = release.tables["captions"].frame
        wide = frame.pivot(index=["meme_id", "template"], columns="language", values="text")
        known = [tag for tag in release.languages if tag in wide.columns]
        memes = pd.MultiIndex.from_frame(frame[["meme_id", "template"]].drop_duplicates())
        _write_frame(wide[known].reindex(memes).reset_index(), out / "captions.csv")
    write_files(release, out)


def _write_frame(frame: pd.DataFrame, path: Path) -> None:
    values = frame.astype(object).where(frame.notna(), None)
    rows = ([_cell(value) for value in row] for row in values.itertuples(index=False, name=None))
    write_table(path, [str(name) for name in frame.columns], rows)


def _cell(value: Any) -> Any:
    if hasattr(value, "tolist"):  # numpy's
        value = value.tolist()
    if isinstance(value, list | tuple | dict):
        return json.dumps(value, ensure_ascii=False)
    return value
