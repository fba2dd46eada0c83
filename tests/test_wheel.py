"""The wheel: built here, installed into an empty environment elsewhere, and used from there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

# Three scripts: Latin, right-to-left, and one that is broken into lines by a dictionary.
TABLE = """\
meme_id,template,en,ar,th
one,cloud-monday,a caption // from a wheel,تعليق // من الحزمة,คำบรรยาย // จากแพ็กเกจ
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """memeloc's wheel, built from the checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    _run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder], ROOT)
    (built,) = folder.glob("memeloc-*.whl")
    return built


@pytest.fixture(scope="module")
def program(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `memeloc` program of an environment with the wheel and what it depends on."""
    environment = tmp_path_factory.mktemp("elsewhere") / "venv"
    venv.create(environment, with_pip=False)
    python = environment / "bin" / "python"
    install = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet"]
    _run([*install, "--disable-pip-version-check", str(wheel)], environment)
    return environment / "bin" / "memeloc"


def test_the_wheel_carries_what_people_look_at_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        packed = set(archive.namelist())
    expected = {
        f"memeloc/_data/{path.relative_to(ROOT).as_posix()}"
        for name in ("fonts", "templates", "guides")
        for path in _tracked(name)
    }
    assert {name for name in packed if name.startswith("memeloc/_data/")} == expected
    package = {path.relative_to(ROOT).as_posix() for path in _tracked("memeloc")}
    rest = {name for name in packed if ".dist-info/" not in name} - expected
    assert rest == package
    assert any(name.endswith("/licenses/LICENSE") for name in packed)


@pytest.mark.slow
def test_the_installed_program_renders_from_an_unrelated_directory(
    program: Path, tmp_path: Path
) -> None:
    (tmp_path / "captions.csv").write_text(TABLE, encoding="utf-8")

    summary = json.loads(
        _run([program, "render", "captions.csv", "--langs", "all", "--json"], tmp_path)
    )

    assert summary["rendered"] == 3
    pictures = sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*.jpg"))
    assert [(path.parts[-3], path.parts[-2], path.name) for path in pictures] == [
        (language, "cloud-monday", "one.jpg") for language in ("ar", "en", "th")
    ]
    for picture in pictures:
        data = (tmp_path / picture).read_bytes()
        assert data.startswith(b"\xff\xd8")
        assert data.endswith(b"\xff\xd9")
    assert list(tmp_path.rglob("index.html"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("noun", "key", "name"),
    [
        ("locales", "tag", "zh-Hans"),
        ("fonts", "family", "anton"),
        ("templates", "name", "bookmark"),
    ],
)
def test_the_installed_program_finds_its_data(
    program: Path, tmp_path: Path, noun: str, key: str, name: str
) -> None:
    (listed, *_) = json.loads(_run([program, noun, "list", "--json"], tmp_path)).values()
    assert name in {entry[key] for entry in listed}


def _tracked(folder: str) -> list[Path]:
    """The files of a folder that git knows, or all but caches where there is no git."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", folder], cwd=ROOT, capture_output=True, text=True
    )
    if listing.returncode == 0 and listing.stdout:
        return [ROOT / name for name in listing.stdout.split("\0") if name]
    return [
        path
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    ]


def _run(words: list[str | Path], folder: Path) -> str:
    """Run a program without this environment's Python path, and return what it printed."""
    environment = {
        key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "VIRTUAL"))
    }
    done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
