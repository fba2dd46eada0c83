"""Templates of memes: grouped, recovered, written; known templates are recognised."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from memeloc.localise.protocol import FinishedMeme
from memeloc.templates import load_template, load_templates
from memeloc.workspace.localising.sources import KnownTemplates
from tests.conftest import Outcome
from tests.localise.drawn_memes import CAPTIONS, draw_memes, save, worn

pytest.importorskip("cv2")

Command = Callable[..., Outcome]


@pytest.fixture(scope="module")
def memes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("memes")
    save(worn(draw_memes(folder, "valley", 5, CAPTIONS)), folder, "valley")
    save(draw_memes(folder, "stripes", 3, CAPTIONS[:3]), folder, "stripes")
    save(draw_memes(folder, "foliage", 3, CAPTIONS[:1]), folder, "leaves")
    return folder


def test_command_makes_a_template_of_each_group(command: Command, memes: Path) -> None:
    out, pictures = memes / "templates", sorted(memes.glob("*.jpg"))
    done = command("templates", "recover", *pictures, "--out", out, "--json")
    assert done.status == 0
    result = json.loads(done.out)
    assert [len(made["memes"]) for made in result["templates"]] == [3, 4]
    assert [Path(path).name for path in result["alone"]] == ["leaves-0.jpg"]
    template = load_template(Path(result["templates"][1]["folder"]))
    assert template.source == "recovered from 4 memes"
    assert len(template.boxes) == 2
    assert (template.image.parent / "uncertain.png").is_file()


def test_command_shows_what_it_made(command: Command, memes: Path, tmp_path: Path) -> None:
    pictures = [memes / "stripes-0.jpg", memes / "stripes-1.jpg", memes / "leaves-0.jpg"]
    done = command("templates", "recover", *pictures, "--out", tmp_path)
    assert done.status == 0
    assert f"{tmp_path / 'stripes-0'}\t2\t" in done.out
    assert done.out.splitlines()[-1] == str(pictures[2])


def test_command_without_pictures_needs_a_workspace(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = command("templates", "recover")
    assert done.status == 1
    assert "memeloc init" in done.err


@pytest.mark.parametrize(("name", "text"), [("robot-chef", "two eggs // one segfault")])
def test_known_template_is_recognised(tmp_path: Path, name: str, text: str) -> None:
    from memeloc.render import Renderer

    templates = load_templates()[0]
    image = Renderer(max_side=400).render(templates[name], text, "en").image.convert("RGB")
    (path,) = save([image.crop((6, 8, 396, 396))], tmp_path, "meme")
    pixels = np.asarray(image)
    found = KnownTemplates(templates).find(
        FinishedMeme("meme", path, "", pixels), np.zeros(pixels.shape[:2], np.bool_)
    )
    assert found is not None
    assert (found.by, found.how) == (name, "template")
    assert found.template is templates[name]


def test_meme_on_no_template_has_none(memes: Path) -> None:
    path = memes / "valley-0.jpg"
    pixels = np.zeros((8, 8, 3), np.uint8)
    known = KnownTemplates(load_templates()[0])
    assert known.find(FinishedMeme("meme", path, "", pixels), pixels[..., 0] > 0) is None
