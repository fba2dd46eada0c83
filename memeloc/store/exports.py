"""The workspace's data as tables. In: a table's name. Out: a pandas frame or a file.

`captions` is the wide table that `memeloc render` and `memeloc import` read: a row a meme, a column
a language, the current captions. `history` is long: a row for every version, and of the current
ones their state. The others are long, too. Rows come one by one, so that a table of any size takes
the same memory.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlalchemy import Connection, Select, func, select

from memeloc.errors import InputError
from memeloc.model import SEPARATOR
from memeloc.store.captions import memory, versions
from memeloc.store.captions.corrections import find_history
from memeloc.store.captions.sheets import SHEETS_IN_ORDER
from memeloc.store.captions.states import OPEN_CASES, states_query, taken_states
from memeloc.store.queries import Repository, is_newest, stream
from memeloc.store.records import ROUNDS, Accept
from memeloc.store.tables import metadata
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

_KINDS: dict[type, Kind] = {
    sa.Boolean: "truth",
    sa.Integer: "integer",
    sa.Float: "number",
    UtcTime: "time",
}
"""How a column is written, by the type of its table's; all others are texts."""

_Rows = tuple[Sequence[Column], Iterator[tuple[Any, ...]]]
"""Columns, and rows once, while the transaction lasts."""


class Exports(Repository):
    """Captions, history and all the rest as tables; TABLES names them."""

    def frame(
        self, table_name: str, tags: Sequence[str] = (), which: Accept = "any", rounds: int = ROUNDS
    ) -> pd.DataFrame:
        """Return a table of TABLES as a pandas frame; raise InputError if there is no such table.
        `captions` begins with the languages `tags`, and has those that `which` takes, see
        `memeloc.store.captions.states`."""
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
        """Write a table, see `frame`, to a .csv, .jsonl or .parquet file; return how many rows it
        has."""
        with self.database.read() as connection:
            return write_table(path, *_open(connection, table_name, tags, which, rounds))


def as_frame(columns: Sequence[Column], rows: Iterable[tuple[Any, ...]]) -> pd.DataFrame:
    """Return rows as a pandas frame, its columns of the kinds that they are written with."""
    import pandas as pd

    frame = pd.DataFrame.from_records(list(rows), columns=[column.name for column in columns])
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
    if name not in TABLES:
        raise InputError(f"There is no table {name[:40]!r}; there are {', '.join(TABLES)}.")
    if name == "memory":
        names = ("source_language", "language", "source", "target", "origin", "person", "meme_id")
        units = (
            unit
            for pair in memory.pairs(connection)
            for unit in memory.find_units(connection, *pair)
        )
        of_unit = attrgetter(*names, "created_at")
        columns = [*map(Column, names), Column("created_at", "time")]
        return columns, (
            tuple(
                SEPARATOR.join(cell) if isinstance(cell, tuple) else cell for cell in of_unit(unit)
            )
            for unit in units
        )
    query = _history(rounds) if name == "history" else _QUERIES[name]
    selected = [*query.selected_columns]
    kinds: list[Kind] = [
        next((kind for base, kind in _KINDS.items() if isinstance(each.type, base)), "text")
        for each in selected
    ]
    columns = [Column(each.name, kind) for each, kind in zip(selected, kinds, strict=True)]
    texts = [isinstance(each.type, Parts) for each in selected]
    joints = ["; " if each.name == "marks" else SEPARATOR for each in selected]
    rows = (
        tuple(
            joint.join(value or ()) if is_text else value
            for value, is_text, joint in zip(row, texts, joints, strict=True)
        )
        for row in stream(connection, query)
    )
    if name != "cases":
        return columns, rows
    comments = defaultdict[tuple[str, str], list[str]](list)
    for each in find_history(connection, commented=True):
        comments[each.meme_id, each.language].append(f"{each.who}: {each.comment}")
    of_case = itemgetter(*([column.name for column in columns].index(key) for key in _CAPTION))
    with_comments = ((*row, "\n".join(comments.get(of_case(row), ()))) for row in rows)
    return [*columns, Column("comments")], with_comments


