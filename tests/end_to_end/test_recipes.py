"""Published schemes: named teams, a pre-annotation, and answers that were collected elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from examples.simulated_team import Colleagues
from memeloc.workspace import Workspace
from tests.end_to_end.answering import CONTACT, answer_as, answer_as_team
from tests.end_to_end.study import Study, fill_in
from tests.worlds import label_of, starter_rows, write_table

World = Callable[..., Path]


@pytest.fixture(autouse=True)
def _same_pseudonyms(study: Study, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """A key of the environment, for tables are in the order of the pseudonyms that it makes."""
    monkeypatch.setenv("MEMELOC_SURVEY_KEY", "00" * 32)
    world("rendered", study.folder)


def team(study: Study, **groups: int) -> tuple[str, str]:
    """Write a team's table; return the option that names it."""
    rows = [
        {"participant": f"{group}-{number}@team.example", "group": group}
        for group, count in groups.items()
        for number in range(1, count + 1)
    ]
    write_table(study.folder / "team.csv", rows)
    return ("--people", "team.csv")


def rounds(study: Study, name: str, *, seed: int, colleagues: Colleagues | None = None) -> None:
    """Have a team fill all rounds."""
    export = ("survey", "export", name, "--to", "html", "--set", "codes=false", *CONTACT)
    for number in range(1, 4):
        study.run(*export)
        answer_as_team(study.folder, name, f"{name}-{number}", seed=seed, colleagues=colleagues)
        study.run("survey", "import", name, f"{name}-{number}")
        study.run("survey", "check", name)
        study.run("survey", "settle", name, "--close", "--next", "--out", f"{name}.csv")
        with Workspace.find() as workspace:
            if workspace.survey(name).rounds[-1] == number:
                return


def test_harmeme(study: Study) -> None:
    build = ("survey", "build", "harm", "--cultures", "US", "--recipe", "harmeme")
    study.run(*build, status=1)
    study.run(*build, *team(study, a=2), "--mode", "wet-run", status=1)
    people = team(study, a=3, b=3)
    study.run("survey", "build", "harm", "--cultures", "US", *people, status=1)
    study.run(*build, *people, "--size", 6, "--json")
    study.run(*build, *people, "--size", 6)
    study.run(*build, *team(study, a=3, c=3), "--size", 6, status=1)
    team(study, a=3, b=3)
    study.run("survey", "status", "harm", "--by", "person", "--people", "team.csv", "--json")
    rounds(study, "harm", seed=3, colleagues=Colleagues(agreement=0.5))
    study.file("harm.csv")
    study.run("survey", "status", "harm", "--by", "person")
    study.run("survey", "decide-labels", "harm", "--out", "open.csv")
    study.file("open.csv")
    study.run("survey", "status", "harm")
    study.run("survey", "build", "dry", *build[3:], "--mode", "dry-run", *people, "--sample", 4)
    rounds(study, "dry", seed=5)
    study.run("survey", "forget", "a-1@team.example", "--yes")
    study.run("survey", "settle", "harm", "--close", "--next", "--json")
    study.run("survey", "status", "harm", "--by", "person")
    study.check()


def test_charmemes(study: Study) -> None:
    memes = [row["meme_id"] for row in starter_rows(())]
    differing = [
        {"meme_id": meme, "first": "safe", "second": ("safe", "nsfw")[number % 2]}
        for number, meme in enumerate(memes)
    ]
    write_table(study.folder / "rounds.csv", differing)
    build = ("survey", "build", "final", "--cultures", "DE", "--recipe", "charmemes")
    people = team(study, rater=4)
    study.run(*build, *people, "--differing", "nowhere.csv", status=1)
    study.run(*build, *people, "--differing", "rounds.csv", "--size", 3, "--json")
    colleagues = Colleagues(0.6, skip=0.2, invalid=memes[1:2])
    rounds(study, "final", seed=6, colleagues=colleagues)
    study.file("final.csv")
    study.run("survey", "decide-labels", "final", "--out", "open.csv")
    study.file("open.csv")
    fill_in(
        study.folder / "open.csv",
        [{"item": memes[3], "label": "safe", "people": "rater-1; rater-2", "reason": "harmless"}],
        by=["item"],
    )
    study.run("survey", "decide-labels", "final", "--from", "open.csv")
    study.run("survey", "settle", "final")
    people = team(study, rater=5)
    study.run("survey", "build", "trial", *build[3:], "--mode", "validation", *people)
    rounds(study, "trial", seed=4, colleagues=Colleagues(0.9, others={"rater-5": 0.1}))
    study.run("survey", "check", "trial", "--exclude", "rater-5@team.example")
    study.check()


