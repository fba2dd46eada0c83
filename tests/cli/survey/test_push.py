"""`memeloc survey export --push`: the real clients against servers that answer as the services."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memeloc.survey.model import Check
from memeloc.survey.targets.prolific.filters import load_filters
from memeloc.workspace import Workspace
from tests.cli.survey.test_survey import CONTACT, build, folder, rendered, saved, sheets_of, write
from tests.conftest import Outcome
from tests.local_server import json_reply, serve
from tests.survey import prolific_server
from tests.survey.forms_server import FormsServer, serving

Run = Callable[..., Outcome]

__all__ = ["folder", "rendered"]  # fixtures, used by name

BASE = ("--option", "pictures_base=https://pictures.example/x")


@pytest.fixture
def google(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FormsServer]:
    """Google as the workspace's settings name it, and a service account of the environment."""
    pytest.importorskip("googleapiclient")
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import rsa

    key = rsa.generate_private_key(public_exponent=65537, key_size=2048).private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )

    token = json_reply({"access_token": "t0p", "expires_in": 3600, "token_type": "Bearer"})
    with serve(lambda request: token) as tokens, serving() as (forms, address):
        account = {
            "type": "service_account",
            "project_id": "memes",
            "private_key_id": "1",
            "private_key": key.decode(),
            "client_email": "memeloc@memes.iam.gserviceaccount.com",
            "client_id": "1",
            "token_uri": f"{tokens}/token",
        }
        file = tmp_path / "account.json"
        file.write_text(json.dumps(account), encoding="utf-8")
        monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(file))
        with (folder / "memeloc.toml").open("a", encoding="utf-8") as stream:
            stream.write(f'\n[survey.google-forms]\nendpoint = "{address}"\n')
        yield forms


def test_forms_are_made_once_and_studies_lead_to_them(
    command: Run, google: FormsServer, folder: Path
) -> None:
    build(command)
    done = command(
        "survey", "export", "pilot", "--to", "google-forms", *CONTACT, *BASE, "--push", "--json"
    )
    assert done.status == 0, done.err
    assert "t0p" not in done.out + done.err
    made = json.loads(done.out)["pushed"]
    assert len(google.forms) == len(made) == 6
    with Workspace.find() as workspace:
        state = workspace.store.surveys.state("pilot", "google-forms")
    assert {sheet: one["form"] for sheet, one in state.items()} == {
        one["sheet"]: one["form"] for one in made
    }
    again = command("survey", "export", "pilot", "--to", "google-forms", *BASE, "--push", "--json")
    assert again.status == 0, again.err
    assert len(google.forms) == 6
    done = command("survey", "export", "pilot", "--to", "prolific")
    assert done.status == 0, done.err
    studies = list((folder / "surveys/pilot/prolific").rglob("*.json"))
    assert len(studies) == 6
    for path in studies:
        study = json.loads(path.read_text(encoding="utf-8"))
        assert study["external_study_url"].startswith(state[path.stem]["responder"])
        assert "PROLIFIC_PID" in study["external_study_url"]


def test_a_run_that_was_cut_goes_on_where_it_stopped(command: Run, google: FormsServer) -> None:
    build(command)
    google.faults["batchUpdate"] = [403]
    arguments = ("survey", "export", "pilot", "--to", "google-forms", *CONTACT, *BASE, "--push")
    assert command(*arguments).status == 1
    done = command(*arguments)
    assert done.status == 0, done.err
    assert len(google.forms) == 6


def test_answers_of_the_api_are_read_by_the_ids_that_were_made(
    command: Run, google: FormsServer, folder: Path
) -> None:
    build(command)
    assert (
        command(
            "survey", "export", "pilot", "--to", "google-forms", *CONTACT, *BASE, "--push"
        ).status
        == 0
    )
    sheet = sheets_of()[0]
    with Workspace.find() as workspace:
        made = workspace.store.surveys.state("pilot", "google-forms")[sheet.id]
    items = made["items"]
    form = next(form for form in google.forms.values() if form["formId"] == made["form"])
    options = {
        question["questionItem"]["question"]["questionId"]: [
            one["value"]
            for one in question["questionItem"]["question"]
            .get("choiceQuestion", {})
            .get("options", [])
        ]
        for question in form["items"]
        if "questionItem" in question
    }
    labels = ["hate", "no-hate", "unknown"]
    filled = saved(sheet, "ada")
    answers = {
        f"entry:{answer['entry']}": labels.index(answer["label"]) for answer in filled["answers"]
    }
    given = {}
    for key, ids in items.items():
        question = ids["questionId"]
        if key == "participant":
            text = "ada"
        elif key == "consent":
            text = options[question][0]
        elif key in answers:
            text = options[question][answers[key]]
        else:
            continue
        given[question] = {"questionId": question, "textAnswers": {"answers": [{"value": text}]}}
    response = {
        "responseId": "R1",
        "createTime": "2026-03-01T10:08:00Z",
        "lastSubmittedTime": "2026-03-01T10:08:00Z",
        "answers": given,
    }
    file = write(folder / "responses.json", {"responses": [response]})
    done = command("survey", "import", "pilot", file, "--json")
    assert done.status == 0, done.err
    printed = json.loads(done.out)
    assert printed["files"][0]["kind"] == "google-forms"
    assert (printed["files"][0]["new"], printed["rejected"]) == (1, [])
    assert printed["files"][0]["answers"] == len(sheet.entries)


