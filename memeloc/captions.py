"""The captions table. In: a table as a file (see memeloc.tables). Out: checked rows and problems.

The table has the columns `meme_id` and `template` and one column a language, named by its BCP 47
tag; a cell holds a whole caption, its parts joined by ` // ` in the order of the template's boxes.
Fewer parts than boxes leave the last boxes empty; more are a problem. The table is read in one pass
with flat memory (only the ids are remembered). What is wrong is reported with row and column and
left out: a wrong cell leaves out its language, a wrong row all of them.

Rows are counted as a spreadsheet shows them: the header is row 1, and a record with line breaks in
its cells is one row. In JSON Lines, which has no header, a row is a line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from memeloc.errors import InputError
from memeloc.model import Caption, Locale, Template, check_tag_name
from memeloc.tables import Header, Row, Table, read_table

if TYPE_CHECKING:
    from memeloc.locales import Registry

CELL_LIMIT = 10_000
"""Characters that a caption may have. More is a paste gone wrong, or a quotation mark left open."""

ProblemKind = Literal[
    "broken row",
    "missing cells",
    "too many cells",
    "wrong id",
    "duplicate id",
    "unknown template",
    "empty caption",
    "too many parts",
    "too long",
    "wrong character",
    "not text",
]
"""What can be wrong with a row or a cell."""

_KEYS = ("meme_id", "template")
_LISTED = 20
"""Problems that a strict check lists before it only counts them."""

_BAD = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
"""Control characters but the line feed, and lone surrogates."""

_TAG = re.compile(r"[a-z]{2,3}([-_][a-z]{4})?([-_]([a-z]{2}|[0-9]{3}))?", re.IGNORECASE)
"""Language, script and region of a BCP 47 tag. A column `en_notes` is no language: what follows
those is taken for a tag only where a locale has exactly that tag."""


@dataclass(frozen=True, slots=True)
class LanguageColumn:
    """A column that holds captions.

    Attributes:
        name: the tag as the table's header has it; also the name of its pictures' folder.
        locale: what the tag means.
    """

    name: str
    locale: Locale


@dataclass(frozen=True, slots=True)
class CaptionRow:
    """One meme of the table, checked.

    Attributes:
        row: where it stands.
        meme_id: unique in the table and safe as a file's name.
        template: name of a known template.
        captions: by the name of their columns, the wanted languages that are sound.
        source: the caption in the source language, whether that is wanted or not; None where it is
            missing or wrong.
    """

    row: int
    meme_id: str
    template: str
    captions: Mapping[str, Caption]
    source: Caption | None


@dataclass(frozen=True, slots=True)
class CaptionProblem:
    """What was wrong with a row or a cell, and what was left out for it.

    Attributes:
        kind: what sort of problem.
        error: the sentence, with file, row and column.
        captions: how many wanted captions it cost.
    """

    kind: ProblemKind
    error: InputError
    captions: int


class CaptionsTable:
    """An opened captions table, as `read_captions` returns it.

    Attributes:
        path: the file.
        languages: the wanted language columns, in the table's order.
        source: the source language's column.
        ignored: a sentence for each column that is neither `meme_id`, `template` nor a known
            language.
    """

    def __init__(
        self,
        table: Table,
        templates: Mapping[str, Template],
        languages: tuple[LanguageColumn, ...],
        source: LanguageColumn,
        ignored: tuple[InputError, ...],
    ) -> None:
        self.path = table.path
        self.languages = languages
        self.source = source
        self.ignored = ignored
        self._table = table
        self._templates = templates
        self._boxes = {name: len(template.boxes) for name, template in templates.items()}

    def rows(self, on_problem: Callable[[CaptionProblem], None]) -> Iterator[CaptionRow]:
        """The rows that have at least one sound caption, in the table's order.

        Args:
            on_problem: is given each problem as it is met.

        Raises:
            InputError: after the last row, when there was none.
        """
        first: CaptionProblem | None = None
        good = False

        def report(
            kind: ProblemKind, row: int, message: str, column: str = "", captions: int = 1
        ) -> None:
            nonlocal first
            error = InputError(message, file=self.path, row=row, column=column or None)
            problem = CaptionProblem(kind, error, captions)
            first = first or problem
            on_problem(problem)

        ids: dict[str, int] = {}
        columns: _Positions | None = None
        for row in self._table.rows:
            if columns is None or columns.header is not row.header:
                columns = _Positions(row.header, self.languages, self.source)
            checked = self._checked(row, columns, ids, report)
            if checked is not None:
                good = True
                yield checked
        if not good:
            because = f" The first problem: {first.error}" if first else " It has no rows."
            raise InputError(f"The table has no caption to work with.{because}", file=self.path)

    def count(self) -> int:
        """How many captions the wanted languages' columns have room for, sound or not."""
        return sum(1 for _ in self._table.rows) * len(self.languages)

    def check(self) -> None:
        """Read the whole table and keep nothing.

        Raises:
            InputError: something is wrong; the sentence lists up to 20 problems and their number.
        """
        listed: list[str] = []
        count = 0

        def note(problem: CaptionProblem) -> None:
            nonlocal count
            count += 1
            if len(listed) < _LISTED:
                listed.append(str(problem.error))

        for _ in self.rows(note):
            pass
        if count:
            more = f"\nand {count - len(listed)} more" if count > len(listed) else ""
            noun = "problem" if count == 1 else "problems"
            raise InputError(
                f"The table has {count} {noun}; mend the table, or run without --strict to leave "
                f"these captions out:\n" + "\n".join(listed) + more,
                file=self.path,
            )

    def _checked(
        self, record: Row, positions: _Positions, ids: dict[str, int], report: Callable[..., None]
    ) -> CaptionRow | None:
        row, cells, wanted = record.number, record.cells, positions.wanted
        columns = record.header.names
        if record.error and record.reason != "cut off":
            report("broken row", row, record.error, captions=len(wanted))
            return None
        if len(cells) > len(columns):
            report(
                "too many cells",
                row,
                f"The row has {len(cells)} cells, the header {len(columns)}. Put a cell that "
                "holds the separator between quotation marks.",
                captions=len(wanted),
            )
            return None
        if len(cells) < len(columns):
            lacking = columns[len(cells) :]
            lost = {name for name, _ in wanted}.intersection(lacking)
            keyless = bool(set(_KEYS).intersection(lacking))
            report(
                "missing cells",
                row,
                f"The row ends before its column {lacking[0]!r}. Add the missing cells; an open "
                "quotation mark in the row before can also be the reason.",
                captions=len(wanted) if keyless else len(lost),
            )
            if keyless:
                return None
            present = len(cells)
            cells = [*cells, *[None] * len(lacking)]
            wanted = tuple((name, index) for name, index in wanted if index < present)
        key = self._key_of(row, cells[positions.key], cells[positions.template], ids, report)
        if key is None:
            return None
        meme_id, template = key
        boxes = self._boxes[template]
        sound = _all_sound(cells)
        captions: dict[str, Caption] = {}
        for name, index in wanted:
            caption = _parsed(cells[index], boxes, sound)
            if isinstance(caption, Caption):
                captions[name] = caption
            else:
                report(caption[0], row, caption[1], column=name)
        if not captions:
            return None
        source = _parsed(cells[positions.source], boxes, sound)
        return CaptionRow(
            row, meme_id, template, captions, source if isinstance(source, Caption) else None
        )

    def _key_of(
        self, row: int, key: Any, name: Any, ids: dict[str, int], report: Callable[..., None]
    ) -> tuple[str, str] | None:
        """The id and the template of a row; None, with all that is wrong reported, else."""
        captions = len(self.languages)  # what the row costs; the first problem alone carries it
        meme_id, template = _plain(key), _plain(name)
        try:
            if not meme_id:
                raise InputError("The row has no id; give it one that no other row has.")
            check_tag_name(meme_id, "An id")
        except InputError as error:
            report("wrong id", row, error.message, column=_KEYS[0], captions=captions)
            captions = 0
        else:
            before = ids.setdefault(meme_id, row)
            if before != row:
                report(
                    "duplicate id",
                    row,
                    f"The id {meme_id!r} stands in row {before} already; give this row another.",
                    column=_KEYS[0],
                    captions=captions,
                )
                captions = 0
        if template not in self._boxes:
            report(
                "unknown template",
                row,
                f"There is no template {template[:60]!r}.{_near(template, self._templates)}"
                if template
                else "The row names no template.",
                column=_KEYS[1],
                captions=captions,
            )
            captions = 0
        return (meme_id, template) if captions == len(self.languages) else None


