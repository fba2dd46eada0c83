"""Which prompt an answer answers. In: prompts' numbers or texts. Out: `Asked`, row by row.

A number counts as Multi3Hate's do (its code, `vlm/inference`): 0 to 5 for three wordings in two
orders, the even ones in the order of the run; 1 to 6 where there is no 0 and a 6. Of a text the
options are read as it lists them, in any language, and they say which order it is. An answer that
was stored with its prompt shows the options too; these go before the number.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any

from memeloc.errors import InputError
from memeloc.evaluate.choices.folding import fold, folded, squeezed
from memeloc.evaluate.choices.languages import languages
from memeloc.evaluate.choices.options import known_options, shown_options
from memeloc.evaluate.choices.places import option_alone
from memeloc.evaluate.choices.transcripts import answer_in
from memeloc.evaluate.runs.prompt_texts import Prompts

Shown = tuple[tuple[str, str], ...]
"""Marker and name of each option, in the order shown."""


def wrong(row: Any, message: str) -> InputError:
    """Return an error in a row of answers."""
    return InputError(message, file=row.file, row=row.row)


_SHORTEST_PROMPT = 60
"""Letters before a list of options that make them part of a prompt and not of an answer."""
_MOST_WORDINGS = 40


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked.

    Attributes:
        options: as they were shown; labels: the label that each of them is.
        number: of the prompt in outputs: that of the file, or counted from 0.
        language: of the prompt; text: of the prompt, or of one of the same wording.
        is_other_order: whether the options that the answer repeats contradict the number.
    """

    options: Shown
    labels: tuple[str, ...]
    wording: int
    order: int
    number: str
    language: str
    text: str
    is_other_order: bool = False


@dataclass(slots=True, eq=False)
class PromptReader:
    """Tells prompts by number or text, for options that all items share.

    Attributes:
        labels: of the run, in the order in which order 0 shows them.
        texts: of the run's own prompts, for options that nothing shows.
        orders: how many orders the run has, 1 or 2.
        language: of the prompts; empty to read it from their text.
        options: as the user gives them, in order 0.
    """

    labels: tuple[str, ...]
    texts: Prompts | None
    orders: int = 2
    language: str = ""
    options: Shown = ()
    notes: list[str] = field(default_factory=list)

    def read(self, rows: Sequence[Any]) -> list[Asked]:
        """What each row answers.

        Raises:
            InputError: a number is none of a prompt; the row is named.
        """
        numbers = [_number(row.prompt) for row in rows]
        given = [number for number in numbers if number is not None]
        if len(given) == len(rows) and rows:
            first = self._first(given)
            return [
                self._numbered(row, number - first, first)
                for row, number in zip(rows, given, strict=True)
            ]
        wordings = _wordings(rows)
        return [self._worded(row, wordings[row.prompt]) for row in rows]

    def _first(self, numbers: Sequence[int]) -> int:
        wordings = 3
        if self.texts is not None:
            wordings = max(len(texts.wordings) for texts in self.texts.languages.values())
        is_from_1 = 0 not in numbers and max(numbers) == wordings * self.orders
        if is_from_1:
            self.notes.append(
                f"Prompts are numbered {min(numbers)} to {max(numbers)}: prompt 1 is taken for the "
                "first wording in the first order."
            )
        return int(is_from_1)

    def _numbered(self, row: Any, number: int, first: int) -> Asked:
        if number < 0:
            raise wrong(row, f"the prompt {row.prompt[:20]!r} is below {first}")
        wording, order = divmod(number, self.orders)
        language, shown = self._shown(row, "")
        text = self._own_text(language or self.language, wording)
        options, labels, is_other = self._options(shown, order, language)
        if is_other:
            order = 1 - order
        number_given = str(number + first)
        return Asked(
            options, labels, wording + 1, order, number_given, language or "en", text, is_other
        )

    def _worded(self, row: Any, wording: int) -> Asked:
        language, shown = self._shown(row, row.prompt)
        options, labels, is_other = self._options(shown, 0, language)
        order = int(is_other)
        number = str(wording * self.orders + order)
        return Asked(options, labels, wording + 1, order, number, language or "en", row.prompt)

    def _shown(self, row: Any, prompt: str) -> tuple[str, Shown]:
        """The prompt's language, and the options that it or the stored answer shows."""
        stored = answer_in(row.answer).shown if len(row.answer) > _SHORTEST_PROMPT else ""
        text = prompt or stored
        shown = shown_options(text)
        if not shown and not text and len(row.answer) > _SHORTEST_PROMPT:
            listed = shown_options(row.answer)
            if listed and row.answer.rfind(listed[0][1]) >= _SHORTEST_PROMPT:
                shown, text = listed, row.answer
        return self.language or language_of(text), tuple(shown)

    def _options(
        self, shown: Shown, order: int, language: str
    ) -> tuple[Shown, tuple[str, ...], bool]:
        """Options, their labels, and whether they stand in the other order than was said."""
        labels = labels_of(shown, self.labels) if shown else ()
        if labels:
            listed = self.labels[::-1] if order else self.labels
            return shown, labels, self.orders == 2 and labels != listed
        names = self.options or self._own_options(language)
        markers = tuple(marker for marker, _ in names)
        texts = tuple(name for _, name in names)
        own = self.labels
        if order:
            texts, own = texts[::-1], own[::-1]
        return tuple(zip(markers, texts, strict=True)), own, False

    def _own_options(self, language: str) -> Shown:
        texts = self.texts.languages.get(language or "en") if self.texts else None
        if texts is not None:
            return texts.choices(0, self.labels).options
        return tuple(zip("abcdefghijklmnopqrstuvwxyz", self.labels, strict=False))

    def _own_text(self, language: str, wording: int) -> str:
        texts = self.texts.languages.get(language or "en") if self.texts else None
        return texts.wordings[wording] if texts and wording < len(texts.wordings) else ""


