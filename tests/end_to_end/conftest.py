"""Studies, each in a folder of its own, and the option that writes their golden files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Outcome
from tests.end_to_end.study import Study

GOLDEN = Path(__file__).parent / "golden"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--write-golden", action="store_true", help="write what is compared with")


@pytest.fixture
def study(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: Callable[..., Outcome],
) -> Study:
    """A study in an empty folder, which is the working directory; a test ends with its `check`."""
    for name in ("MEMELOC_DATABASE_URL", "MEMELOC_SURVEY_KEY"):
        monkeypatch.delenv(name, raising=False)
    folder = tmp_path / "study"
    folder.mkdir()
    monkeypatch.chdir(folder)
    module, test = (
        name.removeprefix("test_") for name in (request.path.stem, request.node.originalname)
    )
    write = request.config.getoption("write_golden", False)
    return Study(folder, GOLDEN / module / f"{test}.txt", command, write=write)
