"""Datasets that are tables. In: tables of memes and labels, pictures. Out: `RunData`."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from memeloc.counts import counted
from memeloc.errors import InputError
from memeloc.evaluate.runs.items import RunData, RunItem, choice_questions, in_languages
from memeloc.evaluate.runs.labels import GOLD, ITEM, as_label, gold_of, plain_id, read_gold
from memeloc.evaluate.runs.run import Run
from memeloc.statistics.significance import rows_of
from memeloc.tables.column_map import ColumnMap, MappedRows, Role, read_rows

_ROLES = (
    Role("item", ITEM),
    Role("text", ("text", "caption", "Translation", "transcript", "ocr", "ocr_text")),
    Role("picture", ("picture", "image", "img", "file_name", "image_path", "img_path", "path")),
    Role("language", ("language", "lang")),
    Role("split", ("split",)),
    Role("question", ("question",)),
    Role("option", ("options", "choices")),
    Role("correct", ("correct", "correct_answer", "answer", "gold"), shared=True),
    Role("dimension", ("dimension",)),
    Role("meme", ("meme", "meme_id", "Meme ID"), shared=True),
    Role("label", ("label", "gold", "gold_label"), shared=True),
)
_CHOICE = "choice"
"""The role of the columns that `dataset.options` names, an option each."""
PICTURES = frozenset((".jpg", ".jpeg", ".png", ".webp", ".gif", ".bmp", ".avif"))


def read_table_data(run: Run, path: Path, gold: Path | None = None) -> RunData:
    """Return the dataset of a run that is a table, or a folder with one.

    Args:
        run: says which table of a folder, and where its pictures and labels are.
        gold: a table of labels, in the place of the run's.

    Raises:
        InputError: the table, its pictures or its labels cannot be read; the file, row and column
            are named.
    """
    import pandas as pd

    settings = run.dataset
    root = path if path.is_dir() else path.parent
    table = str(root / settings.table) if path.is_dir() else str(path)
    if path.is_dir() and not settings.table:
        raise InputError("is a folder; name its table as dataset.table in the run file", file=path)
    tables = {table: settings.language}
    if "{language}" in table:
        if not settings.languages:
            message = "the table differs by language; name them: dataset.languages or --langs"
            raise InputError(message)
        tables = {table.replace("{language}", tag): tag for tag in settings.languages}
    if gold is None and run.gold.path:
        gold = root / run.gold.path
    items: dict[tuple[str, str], RunItem] = {}
    labels: dict[str, str] = {}
    notes: list[str] = []
    pictures_in = cache(_pictures_in)
    for name, tag in tables.items():
        rows = _read(run, Path(name), tag)
        before = len(items)
        for row in rows_of(rows.frame):
            item = _item(run, rows, row, root, pictures_in)
            if items.setdefault((item.id, item.language), item) is not item:
                message = f"another row has the item {item.id[:60]!r} in {item.language}"
                raise rows.wrong(message, row=row.row)
            label = _label(run, rows, row, item.options) if gold is None else ""
            if label and item.options and labels.get(item.id, label) != label:
                message = (
                    f"another question has the item {item.id[:60]!r}; give each one of its own"
                )
                raise rows.wrong(message, row=row.row)
            labels |= {item.id: label} if label else {}
        without = sum(item.picture is None for item in list(items.values())[before:])
        if without and any("text" not in each.inputs for each in run.conditions):
            notes.append(
                f"{counted(without, 'item')} of {Path(name).name} have no picture and are asked "
                "about by their text alone."
            )
    chosen = tuple(items.values())[: settings.limit]
    if not chosen:
        raise InputError("no item of these languages and this split is in it", file=path)
    about = {"dataset": path.resolve().name}
    about |= {"split": settings.split} if settings.split else {}
    if gold is not None:
        right = read_gold(run, gold, [item.id for item in chosen], about)
    else:
        own = pd.DataFrame({GOLD: {item.id: labels.get(item.id, "") for item in chosen}})
        right = gold_of(run, own, {**about, "gold": "the labels in its own table"})
    if right is not None:
        right = replace(right, questions=choice_questions(chosen))
    return RunData(chosen, right, about, tuple(notes))


def _read(run: Run, path: Path, tag: str) -> MappedRows:
    """Return the rows that are asked about, with a column for each role."""
    settings = run.dataset
    fixed = {"language": tag} if tag else {}
    column_map = ColumnMap(columns=settings.columns, fixed=fixed)
    roles = [*_ROLES, Role(_CHOICE, settings.options, many=True)]
    rows = read_rows(path, column_map, roles)
    if rows.broken:
        raise InputError(rows.broken[0].error, file=path, row=rows.broken[0].number)
    if not rows.columns.keys() & {"item", "meme"}:
        raise rows.wrong("has no column of items: name it as dataset.columns.item")
    if "language" not in rows.frame:
        raise rows.wrong(
            "no language: name its column as dataset.columns.language, or the language of all "
            "items as dataset.language"
        )
    frame = rows.frame.assign(**{role.name: "" for role in _ROLES if role.name not in rows.frame})
    texts = frame.columns.drop("row")
    frame[texts] = frame[texts].apply(lambda column: column.str.strip())
    if run.labels or "option" in rows.columns:
        frame["option"] = frame["option"].map(_listed)
    else:
        choices = rows.columns.get(_CHOICE, {})
        missing = [name for name in settings.options if name not in choices]
        if missing or not choices:
            raise rows.wrong(
                f"has no column {(missing or ['options'])[0][:40]!r}: name the columns of the "
                "options as dataset.options, or one with a JSON list as dataset.columns.option"
            )
        listed = frame[[f"{_CHOICE}: {name}" for name in settings.options]]
        frame["option"] = [tuple(filter(None, row)) for row in listed.to_numpy()]
    is_wanted = frame["language"].map(lambda tag: in_languages(tag, settings.languages))
    if settings.split:
        is_wanted &= frame["split"] == settings.split
    return replace(rows, frame=frame[is_wanted])


def _item(
    run: Run,
    rows: MappedRows,
    row: Any,
    root: Path,
    pictures_in: Callable[[Path], Mapping[str, Path]],
) -> RunItem:
    of_meme = rows.columns.get("item") in (None, rows.columns.get("meme"))
    id = row.meme if of_meme else row.item
    if of_meme and row.dimension:
        id = f"{row.meme}/{row.dimension}"
    if not id:
        raise rows.wrong("names no item", "item", row.row)
    if not run.labels and not 2 <= len(set(row.option)) == len(row.option):
        raise rows.wrong("has no two options that differ", row=row.row)
    folder = run.dataset.pictures.replace("{language}", row.language)
    picture = None
    if row.picture:
        picture = inside(root / folder, row.picture)
    elif folder:
        picture = pictures_in(root / folder).get(plain_id(row.meme or id))
    return RunItem(
        id,
        row.language,
        row.text,
        picture,
        row.question,
        () if run.labels else row.option,
        row.dimension,
        row.meme if row.dimension else "",
    )


def _listed(text: str) -> tuple[str, ...]:
    """Return options in one cell: a JSON list, or parted by line breaks or " | "."""
    try:
        values = json.loads(text)
    except ValueError:
        values = text.split("\n" if "\n" in text else " | ")
    return tuple(str(value).strip() for value in values if str(value).strip())


def _label(run: Run, rows: MappedRows, row: Any, options: tuple[str, ...]) -> str:
    """Return what is right: of the run's labels, or of options by its text, letter or number."""
    if not options:
        column = next(iter(rows.columns.get("label", ())), "")
        return as_label(row.label, run, file=rows.file, row=row.row, column=column)
    folded = [option.casefold() for option in options]
    text = row.correct.casefold()
    if not text or row.correct in options:
        return str(row.correct)
    if text in folded:
        return options[folded.index(text)]
    place = int(text) - 1 if text.isdecimal() else ord(text) - ord("a") if len(text) == 1 else -1
    if 0 <= place < len(options):
        return options[place]
    raise rows.wrong(
        f"the right option {row.correct[:60]!r} is none of the options", "correct", row.row
    )


def inside(folder: Path, name: str) -> Path | None:
    """Return a file below a folder; None where it is not there, or leads out of it."""
    path = Path(os.path.normpath(folder / name))
    is_inside = path.is_relative_to(os.path.normpath(folder)) and path.is_file()
    is_real = is_inside and path.resolve().is_relative_to(folder.resolve())
    return path if is_real else None


def _pictures_in(folder: Path) -> dict[str, Path]:
    """Return the pictures in a folder and those below by the plain name of their file."""
    paths = sorted(folder.rglob("*"), reverse=True) if folder.is_dir() else []
    return {
        plain_id(path.stem): path
        for path in paths
        if path.suffix.lower() in PICTURES and inside(folder, str(path.relative_to(folder)))
    }
