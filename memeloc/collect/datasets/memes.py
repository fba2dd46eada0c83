"""Rows as memes. In: the rows of a dataset's tables. Out: finished memes, each once."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from email.utils import parsedate_to_datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memeloc.collect.datasets.folder import (
    DatasetFolder,
    NotTakenError,
    PictureContent,
    address_of,
    details_of,
    looks_like_picture,
    parts_of,
    stem_of,
)
from memeloc.collect.datasets.layouts import Layout
from memeloc.collect.datasets.records import BESIDE, Record, Records
from memeloc.items import FoundPicture, FoundTemplate, Year
from memeloc.locales import default
from memeloc.locales.tags import canonical
from memeloc.tables import folded, text_of

if TYPE_CHECKING:
    from memeloc.collect.fetching.fetch import Fetcher

_SHARD = re.compile(r"-\d{5}-of-\d{5}$")
"""How the names of a split's files end where it has several."""

_SPLIT = re.compile(
    r"(?<![a-z])(train|training|dev|val|valid|validation|test|testing|trial)(?![a-z])",
    re.IGNORECASE,
)
"""What the names of splits' tables have in them."""

_SECONDS = re.compile(r"([0-9]{9,10})(\.[0-9]+|[0-9]{3})?")  # from 1970, or milliseconds
_TAG = re.compile(r"[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*")

_EMPTY = (None, "")


@dataclass(frozen=True)
class OpenTable:
    """A table, and how it is read.

    Attributes:
        columns: by role those that the table has, best first, as `columns_of` gives them.
        labels: the labels' columns, by the question that they answer.
        joined: cells of further tables: by the column that they are joined on, and its value.
    """

    records: Records
    layout: Layout
    columns: Mapping[str, Mapping[str, str]]
    labels: Mapping[str, str]
    joined: Mapping[str, Mapping[str, Mapping[str, Any]]]

    def of(self, role: str) -> tuple[str, ...]:
        """Return the columns of a role; none where the table has none."""
        return tuple(self.columns.get(role, {}).values())

    @property
    def used(self) -> set[str]:
        """The columns that are no details: labels, and what was read of each role."""
        first = {name for role in self.columns for name in self.of(role)[:1]}
        return first | {*self.of("image"), *self.labels.values()}

    def cells(self, record: Record) -> Mapping[str, Any]:
        """Return a row's cells with those that are joined; what is JSON as text as its values."""
        cells = record.cells
        for column, rows in self.joined.items():
            cells = {**rows.get(text_of(cells.get(column)), {}), **cells}
        values: dict[str, Any] = {}
        for name in self.layout.json_cells:
            if isinstance(text := cells.get(name), str):
                with suppress(ValueError, RecursionError):
                    values[name] = json.loads(text)
        return {**cells, **values} if values else cells

    def text(self, role: str, cells: Mapping[str, Any]) -> str:
        """Return the first text in the columns of a role, else what the layout says of all rows."""
        texts = (as_text(cells.get(column)).strip() for column in self.of(role))
        return next(filter(None, texts), self.layout.fixed.get(role, ""))

    def picture(self, cells: Mapping[str, Any]) -> Any:
        """Return the cell that names a row's picture: of several columns the first that does.

        What stands in another column than the first comes after what looks like a picture, or, in a
        table of which not all rows have one, has to look like it.
        """
        columns = self.of("image")
        values = [value for name in columns if (value := cells.get(name)) not in _EMPTY]
        if columns and cells.get(columns[0]) in _EMPTY:
            likely = [value for value in values if looks_like_picture(value)]
            values = likely if self.layout.without_picture else likely + values
        return next(iter(values), None)

    def answers(self, cells: Mapping[str, Any]) -> dict[str, str]:
        """Return the labels of a row by question; questions without one are left out.

        Raises:
            NotTakenError: a list has more entries than there are questions, or other than names.
        """
        questions = self.layout.questions
        texts: dict[str, str] = {}
        for question, column in self.labels.items():
            value = cells.get(column)
            if not questions or len(self.labels) > 1:
                texts[question] = text_of(value).strip()
                continue
            values = value if isinstance(value, list) else [] if value in _EMPTY else [value]
            names = [text_of(label).strip() for label in values]
            nested = any(isinstance(label, dict | list) for label in values)
            if nested or len(names) > len(questions) or not all(names):
                sentence = f"its labels are {value!r:.80}, not {' and '.join(questions)}"
                raise NotTakenError("not readable", sentence)
            texts |= zip(questions, names, strict=False)
        named = self.layout.label_names
        labels = {question: named.get(folded(text), text) for question, text in texts.items()}
        return {question: label for question, label in labels.items() if label}


