"""The captions table. In: a table as a file (see memeloc.tables). Out: checked rows and problems.

The table has the columns `meme_id` and `template` and one column a language, named by its BCP 47
tag; a cell holds a whole caption, its parts joined by ` // ` in the order of the template's boxes.
Fewer parts than boxes leave the last boxes empty; more are a problem. A table to choose from need
not have `meme_id`, and what else its rows say is kept. The table is read in one pass with flat
memory: the ids that were read are on disk where they are many. What is wrong is reported with row
and column and left out: a wrong cell leaves out its language, a wrong row all of them. What may be
wrong, such as damaged text or a part that its source has, is taken, with a warning.

A cell counts as its program shows it (50%, 007); what cannot be shown is reported.

Rows are counted as a spreadsheet shows them: the header is row 1, and a record with line breaks in
its cells is one row. In JSON Lines, which has no header, a row is a line.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import NamedTuple

from memeloc.counts import counted
from memeloc.damaged_text import damage, lost_parts
from memeloc.errors import InputError
from memeloc.files import temporary_database
from memeloc.locales import Registry, default
from memeloc.locales.tags import listed_tags
from memeloc.model import Caption, Locale, Template, check_tag_name
from memeloc.tables import Row, Table, read_table, read_tables
from memeloc.tables.csv_files import ENCODINGS
from memeloc.tables.rows import Frame

CELL_LIMIT = 10_000
"""Characters that a caption may have. More is a paste gone wrong, or a quotation mark left open."""

_KEYS = ("meme_id", "template")

_TEXTS = ("caption", "text")
"""Names that the column of source captions may have in a table to choose from."""

_SIGNS = frozenset("“”„‟‘’‚‛«»‹›–—…·•¡¿€£§°©®™½¼¾×÷\u00a0、。「」！？，：")
"""Signs beyond ASCII that every language uses; by them no encoding is told from another."""

_BAD = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
"""Control characters but the line feed, and lone surrogates."""

_TAG = re.compile(r"[a-z]{2,3}([-_][a-z]{4})?([-_]([a-z]{2}|[0-9]{3}))?", re.IGNORECASE)
"""Language, script and region of a BCP 47 tag. A column `en_notes` is no language: what follows
those is taken for a tag only where a locale has exactly that tag."""


class LanguageColumn(NamedTuple):
    """A column of captions: its name, also that of its pictures' folder, and what it means."""

    name: str
    locale: Locale


@dataclass(frozen=True, slots=True)
class CaptionRow:
    """One meme of the table, checked.

    Attributes:
        captions: by the name of their columns, the wanted languages that are valid.
        source: the caption in the source language, whether that is wanted or not; None where it is
            missing or wrong.
        others: the columns of `CaptionsTable.others` whose caption is valid here.
        details: of a table to choose from, what else the row says, by column.
    """

    row: int
    meme_id: str
    template: str
    captions: Mapping[str, Caption]
    source: Caption | None
    others: tuple[str, ...] = ()
    details: Mapping[str, str] = field(default_factory=dict)


class CaptionProblem(NamedTuple):
    """A fault of a row or a cell, and how many wanted captions it costs.

    Its kind is `broken row`, `too many cells`, `unknown template`, `not text`, `empty caption`,
    `too many parts`, `too long`, `wrong character` or one of `_MemeIds.wrong`.
    """

    kind: str
    error: InputError
    captions: int


