"""The pieces of the bench run on a tiny sample and say what they mean. No figure is a test."""

from __future__ import annotations

import csv
import json
import os
import sys
from importlib import import_module
from importlib.util import find_spec
from inspect import Parameter, signature
from pathlib import Path
from types import SimpleNamespace

import pytest
from PIL import ImageChops

from memeloc.locales import default
from memeloc.templates import open_picture
from tests.each import each

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module", autouse=True)
def _bench_on_path():
    sys.path.insert(0, str(ROOT))
    yield
    sys.path.remove(str(ROOT))


def _scenes(language, turn=0):
    from bench.scenes import scenes, templates

    return scenes(language, templates()[:1], turn=turn, most=3)


@each("language", ["de", "hi", "zh", "ar"])
def test_a_later_round_has_the_same_letters_and_another_text(language):
    written, shuffled = _scenes(language, turn=0), _scenes(language, turn=1)
    assert len(written) == len(shuffled) == 3
    for one, other in zip(written, shuffled, strict=True):
        for before, after in zip(one.caption.parts, other.caption.parts, strict=True):
            assert sorted(before.replace(" ", "")) == sorted(after.replace(" ", ""))
    assert [scene.caption for scene in written] != [scene.caption for scene in shuffled]


def test_peers_get_text_in_its_final_case():
    scene = _scenes("de")[0]
    assert scene.drawn == tuple(part.upper() for part in scene.caption.parts)
    assert _scenes("hi")[0].drawn == _scenes("hi")[0].caption.parts


def _changed_rows(picture, template):
    difference = ImageChops.difference(picture, open_picture(template.image)).convert("L")
    rows = difference.point(lambda value: 255 if value > 40 else 0).resize((1, picture.height))
    return [y for y, value in enumerate(rows.get_flattened_data()) if value]


@each("language", ["en", "hi", "zh", "ar"])
@each("name", ["pillow_peer.PillowPeer", "pango_peer.PangoPeer"])
def test_a_peer_writes_in_both_boxes_and_nowhere_else(name, language):
    if name.startswith("pango") and find_spec("pangocairocffi") is None:
        pytest.skip("needs pip install pangocairocffi and Debian's libpangocairo-1.0-0")
    module, _, class_name = name.partition(".")
    try:
        peer = getattr(__import__(f"bench.{module}", fromlist=[class_name]), class_name)()
    except OSError as error:
        pytest.skip(f"Pango cannot be loaded: {error}")
    for scene in _scenes(language)[:2]:
        picture = peer.draw(scene)
        assert picture.size == (512, 512)
        rows = _changed_rows(picture, scene.template)
        top, bottom = scene.template.boxes
        inside = [
            (round(box.y * 512) - 2, round((box.y + box.height) * 512) + 2) for box in (top, bottom)
        ]
        for low, high in inside:
            assert any(low <= row <= high for row in rows)
        assert all(any(low <= row <= high for low, high in inside) for row in rows)


def test_pango_draws_chinese_with_the_font_it_is_given():
    """Boxes with numbers in them are fast to draw, and all alike: two texts must differ."""
    pytest.importorskip("pangocairocffi", exc_type=ImportError)
    from dataclasses import replace

    from bench.pango_peer import PangoPeer

    try:
        peer = PangoPeer(["zh"])
    except OSError as error:
        pytest.skip(f"Pango cannot be loaded: {error}")
    scene = replace(_scenes("zh")[0], drawn=("口", "一"))
    picture = peer.draw(scene).copy()
    ground = open_picture(scene.template.image)
    ink = ImageChops.difference(picture, ground).convert("L").point(lambda v: 255 if v > 40 else 0)
    upper, lower = (ink.crop((0, half, 512, half + 256)).getbbox() for half in (0, 256))
    assert upper is not None
    assert lower is not None
    # U+53E3 is a square; U+4E00 is one flat stroke, which no box with numbers is.
    assert abs((upper[2] - upper[0]) - (upper[3] - upper[1])) < 20
    assert (lower[2] - lower[0]) > 3 * (lower[3] - lower[1])


def test_pango_leaves_other_programs_their_fonts():
    pytest.importorskip("pangocairocffi", exc_type=ImportError)
    from bench.pango_peer import PangoPeer

    before = dict(os.environ)
    try:
        PangoPeer(["zh"])
    except OSError as error:
        pytest.skip(f"Pango cannot be loaded: {error}")
    assert os.environ == before


@pytest.mark.slow
def test_pictures_are_measured_beside_the_peers():
    from bench.pictures import measure

    figures, lacking = measure(rounds=1, before="no-such-commit", captions=10)
    names = {figure.name for figure in figures}
    assert {
        "memeloc --to files",
        "Pillow with a fit loop, de",
        "Pillow without a fit loop, de",
    } <= names
    assert "Pango with Cairo, de" in names or len(lacking) > 1
    assert all(figure.value > 0 for figure in figures)
    assert "no-such-commit" in lacking[-1]


@pytest.mark.slow
def test_shards_are_measured_beside_a_commit(monkeypatch):
    from bench import shards

    monkeypatch.setattr(shards, "_KEPT", 3)
    figures, lacking = shards.measure(rounds=1, before="HEAD", captions=10)
    assert all(figure.value > 0 for figure in figures)
    assert lacking or any(figure.name.startswith("memeloc at ") for figure in figures)


def test_a_command_of_a_checkout_that_fails_says_why():
    from bench.versions import Memeloc

    memeloc = Memeloc("memeloc", ROOT)
    assert memeloc.run("--version") > 0
    with pytest.raises(RuntimeError, match="no-such-command"):
        memeloc.run("no-such-command")
    memeloc.end()


