"""Rows as memes. In: the rows of a dataset's tables. Out: finished memes, each once."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from memeloc.collect.datasets.columns import ColumnMap, as_text, looks_like_picture
from memeloc.collect.datasets.layouts import Layout
from memeloc.collect.datasets.pictures import PictureContent, Pictures, address_of, stem_of
from memeloc.collect.datasets.records import Record, Records
from memeloc.collect.datasets.values import created_of, labels_of, language_of, year_of
from memeloc.collect.sources.dataset_files import Dataset, NotTakenError, details_of, parts_of
from memeloc.items import FoundPicture, FoundTemplate
from memeloc.tables import text_of

_SHARD = re.compile(r"-\d{5}-of-\d{5}$")
"""How the names of a split's files end where it has several."""

_SPLIT = re.compile(
    r"(?<![a-z])(train|training|dev|val|valid|validation|test|testing|trial)(?![a-z])",
    re.IGNORECASE,
)
"""What the names of splits' tables have in them."""


@dataclass(frozen=True, slots=True)
class TableOptions:
    """What was asked of a table: columns by role, labels, and what holds for all of its memes.

    `columns` and `labels` are as `map_columns` takes them; `language` is a tag.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    labels: Sequence[str] = ()
    language: str = ""


@dataclass(frozen=True)
class OpenTable:
    """A table, and how it is read.

    `joined` are the cells of further tables: by the column that they are joined on, and its value.
    """

    records: Records
    layout: Layout
    columns: ColumnMap
    joined: Mapping[str, Mapping[str, Mapping[str, Any]]]


class Memes:
    """Makes memes of rows, each once."""

    def __init__(self, dataset: Dataset, options: TableOptions, pictures: Pictures) -> None:
        self._dataset = dataset
        self._options = options
        self._pictures = pictures
        self._seen: dict[str, tuple[str, int, dict[str, str]]] = {}
        self._templates: set[str] = set()

    def row(self, table: OpenTable, record: Record) -> Iterator[FoundPicture | FoundTemplate]:
        """The meme of a row, after its template.

        Raises:
            NotTakenError: why there is none.
        """
        if record.error:
            raise NotTakenError("not readable", record.error)
        layout, columns = table.layout, table.columns
        cells = _with_json(layout.json_cells, _joined(table, record.cells))
        if any(text_of(cells.get(name)) not in values for name, values in layout.only.items()):
            return
        value = _picture_cell(columns.of("image"), cells, only_names=layout.without_picture)
        if record.picture is None and value is None and layout.without_picture:
            return
        text = _first(columns.of("text"), cells)
        labels = labels_of(cells, columns.labels, layout.questions)
        picture = self._picture(table, record, cells, value)
        if layout.keys == "rows":
            key = f"{record.file}#{_first(columns.of('id'), cells) or record.number}"
            key = f"{key}@{record.number}" if key in self._seen else key
        else:
            key = self._key(columns, record, picture, value)
        same = self._seen.get(key)
        if same is not None and same[0] != picture.key:
            key = f"{record.file}#{key}"  # ids of their own in each table
            same = self._seen.get(key)
        if same is not None:
            _, text_hash, known = same
            if hash(text) != text_hash or (labels and known and labels != known):
                sentence = f"{key!r} stood before it with another text or label"
                raise NotTakenError("another of the same id", sentence)
            return
        template = _first(columns.of("template"), cells)
        if template and template not in self._templates:
            self._templates.add(template)
            yield FoundTemplate(self._dataset.origin(template, record.file), template)
        yield self._meme(table, record, cells, picture, key, labels)
        # A row without its picture does not keep out a later one that has it.
        self._seen[key] = picture.key, hash(text), labels

    def addresses(self, table: OpenTable, record: Record) -> Iterator[str]:
        """The address of a row's picture, where it has one."""
        if not record.error and record.picture is None:
            only_names = table.layout.without_picture
            cells = _joined(table, record.cells)
            value = _picture_cell(table.columns.of("image"), cells, only_names=only_names)
            yield from filter(None, (address_of(value),))

    def _meme(
        self,
        table: OpenTable,
        record: Record,
        cells: Mapping[str, Any],
        picture: PictureContent,
        key: str,
        labels: dict[str, str],
    ) -> FoundPicture:
        columns, layout = table.columns, table.layout
        origin = self._dataset.origin(key, record.place)
        origin = replace(origin, fetched=picture.fetched)
        language, created = columns.of("language"), columns.of("created")
        year = columns.of("year")[:1]
        return FoundPicture(
            origin,
            picture.content,
            name=picture.stem or _first(columns.of("id"), cells) or key,
            parts=_parts(columns.of("text"), cells),
            language=self._options.language
            or next(filter(None, (language_of(cells.get(name)) for name in language)), "")
            or layout.language_tag,
            template=_first(columns.of("template"), cells),
            year=year_of(cells.get(year[0]), year[0]) if year else None,
            labels=labels,
            created=next(filter(None, (created_of(cells.get(name)) for name in created)), ""),
            details=_details(table, record, cells, picture),
        )

    def _picture(
        self, table: OpenTable, record: Record, cells: Mapping[str, Any], value: Any
    ) -> PictureContent:
        if record.picture is not None:
            return self._pictures.read(record.picture)
        if value in (None, ""):
            if "image" in table.layout.required:
                raise _missing(table.columns.of("image"))
            value = _first(table.columns.of("id"), cells)  # pictures that are named by their id
        folder = table.records.path.parent
        try:
            return self._pictures.of(value, folder)
        except NotTakenError as error:
            problem = _first(table.columns.of("problem"), cells)
            if not problem:
                raise
            raise NotTakenError(error.reason, f"{error.sentence}: {problem[:200]}") from None

    def _key(self, columns: ColumnMap, record: Record, picture: PictureContent, value: Any) -> str:
        """The row's id as a text, else its picture's name.

        Where an id was written as a number, its picture's name has its zeros.
        """
        column = next(iter(columns.of("id")), "")
        key = text_of(record.cells.get(column)).strip()
        if column and not key and record.picture is None:
            raise _missing([column])
        if not key:
            named = text_of(value).strip() if isinstance(value, str) else ""
            key = named if picture.path is None else picture.key
            key = key or str(record.number)
        is_number = not isinstance(record.cells.get(column), str)
        if is_number and key.isdecimal() and stem_of(picture.stem) == stem_of(key):
            key = picture.stem
        return f"{record.within}/{key}" if record.within else key


