"""Every kind of question in every target that claims it: exported, answered, read back."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from memeloc.errors import InputError
from memeloc.survey.model import entry_id
from memeloc.survey.targets.google_forms.forms import plan, question_id, question_key
from memeloc.survey.targets.instructions import SheetTexts, ShownQuestion
from memeloc.survey.targets.places import item_key
from memeloc.survey.targets.protocol import ALL_KINDS, SheetsToSend, refuse_other_kinds
from memeloc.survey.targets.qualtrics.target import tag_of
from memeloc.survey.targets.resolver import import_file, make_target, target_names
from memeloc.taxonomy import LABEL, Kind
from tests.survey.every_kind import answered, every_kind
from tests.survey.packs import pack

WHO = "5e8481234567890123456700"
Filled = list[tuple[str, ShownQuestion, tuple[str, ...]]]
"""An item's key, a question about it, and its answers by id."""


def given(survey: SheetsToSend) -> Filled:
    """What a person answers to which question."""
    sheet = survey.sheets[0]
    answers = {answer.entry: answer for answer in answered(survey)}
    return [
        (item_key(survey.name, sheet.id, entry_id(entry)), question, values)
        for entry in sheet.entries
        for question in SheetTexts(survey, sheet).questions(entry)
        if (values := answers[entry_id(entry)].get(question.id))
    ]


def names(question: ShownQuestion, values: tuple[str, ...]) -> list[str]:
    return [question.answers.get(value, value) for value in values]


def saved(path: Path, value: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def fill_csv(survey: SheetsToSend, out: Path, answers: Filled) -> Path:
    """Write into the table that was sent out."""
    (path,) = out.glob("*.csv")
    with path.open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.DictReader(stream))
    by_item = {row["item"]: row for row in rows}
    by_item["consent"]["answer"] = "yes"
    for row in rows:
        row["participant"] = WHO
        row |= {question.id: "" for question in survey.taxonomy.questions}
    for item, question, values in answers:
        column = "answer" if question.id == LABEL else question.id
        by_item[item][column] = " | ".join(names(question, values))
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def fill_html(survey: SheetsToSend, out: Path, answers: Filled) -> Path:
    """What a page sends."""
    items: dict[str, dict[str, Any]] = {}
    for item, question, values in answers:
        answer = items.setdefault(item, {"item": item, "further": {}})
        if question.id == LABEL:
            (answer["label"],) = values
        else:
            answer["further"][question.id] = list(values)
    value = {
        "memeloc": "survey-answers", "survey": survey.name, "sheet": survey.sheets[0].id,
        "submission": "0f", "status": "complete", "participant": WHO,
        "answers": list(items.values()),
    }  # fmt: skip
    return saved(out / "answers.json", value)


def fill_forms(survey: SheetsToSend, out: Path, answers: Filled) -> Path:
    """A response of the Forms API; options are sent by their text."""
    sheet = survey.sheets[0]
    form = plan(survey, sheet)
    ids = form.ids()
    entries = {item_key(survey.name, sheet.id, own): own for own in map(entry_id, sheet.entries)}
    asked = {item.asks or item.key: item for item in reversed(form.items)}
    sent: dict[str, list[str]] = {"participant": [WHO]}
    sent["consent"] = [asked["consent"].options[0].text]
    for item, question, values in answers:
        place = asked[question_key(entries[item], question.id)]
        options = {option.id: option.text for option in place.options}
        sent[place.key] = [options.get(value, value) for value in values]
    value = {
        question_id(ids[key]): {"textAnswers": {"answers": [{"value": text} for text in texts]}}
        for key, texts in sent.items()
    }
    times = dict.fromkeys(("createTime", "lastSubmittedTime"), "2026-11-21T14:00:05.123456789Z")
    return saved(
        out / "responses.json", {"responses": [{"responseId": "R1", **times, "answers": value}]}
    )


