"""A team's glossary. In: the table that it keeps. Out: terms, and those that occur in a text.

The table has the column `term`, in the source language, and for each language a column named by
its tag (`hi`, `zh-Hant`), with what the term is to be in it; `hi forbidden`, what it is not to be;
`hi note`, and `note` for every language, for who translates. A tag with a country (`pt-BR`) is for
the culture, and comes before the language's. A cell has several texts with `|` between; the first
is preferred. A `*` at the end or beginning of one stands for any further letters. What is forbidden
beside no term is forbidden in every caption. Other columns are left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from memeloc.errors import InputError
from memeloc.files import file_sha256
from memeloc.locales import Registry
from memeloc.locales.tags import canonical, script_of, scripts_agree
from memeloc.locales.words import SearchedText
from memeloc.model import SEPARATOR, Locale
from memeloc.tables import Row, Table, read_table, wrong_in

TERM = "term"
_HEADING = re.compile(
    r"(?P<tag>[A-Za-z]{2,3}([-_]\w{2,8})*?)([\s_:]+(?P<about>forbidden|note))?", re.I
)
_BETWEEN = re.compile(r"\s*[|\n]\s*")
_WANTED, _FORBIDDEN, _NOTE = "", "forbidden", "note"


@dataclass(frozen=True, slots=True)
class Term:
    """A term of the source language with its translation in another, and what is not to stand
    there.

    Attributes:
        names: the term, in each of its forms; none where `forbidden` is so in every caption.
        wanted: any of these, the first is preferred; none where anything but the forbidden goes.
    """

    names: tuple[str, ...]
    wanted: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()
    note: str = ""

    def __str__(self) -> str:
        """Return it as people read it, without the `*` of its forms."""
        wanted = f" → {shown(self.wanted)}" if self.wanted else ""
        forbidden = f"; not {shown(self.forbidden)}" if self.forbidden else ""
        return shown(self.names) + wanted + forbidden + (f" ({self.note})" if self.note else "")


def shown(texts: Iterable[str]) -> str:
    """Return texts of a glossary's cell as people read them."""
    return " | ".join(text.strip("*") for text in texts)


@dataclass(frozen=True, slots=True)
class Glossary:
    """The rows of a glossary; `sha256` is its file's, empty where there is none."""

    sha256: str = ""
    _rows: tuple[tuple[tuple[str, ...], Mapping[str, str]], ...] = ()
    _columns: Mapping[str, tuple[str, str]] = field(default_factory=dict)

    def terms(self, locale: Locale) -> tuple[Term, ...]:
        """Return the terms that have something for a language, in the order of the table."""
        fitting = [(*item, name) for name, item in self._columns.items() if _fits(item[0], locale)]
        fitting.sort(key=lambda column: -len(column[0]))  # a culture before its language
        terms = []
        for names, cells in self._rows:
            texts = {about: cells[name] for _, about, name in reversed(fitting) if cells[name]}
            wanted, forbidden = (_texts(texts.get(about, "")) for about in (_WANTED, _FORBIDDEN))
            if wanted or forbidden:
                notes = dict.fromkeys([texts.get(_NOTE, ""), cells.get(_NOTE, "")])
                terms.append(Term(names, wanted, forbidden, "; ".join(filter(None, notes))))
        return tuple(terms)


def terms_in(terms: Iterable[Term], parts: Sequence[str], locale: Locale) -> tuple[Term, ...]:
    """Return the terms that are in a caption of `locale`, the source, or have no names."""
    if not (terms := tuple(terms)):
        return ()
    text = SearchedText(SEPARATOR.join(parts), locale)
    return tuple(
        term for term in terms if not term.names or any(text.has(name) for name in term.names)
    )


def read_glossary(path: Path, locales: Registry) -> Glossary:
    """Read a glossary: CSV, or a workbook. Raise InputError if it cannot be read, or a row or
    heading is wrong; with its row and column."""
    table = read_table(path, [TERM])
    columns = _columns(table, locales)
    rows: list[tuple[tuple[str, ...], Mapping[str, str]]] = []
    first_rows: dict[str, int] = {}
    for row in table.rows:
        names, cells = _cells(path, row, columns)
        if not names and not any(cells.values()):
            continue
        for name in names:
            before = first_rows.setdefault(name.casefold(), row.number)
            if before != row.number:
                raise InputError(
                    f"{name[:60]!r} stands in row {before} already: put both into one row, with | "
                    "between",
                    file=path, row=row.number, column=TERM
                )  # fmt: skip
        rows.append((names, cells))
    return Glossary(file_sha256(path), tuple(rows), columns)


def _columns(table: Table, locales: Registry) -> dict[str, tuple[str, str]]:
    """Return by heading the canonical tag, and whether it is wanted, forbidden or a note."""
    columns: dict[str, tuple[str, str]] = {}
    for heading in table.columns:
        match = _HEADING.fullmatch(heading.strip())
        if match is None or heading.casefold() in (TERM, _NOTE):
            continue
        tag, about = match["tag"], (match["about"] or _WANTED).casefold()
        if tag in locales:
            columns[heading] = (canonical(tag), about)
        elif about:
            raise InputError(
                f"there is no locale {tag[:20]!r}; `memeloc locales show` names all",
                file=table.path,
                column=heading,
            )
    if not columns:
        raise InputError(
            "has no column of a language: head it with the language's tag, as hi or zh-Hant",
            file=table.path,
        )
    return columns


def _cells(
    path: Path, row: Row, columns: Mapping[str, tuple[str, str]]
) -> tuple[tuple[str, ...], dict[str, str]]:
    if row.error:
        raise InputError(row.error, file=path, row=row.number)
    names = _texts(row[TERM])
    cells = {heading: row[heading] for heading in columns} | {_NOTE: row[_NOTE]}
    for heading in (TERM, *cells):
        wrong = wrong_in(row.value(heading), is_text=True)
        about = columns[heading][1] if heading in columns else _NOTE
        for text in _texts(row[heading]) if heading == TERM or about != _NOTE else ():
            if not text.strip("*").strip() or "*" in text.strip("*"):
                place = "at the end or the beginning of some letters"
                wrong = wrong or f"in {text[:60]!r}, * has to stand {place}"
        if not names and about == _WANTED and cells[heading]:
            wrong = wrong or "this is what no term is to be: write the term in its column"
        if wrong:
            raise InputError(wrong, file=path, row=row.number, column=heading)
    return names, cells


def _texts(cell: str) -> tuple[str, ...]:
    return tuple(text for text in dict.fromkeys(_BETWEEN.split(cell.strip())) if text)


def _fits(tag: str, locale: Locale) -> bool:
    """Return whether a canonical tag is for a locale: its language, its script, its culture."""
    language, *rest = tag.split("-")
    regions = {subtag for subtag in rest if len(subtag) == 2 or subtag.isdecimal()}
    return (
        language == locale.tag.split("-")[0]
        and scripts_agree(script_of(tag), locale.script)
        and regions <= {locale.country}
    )
