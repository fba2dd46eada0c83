"""`memeloc translate` and `memeloc memory`, on a workspace of the starter set."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from memeloc.locales import default
from memeloc.model import Caption
from memeloc.render import Renderer
from memeloc.templates import load_templates
from memeloc.workspace import Workspace
from memeloc.workspace.capacity import capacity
from tests.chat_server import serve_chat
from tests.conftest import Outcome
from tests.translate.google_server import GoogleServer, serve_grpc, serve_rest
from tests.translate.tiny_model import rot13, write_argos, write_pieces

Command = Callable[..., Outcome]

STARTER = Path(__file__).parents[2] / "examples" / "starter" / "captions.csv"
LANGS = "de,es,hi,zh"


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Command) -> Iterator[Path]:
    """A workspace with the starter set's English captions; the working directory is in it."""
    for name in ("GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_CLOUD_PROJECT", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("CLOUDSDK_CONFIG", str(tmp_path))
    monkeypatch.setenv("NO_GCE_CHECK", "true")
    folder = tmp_path / "memes"
    assert command("init", folder, "--langs", LANGS).status == 0
    monkeypatch.chdir(folder)
    outcome = command("import", STARTER, "--langs", "en")
    assert outcome.status == 0, outcome.err
    return folder


@pytest.fixture(params=["grpc", "rest"])
def google(request: pytest.FixtureRequest) -> Iterator[GoogleServer]:
    with (serve_grpc if request.param == "grpc" else serve_rest)() as server:
        yield server


def _google(server: GoogleServer) -> list[str]:
    reach = ["--transport", server.transport, "--endpoint", server.endpoint]
    return ["translate", "--langs", LANGS, "--with", "google", *reach]


def _captions(folder: Path, language: str) -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
    with Workspace.open(folder) as workspace:
        return {
            meme_id: (version.parts, version.marks)
            for meme_id, version in workspace.store.captions.current(
                workspace.locale(language).tag
            ).items()
        }


def test_a_second_run_over_the_starter_set_asks_nothing(
    workspace: Path, google: GoogleServer, command: Command
) -> None:
    outcome = command(*_google(google), "--json")
    assert outcome.status == 0, outcome.err
    done = json.loads(outcome.out)
    assert done["translated"] + done["repeated"] == 4 * 68
    assert done["characters"] == sum(len(t) for r in google.requests for t in r.contents)
    assert done["cost"] == pytest.approx(done["characters"] * 20 / 1e6, abs=1e-5)
    sources = _captions(workspace, "en")
    for tag, code in (("de", "de"), ("es", "es"), ("hi", "hi"), ("zh-Hans", "zh-CN")):
        for meme_id, (parts, marks) in _captions(workspace, tag).items():
            source = sources[meme_id][0]
            assert parts == tuple(f"{code}: {part}" if part else "" for part in source)
            assert marks in ((), ("repeated",))
    google.requests.clear()
    again = command(*_google(google), "--json")
    assert again.status == 0
    assert google.requests == []
    assert json.loads(again.out)["translated"] == 0


def test_a_dry_run_needs_no_credentials(workspace: Path, command: Command) -> None:
    dry = command("translate", "--langs", "de", "--with", "google", "--dry-run")
    assert dry.status == 0, dry.err
    assert "0.08 USD" in dry.out
    assert "3781" in dry.out
    real = command("translate", "--langs", "de", "--with", "google")
    assert real.status == 1
    assert "GOOGLE_APPLICATION_CREDENTIALS" in real.err
    assert "gcloud auth application-default login" in real.err
    assert "Traceback" not in real.err
    assert _captions(workspace, "de") == {}


def test_the_budget_ends_a_run_and_the_next_goes_on(workspace: Path, command: Command) -> None:
    with serve_rest() as server:
        arguments = _google(server)
        first = command(*arguments, "--budget", "0.10", "--json")
        assert first.status == 1
        done = json.loads(first.out)
        assert done["over_budget"]
        assert 0.05 < done["cost"] <= 0.10
        assert "--budget" in command(*arguments, "--budget", "0").err
        second = command(*arguments, "--json")
        assert second.status == 0
        both = done["translated"] + json.loads(second.out)["translated"]
        assert both == 4 * 68
        sent = [text for request in server.requests for text in request.contents]
        assert len(sent) == 4 * 68


def test_what_goes_wrong_is_named_and_a_second_run_mends_it(
    workspace: Path, command: Command
) -> None:
    with serve_rest() as server:
        server.trouble = lambda number, request: (
            "invalid" if request.target_language_code == "hi" else ""
        )
        outcome = command(*_google(server))
        assert outcome.status == 1
        assert "hi: google: " in outcome.err
        assert "more" in outcome.err
        assert len(_captions(workspace, "de")) == 68
        assert _captions(workspace, "hi") == {}
        server.trouble = lambda number, request: ""
        server.requests.clear()
        assert command(*_google(server)).status == 0
        assert {request.target_language_code for request in server.requests} == {"hi"}


def test_pseudo_text_gives_way_to_a_real_translator(workspace: Path, command: Command) -> None:
    assert command("translate", "--with", "pseudo").status == 0
    pseudo = _captions(workspace, "de")
    assert all(marks == ("pseudo",) for _, marks in pseudo.values())
    again = json.loads(command("translate", "--with", "pseudo", "--json").out)
    assert again["plan"]["captions"] == 0
    with serve_rest() as server:
        assert command(*_google(server)).status == 0
        real = _captions(workspace, "de")
        assert all(parts != pseudo[meme_id][0] for meme_id, (parts, _) in real.items())
        server.requests.clear()
        assert command(*_google(server)).status == 0
        assert server.requests == []
        assert command(*_google(server), "--again", "google").status == 0
        assert server.requests


def test_only_changed_sources_are_asked_again(
    workspace: Path, command: Command, tmp_path: Path
) -> None:
    assert command("translate", "--langs", "de", "--with", "pseudo").status == 0
    table = tmp_path / "changed.csv"
    table.write_text("meme_id,template,en\ncloud-monday-01,cloud-monday,Quite // new\n")
    assert command("import", table).status == 0
    arguments = ("translate", "--langs", "de", "--with", "pseudo", "--json")
    new = json.loads(command(*arguments, "--only", "new", "--dry-run").out)
    assert new["captions"] == 0
    changed = json.loads(command(*arguments, "--only", "changed").out)
    assert changed["translated"] == 1
    assert _captions(workspace, "de")["cloud-monday-01"][0][0].startswith("[Ǫûîţé")


def test_memory_in_fill_and_out(workspace: Path, command: Command, tmp_path: Path) -> None:
    source = _captions(workspace, "en")["cloud-monday-03"][0]
    tmx = tmp_path / "in.tmx"
    tmx.write_text(
        '<tmx version="1.4"><header srclang="en"/><body><tu>'
        f'<tuv xml:lang="en"><seg>{" // ".join(source)}</seg></tuv>'
        '<tuv xml:lang="de"><seg>frei // Überstunden</seg></tuv></tu></body></tmx>',
        encoding="utf-8",
    )
    assert json.loads(command("memory", "import", tmx, "--json").out) == {
        "units": 1, "new": 1, "skipped": {},
    }  # fmt: skip
    assert json.loads(command("memory", "import", tmx, "--json").out)["new"] == 0
    outcome = command("translate", "--langs", "de", "--with", "memory")
    assert outcome.status == 0, outcome.err
    assert "67 captions are not in the memory" in outcome.err
    assert _captions(workspace, "de") == {"cloud-monday-03": (("frei", "Überstunden"), ("memory",))}
    out = tmp_path / "out.tmx"
    assert command("memory", "export", out).status == 0
    assert "Überstunden" in out.read_text(encoding="utf-8")
    bad = tmp_path / "bad.tmx"
    bad.write_text("<tmx>")
    assert "bad.tmx" in command("memory", "import", bad).err


def test_offline_models_are_listed_and_translate(
    workspace: Path, command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    models = tmp_path / "models"
    write_argos(models / "en_de", "en", "de", write_pieces(tmp_path / "pieces"))
    (models / "broken").mkdir()
    (models / "broken" / "model.bin").write_bytes(b"")
    listed = command("translate", "--models", models)
    assert listed.status == 1
    assert "en\tde\targos\tsentencepiece\t1.0\tCC0" in listed.out
    assert "broken" in listed.err
    (models / "broken" / "model.bin").unlink()
    (models / "broken").rmdir()
    outcome = command("translate", "--langs", "de", "--with", "ctranslate2", "--models", models)
    assert outcome.status == 0, outcome.err
    sources = _captions(workspace, "en")
    parts = _captions(workspace, "de")["zebra-crossing-01"][0]
    ascii_parts = [(s, p) for s, p in zip(sources["zebra-crossing-01"][0], parts, strict=True)]
    assert all(rot13(p) == s for s, p in ascii_parts if s.isascii())


def test_wrong_usage_is_a_sentence(workspace: Path, command: Command) -> None:
    assert command("translate", "--langs", "de").status == 1
    assert "no translator 'babel'" in command("translate", "--with", "babel").err
    assert "did you mean" in command("translate", "--langs", "dee", "--with", "pseudo").err
    assert "no language" in command("translate", "--langs", "en", "--with", "pseudo").err
    outcome = command("translate", "--with", "pseudo", "--project", "x")
    assert "the translator pseudo has no setting 'project'" in outcome.err


def test_settings_come_from_memeloc_toml(workspace: Path, command: Command) -> None:
    settings = workspace / "memeloc.toml"
    text = settings.read_text(encoding="utf-8")
    start = text.find("\n[translate]")
    text = text[:start] if start >= 0 else text
    with serve_rest() as server:
        settings.write_text(
            f'{text}\n[translate]\nwith = "google"\nbudget = 0.05\n'
            f'[translate.google]\ntransport = "rest"\nendpoint = "{server.endpoint}"\n'
            'project = "from-toml"\nlocation = "europe-west1"\nprice_per_million = 10\n',
            encoding="utf-8",
        )
        outcome = command("translate", "--langs", "de", "--project", "from-option", "--json")
        assert outcome.status == 0, outcome.err
        assert {r.parent for r in server.requests} == {
            "projects/from-option/locations/europe-west1"
        }
        done: dict[str, Any] = json.loads(outcome.out)
        assert done["cost"] == pytest.approx(3781 * 10 / 1e6, abs=1e-5)
        assert json.loads(command("translate", "--json").out)["over_budget"]


_KILLED = """
import sys
from memeloc.workspace import claiming
claiming._machine = lambda: "elsewhere"
claiming.CLAIM_SECONDS = 0.3
from memeloc.cli import run
sys.exit(run(sys.argv[1:]))
"""


@pytest.mark.slow
def test_killed_runs_lose_and_double_nothing(workspace: Path, command: Command) -> None:
    """Five kills here; the store's own tests kill far oftener."""
    chance = random.Random(5)
    with serve_rest() as server:
        calm = server.answer

        def slow(request: Any) -> Any:
            time.sleep(0.05)
            return calm(request)

        server.answer = slow  # type: ignore[method-assign]
        for _ in range(5):
            process = subprocess.Popen(
                [sys.executable, "-c", _KILLED, *_google(server)],
                cwd=workspace,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
            )
            time.sleep(chance.uniform(0.5, 1.2))
            process.send_signal(signal.SIGKILL)
            process.wait()
        assert command(*_google(server)).status == 0
    with Workspace.open(workspace) as opened:
        history = opened.table("history")
    translated = history[history["stage"] == "translated"]
    assert len(translated) == 4 * 68
    assert not translated.duplicated(["meme_id", "language"]).any()


def test_room_is_what_the_renderer_sets_at_a_comfortable_size() -> None:
    """Text as long as the estimate says is set at a size near the comfortable one."""
    templates, _ = load_templates()
    renderer = Renderer()
    words = "the quick brown fox jumps over a lazy dog and then sleeps all day in the warm sun "
    for name in ("cloud-monday", "zebra-crossing", "long-train", "chat-with-fridge"):
        template = templates[name]
        for tag, text in (("en", words), ("ru", "съешь ещё этих мягких булок, да выпей чаю "),
                          ("zh-Hans", "今天天气很好我们一起去公园散步然后喝茶吧")):  # fmt: skip
            locale = default().get(tag)
            rooms = capacity(template, locale)
            parts = tuple((text * 20)[:count].strip() for count in rooms)
            sizes = renderer.sizes(template, Caption(parts), locale)
            height = renderer.render(template, "", locale).proof.height
            for box, size in zip(template.boxes, sizes, strict=True):
                comfortable = max(1.25 * locale.smallest_size, box.style.max_size * height / 2)
                assert 0.6 * comfortable <= size <= 2.0 * comfortable, (name, tag, box.name)


def test_a_chat_server_is_sent_the_capacity_of_each_box(workspace: Path, command: Command) -> None:
    with serve_chat() as server:
        outcome = command(
            *("translate", "--langs", "de", "--with", "openai", "--model", "tiny"),
            *("--endpoint", server.url),
        )
        assert outcome.status == 0, outcome.err
        assert len(server.bodies) == 68
        questions = [json.loads(body["messages"][1]["content"]) for body in server.bodies]
    assert all(part["room_in_characters"] > 5 for row in questions for part in row["caption"])
    assert all(row["picture"] for row in questions)
    assert len(_captions(workspace, "de")) == 68


def test_a_similar_text_fills_only_when_asked(
    workspace: Path, command: Command, tmp_path: Path
) -> None:
    source = " // ".join(_captions(workspace, "en")["cloud-monday-03"][0])
    tmx = tmp_path / "similar.tmx"
    tmx.write_text(
        '<tmx version="1.4"><header srclang="en"/><body><tu>'
        f'<tuv xml:lang="en"><seg>{source}!</seg></tuv>'
        '<tuv xml:lang="de"><seg>frei // Überstunden</seg></tuv></tu></body></tmx>',
        encoding="utf-8",
    )
    assert command("memory", "import", tmx).status == 0
    arguments = ("translate", "--langs", "de", "--with", "memory", "--json")
    assert json.loads(command(*arguments).out)["from_memory"] == 0
    done = json.loads(command(*arguments, "--fuzzy", "0.9").out)
    assert (done["from_memory"], done["marks"]) == (1, {"fuzzy": 1})
    ((mark,),) = (marks for _, marks in _captions(workspace, "de").values())
    assert mark == "fuzzy 0.99"
