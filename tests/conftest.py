"""What all tests share: running a command in this process, and hypothesis without deadlines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from hypothesis import settings

# A first example may open fonts and fill caches, and machines that run tests are busy: time is
# measured in bench/. `make test` tries the same examples each time, so that it cannot fail by
# chance; `make test-all` (--hypothesis-profile=search) looks for new ones, and keeps what failed
# in .hypothesis/ until it passes. Tests leave the number of examples to the profile, but for the
# few of which one takes long: they try a third.
settings.register_profile("memeloc", deadline=None, derandomize=True, max_examples=25)
settings.register_profile("search", deadline=None, print_blob=True, max_examples=300)
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
