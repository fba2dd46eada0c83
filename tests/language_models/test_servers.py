"""Misbehaving servers, each asked by `memeloc evaluate`: its end, its words, its requests."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator
from email.utils import formatdate
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from memeloc.language_models import client
from memeloc.request_pool import Backoff
from tests.chat_server import ChatServer, error, serve_chat
from tests.conftest import Outcome
from tests.local_server import Reply, json_reply

QUESTIONS = 6
MEMES = "id,text,language\n" + "".join(f"{n},tea {n},en\n" for n in range(QUESTIONS))
RUN = """
like = "multi3hate"
source = ""
wordings = [1]
orders = [0]
[dataset]
languages = []
[[condition]]
name = "text"
inputs = ["text"]
[[model]]
model = "tiny"
at_once = 1
asks = 1
timeout = 1.0
price_in = 1.0
price_out = 1.0
"""
HALF = json_reply({"choices": [{"message": {"content": "a"}}]}, half=True)
CUT = {"message": {"content": None, "reasoning": "Hm"}, "finish_reason": "length"}
FILTERED = {"message": {"content": ""}, "finish_reason": "content_filter"}


def drip(number: int, body: dict[str, Any]) -> Reply:
    def pieces() -> Iterator[bytes]:
        for _ in range(25):
            time.sleep(0.05)
            yield b" "

    return Reply(stream=pieces())


def refuse_parameters(number: int, body: dict[str, Any]) -> Any:
    refused = [name for name in ("temperature", "seed", "max_tokens") if name in body]
    named = {"max_tokens": "use max_completion_tokens"}
    return error(400, f"no {refused[0]}, {named.get(refused[0])}") if refused else None


def busy(wait: Callable[[], str]) -> Callable[[int, dict[str, Any]], Any]:
    return lambda number, body: (
        error(429, "slow down", **{"Retry-After": wait()}) if number == 2 else None
    )


def always(reply: Any) -> Callable[[int, dict[str, Any]], Any]:
    return lambda number, body: reply


Server = dict[str, Any]
SERVERS: dict[str, tuple[Server, int, str, int]] = {
    # what it does, the command's status, what is printed, requests
    "drip": ({"refuse": drip}, 1, r"no whole answer within 1 s", 3),
    "cut JSON": ({"refuse": always(HALF)}, 1, "connection was cut before the whole answer", 3),
    "429 with seconds": ({"refuse": busy(lambda: "0.2")}, 0, "6 of 6 questions answered", 7),
    "429 with a date": (
        # A date is in whole seconds: it is one to two seconds away.
        {"refuse": busy(lambda: formatdate(time.time() + 2, usegmt=True))},
        0,
        "6 of 6 questions answered",
        7,
    ),
    "400 on each parameter": ({"refuse": refuse_parameters}, 0, "6 of 6 questions answered", 9),
    "empty": ({"say": always("")}, 1, "first 4 answers is empty; is tiny a model", 4),
    "cut": ({"say": always(CUT)}, 1, "cut at max_tokens = 40 .* reasoning_tokens", 4),
    "filtered": ({"say": always(FILTERED)}, 0, r"6 invalid \(6 refused\)", 6),
    "HTML": ({"refuse": always((200, {}, "<html>"))}, 1, "not in the OpenAI chat protocol", 3),
    "huge": ({"refuse": always((200, {}, "x" * 4_000_001))}, 1, "more than 4,000,000 bytes", 3),
    "wrong usage": ({"usage": {"prompt_tokens": -5}}, 0, r"6 requests, 0\.00[1-9]\d USD", 6),
    "wrong model": ({"model": "another"}, 0, "6 of 6 questions answered", 6),
    "slow reasoning": (
        {"say": lambda number, body: time.sleep(0.2) or {"content": "a", "reasoning": "Hm"}},
        0,
        "6 of 6 questions answered",
        6,
    ),
    "redirect": ({"refuse": always((302, {"Location": "/"}, ""))}, 1, "redirects elsewhere", 1),
    "reset": ({"refuse": always((0, {}, ""))}, 1, "connection was cut", 3),
}


@pytest.fixture
def chat(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[ChatServer]:
    for name in ("OPENAI_API_KEY", "OPENAI_MODEL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(client, "Backoff", partial(Backoff, first=0.01, longest=0.05))
    monkeypatch.setattr("memeloc.request_pool.PATIENCE", 0.1)
    monkeypatch.chdir(tmp_path)
    Path("memes.csv").write_text(MEMES, "utf-8")
    Path("own.toml").write_text(RUN, "utf-8")
    with serve_chat() as server:
        server.say = lambda number, body: "a"
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        with Path("own.toml").open("a", encoding="utf-8") as stream:
            stream.write(f"base_url = {json.dumps(server.url)}\n")
        yield server


@pytest.mark.parametrize("name", SERVERS)
def test_a_misbehaving_server(
    chat: ChatServer,
    command: Callable[..., Outcome],
    caplog: pytest.LogCaptureFixture,
    name: str,
) -> None:
    server, status, printed, requests = SERVERS[name]
    for attribute, value in server.items():
        setattr(chat, attribute, value)
    begin = time.monotonic()
    done = command("evaluate", "own.toml", "--data", "memes.csv", "--out", "results")
    text = " ".join((done.out + done.err).split())
    assert done.status == status, text
    assert re.search(printed, text), text
    assert len(chat.bodies) == requests
    assert time.monotonic() - begin < 60
    assert Path("results/answers.parquet").exists() is (status == 0)
    if name in {"429 with seconds", "429 with a date", "slow reasoning", "drip"}:
        assert "tiny has not answered for" in caplog.text
    if name == "400 on each parameter":
        sent = json.loads(Path("results/run.json").read_text("utf-8"))["models"][0]["sent"]
        assert sent["temperature"] == sent["seed"] == sent["max_tokens"] == {"not sent": 6}
        assert sent["max_completion_tokens"] == {"40": 6}
    if name == "wrong model":
        assert set(pd.read_parquet("results/answers.parquet")["served_model"]) == {"another"}


def test_a_published_run_goes_on_with_cut_answers_and_says_so(
    chat: ChatServer, command: Callable[..., Outcome]
) -> None:
    chat.say = always(CUT)
    text = Path("own.toml").read_text("utf-8").replace('source = ""\n', "")
    Path("own.toml").write_text(text, "utf-8")
    Path("gold.csv").write_text("id,US\n" + "".join(f"{n},1\n" for n in range(QUESTIONS)), "utf-8")
    done = command("evaluate", "own.toml", "--data", "memes.csv", "--gold", "gold.csv",
        "--out", "results")  # fmt: skip
    assert done.status == 0
    assert "6 invalid (0 refused, 6 cut)" in done.out
    noted = "6 invalid answers of tiny ended at the limit of 40 tokens"
    assert noted in done.out
    assert noted in Path("results/report.html").read_text("utf-8")
