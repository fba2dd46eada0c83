"""`memeloc analyze` on a table of answers; surveys are in tests/workspace/test_analyzing.py."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from tests.conftest import Outcome

Run = Callable[..., Outcome]
FEW = ("--repetitions", 50, "--bootstraps", 20)


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    random = Random(5)
    path = tmp_path_factory.mktemp("answers") / "answers.csv"
    rows = [
        (f"m-{item:02}", f"{culture}-{person}", culture, random.choice(("hate", "non-hate")), topic)
        for item, topic in enumerate(("tea", "cats") * 4)
        for culture in ("US", "DE", "IN")
        for person in range(5)
    ]
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([("meme", "who", "country", "answer", "topic"), *rows])
    return path


COLUMNS = ("--item", "meme", "--annotator", "who", "--culture", "country", "--label", "answer")


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.mark.slow
def test_the_same_report_for_any_number_of_processes(
    command: Run, table: Path, tmp_path: Path
) -> None:
    for jobs in (1, 2):
        result = command(
            "analyze", table, *COLUMNS, *FEW, "--jobs", jobs, "--out", tmp_path / f"{jobs}"
        )
        assert result.status == 0, result.err
    first, second = contents(tmp_path / "1"), contents(tmp_path / "2")
    assert first.keys() == second.keys()
    assert [name for name in first if first[name] != second[name]] == []


def test_json_has_every_section_and_the_files(command: Run, table: Path, tmp_path: Path) -> None:
    result = command(
        "analyze", table, *COLUMNS, *FEW, "--only", "funnel", "--out", tmp_path, "--json"
    )
    data = json.loads(result.out)
    assert [section["name"] for section in data["sections"]] == ["funnel"]
    assert data["answers"] == 120
    assert data["files"]["page"] == str(tmp_path / "report.html")


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--item", "mem"], "column mem"),
        (["--only", "sums"], "no section 'sums'"),
    ],
)
def test_what_is_not_there_is_a_sentence(
    command: Run, table: Path, tmp_path: Path, arguments: list[str], reason: str
) -> None:
    result = command("analyze", table, *COLUMNS, *arguments, "--out", tmp_path)
    assert result.status == 1
    assert reason in result.err
    assert "Traceback" not in result.err
