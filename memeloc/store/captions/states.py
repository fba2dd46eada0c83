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
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, get_args

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    Subquery,
    and_,
    case,
    distinct,
    exists,
    func,
    or_,
    select,
    tuple_,
)

from memeloc.errors import InputError
from memeloc.model import Acceptance
from memeloc.store.captions.versions import (
    MACHINE,
    WITHDRAWN,
    is_active,
    is_current,
    is_dropped,
    is_outdated,
    is_selected,
)
from memeloc.store.records import (
    DROP,
    DROP_ALL,
    ROUNDS,
    STANDING,
    SUPERSEDING,
    Accept,
    CaptionState,
    CaptionStatus,
    Kind,
)
from memeloc.store.tables.captions import (
    captions,
    cases,
    corrections,
    decisions,
    memes,
    sheet_items,
)

_ROUND = ("meme_id", "language", "round")
_TAKEN: dict[Accept, frozenset[CaptionState]] = {
    "accepted": frozenset({"given", "accepted"}),
    "corrected": frozenset({"given", "accepted", "corrected"}),
    "any": frozenset({"given", "accepted", "corrected", "machine", "disputed", "outdated"}),
}


def superseded(answer: Any) -> ColumnElement[bool]:
    """Return a condition on an alias of corrections: that its person has answered the same caption
    again in the same round, or that its file was withdrawn."""
    later = corrections.alias()
    again = exists().where(
        later.c.id > answer.c.id,
        later.c.outcome.in_(SUPERSEDING),
        later.c.file_id.not_in(WITHDRAWN),
        *(later.c[name] == answer.c[name] for name in _ROUND),
        later.c.person == answer.c.person,
    )
    return or_(again, answer.c.file_id.in_(WITHDRAWN))


def _waiting() -> Select[Any]:
    """Return the cases without a decision whose answer still stands; a disagreement as long as
    somebody else's answer that stands has another text, or the caption has."""
    opening, other, text = corrections.alias(), corrections.alias(), captions.alias()
    differs = exists().where(
        *(other.c[name] == opening.c[name] for name in _ROUND),
        other.c.person != opening.c.person,
        other.c.parts != opening.c.parts,
        other.c.outcome.in_(STANDING),
        ~superseded(other),
    )
    is_the_caption = exists().where(
        *(text.c[name] == opening.c[name] for name in ("meme_id", "language", "parts")),
        is_current(text),
    )
    return (
        select(cases.c.meme_id, cases.c.language)
        .join(opening, opening.c.id == cases.c.correction_id)
        .outerjoin(
            decisions,
            and_(decisions.c.case_id == cases.c.id, decisions.c.action.not_in((DROP, DROP_ALL))),
        )
        .where(decisions.c.id.is_(None))
        .where(
            # A stray row is nobody's answer to the caption that it stands beside.
            or_(
                and_(opening.c.outcome == "stray", opening.c.file_id.not_in(WITHDRAWN)),
                and_(opening.c.outcome != "stray", ~superseded(opening)),
            ),
            or_(cases.c.reason != "disagreement", differs, ~is_the_caption),
        )
    )


OPEN_CASES = _waiting()
"""The memes and languages of cases that wait to be settled, dropped memes' too: where dropping is
all that was decided, and was taken back, the case waits again."""

GIVEN = ("imported", "collected", "shipped")


def taken_states(which: Accept) -> frozenset[CaptionState]:
    """The states of the captions that something takes; what was dropped is never taken.

    Raises:
        InputError: it is none of `accepted`, `corrected` and `any`.
    """
    if which not in _TAKEN:
        raise InputError(f"Captions are {', '.join(_TAKEN)}, not {str(which)[:40]!r}.")
    return _TAKEN[which]


@cache
def states_query(kind: Kind | None = "caption", rounds: int = ROUNDS) -> Select[Any]:
    """The current captions of a kind (None is all) with their states, in the memes' order.

    Its columns are those of a `CaptionStatus`; it is of the tables `captions` and `memes`, of which
    more columns can be added. `rounds` are the workspace's. Captions that the newest selection has
    left out are not in it.
    """
    answers = _answers()
    confirmed = or_(answers.c.agreeing > 1, and_(answers.c.agreeing == 1, answers.c.typed == 0))
    last_round = captions.c.round >= rounds
    state = case(
        (is_dropped(captions.c.meme_id, captions.c.language), "dropped"),
        (is_disputed(), "disputed"),
        (is_outdated(captions), "outdated"),
        (captions.c.stage.in_(GIVEN), "given"),
        (captions.c.stage.in_(MACHINE), "machine"),
        (or_(captions.c.stage == "settled", last_round, confirmed), "accepted"),
        else_="corrected",
    )
    query = (
        select(
            captions.c.meme_id,
            captions.c.language,
            state.label("state"),
            captions.c.round,
            func.coalesce(answers.c.people, 0).label("people"),
        )
        .join(memes, memes.c.id == captions.c.meme_id)
        .outerjoin(answers, answers.c.id == captions.c.id)
        .where(is_current(captions))
        .order_by(memes.c.number, captions.c.language)
    )
    return query if kind is None else query.where(is_selected(kind))