def fill_label_studio(survey: SheetsToSend, out: Path, answers: Filled) -> Path:
    """An export as JSON of one annotator's annotations."""
    tasks: dict[str, dict[str, Any]] = {}
    for number, (item, question, values) in enumerate(answers, 1):
        annotation = {"id": number, "completed_by": 1, "result": []}
        data = {"item": item, "sheet": survey.sheets[0].id}
        task = tasks.setdefault(item, {"data": data, "annotations": [annotation]})
        results = task["annotations"][0]["result"]
        results += _regions(question, values)
    return saved(out / "export.json", list(tasks.values()))


def _regions(question: ShownQuestion, values: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    name = f"q-{question.id}"
    if question.kind == "span":
        for value in values:
            start, end = map(int, value.split("-"))
            value_of = {"start": start, "end": end, "text": "x", "labels": [question.id]}
            yield {"from_name": name, "type": "labels", "value": value_of}
    else:
        key = "text" if question.kind == "text" else "choices"
        yield {"from_name": name, "type": key, "value": {key: list(values)}}


def fill_qualtrics(survey: SheetsToSend, out: Path, answers: Filled) -> Path:
    """An export as CSV with choice text."""
    tags = {
        question.id: tag_of(number) for number, question in enumerate(survey.taxonomy.questions, 1)
    } | {LABEL: ""}
    row = {
        "StartDate": "2026-03-01 03:00:00", "EndDate": "2026-03-01 03:04:00",
        "Status": "IP Address", "Finished": "True", "ResponseId": "R_1", "consent": "yes",
        "PROLIFIC_PID": WHO,
    }  # fmt: skip
    row |= {
        f"{item}{tags[each.id]}": ",".join(names(each, values)) for item, each, values in answers
    }
    marks = {title: json.dumps({"ImportId": title}, separators=(",", ":")) for title in row}
    path = out / "responses.csv"
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(row))
        writer.writeheader()
        writer.writerows([{title: f"Text of {title}" for title in row}, marks, row])
    return path


FILLS: dict[str, Callable[[SheetsToSend, Path, Filled], Path]] = {
    "csv": fill_csv,
    "google-forms": fill_forms,
    "html": fill_html,
    "label-studio": fill_label_studio,
    "qsf": fill_qualtrics,
}
RECRUITS = {"prolific"}
"""Targets that recruit people, and show no memes."""
OPTIONS = {"html": {"send_to": "https://collect.example.org/answers"}}
CLAIMED = [
    (name, kinds)
    for name in FILLS
    for kinds in [
        *(((kind,)) for kind in sorted(make_target(name).kinds)),
        tuple(sorted(make_target(name).kinds)),
    ]
]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> SheetsToSend:
    return pack(tmp_path_factory.mktemp("pictures"), "de", "DE")


def test_every_target_that_shows_memes_is_filled_in_here() -> None:
    assert {*FILLS, *RECRUITS} == set(target_names())


@pytest.mark.parametrize(
    ("name", "kinds"), CLAIMED, ids=[f"{name}-{'+'.join(kinds)}" for name, kinds in CLAIMED]
)
def test_answers_come_back_as_they_were_given(
    small: SheetsToSend, tmp_path: Path, name: str, kinds: tuple[Kind, ...]
) -> None:
    survey = every_kind(small, kinds)
    target = make_target(name, OPTIONS.get(name, {}))
    refuse_other_kinds(target, survey.taxonomy)
    assert target.export(survey, tmp_path)
    path = FILLS[name](survey, tmp_path, given(survey))
    assert target.recognises(path)
    result = import_file(target, path, survey)
    assert result.rejected == ()
    (submission,) = result.submissions
    assert submission.answers == answered(survey)
    assert submission.status == "complete"


@pytest.mark.parametrize("name", sorted({*FILLS, *RECRUITS}))
def test_a_kind_that_it_cannot_show_is_refused_in_a_sentence(
    small: SheetsToSend, name: str
) -> None:
    target = make_target(name)
    for kind in ALL_KINDS - target.kinds:
        with pytest.raises(InputError, match=f"kind {kind}"):
            refuse_other_kinds(target, every_kind(small, [kind]).taxonomy)
