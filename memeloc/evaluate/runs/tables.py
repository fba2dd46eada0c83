"""Datasets that are tables. In: tables of memes and labels, pictures. Out: `RunData`."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memeloc.counts import counted
from memeloc.errors import InputError
from memeloc.evaluate.gold import Gold
from memeloc.evaluate.runs.items import RunData, RunItem, choice_questions, in_languages
from memeloc.evaluate.runs.run import Run
from memeloc.tables import Row, Table, read_table

if TYPE_CHECKING:
    import pandas as pd

COLUMNS: dict[str, tuple[str, ...]] = {
    "item": ("item", "Meme ID", "meme_id", "ID", "id", "image_id", "img_id"),
    "text": ("text", "caption", "Translation", "transcript", "ocr", "ocr_text"),
    "picture": ("picture", "image", "img", "file_name", "image_path", "img_path", "path"),
    "language": ("language", "lang"),
    "split": ("split",),
    "question": ("question",),
    "options": ("options", "choices"),
    "correct": ("correct", "correct_answer", "answer", "gold"),
    "dimension": ("dimension",),
    "meme": ("meme", "meme_id", "Meme ID"),
}
"""Names that a column may have, best first; `dataset.columns` names others."""
LABELS = ("label", "gold", "gold_label")
"""Columns of labels in a dataset's own table, where no gold table is named."""
PICTURES = frozenset((".jpg", ".jpeg", ".png", ".webp", ".gif", ".bmp", ".avif"))
GOLD = "gold"
"""The culture of labels that are of no culture."""


def plain_id(text: str) -> str:
    """An item as it is compared where tables write it differently: 0012, 12.0 and 12 are the same.

    >>> plain_id("0012"), plain_id("12.0"), plain_id("a-01")
    ('12', '12', 'a-01')
    """
    text = text.strip().removesuffix(".0")
    return text.lstrip("0") or "0" if text.isdecimal() else text


def read_table_data(run: Run, path: Path, gold: Path | None = None) -> RunData:
    """The dataset of a run that is a table, or a folder with one.

    Args:
        run: says which table of a folder, and where its pictures and labels are.
        gold: a table of labels, in the place of the run's.

    Raises:
        InputError: the table, its pictures or its labels cannot be read; the file, row and column
            are named.
    """
    settings = run.dataset
    root = path if path.is_dir() else path.parent
    table = str(path) if not path.is_dir() else str(root / settings.table)
    if path.is_dir() and not settings.table:
        raise InputError("is a folder; name its table as dataset.table in the run file", file=path)
    languages: Sequence[str] = settings.languages
    if "{language}" in table and not languages:
        raise InputError("the table differs by language; name them: dataset.languages or --langs")
    names = [table.replace("{language}", tag) for tag in languages if "{language}" in table]
    if gold is None and run.gold.path:
        gold = root / run.gold.path
    reader = _Reader(run, path, root, gold)
    for name, tag in zip(names or [table], languages if names else [""], strict=False):
        reader.read(Path(name), tag)
    return reader.data()


