"""`memeloc review export year`: years of templates, checked by a sample that a seed draws."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from memeloc.items import FoundTemplate, Origin, Year
from memeloc.workspace import Workspace

COUNT = 40


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Forty templates with a year, and one without."""
    monkeypatch.delenv("MEMELOC_DATABASE_URL", raising=False)
    found = [
        FoundTemplate(
            Origin("wiki", f"tea-{number}", f"https://wiki.example/tea-{number}"),
            f"Tea {number}",
            description=f"A cup of tea that was first poured in {1990 + number}.",
            year=Year(1990 + number, "rule", f"first poured in {1990 + number}"),
        )
        for number in range(COUNT)
    ]
    with Workspace.create(tmp_path / "ws") as workspace:
        workspace.store.items.add([*found, FoundTemplate(Origin("wiki", "rain"), "Rain")])
    monkeypatch.chdir(tmp_path / "ws")
    return tmp_path / "ws"


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def _export(command, person: str, *more: object) -> list[dict[str, str]]:
    path = Path(f"{person}.csv")
    done = command("review", "export", "year", "--person", person, "-o", path, *more, "--json")
    assert done.status == 0, done.err
    return _rows(path) if json.loads(done.out)["rows"] else []


def _answer(path: Path, wrong: int) -> None:
    rows = _rows(path)
    for number, row in enumerate(rows):
        row["your answer"] = "no" if number < wrong else "yes"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)


def test_the_seed_draws_the_same_for_everybody(folder, command) -> None:
    first = _export(command, "asha", "--sample", 10, "--seed", 3)
    other = _export(command, "bo", "--sample", 10, "--seed", 3)
    assert len(first) == 10
    assert [row["subject"] for row in first] == [row["subject"] for row in other]
    another = _export(command, "asha", "--sample", 10, "--seed", 4)
    assert [row["subject"] for row in another] != [row["subject"] for row in first]
    assert len(_export(command, "asha")) == COUNT


def test_a_row_shows_year_description_and_evidence(folder, command) -> None:
    row = _export(command, "asha", "--sample", 1)[0]
    number = int(row["about"].split()[1])
    year = 1990 + number
    assert row["text"] == f"{year}: A cup of tea that was first poured in {year}."
    assert row["hint, only a hint"] == f"rule: first poured in {year}"
    assert f"https://wiki.example/tea-{number}" in row["about"]


def test_the_error_rate_and_its_interval(folder, command) -> None:
    _export(command, "asha", "--sample", 20, "--seed", 3)
    assert "year" not in command("review", "status").out
    _answer(Path("asha.csv"), wrong=2)
    done = command("review", "import", "asha.csv")
    assert "2 of 20 are wrong, 10.0 % (95 % interval 2.8 to 30.1 %)" in done.err
    errors = json.loads(command("review", "status", "year", "--json").out)["questions"][0]["errors"]
    assert (errors["wrong"], errors["judged"], errors["rate"]) == (2, 20, 0.1)
    assert (round(errors["low"], 3), round(errors["high"], 3)) == (0.028, 0.301)
    assert "10.0 % (95 % interval 2.8 to 30.1 %)" in command("review", "status").out
    # The same sample has nothing left to ask her, and another person gets all of it.
    assert _export(command, "asha", "--sample", 20, "--seed", 3) == []
    assert len(_export(command, "bo", "--sample", 20, "--seed", 3)) == 20


def test_ids_are_no_sample(folder, command) -> None:
    with Workspace.find(folder) as workspace:
        item = next(iter(workspace.store.items.find("template")))
    only = ("--only", item.id, "--sample", 5)
    done = command("review", "export", "year", "--person", "asha", *only)
    assert done.status == 1
    assert "leave out either the ids or --sample" in done.err