class CaptionsTable:
    """An opened captions table, of whose columns it is settled which are languages. Raise
    InputError if the file is not a captions table (where it is one for the other command, `import`
    or `collect captions`, that is named), or a wanted language is not in it.

    Args:
        path: CSV, a workbook, JSON Lines, Parquet or a frame; see `memeloc.tables.read_table`.
        languages: tags of the wanted languages, or one; None is every language column. A tag finds
            the column of that name, or else the one whose locale it means (`zh` finds `zh-Hans`).
        source: tag of the source language; None is the table's first language column.
        locales: where tags are looked up; None is the built-in locales.
        known_ids: report ids that differ from another of the table or of these in case or Unicode
            form only; None is not to look.
        new_templates: take captions whose templates are not known yet.
        left_out: by column, the memes whose caption is to be left out.
        wrong_templates: why other templates cannot be used, by their names.
        to_choose: take rows without an id, keep what else they say (`CaptionRow.details`), and take
            a column `caption` or `text` for that of `source`.

    Attributes:
        languages: the wanted language columns, in the table's order; `others`, all other ones, of
            which rows say whether they have a caption.
        ignored: a sentence for each column that is neither `meme_id`, `template` nor a language,
            and for an encoding that is no Unicode.
    """

    def __init__(
        self,
        path: str | Path | Frame,
        templates: Mapping[str, Template],
        languages: str | Sequence[str] | None = None,
        *,
        source: str | None = None,
        locales: Registry | None = None,
        known_ids: Collection[str] | None = None,
        new_templates: bool = False,
        left_out: Mapping[str, Collection[str]] | None = None,
        wrong_templates: Mapping[str, InputError] | None = None,
        to_choose: bool = False,
    ) -> None:
        locales = default() if locales is None else locales
        self.table = _opened(path, locales, to_choose)
        self.templates = templates
        self._known_ids, self._takes_new = known_ids, new_templates
        self._left_out, self._wrong_templates = left_out or {}, wrong_templates or {}
        self._to_choose = to_choose
        self._warnings: dict[str, list[InputError]] = {}
        self._warned: Counter[str] = Counter()
        file = self.table.path
        self.ignored = [InputError(self.table.note, file=file)] if self.table.note else []
        columns: list[LanguageColumn] = []
        tags = {locale.tag.lower() for locale in locales}
        for name in filter(None, self.table.columns):
            if name in _KEYS:
                continue
            try:
                if not _TAG.fullmatch(name) and name.replace("_", "-").lower() not in tags:
                    raise InputError(f"{name[:60]!r} is no language tag.")
                name = check_tag_name(name, "A language column's name")
                columns.append(LanguageColumn(name, locales.get(name)))
            except InputError as error:
                message = f"The column is left out. {error.message}"
                if not to_choose:
                    self.ignored.append(InputError(message, file=file, column=name[:60]))
        if to_choose and source and all(each.locale != locales.get(source) for each in columns):
            texts = [name for name in self.table.columns if name.casefold() in _TEXTS]
            columns = [LanguageColumn(name, locales.get(source)) for name in texts[:1]] + columns
        if not columns:
            hint = "Name a column by a tag such as en, de or zh."
            if unknown := " or ".join(error.column for error in self.ignored if error.column):
                hint = f"No locale is called {unknown}: `memeloc locales new TAG` begins one."
            raise InputError(f"The table has no column of a language. {hint}", file=file)
        self.languages, self.source = columns, columns[0]
        if languages is not None:
            names = {_find(tag, columns, locales, file).name for tag in listed_tags(languages)}
            self.languages = [column for column in columns if column.name in names]
        if not self.languages:
            raise InputError("No language is asked for; name at least one.", file=file)
        if source is not None:
            self.source = _find(source, columns, locales, file)
        self.others = [column for column in columns if column not in self.languages]

    def rows(self, on_problem: Callable[[CaptionProblem], None]) -> Iterator[CaptionRow]:
        """Yield the rows that have a valid caption in any column; report problems on the way. Raise
        InputError after the last row if none had a wanted caption."""
        first, good, ids = "", False, _MemeIds(self._known_ids)
        self._warnings.clear()
        self._warned.clear()

        def report(row: int, kind: str, column: str | None, message: str, captions: int) -> None:
            nonlocal first
            error = InputError(message, file=self.table.path, row=row, column=column)
            first = first or f"The first problem: {error}"
            on_problem(CaptionProblem(kind, error, captions))

        for row in self.table.rows:
            if checked := self._checked(row, ids, partial(report, row.number)):
                good = good or bool(checked.captions)
                yield checked
        if not good:
            message = f"The table has no caption to work with. {first or 'It has no rows.'}"
            if ids.is_without:
                message += f" {_other_door(self.table.path)}"
            raise InputError(message, file=self.table.path)

    def warnings(self) -> Iterator[InputError]:
        """Yield the first five warnings of each kind of the last reading, and how many follow."""
        for kind, errors in self._warnings.items():
            yield from errors[:-1]
            more, last = self._warned[kind] - len(errors), errors[-1]
            tail = f" So it is with {counted(more, 'more caption')} ({kind})." if more else ""
            yield InputError(last.message + tail, file=last.file, row=last.row, column=last.column)

    def count(self) -> int:
        """Return how many captions the wanted languages' columns have, valid or not."""
        cells = sum(1 for _ in self.table.rows) * len(self.languages)
        return cells - sum(len(self._left_out.get(column.name, ())) for column in self.languages)

    def check_names(self, known_ids: Iterable[str] = ()) -> None:
        """Raise InputError if an id, but for empty and doubled ones, cannot be the name of a file.

        `known_ids` must not be repeated in another case or Unicode form.
        """
        errors: list[InputError] = []
        ids = _MemeIds(known_ids)
        for row in self.table.rows:
            if row.reason == "broken row" or len(row.cells) > len(row.header.names):
                continue
            if meme_id := _plain(row, "meme_id"):
                kind, message = ids.wrong(meme_id, row.number)
                if kind not in ("", "duplicate id"):
                    errors.append(InputError(message, row=row.number, column="meme_id"))
        if len(errors) == 1:
            errors[0].file = str(self.table.path)
            raise errors[0]
        if errors:
            message = f"{len(errors)} ids cannot be names of files on every system; nothing was"
            raise InputError(f"{message} written:\n{_listed(errors)}", file=self.table.path)

    def check(self) -> None:
        """Raise InputError if anything is wrong in the table."""
        problems: list[str] = []
        deque(self.rows(lambda problem: problems.append(str(problem.error))), maxlen=0)
        if problems:
            raise InputError(
                f"The table has {counted(len(problems), 'problem')}; fix the table, or run without "
                f"--strict to leave these captions out:\n{_listed(problems)}",
                file=self.table.path,
            )

    def _checked(self, row: Row, ids: _MemeIds, report: Callable[..., None]) -> CaptionRow | None:
        """Return the row, where something of it can be used, and report what is wrong with it."""
        columns, everything = row.header.names, len(self.languages)
        wanted = [column for column in self.languages if column.name in row]
        if row.error:
            report("broken row", None, row.error, everything)
            return None
        if len(row.cells) > len(columns):
            message = f"The row has {counted(len(row.cells), 'cell')}, the header {len(columns)}. "
            message += "Put a cell that holds the separator between quotation marks."
            report("too many cells", None, message, everything)
            return None
        meme_id, template = _plain(row, "meme_id"), _plain(row, "template")
        needs_id = bool(meme_id) or not self._to_choose
        kind, message = ids.wrong(meme_id, row.number) if needs_id else ("", "")
        wrong = [(kind, "meme_id", message)] if kind else []
        if message := self._wrong_template(template):
            wrong.append(("unknown template", "template", message))
        for number, problem in enumerate(wrong):
            report(*problem, 0 if number else len(wanted))  # the first carries what the row costs
        if wrong:
            return None
        loaded = self.templates.get(template)
        boxes = None if loaded is None else len(loaded.boxes)
        # One look for all cells: none has a wrong character or is too long.
        is_text = not row.seen and all(type(cell) is str for cell in row.cells)
        text = "\n".join(row.cells) if is_text else ""
        sound = is_text and len(text) <= CELL_LIMIT and _BAD.search(text) is None
        parsed = _parsed(row, self.source, boxes, sound)
        source = parsed if isinstance(parsed, Caption) else None
        counts = [len(each) for each in (loaded and loaded.boxes, source and source.parts) if each]
        captions: dict[str, Caption] = {}
        for column in wanted:
            name, locale = column
            if meme_id in self._left_out.get(name, ()):
                continue
            is_source = name == self.source.name
            caption = parsed if is_source else _parsed(row, column, boxes, sound, counts)
            if not isinstance(caption, Caption):
                report(caption[0], name, caption[1], 1)
                continue
            captions[name] = caption
            warnings = damage(str(caption).strip(), locale)
            if missing := lost_parts(caption, boxes, None if is_source else source):
                warnings.append(missing)
            for kind, sentence, _ in warnings:
                self._warned[kind] += 1
                if self._warned[kind] <= 5:
                    error = InputError(sentence, file=self.table.path, row=row.number, column=name)
                    self._warnings.setdefault(kind, []).append(error)
        others = tuple(
            column.name
            for column in self.others
            if meme_id not in self._left_out.get(column.name, ())
            if isinstance(_parsed(row, column, boxes, sound, counts), Caption)
        )
        if not captions and not others:
            return None
        read = {*_KEYS, *(column.name for column in (*self.languages, *self.others))}
        texts = row.texts if self._to_choose else {}
        details = {name: text for name, text in texts.items() if name not in read}
        return CaptionRow(row.number, meme_id, template, captions, source, others, details)

    def _wrong_template(self, name: str) -> str:
        if name in self.templates:
            return ""
        if not name:
            return "The row names no template."
        if self._takes_new:
            try:
                check_tag_name(name, "A template")
            except InputError as error:
                return error.message
            return ""
        if name in self._wrong_templates:
            return f"The template {name!r} cannot be used: {self._wrong_templates[name]}"
        near = difflib.get_close_matches(name[:100], list(self.templates), n=3, cutoff=0.5)
        hint = "`memeloc templates show` names those there are; --templates DIR adds a folder"
        hint = f"Did you mean {' or '.join(near)}?" if near else f"{hint} of yours."
        return f"There is no template {name[:60]!r}. {hint}"


