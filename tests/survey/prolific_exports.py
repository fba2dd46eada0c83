"""What Prolific gives out, as its exports and its API write it, and people read of it."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from memeloc.survey.model import codes
from memeloc.survey.targets.prolific.target import Prolific
from memeloc.survey.targets.protocol import Imported, SheetsToSend
from memeloc.survey.targets.resolver import import_file
from memeloc.survey.texts import survey_texts
from memeloc.taxonomy import load_taxonomy
from tests.survey.annotators import sheet

DE, US = sheet("DE"), sheet("US")
STUDY_DE, STUDY_US = "65f0c0ffee0000000000000a", "65f0c0ffee0000000000000b"
MADE = {
    f"study/{DE.id}": {"id": STUDY_DE, "digest": "0123"},
    f"study/{US.id}": {"id": STUDY_US, "digest": "4567"},
    "group": "65f0c0ffee0000000000000c",
}
HEADER = [
    *("Submission id", "Participant id", "Status", "Custom study tncs accepted at", "Started at"),
    *("Completed at", "Reviewed at", "Archived at", "Time taken", "Completion code"),
    *("Total approvals", "Age", "Sex", "Ethnicity simplified", "Country of birth"),
    *("Country of residence", "Nationality", "Language", "Student status", "Employment status"),
]
OLD = [
    *("session_id", "participant_id", "status", "started_datetime", "completed_date_time"),
    *("time_taken", "age", "num_approvals", "num_rejections", "prolific_score"),
    *("reviewed_at_datetime", "entered_code", "Country of Birth", "Current Country of Residence"),
    *("Employment Status", "First Language", "Nationality", "Sex", "Student Status"),
]


def pack(*sheets: Any) -> SheetsToSend:
    chosen = sheets or (DE, US)
    return SheetsToSend(
        "pilot",
        tuple(chosen),
        load_taxonomy("multi3hate"),
        {sheet.culture.locale.tag: survey_texts(sheet.culture.locale) for sheet in chosen},
        {sheet.id: codes("pilot", sheet.id, bytes(range(32))) for sheet in chosen},
    )


PACK = pack()


def row(number: int = 1, **changed: str) -> dict[str, str]:
    """A row of an export of the German study; names are headings with `_` for a space."""
    result = {
        "Submission id": f"66a0000000000000000000{number:02d}",
        "Participant id": f"5e900000000000000000{number:04d}",
        "Status": "AWAITING REVIEW",
        "Custom study tncs accepted at": "Not Applicable",
        "Started at": f"2026-03-0{number % 9 + 1}T12:00:00.123000Z",
        "Completed at": f"2026-03-0{number % 9 + 1}T12:05:30.623000Z",
        "Reviewed at": "",
        "Archived at": "",
        "Time taken": "330.5",
        "Completion code": PACK.codes[DE.id].done,
        "Total approvals": "120",
        "Age": str(20 + number),
        "Sex": "Female",
        "Ethnicity simplified": "White",
        "Country of birth": "Germany",
        "Country of residence": "Germany",
        "Nationality": "Germany",
        "Language": "German",
        "Student status": "No",
        "Employment status": "Full-Time",
    }
    return result | {key.replace("_", " "): value for key, value in changed.items()}


def table(
    rows: Iterable[Mapping[str, str]], header: Sequence[str] = HEADER, mark: str = ","
) -> str:
    text = io.StringIO()
    writer = csv.writer(text, delimiter=mark, lineterminator="\r\n")
    writer.writerow(header)
    writer.writerows([each.get(name, "") for name in header] for each in rows)
    return text.getvalue()


def read(
    folder: Path,
    content: str | bytes,
    name: str = f"prolific_demographic_export_{STUDY_DE}.csv",
    survey: SheetsToSend = PACK,
    made: Mapping[str, Any] = MADE,
    sheet: str = "",
) -> Imported:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    target = Prolific(sheet=sheet)
    assert target.recognises(path)
    imported = import_file(target, path, replace(survey, made={"prolific": made}))
    assert not imported.submissions
    assert all(
        rejected.file == name and rejected.message.endswith(".") for rejected in imported.rejected
    )
    return imported


def reasons(expected: Imported) -> list[str]:
    return [rejected.reason for rejected in expected.rejected]


def api(number: int = 1, **changed: Any) -> dict[str, Any]:
    """A submission as the API lists it."""
    new = row(number)
    return {
        "id": new["Submission id"],
        "participant_id": new["Participant id"],
        "started_at": new["Started at"],
        "completed_at": new["Completed at"],
        "is_complete": True,
        "has_siblings": False,
        "time_taken": 331,
        "reward": 355,
        "status": "AWAITING REVIEW",
        "strata": {
            "date of birth": "1990-01-01",
            "ethnicity (simplified)": "White",
            "sex": "Female",
        },
        "study_code": new["Completion code"],
        "star_awarded": False,
        "bonus_payments": [],
        "return_requested": None,
        "ip": "192.0.2.7",
        "_links": {"self": {"href": "https://api.prolific.com/api/v1/submissions/x/"}},
    } | changed
