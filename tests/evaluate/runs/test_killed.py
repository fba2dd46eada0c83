"""A run that is killed goes on where it was, and pays again for what was under way at the most."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.chat_server import serve_chat
from tests.evaluate.runs.small_dataset import checkout

AT_ONCE = 4
QUESTIONS = 3 * (2 + 2 + 1) * 6
"""Items, by pictures and both in two languages and native prompts in one, by prompts."""


@pytest.mark.slow
def test_a_killed_run_asks_only_what_was_under_way_again(tmp_path: Path) -> None:
    with serve_chat() as server:

        def answer(number: int, body: object) -> str:
            time.sleep(0.05)
            return "a"

        server.say = answer
        run = tmp_path / "mine.toml"
        run.write_text(
            f'like = "multi3hate"\nname = "mine"\n[[model]]\nmodel = "tiny"\n'
            f'base_url = "{server.url}"\nat_once = {AT_ONCE}\n'
        )
        data = checkout(tmp_path / "set")
        command = [sys.executable, "-m", "memeloc", "evaluate", "run", str(run), "--json"]
        command += ["--data", str(data), "--langs", "en,hi", "--only", "english,native"]
        first = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL)
        while len(server.bodies) < QUESTIONS // 2 and first.poll() is None:
            time.sleep(0.01)
        os.kill(first.pid, signal.SIGKILL)
        first.wait()
        asked = len(server.bodies)
        second = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
        result = json.loads(second.stdout)
        assert result["answered"] == QUESTIONS
        # Pictures that are the same in both languages are asked about once, also without a kill.
        distinct = {json.dumps(body, sort_keys=True) for body in server.bodies}
        assert len(distinct) <= len(server.bodies) <= len(distinct) + AT_ONCE
        assert result["requests"] == len(server.bodies) - asked