class _Reader:
    """Reads the tables of a dataset, and keeps what is right where they say it."""

    def __init__(self, run: Run, path: Path, root: Path, gold: Path | None) -> None:
        self.run, self.path, self.root, self.gold = run, path, root, gold
        self.items: list[RunItem] = []
        self.labels: dict[str, str] = {}
        self.notes: list[str] = []
        self._seen: set[tuple[str, str]] = set()
        self._pictures: dict[str, dict[str, Path]] = {}

    def read(self, path: Path, language: str) -> None:
        settings = self.run.dataset
        table = read_table(path)
        columns = _columns(table, settings.columns)
        wanted = settings.languages
        without_picture = 0
        for row in table.rows:
            if row.error:
                raise InputError(row.error, file=path, row=row.number)
            if settings.split and _cell(row, columns, "split") != settings.split:
                continue
            tag = _cell(row, columns, "language") or language or settings.language
            if not tag:
                raise InputError(
                    "no language: name its column as dataset.columns.language, or the language "
                    "of all items as dataset.language",
                    file=path,
                )
            if not in_languages(tag, wanted):
                continue
            item = self._item(row, columns, tag, path)
            if (item.id, tag) in self._seen:
                raise InputError(
                    f"another row has the item {item.id[:60]!r} in {tag}", file=path, row=row.number
                )
            self._seen.add((item.id, tag))
            without_picture += item.picture is None
            self.items.append(item)
        if without_picture and any("text" not in each.inputs for each in self.run.conditions):
            where = f" of {path.name}"
            self.notes.append(
                f"{counted(without_picture, 'item')}{where} have no picture and are asked about "
                "by their text alone."
            )

    def data(self) -> RunData:
        items = tuple(self.items[: self.run.dataset.limit])
        if not items:
            raise InputError("no item of these languages and this split is in it", file=self.path)
        about = {"dataset": self.path.resolve().name}
        if self.run.dataset.split:
            about["split"] = self.run.dataset.split
        gold = self._gold(items, about)
        if gold is not None:
            gold = replace(gold, questions=choice_questions(items))
        return RunData(items, gold, about, tuple(self.notes))

    def _item(self, row: Row, columns: Mapping[str, str], tag: str, path: Path) -> RunItem:
        meme, dimension = _cell(row, columns, "meme"), _cell(row, columns, "dimension")
        question = _cell(row, columns, "question")
        id = _cell(row, columns, "item")
        if dimension and columns["item"] == columns.get("meme"):
            id = f"{meme}/{dimension}"
        if not id:
            raise InputError("names no item", file=path, row=row.number, column=columns["item"])
        options = () if self.run.labels else self._options(row, columns, path)
        item = RunItem(
            id,
            tag,
            _cell(row, columns, "text"),
            self._picture(row, columns, tag, meme or id),
            question,
            options,
            dimension,
            meme if dimension else "",
        )
        label = self._label(row, columns, options, path)
        if label:
            if options and self.labels.get(id, label) != label:
                raise InputError(
                    f"another question has the item {id[:60]!r}; give each one of its own",
                    file=path,
                    row=row.number,
                )
            self.labels[id] = label
        return item

    def _options(self, row: Row, columns: Mapping[str, str], path: Path) -> tuple[str, ...]:
        names = self.run.dataset.options
        if "options" in columns:
            options = _listed(row[columns["options"]])
        else:
            missing = [name for name in names if name not in row.header.names]
            if missing:
                raise InputError(
                    f"has no column {missing[0][:40]!r}: name the columns of the options as "
                    "dataset.options, or one with a JSON list as dataset.columns.options",
                    file=path,
                )
            options = [row[name].strip() for name in names if row[name].strip()]
        if len(set(options)) < 2 or len(set(options)) < len(options):
            raise InputError("has no two options that differ", file=path, row=row.number)
        return tuple(options)

    def _label(
        self, row: Row, columns: Mapping[str, str], options: tuple[str, ...], path: Path
    ) -> str:
        if self.gold is not None:
            return ""
        if options:
            return _correct(_cell(row, columns, "correct"), options, path, row.number)
        name = next((name for name in row.header.names if name.casefold() in LABELS), "")
        if not name:
            return ""
        return as_label(row[name], self.run, "", path=path, row=row.number, column=name)

    def _picture(self, row: Row, columns: Mapping[str, str], tag: str, id: str) -> Path | None:
        folder = self.run.dataset.pictures.replace("{language}", tag)
        named = _cell(row, columns, "picture")
        if named:
            return inside(self.root / folder, named)
        if not folder:
            return None
        if folder not in self._pictures:
            self._pictures[folder] = dict(_pictures_in(self.root / folder))
        return self._pictures[folder].get(plain_id(id))

    def _gold(self, items: Sequence[RunItem], about: Mapping[str, str]) -> Gold | None:
        if self.gold is not None:
            return read_gold(self.run, self.gold, [item.id for item in items], about)
        by_item = {item.id: {GOLD: self.labels.get(item.id, "")} for item in items}
        about = {**about, "gold": "the labels in its own table"}
        return gold_of(self.run, by_item, about) if self.labels else None


def read_gold(run: Run, path: Path, items: Iterable[str], about: Mapping[str, str]) -> Gold | None:
    """The labels of items in a table: a row an item, a column a culture.

    Raises:
        InputError: it cannot be read, has no column of labels, an unknown label, or no item that
            is asked about.
    """
    table = read_table(path)
    named = {"item": run.gold.item} if run.gold.item else {}
    column = _columns(table, named)["item"]
    rows = []
    for row in table.rows:
        if row.error:
            raise InputError(row.error, file=path, row=row.number)
        rows.append(row)
    cultures = run.gold.cultures or _label_columns(table, rows, run, column)
    if not cultures:
        raise InputError(
            "no column holds labels only: name them as gold.cultures, and what stands in them as "
            "gold.values",
            file=path,
        )
    wanted = list(dict.fromkeys(items))
    plain = {plain_id(item): item for item in wanted}
    exact = set(wanted)
    by_item: dict[str, dict[str, str]] = {}
    for row in rows:
        key = row[column].strip()
        item = key if key in exact else plain.get(plain_id(key), "")
        if item:
            by_item[item] = {
                culture: as_label(row[name], run, "", path=path, row=row.number, column=name)
                for culture, name in cultures.items()
            }
    if not by_item:
        raise InputError("has none of the items that are asked about", file=path, column=column)
    return gold_of(run, by_item, {**about, "gold": path.name})


