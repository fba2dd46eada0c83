"""Sources whose memes are rows of tables. In: a folder or table, and layouts. Out: finished memes.

A meme that several tables have comes once. Tables with labels are read first, so that a meme has
its label where any of them gives it; then the training split. What is not read is refused with its
reason, and the rest goes on.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from email.utils import parsedate_to_datetime
from functools import cache, cached_property, partial
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
from memeloc.collect.datasets.layouts import ANY, ROLES, Layout, layout_of, recognise
from memeloc.collect.datasets.records import (
    BESIDE,
    TABLES,
    Record,
    Records,
    beside_pictures,
    open_records,
    read_records,
    sidecars,
    unread_tables,
)
from memeloc.collect.protocol import Dataset, TablePreview, dataset_at
from memeloc.errors import InputError
from memeloc.items import MEME, FoundPicture, FoundTemplate, Refusal, Year
from memeloc.locales import default
from memeloc.locales.tags import canonical
from memeloc.tables import folded, text_of
from memeloc.tables.column_map import ColumnMap, Role, columns_of

if TYPE_CHECKING:
    from memeloc.collect.fetching.fetch import Fetcher

_SHARD = re.compile(r"-\d{5}-of-\d{5}$")
"""The end of the names of a split's files where it has several."""

_SPLIT = re.compile(
    r"(?<![a-z])(train|training|dev|val|valid|validation|test|testing|trial)(?![a-z])",
    re.IGNORECASE,
)
"""Names of splits within names of tables."""

_SECONDS = re.compile(r"([0-9]{9,10})(\.[0-9]+|[0-9]{3})?")  # from 1970, or milliseconds
_TAG = re.compile(r"[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*")

_INNER = frozenset({"annotations", "split dataset"})
"""Folders of tables that name pictures beside that folder."""

_LINKED = (
    "is a link that leads out of the folder, as in the cache of the Hugging Face Hub: download the "
    "dataset with --local-dir and give that folder"
)

Found = FoundPicture | FoundTemplate | Refusal


