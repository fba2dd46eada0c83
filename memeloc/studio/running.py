"""Running the server. In: a survey to show, a listening socket. Out: nothing before it stops.

Light to import: what serves takes seconds, and who comes meanwhile waits in the socket's queue.
"""

from __future__ import annotations

import os
import secrets
import socket
from typing import TYPE_CHECKING

from memeloc.errors import InputError, MissingError

if TYPE_CHECKING:
    from memeloc.studio.serving import SurveyServer

OWNER_VARIABLE = "MEMELOC_OWNER_TOKEN"
"""The environment variable with the token of the owner's page."""

_SHORTEST_TOKEN = 16  # characters: fewer may be guessed

_IDLE_SECONDS = 75
"""How long a connection may be idle, as nginx has it: people look at a meme for some seconds."""


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens there; port 0 takes a free one; raise InputError if nobody can
    listen there."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=1024)
    except OSError as error:
        raise InputError(
            f"The server cannot listen at {host}, port {port}: {error.strerror}. Name another "
            "--port, or end what listens there."
        ) from error


def owner_token() -> str:
    """Return the token of the owner's page: from the environment, or a new one; raise InputError if
    that of the environment can be guessed."""
    token = os.environ.get(OWNER_VARIABLE, "")
    if token and len(token) < _SHORTEST_TOKEN:
        raise InputError(f"{OWNER_VARIABLE} has fewer than {_SHORTEST_TOKEN} characters")
    return token or secrets.token_urlsafe(24)


def run_server(server: SurveyServer, listening: socket.socket, token: str) -> None:
    """Serve until the process is interrupted; raise MissingError if the extra `studio` is not
    installed."""
    try:
        import uvicorn

        from memeloc.studio.application import make_application
    except ModuleNotFoundError as error:
        raise MissingError("The server needs an extra: pip install 'memeloc[studio]'") from error
    settings = server.settings
    config = uvicorn.Config(
        make_application(server, token),
        root_path=settings.root_path,
        forwarded_allow_ips=list(settings.proxies),
        server_header=False,
        access_log=False,  # addresses hold people's ids
        log_level="warning",
        timeout_keep_alive=_IDLE_SECONDS,
        timeout_graceful_shutdown=5,
    )
    uvicorn.Server(config).run([listening])
