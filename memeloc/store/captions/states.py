"""The state of each caption. In: a transaction. Out: what has become of captions, by the one query.

All that goes out (pictures, exports, surveys, and what is published) takes captions by these
states; what a caption is in, in the order in which the database looks:

- `dropped`: the meme is dropped in this language, or in all.
- `disputed`: something about it waits to be settled (an open case).
- `outdated`: it translates another text than its source has now. A person's text stands all the
  same; what a machine makes of the new source is a suggestion beside it.
- `given`: people brought it as it is: imported, collected, or shipped with memeloc (the texts of
  surveys). It counts as accepted. All source captions are given.
- `machine`: a machine translated it, or read it in a picture, and nobody has answered it.
- `accepted`: a decision settled it; or somebody who did not write it found it right; or it came out
  of the last of the workspace's rounds.
- `corrected`: a person typed it, and nobody else has looked at it since.

Each native speaker validates what the one before has left, and what the last one leaves is the
caption: multi3hate 3.2 and A.4 have two rounds, as `[correction] rounds` has by default. Somebody
found a text right who answered `correct` to it, or who typed the very same text as another person.
Who finds right what she typed herself, in a later round, adds nothing. Only answers to the current
caption's source count, and of each person and round the one that stands.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import cache
from typing import Any, get_args

import sqlalchemy as sa
from sqlalchemy import ColumnElement, Select, and_, func, or_, select

from memeloc.errors import InputError
from memeloc.model import Acceptance
from memeloc.store.captions import versions
from memeloc.store.captions.versions import MACHINE, WITHDRAWN, is_current, is_dropped
from memeloc.store.records import (
    DROPPING,
    ROUNDS,
    STANDING,
    SUPERSEDING,
    Accept,
    CaptionState,
    Kind,
)
from memeloc.store.tables import captions as tables
from memeloc.store.tables.captions import captions, cases, corrections, decisions

_ROUND = ("meme_id", "language", "round")
_TAKEN: dict[Accept, frozenset[CaptionState]] = {
    "accepted": frozenset({"given", "accepted"}),
    "corrected": frozenset({"given", "accepted", "corrected"}),
    "any": frozenset({"given", "accepted", "corrected", "machine", "disputed", "outdated"}),
}
GIVEN = ("imported", "collected", "shipped")


def _is_superseded(answer: Any) -> ColumnElement[bool]:
    """Return whether a correction's person has answered the caption again in the same round,
    or its file was withdrawn."""
    later = corrections.alias()
    again = sa.exists().where(
        later.c.id > answer.c.id,
        later.c.outcome.in_(SUPERSEDING),
        later.c.file_id.not_in(WITHDRAWN),
        *(later.c[name] == answer.c[name] for name in (*_ROUND, "person")),
    )
    return or_(again, answer.c.file_id.in_(WITHDRAWN))


def _open_cases() -> Select[Any]:
    opening, other, text = corrections.alias(), corrections.alias(), captions.alias()
    differs = sa.exists().where(
        *(other.c[name] == opening.c[name] for name in _ROUND),
        other.c.person != opening.c.person,
        other.c.parts != opening.c.parts,
        other.c.outcome.in_(STANDING),
        ~_is_superseded(other),
    )
    is_the_caption = sa.exists().where(
        *(text.c[name] == opening.c[name] for name in ("meme_id", "language", "parts")),
        is_current(text),
    )
    # A stray row is nobody's answer to the caption that it stands beside.
    stray = and_(opening.c.outcome == "stray", opening.c.file_id.not_in(WITHDRAWN))
    decided = sa.exists().where(
        decisions.c.case_id == cases.c.id, decisions.c.action.not_in(DROPPING)
    )
    return (
        select(cases.c.meme_id, cases.c.language)
        .join(opening, opening.c.id == cases.c.correction_id)
        .where(
            ~decided,
            or_(stray, and_(opening.c.outcome != "stray", ~_is_superseded(opening))),
            or_(cases.c.reason != "disagreement", differs, ~is_the_caption),
        )
    )


OPEN_CASES = _open_cases()
"""The memes and languages of cases that wait to be settled, dropped memes' too: where dropping is
all that was decided, and was taken back, the case waits again.

