"""Reading a model's answer. In: the text it wrote. Out: the JSON object in it, or what is wrong.

Models wrap what they were asked for in fences, thoughts and pleasantries. One object is taken out
of those; where several different ones stand, none is meant more than the others, and the model is
asked again. Nothing raises but `ValueError`, whatever the text: it is a stranger's.
"""

from __future__ import annotations

import json
import re
from typing import Any

MAX_CHARACTERS = 200_000
"""An answer longer than this is not searched for JSON."""
MAX_STARTS = 64
"""Places of a text that are tried as the begin of an object."""
MAX_DEPTH = 64
"""How deep an answer may be nested."""

_THOUGHT = re.compile(r"\A\s*<(think|thinking|reasoning)>.*?</\1>", re.DOTALL)
_FENCE = re.compile(r"\A\s*```[\w-]*\s*(.*?)\s*```\s*\Z", re.DOTALL)
_REFUSED = re.compile(
    r"""\W*(?:
      (?:i['’]?m | i\sam | we['’]?re | we\sare)\s+ (?:(?:very|so|really)\s+)?
        (?:sorry|unable|not\sable)\b
    | (?:sorry|apologies|unfortunately)\b .{0,80}?
        \b(?:can['’]?t|cannot|can\snot|won['’]?t|unable)\b
    | i\s+(?:can['’]?t|cannot|can\snot|won['’]?t|will\snot|must\sdecline)\b
    | as\san?\s(?:ai|language\smodel)\b
    )""",
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)


def read_object(text: str) -> dict[str, Any]:
    """The JSON object of an answer.

    >>> read_object('Sure! ```json\\n{"hateful": false}\\n``` Anything else?')
    {'hateful': False}

    Raises:
        ValueError: there is none, or several that differ; the message says what is wrong, in words
            that a model understands.
    """
    value = read_json(text)
    if not isinstance(value, dict):
        raise ValueError("it is JSON, but not an object")
    return value


def read_json(text: str) -> Any:
    """The JSON value of an answer: all of it, or the object within it. Raises as `read_object`."""
    if len(text) > MAX_CHARACTERS:
        raise ValueError("it is too long")
    text = _THOUGHT.sub("", text).strip("\ufeff \t\r\n")
    fenced = _FENCE.match(text)
    for whole in (text, fenced[1] if fenced else ""):
        try:
            value = _DECODER.decode(whole)
        except _WrongValueError:
            raise
        except (ValueError, RecursionError):
            continue
        return _checked(value)
    return _within(text)


def refuses(text: str) -> bool:
    """Whether a text says that the model will not answer.

    >>> refuses("I'm sorry, but I can't help with that."), refuses('{"hateful": true}')
    (True, False)
    """
    return bool(_REFUSED.match(_THOUGHT.sub("", text[:MAX_CHARACTERS]).lstrip()[:400]))


class _WrongValueError(ValueError):
    """What is JSON by its marks, but means nothing or more than one thing."""


def _within(text: str) -> Any:
    """The one object that stands in a text, before, between and after words."""
    found: list[Any] = []
    starts = position = 0
    while (position := text.find("{", position)) >= 0 and starts < MAX_STARTS:
        starts += 1
        try:
            value, position = _DECODER.raw_decode(text, position)
        except _WrongValueError:
            raise
        except (ValueError, RecursionError):
            position += 1
            continue
        if value not in found:
            found.append(value)
    if not found:
        raise ValueError("it is not JSON")
    if len(found) > 1:
        raise ValueError("it holds several different JSON objects where one is wanted")
    return _checked(found[0])


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise _WrongValueError("a field stands in it twice")
    return fields


def _no_number(word: str) -> Any:
    raise _WrongValueError(f"{word} is no JSON number")


_DECODER = json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=_no_number)


def _checked(value: Any) -> Any:
    """The value, when it can be stored: whole characters, finite numbers, not too deep."""
    level = [value]
    for _ in range(MAX_DEPTH):
        below: list[Any] = []
        for one in level:
            if isinstance(one, str):
                _check_text(one)
            elif isinstance(one, float) and one in (float("inf"), float("-inf")):
                raise ValueError("a number in it is too large")
            elif isinstance(one, dict):
                for key in one:
                    _check_text(key)
                below.extend(one.values())
            elif isinstance(one, list):
                below.extend(one)
        if not below:
            return value
        level = below
    raise ValueError("it is nested too deeply")


def _check_text(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("a text in it holds half of a character") from None
