"""Sheets in Label Studio: the real program shows every item, and its exports come back."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from memeloc.errors import InputError
from memeloc.locales import default
from memeloc.survey.model import Answer, entry_id
from memeloc.survey.targets.label_studio.target import LabelStudio
from memeloc.survey.targets.places import item_key
from memeloc.survey.targets.protocol import SurveyPack
from memeloc.survey.targets.resolver import import_file
from memeloc.survey.taxonomy import SecondQuestion
from memeloc.survey.texts import survey_texts
from tests.survey.packs import pack
from tests.survey.real_programs import free_port, installed, started

CHOSEN = {"m1": "no-hate", "check-1": "unknown", "check-2": "hate", "m2": "hate"}
SECOND = {
    "taxonomy.multi3hate.second.whom.question": 'Whom is it about, in "$" & < >?',
    "taxonomy.multi3hate.second.whom.answer.one": "One person",
    "taxonomy.multi3hate.second.whom.answer.many": "Many, or a group",
}


def with_second(survey: SurveyPack, tag: str) -> SurveyPack:
    """The survey with a second question after the label `hate`."""
    asked = SecondQuestion("whom", ("hate",), ("one", "many"), several=True)
    texts = survey_texts(default().get(tag), SECOND)
    return replace(
        survey, taxonomy=replace(survey.taxonomy, second=asked), texts={**survey.texts, tag: texts}
    )


@pytest.fixture(scope="module")
def survey(tmp_path_factory: pytest.TempPathFactory) -> SurveyPack:
    return with_second(pack(tmp_path_factory.mktemp("pictures"), "ar", "EG"), "ar")


def read(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))


def exported(survey: SurveyPack, folder: Path, local: str = "") -> Path:
    (path,) = LabelStudio(local).export(survey, folder)
    return path.parent


def result(name: str, *choices: str) -> dict[str, Any]:
    value = {"choices": list(choices)}
    return {"from_name": name, "to_name": "picture", "type": "choices", "value": value}


def tasks_back(survey: SurveyPack, annotations: dict[str, list[dict[str, Any]]]) -> list[Any]:
    sheet = survey.sheets[0].id
    return [
        {"id": 1, "data": {"item": item_key(survey.name, sheet, entry)}, "annotations": made}
        for entry, made in annotations.items()
    ]


def annotation(who: Any, *results: dict[str, Any], at: int = 0, **more: Any) -> dict[str, Any]:
    moment = f"2026-03-01T10:{at:02}:00.000000Z"
    made = {"id": at, "completed_by": who, "was_cancelled": False, "created_at": moment}
    return {**made, "updated_at": moment, "lead_time": 30.0, "result": list(results), **more}


def saved(path: Path, value: Any) -> Path:
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def test_the_interface_asks_the_second_question_after_its_labels(
    survey: SurveyPack, tmp_path: Path
) -> None:
    own = exported(survey, tmp_path)
    root = ET.parse(own / "config.xml").getroot()
    assert root.attrib["style"] == "direction: rtl"
    first, second = root.iter("Choices")
    assert [one.attrib["alias"] for one in first] == ["hate", "no-hate", "unknown"]
    texts = survey.texts["ar"]
    assert first[0].attrib["value"] == texts.get("taxonomy.multi3hate.label.hate.name")
    assert (second.attrib["whenTagName"], second.attrib["whenChoiceValue"]) == ("answer", "hate")
    assert second.attrib["choice"] == "multiple"
    assert read(own / "project.json")["label_config"] == (own / "config.xml").read_text("utf-8")
    why = texts.get("taxonomy.multi3hate.example.monday.why")
    instructions = read(own / "project.json")["expert_instruction"]
    assert instructions.count("data:image/jpeg") == len(survey.taxonomy.examples)
    assert why.split("'")[0] in instructions


def test_tasks_hide_checks_and_pictures_may_be_served(survey: SurveyPack, tmp_path: Path) -> None:
    own = exported(survey, tmp_path / "in")
    tasks = [task["data"] for task in read(own / "tasks.json")]
    assert [task["number"] for task in tasks] == [1, 2, 3, 4]
    assert all(task["picture"].startswith("data:image/") for task in tasks)
    assert not any("check" in value for task in tasks for value in (task["item"], task["sheet"]))
    served = exported(survey, tmp_path / "out", "surveys/pilot")
    for entry, task in zip(survey.sheets[0].entries, read(served / "tasks.json"), strict=True):
        if entry.picture is not None:
            before, _, place = task["data"]["picture"].partition("?d=surveys/pilot/")
            assert before == "/data/local-files/"
            assert (tmp_path / "out" / place).read_bytes() == entry.picture.read_bytes()
    with pytest.raises(InputError):
        LabelStudio("/etc")


def test_the_same_survey_is_the_same_bytes(survey: SurveyPack, tmp_path: Path) -> None:
    one, two = exported(survey, tmp_path / "one"), exported(survey, tmp_path / "two")
    for name in ("config.xml", "project.json", "tasks.json"):
        assert (one / name).read_bytes() == (two / name).read_bytes()


def test_the_latest_annotation_counts_and_skipped_tasks_do_not(
    survey: SurveyPack, tmp_path: Path
) -> None:
    hate, no = result("answer", "hate"), result("answer", "no-hate")
    many = result("second_answer", "many")
    value = tasks_back(
        survey,
        {
            "m2": [annotation(1, no, at=5), annotation(1, hate, many, at=9)],
            "m1": [annotation(1, no, at=3), annotation(2, hate, at=4, was_cancelled=True)],
        },
    )
    for one in (value, list(reversed(value))):
        path = saved(tmp_path / "export.json", one)
        assert LabelStudio().recognises(path)
        matches = import_file(LabelStudio(), path, survey)
        assert sorted(row.reason for row in matches.rejected) == ["skipped", "superseded"]
        (submission,) = matches.submissions
        assert submission.answers == (Answer("m1", "no-hate"), Answer("m2", "hate", ("many",)))
        assert (submission.participant, submission.status) == ("1", "returned")
        assert submission.started is not None
        assert submission.submitted is not None
        assert (submission.submitted - submission.started).total_seconds() == 390


def test_invalid_answers_are_rejected_with_reasons(survey: SurveyPack, tmp_path: Path) -> None:
    value = tasks_back(
        survey,
        {
            "m1": [annotation(1, result("answer", "perhaps"))],
            "nothing": [annotation(1, result("answer", "hate"))],
            "m2": [annotation(None, result("answer", "hate"))],
            "check-1": [annotation(1, result("answer", "hate"), result("second_answer", "x"))],
        },
    )
    matches = import_file(LabelStudio(), saved(tmp_path / "export.json", [*value, 7]), survey)
    assert [(row.row, row.reason) for row in matches.rejected] == [
        (1, "unknown label"),
        (2, "unknown item"),
        (3, "no participant"),
        (4, "unknown second answer"),
        (5, "not a task"),
    ]
    assert [submission.answers for submission in matches.submissions] == [
        (Answer("check-1", "hate"),)
    ]
    for content in ("{}", "[", "no"):
        (tmp_path / "broken.json").write_text(content)
        assert not LabelStudio().recognises(tmp_path / "broken.json")
        with pytest.raises(InputError):
            import_file(LabelStudio(), tmp_path / "broken.json", survey)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    program, port = installed("label-studio", "label-studio"), free_port()
    folder, token = tmp_path_factory.mktemp("label-studio"), "0123456789" * 4
    command = [
        str(program), "start", "tryout", "--init", "-b", "--data-dir", str(folder / "data"),
        "--username", "team@survey.example", "--password", "of-no-use-elsewhere",
        "--user-token", token, "--enable-legacy-api-token",
        "--internal-host", "127.0.0.1", "-p", str(port),
    ]  # fmt: skip
    quiet = {
        "SENTRY_DSN": "", "FRONTEND_SENTRY_DSN": "", "COLLECT_ANALYTICS": "False",
        "LATEST_VERSION_CHECK": "False",
    }  # fmt: skip
    base = f"http://127.0.0.1:{port}"
    with (
        started(command, folder, f"{base}/api/version", quiet),
        httpx.Client(
            base_url=base, headers={"Authorization": f"Token {token}"}, timeout=60
        ) as matches,
    ):
        yield matches


@pytest.mark.slow
def test_the_program_shows_every_item_and_its_exports_come_back(
    survey: SurveyPack, client: httpx.Client, tmp_path: Path
) -> None:
    def ask(method: str, path: str, value: Any = None) -> Any:
        answer = client.request(method, path, json=value)
        assert answer.status_code < 300, answer.text[:2000]
        return answer.json()

    own = exported(survey, tmp_path)
    made = ask("POST", "/api/projects", read(own / "project.json"))
    project = made["id"]
    wanted = read(own / "tasks.json")
    assert ask("POST", f"/api/projects/{project}/import", wanted)["task_count"] == len(wanted)

    shown = ask("GET", f"/api/projects/{project}")
    controls = shown["parsed_label_config"]
    assert set(controls["answer"]["labels"]) >= {"hate", "no-hate", "unknown"}
    assert set(controls["second_answer"]["labels"]) >= {"one", "many"}
    assert shown["expert_instruction"].count("<img") == len(survey.taxonomy.examples)
    assert shown["maximum_annotations"] == 5
    tasks = ask("GET", f"/api/tasks?project={project}&fields=all&page_size=100")["tasks"]
    tasks.sort(key=lambda task: task["id"])
    assert [task["data"] for task in tasks] == [task["data"] for task in wanted]

    labels = {
        item_key(survey.name, survey.sheets[0].id, entry_id(entry)): CHOSEN[entry_id(entry)]
        for entry in survey.sheets[0].entries
    }
    for task in tasks:
        label = labels[task["data"]["item"]]
        results = [result("answer", label)]
        if label == "hate":
            results.append(result("second_answer", "one", "many"))
        body = {"result": results, "lead_time": 12.5}
        ask("POST", f"/api/tasks/{task['id']}/annotations", body)

    values = {"hate": ("many", "one")}
    expected = tuple(Answer(one, label, values.get(label, ())) for one, label in CHOSEN.items())
    ids = set()
    for kind in ("JSON", "JSON_MIN"):
        answer = client.get(f"/api/projects/{project}/export?exportType={kind}")
        assert answer.status_code == 200
        path = tmp_path / f"{kind}.json"
        path.write_bytes(answer.content)
        assert LabelStudio().recognises(path)
        matches = import_file(LabelStudio(), path, survey)
        assert matches.rejected == ()
        (submission,) = matches.submissions
        assert submission.answers == expected
        assert submission.status == "complete"
        assert submission.started is not None
        assert submission.submitted is not None
        assert submission.started < submission.submitted
        ids.add(submission.id)
    # Both exports name the annotator in the same way, so they are one submission.
    assert len(ids) == 1


def test_a_task_with_its_picture_in_it_is_recognised(tmp_path: Path) -> None:
    picture = "data:image/jpeg;base64," + "A" * 300_000
    task = {"id": 1, "data": {"picture": picture}, "annotations": [{"completed_by": 1}]}
    path = tmp_path / "export.json"
    path.write_text(json.dumps([task]), encoding="utf-8")
    assert LabelStudio().recognises(path)
