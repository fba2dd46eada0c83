"""Google Cloud Translation v3. In: items, settings, Google's own credentials. Out: answers.

As in multi3hate (section 3.2) the parts of a caption are sent together with ` // ` between them, so
that the service sees the whole. Where the separator does not come back the right number of times
the caption is sent again part by part and marked `separator lost`.

The client is Google's; its two transports raise different exceptions for the same trouble: gRPC
`ResourceExhausted`, `ServiceUnavailable` and `DeadlineExceeded`, REST their parents
`TooManyRequests` and `GatewayTimeout`, and for a dropped connection an exception of `requests`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memeloc.errors import InputError, MemelocError, MissingError, ServiceError
from memeloc.model import SEPARATOR, Caption, Locale
from memeloc.translate.flight import Backoff, Refusal, fly
from memeloc.translate.protocol import (
    Answer,
    Estimate,
    Translation,
    TranslationFailure,
    TranslationItem,
    filled,
    merged,
)
from memeloc.translate.registry import read_settings

MAX_STRINGS = 1024
"""Strings in one request: the field `contents` of TranslateTextRequest."""
MAX_CODE_POINTS = 5000
"""Code points in one request that Google recommends; the service counts its quota in them too."""
PRICE = 20.0
"""US dollars a million characters: Google's list price of NMT, as of 2025, over the free 500,000 a
month, which are not counted here. https://cloud.google.com/translate/pricing"""

_LOCAL = re.compile(r"(?:http://)?(?:localhost|127(?:\.\d+){3}|\[::1\])(?::\d+)?/?")
_LOOSE = re.compile(r"\s*(?://|／／)\s*")


@dataclass(frozen=True, slots=True)
class GoogleSettings:
    """How Google is asked: the table `[translate.google]` of memeloc.toml.

    Attributes:
        project: id or number; else GOOGLE_CLOUD_PROJECT, else what the credentials name.
        location: `global`, or a region such as `us-central1`, which glossaries and models need.
        glossary: id or full name of a glossary, or a table of them by language tag.
        model: `general/nmt`, `general/translation-llm`, the id of one's own, or a full name.
        transport: `grpc` or `rest`.
        endpoint: another host, as `translate-eu.googleapis.com`. A local one (`localhost:8080`), or
            one written with `http://`, is asked in plain text and without credentials.
        price_per_million: US dollars a million characters.
        at_once: requests in flight.
        timeout: seconds for one request.
    """

    project: str = ""
    location: str = "global"
    glossary: str | Mapping[str, str] = ""
    model: str = ""
    transport: str = "grpc"
    endpoint: str = ""
    price_per_million: float = PRICE
    at_once: int = 4
    timeout: float = 60.0


def from_settings(settings: Mapping[str, Any]) -> GoogleTranslator:
    """The translator, from a table of settings."""
    return GoogleTranslator(read_settings(GoogleSettings, settings, "google"))


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
        connection = _Connection(self.settings)
        refused: list[Answer] = []

        def ask(batch: _Batch) -> list[Answer]:
            return self._ask(connection, batch)

        def failed(batch: _Batch, error: MemelocError) -> list[Answer]:
            return [_failure(item, error) for item in batch.items]

        yield from fly(
            _batches(items, refused),
            ask,
            failed,
            at_once=self.settings.at_once,
            stop=self.backoff.stop,
        )
        yield from refused

    def _price(self, characters: int) -> float:
        return characters * self.settings.price_per_million / 1e6

    def _ask(self, connection: _Connection, batch: _Batch) -> list[Answer]:
        """The answers of one batch. Runs in a thread of its own."""
        source, target = batch.items[0].source_locale, batch.items[0].target
        joined = [_joined(item) for item in batch.items]
        try:
            texts = self._send(connection, joined, source, target)
        except _RefusedError as error:
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
        self, connection: _Connection, items: Sequence[TranslationItem]
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
        self, connection: _Connection, texts: Sequence[str], source: Locale, target: Locale
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


