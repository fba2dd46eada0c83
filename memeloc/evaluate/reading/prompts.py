"""Prompts of answers made elsewhere. In: prompts' numbers or texts. Out: `Asked`, row by row.

A number counts as Multi3Hate's do (its code, `vlm/inference`): 0 to 5 for three wordings in two
orders, the even ones in the order of the run; 1 to 6 where there is no 0 and a 6. Of a text the
options are read as it lists them, in any language, and they say which order it is. An answer that
was stored with its prompt shows the options too; these go before the number.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from typing import Any

from memeloc.errors import InputError
from memeloc.evaluate.choices.languages import fold, folded, languages
from memeloc.evaluate.choices.options import known_options, option_alone, shown_options
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
    """A prompt as it was asked.

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
    is_other_order: bool


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
    texts: Prompts
    orders: int = 2
    language: str = ""
    options: Shown = ()
    notes: list[str] = field(default_factory=list)

    def read(self, rows: Sequence[Any]) -> list[Asked]:
        """Return what each row answers.

        Raises:
            InputError: a number is none of a prompt; the row is named.
        """
        numbers = [re.fullmatch(r"\s*(\d{1,4})(?:\.0)?\s*", row.prompt) for row in rows]
        given = [int(number[1]) for number in numbers if number]
        if len(given) < len(rows):
            wordings = _wordings(rows)
            return [self._asked(row, row.prompt, wordings[row.prompt], 0) for row in rows]
        wording_count = max(len(texts.wordings) for texts in self.texts.languages.values())
        first = int(0 not in given and max(given) == wording_count * self.orders)
        if first:
            self.notes.append(
                f"Prompts are numbered {min(given)} to {max(given)}: prompt 1 is taken for the "
                "first wording in the first order."
            )
        asked = []
        for row, number in zip(rows, given, strict=True):
            if number < first:
                raise wrong(row, f"the prompt {row.prompt[:20]!r} is below {first}")
            each = self._asked(row, None, *divmod(number - first, self.orders))
            asked.append(replace(each, number=str(number)))
        return asked

    def _asked(self, row: Any, prompt: str | None, wording: int, order: int) -> Asked:
        """Return what an answer says of its prompt, of which the text or the number is known."""
        long = len(row.answer) > _SHORTEST_PROMPT
        text = prompt or (answer_in(row.answer).shown if long else "")
        shown = shown_options(text)
        if not shown and not text and long:
            listed = shown_options(row.answer)
            if listed and row.answer.rfind(listed[0][1]) >= _SHORTEST_PROMPT:
                shown, text = listed, row.answer
        language = self.language or language_of(text)
        own = self.texts.languages.get(language or "en")
        in_order = self.labels[::-1] if order else self.labels
        labels, options = labels_of(tuple(shown), self.labels), tuple(shown)
        is_other = bool(labels) and self.orders == 2 and labels != in_order
        if not labels:
            letters = tuple(zip("abcdefghijklmnopqrstuvwxyz", self.labels, strict=False))
            options = self.options or (own.choices(0, self.labels).options if own else letters)
            names = [name for _, name in options][:: -1 if order else 1]
            options = tuple(
                (marker, name) for (marker, _), name in zip(options, names, strict=True)
            )
            labels = in_order
        if is_other:
            order = 1 - order
        if prompt is None:
            prompt = own.wordings[wording] if own and wording < len(own.wordings) else ""
        number = str(wording * self.orders + order)
        tag = language or "en"
        return Asked(options, labels, wording + 1, order, number, tag, prompt, is_other)


def labels_of(shown: Shown, labels: Sequence[str]) -> tuple[str, ...]:
    """Return the label that each option is, in any language; nothing where one is none, or two."""
    known = known_options(tuple(("", label) for label in labels))
    hits = [option_alone(folded(name), known) for _, name in shown]
    places = [hit[0] for hit in hits if hit is not None and hit[0] >= 0]
    is_whole = len(places) == len(hits) and len({*places}) == len(labels)
    return tuple(labels[place] for place in places) if is_whole else ()


def _wordings(rows: Sequence[Any]) -> dict[str, int]:
    """Return by prompt's text the number of its wording, from 0.

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
    options = {fold(f"{marker}{name}").squeezed()[0] for marker, name in shown_options(prompt)}
    parts = (
        fold(part).squeezed()[0]
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
    scores = {tag: len(words & _short_words(tag)) for tag in languages()}
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
    lists = languages()[tag]
    text = " ".join(
        phrase
        for name in ("answer", "is", "option", "before", "and", "because")
        for phrase in lists[name]
    )
    return frozenset(re.findall(r"\w{2,}", text))
