from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Outcome

Command = Callable[..., Outcome]

HEADER = "meme_id,template,en,de,zh-Hans\n"
GOOD = HEADER + "m1,robot-chef,two eggs // one segfault,zwei Eier // ein Absturz,两个鸡蛋 // 死机\n"


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "captions.csv"
    path.write_text(GOOD, encoding="utf-8")
    return path


def test_it_ends_by_naming_the_page_and_a_picture(
    command: Command, table: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    done = command("render", table, "--langs", "de,zh", "--out", out)
    assert done.status == 0
    assert "2 pictures rendered, 0 unchanged, in 2 languages; 0 with problems" in done.out
    page, example = done.out.splitlines()[-2:]
    assert page == f"Look at them all: {out / 'index.html'}"
    assert example == f"One of them: {out / 'de/robot-chef/m1.jpg'}"
    assert (out / "zh-Hans/robot-chef/m1.jpg").exists()
    assert done.err == ""


def test_of_shards_no_page_is_named(command: Command, table: Path, tmp_path: Path) -> None:
    arguments = ("render", table, "--langs", "de", "--out", tmp_path / "out", "--to", "webdataset")
    command(*arguments)
    table.write_text(GOOD.replace("m1", "m2"), encoding="utf-8")
    done = command(*arguments)
    assert "1 picture of earlier runs is not in this table; --prune removes them." in done.out


def test_json_has_the_counts(command: Command, table: Path, tmp_path: Path) -> None:
    table.write_text(GOOD + "m2,robot-chef,hello,,你好\n", encoding="utf-8")
    arguments = ("render", table, "--langs", "all", "--out", tmp_path / "out", "--json")
    first, second = json.loads(command(*arguments).out), json.loads(command(*arguments).out)
    assert (first["rendered"], first["unchanged"], first["skipped"], first["failed"]) == (
        5,
        0,
        1,
        0,
    )
    assert (second["rendered"], second["unchanged"], second["skipped"]) == (0, 5, 1)
    assert first["problems"] == 0
    assert set(first["problems_by_kind"].values()) == {0}
    assert "overflow" in first["problems_by_kind"]
    assert first["skipped_by_kind"] == {"empty caption": 1}
    assert first["languages"] == ["en", "de", "zh-Hans"]
    assert first["seconds"] > 0


def test_problems_are_counted_by_picture(command: Command, table: Path, tmp_path: Path) -> None:
    table.write_text(HEADER + "m1,robot-chef,\U00012000 // \U00012000,b,c\n", encoding="utf-8")
    arguments = ("render", table, "--langs", "all", "--out", tmp_path / "out")
    for _ in range(2):
        counts = json.loads(command(*arguments, "--json").out)
        assert counts["problems"] == 1
        assert counts["problems_by_kind"]["missing glyph"] == 1
    assert "missing glyph\t1" in command(*arguments).out


def test_what_is_skipped_is_named_up_to_twenty(
    command: Command, table: Path, tmp_path: Path
) -> None:
    wrong = "".join(f"w{i},robot-chief,a,b,c\n" for i in range(30))
    table.write_text(GOOD + wrong, encoding="utf-8")
    done = command("render", table, "--langs", "en", "--out", tmp_path / "out")
    assert done.status == 0
    lines = done.err.splitlines()
    assert len(lines) == 21
    assert f"{table}, row 3, column template: There is no template 'robot-chief'" in lines[0]
    assert "robot-chef" in lines[0]
    assert lines[20] == f"and 10 more, all of them in {tmp_path / 'out' / 'skipped.csv'}"
    assert "30 captions skipped" in done.out


def test_what_is_wrong_is_named_before_captions_that_are_still_to_come(
    command: Command, table: Path, tmp_path: Path
) -> None:
    to_come = "".join(f"t{i},robot-chef,a,,\n" for i in range(30))
    table.write_text(GOOD + to_come + "w,robot-chef,a // b // c,b,c\n", encoding="utf-8")
    done = command("render", table, "--out", tmp_path / "out")
    lines = done.err.splitlines()
    assert "row 33, column en: The caption has 3 parts" in lines[0]
    assert lines[1] == f"Skipped: {table}, row 3, column de: The caption is empty."
    assert lines[20] == f"and 41 more, all of them in {tmp_path / 'out' / 'skipped.csv'}"


@pytest.mark.parametrize(
    ("arguments", "status", "answer"),
    [
        (("--langs", "fr"), 1, "en, de, zh-Hans"),
        (("--langs", "de", "--format", "gif"), 1, "jpg, png, webp, avif"),
        (("--langs", "de", "--templates", "/nowhere"), 2, "/nowhere"),
        (("--langs", "de", "--font", "/nowhere.ttf"), 1, "/nowhere.ttf"),
        (("--langs", "de", "--quality", "101"), 2, "100"),
        (("--langs", "de", "--max-side", "1"), 2, "16"),
        (("--langs", "de", "--jobs", "0"), 2, "jobs"),
    ],
)
def test_wrong_options(
    command: Command,
    table: Path,
    tmp_path: Path,
    arguments: tuple[str, ...],
    status: int,
    answer: str,
) -> None:
    done = command("render", table, "--out", tmp_path / "out", *arguments)
    assert done.status == status
    assert answer in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize("strict", [(), ("--strict",)])
@pytest.mark.parametrize("kind", ["definition", "picture", "plain"])
def test_a_row_says_why_its_template_cannot_be_used(
    command: Command, table: Path, tmp_path: Path, kind: str, strict: tuple[str, ...]
) -> None:
    folder = tmp_path / "mine" / "robot-chief"
    (folder.parent if kind == "plain" else folder).mkdir(parents=True)
    wrong = {
        "definition": folder / "template.toml",
        "picture": folder / "p.png",
        "plain": folder.with_suffix(".png"),
    }[kind]
    if kind != "plain":
        (folder / "template.toml").write_text('image = "p.png"\n[[box]]\nname = "a"\nbar = "top"\n')
    wrong.write_text("neither a definition nor a picture")
    table.write_text(GOOD.replace("robot-chef", "robot-chief"), encoding="utf-8")
    options = ("--templates", tmp_path / "mine", "--out", tmp_path / "out", *strict)
    done = command("render", table, *options)
    assert done.status == 1
    sentence = "row 2, column template: The template 'robot-chief' cannot be used"
    assert f"{sentence}: {wrong}: " in done.err


def test_strict_and_a_table_of_nothing_fail(command: Command, table: Path, tmp_path: Path) -> None:
    table.write_text(GOOD + "m2,robot-chef,,b,c\n", encoding="utf-8")
    out = tmp_path / "out"
    done = command("render", table, "--langs", "all", "--out", out, "--strict")
    assert done.status == 1
    assert "row 3, column en: The caption is empty." in done.err
    assert not out.exists()
    assert command("render", table, "--langs", "de", "--out", out, "--strict").status == 0
    table.write_text(HEADER + "m2,robot-chef,,,\n", encoding="utf-8")
    done = command("render", table, "--langs", "all", "--out", tmp_path / "none")
    assert done.status == 1
    assert "no caption to work with" in done.err
    assert command("render", tmp_path / "no.csv", "--langs", "de", "--out", out).status == 1


def test_a_failed_picture_is_exit_1(command: Command, table: Path, tmp_path: Path) -> None:
    from PIL import Image

    folder = tmp_path / "mine"
    folder.mkdir()
    Image.effect_noise((200, 100), 50).save(folder / "cut.png")
    content = (folder / "cut.png").read_bytes()
    (folder / "cut.png").write_bytes(content[: len(content) // 2])
    table.write_text(GOOD + "m2,cut,a,b,c\n", encoding="utf-8")
    out = tmp_path / "out"
    done = command("render", table, "--langs", "en", "--templates", folder, "--out", out)
    assert done.status == 1
    assert "Failed: en/cut/m2" in done.err
    assert "1 picture rendered" in done.out
    assert "1 failed" in done.out
