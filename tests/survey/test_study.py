"""Studies of a survey, and their completion codes."""

from __future__ import annotations

import json
import multiprocessing
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import astuple, replace
from multiprocessing.context import ForkServerContext
from pathlib import Path
from typing import Any

import pytest

import memeloc.survey
import memeloc.workspace
from memeloc import Workspace
from memeloc.errors import InputError
from memeloc.locales import default
from memeloc.survey.model import LENGTH, LETTERS, codes
from memeloc.survey.study import LINES, Study
from memeloc.survey.targets.instructions import SheetTexts
from memeloc.survey.targets.resolver import make_target, target_names
from memeloc.survey.texts import SurveyTexts, shipped_languages, survey_texts
from tests.each import each
from tests.store.conftest import postgresql
from tests.store.test_interrupted import Team, _database, databases, disturbed
from tests.survey.packs import pack
from tests.survey.targets.test_contract import RECRUITS, contents, says
from tests.worlds import answers_of, starter_rows, write_table

STUDY: dict[str, Any] = {
    "controller": "Example University",
    "purpose": {"en": "to learn how people see memes", "de": "Memes verstehen"},
    "retention": {"en": "until 2031", "de": "bis 2031"},
    "ethics": "no. 12/2026",
}


def applied(study: Study, tag: str) -> SurveyTexts:
    return study.apply(survey_texts(default().get(tag)))


def consents(folder: Path, study: Study, tag: str = "en") -> tuple[str, ...]:
    """The paragraphs of the page for consent."""
    small = pack(folder, tag)
    texts = {tag: study.apply(small.texts[tag])}
    return SheetTexts(replace(small, texts=texts), small.sheets[0]).consents


def test_the_page_for_consent_says_all_of_a_study(tmp_path: Path) -> None:
    text, *lines = consents(tmp_path, Study(**STUDY))
    assert "lab@university.example" in text
    assert lines[:-1] == [
        "Responsible for this study: Example University",
        "Purpose of the study: to learn how people see memes",
        "How long your data are kept: until 2031",
        "Ethics approval: no. 12/2026",
    ]
    assert "write to lab@university.example" in lines[-1]


@each("tag", shipped_languages())
def test_every_language_fills_in_the_study(tag: str) -> None:
    texts = applied(Study(**dict.fromkeys(LINES, "12345")), tag)
    for name in LINES:
        assert "12345" in texts.get(f"study.{name}")
    texts = applied(Study(controller="{contact} {x}"), tag)
    assert "{contact} {x}" in texts.get("study.controller")


@pytest.mark.parametrize("name", sorted(set(target_names()) - RECRUITS))
def test_every_target_shows_the_study(tmp_path: Path, name: str) -> None:
    small = pack(tmp_path / "pictures")
    texts = {"en": Study(**STUDY).apply(small.texts["en"])}
    options = {"codes": False} if name == "html" else {}
    make_target(name, options).export(replace(small, texts=texts), tmp_path / "out")
    written = contents(tmp_path / "out")
    for text in ("Example University", "until 2031", "no. 12/2026", "to learn how people see"):
        assert says(written, text), text


def test_a_text_that_nobody_shows_is_reported() -> None:
    with pytest.raises(InputError, match=r"'consent\.txt', which is no text"):
        applied(Study(texts={"en": {"consent.txt": "Ours."}}), "de")
    applied(Study(texts={"en": {"taxonomy.ours.question": "Ours?"}}), "en")


def test_a_text_that_lost_its_code_is_reported() -> None:
    with pytest.raises(InputError, match=r"sent\.code has to have .*\{code\}"):
        applied(Study(texts={"de": {"sent.code": "Danke."}}), "de")


SECRET = bytes(range(32))


def test_same_secret_same_codes_and_other_secret_none_of_them() -> None:
    first, again = codes("pilot", "r1-b01-DE", SECRET), codes("pilot", "r1-b01-DE", SECRET)
    assert first == again
    other = codes("pilot", "r1-b01-DE", SECRET[::-1])
    assert not set(astuple(first)) & set(astuple(other))


