"""A survey in English, for all targets."""

from __future__ import annotations

import pytest

from memeloc.survey.targets.protocol import SheetsToSend
from tests.survey.packs import pack


@pytest.fixture(scope="session")
def survey(tmp_path_factory: pytest.TempPathFactory) -> SheetsToSend:
    return pack(tmp_path_factory.mktemp("pictures"))
