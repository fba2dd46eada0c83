"""`memeloc locales`: what it prints and how it ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memeloc.cli import run
from memeloc.locales import default

DATA = Path(__file__).parents[2] / "memeloc" / "locales" / "data"


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """A folder with Russian set in a face that has no Cyrillic."""
    text = (DATA / "ru.toml").read_text("utf-8").replace('tag = "ru"', 'tag = "ru-AQ"')
    text = text.replace('poster = ["noto-sans", ', 'poster = ["anton", ')
    (tmp_path / "ru-AQ.toml").write_text(text, "utf-8")
    return tmp_path


def test_list_names_every_locale(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["locales", "list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(default()) + 1
    assert "ar\tArabic\tالعربية\tArab\trtl\tEG" in lines


def test_list_as_json_with_ones_own(capsys: pytest.CaptureFixture[str], mine: Path) -> None:
    assert run(["locales", "list", "--locales", str(mine), "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)["locales"]
    assert len(listed) == len(default()) + 1
    assert listed[0]["tag"] == "am"
    assert "ru-AQ" in {entry["tag"] for entry in listed}


def test_show_finds_a_locale_as_any_tag_does(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["locales", "show", "zh_tw", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert (shown["tag"], shown["direction"], shown["google"]) == ("zh-Hant", "ltr", "zh-TW")
    assert "們" in shown["exemplars"]


def test_show_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["locales", "show", "de"]) == 0
    out = capsys.readouterr().out
    assert "native name\tDeutsch" in out
    assert "uppercase\tyes" in out
    assert "exemplars\ta ä b" in out


def test_show_of_an_unknown_tag_names_near_ones(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["locales", "show", "germn"]) == 1
    assert "did you mean de (German, Latn)" in capsys.readouterr().err


def test_every_built_in_locale_is_covered_by_its_own_fonts(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["locales", "check", "--all", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["problems"] == []
    assert len(report["checks"]) == 2 * len(default())
    assert all(check["clusters"] >= 20 and not check["missing"] for check in report["checks"])


def test_capitals_are_checked_where_posters_have_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["locales", "check", "de"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "de\tposter\t60\t0\tanton 60" in lines
    assert "de\tplain\t30\t0\tnoto-sans 30" in lines


def test_letters_of_another_stack_do_not_count(
    capsys: pytest.CaptureFixture[str], mine: Path
) -> None:
    assert run(["locales", "check", "ru-AQ", "--locales", str(mine)]) == 1
    captured = capsys.readouterr()
    assert "the poster fonts lack" in captured.err
    assert "ж" in captured.err
    assert "Д" in captured.err
    assert "plain fonts lack" not in captured.err


def test_a_language_without_known_letters_fails_the_check(
    capsys: pytest.CaptureFixture[str], mine: Path
) -> None:
    path = mine / "ru-AQ.toml"
    path.write_text(path.read_text("utf-8").replace("ru-AQ", "qaa"), "utf-8")
    assert run(["locales", "check", "qaa", "--locales", str(mine)]) == 1
    assert "CLDR has no exemplar characters" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [[], ["de", "--all"]])
def test_check_wants_a_tag_or_all(arguments: list[str]) -> None:
    assert run(["locales", "check", *arguments]) == 2


def test_a_wrong_file_is_a_sentence(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text("tag = 1", "utf-8")
    assert run(["locales", "list", "--locales", str(tmp_path)]) == 1
    error = capsys.readouterr().err
    assert "x.toml: the setting tag of a locale" in error
    assert "Traceback" not in error


@pytest.mark.parametrize("command", ["list", "show", "check"])
def test_help_has_an_example(capsys: pytest.CaptureFixture[str], command: str) -> None:
    assert run(["locales", command, "--help"]) == 0
    assert f"memeloc locales {command}" in capsys.readouterr().out
