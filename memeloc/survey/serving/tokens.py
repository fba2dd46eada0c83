"""What people hold in their addresses. In: a secret. Out: signed names, and who holds one.

A signature is 128 bits of an HMAC-SHA-256 under a key that is used for nothing else, so that no
hash or completion code of the survey is one.
"""

from __future__ import annotations

import hmac
import re
import secrets
from dataclasses import dataclass, field

_TOKEN = re.compile(r"([A-Za-z0-9]{2,32})\.([A-Za-z0-9-]{1,80})\.([0-9a-f]{32})")


@dataclass(frozen=True, slots=True)
class Tokens:
    """Signs and reads the tokens of a survey; `secret` is the key of its workspace."""

    survey: str
    secret: bytes = field(repr=False)

    def place(self, place_id: str, sheet: str) -> str:
        """The name of a place in addresses; only its person knows it."""
        return self._signed("place", place_id, sheet)

    def read_place(self, token: str) -> tuple[str, str] | None:
        """The place's id and the sheet's of a token that was made here."""
        return self._read("place", token)

    def link(self, culture: str) -> str:
        """A personal link's token, for one person of a culture; another one each time."""
        return self._signed("link", culture, secrets.token_hex(10))

    def read_link(self, token: str) -> tuple[str, str] | None:
        """The culture's code of a link's token, and what stands for its person's id."""
        parts = self._read("link", token)
        return None if parts is None else (parts[0], f"link {parts[1]}")

    def csrf(self, token: str) -> str:
        """What a page sends along, which no other page can know."""
        return self._signature("csrf", token, "")

    def is_csrf(self, token: str, given: str) -> bool:
        """Whether a page sent what it was given."""
        return hmac.compare_digest(self.csrf(token).encode(), given.encode("utf-8", "replace"))

    def picture(self, content: bytes) -> str:
        """The name of a picture, which tells nothing of it and stays as long as it does."""
        key = hmac.digest(self.secret, b"memeloc survey serve pictures", "sha256")
        return hmac.digest(key, content, "sha256").hex()[:32]

    def _signed(self, kind: str, first: str, second: str) -> str:
        return f"{first}.{second}.{self._signature(kind, first, second)}"

    def _read(self, kind: str, token: str) -> tuple[str, str] | None:
        match = _TOKEN.fullmatch(token)
        if match is None:
            return None
        first, second, given = match.groups()
        is_ours = hmac.compare_digest(self._signature(kind, first, second), given)
        return (first, second) if is_ours else None

    def _signature(self, kind: str, first: str, second: str) -> str:
        key = hmac.digest(self.secret, b"memeloc survey serve", "sha256")
        # None of the parts has a line break, so no two splits give the same message.
        message = "\n".join((kind, self.survey, first, second))
        return hmac.digest(key, message.encode(), "sha256").hex()[:32]
