"""Ids of memes as the names of files. In: the ids of a table. Out: what is wrong with them.

An id is also the name of a picture's file, and a set is copied to other systems: so an id must be a
file's name on each of them, and must not differ from another in case or Unicode form only.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from memeloc.errors import InputError
from memeloc.files import temporary_database
from memeloc.model import check_tag_name

_TABLES = (
    "CREATE TABLE row (meme_id TEXT PRIMARY KEY, number INTEGER) WITHOUT ROWID;"
    "CREATE TABLE folded (folded TEXT, meme_id TEXT, PRIMARY KEY (folded, meme_id)) WITHOUT ROWID"
)


class MemeIds:
    """The ids of a table's rows so far, and `known` ones; None is not to compare their forms.

    They are kept in a database that is on disk where it is large, so that memory stays flat.
    """

    def __init__(self, known: Iterable[str] | None) -> None:
        self._ids = temporary_database(_TABLES)
        self._looks_alike = known is not None
        self._ids.executemany(
            "INSERT OR IGNORE INTO folded VALUES (?, ?)",
            ((_folded(meme_id), meme_id) for meme_id in known or ()),
        )

    def wrong(self, meme_id: str, row: int) -> tuple[str, str, str] | None:
        """Return what is wrong with a row's id: kind, column and sentence.

        The kind is `wrong id`, `duplicate id` or `similar id`.
        """
        if not meme_id:
            return "wrong id", "meme_id", "The row has no id; give it one that no other row has."
        try:
            check_tag_name(meme_id, "An id")
        except InputError as error:
            return "wrong id", "meme_id", error.message
        insert = "INSERT INTO row VALUES (?, ?) ON CONFLICT DO NOTHING"
        if not self._ids.execute(insert, (meme_id, row)).rowcount:
            before = self._row_of(meme_id)
            message = f"The id {meme_id!r} stands in row {before} already; give this row another."
            return "duplicate id", "meme_id", message
        if not self._looks_alike:
            return None
        folded = _folded(meme_id)
        select = "SELECT meme_id FROM folded WHERE folded = ?"
        others = [str(other) for (other,) in self._ids.execute(select, (folded,))]
        if not others:
            self._ids.execute("INSERT INTO folded VALUES (?, ?)", (folded, meme_id))
        if not others or meme_id in others:
            return None
        before = self._row_of(others[0])
        message = (
            f"The id {meme_id!r} differs from {others[0]!r}{f' of row {before}' if before else ''} "
            "in case or Unicode form only, which some systems take for one. If it is the same "
            f"meme, write {others[0]!r}; otherwise give this row another id."
        )
        return "similar id", "meme_id", message

    def _row_of(self, meme_id: str) -> int:
        """Return the row of an id; 0 of a known one."""
        found = self._ids.execute("SELECT number FROM row WHERE meme_id = ?", (meme_id,)).fetchone()
        return int(found[0]) if found else 0


def _folded(meme_id: str) -> str:
    return unicodedata.normalize("NFKC", meme_id).casefold()
