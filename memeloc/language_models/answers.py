"""The form of an answer, and reading one. In: a model of pydantic, a text. Out: values.

Models wrap what they were asked for in fences, thoughts and pleasantries. One object is taken out
of those; where several different ones stand, none is meant more than the others, and the model is
asked again. Nothing raises but `ValueError`, whatever the text. Two things must agree: the JSON
Schema that a server holds its model to, which reads the fields' descriptions, and the check of what
it answers all the same.
"""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

Fields = TypeVar("Fields", bound=BaseModel)

_NOT_IN_STRICT = frozenset(("default", "title", "minLength", "maxLength", "format"))
"""Keywords that servers with strict schemas refuse, or that say nothing to a model."""


def read_form(form: type[Fields], text: str) -> Fields:
    """Return the value of an answer. Values are not converted: "yes" is no boolean. Raise
    ValueError if it is not what was asked for. The message says what is wrong with it, in words
    that are sent back to the model."""
    try:
        return form.model_validate(read_json(text), strict=True)
    except ValidationError as error:
        problems = "; ".join(
            f"{'.'.join(map(str, problem['loc']))[:80] or 'the answer'}: "
            f"{problem['msg'][:1].lower()}{problem['msg'][1:]}"
            for problem in error.errors(include_input=False, include_url=False)[:5]
        )
        raise ValueError(f"it does not fit the schema ({problems})") from None


def strict_schema(form: type[BaseModel]) -> dict[str, Any]:
    """Return the JSON Schema of a pydantic model as servers with strict schemas take it."""
    return _schemas(form)[0]


def schema_text(form: type[BaseModel]) -> str:
    """Return the same schema as JSON."""
    return _schemas(form)[1]


@cache
def _schemas(form: Any) -> tuple[dict[str, Any], str]:
    schema = _strict(form.model_json_schema())
    return schema, json.dumps(schema, sort_keys=True)


def _strict(node: Any, *, names: bool = False) -> Any:
    """Return a schema without what is refused; `names` where the keys are fields, not keywords."""
    if isinstance(node, list):
        return [_strict(element) for element in node]
    if not isinstance(node, dict):
        return node
    strict = {
        key: _strict(value, names=key in ("properties", "$defs") and not names)
        for key, value in node.items()
        if names or key not in _NOT_IN_STRICT
    }
    if not names and node.get("type") == "object" and isinstance(node.get("properties"), dict):
        strict |= {"required": list(node["properties"]), "additionalProperties": False}
    return strict


NOT_JSON = "it is not JSON"
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
    """Return the JSON value of an answer: all of it, or the one object within it.

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
    """Return whether a text says that the model will not answer.

    >>> refuses("I'm sorry, but I can't help with that."), refuses('{"hateful": true}')
    (True, False)
    """
    return bool(_REFUSED.match(_THOUGHT.sub("", text).lstrip()[:400]))


def _object_within(text: str) -> Any:
    objects: list[Any] = []
    starts = position = 0
    while (position := text.find("{", position)) >= 0 and starts < MAX_STARTS:
        starts += 1
        try:
            value, position = _DECODER.raw_decode(text, position)
        except (ValueError, RecursionError) as error:
            # JSON as far as it goes: what is whole in it is no answer.
            breaks_off = isinstance(error, json.JSONDecodeError) and (
                error.pos >= len(text) or error.msg.startswith("Unterminated string")
            )
            if not objects and breaks_off:
                raise ValueError("it is not JSON: it breaks off before its end") from None
            position += 1
            continue
        if value not in objects:
            objects.append(value)
    if not objects:
        raise ValueError(NOT_JSON)
    if len(objects) > 1:
        raise ValueError("it holds several different JSON objects where one is wanted")
    return objects[0]
