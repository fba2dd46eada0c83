from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

_SCRIPT = """
import os, sys, time
from pathlib import Path
from memeloc.engine import fork_ahead, map_shards

def work(number):
    Path(sys.argv[1], str(os.getpid())).touch()
    time.sleep(60)

if __name__ == "__main__":
    spread = fork_ahead(3) if sys.argv[2] == "forked" else map_shards
    spread(work, range(8), jobs=2, on_done=print)
"""


@pytest.mark.parametrize("way", ["started", "forked"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_no_process_outlives_its_parent(tmp_path: Path, number: signal.Signals, way: str) -> None:
    script = tmp_path / "script.py"
    script.write_text(_SCRIPT)
    pids = tmp_path / "pids"
    pids.mkdir()
    parent = subprocess.Popen(
        [sys.executable, script, pids, way], stderr=subprocess.PIPE, text=True, process_group=0
    )
    _wait_until(lambda: len(list(pids.iterdir())) == (3 if way == "forked" else 2))
    for child in _children(parent.pid):
        (pids / str(child)).touch()
    if number == signal.SIGINT:
        os.killpg(parent.pid, number)  # as a terminal does on Ctrl-C
    else:
        os.kill(parent.pid, number)
    parent.wait(10)
    _wait_until(lambda: not any(_runs(int(path.name)) for path in pids.iterdir()))
    printed = parent.stderr.read() if parent.stderr else ""
    assert printed.count("Traceback") == (1 if number == signal.SIGINT else 0)


_STAGING = """
import os, sys, tempfile, time
from pathlib import Path
from memeloc.engine import fork_ahead, map_shards

def work(number):
    Path(tempfile.mkdtemp(), "shard.tar").touch()
    Path(sys.argv[1], str(number)).touch()
    if number == 1:
        os.kill(os.getpid(), 9)
    time.sleep(60)

if __name__ == "__main__":
    spread = fork_ahead(2) if sys.argv[2] == "forked" else map_shards
    spread(work, range(2), jobs=2, on_done=print)
"""


@pytest.mark.parametrize("way", ["started", "forked"])
def test_an_interrupt_leaves_no_temporary_files(tmp_path: Path, way: str) -> None:
    script = tmp_path / "script.py"
    script.write_text(_STAGING)
    begun = tmp_path / "begun"
    begun.mkdir()
    # A short one: of processes' sockets, which are there too, a name has at most 107 bytes.
    with tempfile.TemporaryDirectory() as temporary:
        parent = subprocess.Popen(
            [sys.executable, script, begun, way],
            env={**os.environ, "TMPDIR": temporary},
            stderr=subprocess.DEVNULL,
            process_group=0,
        )
        _wait_until(lambda: len(list(begun.iterdir())) == 2)
        os.killpg(parent.pid, signal.SIGINT)
        parent.wait(10)
        assert not list(Path(temporary).rglob("*.tar"))


_FORKING = """
import os
from memeloc.engine import fork_ahead

loaded = []

def work(number):
    if number == 3:
        os.kill(os.getpid(), 9)
    return os.getpid(), list(loaded)

if __name__ == "__main__":
    loaded.append("here")
    forked = fork_ahead(3)
    loaded.append("later")
    results = []
    forked(work, range(8), jobs=3, on_done=results.append)
    results.sort(key=lambda result: result.index)
    print([result.index for result in results if result.failure])
    print([result.value[1] for result in results[:3]])
    print(os.getpid() not in {result.value[0] for result in results if result.value})
    fork_ahead(2)  # for nothing
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere processes are started")
def test_processes_forked_ahead_have_what_was_loaded(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(_FORKING)
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=60)
    assert done.stderr == ""
    assert done.stdout.splitlines() == ["[3]", "[['here'], ['here'], ['here']]", "True"]


def _children(pid: int) -> list[int]:
    return [int(n) for n in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _wait_until(condition: object) -> None:
    end = time.monotonic() + 20
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < end
        time.sleep(0.02)
