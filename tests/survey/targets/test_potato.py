"""Sheets in Potato: the real program shows every item, and what it keeps comes back."""

from __future__ import annotations

import html
import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from memeloc.errors import InputError
from memeloc.locales import default
from memeloc.survey.model import Answer, Check, entry_id
from memeloc.survey.targets.instructions import SheetTexts
from memeloc.survey.targets.places import item_key
from memeloc.survey.targets.potato.target import Potato
from memeloc.survey.targets.protocol import SurveyPack
from memeloc.survey.targets.resolver import import_file
from memeloc.survey.taxonomy import SecondQuestion
from memeloc.survey.texts import survey_texts
from tests.survey.packs import pack
from tests.survey.real_programs import free_port, installed, started

CHOSEN = {"m1": "no-hate", "check-1": "unknown", "check-2": "hate", "m2": "hate"}
BEFORE = "taxonomy.multi3hate.second.whom"
SECOND = {
    f"{BEFORE}.question": "Whom is it about, {{ 7 * 7 }}?",
    f"{BEFORE}.answer.one": "One person",
    f"{BEFORE}.answer.many": "Many, or a group",
}


@pytest.fixture(scope="module")
def survey(tmp_path_factory: pytest.TempPathFactory) -> SurveyPack:
    """A survey in Arabic, with a second question after the label `hate`."""
    made = pack(tmp_path_factory.mktemp("pictures"), "ar", "EG")
    asked = SecondQuestion("whom", ("hate",), ("one", "many"), several=True)
    texts = survey_texts(default().get("ar"), SECOND)
    return replace(made, taxonomy=replace(made.taxonomy, second=asked), texts={"ar": texts})


def exported(survey: SurveyPack, folder: Path) -> Path:
    (path,) = Potato().export(survey, folder)
    assert path.name == "config.yaml"
    return path.parent


def key(survey: SurveyPack, entry: str) -> str:
    return item_key(survey.name, survey.sheets[0].id, entry)


def state(survey: SurveyPack, who: str, answers: dict[str, list[str]], **more: Any) -> Any:
    values = {
        key(survey, entry): [
            [{"schema": "answer" if place == 0 else "second_answer", "name": name}, name]
            for place, name in enumerate(names)
        ]
        for entry, names in answers.items()
    }
    return {"user_id": who, "instance_id_to_label_to_value": values, **more}


def saved(folder: Path, value: Any) -> Path:
    folder.mkdir(parents=True)
    (folder / "user_state.json").write_text(json.dumps(value), encoding="utf-8")
    return folder / "user_state.json"


def test_a_project_has_all_that_it_names(survey: SurveyPack, tmp_path: Path) -> None:
    own = exported(survey, tmp_path)
    config = yaml.safe_load((own / "config.yaml").read_text("utf-8"))
    lines = (own / "data" / "items.jsonl").read_text("utf-8").splitlines()
    items = [json.loads(line) for line in lines]
    for entry, item in zip(survey.sheets[0].entries, items, strict=True):
        assert item["item"] == key(survey, entry_id(entry))
        if entry.picture is not None:
            place = own / item["picture"].lstrip("/")
            assert place.read_bytes() == entry.picture.read_bytes()
    assert "check" not in "".join(lines)
    assert (config["ui_language"]["html_dir"], config["completion_code"]) == ("rtl", "DONE-7")
    page = (own / "surveys" / "instructions.html").read_text("utf-8")
    assert page.count("/media/example-") == len(survey.taxonomy.examples)
    assert "{" not in page
    first, second = config["annotation_schemes"]
    assert [label["name"] for label in first["labels"]] == ["hate", "no-hate", "unknown"]
    assert second["display_logic"]["show_when"][0]["value"] == ["hate"]
    assert "{{" not in second["description"]


def test_the_same_survey_is_the_same_bytes(survey: SurveyPack, tmp_path: Path) -> None:
    one, two = exported(survey, tmp_path / "one"), exported(survey, tmp_path / "two")
    files = [file.relative_to(one) for file in sorted(one.rglob("*")) if file.is_file()]
    assert len(files) == 4 + 3 + len(survey.taxonomy.examples)
    for file in files:
        assert (one / file).read_bytes() == (two / file).read_bytes()


def test_states_are_read_by_file_and_by_folder(survey: SurveyPack, tmp_path: Path) -> None:
    whole = {entry: [label] for entry, label in CHOSEN.items()}
    asha = saved(tmp_path / "asha", state(survey, "asha", whole))
    saved(
        tmp_path / "jonas",
        state(survey, "jonas", {"m1": ["no-hate", "one"], "m2": ["hate", "many"]}),
    )
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "user_state.json").write_text("{")
    (asha.parent / "annotation_history.jsonl").write_text(
        '{"timestamp": "2026-03-01T10:00:00"}\nnot json\n{"timestamp": "2026-03-01T10:05:00"}\n'
    )
    assert Potato().recognises(asha)
    assert Potato().recognises(tmp_path)
    result = import_file(Potato(), tmp_path, survey)
    reasons = sorted(row.reason for row in result.rejected)
    assert reasons == ["not asked", "unreadable"]
    first, second = result.submissions
    assert (first.participant, first.status, second.status) == ("asha", "complete", "returned")
    assert first.submitted is not None
    assert first.started is not None
    assert (first.submitted - first.started).total_seconds() == 300
    # The second question was answered before the first answer was changed to one without it.
    assert second.answers == (Answer("m1", "no-hate"), Answer("m2", "hate", ("many",)))
    (alone,) = import_file(Potato(), asha, survey).submissions
    assert (alone.id, alone.answers) == (first.id, first.answers)