They have no decision, and the answer that opened them still stands; a disagreement is one as long
as somebody else's answer that stands has another text, or the caption has.
"""


def is_disputed() -> ColumnElement[bool]:
    """Return a condition on captions: that something about it waits to be settled."""
    return sa.tuple_(captions.c.meme_id, captions.c.language).in_(OPEN_CASES)


def taken_states(which: Accept) -> frozenset[CaptionState]:
    """Return the states of the captions that something takes; what was dropped is never taken.
    Raise InputError if it is none of `accepted`, `corrected` and `any`."""
    if which not in _TAKEN:
        raise InputError(f"Captions are {', '.join(_TAKEN)}, not {str(which)[:40]!r}.")
    return _TAKEN[which]


@cache
def states_query(kind: Kind | None = "caption", rounds: int = ROUNDS) -> Select[Any]:
    """Return the query of the current captions of a kind (None is all) with their states, in the
    memes' order. Its columns are those of a `CaptionStatus`, and more can be added of the tables
    `captions` and `memes`. Captions that the newest selection has left out are not in it."""
    answers = _answers().subquery("answers")
    confirmed = or_(answers.c.agreeing > 1, and_(answers.c.agreeing == 1, answers.c.typed == 0))
    state = sa.case(
        (is_dropped(captions.c.meme_id, captions.c.language), "dropped"),
        (is_disputed(), "disputed"),
        (versions.is_outdated(captions), "outdated"),
        (captions.c.stage.in_(GIVEN), "given"),
        (captions.c.stage.in_(MACHINE), "machine"),
        (or_(captions.c.stage == "settled", captions.c.round >= rounds, confirmed), "accepted"),
        else_="corrected",
    )
    people = func.coalesce(answers.c.people, 0).label("people")
    query = (
        select(*captions.c["meme_id", "language"], state.label("state"), captions.c.round, people)
        .join(tables.memes, tables.memes.c.id == captions.c.meme_id)
        .outerjoin(answers, answers.c.id == captions.c.id)
        .where(is_current(captions))
        .order_by(tables.memes.c.number, captions.c.language)
    )
    return query if kind is None else query.where(versions.is_selected(kind))


def acceptance(which: Accept, counts: Iterable[tuple[str, CaptionState, int]]) -> Acceptance:
    """Return what something takes and leaves out, of counts by language and state."""
    taken: dict[str, Counter[str]] = {}
    left_out: dict[str, Counter[str]] = {}
    order, states = get_args(CaptionState), taken_states(which)
    for language, state, count in sorted(counts, key=lambda row: (row[0], order.index(row[1]))):
        into = taken if state in states else left_out
        into.setdefault(language, Counter())[state] += count
    return Acceptance(which, taken, left_out)


def _answers() -> Select[Any]:
    """Return by corrected caption how many people have answered it, how many of them with its text
    (`agreeing`), and whether one of these typed it (`typed`), as against finding it right."""
    text, made, base = captions.alias("text"), captions.alias("made"), captions.alias("base")
    answer, shown = corrections.alias("answer"), tables.sheet_items
    same = made.c.parts == text.c.parts
    # Who finds her own text right again, after its source has changed, is nobody else.
    wrote = and_(base.c.person != "", base.c.person == answer.c.person)
    typed = and_(same, or_(made.c.parts != base.c.parts, wrote))
    was_shown = and_(*(shown.c[name] == answer.c[name] for name in ("sheet_id", "meme_id")))
    return (
        select(
            text.c.id,
            func.count(sa.distinct(answer.c.person)).label("people"),
            func.count(sa.distinct(sa.case((same, answer.c.person)))).label("agreeing"),
            func.max(sa.case((typed, 1), else_=0)).label("typed"),
        )
        .join(text, and_(*(text.c[name] == answer.c[name] for name in ("meme_id", "language"))))
        .join(shown, and_(was_shown, shown.c.source_id == text.c.source_id))
        .join(base, base.c.id == shown.c.base_id)
        .outerjoin(made, made.c.id == answer.c.caption_id)
        .where(text.c.stage == "corrected", is_current(text))
        .where(answer.c.outcome.in_(STANDING), ~_is_superseded(answer))
        .group_by(text.c.id)
    )
