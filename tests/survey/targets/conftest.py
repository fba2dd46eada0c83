"""A survey in English, and a browser that is started once a module."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

from memeloc.survey.targets.protocol import SheetsToSend
from tests.survey.packs import pack


@pytest.fixture(scope="session")
def survey(tmp_path_factory: pytest.TempPathFactory) -> SheetsToSend:
    return pack(tmp_path_factory.mktemp("pictures"))


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox"]
        )
        yield chromium
        chromium.close()
