"""Planning and doing. In: items, a translator, the memory, a budget. Out: answers as they come.

The memory is asked first. What it does not know goes to the translator, each text once. An answer
is handed on at once, so that whoever stores it loses nothing when the run is killed and asks
nothing twice in the next one. Money is held back for what is in flight: the most it can cost, so
that the budget is never passed, whatever has to be asked again.
"""

from __future__ import annotations

import signal
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from types import FrameType

from memeloc.errors import InputError, MemelocError, ServiceError
from memeloc.model import Caption
from memeloc.translate.memory import TranslationMemory, from_match
from memeloc.translate.protocol import (
    Answer,
    Translation,
    TranslationFailure,
    TranslationItem,
    Translator,
    filled,
)

REPEATED = "repeated"
"""The mark of a caption whose text was translated for another meme on the same template."""

_Key = tuple[str, str]
_TOLERANCE = 1e-9
_DIGITS = 6
"""Digits of costs after the point."""


@dataclass(frozen=True, slots=True)
class LanguagePlan:
    """What is to be done for one language.

    Attributes:
        captions: in all.
        from_memory: the memory fills them.
        repeated: their text is asked once for another caption.
        empty: nothing to translate in them.
        strings, characters, cost, most: of the rest, see `Estimate`.
    """

    captions: int
    from_memory: int
    repeated: int
    empty: int
    strings: int
    characters: int
    cost: float
    most: float


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run would do.

    Attributes:
        translator: its name.
        currency: of the costs.
        captions, from_memory, repeated, empty, strings, characters, cost, most: over all
            languages, see `LanguagePlan`.
        languages: each by its tag.
    """

    translator: str
    currency: str
    captions: int
    from_memory: int
    repeated: int
    empty: int
    strings: int
    characters: int
    cost: float
    most: float
    languages: Mapping[str, LanguagePlan]


@dataclass(slots=True)
class RunSummary:
    """What a run came to.

    Attributes:
        plan: what there was to do.
        translated: captions that the translator answered.
        from_memory, repeated, empty: captions that needed no asking.
        failures: captions that got no answer, with the reason.
        left: captions that were not asked for, because the budget or an error ended the run.
        cost, characters: billed.
        over_budget: whether the budget ended the run.
        stopped: what ended the run, if an error did.
        marks: how many captions carry each mark; similar ones count as `fuzzy`.
    """

    plan: Plan
    translated: int = 0
    from_memory: int = 0
    repeated: int = 0
    empty: int = 0
    failures: list[TranslationFailure] = field(default_factory=list)
    left: int = 0
    cost: float = 0.0
    characters: int = 0
    over_budget: bool = False
    stopped: MemelocError | None = None
    marks: Counter[str] = field(default_factory=Counter)


def plan(
    items: Iterable[TranslationItem],
    translator: Translator,
    memory: TranslationMemory | None = None,
    *,
    fuzzy: float | None = None,
) -> Plan:
    """What `run` would do with these: asks nobody.

    Raises:
        InputError: a meme stands among the items twice for one language.
    """
    return _Sorted(items, memory, fuzzy).plan(translator)


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
    """Translate items.

    Args:
        items: what is to be translated, each meme once a language.
        translator: who translates what the memory does not know.
        memory: asked first.
        fuzzy: the least similarity of a match that the memory may fill; None is exact ones only.
        budget: in the translator's currency; the run ends before more than this can be spent.
        on_answer: gets each translation as it comes, in this thread; Ctrl-C waits until it is done.
            A MemelocError that it raises ends the run.
        on_failure: gets each failure; they are in the summary too.

    Raises:
        InputError: a meme stands among the items twice for one language.
        KeyboardInterrupt: Ctrl-C, after what was in flight has been handed to `on_answer`.
    """
    sorted_out = _Sorted(items, memory, fuzzy)
    summary = RunSummary(sorted_out.plan(translator))
    gate = _Gate(sorted_out.asked, translator, budget)

    def deliver(answer: Answer, item: TranslationItem) -> None:
        for each in (answer, *(_repeat(answer, twin) for twin in sorted_out.twins(item))):
            if isinstance(each, TranslationFailure):
                summary.failures.append(each)
                if on_failure is not None:
                    on_failure(each)
                continue
            try:
                on_answer(each)
            except MemelocError as error:
                unstored = TranslationFailure(each.meme_id, each.language, error)
                summary.failures.append(unstored)
                raise
            _count(summary, each)

    for ready in sorted_out.ready:
        _count(summary, ready)
        with _uninterrupted():
            on_answer(ready)
    while gate.waiting:
        before = len(gate.waiting)
        stream = translator.translate(gate.take())
        try:
            for answer in _interruptible(stream, lambda answer: deliver(*gate.settle(answer))):
                summary.cost += answer.cost
        except MemelocError as error:
            summary.stopped = error
            for item in gate.abandoned():
                deliver(TranslationFailure(item.meme_id, item.target.tag, error), item)
            break
        if len(gate.waiting) == before:
            summary.over_budget = True
            break
    summary.cost = round(summary.cost, _DIGITS)
    summary.left = sum(1 + len(sorted_out.twins(item)) for item in gate.waiting)
    return summary


def _interruptible(stream: Iterator[Answer], deliver: Callable[[Answer], None]) -> Iterator[Answer]:
    """Each answer of a translator, after it has been delivered.

    Ctrl-C while an answer is delivered reaches the translator afterwards, which then answers what
    is in flight and raises it.
    """
    interrupted = False
    throw = getattr(stream, "throw", None)
    close = getattr(stream, "close", None)
    try:
        while True:
            try:
                if interrupted and throw is None:
                    raise KeyboardInterrupt
                answer: Answer = throw(KeyboardInterrupt()) if interrupted else next(stream)  # type: ignore[misc]
            except StopIteration:
                return
            interrupted = False
            try:
                with _uninterrupted():
                    deliver(answer)
            except KeyboardInterrupt:
                interrupted = True
            yield answer
    finally:
        if close is not None:
            close()  # an error in storing must not leave requests behind


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Hold back Ctrl-C while the block runs; KeyboardInterrupt is raised at its end."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    pressed: list[int] = []

    def note(number: int, _: FrameType | None) -> None:
        pressed.append(number)

    before = signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if pressed:
        raise KeyboardInterrupt


def _count(summary: RunSummary, answer: Translation) -> None:
    summary.marks.update("fuzzy" if mark.startswith("fuzzy") else mark for mark in answer.marks)
    if REPEATED in answer.marks:
        summary.repeated += 1
    elif answer.translator == "memory":
        summary.from_memory += 1
    elif not any(part.strip() for part in answer.caption.parts):
        summary.empty += 1
    else:
        summary.translated += 1
        summary.characters += answer.characters


def _repeat(answer: Answer, twin: TranslationItem) -> Answer:
    """The same answer for another meme with the same text; it costs nothing."""
    if isinstance(answer, TranslationFailure):
        return replace(answer, meme_id=twin.meme_id, cost=0.0)
    marks = (*answer.marks, REPEATED)
    return replace(answer, meme_id=twin.meme_id, marks=marks, characters=0, cost=0.0)


class _Sorted:
    """Items by what is to be done with them.

    Attributes:
        ready: answers that need no asking.
        asked: one item for each text that needs it, language by language.
    """

    def __init__(
        self,
        items: Iterable[TranslationItem],
        memory: TranslationMemory | None,
        fuzzy: float | None,
    ) -> None:
        self.ready: list[Translation] = []
        self._first: dict[tuple[object, ...], TranslationItem] = {}
        self._twins: dict[_Key, list[TranslationItem]] = {}
        self._captions: dict[str, int] = {}
        seen: set[_Key] = set()
        for item in items:
            if _key(item) in seen:
                raise InputError(
                    f"meme {item.meme_id} is to be translated into {item.target.tag} twice"
                )
            seen.add(_key(item))
            self._captions[item.target.tag] = self._captions.get(item.target.tag, 0) + 1
            self._place(item, memory, fuzzy)
        order = {language: number for number, language in enumerate(self._captions)}
        self.asked = sorted(self._first.values(), key=lambda item: order[item.target.tag])

    def twins(self, item: TranslationItem) -> Sequence[TranslationItem]:
        """Other items that get this one's answer."""
        return self._twins.get(_key(item), ())

    def plan(self, translator: Translator) -> Plan:
        """What is to be done, and what it costs."""
        languages = {
            language: self._of_language(language, translator) for language in self._captions
        }
        totals = {
            name: sum(getattr(plan, name) for plan in languages.values())
            for name in LanguagePlan.__dataclass_fields__
        }
        for name in ("cost", "most"):
            totals[name] = round(totals[name], _DIGITS)
        return Plan(translator.name, translator.currency, languages=languages, **totals)

    def _of_language(self, language: str, translator: Translator) -> LanguagePlan:
        ready = [answer for answer in self.ready if answer.language == language]
        asked = [item for item in self.asked if item.target.tag == language]
        estimate = translator.estimate(asked)
        return LanguagePlan(
            captions=self._captions[language],
            from_memory=sum(answer.translator == "memory" for answer in ready),
            repeated=sum(len(self.twins(item)) for item in asked),
            empty=sum(answer.translator != "memory" for answer in ready),
            strings=estimate.strings,
            characters=estimate.characters,
            cost=round(estimate.cost, _DIGITS),
            most=round(estimate.most, _DIGITS),
        )

    def _place(
        self, item: TranslationItem, memory: TranslationMemory | None, fuzzy: float | None
    ) -> None:
        if not filled(item):
            nothing = replace(item.source, parts=("",) * len(item.source.parts))
            self.ready.append(Translation(item.meme_id, item.target.tag, nothing, "none"))
            return
        match = memory.find(item, fuzzy) if memory is not None else None
        if match is not None:
            self.ready.append(from_match(item, match))
            return
        # A template is part of what a translator may have seen, so it is part of the text.
        template = item.template.name if item.template else None
        text = (item.source.parts, item.source_locale.tag, item.target.tag, template)
        first = self._first.setdefault(text, item)
        if first is not item:
            self._twins.setdefault(_key(first), []).append(item)


