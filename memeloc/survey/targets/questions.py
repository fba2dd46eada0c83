"""Answers to an entry's questions. In: what a file has of them. Out: values by question, problems.

What is not asked, or is no answer, is a problem, and the other answers count all the same.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from memeloc.survey.model import Check, Entry, MemeEntry, PersonEntry, questions_of
from memeloc.survey.targets.places import NO_VALUE
from memeloc.tables import folded
from memeloc.tables.column_map import whole_number
from memeloc.taxonomy import LABEL, Question, Taxonomy

_BETWEEN = re.compile(r"([,;|\n])")
_MARKS = ",;|\n "
_MOST_PARTS = 20
"""Parts and marks between them that the name of an answer may have."""
_SPAN = re.compile(r"(\d{1,6})\s*[-\u2013\u2026:]\s*(\d{1,6})")
_LONGEST = 20_000
"""Characters of a text that somebody wrote."""
_NOT_TYPED = NO_VALUE & {"nan", "<na>", "-99"}
"""Words for no value that nobody writes as a text of their own."""

Name = Callable[[str, str], str | None]
"""The id of the answer that a text names, to the question of an id."""
Values = dict[str, tuple[str, ...]]
"""By question id what was answered, in the order asked."""


def resolve_answers(
    taxonomy: Taxonomy, entry: Entry, written: Mapping[str, Sequence[str]], name: Name
) -> tuple[Values, list[tuple[str, str]]]:
    """Return what was answered to an entry's questions, and what is wrong with it: a reason that
    can be counted, and the end of a sentence.

    An entry without a label has no answers. A question is asked if the answers before it say so.
    Of checks nothing is missed, and what is answered is taken: some programs ask the same questions
    of every entry.
    """
    answers: Values = {}
    problems: list[tuple[str, str]] = []
    if not isinstance(entry, PersonEntry):
        texts = written.get(LABEL, ())
        text = ", ".join(texts)
        label = name(LABEL, text) if len(texts) == 1 else None
        if label is None:
            if any(written.values()):
                is_missing = not texts or folded(whole_number(text)) in NO_VALUE
                problem = f"{text[:80]!r} is not one of the labels"
                if is_missing:
                    problem = _taken_for_none(text) if text else "the question itself has no answer"
                problems.append(("no answer" if is_missing else "unknown label", problem))
            return answers, problems
        answers[LABEL] = (label,)
        if not taxonomy.questions and written.keys() <= {LABEL}:  # as of most label sets
            return answers, problems
    is_check = isinstance(entry, Check)
    asked = taxonomy.about("item", "picture") if is_check else questions_of(taxonomy, entry)
    for question in asked:
        texts = [text for text in written.get(question.id, ()) if text.strip()]
        if not question.asked_after(answers):
            if texts:
                problems.append(("not asked", f"{question.id!r} is not asked after what it says"))
            continue
        values: list[str] = []
        for text in _parts(question, texts, partial(name, question.id)):
            value, problem = _value(question, entry, text, name)
            missing = _NOT_TYPED if question.kind == "text" else NO_VALUE
            if (problem or question.kind == "text") and folded(whole_number(text)) in missing:
                problems.append(("no answer", _taken_for_none(text)))
            elif problem:
                problems.append(("unknown answer", f"{text[:80]!r} {problem}"))
            elif value not in values:
                values.append(value)
        if len(values) > 1 and question.kind in ("choice", "scale", "text"):
            problems.append(("several answers", f"{question.id!r} takes one answer only"))
        elif values and question.kind == "span":
            values.sort(key=lambda span: [*map(int, span.split("-"))])
            answers[question.id] = tuple(values)
        elif values:
            order = question.answers or values
            answers[question.id] = tuple(answer for answer in order if answer in values)
        elif question.required and not texts and not is_check:
            problems.append(("not answered", f"{question.id!r} has no answer; the rest counts"))
    for other in written.keys() - {LABEL, *(question.id for question in asked)}:
        if any(text.strip() for text in written[other]):
            if taxonomy.question(other) is None:
                problems.append(("unknown question", f"there is no question {other[:80]!r}"))
            else:
                problems.append(("not asked", f"{other!r} is not asked of this"))
    return answers, problems


def _taken_for_none(text: str) -> str:
    return f"{text[:80]!r} is taken for no answer"


def _parts(
    question: Question, texts: Sequence[str], name: Callable[[str], str | None]
) -> list[str]:
    """Return the answers in texts, ids where they are names; what is no name as its text.

    They stand between commas, semicolons, bars or line ends; a name may have such marks, too, so
    the longest run of parts that is a name is taken each time. What somebody typed under Other
    stays whole.
    """
    if question.kind == "span":
        return [part for text in texts for part in re.split(r"[|;\n]", text) if part.strip()]
    if question.kind != "choices":
        return list(texts)
    answers: list[str] = []
    for text in texts:
        parts = _BETWEEN.split(text)  # with the marks, at odd places
        unknown, start = "", 0
        while start < len(parts):
            for end in range(min(len(parts), start + _MOST_PARTS), start, -2):
                if id := name("".join(parts[start:end])):
                    answers += [*filter(None, [unknown.strip(_MARKS)]), id]
                    unknown, start = "", end + 1
                    break
            else:
                unknown += "".join(parts[start : start + 2])
                start += 2
        answers += filter(None, [unknown.strip(_MARKS)])
    return answers


def _value(question: Question, entry: Entry, text: str, name: Name) -> tuple[str, str]:
    text = text.strip()
    if question.kind in ("choice", "choices"):
        value = name(question.id, text)
        return value or "", "" if value else f"is not an answer to {question.id!r}"
    if question.scale is not None:
        least, most = question.scale
        try:
            # Digits of all scripts are read; what spreadsheets make of 3 is 3.0.
            number = float(text)
        except ValueError:
            number = least - 0.5
        if number.is_integer() and least <= number <= most:
            return str(round(number)), ""
        return "", f"is not a whole number from {least} to {most}"
    if question.kind == "text":
        whole = unicodedata.normalize("NFC", text)
        return whole, "" if len(whole) <= _LONGEST else f"has more than {_LONGEST:,} characters"
    # Where the caption of an entry is not known, only the form of a span is checked.
    caption = entry.caption if isinstance(entry, MemeEntry) else ""
    if match := _SPAN.fullmatch(text):
        start, end = int(match[1]), int(match[2])
    elif caption.count(text) == 1:
        # Where a program has no way to mark words, people copy them.
        start = caption.index(text)
        end = start + len(text)
    else:
        return "", "is neither a span such as 12-20 nor words that the caption has once"
    if start >= end or (caption and end > len(caption)):
        return "", "lies outside the caption"
    return f"{start}-{end}", ""
