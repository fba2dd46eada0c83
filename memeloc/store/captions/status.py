"""How far the work is. In: a transaction. Out: counts by language and stage.

The database counts; no caption is fetched.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from sqlalchemy import Connection, case, func, select

from memeloc.store.captions.states import OPEN_CASES, states_query
from memeloc.store.captions.versions import (
    MACHINE,
    is_active,
    is_dropped,
    is_newest_drop,
    is_outdated,
)
from memeloc.store.queries import two_columns
from memeloc.store.records import ROUNDS, Kind, LanguageStatus
from memeloc.store.tables.captions import captions, cases, drops, memes


def count_memes(connection: Connection, kind: Kind = "caption") -> int:
    """How many memes there are, or texts of another kind."""
    query = select(func.count()).select_from(memes).where(is_active(kind))
    return int(connection.execute(query).scalar_one())


def count_languages(
    connection: Connection, languages: Sequence[str], kind: Kind = "caption", rounds: int = ROUNDS
) -> list[LanguageStatus]:
    """How far each language is: the source first, then `languages`, even where nothing is there
    yet, then what else is there; of texts of a kind."""
    rows = states_query(kind, rounds).where(is_active(kind)).order_by(None)
    own = rows.add_columns(
        captions.c.stage,
        captions.c.source_id.is_(None).label("is_source"),
        case((is_outdated(captions), 1), else_=0).label("outdated"),
    ).subquery()
    names = ("language", "stage", "round", "state", "is_source", "outdated")
    groups = [own.c[name] for name in names]
    query = select(*groups, func.count().label("number")).group_by(*groups)
    stages: dict[str, Counter[str]] = {tag: Counter() for tag in languages}
    states: dict[str, Counter[str]] = {tag: Counter() for tag in languages}
    stale, outdated = Counter[str](), Counter[str]()
    sources: dict[str, None] = {}
    for row in connection.execute(query):
        if row.is_source:
            sources[row.language] = None
        if row.state == "dropped":
            continue
        of_round = f" {row.round}" if row.round else ""
        name = f"corrected{of_round}" if row.state == "corrected" else row.state
        states.setdefault(row.language, Counter())[name] += row.number
        counts = stages.setdefault(row.language, Counter())
        if row.outdated:
            stale[row.language] += row.number
            outdated[row.language] += row.number * (row.stage not in MACHINE)
        else:
            counts[row.stage + of_round] += row.number
    total = count_memes(connection, kind)
    open_cases = _open_cases(connection, kind)
    dropped = _dropped(connection, kind)
    return [
        LanguageStatus(
            language=tag,
            source=tag in sources,
            missing=total - stages[tag].total() - stale[tag] - dropped[tag],
            changed_source=stale[tag],
            stages=dict(sorted(stages[tag].items())),
            states=dict(sorted((states[tag] + Counter(dropped=dropped[tag])).items())),
            to_settle=open_cases[tag],
            dropped=dropped[tag],
            outdated=outdated[tag],
        )
        for tag in dict.fromkeys((*sources, *languages, *sorted(stages)))
    ]


def _dropped(connection: Connection, kind: Kind) -> Counter[str]:
    """Memes that are dropped in a language and not in all, by language."""
    query = (
        select(drops.c.language, func.count())
        .join(memes, memes.c.id == drops.c.meme_id)
        .where(drops.c.action == "drop", is_newest_drop(drops), is_active(kind))
        .group_by(drops.c.language)
    )
    return Counter(two_columns(connection.execute(query)))


def _open_cases(connection: Connection, kind: Kind) -> Counter[str]:
    query = (
        OPEN_CASES.with_only_columns(cases.c.language, func.count())
        .join(memes, memes.c.id == cases.c.meme_id)
        .where(is_active(kind))
        .where(~is_dropped(cases.c.meme_id, cases.c.language))
        .group_by(cases.c.language)
    )
    return Counter(two_columns(connection.execute(query)))
