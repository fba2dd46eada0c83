"""Keyword lists as files. In: a file of keywords, or variants. Out: the keywords, or a table."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from memeloc.collect.keywords.variants import Variant
from memeloc.errors import InputError
from memeloc.files import read_text
from memeloc.sheets import write_sheet_table
from memeloc.tables import drawable, read_table

MOST_KEYWORDS = 100_000  # keywords of one list
COLUMNS = ("keyword", "variant", "kind", "rule", "language")  # of a table of variants

_TABLES = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet")


def read_keywords(path: Path) -> list[str]:
    """The keywords of a file, each once: lines of text, or a table's column `keyword`.

    In lines of text, what follows a # at the beginning of a line or after white space is a remark.

    Raises:
        InputError: the file cannot be read, has no such column, no keywords or too many.
    """
    if path.suffix.lower() in _TABLES:
        words = []
        for row in read_table(path, ("keyword",)).rows:
            if row.error:
                raise InputError(row.error, file=path, row=row.number)
            words.append(row["keyword"])
    else:
        lines = [line for line in read_text(path).splitlines() if line.lstrip()[:1] != "#"]
        words = [re.split(r"[ \t]#", line)[0].strip() for line in lines]
    keywords = list(dict.fromkeys(filter(None, words)))
    if not keywords:
        raise InputError("holds no keywords: one a line, or a column keyword", file=path)
    if len(keywords) > MOST_KEYWORDS:
        raise InputError(f"has more than {MOST_KEYWORDS:,} keywords", file=path)
    return keywords


def write_variants(variants: Iterable[Variant], path: Path, language: str) -> tuple[Path, int]:
    """Write variants as CSV, for any spreadsheet; return where (see `memeloc.sheets`), how many.

    Raises:
        InputError: it cannot be written.
    """
    rows = (
        [drawable(cell) for cell in (form.keyword, form.text, form.kind, form.rule, language)]
        for form in variants
    )
    return write_sheet_table(path, COLUMNS, rows, suffix=".csv")
