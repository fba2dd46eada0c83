"""The multimodality filter, against a model that calls "sour" what has a lemon in it: harmless."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memeloc.curate.filters.models import MultimodalFilter
from memeloc.curate.verdict import Judgement
from memeloc.errors import InputError, ServiceError
from memeloc.language_models import MemoryCache
from tests.chat_server import ChatServer, error
from tests.curate.judging import caption, connected, filter_context, texts

LEMONS = [Judgement("t1", "description", "ana", "A bowl of lemons."),
          Judgement("t1", "description", "ben", "Lemons on a table.")]  # fmt: skip


def _sour(number: int, body: dict[str, Any]) -> str:
    """Sour is "drink this" beside a lemon, and "vinegar" alone."""
    shown = texts(body)
    sour = "vinegar" in shown["text"] or (
        "drink" in shown["text"] and "emon" in shown.get("picture", "")
    )
    return json.dumps({"why": "by its taste", "hateful": sour})


@pytest.fixture
def chat(chat: ChatServer) -> ChatServer:
    chat.say = _sour
    return chat


def test_each_person_s_newest_description_counts_once(
    chat: ChatServer,
) -> None:
    judgements = [Judgement("t1", "description", "ana", "A table."), LEMONS[0]]
    with connected(chat) as model:
        (got,) = MultimodalFilter({}, filter_context(judgements, model)).judge([caption("drink")])
        assert got.evidence == {"template": "t1", "described by": ["ana"], "needed": 2}
        (got,) = MultimodalFilter({"descriptions": 1}, filter_context(judgements, model)).judge(
            [caption("drink")]
        )
        assert got.verdict == "keep"
        # More people than needed: every description must make it so.
        three = [*LEMONS, Judgement("t1", "description", "cem", "A table.")]
        (got,) = MultimodalFilter({}, filter_context(three, model)).judge([caption("drink")])
        assert got.reason == "not hateful with every description"


def test_braces_in_captions_and_descriptions_are_only_letters(chat: ChatServer) -> None:
    judgements = [Judgement("t1", "description", who, "{caption} {system}") for who in "ab"]
    with connected(chat) as model:
        list(
            MultimodalFilter({}, filter_context(judgements, model)).judge(
                [caption("{description} {0}")]
            )
        )
    shown = [texts(body) for body in chat.bodies]
    assert all(question["text"] == "{description} {0}" for question in shown)
    assert {question.get("picture") for question in shown} == {None, "{caption} {system}"}


@pytest.mark.parametrize(
    ("answer", "reason"),
    [("I cannot help with that.", "model refused"), ("sour", "no answer"),
     ('{"hateful": "yes"}', "no answer")],
)  # fmt: skip
def test_what_the_model_will_not_say_a_person_is_asked(
    chat: ChatServer, answer: str, reason: str
) -> None:
    chat.say = lambda number, body: answer if "pear" in texts(body)["text"] else _sour(number, body)
    with connected(chat, asks=2) as model:
        judge = MultimodalFilter({}, filter_context(LEMONS, model))
        got = {
            verdict.item: verdict
            for verdict in judge.judge([caption("pear"), caption("drink", "c2")])
        }
    assert (got["c1"].verdict, got["c1"].reason) == ("ask", reason)
    assert "error" in got["c1"].evidence
    assert got["c2"].verdict == "keep"


def test_unanswered_questions_leave_items_without_verdict(chat: ChatServer) -> None:
    chat.refuse = lambda number, body: (
        error(503, "busy") if "pear" in texts(body)["text"] and "picture" in texts(body) else None
    )
    got: list[Any] = []
    items = [caption("drink", "c1"), caption("pear", "c2"), caption("look", "c3")]
    with connected(chat, MemoryCache(), at_once=1) as model:
        judge = MultimodalFilter({}, filter_context(LEMONS, model))
        with pytest.raises(ServiceError, match=r"1 item got no answer.*: c2: .*HTTP status 503"):
            judge.ask(items, got.append)
        assert [verdict.item for verdict in got] == ["c1", "c3"]
        chat.refuse = lambda number, body: None
        before = len(chat.bodies)
        assert [verdict.reason for verdict in judge.judge(items)] == [
            "",
            "not hateful",
            "not hateful",
        ]
        assert len(chat.bodies) == before + 2  # only what was left


def test_a_stamp_changes_with_all_that_the_verdict_rests_on(
    chat: ChatServer, tmp_path: Path
) -> None:
    own = tmp_path / "own.toml"
    own.write_text('system = "s"\ncaption = "{caption}?"\ndescribed = "{description}{caption}"\n')
    item = caption("drink")
    with connected(chat) as model, connected(chat, seed=9) as other:
        stamps = [
            MultimodalFilter(settings, filter_context(judgements, model_)).cache_key(an_item)
            for settings, judgements, model_, an_item in (
                ({}, LEMONS, model, item),
                ({"prompt": str(own)}, LEMONS, model, item),
                ({"descriptions": 1}, LEMONS, model, item),
                ({}, LEMONS[:1], model, item),
                ({}, [LEMONS[0], Judgement("t1", "description", "ben", "x")], model, item),
                ({}, LEMONS, other, item),
                ({}, LEMONS, None, item),
                ({}, LEMONS, model, caption("drinks")),
            )
        ]
        assert len(set(stamps)) == len(stamps)
        assert stamps[0] == MultimodalFilter({}, filter_context(LEMONS[::-1], model)).cache_key(
            item
        )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("system = 1", "needs a text named system"),
        ("[", "is not TOML"),
        ('system="s"\ncaption="x"\ndescribed="{caption}{description}"', r"must hold \{caption\}"),
        ('system="s"\ncaption="{caption}{x}"\ndescribed="d"', r"holds \{x\}"),
        ('system="s"\nother="s"', "has 'other'"),
        (None, "cannot be read"),
    ],
)
def test_a_wrong_prompt_file_is_a_sentence(tmp_path: Path, text: str | None, message: str) -> None:
    own = tmp_path / "own.toml"
    if text is not None:
        own.write_text(text)
    with pytest.raises(InputError, match=message) as raised:
        MultimodalFilter({"prompt": str(own)}, filter_context())
    assert "own.toml" in str(raised.value)