class _MemeIds:
    """The ids of a table's rows so far, and `known` ones; None is not to compare their forms.

    An id is also the name of a picture's file, and a set is copied to other systems: so it must be
    a file's name on each, and must not differ from another in case or Unicode form only. The ids
    are in a database that is on disk where it is large, so that memory stays flat.
    """

    def __init__(self, names: Iterable[str] | None) -> None:
        columns = "folded TEXT, meme_id TEXT, row INTEGER, PRIMARY KEY (folded, meme_id)"
        self._ids = temporary_database(f"CREATE TABLE ids ({columns}) WITHOUT ROWID")
        self._looks_alike = names is not None
        self.is_without = True
        rows = ((_folded(meme_id), meme_id, 0) for meme_id in names or ())
        self._ids.executemany("INSERT OR IGNORE INTO ids VALUES (?, ?, ?)", rows)

    def wrong(self, meme_id: str, row: int) -> tuple[str, str]:
        """Return what is wrong with a row's id, `wrong id`, `duplicate id` or `similar id`, and the
        sentence; empty where nothing is."""
        if not meme_id:
            return "wrong id", "The row has no id; give it one that no other row has."
        self.is_without = False
        try:
            check_tag_name(meme_id, "An id")
        except InputError as error:
            return "wrong id", error.message
        folded = _folded(meme_id)
        select = "SELECT meme_id, row FROM ids WHERE folded = ? ORDER BY row"
        rows = dict(self._ids.execute(select, (folded,)))
        if before := rows.get(meme_id):
            message = f"The id {meme_id!r} stands in row {before} already; give this row another."
            return "duplicate id", message
        self._ids.execute("INSERT OR REPLACE INTO ids VALUES (?, ?, ?)", (folded, meme_id, row))
        if meme_id in rows or not rows or not self._looks_alike:
            return "", ""
        other, before = next(iter(rows.items()))
        message = (
            f"The id {meme_id!r} differs from {other!r}{f' of row {before}' if before else ''} in "
            "case or Unicode form only, which some systems take for one. If it is the same meme, "
            f"write {other!r}; otherwise give this row another id."
        )
        return "similar id", message


