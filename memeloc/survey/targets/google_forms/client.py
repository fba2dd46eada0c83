"""Google's services for Forms and Drive. In: credentials of the environment. Out: JSON answers.

Google Forms API v1 and Drive API v3. Quota, a busy service and cut connections are waited for; what
else goes wrong is one sentence.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from memeloc.errors import MissingError
from memeloc.request_pool import Backoff, retry_after
from memeloc.survey.targets.services import RequestError, passing

Result = TypeVar("Result")

SERVICE = "Google Forms"
_SCOPE = "https://www.googleapis.com/auth/drive.file"
"""Only what this program made itself."""
_SIGN_IN = (
    "Google does not accept the credentials ({error}). Sign in with: gcloud auth "
    "application-default login --client-id-file=CLIENT.json "
    f"--scopes={_SCOPE},https://www.googleapis.com/auth/cloud-platform"
)


class Service:
    """A session with Google; `forms` and `files` are the addresses of its two collections.

    Endpoint and credentials are others in tests; else Google's own, and the environment's
    (Application Default Credentials). An answer may take `timeout` seconds: Google fetches pictures
    meanwhile.
    """

    def __init__(
        self,
        endpoint: str = "",
        credentials: Any = None,
        backoff: Backoff | None = None,
        timeout: float = 120.0,
    ) -> None:
        try:
            import google.auth
            from google.auth.transport import requests
        except ImportError as error:
            raise MissingError(
                "Making forms needs Google's client: pip install 'memeloc[google-forms]'"
            ) from error
        if credentials is None:
            try:
                credentials, _ = google.auth.default(scopes=[_SCOPE])
            except google.auth.exceptions.DefaultCredentialsError as error:
                raise MissingError(_SIGN_IN.format(error="there are none")) from error
        transport: Any = requests  # which has no types
        self._backoff, self._timeout = backoff or Backoff(), timeout
        self._session = transport.AuthorizedSession(credentials)
        self.forms = f"{endpoint or 'https://forms.googleapis.com'}/v1/forms"
        self.files = f"{endpoint or 'https://www.googleapis.com'}/drive/v3/files"

    def ask(self, send: Callable[[], Result]) -> Result:
        """What `send` returns, tried again while Google is busy.

        Raises:
            MissingError: the credentials are not accepted.
            ServiceError: it is refused, or was not answered in the end.
        """
        return self._backoff.ask(send, passing)

    def send(self, method: str, url: str, body: Any = None, **query: str) -> dict[str, Any]:
        """The answer to one request, sent once; raises as `ask` does."""
        import requests
        from google.auth.exceptions import GoogleAuthError

        try:
            response = self._session.request(
                method, url, json=body, params=query, timeout=self._timeout
            )
            if response.ok:
                return dict(response.json())
        except GoogleAuthError as error:
            raise MissingError(_SIGN_IN.format(error=error)) from error
        except requests.RequestException as error:
            reason = f"the connection was cut ({type(error).__name__}: {error})"
            raise RequestError(SERVICE, 0, reason) from error
        reason = f"{response.status_code} {_message(response)}"
        if response.status_code == 401:
            raise MissingError(_SIGN_IN.format(error=reason))
        raise RequestError(
            SERVICE,
            response.status_code,
            reason,
            retry_after(response.headers.get("retry-after", "")),
            busy=response.status_code == 403 and "ratelimit" in response.text.lower(),
        )


def _message(response: Any) -> str:
    try:
        message = response.json()["error"]["message"]
    except (ValueError, LookupError, TypeError):
        message = response.reason
    return " ".join(str(message).split())[:300]
