"""Planning and doing. In: items, a translator, a budget. Out: answers as they come.

The memory is asked first. What it does not know goes to the translator, each text once. An answer
is handed on at once, so that whoever stores it loses nothing when the run is killed and asks
nothing twice in the next one. Money is held back for requests under way: the most they can cost, so
that the budget is never passed, whatever has to be asked again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from time import sleep
from typing import Any

from memeloc.errors import InputError, MemelocError
from memeloc.model import Caption
from memeloc.translate.gate import ClaimState, Gate, key_of
from memeloc.translate.memory import TranslationMemory, from_match
from memeloc.translate.protocol import (
    Answer,
    Translation,
    TranslationFailure,
    TranslationItem,
    Translator,
    failure,
    filled,
)

REPEATED = "repeated"
"""The mark of a caption whose text was translated for another meme on the same template."""

WAIT_SECONDS = 1.0
"""Between two looks at what other programs work on."""
_DIGITS = 6
"""Digits of costs after the point."""


@dataclass(frozen=True, slots=True)
class LanguagePlan:
    """What is to be done for one language.

    Of its `captions` some are filled by the memory, some repeat a text that is asked for once, some
    are empty. `strings`, `characters`, `cost` and `most` are of the rest, see `Estimate`.
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
class Plan(LanguagePlan):
    """What a run would do: the sums over all languages, and each language by its tag."""

    translator: str
    currency: str
    languages: Mapping[str, LanguagePlan]


@dataclass(slots=True)
class RunSummary:
    """What a run came to: how many captions became what, and what was billed.

    Attributes:
        from_memory, repeated, empty: captions that needed no asking.
        elsewhere: captions that another program has translated meanwhile.
        left: captions that were not asked for, because the budget or an error ended the run.
        stopped: what ended the run, if an error did.
        cost, characters: what was billed, of failures too.
        marks: how many captions carry each mark; similar ones count as `fuzzy`.
    """

    plan: Plan
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
) -> Plan:
    """What `run` would do with these: asks nobody.

    Raises:
        InputError: a meme stands among the items twice for one language.
    """
    return _Work(items, memory, fuzzy).plan(translator)


def run(
    items: Iterable[TranslationItem],
    translator: Translator,
    memory: TranslationMemory | None = None,
    *,
    fuzzy: float | None = None,
    budget: float | None = None,
    on_answer: Callable[[Translation], None],
    on_failure: Callable[[TranslationFailure], None] | None = None,
    claim: Callable[[Sequence[Sequence[TranslationItem]]], Sequence[ClaimState]] | None = None,
    on_wait: Callable[[int], None] | None = None,
) -> RunSummary:
    """Translate items, each meme once a language.

    Args:
        translator: who translates what the memory does not know.
        memory: asked first.
        fuzzy: the least similarity of a match that the memory may fill; None is exact ones only.
        budget: in the translator's currency; the run ends before more than this can be spent.
        on_answer: gets each translation as it comes, in this thread; Ctrl-C waits until it is done.
            A MemelocError that it raises ends the run.
        on_failure: gets each failure; they are in the summary too.
        claim: claims items before anybody is asked for them, where other programs may do the same
            work: groups of items that get the same answer.
        on_wait: gets how many items are left that other programs work on, each time before they
            are waited for.

    Raises:
        InputError: a meme stands among the items twice for one language.
        KeyboardInterrupt: Ctrl-C, after requests under way have been handed to `on_answer`.
    """
    work = _Work(items, memory, fuzzy)
    summary = RunSummary(work.plan(translator))
    gate = Gate(work.asked, translator, budget, claim and partial(work.claim, claim))

    def deliver(answer: Answer, item: TranslationItem) -> None:
        with gate.uninterrupted():
            for each in (answer, *(_repeat(answer, twin) for twin in work.twins(item))):
                store(each)

    def store(answer: Answer) -> None:
        try:
            if isinstance(answer, Translation):
                on_answer(answer)
                summary.count(answer)
                return
        except MemelocError as error:
            summary.failures.append(TranslationFailure(answer.meme_id, answer.language, error))
            raise
        summary.failures.append(answer)
        if on_failure is not None:
            on_failure(answer)

    for ready in work.ready:
        gate.check()
        with gate.uninterrupted():
            on_answer(ready)
        summary.count(ready)
    while gate.waiting or gate.held:
        gate.check()
        if not gate.ready():
            if on_wait is not None and gate.held:
                on_wait(len(gate.held))
            sleep(WAIT_SECONDS if gate.held else 0)
            gate.retry()
            continue
        before = len(gate.waiting)
        answers = translator.translate(gate.take())
        try:
            for answer in answers:
                summary.cost += answer.cost
                summary.characters += answer.characters
                deliver(*gate.settle(answer))
        except MemelocError as error:
            summary.stopped = error
            for item in gate.abandoned():
                deliver(failure(item, error), item)
            break
        finally:
            del answers  # an error in storing must not leave requests behind
        if gate.stopped is not None:
            summary.stopped = gate.stopped
            break
        if len(gate.waiting) == before:
            summary.over_budget = True
            break
    gate.check()
    summary.cost = round(summary.cost, _DIGITS)
    # Answers come in any order.
    summary.failures.sort(key=lambda each: work.places[each.meme_id, each.language])
    summary.left = work.count([*gate.waiting, *gate.held])
    summary.elsewhere = work.count(gate.elsewhere)
    return summary


