"""Services that targets speak to. In: failures, addresses. Out: what to try again, safe ones."""

from __future__ import annotations

from urllib.parse import urlsplit

from memeloc.errors import ServiceError
from memeloc.request_pool import TransientFailure

_BUSY = frozenset({0, 408, 425, 429, 500, 502, 503, 504})


class RequestError(ServiceError):
    """A request without success: HTTP's `status`, 0 when no answer came.

    `wait` is the seconds that the service asks to wait, 0.0 if it does not say.
    """

    def __init__(
        self, service: str, status: int, reason: str, wait: float = 0.0, *, busy: bool = False
    ) -> None:
        super().__init__(service, reason, retryable=busy or status in _BUSY)
        self.status, self.wait = status, wait


def passing(error: Exception) -> TransientFailure | None:
    """What `Backoff.ask` waits for: a busy service, or a cut connection.

    When it is given up it is raised as a plain ServiceError, so that no outer request, of which it
    was a part, is tried again as well.
    """
    if isinstance(error, RequestError) and error.retryable:
        final = ServiceError(error.service, error.message, retryable=True)
        return TransientFailure(final, error.wait)
    return None


def is_https(address: str, *, or_local: bool = False) -> bool:
    """Whether it is an https address without a password, a part after # or white space.

    With `or_local` it may also be http on this machine.

    >>> is_https("https://a.example/x?y=z"), is_https("https://me:secret@a.example")
    (True, False)
    """
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    local = parts.hostname in ("localhost", "127.0.0.1", "::1")
    return (
        (parts.scheme == "https" or (or_local and parts.scheme == "http" and local))
        and bool(parts.hostname)
        and parts.username is None
        and not parts.fragment
        and address.isprintable()
        and " " not in address
    )
