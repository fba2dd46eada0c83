"""People's ids in what has no place. In: JSON values as they stood. Out: the same, ids hashed.

A row that could not be placed is kept whole, so it may hold the id of whom it is about.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from typing import Any

_KEY = re.compile(
    r"participant|prolific.?pid|user.?id|completed.?by|annotator|e-?mail|submission.?id|session.?id",
    re.IGNORECASE,
)
_ID = re.compile(
    r"(?<![0-9A-Za-z])[0-9a-f]{24}(?![0-9A-Za-z])"  # as Prolific calls people and submissions
    r"|[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
)
_WORD = re.compile(r"[^\s,;:'\"()\[\]{}<>|]+")


def hidden(value: Any, known: Collection[str], hashed: Callable[[str], str]) -> Any:
    """JSON values with every id of a person in them hashed.

    An id is what stands under a heading for one (text or number), what is one of the file's
    other rows, and whatever looks like one of Prolific's ids or an e-mail address.

    Args:
        value: a text, number, list or mapping of these.
        known: ids of the file.
        hashed: gives an id's hash.
    """
    if isinstance(value, str):
        return _text(value, known, hashed)
    if isinstance(value, Mapping):
        return {
            key: _person(each, known, hashed)
            if _KEY.search(str(key))
            else hidden(each, known, hashed)
            for key, each in value.items()
        }
    if isinstance(value, list | tuple):
        return [hidden(each, known, hashed) for each in value]
    return value


def _person(value: Any, known: Collection[str], hashed: Callable[[str], str]) -> Any:
    """What stands under a heading for ids; some programs number people, or tell more of them."""
    if isinstance(value, str):
        return hashed(value.strip()) if value.strip() else value
    if isinstance(value, int | float) and not isinstance(value, bool):
        # As an importer names the person, so that both have one hash.
        return hashed(str(int(value) if value == value // 1 else value))
    if isinstance(value, Mapping):
        own = {"id": _person(value["id"], known, hashed)} if "id" in value else {}
        return {**hidden(value, known, hashed), **own}
    if isinstance(value, list | tuple):
        return [_person(each, known, hashed) for each in value]
    return value


def _text(value: str, known: Collection[str], hashed: Callable[[str], str]) -> str:
    if value.strip() in known:
        return hashed(value.strip())
    value = _WORD.sub(lambda word: hashed(word[0]) if word[0] in known else word[0], value)
    return _ID.sub(lambda found: hashed(found[0]), value)
