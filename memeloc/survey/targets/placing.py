"""What readers that are not converted to `resolver.py` yet share; it goes with the last of them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from typing import Any, TypeVar

from memeloc.survey.targets.places import Places, item_key
from memeloc.survey.targets.protocol import SurveyPack

__all__ = ["Places", "item_key"]

T = TypeVar("T")

_REMEMBERED = 4
_remembered: list[tuple[SurveyPack, Callable[[SurveyPack], Any], Any]] = []


def submission_id(*parts: str) -> str:
    """The id of a submission that has none of its own, made of what it says."""
    whole = "\n".join(parts).encode("utf-8", "backslashreplace")
    return hashlib.sha256(whole).hexdigest()[:32]


LONGEST_ID = 200
"""Characters of a participant's id; what is longer is a cell that swallowed others."""

_MANGLED = re.compile(r"\d+([.,]\d+)?E\+\d+", re.IGNORECASE)
_COMPUTES = ("=", "+", "@")


def unclear_id(who: str, *, typed: bool = True) -> str:
    """Why a participant's id cannot be what was meant, as a sentence; empty when it can.

    Args:
        who: the id, with no white space at its ends.
        typed: whether it went through a spreadsheet, which computes and rounds.

    >>> unclear_id("5e8481234567890123456701"), unclear_id("5.9E+23")[:30]
    ('', "The participant's id '5.9E+23'")
    """
    if len(who) > LONGEST_ID or any(mark in who for mark in "\n\r\x00"):
        return (
            f"The participant's id {who[:30]!r} is longer than an id, or has lines; look for a "
            "quotation mark that is not closed."
        )
    if "\ufffd" in who:
        return (
            f"The participant's id {who[:60]!r} has letters that could not be read; save the file "
            "in UTF-8."
        )
    if typed and (who.startswith(_COMPUTES) or _MANGLED.fullmatch(who)):
        return (
            f"The participant's id {who[:60]!r} is a formula or a number that a spreadsheet made "
            "of it; take the file as it was given out."
        )
    return ""


DECLINED = (
    "no consent",
    "This person did not agree to take part; what was answered all the same is not kept.",
)
"""The reason and the message of answers of somebody who declined."""

NOT_ASKED = "not asked"
"""The reason of an answer to the second question after a label that does not lead to it."""


def declined_content(sheet: str, answers: int) -> dict[str, Any]:
    """What is kept of the answers of somebody who declined: how many there were."""
    return {"sheet": sheet, "answers": answers}


def not_asked(entry: str, label: str) -> str:
    """The message of an answer to the second question that was not asked."""
    return f"{entry}: the second question is not asked after {label!r}; its answer is left out."


def once(make: Callable[[SurveyPack], T], pack: SurveyPack) -> T:
    """What `make` makes of a pack; the same again for the next file of an import.

    Thousands of files may come back, and each is read by itself. What was wanted last is
    remembered, for a few packs.
    """
    for place, (known, maker, made) in enumerate(_remembered):
        if known is pack and maker is make:
            _remembered.append(_remembered.pop(place))
            found: T = made
            return found
    found = make(pack)
    _remembered.append((pack, make, found))
    del _remembered[:-_REMEMBERED]
    return found
