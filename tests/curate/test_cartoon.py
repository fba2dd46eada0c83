"""The cartoon filter: people first, then a model that is shown a small copy of the picture."""

from __future__ import annotations

import base64
import json
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from memeloc.curate.filters.models import CartoonFilter
from memeloc.language_models import MemoryCache
from tests.chat_server import ChatServer
from tests.curate.judging import connected, filter_context, picture, template


def _shown(body: dict[str, Any]) -> Image.Image:
    url = body["messages"][1]["content"][1]["image_url"]["url"]
    data = base64.b64decode(url.removeprefix("data:image/jpeg;base64,"))
    return Image.open(BytesIO(data))


def _flat(number: int, body: dict[str, Any]) -> str:
    """Red pictures are cartoons, blue ones in part, all others not."""
    red, _, blue = _shown(body).convert("RGB").getpixel((5, 5))  # type: ignore[misc]
    seen = "whole" if red > 200 else "part" if blue > 200 else "no"
    return json.dumps({"cartoon": seen})


@pytest.fixture
def chat(chat: ChatServer) -> ChatServer:
    chat.say = _flat
    return chat


def _drawn(folder: Path, colour: str, size: tuple[int, int] = (900, 300)) -> Path:
    path = folder / f"{colour}.png"
    Image.new("RGB", size, colour).save(path)
    return path


def test_a_model_sees_a_small_copy_of_each_picture(chat: ChatServer, tmp_path: Path) -> None:
    items = [
        picture(_drawn(tmp_path, colour), colour, colour) for colour in ("red", "blue", "lime")
    ]
    with connected(chat, MemoryCache(), at_once=1) as model:
        judge = CartoonFilter({"longest_side": 300}, filter_context(model=model))
        plan = judge.plan(items)
        assert plan is not None
        assert plan.questions == 3
        assert not chat.bodies
        got = list(judge.judge(items))
        assert [(verdict.verdict, verdict.reason) for verdict in got] == [
            ("drop", "cartoon"), ("drop", "cartoon in part"), ("keep", "")
        ]  # fmt: skip
        assert _shown(chat.bodies[0]).size == (300, 100)
        assert got[0].evidence["model"] == "tiny-2026"
        assert [verdict.settings for verdict in got] == [judge.cache_key(item) for item in items]
        for part, reason in (("keep", ""), ("ask", "cartoon in part")):
            judge = CartoonFilter({"part": part, "longest_side": 300}, filter_context(model=model))
            (verdict,) = judge.judge([items[1]])
            assert (verdict.verdict, verdict.reason) == (part, reason)
        assert len(chat.bodies) == 3  # the same look at the same picture is paid for once


def test_an_unreadable_picture_is_asked_and_the_rest_goes_on(
    chat: ChatServer, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.png"
    broken.write_bytes(b"GIF89a no")
    items = [picture(broken, "broken", "b"), picture(_drawn(tmp_path, "lime"), "lime", "l"),
             template("without picture", "none")]  # fmt: skip
    with connected(chat) as model:
        got = {
            verdict.item: verdict
            for verdict in CartoonFilter({}, filter_context(model=model)).judge(items)
        }
    assert (got["broken"].verdict, got["broken"].reason) == ("ask", "does not open")
    assert "broken.png" in got["broken"].evidence["error"]
    assert (got["none"].verdict, got["none"].reason) == ("ask", "no picture")
    assert got["lime"].verdict == "keep"
