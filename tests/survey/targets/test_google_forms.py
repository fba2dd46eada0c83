"""Google Forms: the script and the plan of a form, and what comes back of it."""

# ruff: noqa: E501

from __future__ import annotations

import csv
import io
import json
import shutil
import subprocess
import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memeloc.errors import InputError
from memeloc.survey.model import MemeEntry, Submission
from memeloc.survey.targets.google_forms.forms import (
    AFTER,
    FSI,
    PDI,
    SUBMIT,
    Form,
    plan,
    question_id,
    steps_of,
)
from memeloc.survey.targets.google_forms.target import GoogleForms, all_requests, picture_address
from memeloc.survey.targets.instructions import ShownQuestion
from memeloc.survey.targets.protocol import Imported, SheetsToSend
from memeloc.survey.targets.resolver import import_file
from memeloc.survey.texts import survey_texts
from memeloc.taxonomy import Question
from tests.survey.forms_server import FormsServer, problems
from tests.survey.packs import pack as small_pack

pytest.importorskip("googleapiclient")

BASE = "https://pictures.example.org/florp"


@pytest.fixture(scope="module", params=["en", "ar", "hi"])
def pack(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> SheetsToSend:
    country = {"en": "US", "ar": "EG", "hi": "IN"}[request.param]
    return small_pack(tmp_path_factory.mktemp("pictures"), request.param, country)


def with_further(pack: SheetsToSend) -> SheetsToSend:
    """The same survey, asking whom a hateful meme is against."""
    answers = ("florp", "tea, or coffee", "tea")
    second = Question("target", "choices", answers, when={"label": ("hate",)})
    before = "taxonomy.multi3hate.questions.target"
    words = {f"{before}.text": "Whom is it against?\nChoose."}
    names = ("People from Florp", "Tea, or coffee", "Tea")
    for answer, name in zip(second.answers, names, strict=True):
        words[f"{before}.answer.{answer}"] = name
    locale = pack.sheets[0].culture.locale
    texts = {locale.tag: survey_texts(locale, words)}
    return replace(pack, taxonomy=replace(pack.taxonomy, questions=(second,)), texts=texts)


def corrected(pack: SheetsToSend, words: dict[str, str]) -> SheetsToSend:
    locale = pack.sheets[0].culture.locale
    return replace(pack, texts={locale.tag: survey_texts(locale, words)})


def made(form: Form, requests: dict[str, Any]) -> dict[str, Any]:
    """The form that a server makes of the bodies, each of them checked."""
    forms = FormsServer()
    answer = forms.create(requests["create"]["body"], {"unpublished": ["true"]})
    for body in requests["batchUpdate"]:
        forms.batch_update(answer["formId"], body)
    assert not problems(requests["setPublishSettings"], "SetPublishSettingsRequest")
    return forms.forms[answer["formId"]]


def walk(form: Form, choose: dict[str, str]) -> list[str]:
    """The keys of the questions that somebody meets who chooses so, by Google's rules."""
    sections: list[tuple[str, list[Any]]] = [("start", [])]
    for item in form.items:
        if item.kind == "section":
            sections.append((item.key, []))
        else:
            sections[-1][1].append(item)
    order = [name for name, _ in sections]
    met, place = [], 0
    while place < len(sections):
        goes = ""
        for item in sections[place][1]:
            if item.kind in ("choice", "choices", "line", "paragraph"):
                met.append(item.key)
            if item.routed:
                chosen = choose.get(item.key, choose.get("*", item.options[0].id))
                by_id = {option.id: option.goes for option in item.options}
                goes = by_id.get(chosen, item.options[0].goes)
        if goes == SUBMIT:
            break
        place = order.index(goes) if goes else place + 1
    return met


@pytest.mark.parametrize("second", [False, True])
def test_every_body_is_valid_and_makes_the_planned_form(pack: SheetsToSend, second: bool) -> None:
    pack = with_further(pack) if second else pack
    form = plan(pack, pack.sheets[0])
    whole = made(form, all_requests(form, partial(picture_address, BASE)))
    assert [item.get("title", "") for item in whole["items"]] == [item.title for item in form.items]
    assert whole["settings"] == {"emailCollectionType": "DO_NOT_COLLECT"}
    assert whole["info"]["description"] == form.description
    images = [
        item.get("imageItem", item.get("questionItem", {})).get("image", {}).get("sourceUri")
        for item in whole["items"]
    ]
    assert [each for each in images if each] == [
        f"{BASE}/{item.picture}" for item in form.items if item.picture
    ]


def test_who_does_not_agree_gets_that_code_and_no_question(survey: SheetsToSend) -> None:
    form = plan(survey, survey.sheets[0])
    assert walk(form, {"consent": "no"}) == ["consent", "declined"]
    texts = {item.key: item.description for item in form.items}
    assert "NO-7" in texts["section:declined"]
    assert [key for key, text in texts.items() if "NO-7" in text] == ["section:declined"]
    assert [key for key, text in texts.items() if "DONE-7" in text] == ["section:end"]
    assert "DONE-7" not in form.thanks + form.description


def test_hostile_words_stay_words(survey: SheetsToSend) -> None:
    nasty = '"); DriveApp.getRootFolder(); //</script>\u2028{code}\x00\ud800`${1}`'
    words = {"title": nasty, "comments.label": nasty, "warning.text": nasty}
    pack = corrected(survey, words)
    form = plan(pack, pack.sheets[0])
    whole = json.dumps(all_requests(form, partial(picture_address, BASE)))
    assert json.loads(whole)["create"]["body"]["info"]["title"].startswith('");')
    assert "\x00" not in form.title
    assert not any(unicodedata.category(each) == "Cs" for each in form.title)


def test_pictures_that_google_does_not_take_are_refused(
    survey: SheetsToSend, tmp_path: Path
) -> None:
    sheet = survey.sheets[0]
    for name, content in (("a.webp", b"RIFF"), ("b.jpg", b"<svg/>")):
        path = tmp_path / name
        path.write_bytes(content)
        entry = MemeEntry("m9", "robot-chef", path)
        broken = replace(survey, sheets=(replace(sheet, entries=(entry,)),))
        with pytest.raises(InputError, match="JPEG, PNG"):
            GoogleForms().export(broken, tmp_path / "out")


_SERVICES = """
const fs = require('fs'), path = require('path');
const root = process.argv[2];
const log = [];
const FORMS = 'https://docs.google.com/forms/d/';
function fileOf(name) {
  return {
    getName: () => path.basename(name),
    getBlob: () => ({ name: path.basename(name), getDataAsString: () => fs.readFileSync(name, 'utf8') }),
    setContent: (text) => fs.writeFileSync(name, text),
  };
}
function each(list) { let at = 0; return { hasNext: () => at < list.length, next: () => list[at++] }; }
function folderOf(name) {
  return {
    getFoldersByName: (own) => each(fs.existsSync(path.join(name, own)) ? [folderOf(path.join(name, own))] : []),
    getFiles: () => each(fs.readdirSync(name).map((own) => fileOf(path.join(name, own)))),
    getFilesByName: (own) => each(fs.existsSync(path.join(name, own)) ? [fileOf(path.join(name, own))] : []),
    createFile: (own, text) => fs.writeFileSync(path.join(name, own), text),
  };
}
const DriveApp = {
  getFolderById: () => folderOf(root),
  getFileById: (id) => ({ setName: (n) => log.push(['name', id, n]), setTrashed: () => log.push(['bin', id]) }),
};
const stored = {};
const PropertiesService = { getScriptProperties: () => ({
  getProperty: (key) => (key in stored ? stored[key] : null),
  setProperty: (key, value) => { stored[key] = value; },
  deleteProperty: (key) => { delete stored[key]; },
  deleteAllProperties: () => Object.keys(stored).forEach((key) => delete stored[key]),
}) };
const FormApp = {
  Alignment: { CENTER: 'CENTER' },
  PageNavigationType: { SUBMIT: 'SUBMIT', CONTINUE: 'CONTINUE' },
  create(title, published) {
    const form = { title, published, items: [], settings: {} };
    log.push(['form', form]);
    const number = log.filter((call) => call[0] === 'form').length;
    const settings = ['setDescription', 'setConfirmationMessage', 'setProgressBar', 'setCollectEmail',
      'setAllowResponseEdits', 'setShowLinkToRespondAgain', 'setPublished', 'setAcceptingResponses'];
    const api = { getId: () => 'f' + number, getEditUrl: () => FORMS + number + '/edit', getPublishedUrl: () => FORMS + number + '/viewform' };
    settings.forEach((name) => { api[name] = (value) => { form.settings[name] = value; return api; }; });
    api.setRequireLogin = () => { throw new Error('only in an organisation'); };
    ['PageBreak', 'SectionHeader', 'Text', 'ParagraphText', 'MultipleChoice', 'Checkbox', 'Scale', 'Image'].forEach((kind) => {
      api['add' + kind + 'Item'] = () => {
        const item = { kind };
        form.items.push(item);
        const made = { item, createChoice: (text, goes) => ({ text, goes: goes.item ? goes.item.title : goes }),
          createResponse: (text) => text };
        ['Title', 'HelpText', 'Required', 'Choices', 'ChoiceValues', 'Alignment', 'Width'].forEach((name) => {
          made['set' + name] = (value) => { item[name[0].toLowerCase() + name.slice(1)] = value; return made; };
        });
        made.setBounds = (low, high) => { item.bounds = [low, high]; return made; };
        made.setImage = (blob) => { item.image = blob.name; return made; };
        return made;
      };
    });
    api.createResponse = () => ({ withItemResponse: (mark) => ({ toPrefilledUrl: () => FORMS + number + '/viewform?usp=pp_url&entry.1=' + mark }) });
    return api;
  },
};
console.log = () => {};
"""


def run_script(folder: Path) -> list[Any]:
    """The calls that makeForms makes."""
    end = "\nmakeForms();\nprocess.stdout.write(JSON.stringify(log));"
    program = folder.parent / "run.js"
    code = (folder / "apps-script" / "Code.gs").read_text(encoding="utf-8")
    program.write_text(_SERVICES + code + end, encoding="utf-8")
    done = subprocess.run(
        ["node", program, folder], capture_output=True, text=True, check=True, timeout=60
    )
    return list(json.loads(done.stdout))


@pytest.mark.skipif(shutil.which("node") is None, reason="needs Node")
def test_the_script_makes_the_same_form(pack: SheetsToSend, tmp_path: Path) -> None:
    pack = with_further(pack)
    folder = tmp_path / "out"
    GoogleForms().export(pack, folder)
    form = plan(pack, pack.sheets[0])
    made_form = next(value for name, value, *_ in run_script(folder) if name == "form")
    assert made_form["title"] == form.title
    assert made_form["published"] is False
    assert made_form["settings"]["setPublished"] is True
    assert made_form["settings"]["setCollectEmail"] is False
    asked = [item for item in made_form["items"] if item["kind"] != "Image"]
    wanted = [item for item in form.items if item.kind != "picture"]
    assert [item["title"] for item in asked] == [item.title for item in wanted]
    for each, item in zip(asked, wanted, strict=True):
        texts = [choice["text"] for choice in each.get("choices", [])] or each.get(
            "choiceValues", []
        )
        assert texts == [option.text for option in item.options]
        assert each.get("helpText", "") == item.description
    images = [item["image"] for item in made_form["items"] if item["kind"] == "Image"]
    assert images == [item.picture for item in form.items if item.picture]
    lines = (folder / "forms.csv").read_text().splitlines()
    assert lines[1].endswith("/d/1/viewform?usp=pp_url&entry.1={{%PROLIFIC_PID%}}")


@st.composite
def questions(draw: st.DrawFn) -> list[ShownQuestion]:
    """Up to six questions, each with conditions on some of the choices before it."""
    made: list[ShownQuestion] = [ShownQuestion("q0", "choice", "?", {"a": "A", "b": "B"})]
    for number in range(1, draw(st.integers(1, 6))):
        choices = [question for question in made if question.kind == "choice"]
        names = draw(st.lists(st.sampled_from([each.id for each in choices]), unique=True))
        when = {name: (draw(st.sampled_from("ab")),) for name in names}
        kind = draw(st.sampled_from(["choice", "text"]))
        answers = {"a": "A", "b": "B"} if kind == "choice" else {}
        made.append(ShownQuestion(f"q{number}", kind, "?", answers, when=when))
    return made


@given(questions(), st.lists(st.sampled_from("ab"), min_size=6, max_size=6))
def test_the_steps_ask_what_the_conditions_say(asked: list[ShownQuestion], chosen: Any) -> None:
    steps, place = steps_of(asked), 0
    given_answers: dict[str, tuple[str, ...]] = {}
    met: list[str] = []
    while place != AFTER:
        step = steps[place]
        met.append(step.question.id)
        answer = chosen[int(step.question.id[1:])]
        to = step.leads.get(answer, step.leads.get("", AFTER))
        assert to == AFTER or to > place
        place = to
    wanted = []
    for number, question in enumerate(asked):
        if all(set(ids) & set(given_answers.get(name, ())) for name, ids in question.when.items()):
            wanted.append(question.id)
            given_answers[question.id] = (chosen[number],)
    assert met == wanted


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("r9-b01-US,f1,e,https://docs.google.com/a,https://docs.google.com/b", "has no sheet"),
        ("r1-b01-US,f1,e,https://docs.google.com/a,http://docs.google.com/b", "not the address"),
        ("r1-b01-US,f1,e,https://forms.example/a,https://docs.google.com/b", "not the address"),
        ("r1-b01-US,f2,e,https://docs.google.com/a,https://docs.google.com/b", "another form"),
    ],
)
def test_a_list_that_leads_elsewhere_is_refused(
    survey: SheetsToSend, tmp_path: Path, line: str, expected: str
) -> None:
    path = tmp_path / "forms.csv"
    path.write_text(f"sheet,form,edit,answer,prolific\n{line}\n", encoding="utf-8")
    known = replace(survey, made={"google-forms": {"r1-b01-US": {"form": "f1"}}})
    with pytest.raises(InputError, match=expected):
        GoogleForms().read_made(path, known)


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
