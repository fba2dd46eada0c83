"""The files of the surveys' bench are what importers read: all that people answered comes back."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from memeloc.locales import default
from memeloc.survey.design.build import Design, build, to_sheets
from memeloc.survey.model import Culture, Submission
from memeloc.survey.targets.protocol import SheetsToSend
from memeloc.survey.targets.resolver import import_file, recognise
from memeloc.survey.texts import survey_texts
from memeloc.taxonomy import load_taxonomy

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module", autouse=True)
def _bench_on_path():
    sys.path.insert(0, str(ROOT))
    yield
    sys.path.remove(str(ROOT))


@pytest.fixture(scope="module")
def survey() -> SheetsToSend:
    locales, taxonomy = default(), load_taxonomy("multi3hate")
    cultures = tuple(
        Culture(code, locales.get(tag)) for code, tag in (("DE", "de"), ("CN", "zh-Hans"))
    )
    design = Design("large", taxonomy.name, cultures, size=6, seed=6)
    memes = {f"m{number:02d}": f"template-{number % 5}" for number in range(30)}
    sheets = to_sheets(
        build(memes, design, taxonomy),
        design,
        lambda meme, culture: Path("x.jpg"),
        lambda meme, culture: "",
        lambda example, culture: Path("x.jpg"),
        templates=memes,
    )
    texts = {culture.locale.tag: survey_texts(culture.locale) for culture in cultures}
    return SheetsToSend("large", sheets, taxonomy, texts)


def _answers(submissions: list[Submission]) -> set[tuple[str, str, frozenset[tuple[str, str]]]]:
    return {
        (
            submission.sheet,
            submission.participant,
            frozenset((a.entry, a.label) for a in submission.answers),
        )
        for submission in submissions
        if submission.answers
    }


def test_all_answers_come_back(survey, tmp_path):
    from bench.survey_answers import people, write_csv, write_forms

    for folder in ("csv", "tables", "forms"):
        (tmp_path / folder).mkdir()
    (tmp_path / "responses").mkdir()
    sent = people(survey)
    write_csv(survey, sent, tmp_path / "csv")
    responses = tmp_path / "responses" / "responses.json"
    write_forms(survey, sent, tmp_path / "tables", tmp_path / "forms", responses)
    for way in ("csv", "tables", "forms", "responses"):
        came = [
            submission
            for path in sorted((tmp_path / way).iterdir())
            if path.stat().st_size > 200
            for submission in import_file(recognise(path), path, survey).submissions
        ]
        assert _answers(came) == _answers(sent), way
