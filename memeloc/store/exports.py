"""The workspace's data as tables. In: a table's name. Out: a pandas frame or a file.

`captions` is the wide table that `memeloc render` and `memeloc import` read: a row a meme, a column
a language, the current captions. `history` is long: a row for every version, and of the current
ones their state. The others are long, too. Rows come one by one, so that a table of any size takes
the same memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import (
    Boolean,
    Connection,
    Float,
    Integer,
    Select,
    Table,
    Text,
    and_,
    func,
    select,
    type_coerce,
)

from memeloc.errors import InputError
from memeloc.model import SEPARATOR
from memeloc.store.captions import memory
from memeloc.store.captions.answers import find_history
from memeloc.store.captions.sheets import SHEETS_IN_ORDER
from memeloc.store.captions.states import OPEN_CASES, states_query, taken_states
from memeloc.store.captions.versions import (
    WITHDRAWN,
    current_query,
    is_active,
    is_current,
    is_dropped,
)
from memeloc.store.queries import Repository, is_newest, stream
from memeloc.store.records import ROUNDS, Accept
from memeloc.store.tables.captions import (
    captions,
    cases,
    corrections,
    decisions,
    drops,
    files,
    memes,
    sheet_items,
    sheets,
    translation_failures,
)
from memeloc.store.tables.types import Parts, UtcTime
from memeloc.tables import write_table
from memeloc.tables.writing import Column, Kind

if TYPE_CHECKING:
    import pandas as pd

_Rows = tuple[Sequence[Column], Iterator[tuple[Any, ...]]]
"""Columns, and rows once, while the transaction lasts."""


class Exports(Repository):
    """Captions, history and all the rest as tables; TABLES names them."""

    def frame(
        self, table_name: str, tags: Sequence[str] = (), which: Accept = "any", rounds: int = ROUNDS
    ) -> pd.DataFrame:
        """A table of TABLES as a pandas frame.

        `captions` begins with the languages `tags`, and has those captions that `which` says, see
        `memeloc.store.captions.states`; `rounds` of correction are the workspace's.

        Raises:
            InputError: there is no such table.
        """
        with self.database.read() as connection:
            return as_frame(*_open(connection, table_name, tags, which, rounds))

    def write(
        self,
        table_name: str,
        path: Path,
        tags: Sequence[str] = (),
        which: Accept = "any",
        rounds: int = ROUNDS,
    ) -> int:
        """Write a table, see `frame`, to a .csv, .jsonl or .parquet file; how many rows it has.

        Raises:
            InputError: there is no such table, or the file cannot be written.
        """
        with self.database.read() as connection:
            return write_table(path, *_open(connection, table_name, tags, which, rounds))


def as_frame(columns: Sequence[Column], rows: Iterable[tuple[Any, ...]]) -> pd.DataFrame:
    """Rows as a pandas frame, its columns of the kinds that they are written with."""
    import pandas as pd

    names = [column.name for column in columns]
    frame = pd.DataFrame.from_records(list(rows), columns=names)
    for column in columns:
        if column.kind == "time":
            frame[column.name] = pd.to_datetime(frame[column.name], utc=True)
        elif column.kind == "integer":
            frame[column.name] = frame[column.name].astype("Int64")
    return frame


def _open(
    connection: Connection, name: str, tags: Sequence[str], which: Accept, rounds: int
) -> _Rows:
    if name == "captions":
        return _captions(connection, tags, which, rounds)
    if name == "memory":
        return _memory(connection)
    if name not in TABLES:
        raise InputError(f"There is no table {name[:40]!r}; there are {', '.join(TABLES)}.")
    query = _history(rounds) if name == "history" else _QUERIES[name]
    selected = list(query.selected_columns)
    columns = [
        Column(
            each.name, next((kind for base, kind in _KINDS if isinstance(each.type, base)), "text")
        )
        for each in selected
    ]
    separators = {
        number: "; " if each.name == "marks" else SEPARATOR
        for number, each in enumerate(selected)
        if isinstance(each.type, Parts)
    }
    rows = (
        tuple(
            separators[number].join(cell or ()) if number in separators else cell
            for number, cell in enumerate(row)
        )
        for row in stream(connection, query)
    )
    if name != "cases":
        return columns, rows
    comments: dict[tuple[str, str], list[str]] = {}
    for comment in find_history(connection, commented=True):
        about = comments.setdefault((comment.meme_id, comment.language), [])
        about.append(f"{comment.who}: {comment.comment}")
    key = [number for number, each in enumerate(selected) if each.name in ("meme_id", "language")]
    of_case = itemgetter(*key)
    with_comments = ((*row, "\n".join(comments.get(of_case(row), ()))) for row in rows)
    return [*columns, Column("comments")], with_comments


def _captions(connection: Connection, tags: Sequence[str], which: Accept, rounds: int) -> _Rows:
    current = current_query()
    languages = current.with_only_columns(captions.c.language).distinct().order_by(None)
    stored = sorted(connection.execute(languages).scalars())
    order = [tag for tag in dict.fromkeys((*tags, *stored)) if tag in stored]
    names = (captions.c.meme_id, memes.c.template, captions.c.language, captions.c.parts)
    query = current.with_only_columns(*names)
    taken = taken_states(which)
    if which != "any":
        query = states_query(rounds=rounds).add_columns(memes.c.template, captions.c.parts)

    def rows() -> Iterator[tuple[Any, ...]]:
        by_meme = groupby(stream(connection, query), key=attrgetter("meme_id", "template"))
        for (meme_id, template), group in by_meme:
            cells = {
                row.language: SEPARATOR.join(row.parts)
                for row in group
                if which == "any" or row.state in taken
            }
            if cells:
                yield meme_id, template, *(cells.get(tag) for tag in order)

    return [Column(name) for name in ("meme_id", "template", *order)], rows()


def _memory(connection: Connection) -> _Rows:
    names = ("source_language", "language", "source", "target", "origin", "person", "meme_id")
    rows = (
        tuple(
            SEPARATOR.join(value) if isinstance(value, tuple) else value
            for value in (*(getattr(unit, name) for name in names), unit.created_at)
        )
        for source, target in memory.pairs(connection)
        for unit in memory.find_units(connection, source, target)
    )
    return [*(Column(name) for name in names), Column("created_at", "time")], rows


def _select(table: Table, *columns: Any) -> Select[Any]:
    """A query of columns: names of the table's, of which `id=file` is exported under the second
    name, or columns of others."""
    chosen: list[Any] = []
    for each in columns:
        names = (name.split("=") for name in each.split()) if isinstance(each, str) else ()
        chosen += [table.c[name[0]].label(name[-1]) for name in names] or [each]
    return select(*chosen).select_from(table)


def _history(rounds: int) -> Select[Any]:
    states = states_query(None, rounds).order_by(None).add_columns(captions.c.id).subquery()
    query = _select(
        captions,
        "id=caption_id meme_id",
        memes.c.kind,
        "language version",
        is_current(captions).label("current"),
        states.c.state,
        states.c.people,
        "parts=text stage round person origin translator source_id marks characters cost currency",
        "created_at",
        type_coerce(captions.c.provenance, Text()).label("provenance"),
    )
    query = query.join(memes, memes.c.id == captions.c.meme_id)
    query = query.outerjoin(states, states.c.id == captions.c.id)
    return query.order_by(memes.c.number, captions.c.language, captions.c.version)


_KINDS: tuple[tuple[type, Kind], ...] = (
    (Boolean, "truth"),
    (Integer, "integer"),
    (Float, "number"),
    (UtcTime, "time"),
)
"""How a column is written, by the type of its table's; all others are texts."""