class _Gate:
    """Lets items through to the translator while the budget holds."""

    def __init__(
        self, items: Iterable[TranslationItem], translator: Translator, budget: float | None
    ) -> None:
        self.waiting = deque(items)
        self._translator = translator
        self._budget = budget
        self._flying: dict[_Key, tuple[TranslationItem, float]] = {}
        self._spent = self._held = 0.0

    def take(self) -> Iterator[TranslationItem]:
        """The next items, until one could pass the budget."""
        while self.waiting:
            most = 0.0
            if self._budget is not None:
                most = self._translator.estimate([self.waiting[0]]).most
                if self._spent + self._held + most > self._budget + _TOLERANCE:
                    return
            item = self.waiting.popleft()
            self._held += most
            self._flying[_key(item)] = (item, most)
            yield item

    def settle(self, answer: Answer) -> tuple[Answer, TranslationItem]:
        """Book an answer; one that is not what was asked for becomes a failure.

        Raises:
            ServiceError: nobody asked for it.
        """
        asked = self._flying.pop((answer.meme_id, answer.language), None)
        name = self._translator.name
        if asked is None:
            raise ServiceError(
                name, f"it answered what was not asked: meme {answer.meme_id}", retryable=False
            )
        item, most = asked
        self._held -= most
        self._spent += answer.cost
        if isinstance(answer, Translation):
            count, needed = len(answer.caption.parts), len(item.source.parts)
            wrong = ""
            if count != needed:
                wrong = f"it gave {count} parts where {needed} are needed"
            elif any(len(Caption.parse(part).parts) > 1 for part in answer.caption.parts):
                wrong = "it gave a part with ` // ` in it"
            if wrong:
                error = ServiceError(name, wrong, retryable=False)
                answer = TranslationFailure(item.meme_id, item.target.tag, error, answer.cost)
        return answer, item

    def abandoned(self) -> list[TranslationItem]:
        """Items that were taken and never answered."""
        items = [item for item, _ in self._flying.values()]
        self._flying.clear()
        return items


def _key(item: TranslationItem) -> _Key:
    return (item.meme_id, item.target.tag)
