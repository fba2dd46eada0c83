"""Counts as people read them. In: numbers and nouns. Out: both, singular where it is one."""

from __future__ import annotations

from collections.abc import Mapping
from string import Formatter
from typing import Any


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a number and its noun.

    Args:
        noun: what, in the singular; several words are fine.
        plural: of the noun; by default `noun` and an s.

    >>> counted(1, "picture"), counted(1200, "picture"), counted(2, "entry", "entries")
    ('1 picture', '1,200 pictures', '2 entries')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def listed(counts: Mapping[str, int]) -> str:
    """Return counts behind their names, without those that are 0.

    >>> listed({"de": 1200, "es": 0, "hi": 3})
    'de 1,200, hi 3'
    """
    return ", ".join(f"{name} {count:,}" for name, count in counts.items() if count)


class _Sentences(Formatter):
    def format_field(self, value: Any, format_spec: str) -> str:
        if isinstance(value, int) and len(format_spec) > 1 and format_spec[0].isalpha():
            return counted(value, *format_spec.split("|"))
        return listed(value) if isinstance(value, Mapping) else format(value, format_spec)


sentence = _Sentences().format
"""Return a text as `str.format` does, where a count may have a noun and counts are listed.

>>> sentence("{n:row} of {0}, {n:entry|entries}", "de", n=2), sentence("{0}", {"de": 2})
('2 rows of de, 2 entries', 'de 2')
"""
