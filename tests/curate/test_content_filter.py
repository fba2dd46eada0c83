"""Content and multimodality, asked of harmless models; people decide what is doubtful."""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from memeloc.curate.filters.models import CartoonFilter, ContentFilter, MultimodalFilter
from memeloc.curate.verdict import Judgement
from memeloc.errors import InputError, ServiceError
from memeloc.language_models import MemoryCache
from tests.chat_server import ChatServer, error
from tests.curate.judging import caption, connected, filter_context, picture, template, texts

ALL = ["nsfw", "unimodal", "cartoon", "topic", "wordplay"]


PLAIN: dict[str, Any] = {
    "nsfw": "no", "unimodal": "no", "cartoon": "no", "topic": "Germany", "wordplay": []
}  # fmt: skip


PUN = [{"words": "seas the day", "why": "seize"}, {"words": "not there", "why": "invented"}]


@pytest.mark.parametrize(
    ("seen", "settings", "outcome", "reason"),
    [
        ({}, {}, "keep", ""),
        ({"nsfw": "yes", "wordplay": PUN}, {}, "drop", "not safe for work"),
        ({"unimodal": "yes"}, {}, "drop", "one modality"),
        ({"unimodal": "yes"}, {"ask": ["unimodal"]}, "ask", "one modality"),
        ({"cartoon": "whole"}, {}, "drop", "cartoon"),
        ({"cartoon": "part"}, {}, "keep", ""),
        ({"topic": "none"}, {}, "ask", "no topic"),
        ({"topic": "none"}, {"ask": []}, "drop", "no topic"),
        ({"wordplay": PUN}, {}, "ask", "wordplay"),
        ({"wordplay": PUN[1:]}, {}, "keep", ""),
    ],
)
def test_all_questions_are_one_request(
    chat: ChatServer,
    tmp_path: Path,
    seen: dict[str, Any],
    settings: dict[str, Any],
    outcome: str,
    reason: str,
) -> None:
    chat.say = lambda number, body: json.dumps({**PLAIN, **seen})
    path = tmp_path / "ship.png"
    Image.new("RGB", (60, 40), "teal").save(path)
    meme = replace(picture(path), parts=("seas the day",))
    with connected(chat) as model:
        judge = ContentFilter({"questions": ALL, **settings}, filter_context(model=model))
        (verdict,) = judge.judge([meme])
    assert (verdict.verdict, verdict.reason) == (outcome, reason)
    (body,) = chat.bodies
    text, image = body["messages"][1]["content"]
    assert image["type"] == "image_url"
    assert all(f'"{name}"' in text["text"] for name in ALL)
    assert "seas the day" in text["text"]
    assert "not there" not in str(verdict.evidence)


def test_only_what_is_wanted_is_asked_of_captions_too(chat: ChatServer, tmp_path: Path) -> None:
    path = tmp_path / "ship.png"
    Image.new("RGB", (60, 40), "teal").save(path)
    on = {"t1": template("Ship", picture="sha", path=path)}
    chat.say = lambda number, body: json.dumps({"nsfw": "no"})
    with connected(chat) as model:
        context = filter_context(model=model, templates=on)
        judge = ContentFilter({"questions": ["nsfw"]}, context)
        (verdict,) = judge.judge([caption("ahoy")])
    assert verdict.verdict == "keep"
    (body,) = chat.bodies
    assert [part["type"] for part in body["messages"][1]["content"]] == ["text", "image_url"]
    assert "cartoon" not in str(body["messages"])


def test_without_a_model_nobody_looked() -> None:
    (verdict,) = ContentFilter({}, filter_context()).judge([caption("ahoy")])
    assert (verdict.verdict, verdict.reason) == ("ask", "nobody looked")


def test_a_cartoon_is_content_with_one_question(chat: ChatServer, tmp_path: Path) -> None:
    """Red pictures are cartoons, blue ones in part; a model sees a small copy of each, once."""

    def shown(body: dict[str, Any]) -> Image.Image:
        url = body["messages"][1]["content"][1]["image_url"]["url"]
        return Image.open(BytesIO(base64.b64decode(url.removeprefix("data:image/jpeg;base64,"))))

    def say(number: int, body: dict[str, Any]) -> str:
        red, _, blue = shown(body).convert("RGB").getpixel((5, 5))  # type: ignore[misc]
        return json.dumps({"cartoon": "whole" if red > 200 else "part" if blue > 200 else "no"})

    chat.say = say
    for colour in ("red", "blue", "lime"):
        Image.new("RGB", (900, 300), colour).save(tmp_path / f"{colour}.png")
    (tmp_path / "broken.png").write_bytes(b"GIF89a no")
    names = ("red", "blue", "lime", "broken")
    items = [picture(tmp_path / f"{name}.png", name, name) for name in names]
    items.append(template("without picture", "none"))
    with connected(chat, MemoryCache(), at_once=1) as model:
        judge = CartoonFilter({"longest_side": 300}, filter_context(model=model))
        plan = judge.plan(items[:3])
        assert plan is not None
        assert (plan.questions, len(chat.bodies)) == (3, 0)
        seen = {verdict.item: (verdict.verdict, verdict.reason) for verdict in judge.judge(items)}
        assert seen == {
            "red": ("drop", "cartoon"), "blue": ("drop", "cartoon in part"), "lime": ("keep", ""),
            "broken": ("ask", "does not open"), "none": ("ask", "no picture"),
        }  # fmt: skip
        assert shown(chat.bodies[0]).size == (300, 100)
        for part, reason in (("keep", ""), ("ask", "cartoon in part")):
            judge = CartoonFilter({"part": part, "longest_side": 300}, filter_context(model=model))
            (verdict,) = judge.judge([items[1]])
            assert (verdict.verdict, verdict.reason) == (part, reason)
        assert len(chat.bodies) == 3  # the same look at the same picture is paid for once


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
