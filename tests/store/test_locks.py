"""One run of a kind at a time: others are refused, and a killed one lets go."""

from __future__ import annotations

import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from memeloc.errors import InputError
from memeloc.store import Store

HOLD = """
import sys, time
from memeloc.store.database import Database
from pathlib import Path
where = sys.argv[1]
with Database(where if "://" in where else Path(where)).lock("translate"):
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_one_run_of_a_kind_is_at_work(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    url = request.getfixturevalue("postgresql")() if kind == "postgresql" else ""
    with Store.create(tmp_path, url) as store:
        where = url or str(tmp_path / "memeloc.db")
        other = subprocess.Popen([sys.executable, "-c", HOLD, where], stdout=subprocess.PIPE)
        try:
            assert other.stdout is not None
            assert other.stdout.readline() == b"held\n"
            with pytest.raises(InputError, match="Another `memeloc translate` is at work"):
                store.database.lock("translate").__enter__()
            with store.database.lock("render"), store.database.write():
                assert store.captions.count() == 0
        finally:
            other.kill()
            other.communicate()
        for _ in range(100):  # a server notices some moments later
            with suppress(InputError), store.database.lock("translate"):
                return
            time.sleep(0.05)
        pytest.fail("a killed run holds the lock")
