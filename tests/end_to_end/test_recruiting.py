"""People from outside: forms at Google, studies at Prolific, a server, all by real clients."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from memeloc.survey.targets.prolific.studies import load_filters
from tests.end_to_end.answering import CONTACT, answer, sent
from tests.end_to_end.study import Study
from tests.local_server import json_reply, serve
from tests.studio.served import OWNER, Annotator, serving
from tests.survey import forms_server, prolific_server
from tests.worlds import read_rows, write_table

World = Callable[..., Path]
PICTURES = ("--set", "pictures_base=https://pictures.example/x")


@pytest.fixture(autouse=True)
def _same_pseudonyms(study: Study, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMELOC_SURVEY_KEY", "00" * 32)


@pytest.fixture
def pilot(study: Study, world: World) -> None:
    """A survey of four memes in two cultures."""
    world("rendered", study.folder)
    memes = ("busy-market-01", "night-owl-01", "night-owl-02", "cloud-monday-01")
    (study.folder / "memes.txt").write_text("\n".join(memes), encoding="utf-8")
    built = ("--cultures", "US,DE", "--memes", "memes.txt", "--answers", 3, "--set", "implicit=1")
    study.run("survey", "build", "pilot", *built)


def change(study: Study, section: str, **settings: str) -> None:
    """Write a section of memeloc.toml."""
    lines = [f"\n[{section}]", *(f'{name} = "{value}"' for name, value in settings.items()), ""]
    with (study.folder / "memeloc.toml").open("a", encoding="utf-8") as stream:
        stream.write("\n".join(lines))


@pytest.fixture
def google(
    study: Study, pilot: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[forms_server.FormsServer]:
    """Google on this machine, and a service account of the environment."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048).private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    token = json_reply({"access_token": "t0p", "expires_in": 3600, "token_type": "Bearer"})
    with serve(lambda request: token) as tokens, forms_server.FormsServer().serving() as forms:
        account = {
            "type": "service_account",
            "private_key": key.decode(),
            "client_email": "memeloc@memes.iam.gserviceaccount.com",
            "token_uri": f"{tokens}/token",
        }
        file = tmp_path / "account.json"
        file.write_text(json.dumps(account), encoding="utf-8")
        monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(file))
        change(study, "survey.google-forms", endpoint=forms.address)
        yield forms


def test_forms_at_google(study: Study, google: forms_server.FormsServer) -> None:
    export = ("survey", "export", "pilot", "--to", "google-forms", *CONTACT)
    study.run(*export, "--push", status=1)
    study.run(*export, *PICTURES, "--push", "--dry-run")
    google.faults["batchUpdate"] = [403]
    study.run(*export, *PICTURES, "--push", status=1)
    study.run(*export, *PICTURES, "--push", "--json")
    study.run(*export, *PICTURES, "--push")
    study.show("calls", google.calls)
    study.run("survey", "export", "pilot", "--to", "prolific", "--minutes", 12, status=1)
    study.file("surveys/pilot/prolific/incomplete/r1-b01-DE.json")
    for sheet in sent("pilot").sheets:
        (form,) = (each for each in google.forms.values() if sheet.id in str(each))
        responses = [response_of(form, person) for person in range(4)]
        file = study.folder / f"{sheet.id}.json"
        file.write_text(json.dumps({"responses": responses}), encoding="utf-8")
    study.run("survey", "import", "pilot", "r1-b01-US.json", "r1-b01-DE.json", "--ids", "everybody")
    study.run("survey", "check", "pilot", "--without", "attention")
    study.run("survey", "settle", "pilot")
    study.check()


def response_of(form: Mapping[str, Any], person: int) -> dict[str, Any]:
    """What the Forms API says that a person chose: the first of all, the last one no consent."""
    asked = [each["questionItem"]["question"] for each in form["items"] if "questionItem" in each]
    answers = {}
    for question in asked:
        options = question.get("choiceQuestion", {}).get("options", [])
        text = options[0]["value"] if options else f"person-{person}"
        if person == 3 and len(answers) > 0:
            break
        if person == 3:
            text = options[1]["value"]
        answers[question["questionId"]] = {"textAnswers": {"answers": [{"value": text}]}}
    times = {"createTime": "2026-03-01T10:01:00Z", "lastSubmittedTime": "2026-03-01T10:08:00Z"}
    return {"responseId": f"R{person}", **times, "answers": answers}


@pytest.fixture
def service(
    study: Study, pilot: None, monkeypatch: pytest.MonkeyPatch
) -> Iterator[prolific_server.ProlificServer]:
    """Prolific on this machine, with a token in the environment."""
    monkeypatch.setenv("PROLIFIC_API_TOKEN", prolific_server.TOKEN)
    with prolific_server.ProlificServer().serving() as state:
        countries = sorted({names[0] for names in load_filters().countries.values()})
        state.filters = prolific_server.offered(countries)
        options = {"endpoint": state.address, "urls": "https://survey.example/", "wage": "12"}
        change(study, "survey.prolific", **options)
        yield state


