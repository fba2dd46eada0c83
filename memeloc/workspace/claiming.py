"""Claims of one run of a translator. In: a store, the captions to translate. Out: which are ours.

Two programs that translate one workspace at the same time ask for each caption once. What a program
claims it keeps for as long as it runs; the claims of one that was killed lapse after CLAIM_SECONDS,
or at once where it ran on this machine.
"""

from __future__ import annotations

import os
import platform
import secrets
import sys
import uuid
from collections.abc import Mapping, Sequence
from threading import Event, Thread
from types import TracebackType
from typing import Self

from memeloc.errors import MemelocError
from memeloc.store.captions.translations import CaptionKey, Translations
from memeloc.translate import ClaimState, TranslationItem

CLAIM_SECONDS = 60.0
"""How long a claim holds that nobody renews."""
_SLICE = 500
"""Captions that are claimed in one transaction."""


class Claims:
    """The claims of one run; use it as a context manager, which renews and at the end releases."""

    def __init__(
        self, translations: Translations, expected: Mapping[CaptionKey, int | None]
    ) -> None:
        """`expected` has each caption's highest version, None where there is none."""
        self._translations = translations
        self._expected = expected
        self._token = f"{_machine()}:{os.getpid()}:{secrets.token_hex(4)}"
        self._ended = Event()
        self._renewing = Thread(target=self._renew, name="memeloc-claims", daemon=True)

    def __enter__(self) -> Self:
        self._renewing.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._ended.set()
        self._renewing.join()
        self._translations.release(self._token)

    def claim(self, groups: Sequence[Sequence[TranslationItem]]) -> list[ClaimState]:
        """Claim groups of captions that get the same answer; a group is held where one of it is."""
        for token in self._translations.tokens():
            if _is_over(token):
                self._translations.release(token)
        keys = [[(item.meme_id, item.target.tag) for item in group] for group in groups]
        wanted = [(key, self._expected[key]) for group in keys for key in group]
        states: dict[CaptionKey, ClaimState] = {}
        for start in range(0, len(wanted), _SLICE):
            some = dict(wanted[start : start + _SLICE])
            states |= self._translations.claim(some, self._token, CLAIM_SECONDS)
        return [_together([states[key] for key in group]) for group in keys]

    def give_up(self, key: CaptionKey) -> None:
        """Leave a caption to other programs."""
        self._translations.release(self._token, [key])

    def _renew(self) -> None:
        while not self._ended.wait(CLAIM_SECONDS / 3):
            try:
                self._translations.renew(self._token, CLAIM_SECONDS)
            except MemelocError:
                return  # the run meets the same error where it can be reported


def _together(states: Sequence[ClaimState]) -> ClaimState:
    if "held" in states:
        return "held"
    return "claimed" if "claimed" in states else "done"


def _machine() -> str:
    return f"{platform.node()[:24]}-{uuid.getnode():x}".replace(":", "-")


def _is_over(token: str) -> bool:
    """Whether the program of a token ran on this machine and does so no more."""
    machine, process, _ = token.split(":")
    if sys.platform == "win32" or machine != _machine():
        return False
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False
