"""Listening. In: a host and a port. Out: a socket.

Apart from what serves there, which takes seconds to import: who comes meanwhile waits in the
socket's queue and is not refused.
"""

from __future__ import annotations

import socket

from memeloc.errors import InputError


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens there; port 0 takes a free one.

    Raises:
        InputError: nobody can listen there.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=1024)
    except OSError as error:
        raise InputError(
            f"The server cannot listen at {host}, port {port}: {error.strerror}. Name another "
            "--port, or end what listens there."
        ) from error