def test_studies_at_prolific(
    study: Study, service: prolific_server.ProlificServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    export = ("survey", "export", "pilot", "--to", "prolific", *CONTACT, "--minutes", 3)
    study.run(*export, "--push", status=1)
    study.run(*export, status=1)
    study.run("survey", "export", "pilot", "--to", "prolific", "--look-up")
    study.file("prolific-filters.toml")
    study.run(*export, "--push", "--dry-run")
    study.run(*export, "--push", "--json")
    study.run(*export, "--push")
    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))
    study.run(*export, "--push", "--publish")
    study.run(*export, "--push", "--publish", "--yes")
    study.show("a study", list(service.studies.values())[1])
    pages = ("survey", "export", "pilot", "--to", "html", "--minutes", 3)
    study.run(*pages, "--set", "codes=false", status=1)
    study.run(*pages, "--set", "send_to=https://survey.example/answers")
    answer(study.folder, "pilot", ["html"])
    study.run("survey", "import", "pilot", "answers")
    exports = sorted((study.folder / "answers" / "prolific").iterdir())
    for path, number in zip(exports, service.studies, strict=True):
        numbers = [row["Submission id"] for row in read_rows(path)]
        service.awaiting(*numbers, study=number)
    listed = [part for path in exports for part in ("--from", path.relative_to(study.folder))]
    study.run("survey", "check", "pilot")
    study.run("survey", "decide", "pilot", *listed, "--json")
    study.file("pilot-decisions.csv")
    study.run("survey", "decide", "pilot", *listed, "--send", "--yes")
    study.run("survey", "decide", "pilot", *listed, "--send", "--yes")
    study.show("decided", [each["status"] for each in service.submissions.values()])
    study.run("survey", "bonus", "pilot", *listed, "--each", "0.50")
    study.run("survey", "status", "pilot")
    for path in exports:
        rows = read_rows(path)
        rows[0] |= {"Nationality": "CONSENT_REVOKED", "Sex": "CONSENT_REVOKED"}
        write_table(path, rows)
    study.run("survey", "forget", *listed, "--yes")
    study.run("survey", "status", "pilot")
    study.check()


def test_served(study: Study, pilot: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMELOC_OWNER_TOKEN", OWNER)
    serve_pilot = ("survey", "serve", "pilot", *CONTACT)
    study.run("survey", "serve", "pilot", status=1)
    study.run(*serve_pilot, "--set", "hold_minute=5", status=1)
    study.run(*serve_pilot, "--links", "FR=2", status=1)
    study.run(*serve_pilot, "--links", "DE=many", status=2)
    links = study.run(*serve_pilot, "--links", "DE=1", "--links", "us=1", "--json")["links"]
    study.hide(r"(?<=/join/)[\w.-]+", "<token>")
    replies: list[Any] = []
    with serving(study.folder, "--set", "training=0") as server, httpx.Client(timeout=30) as client:

        def come(person: str = "", link: str = "", **more: str) -> Annotator:
            comer = Annotator(client, server.address)
            if link:
                response = comer.open(server.address + link.partition("8000")[2])
            else:
                response = comer.join(PROLIFIC_PID=person, **more)
            replies.append((person or "link", response.status_code, message_in(response.text)))
            return comer

        ada = come("ada", sheet="r1-b01-DE")
        for item in ada.items:
            replies.append(ada.answer(item, "no-hate").json())
        replies.append(ada.finish(comments="All fine").json())
        replies.append(("again", come("ada", sheet="r1-b01-DE").place == ada.place))
        bob = come(culture="US", link=links[1][1])
        replies.append(bob.finish("no consent").json())
        eve = come("eve", sheet="r1-b01-US")
        replies.append(eve.answer(eve.items[0], "hate").json())
        replies.append(eve.answer("i000000000000", "hate").json())
        replies.append(eve.answer(eve.items[1], "perhaps").json())
        replies.append(eve.finish().json())
        replies.append(eve.finish("returned").json())
        come()
        come("zoe", sheet="r9-b01-DE")
        client.get(f"{server.address}/owner?token={OWNER}")
        numbers = client.get(f"{server.address}/owner/numbers").json()
        for culture in numbers["cultures"]:
            del culture["minutes"]
        replies.append(numbers)
    study.show("replies", replies)
    study.run("survey", "check", "pilot", "--without", "speed")
    study.run("survey", "status", "pilot")
    study.check()


def message_in(page: str) -> str:
    """What a page says that has no sheet."""
    match = re.search(r"<main>(.*?)</main>", page, re.S)
    return (
        " ".join(re.sub("<script>.*?</script>|<[^>]+>", " ", match[1], flags=re.S).split())
        if match
        else ""
    )
