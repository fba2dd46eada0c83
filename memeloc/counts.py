"""Counts as people read them. In: a number and a noun. Out: both, singular where it is one."""

from __future__ import annotations


def counted(number: int, noun: str, plural: str = "") -> str:
    """A number and its noun.

    Args:
        noun: what, in the singular; several words are fine.
        plural: of the noun; by default `noun` and an s.

    >>> counted(1, "picture"), counted(1200, "picture"), counted(2, "entry", "entries")
    ('1 picture', '1,200 pictures', '2 entries')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
