"""How far the work is. In: a transaction. Out: counts by language and stage.

The database counts; no caption is fetched.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from sqlalchemy import Connection, and_, case, func, select

from memeloc.workspace.caption_versions import newest, two_columns
from memeloc.workspace.nouns import LanguageStatus
from memeloc.workspace.schema import captions, cases, decisions, memes


def count_memes(connection: Connection) -> int:
    """How many memes there are."""
    return int(connection.execute(select(func.count()).select_from(memes)).scalar_one())


def count_languages(connection: Connection, languages: Sequence[str]) -> list[LanguageStatus]:
    """The state of each language: the source first, then the wanted ones, then what else is there.

    Args:
        connection: a transaction.
        languages: tags that are listed even where nothing is there yet.
    """
    top = newest().alias("top")
    own = captions.alias("own")
    source_top = newest().alias("source_top")
    source = captions.alias("source")
    old = captions.alias("old")
    outdated = case(
        (own.c.source_id.is_(None), 0),
        (own.c.source_id == source.c.id, 0),
        (old.c.parts == source.c.parts, 0),
        else_=1,
    ).label("outdated")
    query = (
        select(
            own.c.language,
            own.c.stage,
            own.c.round,
            (own.c.language == memes.c.source_language).label("is_source"),
            outdated,
            func.count().label("number"),
        )
        .select_from(top)
        .join(
            own,
            and_(
                own.c.meme_id == top.c.meme_id,
                own.c.language == top.c.language,
                own.c.version == top.c.version,
            ),
        )
        .join(memes, memes.c.id == own.c.meme_id)
        .join(
            source_top,
            and_(
                source_top.c.meme_id == memes.c.id,
                source_top.c.language == memes.c.source_language,
            ),
        )
        .join(
            source,
            and_(
                source.c.meme_id == source_top.c.meme_id,
                source.c.language == source_top.c.language,
                source.c.version == source_top.c.version,
            ),
        )
        .outerjoin(old, old.c.id == own.c.source_id)
        .group_by(own.c.language, own.c.stage, own.c.round, "is_source", outdated)
    )
    total = count_memes(connection)
    stages: dict[str, Counter[str]] = {}
    stale: Counter[str] = Counter()
    sources: Counter[str] = Counter()
    for row in connection.execute(query):
        here = stages.setdefault(row.language, Counter())
        if row.is_source:
            sources[row.language] += row.number
        if row.outdated:
            stale[row.language] += row.number
        else:
            here[f"{row.stage} {row.round}" if row.round else row.stage] += row.number
    waiting = _open_cases(connection)
    order = dict.fromkeys((*sources, *languages, *sorted(stages)))
    return [
        LanguageStatus(
            language=tag,
            source=tag in sources,
            missing=total - stages.get(tag, Counter()).total() - stale[tag],
            outdated=stale[tag],
            stages=dict(sorted(stages.get(tag, Counter()).items())),
            cases=waiting[tag],
        )
        for tag in order
    ]


def _open_cases(connection: Connection) -> Counter[str]:
    query = (
        select(cases.c.language, func.count())
        .outerjoin(decisions, decisions.c.case_id == cases.c.id)
        .where(decisions.c.id.is_(None))
        .group_by(cases.c.language)
    )
    return Counter(two_columns(connection, query))