class TablesSource:
    """A source whose memes are rows of tables.

    Its options may be roles, by which a column is named, and `label`, columns that are labels as
    COLUMN or QUESTION=COLUMN.
    """

    name: str
    path: Path
    language: str
    terms: str
    pictures: Path | None = None
    label: tuple[str, ...] = ()
    language_column = ""

    @cached_property
    def layouts(self) -> Sequence[Layout]:
        """Return those that are looked for, by the names of tables; none recognises the tables'."""
        return [layout_of(self.name)]

    def dataset(self) -> Dataset:
        """Return the folder; of one table, the folder of the dataset that it belongs to."""
        return dataset_at(folder_of(self.path))

    def collect(self, fetcher: Fetcher) -> Iterator[Found]:
        """Read the tables; only pictures that a table has the address of are fetched."""
        problems = self._opened[1]
        if not self._opened[0] and len(problems) == 1:
            raise InputError(problems[0].problem, file=self.folder.root / problems[0].tables[0])
        yield from self.read_tables(fetcher)

    def preview(self) -> list[TablePreview]:
        """Return how each table would be read, tables with the same columns as one."""
        opened, problems = self._opened
        same: dict[str, list[OpenTable]] = {}
        for table in opened:
            same.setdefault(f"{table.layout.name} {table.columns} {table.labels}", []).append(table)
        return [*map(self._preview, same.values()), *problems]

    @cached_property
    def folder(self) -> DatasetFolder:
        """The folder in which pictures are."""
        if self.pictures is not None and not self.path.is_file():
            sentence = "give one table where its pictures are in another folder"
            raise InputError(sentence, file=self.path)
        what = f"a folder or a table of {self.layouts[0].title if self.layouts else 'memes'}"
        return DatasetFolder(self.name, self.pictures or folder_of(self.path), self.terms, what)

    @cached_property
    def _sidecars(self) -> dict[Path, Path]:
        return sidecars(self.folder.files_inside)

    @cached_property
    def tables(self) -> list[Path]:
        """The tables' files, and links to some."""
        if self.path.is_file():
            return [self.path.resolve()]
        tables = [path for path in self.folder.files if path.suffix.lower() in TABLES]
        return [
            path
            for path in tables
            if path not in self._sidecars
            and (not self.layouts or any(layout.has_table(path) for layout in self.layouts))
        ]

    def read_tables(self, fetcher: Fetcher) -> Iterator[Found]:
        """Yield the memes in all tables, and refusals of what cannot be read."""
        opened, problems = self._opened
        for problem in problems:
            yield Refusal(self.name, problem.tables[0], "not readable", problem.problem)
        memes = Memes(self.folder, self.language, fetcher)
        for table in opened:
            path = table.records.path
            rows = fetcher.look_ahead(table.records.rows(), partial(memes.addresses, table))
            yield from read_records(self.folder, path, rows, partial(memes.row, table))
        yield from self.unread(opened)

    def unread(self, opened: Sequence[OpenTable] = ()) -> Iterator[Refusal]:
        """Yield refusals of the tables of a folder that are of another layout."""
        if not self.path.is_file() and not any(table.layout.has_others for table in opened):
            joined = {join.table.casefold() for table in opened for join in table.layout.joined}
            read = {path for path in self.folder.files_inside if path.name.casefold() in joined}
            read |= {*self.tables}
            if any(table.layout.beside or BESIDE in table.records.columns for table in opened):
                read |= self._sidecars.keys()
            yield from unread_tables(self.folder, read)

    @cached_property
    def _opened(self) -> tuple[list[OpenTable], list[TablePreview]]:
        """The tables in the order in which they are read, and what is wrong with others."""
        opened, problems = [], []
        for path in self.tables:
            try:
                if self.folder.leads_out(path):
                    raise InputError(_LINKED)
                opened.append(self._open(open_records(self.folder, path)))
            except InputError as error:
                problems.append(TablePreview((self.folder.key_of(path),), problem=error.message))
        if whole := [table.layout for table in opened if table.layout.has_others]:
            opened = [table for table in opened if table.layout.name != ANY]
            problems = [
                problem
                for problem in problems
                if any(layout.has_table(Path(problem.tables[0])) for layout in whole)
            ]
        may_be_beside = not self.layouts or any(layout.beside for layout in self.layouts)
        if not opened and not self.path.is_file() and self._sidecars and may_be_beside:
            opened.append(self._open(beside_pictures(self.folder, self._sidecars)))
        if not opened and not problems:
            named = " or ".join(name for layout in self.layouts for name in layout.tables)
            raise InputError(
                f"there is no {named or 'table'} file in it; give the folder with the tables",
                file=self.path,
            )
        return sorted(opened, key=_order), problems

    def _open(self, records: Records) -> OpenTable:
        if self.layouts:
            named = (layout for layout in self.layouts if layout.has_table(records.path))
            layout = next(named, self.layouts[0])
        else:
            layout = recognise(records.columns, lambda: [row.cells for row in records.first])
        if layout.source:
            raise InputError(
                f"this is {layout.title}: `memeloc collect {layout.source}` reads it",
                file=records.path,
            )
        joined: dict[str, dict[str, Mapping[str, Any]]] = {}
        names = dict.fromkeys(name for name in records.columns if name != BESIDE)
        for second in layout.joined:
            for path in self.folder.files_inside:
                if path.name.casefold() == second.table.casefold():
                    table = open_records(self.folder, path, headings=second.columns)
                    names |= dict.fromkeys(table.columns)
                    joined.setdefault(second.on, {}).update(
                        (text_of(row.cells.get(second.on)), row.cells) for row in table.rows()
                    )
        columns = self._columns(layout, records, tuple(names))
        return OpenTable(records, layout, columns, columns.pop("label", {}), joined)

    def _columns(
        self, layout: Layout, records: Records, names: Sequence[str]
    ) -> dict[str, dict[str, str]]:
        """Return the columns of a table by role as asked, else as its layout names them."""
        labels = {
            question: column or question
            for label in self.label
            for question, _, column in [(label, "", "") if label in names else label.partition("=")]
        }
        asked: dict[str, Any] = {role: getattr(self, role, "") for role in ROLES if role != "label"}
        asked |= {"language": self.language_column}
        asked = {role: column for role, column in asked.items() if column}
        # Of headings that differ in case or underscores the first is known; all may be asked for.
        first = {folded(name.replace("_", " ")): name for name in reversed(names)}
        named = {*first.values(), *labels.values(), *asked.values()}
        names = [name for name in names if name in named]
        column_map = ColumnMap(columns=asked | ({"label": labels} if labels else {}))
        roles = [
            Role(role, layout.names(role), many=True, shared=role != "label") for role in ROLES
        ]
        columns = columns_of(names, column_map, roles, records.path)
        if not self.label and "label" in columns:
            columns["label"] = {name: name for name in names if name in columns["label"]}
        if BESIDE in records.columns:
            columns["image"] = {BESIDE: BESIDE}
        if layout.name == ANY and "image" not in columns:
            columns |= {"image": {name: name for name in _of_pictures(records)}}
        for role in layout.required:
            if not columns.get(role) and BESIDE not in records.columns:
                name = next(iter(layout.names(role)), role)
                shown = ", ".join(repr(name[:40]) for name in records.columns[:12]) or "none"
                hint = f" Name it: --{role} COLUMN." if layout.name == ANY else ""
                raise InputError(
                    f"The table has no column {name!r}. Its columns are {shown}.{hint}",
                    file=records.path,
                    column=name,
                )
        return columns

    def _preview(self, same: Sequence[OpenTable]) -> TablePreview:
        table = same[0]
        labels, questions = dict(table.labels), table.layout.questions
        if questions and len(labels) == 1:
            labels = {" and ".join(questions): next(iter(labels.values()))}
        unused = set(table.records.columns) - table.used
        details = unused if table.layout.details is None else table.layout.details
        first = next((row for row in table.records.rows() if not row.error), None)
        return TablePreview(
            tuple(self.folder.key_of(other.records.path) for other in same),
            table.layout.title,
            {role: ", ".join(names.values()) for role, names in table.columns.items() if names},
            labels,
            tuple(name for name in table.records.columns if name in details),
            {name: as_text(cell)[:60] for name, cell in first.cells.items()} if first else {},
        )