def test_araharmeme_and_m_quest(study: Study) -> None:
    memes = [row["meme_id"] for row in starter_rows(())]
    texts = [
        {"meme_id": meme, "readable": "text" if number else "no-text", "ocr-text": f"ocr {number}"}
        for number, meme in enumerate(memes)
    ]
    write_table(study.folder / "ocr.csv", texts)
    build = ("--cultures", "DE", "--recipe", "araharmeme", *team(study, native=3))
    study.run("survey", "build", "ara", *build, "--items", "ocr.csv", "--sample", 5)
    rounds(study, "ara", seed=2, colleagues=Colleagues(agreement=0.55))
    study.file("ara.csv")
    names = ("label", "toxicity-answer", "toxicity-statement", "linked-statement")
    names += ("linked-question", "linked-answer")
    statements = [
        {"meme_id": meme} | {name: f"{name} {number}" for name in names}
        for number, meme in enumerate(memes)
    ]
    write_table(study.folder / "statements.csv", statements)
    build = ("--cultures", "US", "--recipe", "m-quest", *team(study, judge=4))
    study.run("survey", "build", "valid", *build, "--items", "statements.csv", "--size", 2)
    rounds(study, "valid", seed=9, colleagues=Colleagues(skip=0.2))
    study.file("valid.csv")
    study.check()


def test_multi3hate_with_a_preannotation(study: Study) -> None:
    build = ("survey", "build", "large", "--cultures", "US,DE", "--recipe", "multi3hate")
    study.run(*build, "--preannotate", "--size", 4, "--set", "implicit=1", "--answers", 2)
    study.run("survey", "choose", "large", "--total", 4, status=1)
    export = ("survey", "export", "large", "--to", "html", "--set", "codes=false", *CONTACT)
    study.run(*export)
    answer_as(study.folder, "large", label_of, people=2, file="before.json")
    study.run("survey", "import", "large", "before.json")
    study.run("survey", "check", "large")
    study.run("survey", "status", "large")
    study.run("survey", "choose", "large", "--total", 100, status=1)
    shares = ("--harmful", 0.5, "--harmless", 0.5, "--tied", 0)
    study.run("survey", "choose", "large", "--total", 4, *shares, "--json")
    study.run(*export, "--round", "1")
    answer_as(study.folder, "large", label_of, people=2, file="answers.json")
    study.run("survey", "import", "large", "answers.json")
    study.run("survey", "settle", "large")
    batches = [
        {"batch": f"b{number % 2}", "meme_id": row["meme_id"], "position": number // 2 + 1}
        for number, row in enumerate(starter_rows(())[:6])
    ]
    write_table(study.folder / "batches.csv", batches)
    fixed = ("survey", "build", "fixed", "--cultures", "US,DE", "--batches", "batches.csv")
    study.run(*fixed, "--set", "implicit=1", "--json")
    study.check()


def test_answers_collected_elsewhere(study: Study) -> None:
    countries = {"US": "United States", "DE": "Germany"}
    answers = [
        {
            "Meme ID": row["meme_id"],
            "Who": f"{code}-{person}",
            "Nationality": "DATA_EXPIRED" if person == 2 else country,
            "Hate": {"hate": "1", "no-hate": "0", "unknown": "?"}[
                label_of(row["meme_id"], code, person)
            ],
            "At": f"2024-05-01T10:{number:02}:00Z",
        }
        for code, country in countries.items()
        for person in range(5)
        for number, row in enumerate(starter_rows(())[:4])
    ]
    write_table(study.folder / "answers.csv", answers)
    given = ("survey", "import", "published", "answers.csv", "--map")
    study.run(*given, "annotator=Who,item=Meme ID,label=Label", status=1)
    given += ("annotator=Who,item=Meme ID,label=Hate",)
    study.run(*given, "--taxonomy", "none", status=1)
    labels = ("--map", "labels.1=hate,labels.0=no-hate")
    study.run(*given, *labels, "--map", "culture=Nationality", "--dry-run")
    more = ("--map", "culture=Nationality,time=At,demographics.nationality=Nationality")
    more += ("--map", "labels.?=unknown,cultures.DATA_EXPIRED=US", "--left", "left.csv")
    study.run(*given, *labels, *more, "--json")
    study.run(*given, *labels, *more)
    study.run("survey", "check", "published")
    study.run("survey", "settle", "published", "--out", "labels.jsonl", "--people", "people.csv")
    study.file("labels.jsonl")
    study.file("people.csv")
    study.run("survey", "status")
    study.check()
