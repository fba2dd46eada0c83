"""Answers beside the label. In: what a file has of them. Out: values by question, and problems.

What is not asked, or is no answer, is a problem, and the other answers count all the same.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence

from memeloc.survey.model import Check, Entry, MemeEntry, questions_of
from memeloc.survey.targets.places import NO_VALUE, whole_number
from memeloc.tables import folded
from memeloc.taxonomy import LABEL, Question, Taxonomy

_SPAN = re.compile(r"(\d{1,6})\s*[-\u2013\u2026:]\s*(\d{1,6})")
_LONGEST = 20_000
"""Characters of a text that somebody wrote."""
_NOT_TYPED = NO_VALUE & {"nan", "<na>", "-99"}
"""Words for no value that nobody writes as a text of their own."""

Name = Callable[[str, str], str | None]
"""The id of the answer that a text names, to the question of an id."""
Problem = tuple[str, str]
"""A reason that can be counted, and the end of a sentence."""


def resolve_answers(
    taxonomy: Taxonomy, entry: Entry, label: str, given: Mapping[str, Sequence[str]], name: Name
) -> tuple[dict[str, tuple[str, ...]], list[Problem]]:
    """Return what was answered, as of `Answer.values`, and what is wrong with it.

    A question is asked of an entry if the answers before it say so. Of checks nothing is missed,
    and what is answered is taken: some programs ask the same questions of every entry.
    """
    problems: list[Problem] = []
    answers: dict[str, tuple[str, ...]] = {LABEL: (label,)} if label else {}
    is_check = isinstance(entry, Check)
    asked = taxonomy.about("item", "picture") if is_check else questions_of(taxonomy, entry)
    for question in asked:
        texts = [text for text in given.get(question.id, ()) if text.strip()]
        if not question.asked_after(answers):
            if texts:
                problems.append(("not asked", f"{question.id!r} is not asked after what it says"))
            continue
        values = []
        for text in texts:
            value, problem = _value(question, entry, text, name)
            is_missing = folded(whole_number(text)) in (
                _NOT_TYPED if question.kind == "text" else NO_VALUE
            )
            if is_missing and (problem or question.kind == "text"):
                problems.append(("no answer", f"{text!r} is taken for no answer"))
            elif problem:
                problems.append(("unknown answer", f"{text[:80]!r} {problem}"))
            elif value not in values:
                values.append(value)
        if len(values) > 1 and question.kind in ("choice", "scale", "text"):
            problems.append(("several answers", f"{question.id!r} takes one answer only"))
        elif values and question.kind == "span":
            answers[question.id] = tuple(
                sorted(values, key=lambda each: [*map(int, each.split("-"))])
            )
        elif values:
            order = question.answers or values
            answers[question.id] = tuple(answer for answer in order if answer in values)
        elif question.required and not texts and not is_check:
            problems.append(("not answered", f"{question.id!r} has no answer; the rest counts"))
    problems += _not_asked(taxonomy, asked, given)
    return answers, problems


def _not_asked(
    taxonomy: Taxonomy, asked: Sequence[Question], given: Mapping[str, Sequence[str]]
) -> Iterator[Problem]:
    """Answers to questions that are not asked of an entry at all."""
    for name in given.keys() - {question.id for question in asked}:
        if any(text.strip() for text in given[name]):
            if taxonomy.question(name) is None:
                yield "unknown question", f"there is no question {name[:80]!r}"
            else:
                yield "not asked", f"{name!r} is not asked of this"


def _value(question: Question, entry: Entry, text: str, name: Name) -> tuple[str, str]:
    """What a text says, or what is wrong with it."""
    if question.kind in ("choice", "choices"):
        value = name(question.id, text)
        return value or "", "" if value else f"is not an answer to {question.id!r}"
    if question.kind == "scale":
        assert question.scale is not None
        least, most = question.scale
        try:
            # Digits of all scripts are read; what spreadsheets make of 3 is 3.0.
            number = float(text.strip())
        except ValueError:
            number = least - 0.5
        if number.is_integer() and least <= number <= most:
            return str(round(number)), ""
        return "", f"is not a whole number from {least} to {most}"
    if question.kind == "span":
        return _span(entry.caption if isinstance(entry, MemeEntry) else None, text)
    whole = unicodedata.normalize("NFC", text.strip())
    return whole, "" if len(whole) <= _LONGEST else f"has more than {_LONGEST:,} characters"


def _span(caption: str | None, text: str) -> tuple[str, str]:
    """A span as it is stored; where the caption is not known, only its form is checked."""
    match = _SPAN.fullmatch(text.strip())
    if match is None and caption and caption.count(text) == 1:
        # Where a program has no way to mark words, people copy them.
        start = caption.index(text)
        return f"{start}-{start + len(text)}", ""
    if match is None:
        return "", "is neither a span such as 12-20 nor words that the caption has once"
    start, end = int(match[1]), int(match[2])
    if start >= end or (caption and end > len(caption)):
        return "", "lies outside the caption"
    return f"{start}-{end}", ""