def test_states_are_found_below_any_folder(survey: SurveyPack, tmp_path: Path) -> None:
    asha = state(survey, "asha", {"m1": ["hate"]})
    saved(tmp_path / "all" / survey.sheets[0].id / "annotation_output" / "asha", asha)
    assert Potato().recognises(tmp_path / "all")
    result = import_file(Potato(), tmp_path / "all", survey)
    assert [submission.participant for submission in result.submissions] == ["asha"]
    (tmp_path / "none").mkdir()
    assert not Potato().recognises(tmp_path / "none")
    with pytest.raises(InputError, match=r"has no user_state\.json below it"):
        import_file(Potato(), tmp_path / "none", survey)


def test_invalid_answers_are_rejected_with_reasons(survey: SurveyPack, tmp_path: Path) -> None:
    answers = {"m1": ["perhaps"], "nothing": ["hate"], "m2": ["hate", "nobody"]}
    result = import_file(Potato(), saved(tmp_path / "asha", state(survey, "asha", answers)), survey)
    assert sorted(row.reason for row in result.rejected) == [
        "unknown item",
        "unknown label",
        "unknown second answer",
    ]
    assert [submission.answers for submission in result.submissions] == [(Answer("m2", "hate"),)]
    nobody = import_file(
        Potato(), saved(tmp_path / "nobody", state(survey, "", {"m1": ["hate"]})), survey
    )
    assert [row.reason for row in nobody.rejected] == ["no participant"]
    for content in ("[]", "{", '{"user_id": "x"}'):
        path = tmp_path / "other.json"
        path.write_text(content)
        assert not Potato().recognises(path)
        with pytest.raises(InputError):
            import_file(Potato(), path, survey)


@pytest.mark.slow
def test_the_program_shows_every_item_and_its_states_are_read(
    survey: SurveyPack, tmp_path: Path
) -> None:
    own = exported(survey, tmp_path)
    before = {file: file.read_bytes() for file in own.rglob("*") if file.is_file()}
    program, port = installed("potato-annotation", "potato"), free_port()
    base = f"http://127.0.0.1:{port}"
    command = [str(program), "start", "config.yaml", "-p", str(port), "--host", "127.0.0.1"]
    with started(command, own, f"{base}/health", {}):
        for who in ("asha", "jonas"):
            with httpx.Client(base_url=base, follow_redirects=True, timeout=60) as client:
                annotated(client, survey, own, who, whole=who == "asha")
        with httpx.Client(base_url=base, follow_redirects=True, timeout=60) as client:
            declined(client, survey, "zoe")
    assert {file: file.read_bytes() for file in before} == before

    output = own / "annotation_output"
    assert Potato().recognises(output)
    result = import_file(Potato(), output, survey)
    assert result.rejected == ()
    first, second, third = result.submissions
    several = {"hate": ("many", "one")}
    expected = tuple(Answer(one, label, several.get(label, ())) for one, label in CHOSEN.items())
    assert (first.participant, first.status, first.code) == ("asha", "complete", "DONE-7")
    assert first.answers == expected
    assert first.started is not None
    assert first.submitted is not None
    assert first.started < first.submitted
    assert (second.participant, second.status, second.code) == ("jonas", "returned", "")
    assert second.answers == expected[:2]
    assert (third.participant, third.status, third.answers) == ("zoe", "no consent", ())
    shutil.rmtree(output)


def begun(client: httpx.Client, survey: SurveyPack, who: str, agree: str) -> str:
    """From the address that a recruitment service sends people to, past the consent."""
    texts = survey.texts["ar"]
    page = client.get(f"/?PROLIFIC_PID={who}").text
    assert 'dir="rtl"' in page
    assert html.escape(texts.get("definition.heading")) in page
    assert page.count("/media/example-") >= len(survey.taxonomy.examples)
    page = client.post("/instructions", data={}).text
    assert survey.contact in page
    assert texts.get("consent.no") in html.unescape(page)
    body = {"instance_id": "__phase_page__", "annotations": {f"consent:{agree}": agree}}
    assert client.post("/updateinstance", json=body).json()["status"] == "success"
    return client.post("/consent", data={}).text


def annotated(
    client: httpx.Client, survey: SurveyPack, own: Path, who: str, *, whole: bool
) -> None:
    page = begun(client, survey, who, "yes")
    sheet = survey.sheets[0]
    for entry in sheet.entries if whole else sheet.entries[:2]:
        item = key(survey, entry_id(entry))
        seen = html.unescape(page)
        assert f'value="{item}"' in seen
        assert SheetTexts(survey, sheet).text(entry).split("<")[0] in seen
        assert "49" not in seen.partition("One person")[0][-2000:]
        if not isinstance(entry, Check):
            address = f"/media/{item}.jpg"
            assert address in seen
            assert client.get(address).content == entry.picture.read_bytes()
        label = CHOSEN[entry_id(entry)]
        chosen = {f"answer:{label}": label}
        if label == "hate":
            chosen |= {"second_answer:one": "one", "second_answer:many": "many"}
        body = {"instance_id": item, "annotations": chosen}
        assert client.post("/updateinstance", json=body).json()["status"] == "success"
        body = {"action": "next_instance", "instance_id": item}
        page = client.post("/annotate", json=body).text
    assert ("DONE-7" in client.get("/done").text) == whole


def declined(client: httpx.Client, survey: SurveyPack, who: str) -> None:
    page = begun(client, survey, who, "no")
    assert "NO-7" in page
    assert "DONE-7" not in page
