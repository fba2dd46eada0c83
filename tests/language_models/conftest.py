"""What the tests of the client share: a local chat server and quick waits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from memeloc.language_models import LanguageModel, ModelSettings
from memeloc.request_pool import Backoff
from tests.chat_server import ChatServer

Connect = Callable[..., LanguageModel]


@pytest.fixture
def chat(chat: ChatServer) -> ChatServer:
    chat.say = lambda number, body: '{"warm": true}'
    return chat


@pytest.fixture
def connect(chat: ChatServer) -> Iterator[Connect]:
    """A client of the server: `connect(cache=..., asks=2)`."""
    made: list[LanguageModel] = []

    def connect_model(cache: Any = None, budget: Any = None, **more: Any) -> LanguageModel:
        settings = ModelSettings(model="tiny", base_url=chat.url, **more)
        quick = Backoff(attempts=6, first=0.004, longest=0.1, seed=3)
        made.append(LanguageModel(settings, cache, budget, quick))
        return made[-1]

    yield connect_model
    for model in made:
        model.close()
