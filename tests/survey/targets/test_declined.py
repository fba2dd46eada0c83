"""Who declined leaves nothing but that, whatever of the file is missing or cannot be read."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from memeloc.survey.targets.protocol import Imported, SheetsToSend
from memeloc.survey.targets.resolver import import_file, make_target
from memeloc.tables import folded
from tests.survey.targets import answered
from tests.survey.targets.answered import PEOPLE, TABLES, VALUES, Table

ADA = PEOPLE[0]
SECRET = "quokka lane"
"""What she wrote beside the answers."""


@pytest.fixture(scope="module")
def survey(tmp_path_factory: pytest.TempPathFactory) -> SheetsToSend:
    return answered.survey(tmp_path_factory.mktemp("pictures"))


def refusing(kind: str, survey: SheetsToSend) -> Table:
    """A table in which Ada declines, and wrote all the same; answers are kept in it."""
    table = TABLES[kind](survey, survey.sheets[0])
    texts = survey.texts["en"]
    agrees, declines = texts.get("consent.yes"), texts.get("consent.no")
    for cells, _ in table.rows:
        if ADA in cells:
            cells[:] = [declines if cell == agrees else cell for cell in cells]
            if kind == "qsf":
                cells[table.headings[0].index("consent")] = declines
    table.add_column("Notes", len(table.headings[0]), [SECRET for _ in table.rows])
    return table


def read(kind: str, path: Path, survey: SheetsToSend) -> Imported:
    return import_file(make_target(kind), path, survey)


def left_of(imported: Imported, survey: SheetsToSend) -> str:
    """All that is stored of Ada, but for the choice itself: rejected rows of hers, and answers."""
    words = survey.words
    rows = [row for row in imported.rejected if row.participant in (ADA, "")]
    sent = [sent for sent in imported.submissions if sent.participant == ADA]
    for each in sent:
        assert (each.status, each.answers) == ("no consent", ())
        assert each.submitted is None
        assert each.started is None
    kept = [text for row in rows for text in texts_in(row.content) if folded(text) not in words]
    return "\n".join(kept)


def texts_in(value: Any) -> list[str]:
    if isinstance(value, Mapping):
        return [text for key in value for text in texts_in(value[key])]
    if isinstance(value, list | tuple):
        return [text for inner in value for text in texts_in(inner)]
    return [value] if isinstance(value, str) else []


COLUMNS = {
    "csv": ("", "sheet", "number", "text", "submitted"),
    "google-forms": ("", "participant", "comments"),
    "qsf": ("", "StartDate", "EndDate", "Status", "Finished", "PROLIFIC_PID"),
}
"""By target, columns that may be missing; by the others a table is known."""


@pytest.mark.parametrize(
    ("kind", "missing"), [(kind, missing) for kind, names in COLUMNS.items() for missing in names]
)
def test_a_table_without_a_column(
    survey: SheetsToSend, tmp_path: Path, kind: str, missing: str
) -> None:
    table = refusing(kind, survey)
    hers = {
        number
        for number, (cells, _) in enumerate(table.rows, len(table.headings) + 1)
        if ADA in cells
    }
    titles = table.headings[0]
    if kind == "google-forms" and missing:
        place = table.rows[0][0].index(ADA) if missing == "participant" else len(titles) - 2
    else:
        place = titles.index(missing) if missing else len(titles)
    for cells in (*table.headings, *(cells for cells, _ in table.rows)):
        del cells[place : place + 1]
    path = save(tmp_path / f"{survey.sheets[0].id}.csv", table)
    imported = read(kind, path, survey)
    rejected = tuple(row for row in imported.rejected if row.row in hers)
    assert left_of(replace(imported, rejected=rejected), survey) == ""


def save(path: Path, table: Table) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([*table.headings, *(cells for cells, _ in table.rows)])
    return path


@pytest.mark.parametrize("missing", ["", "answers", "survey", "submission", "participant", "sheet"])
def test_a_page_without_a_field(survey: SheetsToSend, tmp_path: Path, missing: str) -> None:
    (value, _), *_ = VALUES["html"](survey, survey.sheets[0])
    value |= {"status": "no consent", "comments": SECRET, "participant": ADA}
    value.pop(missing, None)
    path = tmp_path / "page.json"
    path.write_text(json.dumps(value), encoding="utf-8")
    assert left_of(read("html", path, survey), survey) == ""


def test_a_form_that_lost_its_question_for_consent(survey: SheetsToSend, tmp_path: Path) -> None:
    table = TABLES["google-forms"](survey, survey.sheets[0])
    texts = survey.texts["en"]
    place = next(at for at, cell in enumerate(table.rows[0][0]) if cell == texts.get("consent.yes"))
    comment = table.headings[0].index(texts.get("comments.label"))
    for number, (cells, _) in enumerate(table.rows):
        if number == 0:  # who declined has answered nothing
            cells[:] = [cell if cell in (ADA, cells[0]) else "" for cell in cells]
            cells[comment] = SECRET
        del cells[place]
    for heading in table.headings:
        del heading[place]
    path = save(tmp_path / f"{survey.sheets[0].id}.csv", table)
    imported = read("google-forms", path, survey)
    assert {sent.participant for sent in imported.submissions} == set(PEOPLE) - {ADA}
    assert SECRET not in str(asdict(imported))
    assert ADA not in str(asdict(imported))