class Memes:
    """Makes memes of rows, each once; `language` is the tag of all of them, if it is set."""

    def __init__(self, folder: DatasetFolder, language: str, fetcher: Fetcher) -> None:
        self._folder = folder
        self._language = language
        self._fetcher = fetcher
        self._seen: dict[str, tuple[str, int, dict[str, str]]] = {}
        self._templates: set[str] = set()

    def row(self, table: OpenTable, record: Record) -> Iterator[FoundPicture | FoundTemplate]:
        """Yield the meme of a row, after its template.

        Raises:
            NotTakenError: why there is none.
        """
        layout = table.layout
        cells = table.cells(record)
        if any(text_of(cells.get(name)) not in values for name, values in layout.only.items()):
            return
        value = table.picture(cells)
        if value is None and layout.without_picture:
            return
        text = table.text("text", cells)
        labels = table.answers(cells)
        picture = self._picture(table, cells, value)
        if layout.keys == "rows":
            key = f"{record.file}#{table.text('id', cells) or record.number}"
            key = f"{key}@{record.number}" if key in self._seen else key
        else:
            key = _key(table, record, picture, value)
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
        template = table.text("template", cells)
        if template and template not in self._templates:
            self._templates.add(template)
            yield FoundTemplate(self._folder.origin(template, record.file), template)
        years = [(column, text_of(cells.get(column)).strip()) for column in table.of("year")[:1]]
        yield FoundPicture(
            replace(self._folder.origin(key, record.place), fetched=picture.fetched),
            picture.content,
            name=picture.stem or table.text("id", cells) or key,
            parts=_parts(table, cells),
            language=self._language
            or next(filter(None, (language_of(cells.get(c)) for c in table.of("language"))), "")
            or layout.fixed.get("language", ""),
            template=template,
            year=next((year_of(year, column) for column, year in years), None),
            labels=labels,
            created=next(filter(None, (created_of(cells.get(c)) for c in table.of("created"))), ""),
            details=_details(table, record, cells, picture),
        )
        # A row without its picture does not keep out a later one that has it.
        self._seen[key] = picture.key, hash(text), labels

    def addresses(self, table: OpenTable, record: Record) -> Iterator[str]:
        """Yield the address of a row's picture, where it has one."""
        if not record.error:
            yield from filter(None, (address_of(table.picture(table.cells(record))),))

    def _picture(self, table: OpenTable, cells: Mapping[str, Any], value: Any) -> PictureContent:
        if value in _EMPTY:
            if "image" in table.layout.required:
                raise _missing(table.of("image"))
            value = table.text("id", cells)  # pictures that are named by their id
        try:
            return self._folder.picture(value, table.records.path.parent, self._fetcher)
        except NotTakenError as error:
            problem = table.text("problem", cells)
            if not problem:
                raise
            raise NotTakenError(error.reason, f"{error.sentence}: {problem[:200]}") from None


def _key(table: OpenTable, record: Record, picture: PictureContent, value: Any) -> str:
    """The row's id as a text, else its picture's name.

    Where an id was written as a number, its picture's name has its zeros.
    """
    column = next(iter(table.of("id")), "")
    key = record.text(column)
    if column and not key and not isinstance(value, Path):
        raise _missing([column])
    if not key:
        named = text_of(value).strip() if isinstance(value, str) else ""
        key = (named if picture.path is None else picture.key) or str(record.number)
    is_number = not isinstance(record.cells.get(column), str)
    if is_number and key.isdecimal() and stem_of(picture.stem) == stem_of(key):
        return picture.stem
    return key