class _Positions:
    """Where the columns stand under a header; tables can be put under one another."""

    __slots__ = ("header", "key", "source", "template", "wanted")

    def __init__(
        self, header: Header, languages: Sequence[LanguageColumn], source: LanguageColumn
    ) -> None:
        self.header = header
        self.key, self.template = (header.positions[name] for name in _KEYS)
        self.wanted = tuple((column.name, header.positions[column.name]) for column in languages)
        self.source = header.positions[source.name]


def read_captions(
    path: Path,
    templates: Mapping[str, Template],
    languages: Sequence[str] | None = None,
    *,
    source: str | None = None,
    locales: Registry | None = None,
) -> CaptionsTable:
    """Open a captions table and settle which of its columns are languages.

    Args:
        path: CSV, a workbook, JSON Lines or Parquet; see `memeloc.tables.read_table`.
        templates: the known templates by name.
        languages: tags of the wanted languages; None is every language column. A tag finds the
            column of that name, or else the one whose locale it means (`zh` finds `zh-Hans`).
        source: tag of the source language; None is the table's first language column.
        locales: where tags are looked up; None is the built-in locales.

    Raises:
        InputError: the file is not a captions table, or a wanted language is not in it.
    """
    if locales is None:
        from memeloc.locales import default

        locales = default()
    table = read_table(path, _KEYS)
    columns: list[LanguageColumn] = []
    ignored: list[InputError] = []
    for name in table.columns:
        if name in _KEYS or not name:
            continue
        try:
            columns.append(_language(name, locales))
        except InputError as error:
            ignored.append(
                InputError(f"The column is left out. {error.message}", file=path, column=name[:60])
            )
    if not columns:
        raise InputError(
            "The table has no column of a language. Name a column by a tag such as en, de or zh.",
            file=path,
        )
    chosen = columns
    if languages is not None:
        names = {_find(tag, columns, locales, path).name for tag in languages}
        chosen = [column for column in columns if column.name in names]
    if not chosen:
        raise InputError("No language is asked for; name at least one.", file=path)
    first = columns[0] if source is None else _find(source, columns, locales, path)
    return CaptionsTable(table, templates, tuple(chosen), first, tuple(ignored))


