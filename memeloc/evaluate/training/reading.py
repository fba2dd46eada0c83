"""Datasets to learn from. In: a table or a release, settings. Out: a `Dataset`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from memeloc.counts import counted
from memeloc.errors import InputError
from memeloc.evaluate.releases import release_rows, release_table, table_rows
from memeloc.evaluate.training.examples import Dataset, Example
from memeloc.evaluate.training.label_sets import LabelSet, label_set
from memeloc.evaluate.training.run_file import DataSettings, LabelSettings
from memeloc.tables import text_of
from memeloc.tables.column_map import Role, read_map, read_rows

ROLES = (
    Role("label", ("label",), required=True),
    *map(Role, ("item", "text", "picture", "language", "group", "split", "year")),
    Role("other", many=True),
)
_COLUMNS = {
    "text": "text",
    "language": "language",
    "group": "template",
    "split": "split",
}
"""Columns of a release's pictures, by what they are here."""


def release_records(data: DataSettings, pictures: Path) -> Iterator[Record]:
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
        cells |= {f"other: {name}": known.get(name, "") for name in data.other}
        cells["year"] = known.get(data.columns.get("year", ""), "")
        yield Record(cells, row.picture, row.file, row.row)


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


@dataclass(frozen=True, slots=True)
class Record:
    """A row, wherever it is from: cells by role, and where it stands."""

    cells: Mapping[str, str]
    picture: Path | None
    file: Path
    row: int | None = None


def read_dataset(data: DataSettings, labels: LabelSettings, folder: Path) -> Dataset:
    """The examples of a table or release that have a label.

    Args:
        folder: where pictures of a release are put that stand within its tables.

    Raises:
        InputError: a file cannot be read, a row is broken, a label is unknown, a picture is
            missing, or no row has a label.
    """
    if data.release:
        source, about = Path(data.release), data.label_table
        rows = release_records(data, folder / "pictures")
        return dataset_of(rows, data, labels, source, about)
    if not data.table:
        raise InputError(
            f"The labels of the survey {data.survey} are learned in its workspace: run it there."
        )
    source = Path(data.table)
    about = f"column {data.columns.get('label', 'label')}"
    return dataset_of(_table_records(data, source), data, labels, source, about)


def dataset_of(
    records: Iterable[Record], data: DataSettings, labels: LabelSettings, source: Path, about: str
) -> Dataset:
    """The examples of records that have a label.

    Args:
        data: for columns to keep, and for the page.
        source: a file or folder, for the page and for sentences.
        about: where the labels are from.

    Raises:
        InputError: a label is unknown, or no record has a label.
    """
    known = label_set(labels)
    examples, unlabelled = [], 0
    for record in records:
        label = _label(record, known)
        if label:
            examples.append(_example(record, label, data))
        else:
            unlabelled += 1
    if not examples:
        raise InputError("has no row with a label.", file=source)
    final = known.of(example.label for example in examples)
    facts = {"dataset": source.name, "examples": f"{len(examples):,}", "labels": about}
    if data.where:
        facts["rows"] = ", ".join(f"{name} = {value}" for name, value in data.where.items())
    notes = (f"{counted(unlabelled, 'row')} without a label left out.",) if unlabelled else ()
    return Dataset(tuple(examples), final.labels, final.levels, final.coarser, facts, notes)


def _table_records(data: DataSettings, path: Path) -> Iterator[Record]:
    others = tuple(dict.fromkeys((*data.other, *data.where)))
    named = {**data.columns, **({"other": others} if others else {})}
    mapped = read_rows(path, read_map({"columns": named}), ROLES)
    if mapped.broken:
        raise mapped.wrong(mapped.broken[0].error, row=mapped.broken[0].number)
    pictures = Path(data.pictures) if data.pictures else path.parent
    for row in mapped.frame.to_dict("records"):
        cells = {str(name): text for name, text in row.items()}
        number = cells.pop("row")
        if any(cells[f"other: {column}"] != value for column, value in data.where.items()):
            continue
        cells["item"] = cells.get("item") or str(number)
        picture = None
        if cells.get("picture"):
            picture = pictures / cells["picture"]
            if not picture.is_file():
                message = f"The picture {cells['picture'][:80]!r} is not in {pictures}."
                raise mapped.wrong(message, "picture", number)
        yield Record(cells, picture, path, number)


def _label(record: Record, labels: LabelSet) -> str:
    name = record.cells.get("label", "")
    label = labels.label_of(name) if name else ""
    if label is None:
        raise InputError(
            f"The label {name[:60]!r} is none of {', '.join(labels.labels)}; say in [labels.map] "
            "which it is, or '' to leave such rows out.",
            file=record.file,
            row=record.row,
        )
    return label


def _example(record: Record, label: str, data: DataSettings) -> Example:
    cells = record.cells
    year = cells.get("year", "")[:4]
    if year and not year.isdecimal():
        raise InputError(f"The year {year!r} is no number.", file=record.file, row=record.row)
    return Example(
        item=cells["item"],
        label=label,
        text=cells.get("text", ""),
        picture=record.picture,
        language=cells.get("language", "") or data.language,
        group=cells.get("group", ""),
        split=cells.get("split", ""),
        year=int(year) if year else None,
        other={name: cells.get(f"other: {name}", "") for name in data.other},
    )
