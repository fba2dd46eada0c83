"""Bounds of what Google's client reads over REST. In: its `requests` session. Out: one with bounds.

`requests` bounds the time between two bytes and nothing else, and follows any redirect: a server
that sends a byte a minute, or a gigabyte packed into a megabyte, would hold a thread or the memory
for good.
"""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING

from memeloc.errors import ServiceError

if TYPE_CHECKING:
    import requests

MAX_BODY = 4_000_000
"""Bytes of an answer's body, unpacked; as many as gRPC takes by default."""
_PIECE = 4096
"""Bytes read at once."""


def bound_answers(session: requests.Session, seconds: float) -> None:
    """Bound the time and the size of a session's answers, and refuse redirects."""
    from requests.adapters import HTTPAdapter
    from requests.exceptions import ConnectionError, ReadTimeout
    from urllib3.exceptions import HTTPError

    class Bounded(HTTPAdapter):
        """Reads the body here, before anybody takes it whole."""

        def send(
            self, request: requests.PreparedRequest, stream: bool = False, *rest: object,
            **more: object
        ) -> requests.Response:  # fmt: skip
            until = monotonic() + seconds
            response = super().send(request, True, *rest, **more)  # type: ignore[arg-type]
            if response.is_redirect:
                response.close()
                sentence = "it redirects elsewhere; is there a login page of a network between?"
                raise ServiceError("google", sentence, retryable=False)
            content = bytearray()
            # What is there: a whole piece may take for ever. urllib3 before 2.1 knows no read1.
            read = getattr(response.raw, "read1", response.raw.read)
            try:
                while piece := read(_PIECE, decode_content=True):
                    content += piece
                    if len(content) > MAX_BODY:
                        raise ConnectionError(f"over {MAX_BODY:,} bytes", request=request)
                    if monotonic() > until:
                        why = f"no whole answer within {seconds:g} s"
                        raise ReadTimeout(why, request=request)
            except HTTPError as error:
                raise ConnectionError(error, request=request) from error
            finally:
                response.close()
            response._content = bytes(content)
            return response

    for scheme in ("https://", "http://"):
        if type(session.get_adapter(scheme)) is HTTPAdapter:  # not one with a client's certificate
            session.mount(scheme, Bounded())
