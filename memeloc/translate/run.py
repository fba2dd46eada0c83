"""Planning and doing. In: items, a translator, a budget. Out: answers as they come.

The memory is asked first. What it does not know goes to the translator, each text once. An answer
is cleaned and checked, and handed on at once, so that whoever stores it loses nothing when the run
is killed and asks nothing twice in the next one. One that is not what was asked for is a failure of
its item, and many of those in a row end the run, for they are paid like right ones. Items pass
while the budget holds with what is held back for those under way, and nobody pressed Ctrl-C.
"""

from __future__ import annotations

import signal
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass, field, replace
from typing import Any

from memeloc.errors import InputError, MemelocError, ServiceError
from memeloc.translate.answers import checked, numbered, restored
from memeloc.translate.memory import TranslationMemory
from memeloc.translate.protocol import (
    Answer,
    Translation,
    TranslationFailure,
    TranslationItem,
    Translator,
    failure,
    filled,
    translation,
)

REPEATED = "repeated"
"""The mark of a caption whose text was translated for another meme on the same template."""

MOST_WRONG = 20
"""Captions in a row that a translator may answer wrongly before no more are sent to it."""

_COUNTS = (
    *("captions", "from_memory", "repeated", "empty"),
    *("strings", "characters", "cost", "most"),
)
_DIGITS = 6
"""Digits of costs after the point."""
_TOLERANCE = 1e-9
"""Of sums of costs, which are binary fractions: below what any caption costs."""


@dataclass(slots=True)
class RunSummary:
    """The result of a run: how many captions became what, and what was billed.

    Attributes:
        plan: see `plan`.
        from_memory, repeated, empty: captions that needed no asking.
        elsewhere: captions that another program has translated meanwhile.
        left: captions that were not asked for, because the budget or an error ended the run.
        stopped: what ended the run, if an error did.
        cost, characters: what was billed, of failures too.
        marks: how many captions carry each mark; similar ones count as `fuzzy`.
    """

    plan: dict[str, Any]
    translated: int = 0
    from_memory: int = 0
    repeated: int = 0
    empty: int = 0
    failures: list[TranslationFailure] = field(default_factory=list)
    elsewhere: int = 0
    left: int = 0
    cost: float = 0.0
    characters: int = 0
    over_budget: bool = False
    stopped: MemelocError | None = None
    marks: Counter[str] = field(default_factory=Counter)

    def count(self, answer: Translation) -> None:
        """Count one translation that was stored."""
        self.marks.update("fuzzy" if mark.startswith("fuzzy") else mark for mark in answer.marks)
        if REPEATED in answer.marks:
            self.repeated += 1
        elif answer.translator == "memory":
            self.from_memory += 1
        elif not any(part.strip() for part in answer.caption.parts):
            self.empty += 1
        else:
            self.translated += 1


def plan(
    items: Iterable[TranslationItem],
    translator: Translator,
    memory: TranslationMemory | None = None,
    *,
    fuzzy: float | None = None,
) -> dict[str, Any]:
    """Return what `run` would do with these; nobody is asked.

    Of its `captions` some are filled by the memory (`from_memory`), some repeat a text that is
    asked for once (`repeated`), some are `empty`. `strings`, `characters`, `cost` and `most` are of
    the rest, see `Estimate`. `translator` and `currency` follow, and the same counts by language.
    Raise InputError if a meme stands among the items twice for one language.
    """
    return _Work(items, translator, memory, fuzzy).plan()


def run(
    items: Iterable[TranslationItem],
    translator: Translator,
    memory: TranslationMemory | None = None,
    *,
    fuzzy: float | None = None,
    budget: float | None = None,
    on_answer: Callable[[Translation], None],
    on_failure: Callable[[TranslationFailure], None] | None = None,
) -> RunSummary:
    """Translate items, each meme once a language. Raise InputError if a meme stands among the items
    twice for one language. KeyboardInterrupt: Ctrl-C, after requests under way have been handed to
    `on_answer`.

    Args:
        translator: who translates what the memory does not know.
        memory: asked first.
        fuzzy: the least similarity of a match that the memory may fill; None is exact ones only.
        budget: in the translator's currency; nothing more is sent when it would be passed with what
            the translator holds back for an item, see `Translator`.
        on_answer: gets each translation as it comes, in this thread; Ctrl-C waits until it is done.
            A MemelocError that it raises ends the run.
        on_failure: gets each failure; they are in the summary too.
    """
    work = _Work(items, translator, memory, fuzzy, budget)
    summary = RunSummary(work.plan())

    def deliver(answers: Sequence[Answer]) -> None:
        with work.uninterrupted():
            for each in answers:
                if isinstance(each, TranslationFailure):
                    summary.failures.append(each)
                    if on_failure is not None:
                        on_failure(each)
                    continue
                try:
                    on_answer(each)
                except MemelocError as error:
                    lost = TranslationFailure(each.meme_id, each.language, error)
                    summary.failures.append(lost)
                    raise
                summary.count(each)

    for ready in work.ready:
        work.check()
        deliver([ready])
    while work.waiting and summary.stopped is None and not summary.over_budget:
        before = len(work.waiting)
        answers = translator.translate(work.take())
        try:
            for answer in answers:
                summary.cost += answer.cost
                summary.characters += answer.characters
                deliver(work.settle(answer))
            summary.stopped = work.stopped
            summary.over_budget = work.stopped is None and len(work.waiting) == before
        except MemelocError as error:
            summary.stopped = error
            # Items that were taken and never answered.
            for item, _ in work.pending.values():
                deliver(work.with_twins(failure(item, error), item))
            work.pending.clear()
        finally:
            del answers  # an error in storing must not leave requests behind
    work.check()
    summary.cost = round(summary.cost, _DIGITS)
    # Answers come in any order.
    summary.failures.sort(key=lambda each: work.places[each.meme_id, each.language])
    summary.left = sum(1 + len(work.twins[item.key]) for item in work.waiting)
    return summary