def _captions(connection: Connection, tags: Sequence[str], which: Accept, rounds: int) -> _Rows:
    current = versions.current_query()
    languages = current.with_only_columns(captions.c.language).distinct().order_by(None)
    stored = sorted(connection.scalars(languages))
    order = [tag for tag in dict.fromkeys((*tags, *stored)) if tag in stored]
    taken = taken_states(which)
    columns = (memes.c.template, captions.c.parts)
    query = current.with_only_columns(*captions.c[_CAPTION], *columns)
    if which != "any":
        query = states_query(rounds=rounds).add_columns(*columns)

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

    return [*map(Column, ("meme_id", "template", *order))], rows()


def _select(table: sa.Table, columns: str, **computed: Any) -> Select[Any]:
    """Return a query of columns by names, in the order of the table's first column: `files.name` is
    another table's, `id=file` is exported under the second name, others are computed."""
    chosen = []
    for each in columns.split():
        place, _, label = each.partition("=")
        other, _, name = place.rpartition(".")
        source = metadata.tables[other] if other else table
        chosen.append((computed[each] if each in computed else source.c[name]).label(label or name))
    return select(*chosen).select_from(table).order_by(table.c.values()[0])


def _history(rounds: int) -> Select[Any]:
    states = states_query(None, rounds).order_by(None).add_columns(captions.c.id).subquery()
    return (
        _select(
            captions,
            "id=caption_id meme_id memes.kind language version current state people parts=text "
            "stage round person origin translator source_id marks characters cost currency "
            "created_at provenance",
            current=versions.is_current(captions),
            state=states.c.state,
            people=states.c.people,
            provenance=sa.type_coerce(captions.c.provenance, sa.Text()),
        )
        .join(memes, memes.c.id == captions.c.meme_id)
        .outerjoin(states, states.c.id == captions.c.id)
        .order_by(None)
        .order_by(memes.c.number, *captions.c["language", "version"])
    )


_CAPTION = ("meme_id", "language")
_IS_OPEN = cases.c.id.in_(OPEN_CASES.with_only_columns(cases.c.id)) & ~versions.is_dropped(
    cases.c.meme_id, cases.c.language
)
_NEWEST_DECISION = is_newest(decisions, ["case_id"]) & (decisions.c.case_id == cases.c.id)
_SHOWN = select(func.count()).where(sheet_items.c.sheet_id == sheets.c.id).scalar_subquery()

_QUERIES: dict[str, Select[Any]] = {
    "memes": _select(
        memes,
        "id=meme_id template source_language files.name=file item_id=item active created_at",
        active=versions.is_active(),
    )
    .outerjoin(files, files.c.id == memes.c.file_id)
    .where(memes.c.kind == "caption"),
    "corrections": _select(
        corrections,
        "id=correction_id meme_id language round person status parts=text typed comment outcome "
        "reason message caption_id sheet_id=sheet files.name=file row created_at withdrawn",
        withdrawn=corrections.c.file_id.in_(versions.WITHDRAWN),
    ).join(files, files.c.id == corrections.c.file_id),
    "cases": _select(
        cases,
        "id=case_id meme_id language round reason message correction_id created_at open "
        "decisions.action=decision decisions.parts=text decisions.person decisions.comment "
        "decisions.created_at=decided_at",
        open=_IS_OPEN,
    ).outerjoin(decisions, _NEWEST_DECISION),
    "drops": _select(drops, "meme_id language action person comment created_at"),
    "sheets": _select(
        sheets,
        "id=sheet language round person format name=file captions created_at",
        captions=_SHOWN,
    )
    .order_by(None)
    .order_by(*SHEETS_IN_ORDER),
    "failures": _select(
        translation_failures,
        "meme_id language translator message characters cost currency created_at",
    ),
    "files": _select(files, "kind name=file sha256 rows created_at"),
}

TABLES = (
    *("captions", "history", "memes", "corrections", "cases", "drops", "memory", "sheets"),
    *("failures", "files"),
)
"""What can be exported."""
