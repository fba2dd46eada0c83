"""What the tests of runs share: a server that answers, and how a run asks it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memeloc.language_models import MemoryCache
from tests.chat_server import ChatServer, serve_chat


@pytest.fixture
def chat(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL"):
        monkeypatch.delenv(name, raising=False)
    with serve_chat() as server:
        server.say = lambda number, body: "a"
        yield server


@pytest.fixture
def sources(chat: ChatServer) -> dict[str, Any]:
    """The chat server's model, with answers kept in memory."""
    defaults = {"model": "tiny", "base_url": chat.url}
    return {"folder": Path(), "defaults": defaults, "cache": MemoryCache()}
