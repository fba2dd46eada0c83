"""Ids of people and submissions in files. In: what a file has. Out: ids as they are compared."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from datetime import datetime

from memeloc.survey.model import Answer, Sheet
from memeloc.survey.targets.protocol import SurveyPack

_ROUNDED = re.compile(r"\d+([.,]\d+)?E\+\d+", re.IGNORECASE)


def clean_id(text: str) -> str:
    """A participant's id without what copying brings along: white space, quotation marks."""
    if not text.isprintable():
        text = "".join(letter for letter in text if letter.isprintable())
    return text.strip().strip("'\"").strip()


def is_rounded(participant: str) -> bool:
    """Whether an id is a number that a spreadsheet rounded, such as `5.9E+23`."""
    return "+" in participant and bool(_ROUNDED.fullmatch(participant.strip()))


def content_id(
    pack: SurveyPack,
    sheet: Sheet,
    who: str,
    submitted: datetime | None,
    status: str,
    answers: Sequence[Answer],
) -> str:
    """The id of a submission that has none at its source, made of what it says."""
    when = submitted.isoformat() if submitted else ""
    questions = [question.id for question in pack.taxonomy.questions]
    parts = []
    for answer in answers:
        further = ";".join(",".join(answer.given(question)) for question in questions)
        parts.append(f"{answer.entry}={answer.label}/{further}")
    whole = "\n".join((pack.name, sheet.id, who, when, status, *parts))
    return hashlib.sha256(whole.encode("utf-8", "backslashreplace")).hexdigest()[:32]