def find_states(
    connection: Connection,
    languages: Sequence[str] | None = None,
    kind: Kind = "caption",
    rounds: int = ROUNDS,
) -> list[CaptionStatus]:
    """The state of each caption of some languages, or (None) of all."""
    query = _in_languages(states_query(kind, rounds), languages)
    return [CaptionStatus(*row) for row in connection.execute(query)]


def count_states(
    connection: Connection, which: Accept, languages: Sequence[str] | None, rounds: int = ROUNDS
) -> Acceptance:
    """How many captions of some languages, or (None) of all, something takes and leaves out."""
    query = _in_languages(states_query(rounds=rounds).order_by(None), languages)
    states = query.subquery()
    groups = (states.c.language, states.c.state)
    counts = connection.execute(select(*groups, func.count()).group_by(*groups))
    return acceptance(which, [(language, state, count) for language, state, count in counts])


def find_left_out(
    connection: Connection, which: Accept, rounds: int = ROUNDS
) -> dict[str, set[str]]:
    """The memes whose caption something leaves out, by language; without those that are dropped in
    all languages."""
    states = states_query(rounds=rounds).where(is_active()).order_by(None).subquery()
    query = select(states.c.language, states.c.meme_id).where(
        states.c.state.not_in(taken_states(which))
    )
    memes_of: dict[str, set[str]] = {}
    for language, meme_id in connection.execute(query):
        memes_of.setdefault(language, set()).add(meme_id)
    return memes_of


def acceptance(which: Accept, counts: Iterable[tuple[str, CaptionState, int]]) -> Acceptance:
    """Which captions something takes, and which it leaves out, of how many there are by state."""
    taken: dict[str, Counter[str]] = {}
    left_out: dict[str, Counter[str]] = {}
    order, states = get_args(CaptionState), taken_states(which)
    for language, state, count in sorted(counts, key=lambda row: (row[0], order.index(row[1]))):
        into = taken if state in states else left_out
        into.setdefault(language, Counter())[state] += count
    return Acceptance(which, taken, left_out)


def is_disputed() -> ColumnElement[bool]:
    """A condition on captions: that something about it waits to be settled."""
    return tuple_(captions.c.meme_id, captions.c.language).in_(OPEN_CASES)


def _in_languages(query: Select[Any], languages: Sequence[str] | None) -> Select[Any]:
    return query if languages is None else query.where(captions.c.language.in_(languages))


def _answers() -> Subquery:
    """By corrected caption: how many people have answered it, how many of them with its text
    (`agreeing`), and whether one of these typed it (`typed`), as against finding it right."""
    own, made, base = captions.alias("own"), captions.alias("made"), captions.alias("base")
    answer = corrections.alias("answer")
    same = made.c.parts == own.c.parts
    # Who finds her own text right again, after its source has changed, is nobody else.
    wrote = and_(base.c.person != "", base.c.person == answer.c.person)
    typed = and_(same, or_(made.c.parts != base.c.parts, wrote))
    return (
        select(
            own.c.id,
            func.count(distinct(answer.c.person)).label("people"),
            func.count(distinct(case((same, answer.c.person)))).label("agreeing"),
            func.max(case((typed, 1), else_=0)).label("typed"),
        )
        .join(own, and_(own.c.meme_id == answer.c.meme_id, own.c.language == answer.c.language))
        .join(
            sheet_items,
            and_(
                sheet_items.c.sheet_id == answer.c.sheet_id,
                sheet_items.c.meme_id == answer.c.meme_id,
                sheet_items.c.source_id == own.c.source_id,
            ),
        )
        .join(base, base.c.id == sheet_items.c.base_id)
        .outerjoin(made, made.c.id == answer.c.caption_id)
        .where(own.c.stage == "corrected", is_current(own))
        .where(answer.c.outcome.in_(STANDING), ~superseded(answer))
        .group_by(own.c.id)
        .subquery("answers")
    )
