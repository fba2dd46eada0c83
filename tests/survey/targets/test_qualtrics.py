"""Sheets for Qualtrics: the structure of the file, and exports of its responses.

The structure is checked against what files that Qualtrics exports have in common (the survey in
the tests of github.com/fflewddur/sp, and others); there is no schema of it that is published.
"""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memeloc.locales import default
from memeloc.survey.model import entry_id
from memeloc.survey.targets.places import item_key
from memeloc.survey.targets.protocol import SheetsToSend
from memeloc.survey.targets.qualtrics.target import Qsf
from memeloc.survey.targets.resolver import import_file
from memeloc.survey.texts import survey_texts
from memeloc.taxonomy import Question
from tests.survey.annotators import labelled
from tests.survey.packs import pack

CHOSEN = {"m1": "no-hate", "check-1": "unknown", "check-2": "hate", "m2": "hate"}
BEFORE = "taxonomy.multi3hate.questions.whom"
SECOND = {
    f"{BEFORE}.text": "Whom is it about, ${e://Field/x}?",
    f"{BEFORE}.answer.one": "One person",
    f"{BEFORE}.answer.many": "Many, or a group",
}
ENTRY = {
    "SurveyID": str, "SurveyName": str, "SurveyDescription": (str, type(None)),
    "SurveyOwnerID": str, "SurveyBrandID": str, "DivisionID": (str, type(None)),
    "SurveyLanguage": str, "SurveyActiveResponseSet": str, "SurveyStatus": str,
    "SurveyStartDate": str, "SurveyExpirationDate": str, "SurveyCreationDate": str,
    "CreatorID": str, "LastModified": str, "LastAccessed": str, "LastActivated": str,
    "Deleted": type(None),
}  # fmt: skip
ELEMENT = {
    "SurveyID": str, "Element": str, "PrimaryAttribute": str,
    "SecondaryAttribute": (str, type(None)), "TertiaryAttribute": (str, type(None)),
    "Payload": (dict, list, type(None)),
}  # fmt: skip
QUESTION = {
    "QuestionText": str, "DataExportTag": str, "QuestionType": str, "Selector": str,
    "Configuration": dict, "QuestionDescription": str, "Validation": dict, "Language": list,
    "ChoiceOrder": list, "NextChoiceId": int, "NextAnswerId": int, "QuestionID": str,
}  # fmt: skip


@pytest.fixture(scope="module")
def survey(tmp_path_factory: pytest.TempPathFactory) -> SheetsToSend:
    """A survey in Arabic, with a further question after the label `hate`."""
    made = pack(tmp_path_factory.mktemp("pictures"), "ar", "EG")
    asked = Question("whom", "choices", ("one", "many"), when={"label": ("hate", "unknown")})
    texts = survey_texts(default().get("ar"), SECOND)
    return replace(made, taxonomy=replace(made.taxonomy, questions=(asked,)), texts={"ar": texts})


def exported(survey: SheetsToSend, folder: Path) -> Any:
    (path,) = Qsf().export(survey, folder)
    return json.loads(path.read_text("utf-8"))


def has(value: Any, shape: dict[str, Any]) -> None:
    assert isinstance(value, dict)
    for key, kind in shape.items():
        assert isinstance(value[key], kind), (key, value[key])


def elements(whole: Any, kind: str) -> list[Any]:
    return [element for element in whole["SurveyElements"] if element["Element"] == kind]


def steps(flow: list[Any]) -> list[Any]:
    """All steps of a flow, with those inside of branches."""
    return [inner for one in flow for inner in (one, *steps(one.get("Flow", [])))]


