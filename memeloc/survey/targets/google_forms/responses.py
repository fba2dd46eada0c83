"""Responses of the Forms API. In: a file of a page, of pages or of a list. Out: submissions.

Responses name questions by id, which say the sheet too. What cannot be placed is told and kept.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from memeloc.errors import InputError
from memeloc.survey.model import Submission
from memeloc.survey.targets.google_forms.answers import Told, submission_of
from memeloc.survey.targets.google_forms.known import Forms
from memeloc.survey.targets.json_in import (
    BROKEN,
    DECODER,
    MESSAGES,
    content_of,
    odd,
    parsed,
    read_text,
    whole,
)
from memeloc.survey.targets.moments import read_moment
from memeloc.survey.targets.protocol import Imported

_SPACE = re.compile(r"[ \t\n\r]*")


def responses(path: Path) -> Iterator[Mapping[str, Any]]:
    """The FormResponses in a page, in several pages, or in a plain list.

    Raises:
        InputError: the file is not JSON.
    """
    try:
        for page in _pages(read_text(path)):
            listed = page.get("responses") if isinstance(page, Mapping) else None
            if isinstance(listed, list) and "responseId" not in page:
                for one in listed:
                    yield one if isinstance(one, Mapping) else {"value": one}
            elif isinstance(page, Mapping) and (page.keys() <= {"nextPageToken"}):
                continue  # a page without responses
            else:
                yield page if isinstance(page, Mapping) else {"value": page}
    except (ValueError, RecursionError) as error:
        raise InputError(f"is not JSON: {error}", file=path) from error


def _pages(text: str) -> Iterator[Any]:
    """A list's values one after the other, or the only value: a large file is many of them.

    Raises:
        ValueError: it is not JSON.
    """
    decoder = DECODER
    place = _end_of_space(text, 0)
    if not text.startswith("[", place):
        yield parsed(text)
        return
    place = _end_of_space(text, place + 1)
    while not text.startswith("]", place):
        value, place = decoder.raw_decode(text, place)
        yield value
        place = _end_of_space(text, place)
        if text.startswith(",", place):
            place = _end_of_space(text, place + 1)
        elif not text.startswith("]", place):
            raise json.JSONDecodeError("Expecting ',' delimiter", text, place)
    if _end_of_space(text, place + 1) != len(text):
        raise json.JSONDecodeError("Extra data", text, place + 1)


def _end_of_space(text: str, place: int) -> int:
    found = _SPACE.match(text, place)
    return found.end() if found else place


def read_responses(path: Path, forms: Forms, made: Mapping[str, Mapping[str, Any]]) -> Imported:
    """Read a file of responses.

    Args:
        path: the file.
        forms: the survey's.
        made: by sheet id what a push noted, where Google gave questions other ids.

    Raises:
        InputError: the file is not JSON.
    """
    told = Told(path.name)
    places = dict(forms.questions)
    for sheet, recorded in made.items():
        if sheet in forms:
            for key, item in recorded.get("items", {}).items():
                if key in forms[sheet].items:
                    places[str(item.get("questionId"))] = (sheet, key)
    found: dict[str, Submission] = {}
    for row, response in enumerate(responses(path), 1):
        strange = odd(response)
        if strange:
            told.say(row, strange, MESSAGES[strange], response=content_of(response))
            if strange != BROKEN:
                continue
            response = whole(response)
        one = _response(response, row, places, forms, told)
        if one is None:
            continue
        before = found.setdefault(one.id, one)
        if replace(before, row=row) != one:
            message = (
                "Another response of the same id and time came before; which holds is unknown."
            )
            told.say(row, "same id", message, response=content_of(response))
    return Imported(tuple(found.values()), (), tuple(told.rejected))


def _response(
    response: Mapping[str, Any],
    row: int,
    places: Mapping[str, tuple[str, str]],
    forms: Forms,
    told: Told,
) -> Submission | None:
    answers = response.get("answers")
    number = response.get("responseId")
    if not isinstance(number, str) or not number or not isinstance(answers, Mapping):
        message = "It is no response of the Forms API, which has responseId and answers."
        told.say(row, "not a response", message, response=dict(response))
        return None
    sheets = {places[key][0] for key in answers if key in places}
    if len(sheets) != 1:
        message = "Its questions are of no sheet of this survey, or of several."
        told.say(row, "unknown sheet", message, response=dict(response))
        return None
    known = forms[sheets.pop()]
    said: dict[str, list[str]] = {}
    for key, answer in answers.items():
        texts, clear = _texts(answer)
        if key in places and not clear:
            message = f"The answer to {str(key)[:40]!r} is no list of texts."
            told.say(row, "unknown answer", message, sheet=known.sheet.id, answer=answer)
        if key in places:
            said.setdefault(places[key][1], []).extend(texts)
        else:
            message = f"The form has a question {str(key)[:40]!r} that was not made by memeloc."
            told.say(row, "unknown question", message, sheet=known.sheet.id, answer=answer)
    first, last = (read_moment(response.get(key)) for key in ("createTime", "lastSubmittedTime"))
    if last is None and first is None:
        times = {key: response.get(key) for key in ("createTime", "lastSubmittedTime")}
        message = "When it was sent cannot be read; the answers come without it."
        told.say(row, "unknown time", message, **times)
    # An edited response keeps its id at Google; here it is another submission, and a later one.
    edited = first and last and last > first
    own = f"{number}@{last.isoformat()}" if edited and last else number
    return submission_of(known, said, told, row, last or first, own)


def _texts(answer: Any) -> tuple[list[str], bool]:
    """The texts of an answer, and whether there is nothing else in it."""
    values = answer.get("textAnswers") if isinstance(answer, Mapping) else None
    listed = values.get("answers") if isinstance(values, Mapping) else None
    found = [
        one["value"]
        for one in (listed if isinstance(listed, list) else [])
        if isinstance(one, Mapping) and isinstance(one.get("value"), str)
    ]
    return found, isinstance(listed, list) and len(found) == len(listed)
