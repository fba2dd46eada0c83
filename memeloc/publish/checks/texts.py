"""The texts of a release. In: a `Release`. Out: places in tables and files where a word stands."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import chain

from memeloc.publish.checks.finding import Finding, Severity
from memeloc.publish.checks.further_files import each_file, lines_of
from memeloc.publish.release import Release

_WORD = re.compile(r"[^\s,;:'\"()\[\]{}<>|]+")
_PIECE = re.compile(r"[/\\=&?.]+")
"""What stands between the parts of paths and addresses, where ids of people stand, too."""
_MARKS = ".!?…“”‘’*_`#"
"""What stands beside a word, or is part of an id."""
_SHORTEST, _SHORTEST_WORD = 4, 6
"""Characters of a text, and of a word in one, from which on it may be somebody's id: shorter ones
are in any text."""


def words(text: str) -> Iterator[str]:
    """A text and, where it has several, its words: whatever may be somebody's id."""
    text = text.strip()
    if len(text) >= _SHORTEST:
        yield text
    for match in _WORD.finditer(text):
        whole = match[0]
        for word in dict.fromkeys((whole, whole.strip(_MARKS), *_PIECE.split(whole))):
            if len(word) >= _SHORTEST_WORD and word != text:
                yield word


def find_texts(
    release: Release,
    rule: str,
    message: str,
    is_meant: Callable[[str, str], bool],
    in_tables: Severity = "refused",
) -> Iterator[Finding]:
    """Find the columns, lines of files and names of files that are meant.

    Of each column and file the first row is given, and how many there are.

    Args:
        is_meant: is given a text and the column's name, which is empty in a file.
    """
    for name, row, column, count in _in_tables(release, is_meant):
        yield Finding(rule, in_tables, message, name, row, column, count)
    for name, lines in _files(release):
        rows = [n for n, line in enumerate(chain((name,), lines)) if is_meant(line, "")]
        if rows:
            yield Finding(rule, "refused", message, name, rows[0] or None, count=len(rows))


def _in_tables(
    release: Release, is_meant: Callable[[str, str], bool]
) -> Iterator[tuple[str, int, str, int]]:
    for table in release.tables.values():
        for column in map(str, table.frame.columns):
            values = table.frame[column]
            unique = (
                value for value in values.dropna().unique().tolist() if isinstance(value, str)
            )
            bad = {value for value in unique if is_meant(value, column)}
            if bad:
                rows = values.isin(bad).to_numpy().nonzero()[0].tolist()
                yield f"tables/{table.name}", rows[0] + 2, column, len(rows)


def _files(release: Release) -> Iterator[tuple[str, Iterable[str]]]:
    for name, text in release.texts.items():
        yield name, text.splitlines()
    for name, path, _ in each_file(release):
        yield name, lines_of(path)
