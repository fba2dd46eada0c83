"""What the tests of filters that ask people or models share."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from memeloc.curate.protocol import FilterContext
from memeloc.curate.verdict import Judgement
from memeloc.items import Item, Origin
from memeloc.language_models import Cache, LanguageModel, ModelSettings
from memeloc.request_pool import Backoff
from tests.chat_server import ChatServer


def caption(text: str, id: str = "c1", parent: str = "t1", language: str = "en") -> Item:
    return Item(id, "caption", Origin("test", id), parent=parent, parts=tuple(text.split(" // ")),
                language=language)  # fmt: skip


def template(name: str, id: str = "t1", **more: Any) -> Item:
    return Item(id, "template", Origin("test", id), name=name, **more)


def picture(path: Path, id: str = "p1", sha: str = "sha-1") -> Item:
    return Item(id, "picture", Origin("test", id), picture=sha, path=path)


def filter_context(
    judgements: Sequence[Judgement] = (),
    model: LanguageModel | None = None,
    templates: Mapping[str, Item] | None = None,
) -> FilterContext:
    return FilterContext(
        templates=templates or {},
        judgements=lambda question: [
            judgement for judgement in judgements if judgement.question == question
        ],
        model=model,
    )


@contextmanager
def connected(chat: ChatServer, cache: Cache | None = None, **more: Any) -> Iterator[LanguageModel]:
    settings = ModelSettings(model="tiny", base_url=chat.url, **more)
    quick = Backoff(attempts=3, first=0.002, longest=0.02, seed=1)
    with LanguageModel(settings, cache, backoff=quick) as model:
        yield model


def texts(body: Mapping[str, Any]) -> dict[str, str]:
    """What stands between the lines of equal signs of a question, by heading."""
    asked = body["messages"][1]["content"]
    asked = asked if isinstance(asked, str) else asked[0]["text"]
    headed = re.findall(r"==== (\w+) ====\n(.*?)\n(?===== )", asked, re.DOTALL)
    return dict(headed)
