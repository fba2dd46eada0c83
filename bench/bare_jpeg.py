"""Bare JPEG encoding by several processes. In: how many of them, and how often each. Out: seconds.

What a second process adds on this machine, when processes share nothing and write nothing: cores of
one chip slow each other down, and those of a rented machine are shared with others.
"""

from __future__ import annotations

import subprocess
import sys
import time
from io import BytesIO

from bench.scenes import ROOT

PICTURES = 1500
"""That each process encodes, some three seconds of work."""

_SCRIPT = "from bench.bare_jpeg import encode; encode({count})"


def encode(count: int) -> None:
    """Encode the built-in templates' pictures one after another, `count` times in all."""
    from memeloc.templates import load_templates, open_picture

    pictures = [open_picture(template.image) for template in load_templates()[0].values()]
    for number in range(count):
        pictures[number % len(pictures)].save(BytesIO(), "JPEG", quality=90)


def seconds(processes: int, count: int = PICTURES) -> float:
    """Wall seconds in which so many processes, begun at once, encode `count` pictures each.

    Raises:
        RuntimeError: one of them failed.
    """
    begin = time.monotonic()
    command = (sys.executable, "-c", _SCRIPT.format(count=count))
    running = [subprocess.Popen(command, cwd=ROOT) for _ in range(processes)]
    failed = [process.wait() != 0 for process in running]
    if any(failed):
        raise RuntimeError("a process that encodes pictures failed")
    return time.monotonic() - begin
