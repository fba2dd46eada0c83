"""What commands record of their requests to a model, and what a budget holds, with a real server.

Servers refuse `temperature`, `seed` or `top_p`, or hang: what is stored and printed is what was in
the requests, and a request without an answer counts as if it had been paid for.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from memeloc import Workspace
from tests.chat_server import Answer, ChatServer, error, serve_chat
from tests.conftest import Outcome
from tests.evaluate.runs.small_dataset import checkout
from tests.workspace.knowledge.answering import right as knowledge_of
from tests.workspace.labels.answering import labels

Command = Callable[..., Outcome]
World = Callable[..., Path]
TEMPERATURE_AND_TOP_P = "`temperature` and `top_p` cannot both be specified. Please use only one."


@pytest.fixture
def chat(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    for name in ("OPENAI_API_KEY", "OPENAI_MODEL"):
        monkeypatch.delenv(name, raising=False)
    with serve_chat() as server:
        server.say = lambda number, body: labels("safe")
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        yield server


def refuse(*names: str, after: int = 0) -> Callable[[int, dict[str, Any]], Answer | None]:
    """A server that refuses parameters, one after the other, from some request on."""

    def refuse_one(number: int, body: dict[str, Any]) -> Answer | None:
        refused = [name for name in names if name in body and number > after]
        return error(400, f"Unsupported parameter: '{refused[0]}'") if refused else None

    return refuse_one


def refuse_both(number: int, body: dict[str, Any]) -> Answer | None:
    """A server that takes only one of temperature and top_p."""
    return error(400, TEMPERATURE_AND_TOP_P) if {"temperature", "top_p"} <= body.keys() else None


def set_model(folder: Path, **values: Any) -> None:
    """Set a model in a workspace's settings."""
    path = folder / "memeloc.toml"
    lines = [f"{name} = {json.dumps(value)}" for name, value in values.items()]
    lines += ["[language_model.extra]", "top_p = 0.9"]
    table = "\n".join(["[language_model]", 'model = "tiny"', "at_once = 1", *lines, ""])
    path.write_text(path.read_text(encoding="utf-8").replace("[language_model]\n", table, 1))


@pytest.mark.parametrize(
    ("refusal", "sent"),
    [
        (refuse(), {"temperature": {"1.0": 12}, "top_p": {"0.9": 12}, "seed": {"0": 12}}),
        (
            refuse("temperature", "seed", "top_p"),
            {name: {"not sent": 12} for name in ("temperature", "top_p", "seed")},
        ),
        (refuse_both, {"temperature": {"1.0": 12}, "top_p": {"not sent": 12}, "seed": {"0": 12}}),
        (
            refuse("temperature", after=3),
            {
                "temperature": {"1.0": 3, "not sent": 9},
                "top_p": {"0.9": 12},
                "seed": {"0": 12},
            },
        ),
    ],
    ids=["none", "all", "only one of two", "after three"],
)
def test_labels_record_what_their_requests_held(
    chat: ChatServer,
    world: World,
    command: Command,
    refusal: Callable[[int, dict[str, Any]], Answer | None],
    sent: dict[str, dict[str, int]],
) -> None:
    set_model(world("captions"))
    chat.refuse = refusal
    done = command("label", "--rounds", 1, "--collected", "none")
    assert done.status == 0, done.err
    (status,) = json.loads(command("label", "status", "--json").out)["labellings"]
    for counts in (status["sent"], status["rounds"][0]["sent"]):
        assert {name: counts[name] for name in sent} == sent
    with Workspace.find() as workspace:
        stored = workspace.labels.answers()
    # Each answer is told by what was in the body that it answers.
    answered = [body for number, body in enumerate(chat.bodies, 1) if not refusal(number, body)]
    held = [{name: body.get(name) for name in sent} for body in answered]
    assert [{name: row.settings["sent"][name] for name in sent} for row in stored] == held
    assert [row.seed for row in stored] == [body.get("seed") for body in answered]


def test_a_release_says_what_requests_for_labels_held(
    chat: ChatServer, world: World, command: Command
) -> None:
    folder = world("rendered")
    set_model(folder)
    chat.refuse = refuse("temperature", "seed", "top_p")
    command("label", "--rounds", 2, "--collected", "none")
    with Workspace.find() as workspace:
        table = workspace.publishing.gather(folder / "out").tables["model_labels"].frame
    assert len(table)
    for evidence in map(json.loads, table["evidence"]):
        assert evidence["sent"]["temperature"] == evidence["sent"]["seed"] == {"not sent": 2}
        assert "temperature" not in evidence