_QUERIES: dict[str, Select[Any]] = {
    "memes": _select(
        memes,
        "id=meme_id template source_language",
        files.c.name.label("file"),
        "item_id=item",
        is_active().label("active"),
        "created_at",
    )
    .outerjoin(files, files.c.id == memes.c.file_id)
    .where(memes.c.kind == "caption")
    .order_by(memes.c.number),
    "corrections": _select(
        corrections,
        "id=correction_id meme_id language round person status parts=text typed comment outcome",
        "reason message caption_id sheet_id=sheet",
        files.c.name.label("file"),
        "row created_at",
        corrections.c.file_id.in_(WITHDRAWN).label("withdrawn"),
    )
    .join(files, files.c.id == corrections.c.file_id)
    .order_by(corrections.c.id),
    "cases": _select(
        cases,
        "id=case_id meme_id language round reason message correction_id created_at",
        and_(
            cases.c.id.in_(OPEN_CASES.with_only_columns(cases.c.id)),
            ~is_dropped(cases.c.meme_id, cases.c.language),
        ).label("open"),
        decisions.c.action.label("decision"),
        decisions.c.parts.label("text"),
        decisions.c.person,
        decisions.c.comment,
        decisions.c.created_at.label("decided_at"),
    )
    .outerjoin(
        decisions, is_newest(decisions, ["case_id"], "id") & (decisions.c.case_id == cases.c.id)
    )
    .order_by(cases.c.id),
    "drops": _select(drops, "meme_id language action person comment created_at").order_by(
        drops.c.id
    ),
    "sheets": _select(
        sheets,
        "id=sheet language round person format name=file",
        select(func.count())
        .where(sheet_items.c.sheet_id == sheets.c.id)
        .scalar_subquery()
        .label("captions"),
        "created_at",
    ).order_by(*SHEETS_IN_ORDER),
    "failures": _select(
        translation_failures,
        "meme_id language translator message characters cost currency created_at",
    ).order_by(translation_failures.c.id),
    "files": _select(files, "kind name=file sha256 rows created_at").order_by(files.c.id),
}

TABLES = (
    *("captions", "history", "memes", "corrections", "cases", "drops", "memory", "sheets"),
    *("failures", "files"),
)
"""What can be exported."""
