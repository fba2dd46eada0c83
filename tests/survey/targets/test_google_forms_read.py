"""What Google Forms gives out is read: any order, locale and encoding, and nothing is lost."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memeloc.survey.model import Submission
from memeloc.survey.targets.google_forms.forms import FSI, PDI, Form, plan, question_id
from memeloc.survey.targets.google_forms.target import GoogleForms
from memeloc.survey.targets.protocol import Imported, SheetsToSend
from memeloc.survey.targets.resolver import import_file
from memeloc.survey.texts import survey_texts
from tests.survey.packs import pack as small_pack

ENTRIES = ("m1", "check-1", "check-2", "m2")
KEYS = ("consent", "participant", *(f"entry:{entry}" for entry in ENTRIES), "comments")
PEOPLE = ("5e8481234567890123456701", "5e8481234567890123456702", "5e8481234567890123456703")


@pytest.fixture(scope="module")
def arabic(tmp_path_factory: pytest.TempPathFactory) -> SheetsToSend:
    pack = small_pack(tmp_path_factory.mktemp("pictures"), "ar", "EG")
    before = "taxonomy.multi3hate"
    words = {
        f"{before}.text": "هل هذا خطاب كراهية؟",
        f"{before}.label.hate.name": "خطاب كراهية",
        f"{before}.label.no-hate.name": "ليس خطاب كراهية",
        f"{before}.label.unknown.name": "لا أعرف",
        "consent.yes": "أوافق على المشاركة",
        "participant.label": "رقم المشاركة",
    }
    return replace(pack, texts={"ar": survey_texts(pack.sheets[0].culture.locale, words)})


def words(pack: SheetsToSend) -> tuple[dict[str, str], dict[str, str]]:
    """Titles by key, and the texts of labels and of consent by id."""
    items = {item.key: item for item in plan(pack, pack.sheets[0]).items}
    options = {item.id: item.text for key in ("entry:m1", "consent") for item in items[key].options}
    return {key: items[key].title for key in KEYS}, options


def table(
    pack: SheetsToSend, times: Sequence[str] = ("2026/11/21 3:04:05 PM GMT+1",) * 3
) -> list[list[str]]:
    """What three people answered, as Google writes it."""
    titles, options = words(pack)
    given = (("hate", "no-hate", "unknown", "hate"), ("no-hate",) * 4, ("unknown",) * 4)
    rows = [["Timestamp", *titles.values()]]
    for who, labels, time in zip(PEOPLE, given, times, strict=True):
        rows.append([time, options["yes"], who, *(options[label] for label in labels), ""])
    return rows


def saved(path: Path, rows: Sequence[Sequence[str]], encoding: str = "utf-8", **how: Any) -> Path:
    text = io.StringIO(newline="")
    csv.writer(text, **how).writerows(rows)
    path.write_bytes(text.getvalue().encode(encoding))
    return path


def core(imported: Imported) -> list[Submission]:
    """Submissions without where they stand, sorted."""
    return sorted(
        (replace(submission, row=0) for submission in imported.submissions),
        key=lambda submission: submission.id,
    )


@pytest.mark.parametrize(
    ("encoding", "expected"),
    [("utf-8", 0), ("utf-8-sig", 0), ("utf-16", 0), ("cp1256", 1), ("utf-16-le", 0)],
)
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_wrong_encodings_and_delimiters(
    arabic: SheetsToSend, tmp_path: Path, encoding: str, expected: int, delimiter: str
) -> None:
    rows = table(arabic)
    wanted = core(import_file(GoogleForms(), saved(tmp_path / "a.csv", rows), arabic))
    # Isolates are in no code page; what saved the file has dropped them.
    rows[0] = [cell.replace(FSI, "").replace(PDI, "") for cell in rows[0]]
    path = saved(tmp_path / "b.csv", rows, encoding, delimiter=delimiter)
    imported = import_file(GoogleForms(), path, arabic)
    assert core(imported) == wanted
    assert [rejected.reason for rejected in imported.rejected] == ["encoding"] * expected


def test_what_cannot_be_read_is_rejected_with_its_row(survey: SheetsToSend, tmp_path: Path) -> None:
    rows = table(survey)
    rows[0].append("Favourite tea")
    rows[1] += ["green", "and more"]
    rows[2][2] = ""
    rows[3][2] = "=1+1"
    rows.append([*rows[1][:2], "5.9E+23", *rows[1][3:8]])
    rows.append([*rows[1][:2], "p5", "Perhaps", *rows[1][4:7], "I liked the cat"])
    imported = import_file(GoogleForms(), saved(tmp_path / "u.csv", rows), survey)
    reported = [(rejected.row, rejected.reason) for rejected in imported.rejected]
    assert reported == [
        (2, "unknown column"),
        (3, "no participant"),
        (5, "participant unreadable"),
        (6, "unknown label"),
        (6, "comment"),
    ]
    assert [submission.participant for submission in imported.submissions] == [
        PEOPLE[0],
        "=1+1",
        "p5",
    ]
    assert [answer.entry for answer in imported.submissions[2].answers] == list(ENTRIES[1:])
    kept = imported.rejected[2].content["answers"]
    assert "Not hate speech" in json.dumps(kept)
    assert all(rejected.message.endswith(".") for rejected in imported.rejected)


def test_sent_twice_and_edited(survey: SheetsToSend, tmp_path: Path) -> None:
    rows = table(survey)
    again = ["2026/11/21 5:00:00 PM GMT+1", *rows[1][1:]]
    again[3] = "I don't know"
    imported = import_file(
        GoogleForms(), saved(tmp_path / "e.csv", [*rows, rows[1], again]), survey
    )
    assert [submission.participant for submission in imported.submissions] == [*PEOPLE, PEOPLE[0]]
    first, last = imported.submissions[0], imported.submissions[3]
    assert last.submitted is not None
    assert first.submitted is not None
    assert last.submitted > first.submitted
    assert (first.answers[0].label, last.answers[0].label) == ("hate", "unknown")


# The API's responses


def response(form: Form, number: str, expected: dict[str, str], **more: Any) -> dict[str, Any]:
    ids = form.ids()
    answers = {}
    for key, text in expected.items():
        own = question_id(ids[key])
        answers[own] = {"questionId": own, "textAnswers": {"answers": [{"value": text}]}}
    moment = "2026-11-21T14:04:05.123456789Z"
    return {
        "responseId": number,
        "createTime": moment,
        "lastSubmittedTime": moment,
        "answers": answers,
        **more,
    }


def test_a_table_and_the_api_say_the_same(survey: SheetsToSend, tmp_path: Path) -> None:
    form = plan(survey, survey.sheets[0])
    rows = table(survey)
    keys = {item.title: item.key for item in form.items}
    written = [
        {
            keys[title]: cell
            for title, cell in zip(rows[0], row, strict=True)
            if title in keys and cell
        }
        for row in rows[1:]
    ]
    path = tmp_path / "api.json"
    answers = [response(form, str(n), each) for n, each in enumerate(written)]
    path.write_text(json.dumps({"responses": answers}))
    by_api = import_file(GoogleForms(), path, survey).submissions
    by_table = import_file(GoogleForms(), saved(tmp_path / "t.csv", rows), survey).submissions
    assert [(each.participant, each.answers, each.status) for each in by_api] == [
        (each.participant, each.answers, each.status) for each in by_table
    ]
