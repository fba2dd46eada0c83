"""What all tests share: running a command in this process, and hypothesis without deadlines."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from hypothesis import settings

# A first example may open fonts and fill caches, and machines that run tests are busy: time is
# measured in bench/. In CI the same examples are tried each time.
settings.register_profile("memeloc", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("memeloc")


@dataclass(frozen=True)
class Outcome:
    """What a command did: its exit status and what it printed."""

    status: int
    out: str
    err: str


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Callable[..., Outcome]:
    """Run `memeloc ARGUMENTS...` in this process."""

    def run_command(*arguments: object) -> Outcome:
        from memeloc.cli import run

        capsys.readouterr()
        status = run([str(argument) for argument in arguments])
        printed = capsys.readouterr()
        return Outcome(status, printed.out, printed.err)

    return run_command
