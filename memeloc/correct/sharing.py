"""Sharing work out. In: `1/2`, and memes' ids. Out: which of them are of that share.

A meme's share depends on its id and on how many shares there are, so it stays the same however
many memes come later, in every language and round; the shares together are all memes.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

from memeloc.errors import InputError


@dataclass(frozen=True, slots=True)
class Share:
    """One share, counted from 1, of so many."""

    number: int
    of: int

    @classmethod
    def parse(cls, text: str) -> Share:
        """Read `1/2`.

        Raises:
            InputError: it is not written so, or there is no such share.

        >>> Share.parse("1/2")
        Share(number=1, of=2)
        """
        match = re.fullmatch(r"\s*(\d{1,4})\s*/\s*(\d{1,4})\s*", text)
        if not match or not 1 <= int(match[1]) <= int(match[2]):
            raise InputError(f"A share is a number of how many, such as 1/2, not {text[:40]!r}.")
        return cls(int(match[1]), int(match[2]))

    def has(self, meme_id: str) -> bool:
        """Whether a meme is of this share."""
        digest = hashlib.sha256(meme_id.encode("utf-8", "surrogatepass")).digest()
        return int.from_bytes(digest[:8]) % self.of == self.number - 1
