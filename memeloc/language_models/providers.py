"""Services that do not speak the OpenAI protocol. In: a request of it. Out: its answer, translated.

any-llm-sdk translates for Anthropic, Gemini, Mistral and others (`provider = "anthropic"`). What
it gives looks to `server.Server` as if the service spoke the OpenAI protocol: parts that it refuses
are left out, and waiting, budgets, refusals and records are the same. aisuite was weighed too: it
reports neither usage nor why an answer ended.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from memeloc.errors import MissingError, ServiceError
from memeloc.language_models.connections import Connections, UnansweredError
from memeloc.language_models.settings import ModelSettings, read_key

if TYPE_CHECKING:
    from any_llm import AnyLLM

_STATUSES = {
    "RateLimitError": 429,
    "AuthenticationError": 401,
    "InsufficientFundsError": 402,
    "ModelNotFoundError": 404,
    "UnsupportedParameterError": 400,
    "ContentFilterError": 400,
    "ContextLengthExceededError": 400,
    "InvalidRequestError": 400,
}
"""By any-llm's error the status that stands for it where the service gave none."""


@dataclass(frozen=True, slots=True)
class TranslatedResponse:
    """A status and headers, as urllib3's response has them."""

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    reason: str = ""


class ProviderConnections:
    """A service behind any-llm-sdk, as `Connections` to one that speaks the OpenAI protocol.

    Raises:
        MissingError: any-llm-sdk, what it needs of the provider, or the key is missing.
    """

    def __init__(self, service: str, settings: ModelSettings) -> None:
        self._service, self._settings = service, settings
        try:
            from any_llm import AnyLLM
            from any_llm.exceptions import (
                AnyLLMError,
                MissingApiKeyError,
                UnsupportedParameterError,
                UnsupportedProviderError,
            )
        except ImportError as error:
            raise MissingError(
                f"{settings.provider} is asked through any-llm-sdk: "
                f"pip install 'any-llm-sdk[{settings.provider}]'"
            ) from error
        self._errors = AnyLLMError
        named = {
            "api_key": read_key(settings) if "key_variable" in settings.model_fields_set else None,
            "api_base": settings.base_url if "base_url" in settings.model_fields_set else None,
        }
        values: dict[str, Any] = {name: value for name, value in named.items() if value}
        try:
            try:
                self._llm: AnyLLM = AnyLLM.create(
                    settings.provider, **values, unified_exceptions=True, max_retries=0
                )
            except UnsupportedParameterError:  # some have no count of retries
                self._llm = AnyLLM.create(settings.provider, **values, unified_exceptions=True)
        except MissingApiKeyError as error:
            raise MissingError(
                f"{settings.provider} wants a key: set the environment variable "
                f"{error.env_var_name}, or name another by key_variable"
            ) from error
        except (ImportError, UnsupportedProviderError) as error:
            raise MissingError(
                f"{settings.provider} cannot be asked: {' '.join(str(error).split())[:300]} "
                f"pip install 'any-llm-sdk[{settings.provider}]'"
            ) from error

    def exchange(self, content: bytes) -> tuple[TranslatedResponse, bytes]:
        """Return the answer to a request in the OpenAI protocol, or the error as a status.

        Raises:
            UnansweredError: none came in time, or one without an answer in it.
            ServiceError: the service was not reached.
        """
        body: dict[str, Any] = json.loads(content)
        try:
            answer = self._llm.completion(**body, timeout=self._settings.timeout)
        except self._errors as error:
            return self._failed(error)
        return TranslatedResponse(), answer.model_dump_json().encode()

    def _failed(self, error: Any) -> tuple[TranslatedResponse, bytes]:
        status = error.status_code or _STATUSES.get(type(error).__name__)
        message = " ".join(str(error.message).split())
        if status is None:
            cause = type(error.original_exception or error).__name__
            reason = f"{message} ({cause})"
            if "connect" in cause.lower():
                raise ServiceError(self._service, reason, retryable=True) from error
            raise UnansweredError(self._service, reason) from error
        # Gemini refuses, and Anthropic, with words of their own: the filter's code says it for all.
        is_filtered = type(error).__name__ == "ContentFilterError"
        code = "content_filter" if is_filtered else error.code or error.error_type or ""
        wait = getattr(error, "retry_after", None)
        report = {"error": {"message": message, "code": code}}
        headers = {"retry-after": str(wait)} if wait else {}
        return TranslatedResponse(status, headers), json.dumps(report).encode()

    def close(self) -> None:
        """Close nothing: the library's connections end with this object."""


AnyConnections = Connections | ProviderConnections
