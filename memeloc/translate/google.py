"""Google Cloud Translation v3. In: items, settings, Google's own credentials. Out: answers.

As in multi3hate (section 3.2) the parts of a caption are sent together with ` // ` between them, so
that the service sees the whole. Where the separator does not come back the right number of times
the caption is sent again part by part and marked `separator lost`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memeloc.errors import InputError, MemelocError, ServiceError
from memeloc.model import SEPARATOR, Caption, Locale
from memeloc.request_pool import Backoff, ask_in_parallel
from memeloc.settings import validate
from memeloc.translate.google_client import Connection, GoogleSettings, RefusedError
from memeloc.translate.protocol import (
    Answer,
    Estimate,
    Translation,
    TranslationFailure,
    TranslationItem,
    filled,
    merged,
)

MAX_STRINGS = 1024
"""Strings in one request: the field `contents` of TranslateTextRequest."""
MAX_CODE_POINTS = 5000
"""Code points in one request that Google recommends; the service counts its quota in them too."""
_LOOSE = re.compile(r"\s*(?://|／／)\s*")


def from_settings(settings: Mapping[str, Any]) -> GoogleTranslator:
    """The translator, from a table of settings."""
    return GoogleTranslator(validate(GoogleSettings, settings, "the translator google"))


@dataclass(slots=True)
class _Batch:
    """Items of one language pair that fit one request."""

    items: list[TranslationItem] = field(default_factory=list)
    code_points: int = 0

    def takes(self, item: TranslationItem, size: int) -> bool:
        first = self.items[0]
        return (
            (first.source_locale.tag, first.target.tag) == (item.source_locale.tag, item.target.tag)
            and len(self.items) < MAX_STRINGS
            and self.code_points + size <= MAX_CODE_POINTS
        )


class GoogleTranslator:
    """Asks Google Cloud Translation v3 through google-cloud-translate.

    Args:
        settings: see `GoogleSettings`.
        backoff: how it waits when the service refuses for quota or is not there.

    Raises:
        InputError: a setting makes no sense.
    """

    name = "google"
    currency = "USD"

    def __init__(self, settings: GoogleSettings | None = None, backoff: Backoff | None = None):
        self.settings = settings or GoogleSettings()
        self.backoff = backoff or Backoff()
        if self.settings.transport not in ("grpc", "rest"):
            raise InputError(
                f"the transport to Google is grpc or rest, not {self.settings.transport!r}"
            )
        if self.settings.glossary and self.settings.location == "global":
            raise InputError(
                "a glossary needs the region it stands in: set location in [translate.google] "
                "of memeloc.toml, as us-central1"
            )

    def estimate(self, items: Sequence[TranslationItem]) -> Estimate:
        """Strings, code points and dollars; at the most, every caption is sent part by part too."""
        strings = characters = most = 0
        for item in items:
            text = _joined(item)
            if not text or len(text) > MAX_CODE_POINTS:
                continue
            parts = [item.source.parts[index] for index in filled(item)]
            strings += 1
            characters += len(text)
            most += len(text) + (sum(map(len, parts)) if len(parts) > 1 else 0)
        return Estimate(strings, characters, self._price(characters), self._price(most))

    def translate(self, items: Iterable[TranslationItem]) -> Iterator[Answer]:
        """See `Translator.translate`.

        Raises:
            MissingError: google-cloud-translate, the credentials or the project are missing.
            ServiceError: Google refuses these credentials, this project or this glossary, or left
                several requests in a row unanswered.
        """
        connection = Connection(self.settings)
        refused: list[Answer] = []

        def ask(batch: _Batch) -> list[Answer]:
            return self._ask(connection, batch)

        def failed(batch: _Batch, error: MemelocError) -> list[Answer]:
            return [_failure(item, error) for item in batch.items]

        yield from ask_in_parallel(
            _batches(items, refused),
            ask,
            failed,
            at_once=self.settings.at_once,
            stop=self.backoff.stop,
        )
        yield from refused

    def _price(self, characters: int) -> float:
        return characters * self.settings.price_per_million / 1e6

    def _ask(self, connection: Connection, batch: _Batch) -> list[Answer]:
        """The answers of one batch. Runs in a thread of its own."""
        source, target = batch.items[0].source_locale, batch.items[0].target
        joined = [_joined(item) for item in batch.items]
        try:
            texts = self._send(connection, joined, source, target)
        except RefusedError as error:
            if error.for_all:
                raise
            return [_failure(item, error) for item in batch.items]
        answers: list[Answer] = []
        lost: list[TranslationItem] = []
        for item, sent, text in zip(batch.items, joined, texts, strict=True):
            parts = _split(item, text)
            if parts is None:
                lost.append(item)
            else:
                answers.append(self._translation(item, parts, len(sent)))
        return answers + self._part_by_part(connection, lost)

    def _part_by_part(
        self, connection: Connection, items: Sequence[TranslationItem]
    ) -> list[Answer]:
        """Ask again for captions whose separator was lost. They have been billed once already."""
        answers: list[Answer] = []
        for group in _part_groups(items):
            parts = [item.source.parts[index] for item in group for index in filled(item)]
            try:
                texts = iter(self._send(connection, parts, group[0].source_locale, group[0].target))
            except MemelocError as error:
                answers += [
                    _failure(item, error, self._price(len(_joined(item)))) for item in group
                ]
                continue
            for item in group:
                own = [next(texts).strip() for _ in filled(item)]
                sent = len(_joined(item)) + sum(len(item.source.parts[i]) for i in filled(item))
                if all(own):
                    answers.append(self._translation(item, own, sent, "separator lost"))
                else:
                    empty = ServiceError("google", "it gave back an empty text", retryable=False)
                    answers.append(_failure(item, empty, self._price(sent)))
        return answers

    def _translation(
        self, item: TranslationItem, parts: Sequence[str], characters: int, *marks: str
    ) -> Translation:
        return Translation(
            item.meme_id,
            item.target.tag,
            merged(item, parts),
            self.name,
            marks,
            characters,
            self._price(characters),
        )

    def _send(
        self, connection: Connection, texts: Sequence[str], source: Locale, target: Locale
    ) -> list[str]:
        answers = self.backoff.ask(
            lambda: connection.send(texts, source, target), connection.passing
        )
        if len(answers) != len(texts):
            raise ServiceError(
                "google",
                f"it gave {len(answers)} texts for {len(texts)}; run the command again",
                retryable=True,
            )
        return answers


def _joined(item: TranslationItem) -> str:
    """What is sent for an item first: its filled parts, joined."""
    return SEPARATOR.join(item.source.parts[index] for index in filled(item))


def _split(item: TranslationItem, text: str) -> list[str] | None:
    """The parts of what came back, or None when there are not as many as were sent.

    Separators that lost their spaces, or came back full-width, count, where no part has a `//` of
    its own.
    """
    expected = len(filled(item))
    if expected == 1:
        return [text.strip()] if text.strip() else None
    candidates = [list(Caption.parse(text).parts)]
    if not any("//" in part for part in item.source.parts):
        candidates.append([part.strip() for part in _LOOSE.split(text)])
    return next((parts for parts in candidates if len(parts) == expected and all(parts)), None)


def _batches(items: Iterable[TranslationItem], refused: list[Answer]) -> Iterator[_Batch]:
    """Items in batches of one language pair within Google's limits; too long ones are refused."""
    batch = _Batch()
    for item in items:
        size = len(_joined(item))
        if size > MAX_CODE_POINTS:
            error = InputError(
                f"the caption of meme {item.meme_id} has {size:,} characters and Google takes "
                f"{MAX_CODE_POINTS:,} at once; shorten it, or leave it out"
            )
            refused.append(_failure(item, error))
            continue
        if batch.items and not batch.takes(item, size):
            yield batch
            batch = _Batch()
        batch.items.append(item)
        batch.code_points += size
    if batch.items:
        yield batch


def _part_groups(items: Sequence[TranslationItem]) -> Iterator[list[TranslationItem]]:
    """Items in groups whose parts, taken singly, keep to the limits of a request."""
    group: list[TranslationItem] = []
    strings = 0
    for item in items:
        count = len(filled(item))
        if group and strings + count > MAX_STRINGS:
            yield group
            group, strings = [], 0
        group.append(item)
        strings += count
    if group:
        yield group


def _failure(item: TranslationItem, error: MemelocError, cost: float = 0.0) -> TranslationFailure:
    return TranslationFailure(item.meme_id, item.target.tag, error, cost)