def _folded(meme_id: str) -> str:
    return unicodedata.normalize("NFKC", meme_id).casefold()


read_captions = CaptionsTable
"""Open a captions table; see `CaptionsTable`."""


def _opened(path: str | Path | Frame, locales: Registry, to_choose: bool) -> Table:
    """Open the table, also in an old encoding if all its letters are those of its languages.

    Windows-1252 reads any file, so that it can be read says nothing; a text in another encoding has
    letters then that its language has not (я becomes ÿ, and ł ³).
    """
    keys = _KEYS[1:] if to_choose else _KEYS

    def rightness(table: Table) -> float:
        letters, usual = 0, 0
        for name in filter(_TAG.fullmatch, table.columns):
            alphabet = {*"".join(locales.exemplars(name))} if name in locales else set()
            text = "".join(row[name] for row in table.rows).lower()
            beyond = [letter for letter in text if not letter.isascii() and letter not in _SIGNS]
            letters, usual = letters + len(beyond), usual + sum(map(alphabet.__contains__, beyond))
        return usual / letters if letters else 0

    try:
        return read_table(path, keys)
    except InputError as error:
        hint = ""
        if error.column == "template" and to_choose:
            hint = " Finished memes are collected by `memeloc collect table`."
        elif error.column == "meme_id" and "template" in error.message:
            hint = f" {_other_door(path)}"
        if hint:
            column = None if to_choose else error.column
            raise InputError(error.message + hint, file=error.file, column=column) from None
        encoded = next(read_tables(path, keys, encodings=ENCODINGS, score=rightness), None)
        if encoded is None or not encoded.note or rightness(encoded) < 1:
            raise
        return encoded


