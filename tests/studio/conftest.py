"""What tests of the web application share: a survey in a workspace, on both databases."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.testclient import TestClient

from memeloc.studio.application import make_application
from memeloc.studio.serving import SurveyServer, serve_survey
from memeloc.workspace import Workspace
from tests.store.conftest import DATABASES, postgresql
from tests.studio.served import OWNER, Annotator, make_workspace

__all__ = ["postgresql"]


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with eight memes in four languages, and their pictures."""
    return make_workspace(
        tmp_path_factory.mktemp("served") / "work", ["de", "ar", "hi", "zh"], memes=8
    )


@pytest.fixture(scope="session")
def built(made: Path) -> Path:
    """The same with the survey `pilot`: two sheets a culture, five people each, on SQLite."""
    work = made.parent / "built"
    shutil.copytree(made, work)
    with pytest.MonkeyPatch.context() as patch:
        for name in ("MEMELOC_DATABASE_URL", "MEMELOC_SURVEY_KEY"):
            patch.delenv(name, raising=False)
        with Workspace.open(work) as workspace:
            workspace.surveys.build("pilot", "US,DE,EG=ar,IN=hi,CN=zh", size=4)
            # Pictures of the taxonomy's examples, which each server would draw anew.
            serve_survey(
                workspace.survey("pilot"), contact="lab@university.example", pictures=work / "out"
            )
    return work


@pytest.fixture(params=DATABASES)
def database(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Has each test run on both databases."""
    monkeypatch.delenv("MEMELOC_DATABASE_URL", raising=False)
    monkeypatch.delenv("MEMELOC_SURVEY_KEY", raising=False)
    if request.param == "postgresql":
        monkeypatch.setenv("MEMELOC_DATABASE_URL", request.getfixturevalue("postgresql")())
    return str(request.param)


@pytest.fixture
def folder(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace with the survey `pilot`, a test's own."""
    monkeypatch.delenv("MEMELOC_DATABASE_URL", raising=False)
    monkeypatch.delenv("MEMELOC_SURVEY_KEY", raising=False)
    work = tmp_path / "work"
    shutil.copytree(built, work)
    monkeypatch.chdir(work)
    return work


@pytest.fixture
def client() -> Iterator[httpx.Client]:
    """An HTTP client."""
    with httpx.Client(timeout=30) as made:
        yield made


@dataclass
class InProcess:
    """The application in this process, for what needs no process of its own."""

    workspace: Workspace
    server: SurveyServer
    client: TestClient

    def comer(self) -> Annotator:
        """Somebody who comes."""
        return Annotator(self.client, "")


@pytest.fixture
def application(folder: Path) -> Iterator[Callable[..., InProcess]]:
    """Makes the application of the survey, with settings, for two cultures."""
    with ExitStack() as stack:
        workspace = stack.enter_context(Workspace.open(folder))

        def make(survey: str = "pilot", **settings: Any) -> InProcess:
            server = serve_survey(
                workspace.survey(survey),
                contact="lab@university.example",
                cultures=["US", "DE"] if survey == "pilot" else [],
                settings=settings,
            )
            address = settings.get("address", "http://survey.example")
            client = TestClient(make_application(server, OWNER), base_url=address)
            return InProcess(workspace, server, stack.enter_context(client))

        yield make
