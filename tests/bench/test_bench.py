"""The pieces of the bench run on a tiny sample and say what they mean. No figure is a test."""

from __future__ import annotations

import csv
import json
import sys
from importlib import import_module
from inspect import Parameter, signature
from pathlib import Path
from types import SimpleNamespace

import pytest

from memeloc.locales import default

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module", autouse=True)
def _bench_on_path():
    sys.path.insert(0, str(ROOT))
    yield
    sys.path.remove(str(ROOT))


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
    monkeypatch.setattr(bench, "PARTS", {"texts": ("full",), "hashes": ()})
    return commands


def test_all_parts_run_as_processes_and_are_joined(monkeypatch, tmp_path):
    from bench.__main__ import main
    from bench.figures import read_results

    commands = _part_in_its_place(monkeypatch)
    results = str(tmp_path / "results.json")
    monkeypatch.setattr(sys, "argv", ["bench", "--full", "--results", results])
    assert main() == 0
    figures, notes = read_results(Path(results))
    assert [figure.group for figure in figures] == ["texts", "hashes"]
    assert notes == ["texts: a note", "hashes: a note"]
    assert [command[:1] for command in commands] == [["--full"]] * 2
    assert [command[-4:-1] for command in commands] == [
        ["--only", part, "--results"] for part in ("texts", "hashes")
    ]


def test_a_part_that_fails_ends_the_bench_without_results(monkeypatch, tmp_path):
    from bench.__main__ import main

    _part_in_its_place(monkeypatch, failing="hashes")
    results = tmp_path / "results.json"
    monkeypatch.setattr(sys, "argv", ["bench", "--results", str(results)])
    with pytest.raises(SystemExit, match="hashes"):
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