def _missing(columns: Iterable[str]) -> NotTakenError:
    return NotTakenError("not readable", f"its {' or '.join(columns)} is missing")


def _parts(table: OpenTable, cells: Mapping[str, Any]) -> tuple[str, ...]:
    """The text in the picture; a list of texts has its parts already."""
    value = next(filter(None, map(cells.get, table.of("text"))), None)
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        return tuple(part.strip() for part in value)
    return parts_of(table.text("text", cells))


def _details(
    table: OpenTable, record: Record, cells: Mapping[str, Any], picture: PictureContent
) -> dict[str, Any]:
    """What else a row says, its split, and the post that its picture stood in.

    Without a column of splits, the table's name says it, or its folder's.
    """
    path = Path(record.file)
    names = (_SHARD.sub("", path.stem), path.parent.name)
    named = next((name for name in names if _SPLIT.search(name)), "")
    split = table.text("split", cells) or named
    details: dict[str, Any] = {"split": split} if split else {}
    if table.layout.details is not None:
        cells = {name: value for name, value in cells.items() if name in table.layout.details}
        used = {*table.of("created"), *table.of("image")}
    else:
        used = table.used
        if table.layout.keys == "rows":
            used -= set(table.of("id"))
        # A date or language that is not understood stays as it is written.
        used -= {name for name in table.of("created") if not created_of(cells.get(name))}
        used -= {name for name in table.of("language") if not language_of(cells.get(name))}
        if picture.path is not None and (columns := table.of("image")) not in ((), (BESIDE,)):
            details[columns[0]] = picture.name
    if post := table.text("post", record.cells):
        details["post"] = post[:2000]
    return details | details_of(cells, used)


def as_text(value: Any) -> str:
    """Return a cell as text; a text in pieces, as Telegram has it, in one.

    >>> as_text(["see ", {"type": "link", "text": "example.org"}])
    'see example.org'
    """
    if isinstance(value, list) and any(isinstance(part, dict) for part in value):
        pieces = (part.get("text", "") if isinstance(part, dict) else part for part in value)
        return "".join(piece for piece in pieces if isinstance(piece, str))
    return text_of(value)


def created_of(value: Any) -> str:
    """Return a date as ISO 8601, in UTC for seconds from 1970; empty when it is none.

    >>> created_of("2021-03-04 05:06:07"), created_of("1614834367"), created_of("soon")
    ('2021-03-04T05:06:07', '2021-03-04T05:06:07+00:00', '')
    """
    if isinstance(value, date):  # a datetime is one, too
        return value.isoformat()
    text = text_of(value).strip()
    if re.fullmatch(r"(19|20)[0-9]{2}", text):
        return text
    if seconds := _SECONDS.fullmatch(text):
        return datetime.fromtimestamp(int(seconds[1]), UTC).isoformat()
    # The last reads dates of e-mails, which Twitter's are like.
    for read in (date.fromisoformat, datetime.fromisoformat, parsedate_to_datetime):
        try:
            return read(text).isoformat()
        except (ValueError, TypeError, OverflowError):
            continue
    return ""


def year_of(text: str, column: str) -> Year | None:
    """Return a year of the common era as the dataset states it.

    >>> year_of("2014", "year")
    Year(year=2014, by='dataset', evidence='year: 2014')
    """
    match = re.match(r"(19|20)\d\d", text)
    return Year(int(match[0]), "dataset", f"{column}: {text[:100]}") if match else None


def language_of(value: Any) -> str:
    """Return the tag of a language that is written as a tag or by its English name; else empty.

    >>> language_of("RUSSIAN"), language_of("pt-BR"), language_of("unclear")
    ('ru', 'pt-BR', '')
    """
    text = text_of(value).strip()
    return canonical(text) if _TAG.fullmatch(text) else _by_english_name().get(text.casefold(), "")


@cache
def _by_english_name() -> dict[str, str]:
    return {locale.name.casefold(): locale.tag for locale in reversed(list(default()))}
