"""Reading a model's answer. In: the text it wrote. Out: the JSON object in it, or what is wrong.

Models wrap what they were asked for in fences, thoughts and pleasantries. One object is taken out
of those; where several different ones stand, none is meant more than the others, and the model is
asked again. Nothing raises but `ValueError`, whatever the text.
"""

from __future__ import annotations

import json
import re
from typing import Any

MAX_STARTS = 64
"""Places of a text that are tried as the begin of an object."""

_DECODER = json.JSONDecoder()
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


def read_json(text: str) -> Any:
    """The JSON value of an answer: all of it, or the one object within it.

    >>> read_json('Sure! ```json\\n{"hateful": false}\\n``` Anything else?')
    {'hateful': False}

    Raises:
        ValueError: there is none, or several objects that differ; the message says what is wrong,
            in words that a model understands.
    """
    text = _THOUGHT.sub("", text).strip("\ufeff \t\r\n")
    fenced = _FENCE.match(text)
    for whole in (text, fenced[1] if fenced else ""):
        try:
            value = _DECODER.decode(whole)
        except (ValueError, RecursionError):
            continue
        break
    else:
        value = _object_within(text)
    try:
        json.dumps(value, allow_nan=False, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        raise ValueError(
            "it holds NaN, an infinite number, a lone surrogate or too many levels"
        ) from None
    return value


def refuses(text: str) -> bool:
    """Whether a text says that the model will not answer.

    >>> refuses("I'm sorry, but I can't help with that."), refuses('{"hateful": true}')
    (True, False)
    """
    return bool(_REFUSED.match(_THOUGHT.sub("", text).lstrip()[:400]))


def _breaks_off(error: Exception, text: str) -> bool:
    """Whether the text is JSON as far as it goes: what is whole within it is a part, no answer."""
    return isinstance(error, json.JSONDecodeError) and (
        error.pos >= len(text) or error.msg.startswith("Unterminated string")
    )


def _object_within(text: str) -> Any:
    objects: list[Any] = []
    starts = position = 0
    while (position := text.find("{", position)) >= 0 and starts < MAX_STARTS:
        starts += 1
        try:
            value, position = _DECODER.raw_decode(text, position)
        except (ValueError, RecursionError) as error:
            if not objects and _breaks_off(error, text):
                raise ValueError("it is not JSON: it breaks off before its end") from None
            position += 1
            continue
        if value not in objects:
            objects.append(value)
    if not objects:
        raise ValueError("it is not JSON")
    if len(objects) > 1:
        raise ValueError("it holds several different JSON objects where one is wanted")
    return objects[0]
