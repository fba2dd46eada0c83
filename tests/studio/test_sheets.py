"""The routes of annotators: places, answers each once, ends and their codes."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from memeloc.studio.serving import SurveyServer
from memeloc.survey.model import Check, Sheet, entry_id
from memeloc.survey.targets.places import item_key
from tests.studio.conftest import InProcess
from tests.studio.served import Annotator

Make = Callable[..., InProcess]
DE = "r1-b01-DE"


def expected(server: SurveyServer, sheet: str = DE) -> dict[str, str]:
    """A label for each item that passes every check."""
    own = server.sheets[sheet].original
    return {
        item_key(server.name, sheet, entry_id(entry)): (
            entry.expected if isinstance(entry, Check) else "no-hate"
        )
        for entry in own.entries
    }


def checks(sheet: Sheet, kind: str) -> list[str]:
    return [
        item_key(sheet.survey, sheet.id, entry.id)
        for entry in sheet.entries
        if isinstance(entry, Check) and entry.kind == kind
    ]


def fill(comer: Annotator, server: SurveyServer, **labels: str) -> Any:
    for item, label in expected(server).items():
        assert comer.answer(item, labels.get(item, label)).status_code == 200
    return comer.finish()


def test_a_page_holds_no_code_no_check_and_no_right_answer(application: Make) -> None:
    made = application(training=2)
    comer = made.comer()
    response = comer.join(PROLIFIC_PID="5f0c", sheet=DE)
    codes = made.server.to_send.codes[DE]
    text = str(comer.page) + response.text
    for secret in (codes.done, codes.failed_checks, codes.no_consent, codes.screened_out, "check-"):
        assert secret not in text
    assert "expected" not in text
    assert "training-" not in text


def test_a_personal_link_is_for_one_person(application: Make) -> None:
    made = application()
    (culture, link), (_, other) = made.server.links({"DE": 2}, "http://survey.example")["links"]
    assert (culture, link == other) == ("DE", False)
    comer, again = made.comer(), made.comer()
    assert comer.open(link).status_code == 200
    again.open(link)
    assert again.place == comer.place
    assert "funktioniert nicht" not in comer.open(other).text
    assert comer.open(link[:-1] + "x").text.count("does not work") == 1


def test_sex_is_asked_where_a_quota_needs_it(application: Make) -> None:
    made = application(sex={"female": 0.1, "male": 0.9})
    comer = made.comer()
    asked = comer.join(PROLIFIC_PID="a", culture="DE")
    assert "Welches Geschlecht" in asked.text
    assert 'name="PROLIFIC_PID" value="a"' in asked.text
    comer.join(PROLIFIC_PID="a", culture="DE", sex="Female")
    assert comer.serve
    refused = made.comer().join(PROLIFIC_PID="b", culture="DE", sex="female")
    assert "kein Platz mehr frei" in refused.text


def test_who_declines_leaves_a_count(application: Make) -> None:
    made = application()
    comer = made.comer()
    comer.join(PROLIFIC_PID="5f0c", sheet=DE)
    for _ in range(2):  # the reply to the first may be lost
        reply = comer.finish("no consent").json()
        assert reply["code"] == made.server.to_send.codes[DE].no_consent
    store = made.workspace.store
    assert store.serving.departed("pilot") == {(DE, "declined"): 1}
    assert made.workspace.survey("pilot").submissions == []
    assert comer.answer("x", "hate").status_code == 422
    assert comer.answer(comer.items[0], "hate").status_code == 410


def test_a_sheet_ends_early_when_its_checks_are_failed(application: Make) -> None:
    made = application(screen_out=True)
    comer = made.comer()
    comer.join(PROLIFIC_PID="5f0c", sheet=DE)
    own = made.server.sheets[DE].original
    (explicit,) = checks(own, "explicit")
    wrong = next(label for label in ("hate", "no-hate") if label != expected(made.server)[explicit])
    reply = comer.answer(explicit, wrong)
    assert reply.status_code == 410
    assert reply.json()["ended"]["code"] == made.server.to_send.codes[DE].failed_checks
    (sent,) = made.workspace.survey("pilot").submissions
    assert (sent.status, sent.code) == ("screened out", made.server.to_send.codes[DE].failed_checks)
    assert made.workspace.survey("pilot").answers.check().retained == []


def test_training_has_feedback_and_a_threshold(application: Make) -> None:
    made = application(training=2, qualify=2)
    shown = made.server.sheets[DE]
    right = {key: item.expected for key, item in shown.training.items()}
    first, second = right
    comer = made.comer()
    comer.join(PROLIFIC_PID="good", sheet=DE)
    assert comer.items[:2] == [first, second]
    assert comer.answer(first, right[first]).json()["feedback"]["correct"] is True
    assert comer.answer(second, right[second]).json()["feedback"]["text"].startswith("Das ist")
    assert fill(comer, made.server).json()["code"] == made.server.to_send.codes[DE].done
    (sent,) = made.workspace.survey("pilot").submissions
    assert len(sent.answers) == len(shown.original.entries)

    poor = made.comer()
    poor.join(PROLIFIC_PID="poor", sheet=DE)
    wrong = next(label for label in ("hate", "no-hate") if label != right[first])
    feedback = poor.answer(first, wrong).json()["feedback"]
    assert (feedback["correct"], "„" in feedback["text"]) == (False, True)
    poor.answer(first, right[first])  # what counts is the first answer
    ended = poor.answer(second, right[second]).json()["ended"]
    assert ended["code"] == made.server.to_send.codes[DE].screened_out
    assert ended["code"] in poor.client.get(poor.place).text


def test_pictures_are_found_by_names_that_tell_nothing(application: Make) -> None:
    made = application()
    comer = made.comer()
    text = comer.join(PROLIFIC_PID="a", sheet=DE).text
    addresses = set(re.findall(r"/picture/[0-9a-f]{32}", text))
    memes = [entry for entry in made.server.sheets[DE].original.entries if entry.picture]
    assert len(addresses) >= len(memes)
    for address in addresses:
        picture = made.client.get(address)
        assert picture.headers["content-type"] == "image/jpeg"
        assert "immutable" in picture.headers["cache-control"]
    assert made.client.get("/picture/" + "0" * 32).status_code == 404
    assert made.client.get("/picture/..%2f..%2fmemeloc.toml").status_code == 404
