"""`memeloc translate` and `memeloc memory`, on a workspace of the starter set."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from memeloc.locales import default
from memeloc.model import Caption
from memeloc.render import Renderer
from memeloc.templates import load_templates
from memeloc.templates.capacity import capacity
from memeloc.workspace import Workspace
from tests.conftest import Outcome
from tests.translate.google_server import GoogleServer, serve_rest

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


def _google(server: GoogleServer) -> list[str]:
    return [
        "translate",
        "--langs",
        LANGS,
        "--with",
        "google",
        "--set",
        f"endpoint={server.endpoint}",
    ]


def _captions(folder: Path, language: str) -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
    with Workspace.open(folder) as workspace:
        return {
            meme_id: (version.parts, version.marks)
            for meme_id, version in workspace.store.captions.current(
                workspace.locale(language).tag
            ).items()
        }


def test_pseudo_text_gives_way_to_a_real_translator(workspace: Path, command: Command) -> None:
    assert command("translate", "--with", "pseudo", "--langs", "de").status == 0
    pseudo = _captions(workspace, "de")
    assert all(marks == ("pseudo",) for _, marks in pseudo.values())
    again = json.loads(command("translate", "--with", "pseudo", "--langs", "de", "--json").out)
    assert again["plan"]["captions"] == 0
    with serve_rest() as server:
        assert command(*_google(server), "--langs", "de").status == 0
        real = _captions(workspace, "de")
        assert all(parts != pseudo[meme_id][0] for meme_id, (parts, _) in real.items())
        server.requests.clear()
        assert command(*_google(server), "--langs", "de").status == 0
        assert server.requests == []
        assert command(*_google(server), "--langs", "de", "--again", "google").status == 0
        assert server.requests


def test_settings_come_from_memeloc_toml(workspace: Path, command: Command) -> None:
    settings = workspace / "memeloc.toml"
    text = settings.read_text(encoding="utf-8")
    start = text.find("\n[translate]")
    text = text[:start] if start >= 0 else text
    with serve_rest() as server:
        settings.write_text(
            f'{text}\n[translate]\nwith = "google"\nbudget = 0.05\n'
            f'[translate.google]\nendpoint = "{server.endpoint}"\n'
            'project = "from-toml"\nlocation = "europe-west1"\nprice_per_million = 10\n',
            encoding="utf-8",
        )
        outcome = command("translate", "--langs", "de", "--set", "project=from-option", "--json")
        assert outcome.status == 0, outcome.err
        assert {r.parent for r in server.requests} == {
            "projects/from-option/locations/europe-west1"
        }
        done: dict[str, Any] = json.loads(outcome.out)
        assert done["cost"] == pytest.approx(3781 * 10 / 1e6, abs=1e-5)
        assert json.loads(command("translate", "--json").out)["over_budget"]


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