class _Work:
    """Items by what is to be done with them.

    Attributes:
        ready: translations that need no asking.
        waiting: items that were not taken yet, one for each text.
        twins: by the item that is asked for, the others that get its answer.
        pending: items that were taken and are not answered, with what is held back for each.
        places: of each item, by meme and language, in the order in which they were given.
        stopped: why no more are let through, if too many answers in a row were wrong.
    """

    def __init__(
        self,
        items: Iterable[TranslationItem],
        translator: Translator,
        memory: TranslationMemory | None,
        fuzzy: float | None,
        budget: float | None = None,
    ) -> None:
        self.ready: list[Translation] = []
        self.twins: dict[tuple[str, str], list[TranslationItem]] = {}
        self.pending: dict[tuple[str, str], tuple[TranslationItem, float]] = {}
        self.places: dict[tuple[str, str], int] = {}
        self.stopped: MemelocError | None = None
        self._translator = translator
        self._budget = budget
        self._reserve = getattr(
            translator, "reserve", lambda item: translator.estimate([item]).most
        )
        self._captions: Counter[str] = Counter()
        self._spent = self._held = 0.0
        self._wrong = 0
        self._interrupted = False
        firsts: dict[tuple[object, ...], TranslationItem] = {}
        for item in items:
            language = item.target.tag
            if item.key in self.places:
                raise InputError(f"meme {item.meme_id} is to be translated into {language} twice")
            self.places[item.key] = len(self.places)
            self._captions[language] += 1
            match = memory.find(item, fuzzy) if memory is not None else None
            if not filled(item):
                self.ready.append(translation(item, (), "none"))
            elif match is not None:
                # The memory, too, can bring another placeholder.
                answer = translation(item, match.texts, "memory", match.mark)
                self.ready.append(restored(item, answer))
            else:
                # What is shown with a text is part of it: the template and the picture.
                template = item.template.name if item.template else None
                text = (item.source.parts, item.source_locale.tag, language, template, item.picture)
                first = firsts.setdefault(text, item)
                twins = self.twins.setdefault(first.key, [])
                twins += [item] if first is not item else []
        order = list(self._captions)
        self.waiting = deque(sorted(firsts.values(), key=lambda item: order.index(item.target.tag)))

    def plan(self) -> dict[str, Any]:
        """Return what is to be done, and what it costs."""
        languages: dict[str, dict[str, int | float]] = {}
        for tag, captions in self._captions.items():
            ready = [
                answer.translator == "memory" for answer in self.ready if answer.language == tag
            ]
            asked = [item for item in self.waiting if item.target.tag == tag]
            estimate = self._translator.estimate([numbered(item) for item in asked])
            repeated = sum(len(self.twins[item.key]) for item in asked)
            counts = (captions, sum(ready), repeated, len(ready) - sum(ready), *astuple(estimate))
            rounded = (round(count, _DIGITS) for count in counts)
            languages[tag] = dict(zip(_COUNTS, rounded, strict=True))
        totals = {
            name: round(sum(counts[name] for counts in languages.values()), _DIGITS)
            for name in _COUNTS
        }
        about = {"translator": self._translator.name, "currency": self._translator.currency}
        return {**totals, **about, "languages": languages}

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

    def take(self) -> Iterator[TranslationItem]:
        """Yield the next items, until one could pass the budget, or too many answers were wrong.

        Ctrl-C reaches the translator here, which then answers what is under way and raises it.
        """
        while self.stopped is None and self.waiting:
            self.check()
            held, sent = 0.0, numbered(self.waiting[0])
            if self._budget is not None:
                held = self._reserve(sent)
                if self._spent + self._held + held > self._budget + _TOLERANCE:
                    return
            item = self.waiting.popleft()
            self._held += held
            self.pending[item.key] = (item, held)
            yield sent

    def settle(self, answer: Answer) -> list[Answer]:
        """Book an answer, cleaned and checked, and return it with those for its twins. Raise
        ServiceError if nobody asked for it."""
        item, held = self.pending.pop((answer.meme_id, answer.language), (None, 0.0))
        name = self._translator.name
        if item is None:
            sentence = f"it answered what was not asked: meme {answer.meme_id}"
            raise ServiceError(name, sentence, retryable=False)
        self._held -= held
        self._spent += answer.cost
        if isinstance(answer, Translation):
            answer = checked(item, answer, name)
        if isinstance(answer, Translation):
            self._wrong = 0
            return self.with_twins(answer, item)
        self._wrong += answer.wrong
        if self._wrong >= MOST_WRONG and self.stopped is None:
            reason = str(answer.error).removeprefix(f"{name}: ")
            sentence = (
                f"{MOST_WRONG} captions in a row were answered wrongly, so no more are sent. "
                f"The last time: {reason}. Try another model or translator on a few captions first"
            )
            self.stopped = ServiceError(name, sentence, retryable=False)
        return self.with_twins(answer, item)

    def with_twins(self, answer: Answer, item: TranslationItem) -> list[Answer]:
        """Return an answer, and the same for other memes with the same text, at no cost."""
        marks: dict[str, Any] = {}
        if isinstance(answer, Translation):
            marks = {"marks": (*answer.marks, REPEATED)}
        return [answer] + [
            replace(answer, meme_id=twin.meme_id, characters=0, cost=0.0, **marks)
            for twin in self.twins[item.key]
        ]
