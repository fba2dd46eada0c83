"""Datasets to learn from. In: a table or a release, settings. Out: a `Dataset`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from memeloc.counts import counted
from memeloc.errors import InputError
from memeloc.evaluate.gold import Gold
from memeloc.evaluate.releases import release_rows, release_table, table_rows
from memeloc.evaluate.runs.run import DatasetSettings, GoldSettings
from memeloc.evaluate.training.run_file import LoraRun
from memeloc.tables import text_of
from memeloc.tables.column_map import Role, read_map, read_rows
from memeloc.taxonomy import load_taxonomy

if TYPE_CHECKING:
    import pandas as pd

_ROLES = (
    Role("label", ("label",), required=True),
    *map(Role, ("item", "text", "picture", "language", "template", "split", "year")),
    Role("other", many=True),
)


@dataclass(frozen=True, slots=True)
class Example:
    """A meme with its label.

    Attributes:
        item: its id, which no other example of the dataset has.
        label: its name; empty where none is known.
        text: of the meme; empty where there is none.
        picture: its file; None where there is none.
        language: of the text, a BCP 47 tag; may be empty.
        group: what keeps examples together in one split, such as the template; empty for none.
        split: of the dataset's own splits; empty for none.
        year: of the template, or of the meme; None where it is not known.
        other: further columns by name, such as `target`.
    """

    item: str
    label: str
    text: str = ""
    picture: Path | None = None
    language: str = ""
    group: str = ""
    split: str = ""
    year: int | None = None
    other: Mapping[str, str] = field(default_factory=dict, hash=False)


def frame_of(examples: Iterable[Example]) -> pd.DataFrame:
    """Return examples as a table that models take, indexed by item; None where nothing is."""
    import pandas as pd

    rows = [
        (each.item, each.label or None, each.text if each.text.strip() else None, each.picture,
            each.language)
        for each in examples
    ]  # fmt: skip
    columns = ["item", "label", "text", "picture", "language"]
    return pd.DataFrame(rows, columns=columns, dtype=object).set_index("item")


@dataclass(frozen=True)
class Dataset:
    """Examples, and what their labels mean.

    Attributes:
        examples: in the order of the source.
        labels: all that there are, in order; also ones that no example has.
        levels: by label a number, where labels are ordered (for MAE and MMAE).
        coarser: by name of a coarser task its label for each label.
        about: what it is, for every output: source, columns, what was left out.
        notes: what was noticed while it was read, a sentence each.
    """

    examples: tuple[Example, ...]
    labels: tuple[str, ...]
    levels: Mapping[str, int] = field(default_factory=dict)
    coarser: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    about: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Raise InputError for a label that is not in the list, or an item that comes twice."""
        items = set()
        for example in self.examples:
            if example.label and example.label not in self.labels:
                raise InputError(
                    f"The item {example.item[:60]!r} has the label {example.label[:60]!r}, which "
                    f"is none of {', '.join(self.labels)}; name it in [gold.labels]."
                )
            if example.item in items:
                raise InputError(f"The item {example.item[:60]!r} comes twice in the dataset.")
            items.add(example.item)

    @cached_property
    def frame(self) -> pd.DataFrame:
        """The examples as a table that models take."""
        return frame_of(self.examples)

    @cached_property
    def gold(self) -> Gold:
        """The labels as what is right; a column, `gold`."""
        table = self.frame[["label"]].rename(columns={"label": "gold"})
        templates = {each.item: each.group for each in self.examples if each.group}
        about = self.about
        return Gold(table, self.labels, self.levels, self.coarser, about, templates=templates)


class Record(NamedTuple):
    """A row, wherever it is from: cells by role, and where it stands."""

    cells: Mapping[str, str]
    picture: Path | None
    file: Path
    row: int | None = None


def read_dataset(data: DatasetSettings, labels: GoldSettings, folder: Path) -> Dataset:
    """Return the examples of a table or release that have a label. Raise InputError if a file
    cannot be read, a row is broken, a label is unknown, a picture is missing, or no row has a
    label.

    Args:
        folder: where pictures of a release are put that stand within its tables.
    """
    path = Path(data.path) / data.table
    if path.is_dir():
        records = _release_records(data, folder / "pictures")
        return dataset_of(records, data, labels, path, data.label_table)
    if not data.path:
        raise InputError(
            f"The labels of the survey {data.survey} are learned in its workspace: run it there."
        )
    about = f"column {data.columns.get('label', 'label')}"
    return dataset_of(_table_records(data, path), data, labels, path, about)


def read_cultures(run: LoraRun, folder: Path) -> dict[str, Dataset]:
    """Return by culture the items that it has a label for.

    In a table a culture's labels stand in the column of its name, in a release in the rows of its
    labels whose column `culture` names it. Raise InputError if the table cannot be read, or a label
    is none of the options.
    """
    datasets = {}
    names = {label for _, label in run.lora.options}
    for culture in run.lora.cultures:
        columns = {"columns": {**run.dataset.columns, "label": culture}}
        where = {"where": {**run.dataset.where, "culture": culture}}
        is_release = Path(run.dataset.path).is_dir()
        data = run.dataset.model_copy(update=where if is_release else columns)
        datasets[culture] = read_dataset(data, run.gold, folder)
        if unknown := {each.label for each in datasets[culture].examples} - names:
            raise InputError(
                f"{culture} has the label {min(unknown)!r}, which is none of the options "
                f"{', '.join(sorted(names))}; say in [gold.labels] which it is."
            )
    return datasets


