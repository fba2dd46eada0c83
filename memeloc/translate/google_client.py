"""Google's own client for Cloud Translation v3. In: settings, credentials. Out: texts, or errors.

Its two transports raise different exceptions for the same trouble; what they share is the HTTP
status. For a dropped connection REST raises an exception of `requests`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from memeloc.errors import MissingError, ServiceError
from memeloc.model import Locale
from memeloc.request_pool import TransientFailure, retry_after
from memeloc.translate.google_rest import bound_answers

PRICE = 20.0
"""US dollars a million characters: Google's list price of its default model (NMT), looked up in
November 2026 in a stored copy of https://cloud.google.com/translate/pricing that bears no date. The
first 500,000 characters of a month are free there, and are not counted as free here."""

_LOCAL = re.compile(r"(?:http://)?(?:localhost|127(?:\.\d+){3}|\[::1\])(?::\d+)?/?")
_SCOPES = ["https://www.googleapis.com/auth/cloud-platform"]
_TRANSIENT = frozenset((409, 429, 500, 502, 503, 504))
_FOR_ALL = frozenset((401, 403, 404))


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
    transport: Literal["grpc", "rest"] = "grpc"
    endpoint: str = ""
    price_per_million: float = PRICE
    at_once: int = 4
    timeout: float = 60.0


class RefusedError(ServiceError):
    """One request that Google refuses for good; it may take others."""


class UnansweredError(ServiceError):
    """A request that was sent and got no whole answer: it may be billed all the same."""


@dataclass(frozen=True, slots=True)
class Response:
    """The translations of one request, and what Google names as its model and glossary."""

    texts: tuple[str, ...]
    provenance: Mapping[str, str]


class Connection:
    """Google's client, set up once, and what its exceptions mean."""

    def __init__(self, settings: GoogleSettings) -> None:
        self._settings = settings
        try:
            from google.cloud import translate_v3
        except ImportError as error:
            raise MissingError(
                "the translator google needs google-cloud-translate: "
                "pip install 'memeloc[translate]'"
            ) from error
        endpoint = settings.endpoint
        project = settings.project or os.environ.get("GOOGLE_CLOUD_PROJECT", "")
        if _LOCAL.fullmatch(endpoint) or endpoint.startswith("http://"):
            self._client = translate_v3.TranslationServiceClient(
                transport=_plain_transport(settings)
            )
            project = project or "local"
        else:
            credentials, named = _credentials()
            self._client = translate_v3.TranslationServiceClient(
                credentials=credentials,
                transport=settings.transport,
                client_options={"api_endpoint": endpoint} if endpoint else None,
            )
            project = project or named
        if settings.transport == "rest":
            transport: Any = self._client.transport
            bound_answers(transport._session, settings.timeout)
        if not project:
            raise MissingError(
                "the translator google needs to know the project that pays: set "
                "GOOGLE_CLOUD_PROJECT, or project in [translate.google] of memeloc.toml"
            )
        self._parent = f"projects/{project}/locations/{settings.location}"

    def send(self, texts: Sequence[str], source: Locale, target: Locale) -> Response:
        """One request, sent once.

        Raises:
            ServiceError: every request would be refused as this one is, or what came back is no
                answer of Google's, which may pass.
            RefusedError: this one is refused.
            Exception: others, of Google's client, for which `passing` has a sentence.
        """
        request: dict[str, Any] = {
            "parent": self._parent,
            "contents": list(texts),
            "mime_type": "text/plain",
            "source_language_code": source.google,
            "target_language_code": target.google,
        }
        asked: dict[str, str] = {}
        if model := self._settings.model:
            asked["model"] = request["model"] = self._full(model, "models")
        glossary = self._settings.glossary
        if isinstance(glossary, Mapping):
            glossary = glossary.get(target.tag, "")
        if glossary:
            asked["glossary"] = self._full(glossary, "glossaries")
            request["glossary_config"] = {"glossary": asked["glossary"]}
        response = self._receive(request)
        translations = response.glossary_translations if glossary else response.translations
        if not translations:
            raise ServiceError("google", "its answer holds no translations", retryable=True)
        named = {
            "model": translations[0].model,
            "glossary": translations[0].glossary_config.glossary,
        }
        provenance = {name: value or asked.get(name, "") for name, value in named.items()}
        return Response(
            tuple(translation.translated_text for translation in translations),
            {name: value for name, value in provenance.items() if value},
        )

    def _receive(self, request: dict[str, Any]) -> Any:
        from google.api_core.exceptions import GoogleAPICallError
        from google.auth.exceptions import GoogleAuthError
        from google.protobuf.json_format import ParseError

        try:
            return self._client.translate_text(
                request=request, retry=None, timeout=self._settings.timeout
            )
        except (GoogleAPICallError, GoogleAuthError) as error:
            if self.passing(error) is not None:
                raise
            for_all = isinstance(error, GoogleAuthError) or error.code in _FOR_ALL
            refused = ServiceError if for_all else RefusedError
            raise refused("google", _sentence(error), retryable=False) from error
        except (ParseError, ValueError, TypeError, AttributeError) as error:
            # What the client's parts raise where an answer is no JSON, no UTF-8, or not an object.
            reason = "what came back is not Google's; is there a login page of a network between?"
            raise ServiceError("google", reason, retryable=True) from error

    def passing(self, error: Exception) -> TransientFailure | None:
        """Whether this trouble may pass."""
        from google.api_core.retry import if_transient_error
        from requests.exceptions import ReadTimeout, RequestException
        from urllib3.exceptions import ProtocolError, ReadTimeoutError

        if isinstance(error, ServiceError):
            return TransientFailure(error) if error.retryable else None
        status = getattr(error, "code", None)
        quota = status == 403 and re.search(
            r"rate.?limit.?exceeded", f"{getattr(error, 'reason', '')} {error}", re.IGNORECASE
        )
        cut_off = if_transient_error(error) or isinstance(error, RequestException)
        if quota or cut_off or status in _TRANSIENT:
            cause = next(iter(error.args), None)
            is_cut = isinstance(cause, ProtocolError | ReadTimeoutError)
            unanswered = status == 504 or isinstance(error, ReadTimeout) or is_cut
            kind = UnansweredError if unanswered else ServiceError
            return TransientFailure(kind("google", _sentence(error), retryable=True), _wait(error))
        return None

    def _full(self, name: str, what: str) -> str:
        return name if name.startswith("projects/") else f"{self._parent}/{what}/{name}"


