"""Google Cloud Translation v3 over REST. In: items, settings, Google's credentials. Out: answers.

As in multi3hate (section 3.2) the parts of a caption are sent together with ` // ` between them, so
that the service sees the whole. Where the separator does not come back the right number of times
the caption is sent again part by part and marked `separator lost`. A batch that is refused is sent
again in halves, until the text that is refused stands alone. A request without an answer counts as
if it had been billed, and is sent once more.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from threading import Lock
from typing import Any

from memeloc.counts import counted
from memeloc.errors import InputError, MemelocError, MissingError, ServiceError
from memeloc.language_models.connections import Connections, UnansweredError
from memeloc.language_models.protocol import error_in
from memeloc.model import SEPARATOR, Caption
from memeloc.request_pool import Backoff, TransientFailure, ask_in_parallel, retry_after
from memeloc.settings import validate
from memeloc.translate.protocol import (
    Answer,
    Estimate,
    TranslationItem,
    failure,
    filled_texts,
    pair_of,
    translation,
)

PRICE = 20.0
"""US dollars a million characters: Google's list price of its default model (NMT), looked up in
November 2026 in a stored copy of https://cloud.google.com/translate/pricing that bears no date. The
first 500,000 characters of a month are free there, and are not counted as free here."""
MAX_STRINGS = 1024
"""Strings in one request: the field `contents` of TranslateTextRequest."""
MAX_CODE_POINTS = 5000
"""Code points in one request that Google recommends; the service counts its quota in them too."""
MOST_REFUSED = 20
"""Texts of a language pair in a row that are refused alone before batches are not halved."""
UNANSWERED = 2
"""Requests of a batch that may stay without an answer: the last one is not sent again."""

_LOCAL = re.compile(r"(?:http://)?(?:localhost|127(?:\.\d+){3}|\[::1\])(?::\d+)?/?")
_SCOPES = ["https://www.googleapis.com/auth/cloud-platform"]
_TRANSIENT = frozenset((409, 429, 500, 502, 503))
_TIMED_OUT = frozenset((408, 504))
_FOR_ALL = frozenset((401, 403, 404))
_LOGIN = "is there a login page of a network between?"

Send = Callable[[Sequence[str], TranslationItem], tuple[Sequence[str], Mapping[str, str]]]
"""Translates texts in the languages of an item, and names what made them."""


@dataclass(frozen=True, slots=True)
class GoogleSettings:
    """Settings of asking Google: the table `[translate.google]` of memeloc.toml.

    Attributes:
        project: id or number; else GOOGLE_CLOUD_PROJECT, else what the credentials name.
        location: `global`, or a region such as `us-central1`, which glossaries and models need.
        glossary: id or full name of a glossary, or a table of them by language tag.
        model: `general/nmt`, `general/translation-llm`, the id of one's own, or a full name.
        endpoint: another host, as `translate-eu.googleapis.com`. A local one (`localhost:8080`), or
            one written with `http://`, is asked in plain text and without credentials.
        price_per_million: US dollars a million characters.
        at_once: requests under way.
        timeout: seconds for one request.
    """

    project: str = ""
    location: str = "global"
    glossary: str | Mapping[str, str] = ""
    model: str = ""
    endpoint: str = ""
    price_per_million: float = PRICE
    at_once: int = 4
    timeout: float = 60.0


def from_settings(settings: Mapping[str, Any]) -> GoogleTranslator:
    """Return the translator, from a table of settings."""
    return GoogleTranslator(validate(GoogleSettings, settings, "the translator google"))


class RefusedError(ServiceError):
    """One request that Google refuses for good; it may take others."""


class GoogleTranslator:
    """Translator by Google Cloud Translation v3; it raises InputError for a setting that makes no
    sense."""

    name = "google"
    currency = "USD"

    def __init__(self, settings: GoogleSettings | None = None, backoff: Backoff | None = None):
        self.settings = settings or GoogleSettings()
        self.backoff = backoff or Backoff()
        self._refused: Counter[tuple[str, str]] = Counter()
        if self.settings.glossary and self.settings.location == "global":
            raise InputError(
                "a glossary needs the region it stands in: set location in [translate.google] "
                "of memeloc.toml, as us-central1"
            )

    def estimate(self, items: Sequence[TranslationItem]) -> Estimate:
        """Return strings, code points, dollars; at the most, all is sent in parts too, twice."""
        strings = characters = most = 0
        for item in items:
            parts, size = filled_texts(item), len(_joined(item))
            if 0 < size <= MAX_CODE_POINTS:
                strings += 1
                characters += size
                most += 2 * (size + (sum(map(len, parts)) if len(parts) > 1 else 0))
        return Estimate(strings, characters, self._price(characters), self._price(most))

    def translate(self, items: Iterable[TranslationItem]) -> Iterator[Answer]:
        """See `Translator.translate`. Raise MissingError if google-auth, the credentials or the
        project are missing; ServiceError if Google refuses these credentials, this project or this
        glossary, or left several requests in a row unanswered."""
        too_long: list[Answer] = []
        answers: Iterator[Answer] = ask_in_parallel(
            _batches(items, too_long),
            partial(self._ask_counted, Connection(self.settings)),
            self._failed,
            at_once=self.settings.at_once,
            stop=self.backoff.stop,
        )
        yield from answers
        yield from too_long

    def _price(self, characters: int) -> float:
        return characters * self.settings.price_per_million / 1e6

    def _ask_counted(
        self, connection: Connection, batch: Sequence[TranslationItem]
    ) -> list[Answer]:
        """Ask; the first answer bears what requests without an answer may have cost."""
        unanswered: list[int] = []

        def send(texts: Sequence[str], item: TranslationItem) -> Any:
            def passing(error: Exception) -> TransientFailure | None:
                if not isinstance(error, ServiceError) or not error.retryable:
                    return None
                if isinstance(error, UnansweredError):
                    unanswered.append(sum(map(len, texts)))
                    if len(unanswered) >= UNANSWERED:
                        return TransientFailure(error, math.inf)
                return TransientFailure(error, error.wait)

            return self.backoff.ask(lambda: connection.send(texts, item), passing)

        try:
            first, *rest = self._ask(send, batch)
        except ServiceError as error:
            error.cost = self._price(sum(unanswered))
            raise
        more = sum(unanswered)
        characters, cost = first.characters + more, first.cost + self._price(more)
        return [replace(first, characters=characters, cost=cost), *rest]

    def _ask(self, send: Send, batch: Sequence[TranslationItem]) -> list[Answer]:
        try:
            texts, provenance = send([_joined(item) for item in batch], batch[0])
        except RefusedError as error:
            return self._halved(send, batch, error)
        if len(texts) != len(batch):
            gave = f"it gave {counted(len(texts), 'text')} for {len(batch)}"
            wrong = ServiceError("google", f"{gave}; run the command again", retryable=True)
            return [self._billed(item, None, wrong) for item in batch]
        del self._refused[pair_of(batch[0])]
        split = [_split(item, text) for item, text in zip(batch, texts, strict=True)]
        answers = [
            self._billed(item, parts, provenance)
            for item, parts in zip(batch, split, strict=True)
            if parts
        ]
        lost = [item for item, parts in zip(batch, split, strict=True) if not parts]
        return answers + (self._part_by_part(send, lost) if lost else [])

    def _halved(
        self, send: Send, batch: Sequence[TranslationItem], error: RefusedError
    ) -> list[Answer]:
        """Ask again in halves, for one text of a batch may be what is refused: it ends alone.

        Where many in a row are refused alone it is their language that Google does not take.
        """
        pair, half = pair_of(batch[0]), len(batch) // 2
        self._refused[pair] += not half
        if not half or self._refused[pair] >= MOST_REFUSED:
            return [failure(item, error) for item in batch]
        answers = self._ask(send, batch[:half])
        try:
            return answers + self._ask(send, batch[half:])
        except ServiceError as trouble:  # what is answered of the first half is not lost with it
            return answers + self._failed(batch[half:], trouble)

    def _failed(self, batch: Sequence[TranslationItem], error: MemelocError) -> list[Answer]:
        """Return the failures of a batch; the first bears what the error has cost."""
        cost = error.cost if isinstance(error, ServiceError) else 0.0
        return [failure(item, error, cost * (item is batch[0])) for item in batch]

    def _part_by_part(self, send: Send, items: Sequence[TranslationItem]) -> list[Answer]:
        """Ask again for captions whose separator was lost. They have been billed once already."""
        parts = [part for item in items for part in filled_texts(item)]
        try:
            texts, provenance = send(parts, items[0])
        except MemelocError as error:
            return [self._billed(item, None, error) for item in items]
        empty = ServiceError("google", "it gave an empty text, or none", retryable=False)
        coming = iter(texts if len(texts) == len(parts) else ())
        answers = []
        for item in items:
            sent = filled_texts(item)
            translations, more = [next(coming, "").strip() for _ in sent], sum(map(len, sent))
            about = provenance if all(translations) else empty
            answers.append(self._billed(item, translations, about, more, "separator lost"))
        return answers

    def _billed(
        self,
        item: TranslationItem,
        parts: Sequence[str] | None,
        about: Mapping[str, str] | MemelocError,
        more: int = 0,
        *marks: str,
    ) -> Answer:
        """Return the translation, with its provenance, or the failure `about` an item that was sent
        whole and with so many `more` characters; one that gave `parts` was answered wrongly."""
        size = len(_joined(item)) + more
        if isinstance(about, MemelocError):
            return failure(item, about, self._price(size), size, wrong=parts is not None)
        bill = {"characters": size, "cost": self._price(size), "provenance": about}
        return translation(item, parts or (), self.name, *marks, **bill)


def _joined(item: TranslationItem) -> str:
    return SEPARATOR.join(filled_texts(item))


def _split(item: TranslationItem, text: str) -> list[str] | None:
    """Return the parts of an answer, or None when there are not as many as were sent.

    Separators that lost their spaces, or came back full-width, count, where no part has a `//` of
    its own.
    """
    expected = len(filled_texts(item))
    if expected == 1:
        return [text.strip()] if text.strip() else None
    counts = () if any("//" in part for part in item.source.parts) else (expected,)
    parts = list(Caption.parse(text, *counts).parts)
    return parts if len(parts) == expected and all(parts) else None


def _batches(
    items: Iterable[TranslationItem], too_long: list[Answer]
) -> Iterator[list[TranslationItem]]:
    """Yield items in batches of one language pair within Google's limits."""
    batch: list[TranslationItem] = []
    total = 0
    for item in items:
        size = len(_joined(item))
        if size > MAX_CODE_POINTS:
            sentence = (
                f"the caption of meme {item.meme_id} has {counted(size, 'character')} and Google "
                f"takes {MAX_CODE_POINTS:,} at once; shorten it, or leave it out"
            )
            too_long.append(failure(item, InputError(sentence)))
            continue
        full = len(batch) == MAX_STRINGS or total + size > MAX_CODE_POINTS
        if batch and (full or pair_of(item) != pair_of(batch[0])):
            yield batch
            batch, total = [], 0
        batch.append(item)
        total += size
    if batch:
        yield batch


