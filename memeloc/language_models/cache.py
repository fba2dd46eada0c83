"""Answers that were given before. In: a question's key. Out: the stored answer, if there is one."""

from __future__ import annotations

from typing import Protocol


class Cache(Protocol):
    """Keeps answers by the content of their questions. It is called from several threads."""

    def get(self, key: str) -> str | None:
        """What was kept under a key; None when nothing was."""
        ...

    def put(self, key: str, value: str) -> None:
        """Keep a value under a key; what was there before may stay."""
        ...


class MemoryCache(dict[str, str]):
    """A cache that lasts as long as the process."""

    def put(self, key: str, value: str) -> None:
        """See `Cache.put`."""
        self[key] = value