def labels_of(shown: Shown, labels: Sequence[str]) -> tuple[str, ...]:
    """The label that each option is, whatever its language; nothing where one is none, or two."""
    known = known_options(tuple(("", label) for label in labels))
    places = []
    for _, name in shown:
        hit = option_alone(folded(name), known)
        if hit is None or hit[0] < 0:
            return ()
        places.append(hit[0])
    return tuple(labels[place] for place in places) if len({*places}) == len(labels) else ()


def _number(text: str) -> int | None:
    match = re.fullmatch(r"\s*(\d{1,4})(?:\.0)?\s*", text)
    return int(match.group(1)) if match else None


def _wordings(rows: Sequence[Any]) -> dict[str, int]:
    """Of each prompt's text the number of its wording, from 0.

    Texts that differ only in their options, and in lines that few items have (captions), are one
    wording.
    """
    items: dict[str, set[str]] = defaultdict(set)
    texts: dict[str, set[str]] = defaultdict(set)
    pieces: dict[str, tuple[str, ...]] = {}
    for row in rows:
        if row.prompt not in pieces:
            pieces[row.prompt] = _pieces(row.prompt)
        texts[row.item].add(row.prompt)
        for piece in pieces[row.prompt]:
            items[piece].add(row.item)
    shown = {prompt: tuple(shown_options(prompt)) for prompt in pieces}
    keys = pieces
    for share in (0.5, 0.1):
        least = max(2, share * len(texts)) if len(texts) > 1 else 1
        keys = {
            prompt: tuple(piece for piece in own if len(items[piece]) >= least)
            for prompt, own in pieces.items()
        }
        if all(len({(keys[p], shown[p]) for p in own}) == len(own) for own in texts.values()):
            break
    order = {key: place for place, key in enumerate(dict.fromkeys(keys.values()))}
    if len(order) > _MOST_WORDINGS:
        raise InputError(
            f"The prompts are {len(order):,} different texts, too many to be wordings; give their "
            "numbers as --prompt instead.",
            file=rows[0].file,
        )
    return {prompt: order[key] for prompt, key in keys.items()}


def _pieces(prompt: str) -> tuple[str, ...]:
    """Lines and sentences of a prompt without its options, folded."""
    options = {squeezed(fold(f"{marker}{name}"))[0] for marker, name in shown_options(prompt)}
    parts = (
        squeezed(fold(part))[0]
        for line in prompt.splitlines()
        for part in re.split(r"(?<=[.?!。？！।])\s+|(?<=[。？！।])", line)
    )
    return tuple(part for part in parts if part and part not in options)


@lru_cache(maxsize=4096)
def language_of(text: str) -> str:
    """The language of a prompt among those that there are rules of; empty where it cannot be read.

    By its script, or by how many of its words are among the short words of a language's rules.
    """
    if len(text) < _SHORTEST_PROMPT:
        return ""
    words = set(re.findall(r"[^\W\d_]{2,}", folded(text)))
    scores = {
        tag: len(words & _short_words(tag)) for tag in languages() if _short_words(tag) & words
    }
    for tag, letters in _SCRIPTS.items():
        if len(re.findall(f"[{letters}]", text)) > len(text) // 10:
            return tag
    best = max(scores, key=lambda tag: (scores[tag], tag == "en"), default="")
    return best if best and scores[best] >= 2 else ""


_SCRIPTS = {
    "ja": "\u3040-\u30ff",
    "zh": "\u4e00-\u9fff",
    "ko": "\uac00-\ud7a3",
    "hi": "\u0900-\u097f",
    "bn": "\u0980-\u09ff",
    "th": "\u0e00-\u0e7f",
}


@cache
def _short_words(tag: str) -> frozenset[str]:
    rules = languages()[tag]
    fields = (rules.answer, rules.is_, rules.option, rules.before, rules.and_, rules.because)
    return frozenset(
        word for phrases in fields for phrase in phrases for word in re.findall(r"\w{2,}", phrase)
    )
