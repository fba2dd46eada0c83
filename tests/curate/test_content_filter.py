"""The content filter: one request a meme, with all questions; people decide what is doubtful."""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from memeloc.curate.filters.models import CartoonFilter, ContentFilter
from memeloc.language_models import MemoryCache
from tests.chat_server import ChatServer
from tests.curate.judging import caption, connected, filter_context, picture, template

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