def test_all_codes_of_a_survey_differ_and_are_easily_typed() -> None:
    result = [
        code
        for survey in ("pilot", "main")
        for batch in range(50)
        for culture in ("DE", "IN", "US", "CN", "MX")
        for code in astuple(codes(survey, f"r1-b{batch:02d}-{culture}", SECRET))
    ]
    assert len(set(result)) == len(result) == 2000
    assert all(len(code) == LENGTH and set(code) <= set(LETTERS) for code in result)
    assert not set("AEIOUYL01") & set(LETTERS)


__all__ = ["databases", "postgresql"]


KEY = "0" * 64


TABLES = ("survey_batches", "survey_participants", "submissions", "rejected_rows")


@pytest.fixture(scope="module")
def processes() -> ForkServerContext:
    """Makes processes that have imported memeloc already, so that a kill meets its work."""
    context = multiprocessing.get_context("forkserver")
    modules = [
        module.name
        for package in (memeloc.survey, memeloc.workspace)
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    ]
    context.set_forkserver_preload([__name__, "memeloc.cli.survey", "pandas", "psycopg", *modules])
    return context


class SurveyTeam(Team):
    """A workspace with a survey that goes on to its labels and the next round of some memes."""

    steps: Mapping[str, tuple[str, ...]] = {
        "captions": ("import", "memes.csv"),
        "build": ("survey", "build", "pilot", "--cultures", "US,DE", "--size", "5"),
        "import": ("survey", "import", "pilot", "answers"),
        "check": ("survey", "check", "pilot", "--exclude", "US-r1-b01-0"),
        "settle": ("survey", "settle", "pilot", "--close", "--next", "--out", "labels.csv"),
        "forget": ("survey", "forget", "DE-r1-b01-1", "--yes"),
    }

    def prepare(self, step: str) -> None:
        if step == "captions":
            rows = starter_rows(["de"], self.memes)
            write_table(self.folder / "memes.csv", rows)
            (self.folder / "survey.key").write_text(KEY, "utf-8")
        if step != "import":
            return
        (self.folder / "answers").mkdir()
        with _database(self.databases[""]), Workspace.open(self.folder) as workspace:
            sheets = workspace.survey("pilot").all_sheets
        answers = list(answers_of(sheets))
        write_table(
            self.folder / "answers" / f"{sheets[0].id}.csv",
            (
                {"Submission id": f"{number:024x}", "Participant id": answer["participant"]}
                | {"Status": "AWAITING REVIEW", "Time taken": "480", "Completion code": "NOCODE"}
                for number, answer in enumerate(answers)
                if answer["sheet"] == sheets[0].id
            ),
        )
        answers += [{**answer, "participant": "a@lab.example"} for answer in answers[:3]]
        for half, name in ((answers[::2], "even.json"), (answers[1::2], "odd.json")):
            (self.folder / "answers" / name).write_text(json.dumps(half), "utf-8")

    def state(self, *names: str) -> dict[str, Any]:
        with _database(self.databases[""]), Workspace.open(self.folder) as workspace:
            store = workspace.store.surveys
            with workspace.store.database.read() as connection:
                rows = {
                    name: connection.exec_driver_sql(f"SELECT count(*) FROM {name}").scalar()
                    for name in TABLES
                }
            return {
                "rows": rows,
                "batches": sorted(map(repr, store.batches("pilot"))),
                "submissions": sorted(map(repr, store.submissions("pilot"))),
                "participants": sorted(map(repr, store.participants("pilot"))),
                "rejected": sorted(store.rejected("pilot")),
                "check": store.result("pilot", "check"),
                "labels": (self.folder / "labels.csv").read_text("utf-8-sig"),
            }


@pytest.mark.slow
def test_one_more_run_ends_with_the_labels_of_an_undisturbed_one(
    tmp_path: Path,
    processes: ForkServerContext,
    databases: Callable[[], tuple[str, str]],
) -> None:
    memes = 40

    def make(name: str) -> SurveyTeam:
        return SurveyTeam(tmp_path / name, processes, memes, databases())

    teams = disturbed(make, 48)
    expected = next(teams).state()
    assert len(expected["submissions"]) == memes // 5 * 2 * 5 - 1  # one person is erased
    assert len(expected["rejected"]) == 3
    assert expected["participants"]
    assert any("round=2" in batch for batch in expected["batches"])
    for rough in teams:
        assert rough.state() == expected