def valid(whole: Any) -> None:
    """Whether a survey is whole: every field of its type, every name of something there."""
    assert set(whole) == {"SurveyEntry", "SurveyElements"}
    has(whole["SurveyEntry"], ENTRY)
    for element in whole["SurveyElements"]:
        has(element, ELEMENT)
        assert set(element) == set(ELEMENT)
        assert element["SurveyID"] == whole["SurveyEntry"]["SurveyID"]
    for kind in ("BL", "FL", "SO", "SCO", "PROJ", "STAT", "QC", "RS"):
        assert len(elements(whole, kind)) == 1, kind
    assert (
        elements(whole, "RS")[0]["PrimaryAttribute"]
        == (whole["SurveyEntry"]["SurveyActiveResponseSet"])
    )
    questions = {
        element["PrimaryAttribute"]: element["Payload"] for element in elements(whole, "SQ")
    }
    assert len(questions) == len(elements(whole, "SQ"))
    assert elements(whole, "QC")[0]["SecondaryAttribute"] == str(len(questions))
    tags = [question["DataExportTag"] for question in questions.values()]
    assert len(set(tags)) == len(tags)
    for name, question in questions.items():
        has(question, QUESTION)
        assert question["QuestionID"] == name
        if question["QuestionType"] in ("MC", "Slider"):
            assert set(question["ChoiceOrder"]) == set(question["Choices"])
            assert all(set(choice) == {"Display"} for choice in question["Choices"].values())
            assert question["NextChoiceId"] > max(map(int, question["ChoiceOrder"]))
        else:
            kind = (question["QuestionType"], question["Selector"])
            assert kind in (("DB", "TB"), ("TE", "ML"))
    blocks = elements(whole, "BL")[0]["Payload"]
    assert [block["Type"] for block in blocks].count("Default") == 1
    assert [block["Type"] for block in blocks].count("Trash") == 1
    shown = [element["QuestionID"] for block in blocks for element in block["BlockElements"]]
    assert sorted(shown) == sorted(questions)
    root = elements(whole, "FL")[0]["Payload"]
    flow = [root, *steps(root["Flow"])]
    numbers = [one["FlowID"] for one in flow]
    assert len(set(numbers)) == len(numbers) == root["Properties"]["Count"]
    placed = [one["ID"] for one in flow if one["Type"] in ("Block", "Standard")]
    assert placed == [block["ID"] for block in blocks if block["Type"] != "Trash"]
    logics = [one["BranchLogic"] for one in flow if one["Type"] == "Branch"]
    logics += [
        question["DisplayLogic"] for question in questions.values() if "DisplayLogic" in question
    ]
    for logic in logics:
        assert logic["Type"] == "BooleanExpression"
        for group in (key for key in logic if key.isdecimal()):
            assert logic[group]["Type"] == "If"
            for key, one in logic[group].items():
                if key != "Type":
                    before, _, choice = one["ChoiceLocator"].partition("/SelectableChoice/")
                    assert choice in questions[before.removeprefix("q://")]["Choices"]
                    # As Qualtrics joins groups: by the first condition of the second one.
                    join = "Or" if key != "0" else "And" if group != "0" else None
                    assert one.get("Conjuction") == join


def test_a_survey_is_whole_and_asks_every_entry_in_order(
    survey: SheetsToSend, tmp_path: Path
) -> None:
    whole = exported(survey, tmp_path)
    valid(whole)
    questions = [element["Payload"] for element in elements(whole, "SQ")]
    sheet = survey.sheets[0]
    keys = [item_key(survey.name, sheet.id, entry_id(entry)) for entry in sheet.entries]
    # An explicit check says what to choose, and asks nothing more.
    further = {key: [f"{key}_q1"] for key in keys if key != keys[1]}
    expected = [tag for key in keys for tag in (f"{key}_stop", key, *further.get(key, []))]
    examples = [f"example-{n}" for n, _ in enumerate(survey.taxonomy.examples, 1)]
    assert [question["DataExportTag"] for question in questions] == [
        "warning",
        "consent",
        "introduction",
        *examples,
        *expected,
    ]
    by_tag = {question["DataExportTag"]: question for question in questions}
    for entry, key in zip(sheet.entries, keys, strict=True):
        assert by_tag[key]["QuestionText"].count("data:image/") == int(entry.picture is not None)
        assert 'dir="rtl"' in by_tag[key]["QuestionText"]
        assert list(by_tag[key]["VariableNaming"].values()) == ["hate", "no-hate", "unknown"]
        for tag in further.get(key, []):
            assert len(by_tag[tag]["DisplayLogic"]["1"]) == 3
    assert "${" not in json.dumps(questions)
    assert all(by_tag[tag]["QuestionText"].count("<img") == 1 for tag in examples)


def test_the_flow_reads_the_participant_and_ends_with_the_codes(
    survey: SheetsToSend, tmp_path: Path
) -> None:
    flow = elements(exported(survey, tmp_path), "FL")[0]["Payload"]["Flow"]
    assert flow[0]["EmbeddedData"][0]["Field"] == "PROLIFIC_PID"
    kinds = [one["Type"] for one in flow]
    pages = ["Standard", "Branch"] * 4  # each with a way out for whoever stops
    assert kinds == ["EmbeddedData", "Block", "Branch", "Standard", *pages, "EndSurvey"]
    ends = [flow[2]["Flow"][0], flow[-1]]
    addresses = [end["Options"]["EOSRedirectURL"] for end in ends]
    before = "https://app.prolific.com/submissions/complete?cc="
    assert addresses == [f"{before}NO-7", f"{before}DONE-7"]
    plain = elements(exported(replace(survey, codes={}), tmp_path / "plain"), "FL")[0]
    assert "Options" not in plain["Payload"]["Flow"][-1]