class Connection:
    """Connections to Google, and who pays. May be used from several threads."""

    def __init__(self, settings: GoogleSettings) -> None:
        self._settings = settings
        self._lock = Lock()
        self._tokens: Any = None
        host = settings.endpoint.removeprefix("https://").rstrip("/")
        project = settings.project or os.environ.get("GOOGLE_CLOUD_PROJECT", "")
        self.credentials: Any = None
        if _LOCAL.fullmatch(host) or host.startswith("http://"):
            host = host if host.startswith("http://") else f"http://{host}"
            project = project or "local"
        else:
            host = f"https://{host or 'translate.googleapis.com'}"
            self.credentials, named = _credentials()
            project = project or named
        if not project:
            raise MissingError(
                "the translator google needs to know the project that pays: set "
                "GOOGLE_CLOUD_PROJECT, or project in [translate.google] of memeloc.toml"
            )
        self._parent = f"projects/{project}/locations/{settings.location}"
        self.url = f"{host}/v3/{self._parent}:translateText"
        try:
            self._connections = Connections("google", self.url, {}, settings.timeout)
        except ImportError as error:
            raise _missing() from error

    def send(self, texts: Sequence[str], item: TranslationItem) -> tuple[list[str], dict[str, str]]:
        """Send one request, once; return its texts, and what Google names as model and glossary.
        Raise RefusedError if this one is refused; UnansweredError if it may be billed, and no whole
        answer came; ServiceError if every request would be refused as this one is; or it may pass.
        """
        glossary = self._settings.glossary
        if isinstance(glossary, Mapping):
            glossary = glossary.get(item.target.tag, "")
        names = {"model": self._settings.model, "glossary": glossary}
        asked = {
            what: name if name.startswith("projects/") else f"{self._parent}/{folder}/{name}"
            for (what, name), folder in zip(names.items(), ("models", "glossaries"), strict=True)
            if name
        }
        request: dict[str, Any] = {
            "contents": list(texts),
            "mimeType": "text/plain",
            "sourceLanguageCode": item.source_locale.google,
            "targetLanguageCode": item.target.google,
        }
        if "model" in asked:
            request["model"] = asked["model"]
        if glossary:
            request["glossaryConfig"] = {"glossary": asked["glossary"]}
        try:
            response, body = self._connections.exchange(
                json.dumps(request).encode(), self._authorization()
            )
        except ValueError as error:  # it is too long
            raise ServiceError("google", str(error), retryable=True) from error
        if 300 <= response.status < 400:
            raise ServiceError("google", f"it redirects elsewhere; {_LOGIN}", retryable=False)
        if response.status >= 400:
            wait = response.headers.get("retry-after", "")
            raise _status_error(response.status, body, wait)
        try:
            answer = json.loads(body)
            found = answer.get("glossaryTranslations" if glossary else "translations") or []
            answers = [str(each.get("translatedText") or "") for each in found]
            named = found[0].get("model") if found else ""
        except (ValueError, RecursionError, TypeError, AttributeError) as error:
            reason = f"what came back is not Google's; {_LOGIN}"
            raise ServiceError("google", reason, retryable=True) from error
        if not found:
            raise ServiceError("google", "its answer holds no translations", retryable=True)
        return answers, asked | ({"model": str(named)} if named else {})

    def _authorization(self) -> dict[str, str]:
        """Return the headers by which Google knows who asks, renewed when they are too old."""
        headers: dict[str, str] = {}
        if self.credentials is None:
            return headers
        from google.auth.exceptions import GoogleAuthError, TransportError
        from google.auth.transport import requests

        transport: Any = requests  # which has no types
        try:
            with self._lock:
                self._tokens = self._tokens or transport.Request()
                self.credentials.before_request(self._tokens, "POST", self.url, headers)
        except GoogleAuthError as error:
            passing = isinstance(error, TransportError) or getattr(error, "retryable", False)
            raise ServiceError("google", _sentence(str(error)), retryable=passing) from error
        return headers