class _Connection:
    """Google's client, set up once, and what its exceptions mean."""

    def __init__(self, settings: GoogleSettings) -> None:
        self._settings = settings
        try:
            from google.api_core import exceptions
            from google.auth import exceptions as auth_exceptions
            from google.cloud import translate_v3
            from requests import exceptions as http_exceptions
        except ImportError as error:
            raise MissingError(
                "the translator google needs google-cloud-translate: "
                "pip install 'memeloc[translate]'"
            ) from error
        self._errors = exceptions
        self._auth = auth_exceptions
        self._passing = (
            exceptions.TooManyRequests,  # REST; parent of gRPC's ResourceExhausted
            exceptions.ServiceUnavailable,
            exceptions.GatewayTimeout,  # REST; parent of gRPC's DeadlineExceeded
            exceptions.BadGateway,
            exceptions.InternalServerError,
            exceptions.Aborted,
            http_exceptions.ConnectionError,
            http_exceptions.Timeout,
            http_exceptions.ChunkedEncodingError,
            auth_exceptions.TransportError,
        )
        self._for_all = (
            exceptions.Unauthorized,
            exceptions.Forbidden,
            exceptions.NotFound,
            auth_exceptions.GoogleAuthError,
        )
        project = settings.project or os.environ.get("GOOGLE_CLOUD_PROJECT", "")
        if _is_plain(settings.endpoint):
            self._client = translate_v3.TranslationServiceClient(
                transport=_plain_transport(settings)
            )
            project = project or "local"
        else:
            self._client, named = self._authorised(translate_v3.TranslationServiceClient)
            project = project or named
        if not project:
            raise MissingError(
                "the translator google needs to know the project that pays: set "
                "GOOGLE_CLOUD_PROJECT, or project in [translate.google] of memeloc.toml"
            )
        self._parent = f"projects/{project}/locations/{settings.location}"

    def _authorised(self, client: Any) -> tuple[Any, str]:
        """A client with Application Default Credentials, and the project that these name."""
        import google.auth

        try:
            credentials, project = google.auth.default(
                scopes=["https://www.googleapis.com/auth/cloud-platform"]
            )
        except self._auth.DefaultCredentialsError as error:
            if file := os.environ.get("GOOGLE_APPLICATION_CREDENTIALS"):
                raise MissingError(
                    f"GOOGLE_APPLICATION_CREDENTIALS names {file}, which gives no credentials: "
                    f"{_sentence(error)}"
                ) from error
            raise MissingError(
                "the translator google found no credentials: set GOOGLE_APPLICATION_CREDENTIALS "
                "to the key file of a service account, or run `gcloud auth application-default "
                "login`; --dry-run needs none"
            ) from error
        options = {"api_endpoint": self._settings.endpoint} if self._settings.endpoint else None
        made = client(
            credentials=credentials, transport=self._settings.transport, client_options=options
        )
        return made, project or ""

    def send(self, texts: Sequence[str], source: Locale, target: Locale) -> list[str]:
        """One request, sent once."""
        request: dict[str, Any] = {
            "parent": self._parent,
            "contents": list(texts),
            "mime_type": "text/plain",
            "source_language_code": source.google,
            "target_language_code": target.google,
        }
        if model := self._settings.model:
            request["model"] = self._full(model, "models")
        glossary = self._settings.glossary
        if isinstance(glossary, Mapping):
            glossary = glossary.get(target.tag, "")
        if glossary:
            request["glossary_config"] = {"glossary": self._full(glossary, "glossaries")}
        try:
            response = self._client.translate_text(
                request=request, retry=None, timeout=self._settings.timeout
            )
        except self._errors.GoogleAPICallError as error:
            if self.passing(error) is not None:
                raise
            for_all = isinstance(error, self._for_all)
            raise _RefusedError(_sentence(error), for_all=for_all) from error
        except self._auth.GoogleAuthError as error:
            if self.passing(error) is not None:
                raise
            raise _RefusedError(str(error), for_all=True) from error
        translations = response.glossary_translations if glossary else response.translations
        return [translation.translated_text for translation in translations]

    def passing(self, error: Exception) -> Refusal | None:
        """Whether this trouble may pass."""
        quota = isinstance(error, self._errors.Forbidden) and re.search(
            r"rate.?limit.?exceeded", f"{error.reason} {error}", re.IGNORECASE
        )
        if quota or isinstance(error, self._passing):
            return Refusal(ServiceError("google", _sentence(error), retryable=True))
        return None

    def _full(self, name: str, what: str) -> str:
        return name if name.startswith("projects/") else f"{self._parent}/{what}/{name}"


class _RefusedError(ServiceError):
    """A request that Google refuses for good; `for_all` when it would refuse every other too."""

    def __init__(self, message: str, *, for_all: bool) -> None:
        super().__init__("google", message, retryable=False)
        self.for_all = for_all

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (self.message, self.for_all))


def _rebuild(message: str, for_all: bool) -> _RefusedError:
    return _RefusedError(message, for_all=for_all)


def _sentence(error: Exception) -> str:
    text = " ".join(str(getattr(error, "message", "") or error).split())
    return f"{text[:300] or type(error).__name__} ({type(error).__name__})"


def _is_plain(endpoint: str) -> bool:
    """Whether an endpoint is asked without TLS and credentials: a local one, or http://."""
    return bool(_LOCAL.fullmatch(endpoint)) or endpoint.startswith("http://")


def _plain_transport(settings: GoogleSettings) -> Any:
    host = settings.endpoint.removeprefix("http://").rstrip("/")
    if settings.transport == "rest":
        from google.auth.credentials import AnonymousCredentials
        from google.cloud.translate_v3.services.translation_service.transports import (
            TranslationServiceRestTransport,
        )

        return TranslationServiceRestTransport(
            host=host,
            url_scheme="http",
            credentials=AnonymousCredentials(),  # type: ignore[no-untyped-call]
        )
    import grpc
    from google.cloud.translate_v3.services.translation_service.transports import (
        TranslationServiceGrpcTransport,
    )

    options = [("grpc.initial_reconnect_backoff_ms", 100), ("grpc.min_reconnect_backoff_ms", 100)]
    return TranslationServiceGrpcTransport(channel=grpc.insecure_channel(host, options=options))


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
