"""Who is to look at what. In: a question, items, what filters and people said. Out: rows to review.

A subject is an item's id, or of a pair both, see `memeloc.curate.pairs.pair_subject`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from memeloc.curate.judgement import Judgement
from memeloc.curate.pairs import PAIR, Pair
from memeloc.curate.questions import (
    DISAGREE,
    INCOMPLETE,
    ReviewQuestion,
    by_subject,
    unanimous,
)
from memeloc.curate.verdict import Verdict
from memeloc.items import Item
from memeloc.model import SEPARATOR

Verdicts = Mapping[str, Mapping[str, Verdict]]
"""The newest verdicts, by item and filter."""


@dataclass(frozen=True, slots=True)
class ReviewSide:
    """One thing that a person looks at.

    Attributes:
        name: what it is called.
        text: its own, or the caption's; several parts with ` // ` between.
        picture: a file, already small; None when there is none.
        about: what else is known, for people.
    """

    name: str = ""
    text: str = ""
    picture: Path | None = None
    about: str = ""


@dataclass(frozen=True, slots=True)
class ReviewRow:
    """One thing to answer.

    Attributes:
        subject: see the module.
        sides: one, or of a pair two.
        hint: what rules or models say, for people to pass over.
        scores: what was measured, by name.
        answer, comment: what this person said before.
    """

    subject: str
    sides: tuple[ReviewSide, ...]
    hint: str = ""
    scores: Mapping[str, float] | None = None
    answer: str = ""
    comment: str = ""


def subjects(
    question: ReviewQuestion,
    items: Iterable[Item],
    verdicts: Verdicts,
    pairs: Sequence[Pair] = (),
    no_text: Collection[str] = (),
    people: Mapping[tuple[str, str], str] | None = None,
) -> list[str]:
    """What a question is about, in the order of the items.

    `left` is every item of the question's kinds that no other filter has dropped, nor its template;
    `above` are the templates of the captions that are left; `asked` is what the question's filter
    could not decide, or any filter says that this question is to answer; `unread` is what nothing
    could be read in; `pairs` are the pairs that wait for a person.

    Args:
        question: the question.
        items: all items.
        verdicts: the newest, by item and filter.
        pairs: what the search for duplicates found.
        no_text: ids of the items whose transcripts are marked `no text extracted`.
        people: what people said of an item and a filter, `keep` or `drop`; before any verdict. See
            `memeloc.curate.selection.answers_of`.
    """
    if question.which == "pairs":
        return [one.subject for one in pairs if one.outcome == "ask"]
    several = list(items)
    settled = people or {}

    def is_dropped(subject: str, but: tuple[str, ...]) -> bool:
        return any(
            settled.get((subject, name), one.verdict) == "drop"
            for name, one in verdicts.get(subject, {}).items()
            if name not in but
        )

    def is_left(item: Item) -> bool:
        own = question.filter
        # The captions of a template that is there twice count as those of the other one.
        return not is_dropped(item.id, (own,)) and not is_dropped(item.parent, (own, "dedup"))

    def is_asked(item: Item) -> bool:
        for name, one in verdicts.get(item.id, {}).items():
            if one.verdict != "ask" or (item.id, name) in settled:
                continue
            if one.reason == f"not answered: {question.name}":
                return True
            if name == question.filter and one.reason in (question.reasons or (one.reason,)):
                return True
        return False

    if question.which == "above":
        above = {one.parent for one in several if one.kind == "caption" and is_left(one)}
        return [one.id for one in several if one.kind in question.kinds and one.id in above]
    mine = (one for one in several if one.kind in question.kinds)
    if question.which == "asked":
        return [one.id for one in mine if is_asked(one)]
    if question.which == "unread":
        return [one.id for one in mine if one.id in no_text and is_left(one)]
    return [one.id for one in mine if is_left(one)]


def left_for(person: str, several: Sequence[str], judgements: Iterable[Judgement]) -> list[str]:
    """The subjects that a person has not answered, in their order."""
    said = by_subject(judgements)
    return [one for one in several if person not in said.get(one, {})]


def review_rows(
    question: ReviewQuestion,
    several: Sequence[str],
    items: Mapping[str, Item],
    *,
    person: str = "",
    verdicts: Verdicts | None = None,
    pairs: Sequence[Pair] = (),
    judgements: Iterable[Judgement] = (),
    picture: Callable[[Path], Path | None] = lambda path: path,
) -> Iterator[ReviewRow]:
    """The rows of a sheet or page; a subject that is no item is left out.

    Args:
        question: what is asked.
        several: subjects.
        items: by id: those of the subjects, and the templates of captions.
        person: who is asked; what she said before stands in her rows.
        verdicts, pairs: for hints.
        judgements: what people said to this question.
        picture: makes a small copy of a picture; None when it cannot be opened.
    """
    found = {one.subject: one for one in pairs}
    before = {one.subject: one for one in judgements if one.person == person}
    for subject in several:
        ids = subject.split(PAIR)
        if any(one not in items for one in ids):
            continue
        sides = tuple(_side(items[one], items, picture) for one in ids)
        pair = found.get(subject)
        verdict = (verdicts or {}).get(subject, {}).get(question.filter)
        said = before.get(subject)
        yield ReviewRow(
            subject,
            sides,
            hint=pair.reason if pair else _hint(question, items[ids[0]], items, verdict),
            scores=dict(pair.scores) if pair else None,
            answer=said.answer if said else "",
            comment=said.comment if said else "",
        )


def _side(
    item: Item, items: Mapping[str, Item], picture: Callable[[Path], Path | None]
) -> ReviewSide:
    template = items.get(item.parent)
    shown = item.path or (template.path if template is not None else None)
    facts = [item.origin.source]
    if item.width:
        facts.append(f"{item.width} x {item.height}")
    if item.created:
        facts.append(item.created)
    if item.votes is not None:
        facts.append(f"{item.votes:,} votes")
    return ReviewSide(
        name=item.name or (template.name if template is not None else "") or item.id,
        text=SEPARATOR.join(item.parts),
        picture=picture(shown) if shown is not None else None,
        about=", ".join(facts),
    )


def _hint(
    question: ReviewQuestion, item: Item, items: Mapping[str, Item], verdict: Verdict | None
) -> str:
    """What rules and models say of an item: the verdict's own words, and wordplay's rules."""
    said: list[str] = []
    if question.name == "wordplay":
        from memeloc.curate.hints import hints, in_words

        told = verdict.evidence.get("hints") if verdict is not None else None
        said.append(str(told) if told else in_words(hints(item, items.get(item.parent))))
    elif verdict is not None and verdict.verdict != "keep" and "people" not in verdict.evidence:
        # What other people said is kept from her, or she would no longer decide by herself.
        said.append(verdict.reason)
        if question.name == "language" and verdict.evidence.get("language"):
            said.append(f"looks like {verdict.evidence['language']}")
    return "; ".join(one for one in said if one)


@dataclass(frozen=True, slots=True)
class ReviewStatus:
    """How far a question is.

    Attributes:
        question: its name.
        subjects: what it is about now.
        answered: of these, how many somebody has answered.
        complete: how many as many people have answered as the question needs.
        agreed, disagreed: what became of those: all the same answer, or not. A free text agrees
            with any other.
        people: how many each person has answered.
        answers: how often each answer was given; empty for free text.
    """

    question: str
    subjects: int
    answered: int
    complete: int
    agreed: int
    disagreed: int
    people: Mapping[str, int]
    answers: Mapping[str, int]


def review_status(
    question: ReviewQuestion, several: Sequence[str], judgements: Iterable[Judgement]
) -> ReviewStatus:
    """How far a question is.

    Args:
        question: the question.
        several: its subjects, see `subjects`; what was answered counts besides.
        judgements: what people said to it.
    """
    known = list(judgements)
    said = by_subject(known)
    people: dict[str, int] = {}
    answers: dict[str, int] = {}
    complete = agreed = disagreed = 0
    for subject, by in said.items():
        for person, answer in by.items():
            people[person] = people.get(person, 0) + 1
            if not question.is_free:
                answers[answer.casefold()] = answers.get(answer.casefold(), 0) + 1
        if question.is_free:
            outcome = INCOMPLETE if len(by) < question.people else "told"
        else:
            several_said = [Judgement(subject, question.name, who, by[who]) for who in by]
            outcome = unanimous(several_said, question.people)
        complete += len(by) >= question.people
        agreed += outcome not in (INCOMPLETE, DISAGREE)
        disagreed += outcome == DISAGREE
    return ReviewStatus(
        question=question.name,
        subjects=len({*several, *said}),
        answered=len(said),
        complete=complete,
        agreed=agreed,
        disagreed=disagreed,
        people=dict(sorted(people.items())),
        answers=dict(sorted(answers.items())),
    )