def _status_error(status: int, body: bytes, wait: str) -> ServiceError:
    error = error_in(body)
    reason = f"{_sentence(str(error.get('message') or ''))} (HTTP status {status})".strip()
    quota = status == 403 and re.search(r"rate.?limit.?exceeded", str(error), re.IGNORECASE)
    if status in _TIMED_OUT:
        return UnansweredError("google", reason)
    if quota or status in _TRANSIENT:
        passing = ServiceError("google", reason, retryable=True)
        # google.rpc.RetryInfo, as "3.5s"
        delays = re.findall(r"'retryDelay': '([0-9.]+)s'", str(error.get("details")))
        passing.wait = max(map(retry_after, [wait, *delays]))
        return passing
    kind = ServiceError if status in _FOR_ALL else RefusedError
    return kind("google", reason, retryable=False)


def _credentials() -> tuple[Any, str]:
    """Return Application Default Credentials, and the project that they name."""
    try:
        import google.auth
        import google.auth.transport.requests
        from google.auth.exceptions import DefaultCredentialsError
    except ImportError as error:
        raise _missing() from error
    try:
        credentials, project = google.auth.default(scopes=_SCOPES)
    except DefaultCredentialsError as error:
        if file := os.environ.get("GOOGLE_APPLICATION_CREDENTIALS"):
            raise MissingError(
                f"GOOGLE_APPLICATION_CREDENTIALS names {file}, which gives no credentials: "
                f"{_sentence(str(error))}"
            ) from error
        raise MissingError(
            "the translator google found no credentials: set GOOGLE_APPLICATION_CREDENTIALS "
            "to the key file of a service account, or run `gcloud auth application-default "
            "login`; --dry-run needs none"
        ) from error
    return credentials, project or ""


def _missing() -> MissingError:
    return MissingError("the translator google needs google-auth: pip install 'memeloc[translate]'")


def _sentence(text: str) -> str:
    return " ".join(text.split())[:300]