def _joined(table: OpenTable, cells: Mapping[str, Any]) -> Mapping[str, Any]:
    for column, rows in table.joined.items():
        cells = {**rows.get(text_of(cells.get(column)), {}), **cells}
    return cells


def _with_json(columns: Sequence[str], cells: Mapping[str, Any]) -> Mapping[str, Any]:
    """The cells, those that are JSON as text in some columns with its values."""
    texts = {name: cell for name in columns if isinstance(cell := cells.get(name), str)}
    values: dict[str, Any] = {}
    for name, text in texts.items():
        with suppress(ValueError, RecursionError):
            values[name] = json.loads(text)
    return {**cells, **values} if values else cells


def _picture_cell(columns: Sequence[str], cells: Mapping[str, Any], *, only_names: bool) -> Any:
    """The cell that names a row's picture: of several columns the first that does.

    With `only_names`, what stands in another column than the first has to look like a picture.
    """
    values = [value for name in columns if (value := cells.get(name)) not in (None, "")]
    if columns and cells.get(columns[0]) in (None, ""):
        likely = [value for value in values if looks_like_picture(value)]
        values = likely if only_names else likely + values
    return next(iter(values), None)


def _missing(columns: Sequence[str]) -> NotTakenError:
    return NotTakenError("not readable", f"its {' or '.join(columns)} is missing")


def _first(columns: Iterable[str], cells: Mapping[str, Any]) -> str:
    """The first of the columns that has a text."""
    texts = (as_text(cells.get(column)).strip() for column in columns)
    return next(filter(None, texts), "")


def _parts(columns: Sequence[str], cells: Mapping[str, Any]) -> tuple[str, ...]:
    """The text in the picture; a list of texts has its parts already."""
    for value in filter(None, map(cells.get, columns)):
        if isinstance(value, list) and all(isinstance(part, str) for part in value):
            return tuple(part.strip() for part in value)
        break
    return parts_of(_first(columns, cells))


def _split_of(file: str) -> str:
    """The split that a table's name says, or its folder's; empty where it says none."""
    path = Path(file)
    names = (_SHARD.sub("", path.stem), path.parent.name)
    return next((name for name in names if _SPLIT.search(name)), "")


def _details(
    table: OpenTable, record: Record, cells: Mapping[str, Any], picture: PictureContent
) -> dict[str, Any]:
    """What else a row says, its split, and the post that its picture stood in."""
    columns, layout = table.columns, table.layout
    split = _first(columns.of("split"), cells) or _split_of(record.file)
    details: dict[str, Any] = {"split": split} if split else {}
    if layout.details is not None:
        cells = {name: value for name, value in cells.items() if name in layout.details}
        used = {*columns.of("created"), *columns.of("image")}
    else:
        used = {*columns.labels.values()}
        for role, names in columns.roles.items():
            used |= set(names if role == "image" else names[:1])
        if layout.keys == "rows":
            used -= set(columns.of("id"))
        # A date or language that is not understood stays as it is written.
        used -= {name for name in columns.of("created") if not created_of(cells.get(name))}
        used -= {name for name in columns.of("language") if not language_of(cells.get(name))}
        if columns.of("image") and picture.path is not None and not record.picture:
            details[columns.of("image")[0]] = picture.name
    if post := _first(columns.of("post"), record.cells):
        details["post"] = post[:2000]
    return details | details_of(cells, used)