def _of_pictures(records: Records) -> list[str]:
    cells = [row.cells for row in records.first]
    counts = {
        name: sum(looks_like_picture(row.get(name)) for row in cells) for name in records.columns
    }
    best = sorted(counts, key=lambda name: -counts[name])[:1]
    return [name for name in best if counts[name] * 2 > len(cells)]


def folder_of(path: Path) -> Path:
    """Return the folder of a dataset of which that or one table is given."""
    if not path.is_file():
        return path
    folder = path.resolve().parent
    return folder.parent if folder.name.casefold() in _INNER else folder


def _order(table: OpenTable) -> tuple[bool, bool, str]:
    path = table.records.path
    return not table.labels, not path.stem.lower().startswith("train"), str(path)


@dataclass(frozen=True)
class OpenTable:
    """A table, and how it is read.

    `columns` are by role as `columns_of` gives them, labels' columns by the question that they
    answer; `joined` are cells of further tables, by the column they are joined on and its value.
    """

    records: Records
    layout: Layout
    columns: Mapping[str, Mapping[str, str]]
    labels: Mapping[str, str]
    joined: Mapping[str, Mapping[str, Mapping[str, Any]]]

    def of(self, role: str) -> tuple[str, ...]:
        return tuple(self.columns.get(role, {}).values())

    @property
    def used(self) -> set[str]:
        """The columns that are no details: labels, and what was read of each role."""
        first = {name for role in self.columns for name in self.of(role)[:1] if role != "meme"}
        return first | {*self.of("image"), *self.labels.values()}


