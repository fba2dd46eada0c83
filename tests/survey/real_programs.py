"""Start a program of other people, and wait until it answers."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path


def free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])


@contextmanager
def started(
    command: Sequence[str], folder: Path, address: str, environment: Mapping[str, str]
) -> Iterator[None]:
    """The program, from when it answers at an address until the end of the block."""
    log = folder / "program.log"
    with log.open("wb") as stream:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env={**os.environ, "HOME": str(folder), **environment},
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        deadline = time.monotonic() + 600
        while not _answers(address):
            printed = log.read_text("utf-8", "replace")[-3000:]
            assert process.poll() is None, printed
            assert time.monotonic() < deadline, printed
            time.sleep(0.5)
        yield
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait(20)


def _answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(address, timeout=2):
            return True
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False
