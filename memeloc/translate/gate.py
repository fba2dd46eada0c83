"""What goes to a translator, and what is let in of its answers. In: items, a budget. Out: both.

Items pass while the budget holds, nobody pressed Ctrl-C and no other program works on them. An
answer is cleaned and checked before anybody stores it: one that is not what was asked for is a
failure of its item, and many of those in a row end the run, for they are paid like right ones.
"""

from __future__ import annotations

import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Literal

from memeloc.counts import counted
from memeloc.errors import MemelocError, ServiceError
from memeloc.model import Caption
from memeloc.translate.cleaning import cleaned, is_blank, other_script
from memeloc.translate.protocol import (
    Answer,
    Translation,
    TranslationFailure,
    TranslationItem,
    Translator,
    failure,
    filled,
)

MOST_WRONG = 20
"""Captions in a row that a translator may answer wrongly before no more are sent to it."""

PSEUDO = "pseudo"
"""The mark of text that is no translation; its direction overrides are what it is for."""

CLAIMED_AT_ONCE = 32
"""Items that are claimed together."""

ClaimState = Literal["claimed", "held", "done"]
"""What became of a claim: the item is ours, another program works on it, or has finished it."""

Claim = Callable[[Sequence[TranslationItem]], Sequence[ClaimState]]
"""Claims items, each with all that get its answer, before anybody is asked for them."""

_Key = tuple[str, str]
_TOLERANCE = 1e-9


def key_of(item: TranslationItem) -> _Key:
    """What an item is known by: its meme and its target language."""
    return (item.meme_id, item.target.tag)


class Gate:
    """Lets items through to a translator, and its answers back.

    Attributes:
        waiting: items that were not taken yet.
        held: items that another program works on.
        elsewhere: items that another program has finished.
        stopped: why no more are let through, if too many answers in a row were wrong.
    """

    def __init__(
        self,
        items: Iterable[TranslationItem],
        translator: Translator,
        budget: float | None,
        claim: Claim | None = None,
    ) -> None:
        self.waiting = deque(items)
        self.held: list[TranslationItem] = []
        self.elsewhere: list[TranslationItem] = []
        self.stopped: MemelocError | None = None
        self._translator = translator
        self._budget = budget
        self._claim = claim
        self._claimed: set[_Key] = set()
        self._pending: dict[_Key, tuple[TranslationItem, float]] = {}
        self._spent = self._held = 0.0
        self._wrong = 0
        self._interrupted = False

    @contextmanager
    def uninterrupted(self) -> Iterator[None]:
        """Hold back Ctrl-C while the block runs: `check` and `take` raise it."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return

        def note(*_: object) -> None:
            self._interrupted = True

        before = signal.signal(signal.SIGINT, note)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    def check(self) -> None:
        """Raise KeyboardInterrupt when one was held back, once."""
        if self._interrupted:
            self._interrupted = False
            raise KeyboardInterrupt

    def ready(self) -> bool:
        """Whether an item waits that no other program works on; claims the next ones."""
        while self._claim and self.waiting and key_of(self.waiting[0]) not in self._claimed:
            count = min(CLAIMED_AT_ONCE, len(self.waiting))
            items = [self.waiting.popleft() for _ in range(count)]
            ours: list[TranslationItem] = []
            for item, state in zip(items, self._claim(items), strict=True):
                places = {"claimed": ours, "held": self.held, "done": self.elsewhere}
                places[state].append(item)
            self._claimed.update(map(key_of, ours))
            self.waiting.extendleft(reversed(ours))
        return bool(self.waiting)

    def retry(self) -> None:
        """Let those wait again that another program worked on."""
        self.waiting.extend(self.held)
        self.held.clear()

    def take(self) -> Iterator[TranslationItem]:
        """The next items, until one could pass the budget, or too many answers were wrong.

        Ctrl-C reaches the translator here, which then answers what is under way and raises it.
        """
        while self.stopped is None and self.ready():
            self.check()
            most = 0.0
            if self._budget is not None:
                most = self._translator.estimate([self.waiting[0]]).most
                if self._spent + self._held + most > self._budget + _TOLERANCE:
                    return
            item = self.waiting.popleft()
            self._held += most
            self._pending[key_of(item)] = (item, most)
            yield item

    def settle(self, answer: Answer) -> tuple[Answer, TranslationItem]:
        """Book an answer, cleaned; one that is not what was asked for becomes a failure.

        Raises:
            ServiceError: nobody asked for it.
        """
        asked = self._pending.pop((answer.meme_id, answer.language), None)
        name = self._translator.name
        if asked is None:
            raise ServiceError(
                name, f"it answered what was not asked: meme {answer.meme_id}", retryable=False
            )
        item, most = asked
        self._held -= most
        self._spent += answer.cost
        if isinstance(answer, Translation) and PSEUDO not in answer.marks:
            sources = dict(enumerate(item.source.parts))
            parts = enumerate(answer.caption.parts)
            clean = tuple(cleaned(part, sources.get(index, "")) for index, part in parts)
            answer = replace(answer, caption=Caption(clean))
            if problem := _problem(item, answer.caption.parts):
                error = ServiceError(name, problem, retryable=False)
                answer = failure(item, error, answer.cost, answer.characters, wrong=True)
        self._count(answer)
        return answer, item

    def abandoned(self) -> list[TranslationItem]:
        """Items that were taken and never answered."""
        items = [item for item, _ in self._pending.values()]
        self._pending.clear()
        return items

    def _count(self, answer: Answer) -> None:
        if isinstance(answer, Translation):
            self._wrong = 0
        elif answer.wrong:
            self._wrong += 1
        if self._wrong >= MOST_WRONG and isinstance(answer, TranslationFailure):
            reason = str(answer.error).removeprefix(f"{self._translator.name}: ")
            self.stopped = self.stopped or ServiceError(
                self._translator.name,
                f"{MOST_WRONG} captions in a row were answered wrongly, so no more are sent. The "
                f"last time: {reason}. Try another model or translator on a few captions first",
                retryable=False,
            )


def _problem(item: TranslationItem, parts: tuple[str, ...]) -> str:
    """What is wrong with the parts of an answer; empty when nothing is."""
    if len(parts) != len(item.source.parts):
        return f"it gave {counted(len(parts), 'part')} where {len(item.source.parts)} are needed"
    if any(len(Caption.parse(part).parts) > 1 for part in parts):
        return "it gave a part with ` // ` in it"
    if any(is_blank(parts[index]) for index in filled(item)):
        return "it gave an empty text"
    if script := other_script(parts, item.target, item.source_locale):
        return f"it answered in another language: in {script}, where {item.target.script} is needed"
    return ""
