"""Completion codes. In: a survey's secret and a sheet. Out: what the sheet shows at its end.

A code is an HMAC-SHA-256, so whoever knows one, or the seed, or this program cannot tell another.
"""

from __future__ import annotations

import hmac
from dataclasses import fields

from memeloc.survey.model import CompletionCodes

ENDINGS = tuple(field.name for field in fields(CompletionCodes))
"""The ways that a sheet can end, each with a code of its own."""

LETTERS = "23456789BCDFGHJKMNPQRSTVWXZ"
"""What codes are written in: nothing that is taken for something else; no vowels, so no words."""

LENGTH = 10
"""Letters of a code: 47 bits."""


def codes(survey: str, sheet: str, secret: bytes) -> CompletionCodes:
    """Return the codes of a sheet (by its id), always the same for the same secret."""
    return CompletionCodes(*(_code(secret, survey, sheet, f"{ending} 0") for ending in ENDINGS))


def _code(secret: bytes, *parts: str) -> str:
    # The lengths keep two splits of the same text apart.
    message = "\n".join(f"{len(part)} {part}" for part in ("completion code", *parts))
    digest = hmac.digest(secret, message.encode("utf-8", "surrogatepass"), "sha256")
    rest, letters = int.from_bytes(digest, "big"), []
    for _ in range(LENGTH):
        rest, letter = divmod(rest, len(LETTERS))
        letters.append(LETTERS[letter])
    return "".join(letters)
