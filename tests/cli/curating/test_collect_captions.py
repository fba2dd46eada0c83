"""`memeloc collect captions`: a table to choose from, to memes with translations and templates."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Outcome
from tests.curate.drawn import draw_picture

Command = Callable[..., Outcome]
THINGS = ("tea", "rain", "a sleeping cat", "the late train", "homework", "an old printer")
PLACES = ("at noon", "in the kitchen", "before school", "on holiday")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Command) -> Path:
    """A workspace, and beside it 24 captions on three templates, one of them on no template."""
    monkeypatch.delenv("MEMELOC_DATABASE_URL", raising=False)
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    for seed, name in enumerate(("queue", "window", "sofa", "unused")):
        draw_picture(seed).save(pictures / f"{name}.png")
    lines = ["template,text,votes,url,de,es"]
    for number, (thing, place) in enumerate((a, b) for a in THINGS for b in PLACES):
        template = ("queue", "queue", "window", "sofa")[number % 4] if number else "no-such"
        german = "" if number % 3 else f"{thing} auf Deutsch // {place}"
        lines.append(f"{template},{thing} // {place},{number},https://x.test/{number},{german},")
    (tmp_path / "captions.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert command("init", "ws", "--langs", "de,es").status == 0
    monkeypatch.chdir(tmp_path / "ws")
    return tmp_path / "ws"


COLLECT = ("collect", "captions", "../captions.csv", "--templates", "../pictures")


def _rows(command: Command, table: str, *options: str) -> list[dict[str, str]]:
    assert command("export", table, "--to", "out.jsonl", *options).status == 0
    return [json.loads(line) for line in Path("out.jsonl").read_text("utf-8").splitlines()]


def test_captions_are_collected_and_taken_evenly(folder: Path, command: Command) -> None:
    done = command("import", "../captions.csv")
    assert (done.status, "memeloc collect captions ../captions.csv" in done.err) == (1, True)
    done = command(*COLLECT, "--state", "machine", "--by", "google")
    assert "3 templates, 23 captions" in done.out
    assert "row 2, column template: There is no template 'no-such'" in done.err
    assert sorted(path.name for path in folder.glob("templates/*")) == [
        "queue.png", "sofa.png", "window.png",
    ]  # fmt: skip
    done = command(*COLLECT, "--langs", "de", "--state", "machine", "--by", "google")
    assert ("0 new, 0 changed" in done.out, "es = es" in done.err) == (True, False)
    for seed in (1, 1, 2):
        options = ("--take", "9", "--balance", "template", "--set", f"seed={seed}")
        assert "9 in all, evenly over templates" in command("select", *options).out
        rows = _rows(command, "captions")
        assert Counter(row["template"] for row in rows) == {"queue": 3, "window": 3, "sofa": 3}
        assert {row["en"].split(" // ")[0] for row in rows} <= {*THINGS}
    assert "9 in all, evenly over templates" in (folder / "funnel.html").read_text("utf-8")
    translated = [row for row in rows if row.get("de")]
    assert all("auf Deutsch" in row["de"] for row in translated)
    history = [row for row in _rows(command, "history") if row["language"] == "de"]
    assert {(row["translator"], row["state"]) for row in history} == {("google", "machine")}
    plan = json.loads(command("translate", "--with", "pseudo", "--dry-run", "--json").out)
    assert plan["languages"]["de"]["captions"] == 9 - len(translated)
    assert list(_rows(command, "items")[0]).count("language") == 1


def test_a_selection_is_taken_back(folder: Path, command: Command) -> None:
    command(*COLLECT)
    command("select", "--take", "4")
    first = _rows(command, "captions")
    command("select", "--take", "6", "--balance", "template")
    for expected in (first, []):
        assert command("select", "--take-back").status == 0
        assert _rows(command, "captions") == expected
    assert "Nothing is selected" in command("select", "--take-back").out
    command("select", "--take", "4")
    assert _rows(command, "captions") == first


def test_memes_that_are_here_already_are_not_collected(folder: Path, command: Command) -> None:
    command(*COLLECT)
    table = Path("own.csv")
    table.write_text("meme_id,template,en\nm1,queue,tea // again\n", encoding="utf-8")
    assert command("import", table).status == 0
    done = command("collect", "captions", table)
    assert (done.status, "memeloc import own.csv" in done.err) == (1, True)


def test_a_selected_caption_is_the_meme_that_its_table_names(
    folder: Path, command: Command
) -> None:
    table = Path("own.csv")
    lines = ["m1,queue,tea // again,Tee // wieder", "m2,queue,cat // again,Katze // wieder"]
    table.write_text("\n".join(["meme_id,template,en,de", *lines, ""]), encoding="utf-8")
    for _ in range(2):
        collect = ("collect", "captions", table, "--templates", "../pictures")
        assert command(*collect, "--state", "machine").status == 0
        command("select", "--take", "2")
        rows = _rows(command, "captions")
        assert {row["meme_id"]: row["de"] for row in rows} == {
            "m1": "Tee // wieder",
            "m2": "Katze // wieder",
        }
        command("select", "--take", "1")
        assert len(_rows(command, "captions")) == 1
    command("select", "--take-back")
    assert len(_rows(command, "captions")) == 2
    assert len(_rows(command, "memes")) == 2
    assert command("import", table).status == 0  # what changed in them comes in so
    # Another meme has that name: the caption keeps its item's.
    other = Path("other.csv")
    other.write_text("meme_id,template,en\nm1,sofa,rain // at noon\n", encoding="utf-8")
    command("collect", "captions", other, "--templates", "../pictures", "--dataset", "other")
    command("select", "--take", "3")
    assert len({row["meme_id"] for row in _rows(command, "captions")}) == 3
