"""One workspace for all tests that only look at what is published of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memeloc.publish.release import Release
from memeloc.workspace import Workspace
from tests.workspace.publishing.published import answered


@pytest.fixture(scope="package")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder `work` of a workspace and `out` of its pictures."""
    path = tmp_path_factory.mktemp("published")
    answered(path).close()
    return path


@pytest.fixture
def workspace(folder: Path) -> Iterator[Workspace]:
    """The workspace, opened."""
    with Workspace.open(folder / "work") as opened:
        yield opened


@pytest.fixture(scope="package")
def release(folder: Path) -> Iterator[Release]:
    """What goes out of the workspace as it stands."""
    with Workspace.open(folder / "work") as opened:
        yield opened.publishing.gather(folder / "out")
