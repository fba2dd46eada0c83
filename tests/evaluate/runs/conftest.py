"""What the tests of runs share: a server that answers, and how a run asks it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memeloc.language_models import MemoryCache
from tests.chat_server import ChatServer


@pytest.fixture
def chat(chat: ChatServer) -> ChatServer:
    chat.say = lambda number, body: "a"
    return chat


@pytest.fixture
def sources(chat: ChatServer) -> dict[str, Any]:
    """The chat server's model, with answers kept in memory."""
    defaults = {"model": "tiny", "base_url": chat.url}
    return {"folder": Path(), "defaults": defaults, "cache": MemoryCache()}