def _other_door(path: object) -> str:
    return (
        "To choose from captions that have no ids yet, collect them: memeloc collect captions "
        f"{path}, then filter, review and select. To use them all as they are, give each an id in "
        "the column meme_id."
    )


def _find(
    tag: str, columns: Sequence[LanguageColumn], locales: Registry, path: Path
) -> LanguageColumn:
    """Return the column of that name, or else the first whose locale the tag means."""
    plain = tag.strip().replace("_", "-").lower()
    by_name = {column.name.replace("_", "-").lower(): column for column in reversed(columns)}
    by_tag = {column.locale.tag: column for column in reversed(columns)}
    reason = f"The table has no column for {tag!r}."
    try:
        if column := by_name.get(plain) or by_tag.get(locales.get(tag.strip()).tag):
            return column
    except InputError as error:
        reason = error.message
    existing = ", ".join(column.name for column in columns)
    raise InputError(f"{reason} The table's languages are {existing}.", file=path)


def _plain(row: Row, column: str) -> str:
    """Return an id or a template's name as text; empty if it is neither text nor a whole number."""
    value = row.value(column)
    if isinstance(value, str):
        return value.strip()
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    return row.shown(column) if is_whole else ""


def _listed(errors: Sequence[object]) -> str:
    more = [f"and {len(errors) - 20} more"] if len(errors) > 20 else []
    return "\n".join([*map(str, errors[:20]), *more])


def _parsed(
    row: Row, column: LanguageColumn, boxes: int | None, sound: bool, counts: Collection[int] = ()
) -> Caption | tuple[str, str]:
    """Return the caption in a cell, or the kind of its problem and a sentence."""
    value = row.value(column.name)
    value = "" if value is None else value
    if not isinstance(value, str) or row.seen:
        if wrong := row.problem(column.name):
            return "not text", f"{wrong[0].upper()}{wrong[1:]}."
        if not isinstance(value, str | int | float) or isinstance(value, bool):
            what = "a text that is not UTF-8" if isinstance(value, bytes) else type(value).__name__
            return "not text", f"The cell holds {what}; write the caption as one text."
        value = value if isinstance(value, str) else row.shown(column.name, column.locale.tag)
    if not sound:
        value = value.replace("\r\n", "\n").replace("\r", "\n")
        if len(value) > CELL_LIMIT:
            return "too long", (
                f"The cell has {counted(len(value), 'character')}; a caption has {CELL_LIMIT:,} at "
                "most. A quotation mark that is opened and not closed can also be the reason."
            )
        if bad := _BAD.search(value):
            code = ord(bad.group())
            what = "lone surrogate" if code >= 0xD800 else "control character"
            return "wrong character", (
                f"The cell has a {what}, U+{code:04X}, at character {bad.start() + 1}; remove it."
            )
    caption = Caption.parse(value, *(counts or ([boxes] if boxes else ())))
    if not any(caption.parts):
        return "empty caption", "The caption is empty."
    if boxes is not None and len(caption.parts) > boxes:
        return "too many parts", (
            f"The caption has {counted(len(caption.parts), 'part')}, its template {boxes}; a part "
            "ends at a '//' between spaces."
        )
    return caption