class TableRow:
    """A row by what its columns are; what is JSON as text is its values."""

    def __init__(self, table: OpenTable, record: Record) -> None:
        self.table = table
        self.layout = table.layout
        self.record = record
        self.cells = dict(record.cells)
        for column, rows in table.joined.items():
            self.cells = {**rows.get(text_of(self.cells.get(column)), {}), **self.cells}
        for name in self.layout.json_cells:
            if isinstance(text := self.cells.get(name), str):
                with suppress(ValueError, RecursionError):
                    self.cells[name] = json.loads(text)

    def values(self, role: str) -> list[Any]:
        """Return what stands in the columns of a role, best first."""
        values = (self.cells.get(name) for name in self.table.of(role))
        return [value for value in values if value not in (None, "")]

    def first(self, role: str, read: Callable[[Any], str]) -> str:
        """Return the first text that is read of a role, else what the layout says of all rows."""
        if role == self.layout.named_by:
            return Path(self.record.file).stem
        return next(filter(None, map(read, self.values(role))), self.layout.fixed.get(role, ""))

    def text(self, role: str) -> str:
        return self.first(role, lambda value: as_text(value).strip())

    @cached_property
    def picture(self) -> Any:
        """The cell that names its picture: of several columns the first that does.

        What stands in another column than the first comes after what looks like a picture, or, in a
        table of which not all rows have one, has to look like it.
        """
        columns, values = self.table.of("image"), self.values("image")
        if columns and self.cells.get(columns[0]) in (None, ""):
            likely = [value for value in values if looks_like_picture(value)]
            values = likely if self.layout.without_picture else likely + values
        return next(iter(values), None)

    @property
    def address(self) -> str:
        """Return where the picture is, if a column beside the one that names its file says so."""
        return next(filter(None, map(address_of, self.values("image"))), "")

    @property
    def is_meme(self) -> bool:
        """Return whether it is to be read, as the layout says."""
        only = self.layout.only.items()
        if any(text_of(self.cells.get(name)) not in values for name, values in only):
            return False
        return self.picture is not None or not self.layout.without_picture

    @property
    def labels(self) -> dict[str, str]:
        """Its labels by question; questions without one are left out."""
        questions = self.layout.questions
        texts: dict[str, str] = {}
        for question, column in self.table.labels.items():
            value = self.cells.get(column)
            if not questions or len(self.table.labels) > 1:
                texts[question] = text_of(value).strip()
                continue
            values = value if isinstance(value, list) else [] if value in (None, "") else [value]
            names = [text_of(label).strip() for label in values]
            nested = any(isinstance(label, dict | list) for label in values)
            if self.layout.several and not nested:
                last = len(questions) - 1
                names[last:] = filter(None, [", ".join(names[last:])])
            if nested or len(names) > len(questions) or not all(names):
                sentence = f"its labels are {value!r:.80}, not {' and '.join(questions)}"
                raise NotTakenError("not readable", sentence)
            texts |= zip(questions, names, strict=False)
        named = self.layout.label_names
        labels = {question: named.get(folded(text), text) for question, text in texts.items()}
        return {question: label for question, label in labels.items() if label}

    @property
    def parts(self) -> tuple[str, ...]:
        """The text in the picture; a list of texts has its parts already."""
        value = next(filter(None, self.values("text")), None)
        if isinstance(value, list) and all(isinstance(part, str) for part in value):
            return tuple(part.strip() for part in value)
        return parts_of(self.text("text"))

    @property
    def split(self) -> str:
        """Its split; without a column of splits, as the table's name says it, or its folder's."""
        path = Path(self.record.file)
        names = (_SHARD.sub("", path.stem), path.parent.name)
        return self.text("split") or next((name for name in names if _SPLIT.search(name)), "")

    def key(self, picture: PictureContent) -> str:
        """Return its id as a text, else its picture's name.

        Where an id was written as a number, its picture's name has its zeros.
        """
        column = next(iter(self.table.of("id")), "")
        key = self.record.text(column)
        if column and not key and not isinstance(self.picture, Path):
            raise _missing([column])
        if not key:
            named = text_of(self.picture).strip() if isinstance(self.picture, str) else ""
            key = (named if picture.path is None else picture.key) or str(self.record.number)
        is_number = not isinstance(self.record.cells.get(column), str)
        if is_number and key.isdecimal() and stem_of(picture.stem) == stem_of(key):
            return picture.stem
        return key

    def details(self, picture: PictureContent) -> dict[str, Any]:
        """Return what else it says, its split, and the post that its picture stood in."""
        table, cells = self.table, self.cells
        texts = {"split": self.split, "post": self.text("post")[:2000], MEME: self.text("meme")}
        details = {name: text for name, text in texts.items() if text}
        if self.layout.details is not None:
            cells = {name.rpartition(".")[2]: _cell(cells, name) for name in self.layout.details}
            used = {*table.of("created"), *table.of("image")}
        else:
            used = table.used
            if self.layout.keys == "rows":
                used -= set(table.of("id"))
            # A date or language that is not understood stays as it is written.
            used -= {name for name in table.of("created") if not created_of(cells.get(name))}
            used -= {name for name in table.of("language") if not language_of(cells.get(name))}
            if picture.path is not None and (columns := table.of("image")) not in ((), (BESIDE,)):
                details[columns[0]] = picture.name
        return details | details_of(cells, used)


