"""Sheets in Potato: the real program shows every item, and what it keeps comes back."""

from __future__ import annotations

import html
import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from playwright.sync_api import Locator, Page

from memeloc.errors import InputError
from memeloc.locales import default
from memeloc.survey.model import Answer, PersonEntry, entry_id
from memeloc.survey.targets.instructions import SheetTexts, ShownQuestion, is_read
from memeloc.survey.targets.places import item_key
from memeloc.survey.targets.potato.reading import CONSENT
from memeloc.survey.targets.potato.target import Potato
from memeloc.survey.targets.protocol import ALL_KINDS, SurveyPack
from memeloc.survey.targets.resolver import import_file
from memeloc.survey.texts import survey_texts
from memeloc.taxonomy import Question
from tests.survey.every_kind import answered, every_kind
from tests.survey.packs import CAPTION, hostile, pack
from tests.survey.real_programs import (
    drag_over,
    free_port,
    installed,
    phone,
    pictures_shown,
    started,
)

CHOSEN = {"m1": "no-hate", "check-1": "unknown", "check-2": "hate", "m2": "hate"}
ANSWERS = tuple(
    Answer(entry, label, (("whom", ("one", "many")),) if label == "hate" else ())
    for entry, label in CHOSEN.items()
)
BEFORE = "taxonomy.multi3hate.questions.whom"
SECOND = {
    f"{BEFORE}.text": "Whom is it about, {{ 7 * 7 }}?",
    f"{BEFORE}.answer.one": "One person",
    f"{BEFORE}.answer.many": "Many, or a group",
}


@pytest.fixture(scope="module")
def survey(tmp_path_factory: pytest.TempPathFactory) -> SurveyPack:
    """A survey in Arabic, with a further question after the label `hate`."""
    made = pack(tmp_path_factory.mktemp("pictures"), "ar", "EG")
    asked = Question("whom", "choices", ("one", "many"), when={"label": ("hate",)})
    texts = survey_texts(default().get("ar"), SECOND)
    return replace(made, taxonomy=replace(made.taxonomy, questions=(asked,)), texts={"ar": texts})


def exported(survey: SurveyPack, folder: Path) -> Path:
    (path,) = Potato().export(survey, folder)
    assert path.name == "config.yaml"
    return path.parent


def key(survey: SurveyPack, entry: str) -> str:
    return item_key(survey.name, survey.sheets[0].id, entry)