def dataset_of(
    records: Iterable[Record],
    data: DatasetSettings,
    settings: GoldSettings,
    source: Path,
    about: str,
) -> Dataset:
    """Return the examples of records that have a label.

    A taxonomy's labels come from the least severe one on, with severities as levels, its groups as
    a coarser task, and harmful against harmless (severity 0) as another. Raise InputError if a
    label is unknown, or no record has a label.

    Args:
        source: a file or folder, for the page and for sentences.
        about: where the labels are from.
    """
    labels, levels, coarser = settings.order, settings.levels, settings.coarser
    if settings.taxonomy:
        votes = sorted(
            load_taxonomy(settings.taxonomy).of_role("vote"), key=lambda label: label.severity
        )
        labels = labels or tuple(label.id for label in votes)
        levels = levels or {label.id: label.severity for label in votes}
        if len(set(levels.values())) < 2:
            levels = {}
        groups = {label.id: label.group or label.id for label in votes}
        harm = {label.id: "harmful" if label.severity else label.id for label in votes}
        coarser = coarser or {
            f"{len(set(each.values()))} classes": each
            for each in (groups, harm)
            if len(set(each.values())) < len(labels)
        }
    plain = {_plain(label): label for label in reversed(labels)}
    examples = []
    unlabelled = 0
    for record in records:
        written = record.cells.get("label", "").strip()
        label = settings.labels.get(written, written)
        if label == written and labels and written:
            label = written if written in labels else plain.get(_plain(written), "")
            if not label:
                raise InputError(
                    f"The label {written[:60]!r} is none of {', '.join(labels)}; say in "
                    "[gold.labels] which it is, or '' to leave such rows out.",
                    file=record.file,
                    row=record.row,
                )
        if label:
            examples.append(_example(record, label, data))
        unlabelled += not label
    if not examples:
        raise InputError("has no row with a label.", file=source)
    labels = labels or tuple(sorted({example.label for example in examples}))
    if len(labels) < 2:
        raise InputError(f"The dataset has {len(labels)} labels; two are needed at least.")
    for name, mapping in {"levels": dict.fromkeys(levels, ""), **coarser}.items():
        lacking = [label for label in labels if mapping and label not in mapping]
        if lacking:
            raise InputError(f"[gold] {name} says nothing of {', '.join(lacking)}.")
    facts = {"dataset": source.name, "examples": f"{len(examples):,}", "labels": about}
    if data.where:
        facts["rows"] = ", ".join(f"{name} = {value}" for name, value in data.where.items())
    notes = (f"{counted(unlabelled, 'row')} without a label left out.",) if unlabelled else ()
    return Dataset(tuple(examples), labels, levels, coarser, facts, notes)


def _plain(name: str) -> str:
    return "-".join(name.casefold().replace("_", " ").replace("-", " ").split())


def _example(record: Record, label: str, data: DatasetSettings) -> Example:
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
        group=cells.get("template", ""),
        split=cells.get("split", ""),
        year=int(year) if year else None,
        other={name: cells.get(f"other: {name}", "") for name in data.other},
    )


def _table_records(data: DatasetSettings, path: Path) -> Iterator[Record]:
    others = tuple(dict.fromkeys((*data.other, *data.where)))
    columns = {**data.columns, **({"other": others} if others else {})}
    mapped = read_rows(path, read_map({"columns": columns}), _ROLES)
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


def _release_records(data: DatasetSettings, pictures: Path) -> Iterator[Record]:
    """Yield a record a picture; a meme in each language is an item, and they stay in one split."""
    folder = Path(data.path)
    if not (folder / "release.json").is_file():
        raise InputError("is no release: it has no release.json.", file=folder)
    labels, columns = _release_labels(folder, data)
    for row in release_rows(folder, pictures):
        if unknown := [name for name in data.where if name not in row.cells.keys() | columns]:
            raise InputError(
                f"The release has no column {unknown[0][:40]!r}, which [dataset.where] names.",
                file=row.file,
            )
        if any(name in row.cells and row.text(name) != v for name, v in data.where.items()):
            continue
        meme, language = row.text("meme_id"), row.text("language")
        found = labels.get(meme, {})
        cells = {
            "item": f"{meme}/{language}" if language else meme,
            "label": found.get("label", ""),
            "text": row.text("text"),
            "language": language,
            "template": row.text("template") or meme,
            "split": row.text("split"),
            "year": found.get(str(data.columns.get("year", "")), ""),
            **{f"other: {name}": found.get(name, "") for name in data.other},
        }
        yield Record(cells, row.picture, row.file, row.row)


def _release_labels(
    folder: Path, data: DatasetSettings
) -> tuple[dict[str, dict[str, str]], set[str]]:
    """Return by meme the row of its label, and the columns of the table."""
    path = release_table(folder, data.label_table)
    if path is None:
        names = sorted(each.stem for each in (folder / "tables").glob("*"))
        raise InputError(
            f"has no table {data.label_table}; it has {', '.join(names) or 'none'}.", file=folder
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
                "say in [dataset.where] whose labels are meant, such as culture = 'US'.",
                file=path,
                row=number,
            )
        if label:
            labels[meme] = cells
    return labels, columns
