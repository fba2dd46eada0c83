"""The report of an analysis: what stands at its top, the memes that divide, the methods."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from PIL import Image

from memeloc.analyze import Answers, Settings, figures
from memeloc.analyze.analysis import ANALYSES
from memeloc.analyze.report import TEXTS, report_of
from memeloc.reports import Report, read_texts, write_report

VOTES = {
    "agreed": {"DE": "yyy", "IN": "yyy", "US": "yyy"},
    "divided": {"DE": "yyy", "IN": "nnn", "US": "yyn"},
    "unsure": {"DE": "yny", "IN": "nny", "US": "yn"},
}


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Answers:
    picture = tmp_path_factory.mktemp("pictures") / "cat.png"
    Image.new("RGB", (900, 600), "white").save(picture)
    rows = [
        (item, culture, f"{culture}-{person}", label)
        for item, by_culture in VOTES.items()
        for culture, labels in by_culture.items()
        for person, label in enumerate(labels)
    ]
    rows.append(("agreed", "DE", "DE-9", "?"))
    versions = [
        (item, culture, language, f"{culture} {item}", str(picture))
        for item in VOTES
        for culture, language in (("DE", "de"), ("IN", "hi"), ("US", "en"))
    ]
    return Answers.of(
        pd.DataFrame(rows, columns=["item", "culture", "participant", "label"]),
        labels=["n", "y"],
        abstentions=["?"],
        versions=pd.DataFrame(versions, columns=["item", "culture", "language", "text", "picture"]),
    )


@pytest.fixture(scope="module")
def report(answers: Answers) -> Report:
    settings = Settings(repetitions=20, permutations=19)
    names = {"DE": "Germany", "IN": "India", "US": "United States"}
    facts = {"Memes": "5 memes asked about", "Plan": "3 answers a meme in each culture"}
    rows = figures(answers, settings, ["agreement-between", "dividing-items", "differing"])
    return report_of(answers, rows, settings, title="pilot", names=names, facts=facts)


def test_memes_that_divide_are_shown_with_the_furthest_versions(report: Report) -> None:
    cards = report.cards["dividing-items"]
    assert [card.item for card in cards] == ["divided", "unsure"]
    assert [version.culture for version in cards[0].versions] == ["DE", "IN"]
    assert all(each.picture.startswith("data:image/jpeg;base64,") for each in cards[0].versions)
    assert [(each.culture, each.label, each.counts) for each in cards[1].votes] == [
        ("DE", "y", (1, 2)), ("IN", "n", (2, 1)), ("US", "tie", (1, 1)),
    ]  # fmt: skip


def test_captions_of_items_that_differ_are_a_table(report: Report) -> None:
    table = report.tables["differing"]
    assert table["item"].tolist() == ["divided", "unsure"]
    assert table["IN text"].tolist() == ["IN divided", "IN unsure"]


def test_the_methods_say_what_was_planned_and_asked(report: Report, tmp_path: Path) -> None:
    text = write_report(report, tmp_path).methods[0].read_text("utf-8")
    assert "27 answers of 10 annotators to 3 items (of 5 memes asked about)" in text
    assert "3 cultures (Germany, India, United States)" in text
    assert "The plan was 3 answers a meme in each culture." in text
    assert "Abstentions, 1 (?), took no part in the vote." in text


def test_every_analysis_has_its_texts() -> None:
    assert set(ANALYSES) - set(read_texts(TEXTS).analyses) <= {
        *("label-shares", "agreement-within", "agreement-between", "chi-squared"),
        *("random-groups",),
    }
