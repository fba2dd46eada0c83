"""What people are asked. In: a question's name, people's answers. Out: the question, an outcome.

A question is data: a text, what it is asked of, and what may be answered. A filter's name is a
question too, answered with `keep` or `drop`: it settles what the filter asks.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from memeloc.curate.duplicates.grouping import QUESTION as DUPLICATES
from memeloc.errors import InputError
from memeloc.items import ItemKind

UNSURE = "unsure"
DISAGREE, INCOMPLETE = "disagree", "incomplete"

BURNED_TEXT = "burned-text"
"""The question whether a text in a finished meme is to be translated."""

LONGEST_ANSWER = 5000
"""Characters that an answer in free text, or a comment, may have."""

Which = Literal["left", "above", "asked", "unread", "dated", "pairs"]
"""Which items a question is about, see `memeloc.curate.review.rows.subjects`."""


@dataclass(frozen=True, slots=True)
class ReviewQuestion:
    """A question to people.

    Attributes:
        answers: what may be answered, each with what it means; empty is free text.
        kinds: of the items that it is asked of; empty for pairs.
        filter: the filter that its answers settle or feed; its verdicts give hints.
        people: how many answers an item needs.
        reasons: of that filter's verdicts `ask`, those that it settles; empty is all.
        wrong: the answer that calls what a program found an error; empty where none does.
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
    wrong: str = ""

    @property
    def is_free(self) -> bool:
        """Whether the answer is a text of the person's own."""
        return not self.answers

    def as_answer(self, typed: str) -> str | None:
        """The answer that somebody typed or picked; None when it is not an answer.

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


_UNSURE = {UNSURE: "I cannot tell"}
_YES_NO = {"yes": "yes", "no": "no", **_UNSURE}

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
        reasons=("descriptions missing",),
        people=2,
        note="Say who or what is seen, and what goes on, for somebody who does not see it. Say "
        "nothing of captions.",
    ),
    ReviewQuestion(
        DUPLICATES,
        "Are these two the same meme?",
        {"same": "the same", "different": "two different ones", **_UNSURE},
        (),
        which="pairs",
        filter="dedup",
        note="The same: another size, quality, crop, or a small sign of its own, and the text says "
        "the same. Different: another text, even on the same picture.",
    ),
    ReviewQuestion(
        "no-text",
        "Is there really no text in the picture?",
        {"yes": "there is none", "no": "there is some", **_UNSURE},
        ("picture",),
        which="unread",
        filter="quality",
        reasons=("no text",),
    ),
    ReviewQuestion(
        "cartoon",
        "Is it a cartoon or a drawing?",
        _YES_NO,
        ("picture", "template"),
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
        "irrelevant",
        "Is it anything but a meme, such as an advertisement, a receipt or a photo of nothing?",
        _YES_NO,
        ("picture",),
        which="asked",
        filter="quality",
        reasons=("people differ: irrelevant",),
    ),
    ReviewQuestion(
        "year",
        "Is this the year that the description states?",
        _YES_NO,
        ("template",),
        which="dated",
        note="The year stands before the description, what it was read from under the hint. Yes: "
        "the description says that the meme appeared in that year. No: it says another one, or "
        "none; write which as a comment.",
        wrong="no",
    ),
    ReviewQuestion(
        "language",
        "Is the text in the language that is collected?",
        {"keep": "yes", "drop": "no", **_UNSURE},
        ("caption", "picture"),
        which="asked",
        filter="language",
        note="A borrowed word or a name in another language is no other language.",
    ),
    ReviewQuestion(
        BURNED_TEXT,
        "Is this text to be translated?",
        {"text": "yes", "keep": "no, it stays in the picture", **_UNSURE},
        (),
        which="asked",
        note="Yes: it was laid over the picture, as captions are. No: it belongs to the picture, "
        "as a sign, a logo or a name does, or there is no text. It is asked by `memeloc "
        "localise`, which reads the answers in its folder.",
    ),
)

BUILT_IN: Mapping[str, ReviewQuestion] = {question.name: question for question in _QUESTIONS}
"""The questions that memeloc brings, by name; filters' names are questions besides."""


def question_names() -> tuple[str, ...]:
    """The names of all questions: the built-in ones, then those of filters."""
    from memeloc.curate.protocol import FILTERS

    return tuple(dict.fromkeys([*BUILT_IN, *FILTERS.names()]))


def find_question(name: str) -> ReviewQuestion:
    """The question of a name.

    Raises:
        InputError: there is none.
    """
    wanted = name.strip().casefold()
    if wanted in BUILT_IN:
        return BUILT_IN[wanted]
    names = question_names()
    if wanted in names:
        return ReviewQuestion(
            wanted,
            f"Does it stay? The filter “{wanted}” could not decide.",
            {"keep": "keep it", "drop": "leave it out", **_UNSURE},
            ("caption", "picture", "template"),
            which="asked",
            filter=wanted,
        )
    near = difflib.get_close_matches(wanted, names, 1)
    meant = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(names)}"
    raise InputError(f"there is no question {name[:60]!r}: {meant}")


def unanimous(by_person: Mapping[str, str], people: int = 2) -> str:
    """What people, each with an answer, say of one subject, when at least `people` of them agree.

    `disagree` as soon as two differ, or when one of enough people is unsure; `incomplete` while
    answers are missing.

    >>> unanimous({"ana": "no", "bo": "no"}), unanimous({"ana": "no"})
    ('no', 'incomplete')
    """
    answers = [answer.casefold() for answer in by_person.values()]
    clear = {*answers} - {UNSURE}
    if len(clear) > 1:
        return DISAGREE
    if len(answers) < people:
        return INCOMPLETE
    return DISAGREE if UNSURE in answers else clear.pop()
