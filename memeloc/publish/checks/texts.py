"""The texts of a release. In: a `Release`. Out: places in tables and files where a word stands."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from memeloc.publish.checks.finding import Finding, Severity
from memeloc.publish.release import Release

_TEXT_FILES = {".csv", ".html", ".json", ".jsonl", ".md", ".toml", ".tsv", ".txt", ".xml", ".yaml"}
_LARGEST = 64 * 2**20
_WORD = re.compile(r"[^\s,;:'\"()\[\]{}<>|]+")
_MARKS = ".!?…“”‘’*_`#"
"""What stands beside a word, or is part of an id."""
_SHORTEST, _SHORTEST_WORD = 4, 6
"""Characters of a text, and of a word in one, from which on it may be somebody's id: shorter ones
are in any text."""


class Place(NamedTuple):
    """Where a text stands: a file or table, its row from 1 on, and its column."""

    file: str
    row: int | None
    column: str


def words(text: str) -> Iterator[str]:
    """A text and, where it has several, its words: whatever may be somebody's id."""
    text = text.strip()
    if len(text) >= _SHORTEST:
        yield text
    for match in _WORD.finditer(text):
        for word in dict.fromkeys((match[0], match[0].strip(_MARKS))):
            if len(word) >= _SHORTEST_WORD and word != text:
                yield word


def find_words(
    release: Release,
    rule: str,
    severity: Severity,
    message: str,
    is_meant: Callable[[str, str], bool],
) -> Iterator[Finding]:
    """The columns, rows of text files and file names with a word that is meant.

    Of each column the first row is given, and how many there are.

    Args:
        is_meant: is given a word and the column's name, which is empty in a file.
    """
    for place, count in _in_tables(release, is_meant):
        yield Finding(rule, severity, message, *place, count=count)
    for name, text in _files(release):
        lines = [
            number
            for number, line in enumerate([name, *text.splitlines()])
            if any(is_meant(word, "") for word in words(line))
        ]
        if lines:
            yield Finding(rule, severity, message, name, lines[0] or None, count=len(lines))


def _in_tables(
    release: Release, is_meant: Callable[[str, str], bool]
) -> Iterator[tuple[Place, int]]:
    for table in release.tables.values():
        for column in map(str, table.frame.columns):
            values = table.frame[column]
            unique = (
                value for value in values.dropna().unique().tolist() if isinstance(value, str)
            )
            bad = {value for value in unique if any(is_meant(w, column) for w in words(value))}
            if bad:
                rows = values.isin(bad).to_numpy().nonzero()[0].tolist()
                yield Place(f"tables/{table.name}", rows[0] + 2, column), len(rows)


def _files(release: Release) -> Iterator[tuple[str, str]]:
    """The further files that are text, by name; pictures and archives are not looked into."""
    yield from release.texts.items()
    for name, path in release.files.items():
        is_text = path.suffix.lower() in _TEXT_FILES and path.stat().st_size <= _LARGEST
        yield name, path.read_bytes().decode("utf-8", "replace") if is_text else ""