def _language(name: str, locales: Registry) -> LanguageColumn:
    """The column as a language; InputError when its name is no known tag."""
    plain = name.replace("_", "-").lower()
    if not _TAG.fullmatch(name) and all(plain != locale.tag.lower() for locale in locales):
        raise InputError(f"{name[:60]!r} is no language tag.")
    return LanguageColumn(check_tag_name(name, "A language column's name"), locales.get(name))


def _find(
    tag: str, columns: Sequence[LanguageColumn], locales: Registry, path: Path
) -> LanguageColumn:
    plain = tag.strip().replace("_", "-").lower()
    for column in columns:
        if column.name.replace("_", "-").lower() == plain:
            return column
    there = ", ".join(column.name for column in columns)
    try:
        wanted = locales.get(tag.strip()).tag
    except InputError as error:
        raise InputError(
            f"{error.message} The table's languages are {there}.", file=path
        ) from error
    for column in columns:
        if column.locale.tag == wanted:
            return column
    raise InputError(f"The table has no column for {tag!r}. Its languages are {there}.", file=path)


def _plain(value: Any) -> str:
    """An id or a template's name as text; numbers stand for themselves, anything else is empty."""
    if isinstance(value, str):
        return value.strip()
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else ""


def _all_sound(cells: Sequence[Any]) -> bool:
    """Whether no cell of a row can have a wrong character or be too long: one look for the lot."""
    try:
        joined = "\n".join(cells)
    except TypeError:
        return False
    return len(joined) <= CELL_LIMIT and _BAD.search(joined) is None


def _parsed(value: Any, boxes: int, sound: bool) -> Caption | tuple[ProblemKind, str]:
    """The caption in a cell, or the kind of its problem and a sentence."""
    if value is None:
        value = ""
    if not isinstance(value, str):
        if not isinstance(value, int | float) or isinstance(value, bool):
            what = "a text that is not UTF-8" if isinstance(value, bytes) else type(value).__name__
            return "not text", f"The cell holds {what}; write the caption as one text."
        value = str(value)
    if not sound:
        value = value.replace("\r\n", "\n").replace("\r", "\n")
        if len(value) > CELL_LIMIT:
            return "too long", (
                f"The cell has {len(value):,} characters; a caption has {CELL_LIMIT:,} at most. A "
                "quotation mark that is opened and not closed can also be the reason."
            )
        wrong = _BAD.search(value)
        if wrong:
            code = ord(wrong.group())
            what = "lone surrogate" if code >= 0xD800 else "control character"
            return "wrong character", (
                f"The cell has a {what}, U+{code:04X}, at character {wrong.start() + 1}; remove it."
            )
    caption = Caption.parse(value)
    if not any(caption.parts):
        return "empty caption", "The caption is empty."
    if len(caption.parts) > boxes:
        return "too many parts", (
            f"The caption has {len(caption.parts)} parts, its template {boxes}; a part ends at "
            "a '//' between spaces."
        )
    return caption


def _near(name: str, templates: Iterable[str]) -> str:
    """A sentence that names the likeliest known names, or all of a few."""
    import difflib

    names = sorted(templates)
    near = difflib.get_close_matches(name[:100], names, n=3, cutoff=0.5) or names[:20]
    return f" Known: {', '.join(near)}." if near else " No templates are known."