def test_bounds_and_results(tmp_path):
    from bench.figures import Bound, Figure, of_rounds, write_results

    at_most = of_rounds("g", "n", [3.0, 1.0, 2.0], "x", Bound("at most", 2.0))
    assert (at_most.value, at_most.holds) == (2.0, True)
    assert Figure("g", "n", 7.9, "x", Bound("at least", 8.0)).holds is False
    assert Figure("g", "n", 7.9, "x").holds is None
    path = tmp_path / "results.json"
    write_results([at_most], ["a note"], path)
    results = json.loads(path.read_text(encoding="utf-8"))
    assert results["figures"][0]["samples"] == [3.0, 1.0, 2.0]
    assert results["figures"][0]["holds"] is True
    assert results["machine"]["cores"] >= 1
    assert "pillow" in results["versions"]


def test_results_are_read_as_they_were_written(tmp_path):
    from bench.figures import Bound, Figure, of_rounds, read_results, write_results

    figures = [of_rounds("g", "n", [3.0, 1.0], "x", Bound("at most", 2.0)), Figure("g", "m", 1, "")]
    write_results(figures, ["a note"], tmp_path / "results.json")
    assert read_results(tmp_path / "results.json") == (figures, ["a note"])


def test_every_part_takes_its_options():
    from bench.__main__ import PARTS

    for part, options in PARTS.items():
        takes = signature(import_module(f"bench.{part}").measure).parameters
        assert {"say", *options} <= takes.keys(), part
        needed = {name for name, option in takes.items() if option.default is Parameter.empty}
        assert needed <= {"say"}, part


def _part_in_its_place(monkeypatch, failing=""):
    """Instead of a process for a part: it writes a figure, or nothing; the commands."""
    from bench import __main__ as bench
    from bench.figures import Figure, write_results

    commands = []

    def run(command, **_):
        commands.append(command[3:])
        part, results = command[-3], Path(command[-1])
        if part != failing:
            write_results([Figure(part, "n", 1.0, "x")], [f"{part}: a note"], results)

    monkeypatch.setattr(bench, "subprocess", SimpleNamespace(run=run, DEVNULL=None))
    monkeypatch.setattr(bench, "PARTS", {"texts": (), "graphs": ()})
    return commands


def test_all_parts_run_as_processes_and_are_joined(monkeypatch, tmp_path):
    from bench.__main__ import main
    from bench.figures import read_results

    commands = _part_in_its_place(monkeypatch)
    results = str(tmp_path / "results.json")
    monkeypatch.setattr(sys, "argv", ["bench", "--rounds", "2", "--results", results])
    assert main() == 0
    figures, notes = read_results(Path(results))
    assert [figure.group for figure in figures] == ["texts", "graphs"]
    assert notes == ["texts: a note", "graphs: a note"]
    assert [command[:2] for command in commands] == [["--rounds", "2"]] * 2
    assert [command[-4:-1] for command in commands] == [
        ["--only", part, "--results"] for part in ("texts", "graphs")
    ]


def test_a_part_that_fails_ends_the_bench_without_results(monkeypatch, tmp_path):
    from bench.__main__ import main

    _part_in_its_place(monkeypatch, failing="graphs")
    results = tmp_path / "results.json"
    monkeypatch.setattr(sys, "argv", ["bench", "--results", str(results)])
    with pytest.raises(SystemExit, match="graphs"):
        main()
    assert not results.exists()


@pytest.mark.parametrize("pictures", [7, 13])
def test_a_table_has_as_many_captions_as_asked_for(tmp_path, pictures):
    from bench.command import make_table

    path = tmp_path / "table.csv"
    make_table(path, pictures)
    with path.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    languages = [name for name in rows[0] if name not in ("meme_id", "template")]
    assert all(default().get(name) for name in languages)
    assert sum(bool(row[name]) for row in rows for name in languages) == pictures
    assert len({row["meme_id"] for row in rows}) == len(rows)


def test_answers_to_analyse_are_of_five_cultures(tmp_path):
    from bench.analysis import write_answers

    answers = write_answers(tmp_path / "answers.csv", 60, seed=1)
    with (tmp_path / "answers.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == answers
    assert len({(row["culture"], row["item"]) for row in rows}) == 5 * 60
    assert len({(row["annotator"], row["item"]) for row in rows}) == answers


def test_what_a_program_took_is_its_own(tmp_path):
    """A process that starts another must not lend it its own memory."""
    from bench.command import run

    ballast = bytearray(300_000_000)
    ballast[::4096] = b"x" * len(ballast[::4096])
    took = run("--version")
    assert 0 < took.cpu < 30
    assert took.wall > 0
    assert took.memory < 200_000_000


def test_a_command_that_fails_says_why():
    from bench.command import run

    with pytest.raises(RuntimeError, match=r"no-such-command"):
        run("no-such-command")


def test_loading_reads_what_its_floors_read(monkeypatch):
    from bench import loading

    monkeypatch.setattr(loading, "_TURNS", 1)
    monkeypatch.setattr(loading, "_CAPTIONS", 60)
    locales, templates, captions = loading.measure()
    assert locales.name.startswith(f"all {len(list(default()))} locales")
    assert templates.name.startswith("all 17 templates")
    assert captions.name.startswith("60 captions")
    assert all(figure.unit == "x" and figure.value > 0 for figure in (locales, templates, captions))
