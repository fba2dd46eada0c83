"""Machines and pools: what must be there, and what tasks come to."""

from __future__ import annotations

import os
import platform
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from memeloc.cli.options import engine
from memeloc.engine import PROCESSES, Checked, EngineSettings, alike, engine_of, seeing
from memeloc.errors import InputError, MissingError

_VERSIONS: dict[str, str] = {}


def _tools() -> dict[str, str]:
    if _VERSIONS.get("font") == "":
        raise InputError("there is no such font", file="My.ttf")
    return dict(_VERSIONS)


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(_VERSIONS, "skia", "144")
    monkeypatch.setitem(_VERSIONS, "font", "ab12")


def test_a_file_that_a_machine_does_not_see_is_named(tmp_path: Path) -> None:
    picture = tmp_path / "cat.png"
    picture.touch()
    function: Checked[int, int] = Checked(abs, [seeing([picture, tmp_path / "never there"])])
    picture.unlink()
    with pytest.raises(InputError, match="disk that they share") as caught:
        function(-3)
    assert caught.value.file == str(picture)


@pytest.mark.parametrize("there", [{"font": "cd34"}, {"emoji": "ef56"}, {"font": "cd34", "hb": ""}])
def test_other_tools_of_a_machine_are_named(
    monkeypatch: pytest.MonkeyPatch, there: dict[str, str]
) -> None:
    function: Checked[int, int] = Checked(abs, [alike(_tools)])
    for name, version in there.items():
        monkeypatch.setitem(_VERSIONS, name, version)
    with pytest.raises(MissingError) as caught:
        function(-3)
    different = ", ".join(
        f"{name} ({version} there, {'ab12' if name == 'font' else 'none'} here)"
        for name, version in there.items()
    )
    assert f"machine {platform.node()} " in str(caught.value)
    assert f" the same {different}: " in str(caught.value)


def test_a_tool_that_was_asked_for_and_is_missing_is_named_with_the_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    function: Checked[int, int] = Checked(abs, [alike(_tools)])
    monkeypatch.setitem(_VERSIONS, "font", "")
    with pytest.raises(MissingError, match=rf"machine {platform.node()}: My\.ttf: there is no"):
        function(-3)


def test_without_settings_work_stays_on_this_machine() -> None:
    assert engine_of(EngineSettings()) is PROCESSES
    assert not engine("").elsewhere


def test_an_unknown_engine_is_named() -> None:
    with pytest.raises(InputError, match=r"name of --engine.*'processes' or 'ray'"):
        engine("dask")


def test_without_ray_the_pip_line_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "ray", None)
    with pytest.raises(MissingError, match=r"pip install 'memeloc\[cluster\]'"):
        engine("ray")


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
