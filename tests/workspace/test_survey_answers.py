"""Answers that were collected elsewhere: a published table becomes a survey with labels."""

from __future__ import annotations

import csv
import json
from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest

from memeloc.workspace import Workspace

Row = dict[str, Any]

COUNTRIES = {"US": "United States", "DE": "Germany", "MX": "Mexico", "IN": "India", "CN": "China"}
ANSWERS = {"Hate Speech": "hate", "Non-Hate Speech": "no-hate", "I don't know": "unknown"}
LABELS = {"Non-Hate Speech": "no-hate"}
COLUMNS = {
    "annotator": "Annotator ID",
    "item": "Meme ID",
    "label": "Annotation",
    "culture": "Nationality",
    "time": "Submited at",
}
DEMOGRAPHICS = (
    "Age", "Sex", "Ethnicty simplified", "Country of birth", "Country of residence", "Nationality",
    "Language", "Student status", "Employment status", "Political spectrum", "Education",
    "Time taken", "Total approvals", "Reviewed at", "Archived at", "Unnamed: 0", "Unnamed: 0",
)  # fmt: skip
"""As published tables have them: with typos, a column twice, and many that nobody asked for."""


def published() -> list[Row]:
    """Five cultures, each meme answered by five or six of its people; the same each time."""
    random = Random(13)
    rows = []
    for code, country in COUNTRIES.items():
        for batch in range(3):
            memes = [f"{batch * 10 + number:03d}" for number in range(10)]
            for person in range(random.choice((5, 6))):
                demographics = dict.fromkeys(DEMOGRAPHICS, "DATA_EXPIRED")
                demographics |= {"Age": str(20 + person), "Nationality": country, "Language": "en"}
                for minute, meme in enumerate(memes):
                    answer = random.choices(list(ANSWERS), (5, 4, 1))[0]
                    rows.append(
                        {
                            "Meme ID": meme,
                            "Template Name": f"robot {int(meme) % 9}",
                            "Annotator ID": f"{code.lower()}-{batch}-{person}",
                            **demographics,
                            "Annotation": answer,
                            "Submited at": f"2024-05-01T10:{minute:02d}:00Z",
                        }
                    )
    return rows


def write(path: Path, rows: list[Row]) -> Path:
    columns = ["Meme ID", "Template Name", "Annotator ID", *DEMOGRAPHICS]
    columns += ["Annotation", "Submited at"]
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(columns)
        writer.writerows([row.get(column, "") for column in columns] for row in rows)
    return path


def majority(rows: list[Row]) -> Mapping[tuple[str, str], str]:
    """Labels counted apart from memeloc: the most frequent vote, empty for a tie or no vote."""
    codes = {country: code for code, country in COUNTRIES.items()}
    votes: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for row in rows:
        key = (row["Meme ID"], codes[row["Nationality"]])
        votes[key][ANSWERS[row["Annotation"]]] += 1
    labels = {}
    for key, counts in votes.items():
        del counts["unknown"]
        (first, most), *others = [*counts.most_common(), ("", 0)]
        labels[key] = first if not others or most > others[0][1] else ""
    return labels


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("MEMELOC_DATABASE_URL", "MEMELOC_SURVEY_KEY"):
        monkeypatch.delenv(name, raising=False)
    Workspace.create(tmp_path / "work").close()
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path / "work"


def test_a_published_table_becomes_labels(folder: Path) -> None:
    rows = published()
    with Workspace.find() as workspace:
        imported = workspace.surveys.import_answers(
            "published", write(folder / "raw.csv", rows), {"columns": COLUMNS}, labels=LABELS
        )
        (file,) = imported.files
        people = {row["Annotator ID"] for row in rows}
        assert [file[name] for name in ("submissions", "answers", "new")] == [
            len(people),
            len(rows),
            len(people),
        ]
        assert not imported.rejected
        survey = workspace.survey("published")
        checked = survey.answers.check()
        assert len(checked.retained) == len(people)
        result = survey.labels.settle()
        labels = {
            (row.item, row.culture): row.label for row in result.table.itertuples(index=False)
        }
        assert labels == majority(rows)
        whole = survey.status()["whole"]
    assert (whole["answered"], whole["kept"], whole["places"]) == (len(rows), len(rows), 0)


def test_what_cannot_be_placed_is_a_rejected_row(folder: Path) -> None:
    good = published()[:20]
    wrong = [
        {**good[0], "Annotator ID": ""},
        {**good[0], "Annotator ID": "p2", "Meme ID": ""},
        {**good[0], "Annotator ID": "p3", "Annotation": ""},
        {**good[0], "Annotator ID": "p4", "Annotation": "maybe"},
        {**good[0], "Annotator ID": "p5", "Nationality": "en"},
        {**good[0], "Annotator ID": "p6", "Nationality": ""},
        {**good[0], "Annotator ID": "p7", "Meme ID": "check-1"},
        {**good[0], "Annotator ID": "p8", "Submited at": "in spring"},
    ]
    with Workspace.find() as workspace:
        imported = workspace.surveys.import_answers(
            "published",
            write(folder / "raw.csv", [*good, *wrong]),
            {"columns": COLUMNS},
            labels=LABELS,
        )
    assert [(row.row, row.reason) for row in imported.rejected] == [
        (22, "no participant"),
        (23, "no item"),
        (24, "no answer"),
        (25, "unknown label"),
        (26, "unknown culture"),
        (27, "no culture"),
        (28, "unusable item"),
        (29, "unknown time"),
    ]
    kept = json.dumps([dict(row.content) for row in imported.rejected])
    assert "DATA_EXPIRED" not in kept, "columns that nobody named are not kept"


def test_facts_of_people_are_screened_by(folder: Path) -> None:
    rows = [row for row in published() if row["Nationality"] == "Germany"]
    for row in rows:
        row["Country of birth"] = "Germany"
    for row in rows[:10]:
        row["Country of birth"] = "France"
    with Workspace.find() as workspace:
        workspace.surveys.import_answers(
            "published",
            write(folder / "raw.csv", rows),
            {"columns": {**COLUMNS, "demographics": {"country_of_birth": "Country of birth"}}},
            labels=LABELS,
        )
        checked = workspace.survey("published").answers.check()
    assert checked.report.counts()["screening"] == 1
