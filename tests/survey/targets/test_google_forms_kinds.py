"""Further questions as forms ask them: every kind, every condition, and the person at the end."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memeloc.errors import InputError
from memeloc.survey.model import PersonEntry
from memeloc.survey.targets.google_forms.items import QUESTIONS, SUBMIT, Form, Item
from memeloc.survey.targets.google_forms.plan import plan
from memeloc.survey.targets.google_forms.requests import all_requests, picture_address
from memeloc.survey.targets.google_forms.routing import AFTER, steps_of
from memeloc.survey.targets.google_forms.target import GoogleForms
from memeloc.survey.targets.instructions import ShownQuestion
from memeloc.survey.targets.prolific.filters import load_filters
from memeloc.survey.targets.prolific.settings import ProlificSettings
from memeloc.survey.targets.prolific.studies import study
from memeloc.survey.targets.protocol import SurveyPack
from memeloc.survey.texts import survey_texts
from memeloc.taxonomy import Question, with_demographics
from tests.survey.packs import MemoryState
from tests.survey.packs import pack as small_pack
from tests.survey.targets.test_google_forms import BASE, made, needs_node, run_script

HATE = {"label": ("hate",)}
ASKED = (
    Question("target", answers=("one", "many"), when=HATE),
    Question("crowd", answers=("tea", "coffee"), when={"target": ("many",)}, required=False),
    Question("strength", kind="scale", scale=(1, 5), when=HATE),
    Question("percent", kind="scale", scale=(0, 20), required=False),
    Question("why", kind="text", when={"target": ("one",)}, required=False),
    Question("also", kind="choices", answers=("a", "b"), when=HATE, required=False),
    Question("sure", answers=("yes", "no")),
)
"""`strength` and `also` decide nothing, and what comes after them depends on earlier answers."""


@pytest.fixture(scope="module")
def pack(tmp_path_factory: pytest.TempPathFactory) -> SurveyPack:
    small = small_pack(tmp_path_factory.mktemp("pictures"))
    before, words = "taxonomy.multi3hate.questions", dict[str, str]()
    for question in ASKED:
        words[f"{before}.{question.id}.text"] = f"About {question.id}?"
        for answer in question.answers:
            words[f"{before}.{question.id}.answer.{answer}"] = f"{answer} of {question.id}"
    taxonomy = with_demographics(
        replace(small.taxonomy, questions=ASKED), ["gender", "age", "most-of-life"]
    )
    (sheet,) = small.sheets
    texts = {"en": survey_texts(sheet.culture.locale, words)}
    sheets = (replace(sheet, entries=(*sheet.entries, PersonEntry())),)
    return replace(small, taxonomy=taxonomy, sheets=sheets, texts=texts)


def filled(form: Form, choose: dict[str, str]) -> dict[str, str]:
    """The texts by title that somebody sends who chooses so, by Google's rules."""
    sections: dict[str, list[Item]] = {"start": []}
    for item in form.items:
        if item.kind == "section":
            sections[item.key] = []
        else:
            sections[list(sections)[-1]].append(item)
    order = list(sections)
    sent, place = dict[str, str](), 0
    while place < len(order):
        goes = ""
        for item in sections[order[place]]:
            if item.kind not in QUESTIONS:
                continue
            chosen = choose.get(item.asks or item.key, "")
            options = {option.id: option for option in item.options}
            if options:
                option = options.get(chosen) or item.options[0]
                goes = option.goes or goes
                sent[item.title] = option.text
            elif chosen:
                sent[item.title] = chosen
        if goes == SUBMIT:
            break
        place = order.index(goes) if goes else place + 1
    return sent


def met(form: Form, choose: dict[str, str], entry: str) -> list[str]:
    """The further questions of an entry that somebody meets."""
    titles = filled(form, choose)
    keys = [item.asks for item in form.items if item.title in titles]
    return [key.split(":")[1] for key in keys if key.endswith(f":{entry}")]


def test_every_kind_makes_a_valid_form(pack: SurveyPack) -> None:
    form = plan(pack, pack.sheets[0])
    whole = made(form, all_requests(form, partial(picture_address, BASE)))
    kinds: dict[str, set[str]] = {}
    for item, planned in zip(whole["items"], form.items, strict=True):
        question = item.get("questionItem", {}).get("question", {})
        name = planned.asks.split(":")[1] if planned.asks else ""
        kinds.setdefault(name, set()).update(key for key in question if key.endswith("Question"))
    assert kinds["strength"] == {"scaleQuestion"}
    # Forms' scales end at ten.
    assert kinds["percent"] == {"choiceQuestion"}
    assert kinds["why"] == {"textQuestion"}
    bounds = {
        (scale["low"], scale["high"])
        for item in whole["items"]
        if (scale := item.get("questionItem", {}).get("question", {}).get("scaleQuestion"))
    }
    assert bounds == {(1, 5)}


@needs_node
def test_the_script_makes_every_kind(pack: SurveyPack, tmp_path: Path) -> None:
    GoogleForms().export(pack, tmp_path / "out")
    (form,) = (call[1] for call in run_script(tmp_path / "out")["log"] if call[0] == "form")
    scales = {tuple(item["bounds"]) for item in form["items"] if item["kind"] == "Scale"}
    assert scales == {(1, 5)}
    planned = [item for item in plan(pack, pack.sheets[0]).items if item.kind != "picture"]
    asked = [item["title"] for item in form["items"] if item["kind"] != "Image"]
    assert asked == [item.title for item in planned]


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


@needs_node
def test_studies_lead_to_the_forms_that_the_script_made(pack: SurveyPack, tmp_path: Path) -> None:
    target = GoogleForms()
    target.export(pack, tmp_path / "out")
    run_script(tmp_path / "out")
    listed = tmp_path / "out" / "forms.csv"
    assert target.recognises(listed)
    made_forms = target.read_made(listed, pack)
    assert made_forms["r1-b01-US"]["form"] == "f1"
    known = replace(pack, made={"google-forms": made_forms})
    address = study(known, pack.sheets[0], ProlificSettings(), load_filters()).body
    assert address["external_study_url"] == (
        "https://docs.google.com/forms/d/1/viewform?usp=pp_url&entry.1={{%PROLIFIC_PID%}}"
        "&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}"
    )
    # Nothing of them is made again.
    pushed = GoogleForms(BASE).push(pack, MemoryState(made_forms), dry_run=True)
    assert [row["form"] for row in pushed] == ["f1"]
    assert [row["calls"] for row in pushed] == [0]


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
    pack: SurveyPack, tmp_path: Path, line: str, expected: str
) -> None:
    path = tmp_path / "forms.csv"
    path.write_text(f"sheet,form,edit,answer,prolific\n{line}\n", encoding="utf-8")
    known = replace(pack, made={"google-forms": {"r1-b01-US": {"form": "f1"}}})
    with pytest.raises(InputError, match=expected):
        GoogleForms().read_made(path, known)
