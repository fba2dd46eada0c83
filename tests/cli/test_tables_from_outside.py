"""Tables in other people's layouts, by the one map: the same in every command."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from memeloc.analyze import read_answers
from memeloc.workspace import Workspace

CASES = Path(__file__).parents[1] / "tables" / "cases"
Run = Callable[..., Any]


@dataclass(frozen=True)
class Case:
    """A table, the map that reads it, and how many answers of which cultures are in it."""

    file: str
    map: str
    answers: int
    cultures: tuple[str, ...]
    labels: tuple[str, ...] = ("hate", "no-hate")


ARABIC = """
[columns]
item = "المعرف"
annotator = "المشارك"
culture = "البلد"
label = "الإجابة"
[labels]
"ضار" = "hate"
"غير ضار" = "no-hate"
"""
CODES = """
[columns]
culture = "group"
label = "q1"
[labels]
1 = "hate"
2 = "no-hate"
9 = ""
"""
MULTI3HATE = """
abstentions = ["unknown"]
[columns]
item = "Meme ID"
annotator = "User ID"
culture = "Nationality"
label = "hatespeech"
[labels]
1 = "hate"
0 = "no-hate"
-1 = ""
2 = "unknown"
[cultures]
en = "US"
de = "DE"
"""
WIDE = """
[columns]
item = "ID"
label = { US = "United_States_Hate", AU = "Australia_Hate", GB = "United_Kingdom_Hate" }
[labels]
Hate = "hate"
Non-hate = "no-hate"
"""
TASKS = """
[labels]
Hate = "hate"
Non-hate = "no-hate"
[cultures]
"United States" = "US"
Germany = "DE"
"""
TABLES = {
    "multi3hate": Case("raw_annotations.csv", MULTI3HATE, 11, ("DE", "US")),
    "crehate": Case("wide_cultures.csv", WIDE, 8, ("AU", "GB", "US")),
    "workbook": Case("wide_cultures.xlsx", WIDE, 8, ("AU", "GB", "US")),
    "label studio": Case("label_studio.json", TASKS, 3, ("DE", "US")),
    "codes": Case("numeric_codes.csv", CODES, 5, ("DE", "US")),
    "arabic": Case("arabic_headings.csv", ARABIC, 4, ("EG", "JO")),
}


@pytest.fixture(params=TABLES)
def case(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Case:
    """A case whose table and map are in the folder in which commands run."""
    case: Case = TABLES[request.param]
    Workspace.create(tmp_path / "work").close()
    monkeypatch.chdir(tmp_path / "work")
    source = CASES / case.file
    if source.suffix == ".xlsx":
        pd.read_csv(source.with_suffix(".csv")).to_excel(case.file, index=False)
    else:
        Path(case.file).write_bytes(source.read_bytes())
    Path("map.toml").write_text(case.map, encoding="utf-8")
    return case


def test_answers_are_analysed(command: Run, case: Case) -> None:
    only = ("--only", "label-shares")
    assert command("analyze", case.file, "--map", "map.toml", *only).status == 0
    answers = read_answers(case.file, "map.toml")
    assert (len(answers.table), answers.cultures) == (case.answers, case.cultures)
    assert answers.labels == case.labels
    frame = pd.read_csv(case.file, sep=None, engine="python") if "csv" in case.file else None
    if frame is not None:
        assert read_answers(frame, "map.toml").table.equals(answers.table)


def test_answers_are_imported(command: Run, case: Case) -> None:
    done = command("survey", "import", "there", case.file, "--map", "map.toml", "--json")
    assert done.status == 0, done.err
    assert sum(file["answers"] for file in json.loads(done.out)["files"]) == case.answers
    assert {row["reason"] for row in json.loads(done.out)["rejected"]} <= {"no answer"}
    with Workspace.find() as workspace:
        cultures = {culture.code for culture in workspace.survey("there").design.cultures}
    assert cultures == set(case.cultures)


def test_answers_are_what_is_right(command: Run, case: Case) -> None:
    settings = (
        'like = "multi3hate"\nname = "mine"\nlabels = ["hate", "no-hate"]\n[gold]\nlabels = {}\n'
    )
    Path("run.toml").write_text(settings, encoding="utf-8")
    asked = [item for item in ("10", "11", "a1", "a2", "a3", "m1", "m2") for _ in "01"]
    rows = {"id": asked, "prompt": [0, 1] * 7, "response": ["a"] * 14}
    pd.DataFrame(rows).to_csv("responses.csv", index=False)
    done = command(
        *("evaluate", "score", "responses.csv", "--gold", case.file, "--map", "map.toml"),
        *("--run", "run.toml", "--bootstraps", "2", "--json"),
    )
    assert done.status == 0, done.err
    for culture in case.cultures:
        assert f'"{culture}"' in done.out