def test_forms_of_the_script_are_imported_and_studies_lead_to_them(
    command: Run, folder: Path
) -> None:
    build(command)
    to_prolific = ("survey", "export", "pilot", "--to", "prolific", *CONTACT, "--minutes", "12")
    forms = "https://docs.google.com/forms/d/e/{}/viewform?entry.1={{{{%PROLIFIC_PID%}}}}"
    lines = [
        f"{sheet.id},f{number},x,{forms.format(number)},{forms.format(number)}"
        for number, sheet in enumerate(sheets_of())
    ]
    listed = folder / "forms.csv"
    text = "\n".join(["sheet,form,edit,answer,prolific", *lines])
    listed.write_text(text, encoding="utf-8")
    done = command("survey", "import", "pilot", listed)
    assert (done.status, "lead to these 6 forms" in done.err) == (0, True), done.err
    assert command(*to_prolific).status == 0
    for path in (folder / "surveys/pilot/prolific").rglob("*.json"):
        number = [sheet.id for sheet in sheets_of()].index(path.stem)
        study = json.loads(path.read_text(encoding="utf-8"))
        assert study["external_study_url"].startswith(forms.format(number))


@pytest.fixture
def prolific(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[prolific_server.ProlificServer]:
    """Prolific as the workspace's settings name it, with a token in the environment."""
    pytest.importorskip("httpx")
    monkeypatch.setenv("PROLIFIC_API_TOKEN", prolific_server.TOKEN)
    with prolific_server.serving() as (state, address):
        countries = sorted({names[0] for names in load_filters().countries.values()})
        state.filters = prolific_server.offered(countries)
        with (folder / "memeloc.toml").open("a", encoding="utf-8") as stream:
            stream.write(
                f'\n[survey.prolific]\nendpoint = "{address}"\nurls = "https://survey.example/"\n'
            )
        yield state


def test_from_filters_to_decisions_at_prolific(
    command: Run,
    prolific: prolific_server.ProlificServer,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    build(command)
    to_prolific = ("survey", "export", "pilot", "--to", "prolific", *CONTACT, "--minutes", "12")
    done = command(*to_prolific, "--push")
    assert (done.status, "Look it up" in done.err) == (1, True)
    done = command("survey", "filters", "pilot")
    assert done.status == 0, done.err
    assert (folder / "prolific-filters.toml").exists()

    done = command(*to_prolific, "--push", "--json")
    assert done.status == 0, done.err
    pushed = {load["sheet"]: load for load in json.loads(done.out)["pushed"]}
    assert {one["status"] for one in pushed.values()} == {"UNPUBLISHED"}
    assert len(prolific.studies) == 6
    again = json.loads(command(*to_prolific, "--push", "--json").out)["pushed"]
    assert {one["made"] for one in again} == {False}

    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))
    done = command(*to_prolific, "--push", "--publish")
    assert "fee and tax included" in done.err
    assert {study["status"] for study in prolific.studies.values()} == {"UNPUBLISHED"}
    done = command(*to_prolific, "--push", "--publish", "--yes", "--json")
    assert done.status == 0, done.err
    assert {load["status"] for load in json.loads(done.out)["pushed"]} == {"ACTIVE"}

    sheet = sheets_of()[0]
    numbers = [f"{n:024x}" for n in range(1, 4)]
    people = [f"{n:024x}" for n in range(101, 104)]
    prolific.awaiting(*numbers)
    passing = {entry.id: entry.expected for entry in sheet.entries if isinstance(entry, Check)}
    missed = {
        "answers": [
            {**answer, "label": "hate" if passing.get(answer["entry"]) != "hate" else "unknown"}
            for answer in saved(sheet, "x")["answers"]
        ]
    }
    answers = [saved(sheet, people[0]), saved(sheet, people[1], **missed)]
    export = folder / f"prolific_export_{pushed[sheet.id]['study']}.csv"
    export.write_text(
        "Submission id,Participant id,Status,Time taken\n"
        + "".join(
            f"{number},{who},AWAITING REVIEW,480\n"
            for number, who in zip(numbers, people, strict=True)
        ),
        encoding="utf-8",
    )
    done = command("survey", "import", "pilot", write(folder / "a.json", answers), export, "--json")
    assert done.status == 0, done.err
    printed = json.loads(done.out)
    assert [file["participants"] for file in printed["files"]] == [0, 3]

    decide = ("survey", "decide", "pilot", "--from", export)
    printed = json.loads(command(*decide, "--json").out)
    assert (printed["counts"], printed["sent"]) == ({"approve": 1, "return": 2}, {})
    assert [call for call in prolific.calls if "submissions" in call] == []
    with (folder / "pilot-decisions.csv").open(encoding="utf-8-sig", newline="") as stream:
        listed = {row["submission"]: row["action"] for row in csv.DictReader(stream)}
    assert listed == {numbers[0]: "approve", numbers[1]: "return", numbers[2]: "return"}
    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))
    done = command(*decide, "--send")
    assert "cannot be taken back" in done.err
    assert json.loads(command(*decide, "--send", "--yes", "--json").out)["sent"] == {"sent": 3}
    printed = json.loads(command(*decide, "--send", "--yes", "--json").out)
    assert printed["sent"] == {"sent before": 3}
    message = done.out + done.err
    assert prolific_server.TOKEN not in message
