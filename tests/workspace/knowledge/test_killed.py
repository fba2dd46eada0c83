"""kill -9 in the middle of an extraction: the same command goes on, and pays for nothing twice."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from memeloc.workspace import Workspace
from tests.chat_server import serve_chat
from tests.workspace.knowledge.answering import right
from tests.workspace.teams import workspace_of

AT_ONCE = 4
"""Requests under way, as the settings have it."""


@pytest.mark.slow
def test_a_killed_extraction_pays_for_nothing_twice(tmp_path: Path) -> None:
    workspace_of(tmp_path, [], memes=6).close()
    processes: list[subprocess.Popen[bytes]] = []

    def say(number: int, body: dict[str, Any]) -> str:
        if number == 27:
            processes[0].kill()
        return right(number, body)

    command = [sys.executable, "-m", "memeloc", "knowledge", "extract", "--no-picture"]
    with serve_chat() as server:
        server.say = say
        environment = {**os.environ, "OPENAI_BASE_URL": server.url, "OPENAI_MODEL": "tiny"}
        for _ in range(2):
            processes.append(subprocess.Popen(command, cwd=tmp_path / "work", env=environment))
            processes[-1].wait(120)
        asked = len(server.bodies)
    assert [process.returncode for process in processes] == [-9, 0]
    assert 66 <= asked <= 66 + AT_ONCE
    with Workspace.open(tmp_path / "work") as workspace:
        assert sum(1 for meme in workspace.knowledge.memes() for _ in meme.statements()) == 60
