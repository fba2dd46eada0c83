"""Google Cloud Translation v3. In: items, settings, Google's own credentials. Out: answers.

As in multi3hate (section 3.2) the parts of a caption are sent together with ` // ` between them, so
that the service sees the whole. Where the separator does not come back the right number of times
the caption is sent again part by part and marked `separator lost`. A batch that is refused is sent
again in halves, until the text that is refused stands alone. A request without an answer counts as
if it had been billed, and is sent once more.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from memeloc.counts import counted
from memeloc.errors import InputError, MemelocError, ServiceError
from memeloc.language_models.connections import UnansweredError
from memeloc.model import SEPARATOR, Caption
from memeloc.request_pool import Backoff, TransientFailure, ask_in_parallel
from memeloc.settings import validate
from memeloc.translate.google_client import (
    Connection,
    GoogleSettings,
    RefusedError,
)
from memeloc.translate.protocol import (
    Answer,
    Estimate,
    Translation,
    TranslationItem,
    failure,
    filled,
    filled_texts,
    merged,
    pair_of,
)

MAX_STRINGS = 1024
"""Strings in one request: the field `contents` of TranslateTextRequest."""
MAX_CODE_POINTS = 5000
"""Code points in one request that Google recommends; the service counts its quota in them too."""
MOST_REFUSED = 20
"""Texts of a language pair in a row that are refused alone before batches are not halved."""
UNANSWERED = 2
"""Requests of a batch that may stay without an answer: the last one is not sent again."""
_EMPTY = "it gave an empty text, or none"
Send = Callable[[Sequence[str], TranslationItem], tuple[Sequence[str], Mapping[str, str]]]
"""Translates texts in the languages of an item, and names what made them."""


def from_settings(settings: Mapping[str, Any]) -> GoogleTranslator:
    """Return the translator, from a table of settings."""
    return GoogleTranslator(validate(GoogleSettings, settings, "the translator google"))


class GoogleTranslator:
    """Asks Google Cloud Translation v3 over REST.

    Raises:
        InputError: a setting makes no sense.
    """

    name = "google"
    currency = "USD"

    def __init__(self, settings: GoogleSettings | None = None, backoff: Backoff | None = None):
        self.settings = settings or GoogleSettings()
        self.backoff = backoff or Backoff()
        self._refused: dict[tuple[str, str], int] = {}
        if self.settings.glossary and self.settings.location == "global":
            raise InputError(
                "a glossary needs the region it stands in: set location in [translate.google] "
                "of memeloc.toml, as us-central1"
            )

    def estimate(self, items: Sequence[TranslationItem]) -> Estimate:
        """Return strings, code points, dollars; at the most, all is sent in parts too, twice."""
        strings = characters = most = 0
        for item in items:
            text = _joined(item)
            if not text or len(text) > MAX_CODE_POINTS:
                continue
            parts = filled_texts(item)
            strings += 1
            characters += len(text)
            most += 2 * (len(text) + (sum(map(len, parts)) if len(parts) > 1 else 0))
        return Estimate(strings, characters, self._price(characters), self._price(most))

    def translate(self, items: Iterable[TranslationItem]) -> Iterator[Answer]:
        """See `Translator.translate`.

        Raises:
            MissingError: google-auth, the credentials or the project are missing.
            ServiceError: Google refuses these credentials, this project or this glossary, or left
                several requests in a row unanswered.
        """
        refused: list[Answer] = []
        answers: Iterator[Answer] = ask_in_parallel(
            _batches(items, refused.append),
            partial(self._ask_counted, Connection(self.settings)),
            self._failed,
            at_once=self.settings.at_once,
            stop=self.backoff.stop,
        )
        yield from answers
        yield from refused

    def _price(self, characters: int) -> float:
        return characters * self.settings.price_per_million / 1e6

    def _ask_counted(
        self, connection: Connection, batch: Sequence[TranslationItem]
    ) -> list[Answer]:
        """Ask; the first answer bears what requests without an answer may have cost."""
        unanswered: list[int] = []
        try:
            first, *rest = self._ask(partial(self._send, connection, unanswered), batch)
        except ServiceError as error:
            error.cost = self._price(sum(unanswered))
            raise
        more = sum(unanswered)
        characters, cost = first.characters + more, first.cost + self._price(more)
        return [replace(first, characters=characters, cost=cost), *rest]

    def _ask(self, send: Send, batch: Sequence[TranslationItem]) -> list[Answer]:
        joined = [_joined(item) for item in batch]
        try:
            texts, provenance = send(joined, batch[0])
        except RefusedError as error:
            return self._halved(send, batch, error)
        if len(texts) != len(batch):  # what was sent is billed
            gave = f"it gave {counted(len(texts), 'text')} for {len(batch)}"
            wrong = ServiceError("google", f"{gave}; run the command again", retryable=True)
            return [
                failure(item, wrong, self._price(len(sent)), len(sent))
                for item, sent in zip(batch, joined, strict=True)
            ]
        self._refused.pop(pair_of(batch[0]), None)
        answers: list[Answer] = []
        lost: list[TranslationItem] = []
        for item, sent, text in zip(batch, joined, texts, strict=True):
            parts = _split(item, text)
            if parts is None:
                lost.append(item)
            else:
                answers.append(self._translation(item, parts, len(sent), provenance))
        return answers + self._part_by_part(send, lost)

    def _halved(
        self, send: Send, batch: Sequence[TranslationItem], error: RefusedError
    ) -> list[Answer]:
        """Ask again in halves, for one text of a batch may be what is refused: it ends alone.

        Where many in a row are refused alone it is their language that Google does not take.
        """
        pair = pair_of(batch[0])
        if len(batch) == 1:
            self._refused[pair] = self._refused.get(pair, 0) + 1
        if len(batch) == 1 or self._refused.get(pair, 0) >= MOST_REFUSED:
            return [failure(item, error) for item in batch]
        first, second = batch[: len(batch) // 2], batch[len(batch) // 2 :]
        answers = self._ask(send, first)
        try:
            return answers + self._ask(send, second)
        except ServiceError as trouble:  # what is answered of the first half is not lost with it
            return answers + self._failed(second, trouble)

    def _failed(self, batch: Sequence[TranslationItem], error: MemelocError) -> list[Answer]:
        """Return the failures of a batch; the first bears what the error has cost."""
        cost = error.cost if isinstance(error, ServiceError) else 0.0
        costs = [cost, *[0.0] * (len(batch) - 1)]
        return [failure(item, error, cost) for item, cost in zip(batch, costs, strict=True)]

    def _part_by_part(self, send: Send, items: Sequence[TranslationItem]) -> list[Answer]:
        """Ask again for captions whose separator was lost. They have been billed once already."""
        if not items:
            return []
        parts = [part for item in items for part in filled_texts(item)]
        texts: Sequence[str] = ()
        provenance: Mapping[str, str] = {}
        trouble: MemelocError = ServiceError("google", _EMPTY, retryable=False)
        is_answered = True
        try:
            texts, provenance = send(parts, items[0])
        except MemelocError as error:
            trouble, is_answered = error, False
        coming = iter(texts)
        answers: list[Answer] = []
        for item in items:
            sizes = [len(_joined(item))]
            sizes += map(len, filled_texts(item)) if is_answered else []
            own = [next(coming, "").strip() for _ in filled(item)]
            if len(texts) == len(parts) and all(own):
                answers.append(
                    self._translation(item, own, sum(sizes), provenance, "separator lost")
                )
            else:
                cost = self._price(sum(sizes))
                answers.append(failure(item, trouble, cost, sum(sizes), wrong=is_answered))
        return answers

    def _translation(
        self,
        item: TranslationItem,
        parts: Sequence[str],
        characters: int,
        provenance: Mapping[str, str],
        *marks: str,
    ) -> Translation:
        caption, cost = merged(item, parts), self._price(characters)
        about = (marks, characters, cost, provenance)
        return Translation(item.meme_id, item.target.tag, caption, self.name, *about)

    def _send(
        self,
        connection: Connection,
        unanswered: list[int],
        texts: Sequence[str],
        item: TranslationItem,
    ) -> tuple[Sequence[str], Mapping[str, str]]:
        """See `Send`; `unanswered` gets the characters of each request without an answer."""

        def passing(error: Exception) -> TransientFailure | None:
            if not isinstance(error, ServiceError) or not error.retryable:
                return None
            if isinstance(error, UnansweredError):
                unanswered.append(sum(map(len, texts)))
                if len(unanswered) >= UNANSWERED:
                    return TransientFailure(error, math.inf)
            return TransientFailure(error, error.wait)

        return self.backoff.ask(
            lambda: connection.send(texts, item.source_locale, item.target), passing
        )


def _joined(item: TranslationItem) -> str:
    return SEPARATOR.join(filled_texts(item))


def _split(item: TranslationItem, text: str) -> list[str] | None:
    """Return the parts of an answer, or None when there are not as many as were sent.

    Separators that lost their spaces, or came back full-width, count, where no part has a `//` of
    its own.
    """
    expected = len(filled(item))
    if expected == 1:
        return [text.strip()] if text.strip() else None
    counts = () if any("//" in part for part in item.source.parts) else (expected,)
    parts = list(Caption.parse(text, *counts).parts)
    return parts if len(parts) == expected and all(parts) else None


def _batches(
    items: Iterable[TranslationItem], refuse: Callable[[Answer], None]
) -> Iterator[list[TranslationItem]]:
    """Items in batches of one language pair within Google's limits; too long ones are refused."""
    batch: list[TranslationItem] = []
    total = 0
    for item in items:
        size = len(_joined(item))
        if size > MAX_CODE_POINTS:
            error = InputError(
                f"the caption of meme {item.meme_id} has {counted(size, 'character')} "
                "and Google takes "
                f"{MAX_CODE_POINTS:,} at once; shorten it, or leave it out"
            )
            refuse(failure(item, error))
            continue
        full = len(batch) == MAX_STRINGS or total + size > MAX_CODE_POINTS
        if batch and (full or pair_of(item) != pair_of(batch[0])):
            yield batch
            batch, total = [], 0
        batch.append(item)
        total += size
    if batch:
        yield batch
