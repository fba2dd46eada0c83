"""Answers that were given before. In: a question's key. Out: the stored answer, if there is one."""

from __future__ import annotations

from threading import Lock
from typing import Protocol


class Cache(Protocol):
    """Keeps answers by the content of their questions. It is called from several threads."""

    def get(self, key: str) -> str | None:
        """What was kept under a key; None when nothing was."""
        ...

    def put(self, key: str, value: str) -> None:
        """Keep a value under a key; what was there before may stay."""
        ...


class MemoryCache:
    """A cache that lasts as long as the process."""

    def __init__(self) -> None:
        self._values: dict[str, str] = {}
        self._lock = Lock()

    def get(self, key: str) -> str | None:
        """See `Cache.get`."""
        with self._lock:
            return self._values.get(key)

    def put(self, key: str, value: str) -> None:
        """See `Cache.put`."""
        with self._lock:
            self._values[key] = value

    def __len__(self) -> int:
        with self._lock:
            return len(self._values)