def _credentials() -> tuple[Any, str]:
    """Application Default Credentials, and the project that they name."""
    import google.auth
    from google.auth.exceptions import DefaultCredentialsError

    try:
        credentials, project = google.auth.default(scopes=_SCOPES)
    except DefaultCredentialsError as error:
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
    return credentials, project or ""


def _wait(error: Exception) -> float:
    """The seconds that Google asks to wait: a header of REST, or google.rpc.RetryInfo; else 0.0."""
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    delays = (getattr(each, "retry_delay", None) for each in getattr(error, "details", ()))
    asked: list[float] = [
        delay.seconds + delay.nanos / 1e9 for delay in delays if delay is not None
    ]
    return max((retry_after(headers.get("retry-after", "")), *asked))


def _sentence(error: Exception) -> str:
    text = " ".join(str(getattr(error, "message", "") or error).split())
    return f"{text[:300] or type(error).__name__} ({type(error).__name__})"


def _plain_transport(settings: GoogleSettings) -> Any:
    from google.cloud.translate_v3.services.translation_service import transports

    host = settings.endpoint.removeprefix("http://").rstrip("/")
    if settings.transport == "rest":
        from google.auth.credentials import AnonymousCredentials

        return transports.TranslationServiceRestTransport(
            host=host,
            url_scheme="http",
            credentials=AnonymousCredentials(),  # type: ignore[no-untyped-call]
        )
    import grpc

    options = [("grpc.initial_reconnect_backoff_ms", 100), ("grpc.min_reconnect_backoff_ms", 100)]
    channel = grpc.insecure_channel(host, options=options)
    return transports.TranslationServiceGrpcTransport(channel=channel)