@pytest.mark.slow
@pytest.mark.parametrize(
    ("refusal", "columns", "text"),
    [
        (
            refuse("temperature", "seed", "top_p"),
            {"temperature": {None}, "top_p": {None}, "seed": {None}},
            "temperature not sent, top_p not sent, seed not sent",
        ),
        (
            refuse_both,
            {"temperature": {0.0}, "top_p": {None}, "seed": {0}},
            "temperature 0.0, top_p not sent, seed 0",
        ),
        (
            refuse("seed", after=3),
            {"temperature": {0.0}, "top_p": {0.5}, "seed": {0, None}},
            "temperature 0.0, top_p 0.5, seed 0 (3) and not sent (15)",
        ),
    ],
    ids=["all", "only one of two", "after three"],
)
def test_an_evaluation_says_what_its_requests_held(
    tmp_path: Path,
    chat: ChatServer,
    command: Command,
    monkeypatch: pytest.MonkeyPatch,
    refusal: Callable[[int, dict[str, Any]], Answer | None],
    columns: dict[str, set[Any]],
    text: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    chat.say = lambda number, body: "a"
    chat.refuse = refusal
    run = tmp_path / "own.toml"
    run.write_text(
        'like = "multi3hate"\ntop_p = 0.5\n[[model]]\nmodel = "tiny"\nat_once = 1\n', "utf-8"
    )
    done = command("evaluate", run, "--data", checkout(tmp_path / "set"), "--inputs", "text",
        "--langs", "en", "--out", "results", "--json")  # fmt: skip
    assert done.status == 0, done.err
    assert json.loads(done.out)["about"]["Sent"] == text
    answers = pd.read_parquet("results/answers.parquet")
    for name, values in columns.items():
        assert {None if pd.isna(value) else value for value in answers[name]} == values
    written = json.loads(Path("results/run.json").read_text(encoding="utf-8"))
    (model,) = written["models"]
    assert "temperature" not in model
    assert sum(model["sent"]["seed"].values()) == len(answers) == 18
    assert f"Sent {text}" in Path("results/methods.txt").read_text(encoding="utf-8")


def test_knowledge_says_what_its_requests_held(
    chat: ChatServer, world: World, command: Command
) -> None:
    set_model(world("captions"))
    chat.say = knowledge_of
    chat.refuse = refuse("temperature", "seed", "top_p")
    done = command("knowledge", "extract", "--collected", "none", "--no-picture")
    assert done.status == 0, done.err
    exported = command("knowledge", "export", "graphs.ttl", "--to", "ttl")
    assert exported.status == 0, exported.err
    graphs = Path("graphs.ttl").read_text(encoding="utf-8")
    assert '\\"temperature\\": null' in graphs
    assert '\\"temperature\\": 0.0' not in graphs


ASKING: dict[str, tuple[object, ...]] = {
    "label": ("label", "--rounds", 1, "--collected", "none"),
    "knowledge": ("knowledge", "extract", "--collected", "none", "--no-picture"),
    "filter": ("filter", "multimodality"),
    "evaluate": ("evaluate", "multi3hate", "--inputs", "text"),
    "translate": ("translate", "--langs", "de", "--with", "openai", "--set", "model=tiny"),
}


@pytest.mark.parametrize("name", ASKING)
def test_a_budget_without_prices_is_refused(
    chat: ChatServer, world: World, command: Command, name: str
) -> None:
    set_model(world("captions"), price_in=1.0)
    done = command(*ASKING[name], "--budget", 5)
    assert done.status == 1
    assert "write price_in and price_out" in done.err
    assert not chat.bodies


SLOW = [pytest.param(name, marks=pytest.mark.slow) for name in ("label", "knowledge", "translate")]


@pytest.mark.parametrize("name", ["evaluate", *SLOW])
def test_a_server_that_hangs_ends_a_run_within_its_budget(
    chat: ChatServer, world: World, command: Command, name: str
) -> None:
    """A request costs 1 at the most here: an answer of a token, at a million a million tokens."""
    folder = world("captions")
    values: dict[str, Any] = {
        "price_in": 0.0,
        "price_out": 1e6,
        "max_tokens": 1,
        "timeout": 0.1,
        "asks": 2,
    }
    set_model(folder, **values)
    lines = [f"{key} = {json.dumps(value)}" for key, value in {**values, "at_once": 1}.items()]
    with (folder / "memeloc.toml").open("a", encoding="utf-8") as stream:
        stream.write("\n".join(["", "[translate.openai]", *lines, ""]))
    if name == "evaluate":
        values = {"model": "tiny", "at_once": 1, **values}
        lines = [f"{key} = {json.dumps(value)}" for key, value in values.items()]
        lines = ['like = "multi3hate"', "[[model]]", *lines, ""]
        (folder / "own.toml").write_text("\n".join(lines), "utf-8")
        arguments: tuple[object, ...] = ("evaluate", "own.toml", "--inputs", "text")
    else:
        arguments = ASKING[name]
    chat.refuse = lambda number, body: time.sleep(0.4) or (0, {}, "")  # type: ignore[func-returns-value]
    within = command(*arguments, "--budget", 3)
    assert within.status == 1
    assert 2 <= len(chat.bodies) <= 3, within.err
    assert "budget" in within.err
    chat.bodies.clear()
    # Without one it ends too: after three questions, each asked twice.
    assert command(*arguments).status == 1
    assert len(chat.bodies) <= 8
