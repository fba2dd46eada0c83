"""Ids of memes as the names of files. In: the ids of a table. Out: what is wrong with them.

An id is also the name of a picture's file, and a set is copied to other systems: so an id must be a
file's name on each of them, and must not differ from another in case or Unicode form only.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal

from memeloc.errors import InputError
from memeloc.model import check_tag_name
from memeloc.temporary_database import temporary_database

IdProblem = Literal["wrong id", "duplicate id", "similar id"]
"""What can be wrong with an id."""

_TABLES = (
    "CREATE TABLE row (meme_id TEXT PRIMARY KEY, number INTEGER) WITHOUT ROWID;"
    "CREATE TABLE folded (folded TEXT, meme_id TEXT, PRIMARY KEY (folded, meme_id)) WITHOUT ROWID"
)

_LISTED = 20
"""Wrong ids that a sentence lists before it only counts them."""


class MemeIds:
    """The ids of a table's rows so far, and those that are known from elsewhere.

    They are kept in a database that is on disk where it is large, so that memory stays flat.
    """

    def __init__(self, known: Iterable[str] | None) -> None:
        self._ids = temporary_database(_TABLES)
        self._looks_alike = known is not None
        self._ids.executemany(
            "INSERT OR IGNORE INTO folded VALUES (?, ?)",
            ((_folded(meme_id), meme_id) for meme_id in known or ()),
        )

    def wrong(self, meme_id: str, row: int) -> Iterator[tuple[IdProblem, str, str]]:
        """What is wrong with a row's id: kind, column and sentence."""
        try:
            if not meme_id:
                raise InputError("The row has no id; give it one that no other row has.")
            check_tag_name(meme_id, "An id")
        except InputError as error:
            yield "wrong id", "meme_id", error.message
            return
        insert = "INSERT INTO row VALUES (?, ?) ON CONFLICT DO NOTHING"
        if not self._ids.execute(insert, (meme_id, row)).rowcount:
            before = self._row_of(meme_id)
            message = f"The id {meme_id!r} stands in row {before} already; give this row another."
            yield "duplicate id", "meme_id", message
        elif self._looks_alike and (other := self._similar(meme_id)):
            before = self._row_of(other)
            where = f" of row {before}" if before else ""
            message = (
                f"The id {meme_id!r} differs from {other!r}{where} in case or Unicode form "
                "only, which some systems take for one. If it is the same meme, write "
                f"{other!r}; otherwise give this row another id."
            )
            yield "similar id", "meme_id", message

    def _row_of(self, meme_id: str) -> int:
        """The row of an id; 0 of one that is only known from elsewhere."""
        found = self._ids.execute("SELECT number FROM row WHERE meme_id = ?", (meme_id,)).fetchone()
        return int(found[0]) if found else 0

    def _similar(self, meme_id: str) -> str:
        """A known id that differs in case or Unicode form only; empty where there is none."""
        folded = _folded(meme_id)
        select = "SELECT meme_id FROM folded WHERE folded = ?"
        others = [str(other) for (other,) in self._ids.execute(select, (folded,))]
        if not others:
            self._ids.execute("INSERT INTO folded VALUES (?, ?)", (folded, meme_id))
        return "" if not others or meme_id in others else others[0]


def _folded(meme_id: str) -> str:
    """An id as all that differ from it in case or Unicode form only are folded, too."""
    return unicodedata.normalize("NFKC", meme_id).casefold()


def check_file_names(
    path: Path, rows: Iterable[tuple[int, str]], known_ids: Iterable[str] = ()
) -> None:
    """See whether the ids in a table can be names of files on every system.

    Args:
        rows: the number and the id of each row; empty and doubled ids are not looked at here.
        known_ids: ids that the table must not repeat in another case or Unicode form.

    Raises:
        InputError: some cannot; the sentence has row and column of the first 20.
    """
    wrong: list[InputError] = []
    ids = MemeIds(known_ids)
    for row, meme_id in rows:
        for kind, column, message in ids.wrong(meme_id, row):
            if meme_id and kind != "duplicate id":
                wrong.append(InputError(message, row=row, column=column))
    if len(wrong) == 1:
        raise InputError(wrong[0].message, file=path, row=wrong[0].row, column=wrong[0].column)
    if wrong:
        more = [f"and {len(wrong) - _LISTED} more"] if len(wrong) > _LISTED else []
        raise InputError(
            f"{len(wrong)} ids cannot be names of files on every system; nothing was written:\n"
            + "\n".join([*map(str, wrong[:_LISTED]), *more]),
            file=path,
        )
