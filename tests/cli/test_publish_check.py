"""`memeloc publish --check`: what is refused is named, and nothing is written."""

from pathlib import Path

import pytest

from memeloc.workspace import Workspace

CAPTIONS = "meme_id,template,en,de\ntea,cloud-monday,Tea // now,Tee // jetzt\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace with a meme; the working directory is in it."""
    (tmp_path / "captions.csv").write_text(CAPTIONS, encoding="utf-8")
    workspace = Workspace.create(tmp_path / "work", languages=["de"])
    workspace.import_captions(tmp_path / "captions.csv").close()
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path


def test_a_release_without_licence_is_refused_and_not_written(command, folder: Path) -> None:
    outcome = command("publish", folder / "out", "--check", "--jobs", 1)
    assert outcome.status == 1
    assert "memeloc.toml, column licence: [release] names no licence" in " ".join(
        outcome.err.split()
    )
    assert not (folder / "out").exists()


def test_warnings_are_shown_and_the_release_is_written(command, folder: Path) -> None:
    settings = folder / "work" / "memeloc.toml"
    text = settings.read_text(encoding="utf-8")
    own = '[release]\nlicence = "MIT"\n'
    settings.write_text(text.replace("[release]\n", own, 1), encoding="utf-8")
    outcome = command("publish", folder / "out", "--check", "--jobs", 1, "--json")
    assert outcome.status == 0, outcome.err
    assert '"rule": "statements"' in outcome.out
    assert "does not say what the dataset is called" in " ".join(outcome.err.split())
    assert (folder / "out" / "README.md").exists()
