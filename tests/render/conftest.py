"""A renderer with memeloc's fonts, made once."""

from __future__ import annotations

import pytest

from memeloc.render import Renderer


@pytest.fixture(scope="session")
def renderer() -> Renderer:
    return Renderer()
