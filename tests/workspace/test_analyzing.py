"""A survey's answers as an analysis takes them: with memes, people, texts and pictures."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import pytest

from memeloc import Workspace
from memeloc.errors import InputError
from memeloc.reports.figures import wide
from memeloc.workspace.surveys import Survey

CAPTIONS = """meme_id,template,en,de
monday,cloud-monday,Monday’s forecast: // me,Die Aussichten: // ich
chef,robot-chef,Dinner is served // twice,Es gibt Essen // zweimal
"""
ANSWERS = [
    (meme, f"{culture}-{person}", culture, label)
    for culture, labels in {"US": "hhnu", "DE": "nnhn"}.items()
    for person, label in enumerate(labels)
    for meme in ("monday", "chef")
]
LABELS = {"h": "hate", "n": "no-hate", "u": "unknown"}


def write(path: Path, header: str, rows: list[tuple[str, ...]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([header.split(","), *rows])
    return path


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    folder = tmp_path_factory.mktemp("analysed")
    (folder / "captions.csv").write_text(CAPTIONS, encoding="utf-8")
    with Workspace.create(folder / "set", languages=["de"]) as made:
        made.import_captions(folder / "captions.csv")
        made.rendering.render(folder / "set" / "out", languages=["en", "de"], max_side=200)
        made.surveys.import_answers(
            "pilot",
            write(folder / "answers.csv", "meme,who,culture,label", ANSWERS),
            annotator="who",
            labels=LABELS,
        )
        yield made


@pytest.fixture(scope="module")
def survey(workspace: Workspace) -> Survey:
    return workspace.survey("pilot")


def test_answers_vote_but_for_abstentions(survey: Survey) -> None:
    answers = survey.analysis.analysed_answers()
    assert answers.cultures == ("DE", "US")
    assert answers.labels == ("no-hate", "hate")
    assert answers.abstentions == {"unknown"}
    assert answers.votes.sum(axis=2).tolist() == [[4, 3], [4, 3]]


def test_each_culture_has_its_text_and_picture(survey: Survey, workspace: Workspace) -> None:
    versions = survey.analysis.analysed_answers().versions.set_index(["item", "culture"])
    assert versions.loc[("chef", "DE"), "text"] == "Es gibt Essen // zweimal"
    assert versions.loc[("chef", "US"), "language"] == "en"
    assert workspace.root is not None
    assert Path(versions.loc[("chef", "DE"), "picture"]).is_relative_to(workspace.root / "out")
    assert all(Path(path).is_file() for path in versions["picture"])


def test_without_rendered_pictures_a_note_says_so(survey: Survey, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no manifest"):
        survey.analysis.analysed_answers(pictures=tmp_path)


def test_models_stand_beside_people(survey: Survey, tmp_path: Path) -> None:
    rows = [("monday", "parrot-1", "hate"), ("chef", "parrot-1", "unknown")]
    models = write(tmp_path / "models.csv", "meme_id,model,label", rows)
    table = survey.analysis.analysed_answers(models=models).models
    assert table.to_numpy().tolist() == [
        ["monday", "", "parrot-1", "hate"],
        ["chef", "", "parrot-1", "unknown"],
    ]


def test_a_models_unknown_label_is_named_with_its_row(survey: Survey, tmp_path: Path) -> None:
    models = write(tmp_path / "models.csv", "meme_id,model,label", [("chef", "parrot-1", "haet")])
    with pytest.raises(InputError, match=r"row 2, column label: pilot has no label 'haet'"):
        survey.analysis.analysed_answers(models=models)


def test_the_report_goes_from_submissions_to_labels(survey: Survey) -> None:
    report = survey.analysis.analyze(only=["funnel", "dataset"])
    counts = wide(report.figures, "funnel", "count").set_index(["group", "item"])["count"]
    assert counts["submissions", "retained"] == 8
    assert counts["answers", "given"] == 16
    assert counts["answers", "that vote"] == 14
    assert report.title == "pilot"
    assert report.question.startswith("Is this meme")
    assert report.names["DE"] == "Germany"
    assert report.facts["Plan"] == "5 answers a meme in each culture"


def test_people_have_short_names_that_check_takes(survey: Survey) -> None:
    names = set(survey.analysis.analysed_answers().table["participant"])
    assert {len(name) for name in names} == {8}
    assert survey.analysis.analysed_answers().people.index.isin(names).all()
    result = survey.answers.check(exclude=[min(names)])
    assert result.report.counts() == {"outlier": 1}
    survey.answers.check()
