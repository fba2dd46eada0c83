"""What commands see of the folders of a workspace, and beside a table."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from memeloc.cli import run
from memeloc.locales import new_locale
from memeloc.workspace.own_folders import OwnFolders, own_folders


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with memeloc.toml, a template, a locale and a font, as the working directory."""
    root = tmp_path / "work"
    for name in ("templates", "fonts", "below"):
        (root / name).mkdir(parents=True)
    (root / "memeloc.toml").write_text('source = "en"\n')
    Image.new("RGB", (40, 30)).save(root / "templates" / "mine.png")
    (root / "fonts" / "Mine.ttf").write_bytes(b"")
    new_locale("ha", root / "locales")
    monkeypatch.chdir(root)
    return root


def test_a_workspace_has_its_folders(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folders = OwnFolders(
        (workspace / "templates",),
        (workspace / "locales",),
        (workspace / "fonts" / "Mine.ttf",),
    )
    assert own_folders() == folders
    monkeypatch.chdir(workspace / "below")
    assert own_folders() == folders


def test_templates_beside_a_table_are_seen_everywhere(workspace: Path, tmp_path: Path) -> None:
    (tmp_path / "other" / "templates").mkdir(parents=True)
    table = tmp_path / "other" / "captions.csv"
    assert own_folders(table).templates == (
        workspace / "templates",
        tmp_path / "other" / "templates",
    )
    assert own_folders(workspace / "captions.csv").templates == (workspace / "templates",)


def test_elsewhere_there_are_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert own_folders() == own_folders("captions.csv") == OwnFolders()


def test_a_table_is_rendered_with_them(workspace: Path, tmp_path: Path) -> None:
    (workspace / "fonts" / "Mine.ttf").unlink()
    (tmp_path / "other" / "templates").mkdir(parents=True)
    Image.new("RGB", (40, 30)).save(tmp_path / "other" / "templates" / "beside.png")
    table = tmp_path / "other" / "captions.csv"
    table.write_text("meme_id,template,ha\na,mine,ɗaya\nb,beside,biyu\n", "utf-8")
    assert run(["render", str(table), "--out", str(tmp_path / "out"), "--jobs", "1"]) == 0
    assert (tmp_path / "out" / "ha" / "mine" / "a.jpg").is_file()
    assert (tmp_path / "out" / "ha" / "beside" / "b.jpg").is_file()


def test_a_table_elsewhere_names_the_option(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("captions.csv").write_text("meme_id,template,en\na,mine,one\n", "utf-8")
    assert run(["render", "captions.csv"]) == 1
    assert "--templates DIR adds a folder of yours" in capsys.readouterr().err


def test_a_misspelt_font_is_named_with_its_locale(
    workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (workspace / "fonts" / "Mine.ttf").unlink()
    file = workspace / "locales" / "ha.toml"
    file.write_text(file.read_text("utf-8").replace('"anton"', '"antonn"'), "utf-8")
    (workspace / "captions.csv").write_text("meme_id,template,ha\na,mine,ɗaya\n", "utf-8")
    for command in (["render", "captions.csv"], ["locales", "show", "ha", "--check"]):
        assert run(command) == 1
        error = capsys.readouterr().err
        assert f"{file}: The poster fonts of ha: there is no font family 'antonn'" in error


def test_columns_without_a_locale_are_named(
    workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (workspace / "captions.csv").write_text("meme_id,template,xq,qaa\na,mine,1,2\n", "utf-8")
    assert run(["render", "captions.csv"]) == 1
    assert "No locale is called xq or qaa: `memeloc locales new TAG`" in capsys.readouterr().err