def state(survey: SurveyPack, who: str, answers: dict[str, list[str]], **more: Any) -> Any:
    values = {
        key(survey, entry): [
            [{"schema": "q-label" if place == 0 else "q-whom", "name": name}, name]
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
            place = own / "media" / f"{item['item']}.jpg"
            assert f'src="/media/{place.name}"' in item["shown"]
            assert place.read_bytes() == entry.picture.read_bytes()
    assert "check" not in "".join(lines)
    assert config["ui_language"]["html_dir"] == "rtl"
    page = (own / "surveys" / "instructions.html").read_text("utf-8")
    assert page.count("/media/example-") == len(survey.taxonomy.examples)
    assert "{" not in page
    _, first, second = config["annotation_schemes"]
    assert [label["name"] for label in first["labels"]] == ["hate", "no-hate", "unknown"]
    assert second["display_logic"]["show_when"][1]["value"] == ["hate"]
    assert "{{" not in second["description"]


def test_a_caption_closes_no_script_tag(survey: SurveyPack, tmp_path: Path) -> None:
    own = exported(hostile(survey), tmp_path)
    lines = (own / "data" / "items.jsonl").read_text("utf-8")
    assert "</script" not in lines
    assert html.escape(CAPTION) in json.loads(lines.splitlines()[0])["shown"]


def test_the_ends_are_in_the_language_of_the_sheet(survey: SurveyPack, tmp_path: Path) -> None:
    surveys = exported(survey, tmp_path) / "surveys"
    texts = survey.texts["ar"]
    (declined,) = json.loads((surveys / "declined.json").read_text("utf-8"))
    before = texts.get("consent.declined", code="{code}").partition("{code}")[0]
    assert declined["labels"][0].startswith(html.escape(before))
    assert "cc=NO-7" in declined["labels"][0]
    (ended,) = json.loads((surveys / "ended.json").read_text("utf-8"))
    assert texts.get("sent.thanks") in ended["labels"]
    assert "cc=DONE-7" in ended["labels"][-1]
    without = json.loads(
        (
            exported(replace(survey, codes={}), tmp_path / "none") / "surveys" / "ended.json"
        ).read_text()
    )
    assert "href" not in str(without)


def test_the_same_survey_is_the_same_bytes(survey: SurveyPack, tmp_path: Path) -> None:
    one, two = exported(survey, tmp_path / "one"), exported(survey, tmp_path / "two")
    files = [file.relative_to(one) for file in sorted(one.rglob("*")) if file.is_file()]
    assert len(files) == 7 + 3 + len(survey.taxonomy.examples)
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
    assert reasons == ["not answered", "not asked", "unreadable"]
    first, second = result.submissions
    assert (first.participant, first.status, second.status) == ("asha", "complete", "returned")
    assert first.submitted is not None
    assert first.started is not None
    assert (first.submitted - first.started).total_seconds() == 300
    # The further question was answered before the first answer was changed to one without it.
    assert second.answers == (Answer("m1", "no-hate"), Answer("m2", "hate", (("whom", ("many",)),)))
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
        "unknown answer",
        "unknown item",
        "unknown label",
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
    survey = hostile(survey)
    own = exported(survey, tmp_path)
    before = {file: file.read_bytes() for file in own.rglob("*") if file.is_file()}
    program, port = installed("potato-annotation", "potato"), free_port()
    base = f"http://127.0.0.1:{port}"
    command = [str(program), "start", "config.yaml", "-p", str(port), "--host", "127.0.0.1"]
    with started(command, own, f"{base}/health", {}), phone() as pages:
        for who in ("asha", "jonas"):
            whole = who == "asha"
            answers = ANSWERS if whole else ANSWERS[:2]
            annotated(pages(), survey, f"{base}/?PROLIFIC_PID={who}", answers, whole=whole)
        declined(pages(), survey, f"{base}/?PROLIFIC_PID=zoe")
    assert {file: file.read_bytes() for file in before} == before

    output = own / "annotation_output"
    assert Potato().recognises(output)
    result = import_file(Potato(), output, survey)
    assert result.rejected == ()
    first, second, third = result.submissions
    assert (first.participant, first.status) == ("asha", "complete")
    assert first.answers == ANSWERS
    assert first.started is not None
    assert first.submitted is not None
    assert first.started < first.submitted
    assert (second.participant, second.status, second.code) == ("jonas", "returned", "")
    assert second.answers == ANSWERS[:2]
    assert (third.participant, third.status, third.answers) == ("zoe", "no consent", ())
    shutil.rmtree(output)


@pytest.mark.slow
def test_the_program_asks_every_kind_of_question(tmp_path: Path) -> None:
    survey = every_kind(pack(tmp_path / "pictures"), ALL_KINDS)
    own = exported(survey, tmp_path / "out")
    program, port = installed("potato-annotation", "potato"), free_port()
    base = f"http://127.0.0.1:{port}"
    command = [str(program), "start", "config.yaml", "-p", str(port), "--host", "127.0.0.1"]
    with started(command, own, f"{base}/health", {}), phone() as pages:
        annotated(pages(), survey, f"{base}/?PROLIFIC_PID=asha", answered(survey), whole=True)
    result = import_file(Potato(), own / "annotation_output", survey)
    assert result.rejected == ()
    (submission,) = result.submissions
    assert submission.answers == answered(survey)
    assert submission.status == "complete"


def begun(page: Page, survey: SurveyPack, address: str, agree: str) -> None:
    """From the address that a recruitment service sends people to, past the consent."""
    locale = survey.sheets[0].culture.locale
    texts = survey.texts[locale.tag]
    page.goto(address)
    assert page.evaluate("document.documentElement.dir") == locale.direction
    page.get_by_text(texts.get("definition.heading")).first.wait_for()
    assert len(pictures_shown(page)) == len(survey.taxonomy.examples)
    page.locator("#next-btn").click()
    page.get_by_text(survey.contact).wait_for()
    choose(page, CONSENT, agree)
    page.locator("#next-btn").click()


def choose(page: Page, scheme: str, answer: str) -> None:
    """Tick an answer, and wait until the program has stored it."""
    place = page.locator(f'form[data-schema-name="{scheme}"] input[value="{answer}"]')
    with page.expect_response(lambda response: "/updateinstance" in response.url):
        place.check()


def annotated(
    page: Page, survey: SurveyPack, address: str, answers: tuple[Answer, ...], *, whole: bool
) -> None:
    """Answer entries one after the other; those who answer all of them see the code."""
    begun(page, survey, address, "yes")
    sheet = survey.sheets[0]
    texts = SheetTexts(survey, sheet)
    for entry, answer in zip(sheet.entries, answers, strict=False):
        if isinstance(entry, PersonEntry):
            page.locator('form[data-schema-name="q-age"] input').first.wait_for()
        else:
            item = key(survey, entry_id(entry))
            page.locator(f'#instance_id[value="{item}"]').wait_for(state="attached")
            page.locator('form[data-schema-name^="q-label"] input').first.wait_for()
            pictures = pictures_shown(page)
            assert [picture["alt"] for picture in pictures] == [texts.text(entry)] * (
                not is_read(entry)
            )
            # Who reads a sentence is not asked about a picture; a caption stands on its picture.
            asked = page.locator('form[data-schema-name="q-label"] legend').is_visible()
            printed = page.locator(".to-read", has_text=texts.text(entry)).count() > 0
            assert (asked, printed) == (not is_read(entry), is_read(entry))
        for question in texts.questions(entry):
            if given := answer.given(question.id):
                fill(page, question, given)
            elif question.required:
                assert not form_of(page, question).is_visible()
        page.locator("#next-btn").click()
    if whole:
        page.get_by_role("link", name="DONE-7").wait_for()
        thanks = survey.texts[sheet.culture.locale.tag].get("sent.thanks")
        assert page.get_by_text(thanks).is_visible()
    assert page.locator("#next-btn").is_visible() is not whole


def form_of(page: Page, question: ShownQuestion) -> Locator:
    """The scheme that asks a question of the item shown."""
    return page.locator(f'form[data-schema-name^="q-{question.id}"]').filter(has_text=question.text)


def fill(page: Page, question: ShownQuestion, values: tuple[str, ...]) -> None:
    """Answer a question as its kind is answered; a draft that is right stays as it is."""
    form = form_of(page, question)
    if question.kind == "text":
        area = form.locator("textarea")
        assert area.input_value() == question.draft
        if values != (question.draft,):
            with page.expect_response(lambda response: "/updateinstance" in response.url):
                area.fill(*values)
    elif question.kind == "span":
        form.locator("input").first.check()
        for value in values:
            drag_over(page, page.locator(".text-content"), value)
    else:
        for value in values:
            with page.expect_response(lambda response: "/updateinstance" in response.url):
                form.locator(f'input[value="{value}"]').check()


def declined(page: Page, survey: SurveyPack, address: str) -> None:
    begun(page, survey, address, "no")
    page.get_by_role("link", name="NO-7").wait_for()
    before = survey.texts["ar"].get("consent.declined", code="\0").partition("\0")[0]
    assert before.strip() in page.inner_text("body")
    assert not page.locator("#next-btn").is_visible()
