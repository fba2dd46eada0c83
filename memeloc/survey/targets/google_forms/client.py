"""Google's client for Forms and Drive. In: credentials of the environment. Out: what was answered.

Quota, a busy service and cut connections are waited for; what else goes wrong is one sentence.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from http.client import BadStatusLine, HTTPException, ResponseNotReady
from typing import Any

from memeloc.errors import MissingError, ServiceError
from memeloc.request_pool import Backoff, TransientFailure, retry_after

SCOPES = ("https://www.googleapis.com/auth/drive.file",)
SERVICE = "Google Forms"
_BUSY = frozenset({429, 500, 502, 503, 504})
Send = Callable[[], Any]


@dataclass(slots=True)
class Connection:
    """How Google is reached.

    Attributes:
        endpoint: of the services, for tests; empty for Google's own.
        credentials: instead of the environment's, for tests.
        backoff: how it waits when Google is busy.
        timeout: seconds that an answer may take; Google fetches pictures meanwhile.
    """

    endpoint: str = ""
    credentials: Any = None
    backoff: Backoff = field(default_factory=Backoff)
    timeout: float = 120.0


class Service:
    """The two clients, made of the discovery documents that come with them.

    Credentials come from the environment (Application Default Credentials), with the one scope
    `drive.file`: what this program made itself.
    """

    def __init__(self, connection: Connection) -> None:
        try:
            import google_auth_httplib2
            import httplib2
            from googleapiclient import discovery, discovery_cache
        except ImportError as error:
            raise MissingError(
                "Making forms needs Google's client: pip install 'memeloc[google-forms]'"
            ) from error
        credentials = connection.credentials or _credentials()

        def build(name: str, version: str) -> Any:
            document = json.loads(discovery_cache.get_static_doc(name, version))
            options = None
            if connection.endpoint:
                path = f"{connection.endpoint}/{document['servicePath']}"
                options = {"api_endpoint": path.rstrip("/") + "/"}
            http = google_auth_httplib2.AuthorizedHttp(
                credentials, http=_once(httplib2.Http(timeout=connection.timeout))
            )
            return discovery.build_from_document(document, http=http, client_options=options)

        self.forms = build("forms", "v1").forms()
        self.drive = build("drive", "v3")
        self.backoff = connection.backoff

    def ask(self, send: Send) -> Any:
        """Send until it is answered.

        Raises:
            MissingError: the credentials are not accepted.
            ServiceError: it is refused, or was not answered in the end.
        """
        from google.auth.exceptions import GoogleAuthError
        from googleapiclient.errors import HttpError

        try:
            return self.backoff.ask(send, refusal)
        except GoogleAuthError as error:
            raise MissingError(_SIGN_IN.format(error=error)) from error
        except HttpError as error:
            if error.status_code == 401:
                raise MissingError(_SIGN_IN.format(error=_reason(error))) from error
            raise ServiceError(SERVICE, _reason(error), retryable=False) from error


def _once(http: Any) -> Any:
    """The client's transport, without its own sending again when a connection is cut.

    httplib2 repeats such a request whatever it was, so a lost answer to forms.create would make a
    second form before anybody knew. It does not repeat what failed as an OSError.
    """
    send = http._conn_request

    def conn_request(conn: Any, *request: Any) -> Any:
        answer = type(conn).getresponse

        def getresponse() -> Any:
            try:
                return answer(conn)
            except (BadStatusLine, ResponseNotReady) as error:
                conn.close()
                raise ConnectionAbortedError(f"no answer came ({error})") from error

        conn.getresponse = getresponse
        return send(conn, *request)

    http._conn_request = conn_request
    return http


_SIGN_IN = (
    "Google does not accept the credentials ({error}). Sign in with: gcloud auth "
    "application-default login --client-id-file=CLIENT.json "
    "--scopes=https://www.googleapis.com/auth/drive.file,"
    "https://www.googleapis.com/auth/cloud-platform"
)


def _credentials() -> Any:
    import google.auth
    from google.auth.exceptions import DefaultCredentialsError

    try:
        found, _ = google.auth.default(scopes=list(SCOPES))
    except DefaultCredentialsError as error:
        raise MissingError(_SIGN_IN.format(error="there are none")) from error
    return found


def refusal(error: Exception) -> TransientFailure | None:
    """What of Google's errors may pass: quota, a busy service, a cut connection."""
    import httplib2
    from googleapiclient.errors import HttpError

    if isinstance(error, HttpError):
        busy = error.status_code in _BUSY or (
            error.status_code == 403 and "ratelimit" in str(error.content).lower()
        )
        if not busy:
            return None
        wait = retry_after(str(error.resp.get("retry-after", "")))
        return TransientFailure(ServiceError(SERVICE, _reason(error), retryable=True), wait)
    if isinstance(error, OSError | HTTPException | httplib2.HttpLib2Error):
        message = f"the connection was cut ({type(error).__name__}: {error})"
        return TransientFailure(ServiceError(SERVICE, message, retryable=True))
    return None


def _reason(error: Any) -> str:
    """Google's message, in one line of bearable length."""
    message = str(getattr(error, "reason", "") or error)
    return f"{error.status_code} {' '.join(message.split())[:300]}"


def undone(error: Exception) -> bool:
    """Whether a request that raised this has surely changed nothing."""
    from googleapiclient.errors import HttpError

    return isinstance(error, HttpError) and 400 <= error.status_code < 500
