"""What people are asked. In: a question's name, or people's answers. Out: the question, or a rule.

A question is data: a text, what it is asked of, and what may be answered. A filter's name is a
question too, answered with `keep` or `drop`: it settles what the filter asks.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from memeloc.curate.joining import QUESTION as DUPLICATES
from memeloc.curate.judgement import Judgement
from memeloc.errors import InputError
from memeloc.items import ItemKind

UNSURE = "unsure"
DISAGREE, INCOMPLETE = "disagree", "incomplete"

LONGEST_ANSWER = 5000
"""Characters that an answer in free text, or a comment, may have."""

Which = Literal["left", "above", "asked", "unread", "pairs"]
"""Which items a question is about, see `memeloc.curate.reviewing.subjects`."""


@dataclass(frozen=True, slots=True)
class ReviewQuestion:
    """A question to people.

    Attributes:
        name: what commands, filters and judgements call it.
        text: as people read it.
        answers: what may be answered, each with what it means; empty is free text.
        kinds: of the items that it is asked of; empty for pairs.
        which: of those items, the ones to look at.
        filter: the filter that its answers settle or feed; its verdicts give hints.
        reasons: of that filter's verdicts `ask`, those that it settles; empty is all.
        people: how many answers an item needs.
        note: what else people should know.
    """

    name: str
    text: str
    answers: Mapping[str, str]
    kinds: tuple[ItemKind, ...]
    which: Which = "left"
    filter: str = ""
    people: int = 1
    note: str = ""
    reasons: tuple[str, ...] = ()

    @property
    def is_free(self) -> bool:
        """Whether the answer is a text of the person's own."""
        return not self.answers

    def as_answer(self, typed: str) -> str | None:
        """The answer that somebody typed or picked; None when it is none.

        Case and white space do not count, a unique beginning is enough, and what an answer means
        stands for it.

        >>> find_question("wordplay").as_answer(" YES "), find_question("wordplay").as_answer("no")
        ('yes', 'no')
        >>> find_question("duplicates").as_answer("diff")
        'different'
        """
        if self.is_free:
            return typed.strip() or None
        wanted = " ".join(typed.casefold().split())
        for answer, meaning in self.answers.items():
            if wanted in (answer, meaning.casefold()):
                return answer
        near = [answer for answer in self.answers if wanted and answer.startswith(wanted)]
        return near[0] if len(near) == 1 else None


_YES_NO = {"yes": "yes", "no": "no", UNSURE: "I cannot tell"}
_SEEN: tuple[ItemKind, ...] = ("picture", "template")
_KEEP_DROP = {
    "keep": "keep it",
    "drop": "leave it out",
    UNSURE: "I cannot tell",
}

_QUESTIONS = (
    ReviewQuestion(
        "wordplay",
        "Is the caption a play on words?",
        _YES_NO,
        ("caption",),
        filter="wordplay",
        people=2,
        note="A play on words rests on how words sound or on what else they mean, so that it is "
        "lost when it is translated word by word. Only what two people call free of it stays.",
    ),
    ReviewQuestion(
        "description",
        "Describe the picture in one or two sentences.",
        {},
        ("template",),
        which="above",
        filter="multimodality",
        people=2,
        note="Say who or what is seen, and what goes on, for somebody who does not see it. Say "
        "nothing of captions.",
    ),
    ReviewQuestion(
        DUPLICATES,
        "Are these two the same meme?",
        {"same": "the same", "different": "two different ones", UNSURE: "I cannot tell"},
        (),
        which="pairs",
        filter="dedup",
        note="The same: another size, quality, crop, or a small sign of its own, and the text says "
        "the same. Different: another text, even on the same picture.",
    ),
    ReviewQuestion(
        "no-text",
        "Is there really no text in the picture?",
        {"yes": "there is none", "no": "there is some", UNSURE: "I cannot tell"},
        ("picture",),
        which="unread",
        filter="quality",
    ),
    ReviewQuestion(
        "cartoon",
        "Is it a cartoon or a drawing?",
        _YES_NO,
        _SEEN,
        which="asked",
        filter="cartoon",
    ),
    ReviewQuestion(
        "unreadable",
        "Is its text too small, blurred or covered to be read?",
        _YES_NO,
        ("picture",),
        which="asked",
        filter="quality",
        reasons=("unreadable text", "people differ: unreadable text"),
    ),
    ReviewQuestion(
        "unimodal",
        "Is it only a text, or only a picture, rather than both together?",
        _YES_NO,
        ("picture",),
        which="asked",
        filter="quality",
        reasons=("people differ: one modality",),
    ),
    ReviewQuestion(
        "language",
        "Is the text in the language that is collected?",
        {"keep": "yes", "drop": "no", UNSURE: "I cannot tell"},
        ("caption", "picture"),
        which="asked",
        filter="language",
        note="A borrowed word or a name in another language is no other language.",
    ),
)

BUILT_IN: Mapping[str, ReviewQuestion] = {one.name: one for one in _QUESTIONS}
"""The questions that memeloc brings, by name; filters' names are questions besides."""


def question_names() -> tuple[str, ...]:
    """The names of all questions: the built-in ones, then those of filters."""
    from memeloc.curate.registry import names

    return tuple(dict.fromkeys([*BUILT_IN, *names()]))


def find_question(name: str) -> ReviewQuestion:
    """The question of a name.

    Raises:
        InputError: there is none.
    """
    wanted = name.strip().casefold()
    if wanted in BUILT_IN:
        return BUILT_IN[wanted]
    known = question_names()
    if wanted in known:
        return ReviewQuestion(
            wanted,
            f"Does it stay? The filter “{wanted}” could not decide.",
            _KEEP_DROP,
            ("caption", "picture", "template"),
            which="asked",
            filter=wanted,
        )
    near = difflib.get_close_matches(wanted, known, 1)
    said = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(known)}"
    raise InputError(f"there is no question {name[:60]!r}: {said}")


def by_subject(judgements: Iterable[Judgement]) -> dict[str, dict[str, str]]:
    """Answers by subject and person, in the order in which subjects were first answered.

    Of several answers of one person the last one counts; an empty one is none.
    """
    found: dict[str, dict[str, str]] = {}
    for one in judgements:
        answer = one.answer.strip()
        people = found.setdefault(one.subject, {})
        people.pop(one.person, None)
        if answer:
            people[one.person] = answer
    return {subject: people for subject, people in found.items() if people}


def unanimous(judgements: Iterable[Judgement], people: int = 2) -> str:
    """What people say of one subject, when enough of them say the same.

    Args:
        judgements: of one subject and question; each person's last counts.
        people: who must have answered.

    Returns:
        The answer, such as `yes` or `no`; `disagree` as soon as two differ, or when one of enough
        people is unsure; `incomplete` while answers are missing.

    >>> said = [Judgement("c", "wordplay", who, "no") for who in ("ana", "bo")]
    >>> unanimous(said), unanimous(said[:1])
    ('no', 'incomplete')
    """
    answers = {one.person: one.answer.strip().casefold() for one in judgements}
    given = [answer for answer in answers.values() if answer]
    clear = {answer for answer in given if answer != UNSURE}
    if len(clear) > 1:
        return DISAGREE
    if len(given) < people:
        return INCOMPLETE
    if len(given) > sum(answer != UNSURE for answer in given):
        return DISAGREE
    return clear.pop()
