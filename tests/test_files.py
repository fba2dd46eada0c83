"""Files and databases that are read and written."""

from __future__ import annotations

import pytest

from memeloc.errors import InputError
from memeloc.files import naming_full_folder, temporary_database


def test_a_database_outgrows_its_part_of_memory() -> None:
    database = temporary_database("CREATE TABLE text (number INTEGER PRIMARY KEY, body TEXT)")
    body = "tea " * 1000
    database.executemany("INSERT INTO text VALUES (?, ?)", ((n, body) for n in range(6000)))
    assert database.execute("SELECT count(*), sum(length(body)) FROM text").fetchone() == (
        6000,
        24_000_000,
    )


def test_a_full_folder_of_temporary_files_is_named() -> None:
    database = temporary_database("CREATE TABLE text (body TEXT)")
    database.execute("PRAGMA max_page_count=100")
    texts = (("tea" * 1000,) for _ in range(999))
    expected = pytest.raises(InputError, match=r"has no space for a temporary .*TMPDIR")
    with expected, naming_full_folder():
        database.executemany("INSERT INTO text VALUES (?)", texts)