def gold_of(
    run: Run, by_item: Mapping[str, Mapping[str, str]], about: Mapping[str, str]
) -> Gold | None:
    """Labels by item and culture, an empty text where there is none; None where there are none."""
    import pandas as pd

    table: pd.DataFrame = pd.DataFrame(list(by_item.values()), index=list(by_item), dtype=object)
    table = table.where(table != "").dropna(how="all")
    table.index = table.index.astype(str)
    if table.empty:
        return None
    settings = run.gold
    return Gold(table, run.labels, settings.levels, settings.coarser, about)


def inside(folder: Path, name: str) -> Path | None:
    """A file below a folder; None where it is not there, or leads out of it."""
    path = Path(os.path.normpath(folder / name))
    is_inside = path.is_relative_to(os.path.normpath(folder)) and path.is_file()
    is_real = is_inside and path.resolve().is_relative_to(folder.resolve())
    return path if is_real else None


def _pictures_in(folder: Path) -> Iterable[tuple[str, Path]]:
    """Pictures in a folder and those below by the plain name of their file."""
    for path in sorted(folder.rglob("*")) if folder.is_dir() else ():
        if path.suffix.lower() in PICTURES and inside(folder, str(path.relative_to(folder))):
            yield plain_id(path.stem), path


def _columns(table: Table, named: Mapping[Any, str]) -> dict[str, str]:
    """The table's columns by what they are: those that are named, else those known by name."""
    by_name = {name.casefold(): name for name in reversed(table.columns) if name}
    columns: dict[str, str] = {}
    for role, names in COLUMNS.items():
        if role in named:
            if named[role].casefold() not in by_name:
                shown = ", ".join(repr(name[:40]) for name in table.columns[:12])
                raise InputError(
                    f"has no column {named[role][:60]!r} for {role}; its columns are {shown}",
                    file=table.path,
                )
            names = (named[role],)
        known = next((name for name in names if name.casefold() in by_name), None)
        if known is not None:
            columns[role] = by_name[known.casefold()]
    if "item" not in columns and "meme" in columns:
        columns["item"] = columns["meme"]
    if "item" not in columns:
        raise InputError(
            "has no column of items: name it (dataset.columns.item, or gold.item)", file=table.path
        )
    return columns


def _cell(row: Row, columns: Mapping[str, str], role: str) -> str:
    return row[columns[role]].strip() if role in columns else ""


def _listed(text: str) -> list[str]:
    """Options in one cell: a JSON list, or parted by line breaks or " | "."""
    try:
        values = json.loads(text)
    except ValueError:
        values = text.split("\n" if "\n" in text else " | ")
    return [str(value).strip() for value in values if str(value).strip()]


def _correct(text: str, options: Sequence[str], path: Path, row: int) -> str:
    """The right option by its text, its letter or its number from 1; empty for none."""
    if not text or text in options:
        return text
    folded = [option.casefold() for option in options]
    if text.casefold() in folded:
        return options[folded.index(text.casefold())]
    place = "abcdefghijklmnopqrstuvwxyz".find(text.casefold()) if len(text) == 1 else -1
    if text.isdecimal():
        place = int(text) - 1
    if 0 <= place < len(options):
        return options[place]
    raise InputError(f"the right option {text[:60]!r} is none of the options", file=path, row=row)


def as_label(
    text: str,
    run: Run,
    where: str,
    *,
    path: Path | None = None,
    row: int | None = None,
    column: str | None = None,
) -> str:
    """A label as the run names it; empty where the text is.

    Raises:
        InputError: it is none of the run's labels; `where` it stands, or file, row and column, are
            named.
    """
    value = plain_id(text) if text.strip() else ""
    label = run.gold.values.get(text.strip(), run.gold.values.get(value, text.strip()))
    if label and label.casefold() in (names := {each.casefold(): each for each in run.labels}):
        return names[label.casefold()]
    if not label or not run.labels:
        return label
    raise InputError(
        f"{where and f'{where} has '}the label {label[:60]!r}, which is none of "
        f"{', '.join(run.labels)}; gold.values of the run says what stands for which",
        file=path,
        row=row,
        column=column,
    )


def _label_columns(table: Table, rows: Sequence[Row], run: Run, item: str) -> dict[str, str]:
    """The columns that hold nothing but labels, by their own names."""
    cultures = {}
    known = {name.casefold() for name in (*run.labels, *run.gold.values)}
    for name in table.columns:
        values = {row[name].strip() for row in rows} - {""} if name and name != item else set()
        if values and all({v.casefold(), plain_id(v).casefold()} & known for v in values):
            cultures[name] = name
    return cultures
