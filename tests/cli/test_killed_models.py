"""kill -9 and Ctrl-C in the middle of asking a model: the same command goes on, and what is stored
is asked once.

What was under way may be asked again: of Ctrl-C nothing is, for it is waited for.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.chat_server import serve_chat
from tests.evaluate.runs.small_dataset import checkout
from tests.workspace.knowledge.answering import right as knowledge_of
from tests.workspace.labels.answering import labels
from tests.workspace.teams import workspace_of

AT_ONCE = 4
"""Requests under way, as the settings have it."""
EVALUATE = "evaluate multi3hate --data ../set --langs en,hi --only english,native --json"
COMMANDS = {
    # by command: what is answered, and how many questions there are
    "label --model tiny": (lambda number, body: labels("safe"), 18),
    "knowledge extract --no-picture": (knowledge_of, 66),
    # Pictures that are the same in both languages are asked about once: two of three inputs are.
    EVALUATE: (lambda number, body: "a", 72),
}


@pytest.mark.slow
@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGINT])
@pytest.mark.parametrize("command", COMMANDS)
def test_what_is_stored_is_asked_once(tmp_path: Path, command: str, sent: signal.Signals) -> None:
    workspace_of(tmp_path, [], memes=6).close()
    checkout(tmp_path / "set")
    answer, questions = COMMANDS[command]
    processes: list[subprocess.Popen[bytes]] = []

    def say(number: int, body: dict[str, Any]) -> str:
        time.sleep(0.02)
        if number == questions // 2:
            processes[0].send_signal(sent)
        return answer(number, body)

    with serve_chat() as server:
        server.say = say
        environment = {**os.environ, "OPENAI_BASE_URL": server.url, "OPENAI_MODEL": "tiny"}
        for _ in range(3):
            words = [sys.executable, "-m", "memeloc", *command.split()]
            processes.append(subprocess.Popen(words, cwd=tmp_path / "work", env=environment))
            processes[-1].wait(120)
        bodies = [json.dumps(body, sort_keys=True) for body in server.bodies]
    assert [process.returncode for process in processes] == [
        -9 if sent == signal.SIGKILL else 130,
        0,
        0,
    ]
    assert len(set(bodies)) == questions
    again = AT_ONCE if sent == signal.SIGKILL else 0
    assert len(bodies) <= questions + again
