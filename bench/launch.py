"""Run a program and say what it took. In: a file for the answer, and a command. Out: JSON.

It is a program of its own, and a small one: the system counts the memory of the process that starts
another as the other's until that one's code is loaded, so a large process cannot ask.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import sys
import time

_BECOME_SUBREAPER = 36  # Linux's PR_SET_CHILD_SUBREAPER


def main() -> None:
    """Run `sys.argv[2:]` and write its times (s), peak memory (bytes) and status to `argv[1]`.

    Processes that it started count too: on Linux those that it leaves behind are waited for here.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_BECOME_SUBREAPER, 1, 0, 0, 0)
    begin = time.monotonic()
    child = os.spawnvp(os.P_NOWAIT, sys.argv[2], sys.argv[2:])
    _, status = os.waitpid(child, 0)
    wall = time.monotonic() - begin
    with contextlib.suppress(ChildProcessError):
        while True:
            os.wait()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    with open(sys.argv[1], "w", encoding="utf-8") as stream:  # noqa: PTH123 - a small start
        json.dump(
            {
                "wall": wall,
                "cpu": used.ru_utime + used.ru_stime,
                "memory": used.ru_maxrss * 1024,
                "status": os.waitstatus_to_exitcode(status),
            },
            stream,
        )


if __name__ == "__main__":
    main()