class Memes:
    """Maker of memes of rows, each once; `language` is the tag of all of them, if it is set."""

    def __init__(self, folder: DatasetFolder, language: str, fetcher: Fetcher) -> None:
        self._folder = folder
        self._language = language
        self._fetcher = fetcher
        self._seen: dict[str, tuple[str, int, dict[str, str]]] = {}
        self._templates: set[str] = set()

    def row(self, table: OpenTable, record: Record) -> Iterator[FoundPicture | FoundTemplate]:
        """Yield the meme of a row, after its template; raise NotTakenError where there is none."""
        row = TableRow(table, record)
        if not row.is_meme:
            return
        text, labels, picture = row.text("text"), row.labels, self._picture(row)
        if table.layout.keys == "rows":
            key = f"{record.file}#{row.text('id') or record.number}"
            key = f"{key}@{record.number}" if key in self._seen else key
        else:
            key = row.key(picture)
        same = self._seen.get(key)
        if same is not None and same[0] != picture.key:
            key = f"{record.file}#{key}"  # ids of their own in each table
            same = self._seen.get(key)
        if same is not None:
            _, text_hash, before = same
            if hash(text) != text_hash or (labels and before and labels != before):
                sentence = f"{key!r} stood before it with another text or label"
                raise NotTakenError("another of the same id", sentence)
            return
        template = row.text("template")
        if template and template not in self._templates:
            self._templates.add(template)
            yield FoundTemplate(self._folder.origin(template, record.file), template)
        years = (year_of(record.text(column), column) for column in table.of("year")[:1])
        yield FoundPicture(
            replace(self._folder.origin(key, record.place), fetched=picture.fetched),
            picture.content,
            name=picture.stem or row.text("id") or key,
            parts=row.parts,
            language=self._language or row.first("language", language_of),
            template=template,
            year=next(years, None),
            labels=labels,
            created=row.first("created", created_of),
            details=row.details(picture),
        )
        # A row without its picture does not keep out a later one that has it.
        self._seen[key] = picture.key, hash(text), labels

    def addresses(self, table: OpenTable, record: Record) -> Iterator[str]:
        """Yield the address of a row's picture, where it has one."""
        if not record.error:
            yield from filter(None, (address_of(TableRow(table, record).picture),))

    def _picture(self, row: TableRow) -> PictureContent:
        value = row.picture
        if value is None:
            if "image" in row.layout.required:
                raise _missing(row.table.of("image"))
            value = row.text("id")  # pictures that are named by their id
        beside = row.table.records.path.parent
        try:
            return self._folder.picture(value, beside, self._fetcher)
        except NotTakenError as error:
            if error.reason == "no picture" and (address := row.address):
                return self._folder.picture(address, beside, self._fetcher)
            problem = row.text("problem")
            if not problem:
                raise
            raise NotTakenError(error.reason, f"{error.sentence}: {problem[:200]}") from None


def _cell(cells: Mapping[str, Any], name: str) -> Any:
    column, _, inner = name.partition(".")
    value = cells.get(name, cells.get(column))
    return value.get(inner) if inner and isinstance(value, Mapping) else value


def _missing(columns: Iterable[str]) -> NotTakenError:
    return NotTakenError("not readable", f"its {' or '.join(columns)} is missing")


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
