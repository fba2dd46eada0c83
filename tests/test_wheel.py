"""The wheel: built here, installed into an empty environment elsewhere, and used from there."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

# Three scripts: Latin, right-to-left, and one that is broken into lines by a dictionary.
TABLE = """\
meme_id,template,en,ar,th
one,cloud-monday,a caption // from a wheel,تعليق // من الحزمة,คำบรรยาย // จากแพ็กเกจ
"""

DATA = [
    (("locales", "show"), "tag", "zh-Hans"),
    (("fonts",), "family", "anton"),
    (("templates", "show"), "name", "bookmark"),
]

MODULES = """
import importlib, memeloc, pkgutil
from memeloc.errors import MissingError
for module in pkgutil.walk_packages(memeloc.__path__, "memeloc."):
    if not module.name.endswith("__main__"):
        try:
            importlib.import_module(module.name)
        except MissingError:  # an extra is named
            pass
        except ImportError as error:  # of an extra, too
            assert not str(error.name).startswith("memeloc"), error
print(memeloc.__file__)
"""
"""Imports every module, and says which memeloc that was."""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """memeloc's wheel, built from the checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    _run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder], ROOT)
    (built,) = folder.glob("memeloc-*.whl")
    return built


def _pythons() -> list[str]:
    """Return the programs of all Pythons here that memeloc is for, one a version."""
    found = {}
    for version in range(11, 16):
        pyenv = sorted(Path.home().glob(f".pyenv/versions/3.{version}.*/bin/python"))
        for program in (*map(str, reversed(pyenv)), shutil.which(f"python3.{version}")):
            words = [program or "", "-c", "import ensurepip, sys; print(sys.version_info[1])"]
            done = program and subprocess.run(words, capture_output=True, text=True)
            if done and done.stdout.strip() == str(version):
                found.setdefault(version, str(program))
    return [*found.values()] or [sys.executable]


@pytest.fixture(scope="module", params=_pythons(), ids=lambda program: Path(program).parts[-3])
def environment(
    wheel: Path, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Path:
    """The folder of programs of an empty environment with the wheel and what it depends on."""
    folder = tmp_path_factory.mktemp("elsewhere") / "venv"
    _run([request.param, "-m", "venv", folder], folder.parent)
    install = [folder / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check"]
    _run([*install, str(wheel)], folder)
    return folder / "bin"


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
def test_the_wheel_stands_alone(environment: Path, tmp_path: Path) -> None:
    """What it needs is installed, nothing else is imported, and its data come along."""
    program, python = environment / "memeloc", environment / "python"
    table = tmp_path / "captions.csv"
    table.write_text(TABLE, encoding="utf-8")

    assert "No broken requirements" in _run([environment / "pip", "check"], tmp_path)
    assert Path(_run([python, "-c", MODULES], tmp_path).strip()).is_relative_to(environment.parent)
    for words, key, name in DATA:
        (listed, *_) = json.loads(_run([program, *words, "--json"], tmp_path)).values()
        assert name in {entry[key] for entry in listed}

    render = [program, "render", table, "--langs", "all", "--out", "out", "--json"]
    assert json.loads(_run(render, tmp_path))["rendered"] == 3
    pictures = sorted((tmp_path / "out").rglob("one.jpg"))
    assert [path.parts[-3] for path in pictures] == ["ar", "en", "th"]
    assert {path.read_bytes()[:2] for path in pictures} == {b"\xff\xd8"}
    assert list((tmp_path / "out").rglob("index.html"))

    _run([program, "init", "study"], tmp_path)
    _run([program, "import", table], tmp_path / "study")
    for layout in ("hf", "csv", "webdataset"):
        _run([program, "publish", f"../{layout}", "--to", layout], tmp_path / "study")
        assert "a caption" in (tmp_path / layout / "README.md").read_text(encoding="utf-8")


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