def key(survey: SheetsToSend, entry: str) -> str:
    return item_key(survey.name, survey.sheets[0].id, entry)


def response(survey: SheetsToSend, number: str, who: str, chosen: dict[str, str]) -> dict[str, str]:
    return {
        "StartDate": "2026-03-01 03:00:00",
        "EndDate": "2026-03-01 03:04:00",
        "Status": "IP Address",
        "Finished": "True",
        "ResponseId": number,
        "consent": survey.texts["ar"].get("consent.yes"),
        "PROLIFIC_PID": who,
        **{key(survey, entry): label for entry, label in chosen.items()},
    }


def saved(survey: SheetsToSend, path: Path, rows: list[dict[str, str]]) -> Path:
    """An export of Qualtrics' with its three rows of headings."""
    tags = [key(survey, entry_id(entry)) for entry in survey.sheets[0].entries]
    names = list(dict.fromkeys((*(name for row in rows for name in row), *tags)))
    with path.open("w", newline="", encoding="utf-8-sig") as stream:
        writer = csv.writer(stream)
        writer.writerow(names)
        writer.writerow([f"What people\nread of {name}" for name in names])
        marks = [
            {"ImportId": name, **({"timeZone": "America/Denver"} if "Date" in name else {})}
            for name in names
        ]
        writer.writerows([[json.dumps(mark, separators=(",", ":")) for mark in marks]])
        writer.writerows([[row.get(name, "") for name in names] for row in rows])
    return path


@pytest.mark.parametrize("form", ["names", "ids", "numbers"])
def test_exports_come_back_by_text_by_name_and_by_number(
    survey: SheetsToSend, tmp_path: Path, form: str
) -> None:
    order = [label.id for label in survey.taxonomy.labels]
    texts = survey.texts["ar"]
    message = {
        "names": lambda one: texts.get(f"taxonomy.multi3hate.label.{one}.name"),
        "ids": lambda one: one,
        "numbers": lambda one: str(order.index(one) + 1),
    }[form]
    second = {"names": "One person,Many, or a group", "ids": "one,many", "numbers": "1,2"}[form]
    row = response(survey, "R_1", "asha", {entry: message(one) for entry, one in CHOSEN.items()})
    row[f"{key(survey, 'm2')}_q1"] = second
    row[f"{key(survey, 'check-2')}_q1_2"] = "1"
    row[f"{key(survey, 'm1')}_q1"] = "one"
    if form == "numbers":
        row |= {"consent": "1", "Status": "0", "Finished": "1"}
    path = saved(survey, tmp_path / "export.csv", [row])
    assert Qsf().recognises(path)
    result = import_file(Qsf(), path, survey)
    # What was chosen before the first answer was changed, which Qualtrics keeps.
    assert [row.reason for row in result.rejected] == ["not asked"]
    (one,) = result.submissions
    assert (one.id, one.participant, one.status, one.code) == ("R_1", "asha", "complete", "DONE-7")
    assert one.answers == (
        labelled("m1", "no-hate"),
        labelled("check-1", "unknown"),
        labelled("check-2", "hate", whom=("many",)),
        labelled("m2", "hate", whom=("one", "many")),
    )
    assert one.submitted == datetime(2026, 3, 1, 10, 4, tzinfo=UTC)


def test_who_stopped_is_kept_with_what_was_answered(survey: SheetsToSend, tmp_path: Path) -> None:
    row = {
        "Finished": "True",
        "ResponseId": "R_1",
        "consent": "1",
        "PROLIFIC_PID": "asha",
        key(survey, "m1"): "2",
        f"{key(survey, 'check-1')}_stop": "1",
    }
    imported = import_file(Qsf(), saved(survey, tmp_path / "export.csv", [row]), survey)
    assert not imported.rejected
    (submission,) = imported.submissions
    assert (submission.status, submission.code) == ("returned", "")
    assert [answer.entry for answer in submission.answers] == ["m1"]


def test_pictures_go_beside_the_file_and_are_found_by_address(
    survey: SheetsToSend, tmp_path: Path
) -> None:
    (path,) = Qsf("https://host.example/pictures/").export(survey, tmp_path)
    text, sheet = path.read_text("utf-8"), survey.sheets[0]
    written = sorted((tmp_path / "pictures" / sheet.id).iterdir())
    assert "data:image" not in text
    assert len(written) == 3 + len(survey.taxonomy.examples)
    for picture in written:
        assert f"https://host.example/pictures/{sheet.id}/{picture.name}" in text
        assert not any(entry_id(entry) in picture.stem for entry in sheet.entries)
    assert len(text) < 100_000
