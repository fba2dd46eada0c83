"""Releases as what is learned from. In: a folder that `memeloc publish` wrote. Out: its rows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from memeloc.errors import InputError
from memeloc.evaluate.releases import release_rows, release_table, table_rows
from memeloc.evaluate.training.run_file import DataSettings
from memeloc.tables import text_of

_COLUMNS = {
    "text": "text",
    "language": "language",
    "group": "template",
    "split": "split",
}
"""Columns of a release's pictures, by what they are here."""
ReleaseRecord = tuple[dict[str, str], Path | None, Path, int | None]


def release_records(data: DataSettings, pictures: Path) -> Iterator[ReleaseRecord]:
    """By picture: its cells, its file, and where its row stands.

    A meme of several languages has an item in each, MEME/LANGUAGE, and they stay in one split.

    Args:
        data: the release, which table of labels, and which rows of either are taken.
        pictures: where embedded pictures are put, by their SHA-256.

    Raises:
        InputError: the folder is no release, a table is broken, a meme has two labels, or a
            picture is missing.
    """
    folder = Path(data.release)
    if not (folder / "release.json").is_file():
        raise InputError("is no release: it has no release.json.", file=folder)
    labels, columns = _labels(folder, data)
    for row in release_rows(folder, pictures):
        if unknown := [name for name in data.where if name not in row.cells.keys() | columns]:
            raise InputError(
                f"The release has no column {unknown[0][:40]!r}, which [data.where] names.",
                file=row.file,
            )
        cells = {name: row.text(column) for name, column in _COLUMNS.items()}
        meme = row.text("meme_id")
        if any(name in row.cells and row.text(name) != v for name, v in data.where.items()):
            continue
        cells["item"] = f"{meme}/{cells['language']}" if cells["language"] else meme
        cells["group"] = cells["group"] or meme
        known = labels.get(meme, {})
        cells["label"] = known.get("label", "")
        cells |= {f"other.{name}": known.get(name, "") for name in data.other}
        cells["year"] = known.get(data.columns.year, "")
        yield cells, row.picture, row.file, row.row


def _labels(folder: Path, data: DataSettings) -> tuple[dict[str, dict[str, str]], set[str]]:
    """By meme the row of its label; and the columns of the table."""
    path = release_table(folder, data.label_table)
    if path is None:
        known = sorted(each.stem for each in (folder / "tables").glob("*"))
        raise InputError(
            f"has no table {data.label_table}; it has {', '.join(known) or 'none'}.", file=folder
        )
    labels: dict[str, dict[str, str]] = {}
    columns: set[str] = set()
    for number, row in table_rows(path):
        columns.update(row)
        cells = {name: text_of(value) for name, value in row.items()}
        if any(name in cells and cells[name] != value for name, value in data.where.items()):
            continue
        meme, label = cells.get("meme_id", ""), cells.get("label", "")
        if label and labels.get(meme, cells)["label"] != label:
            raise InputError(
                f"The meme {meme[:60]!r} has the labels {labels[meme]['label']!r} and {label!r}; "
                "say in [data.where] whose labels are meant, such as culture = 'US'.",
                file=path,
                row=number,
            )
        if label:
            labels[meme] = cells
    return labels, columns