def _repeat(answer: Answer, twin: TranslationItem) -> Answer:
    """The same answer for another meme with the same text; it costs nothing."""
    if isinstance(answer, TranslationFailure):
        return replace(answer, meme_id=twin.meme_id, characters=0, cost=0.0)
    marks = (*answer.marks, REPEATED)
    return replace(answer, meme_id=twin.meme_id, marks=marks, characters=0, cost=0.0)


class _Work:
    """Items by what is to be done with them: `ready` answers, and one of `asked` for each text."""

    def __init__(
        self,
        items: Iterable[TranslationItem],
        memory: TranslationMemory | None,
        fuzzy: float | None,
    ) -> None:
        self.ready: list[Translation] = []
        self._first: dict[tuple[object, ...], TranslationItem] = {}
        self._twins: dict[tuple[str, str], list[TranslationItem]] = {}
        self.places: dict[tuple[str, str], int] = {}
        self._captions: Counter[str] = Counter()
        for item in items:
            language = item.target.tag
            if key_of(item) in self.places:
                raise InputError(f"meme {item.meme_id} is to be translated into {language} twice")
            self.places[key_of(item)] = len(self.places)
            self._captions[language] += 1
            match = memory.find(item, fuzzy) if memory is not None else None
            if not filled(item):
                nothing = Caption(("",) * len(item.source.parts))
                self.ready.append(Translation(item.meme_id, language, nothing, "none"))
            elif match is not None:
                self.ready.append(from_match(item, match))
            else:
                # A template is part of what a translator may have seen, so it is part of the text.
                template = item.template.name if item.template else None
                text = (item.source.parts, item.source_locale.tag, language, template)
                first = self._first.setdefault(text, item)
                if first is not item:
                    self._twins.setdefault(key_of(first), []).append(item)
        order = list(self._captions)
        self.asked = sorted(self._first.values(), key=lambda item: order.index(item.target.tag))

    def twins(self, item: TranslationItem) -> list[TranslationItem]:
        """Other items that get this one's answer."""
        return self._twins.get(key_of(item), [])

    def count(self, items: Iterable[TranslationItem]) -> int:
        """How many items they are with their twins."""
        return sum(1 + len(self.twins(item)) for item in items)

    def claim(
        self,
        claim: Callable[[Sequence[Sequence[TranslationItem]]], Sequence[ClaimState]],
        items: Sequence[TranslationItem],
    ) -> Sequence[ClaimState]:
        """Claim items together with their twins."""
        return claim([[item, *self.twins(item)] for item in items])

    def plan(self, translator: Translator) -> Plan:
        """What is to be done, and what it costs."""
        languages = {tag: self._language_plan(tag, translator) for tag in self._captions}
        totals: dict[str, Any] = {
            each.name: round(sum(getattr(plan, each.name) for plan in languages.values()), _DIGITS)
            for each in fields(LanguagePlan)
        }
        return Plan(
            translator=translator.name, currency=translator.currency, languages=languages, **totals
        )

    def _language_plan(self, language: str, translator: Translator) -> LanguagePlan:
        ready = [answer for answer in self.ready if answer.language == language]
        asked = [item for item in self.asked if item.target.tag == language]
        estimate = translator.estimate(asked)
        from_memory = sum(answer.translator == "memory" for answer in ready)
        return LanguagePlan(
            captions=self._captions[language],
            from_memory=from_memory,
            repeated=sum(len(self.twins(item)) for item in asked),
            empty=len(ready) - from_memory,
            strings=estimate.strings,
            characters=estimate.characters,
            cost=round(estimate.cost, _DIGITS),
            most=round(estimate.most, _DIGITS),
        )
