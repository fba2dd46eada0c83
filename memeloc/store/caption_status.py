"""How far the work is. In: a transaction. Out: counts by language and stage.

The database counts; no caption is fetched.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from sqlalchemy import Connection, case, func, select

from memeloc.store.caption_versions import is_active, is_current, is_dropped, is_newest_drop
from memeloc.store.queries import two_columns
from memeloc.store.records import Kind, LanguageStatus
from memeloc.store.tables.captions import captions, cases, decisions, drops, memes


def count_memes(connection: Connection, kind: Kind = "caption") -> int:
    """How many memes there are, or texts of another kind."""
    query = select(func.count()).select_from(memes).where(is_active(kind))
    return int(connection.execute(query).scalar_one())


def count_languages(
    connection: Connection, languages: Sequence[str], kind: Kind = "caption"
) -> list[LanguageStatus]:
    """The state of each language: the source first, then `languages`, even where nothing is there
    yet, then what else is there; of texts of a kind."""
    own, old, source = captions.alias("own"), captions.alias("old"), captions.alias("source")
    current_source = (
        select(source.c.parts)
        .where(source.c.meme_id == old.c.meme_id, source.c.language == old.c.language)
        .where(is_current(source))
        .scalar_subquery()
    )
    # Texts are compared only where there is a newer source: it may be back to what it was.
    outdated = case(
        (own.c.source_id.is_(None), 0),
        (is_current(old), 0),
        (old.c.parts == current_source, 0),
        else_=1,
    ).label("outdated")
    groups = (
        own.c.language,
        own.c.stage,
        own.c.round,
        own.c.source_id.is_(None).label("is_source"),
        outdated,
    )
    query = (
        select(*groups, func.count().label("number"))
        .join(memes, memes.c.id == own.c.meme_id)
        .outerjoin(old, old.c.id == own.c.source_id)
        .where(is_current(own), is_active(kind), ~is_dropped(own.c.meme_id, own.c.language))
        .group_by(*groups)
    )
    stages: dict[str, Counter[str]] = {tag: Counter() for tag in languages}
    stale: Counter[str] = Counter()
    sources: dict[str, None] = {}
    for row in connection.execute(query):
        counts = stages.setdefault(row.language, Counter())
        if row.is_source:
            sources[row.language] = None
        if row.outdated:
            stale[row.language] += row.number
        else:
            counts[f"{row.stage} {row.round}" if row.round else row.stage] += row.number
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
            to_settle=open_cases[tag],
            dropped=dropped[tag],
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
        select(cases.c.language, func.count())
        .join(memes, memes.c.id == cases.c.meme_id)
        .outerjoin(decisions, decisions.c.case_id == cases.c.id)
        .where(decisions.c.id.is_(None), is_active(kind))
        .where(~is_dropped(cases.c.meme_id, cases.c.language))
        .group_by(cases.c.language)
    )
    return Counter(two_columns(connection.execute(query)))
