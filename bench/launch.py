"""Run a program and say what it took. In: a file for the answer, and a command. Out: JSON.

It is a program of its own, and a small one: the system counts the memory of the process that starts
another as the other's until that one's code is loaded, so a large process cannot ask.
"""

from __future__ import annotations

import json
import os
import sys
import time


def main() -> None:
    """Run `sys.argv[2:]` and write its times (s), peak memory (bytes) and status to `argv[1]`."""
    begin = time.monotonic()
    child = os.spawnvp(os.P_NOWAIT, sys.argv[2], sys.argv[2:])
    _, status, used = os.wait4(child, 0)
    wall = time.monotonic() - begin
    with open(sys.argv[1], "w", encoding="utf-8") as stream:  # noqa: PTH123 - start as little as can be
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
