"""Cloud Translation v3 over REST. In: settings, Google's own credentials. Out: texts, or errors."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any

from memeloc.errors import MissingError, ServiceError
from memeloc.language_models.connections import Connections, UnansweredError
from memeloc.language_models.protocol import error_in
from memeloc.model import Locale
from memeloc.request_pool import retry_after

PRICE = 20.0
"""US dollars a million characters: Google's list price of its default model (NMT), looked up in
November 2026 in a stored copy of https://cloud.google.com/translate/pricing that bears no date. The
first 500,000 characters of a month are free there, and are not counted as free here."""

_LOCAL = re.compile(r"(?:http://)?(?:localhost|127(?:\.\d+){3}|\[::1\])(?::\d+)?/?")
_SCOPES = ["https://www.googleapis.com/auth/cloud-platform"]
_TRANSIENT = frozenset((409, 429, 500, 502, 503))
_TIMED_OUT = frozenset((408, 504))
_FOR_ALL = frozenset((401, 403, 404))
_LOGIN = "is there a login page of a network between?"


@dataclass(frozen=True, slots=True)
class GoogleSettings:
    """How Google is asked: the table `[translate.google]` of memeloc.toml.

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


class RefusedError(ServiceError):
    """One request that Google refuses for good; it may take others."""


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

    def send(
        self, texts: Sequence[str], source: Locale, target: Locale
    ) -> tuple[list[str], dict[str, str]]:
        """Send one request, once; return its texts, and what Google names as model and glossary.

        Raises:
            RefusedError: this one is refused.
            UnansweredError: it may be billed, and no whole answer came.
            ServiceError: every request would be refused as this one is; or it may pass.
        """
        request: dict[str, Any] = {
            "contents": list(texts),
            "mimeType": "text/plain",
            "sourceLanguageCode": source.google,
            "targetLanguageCode": target.google,
        }
        asked: dict[str, str] = {}
        if model := self._settings.model:
            asked["model"] = request["model"] = self._full(model, "models")
        glossary = self._settings.glossary
        if isinstance(glossary, Mapping):
            glossary = glossary.get(target.tag, "")
        if glossary:
            asked["glossary"] = self._full(glossary, "glossaries")
            request["glossaryConfig"] = {"glossary": asked["glossary"]}
        content = self._post(json.dumps(request).encode())
        try:
            answer = json.loads(content)
            found = answer.get("glossaryTranslations" if glossary else "translations") or []
            given = [str(each.get("translatedText") or "") for each in found]
            named = found[0].get("model") if found else ""
        except (ValueError, RecursionError, TypeError, AttributeError) as error:
            reason = f"what came back is not Google's; {_LOGIN}"
            raise ServiceError("google", reason, retryable=True) from error
        if not found:
            raise ServiceError("google", "its answer holds no translations", retryable=True)
        return given, asked | ({"model": str(named)} if named else {})

    def _post(self, content: bytes) -> bytes:
        try:
            response, body = self._connections.exchange(content, self._authorization())
        except ValueError as error:  # it is too long
            raise ServiceError("google", str(error), retryable=True) from error
        if response.status < 300:
            return body
        if response.status < 400:
            raise ServiceError("google", f"it redirects elsewhere; {_LOGIN}", retryable=False)
        raise _status_error(response.status, body, response.headers.get("retry-after", ""))

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

    def _full(self, name: str, what: str) -> str:
        return name if name.startswith("projects/") else f"{self._parent}/{what}/{name}"


def _status_error(status: int, body: bytes, wait: str) -> ServiceError:
    error = error_in(body)
    reason = f"{_sentence(str(error.get('message') or ''))} (HTTP status {status})".strip()
    quota = status == 403 and re.search(r"rate.?limit.?exceeded", str(error), re.IGNORECASE)
    if status in _TIMED_OUT:
        return UnansweredError("google", reason)
    if quota or status in _TRANSIENT:
        details = error.get("details")
        delays = [
            each["retryDelay"].removesuffix("s")  # google.rpc.RetryInfo, as "3.5s"
            for each in (details if isinstance(details, list) else [])
            if isinstance(each, dict) and isinstance(each.get("retryDelay"), str)
        ]
        passing = ServiceError("google", reason, retryable=True)
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
