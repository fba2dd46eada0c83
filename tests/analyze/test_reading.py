"""Tables of answers as they are read, and the report of an analysis."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from PIL import Image

from memeloc.analyze import Answers, Settings, figures, read_answers
from memeloc.analyze.analysis import ANALYSES
from memeloc.analyze.report import TEXTS, report_of
from memeloc.errors import InputError
from memeloc.reports import Report, read_texts, write_report
from memeloc.resources import folder
from memeloc.tables import write_table
from memeloc.tables.writing import Column
from tests.each import each

HEADINGS = ["item", "annotator", "culture", "label"]


ROWS = [
    ("007", "a1", "US", "hate"),
    ("007", "b1", "DE", "non-hate"),
    ("008", "a1", "US", "non-hate"),
    ("008", "b1", "DE", "I don't know"),
]


def frame(rows: list[tuple[str, ...]] = ROWS, columns: list[str] | None = None) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=columns or HEADINGS, dtype=object)


def read(rows: list[tuple[str, ...]] | pd.DataFrame, **settings: Any) -> Answers:
    table = rows if isinstance(rows, pd.DataFrame) else frame(rows)
    return read_answers(table, **settings)


def notes(answers: Answers) -> str:
    return "\n".join(answers.notes)


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet", "xlsx"])
def test_every_kind_of_table_is_read_the_same(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"answers.{suffix}"
    if suffix == "xlsx":
        frame().to_excel(path, index=False)
    else:
        write_table(path, [Column(name) for name in HEADINGS], ROWS)
    answers = read_answers(path)
    assert answers.names == ("007", "008")
    assert answers.cultures == ("DE", "US")
    assert answers.labels == ("hate", "non-hate")
    assert answers.abstentions == {"I don't know"}
    assert answers.notes == ()


def test_a_label_that_the_map_lacks_is_kept_and_noted() -> None:
    answers = read([*ROWS, ("9", "a", "US", "hates")], mapping={"labels": {"hate": "hate"}})
    assert answers.labels == ("hate", "hates", "non-hate")
    assert "row 5: the map does not name the label 'hates'" in notes(answers)


def test_the_earlier_of_two_answers_counts() -> None:
    columns = [*HEADINGS, "time"]
    rows = [
        ("1", "a", "US", "hate", "2026-03-02T10:00"),
        ("1", "a", "US", "non-hate", "2026-03-01 10:00+01:00"),
        ("2", "a", "US", "hate", "yesterday"),
    ]
    answers = read(frame(rows, columns))
    assert answers.table["label"].tolist() == ["non-hate", "hate"]
    assert "row 1: another answer of the same person to the same item" in notes(answers)
    assert "row 3: 'yesterday' is not a time that can be read" in notes(answers)


def test_what_is_known_of_items_stands_beside_the_answers() -> None:
    rows = [(*row, "office", "weather") for row in ROWS]
    answers = read(frame(rows, [*HEADINGS, "Topic", "mood"]))
    assert answers.items["topic"].to_dict() == {"007": "office", "008": "office"}
    assert answers.notes == ("not used: 1 column ('mood')",)


@each(
    ("mapping", "sentence"),
    [
        ({"lables": {}}, "did you mean 'labels'"),
        ({"order": ["a", "b", "a"]}, "twice"),
        ({"levels": {"a": float("nan")}}, "number"),
        ({"columns": {"item": 3}}, "columns.item"),
    ],
)
def test_a_map_that_cannot_be_is_one_sentence(mapping: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        read(ROWS, mapping=mapping)


def test_the_map_of_the_guide_reads_a_table() -> None:
    guide = (folder("guides") / "analysis.md").read_text("utf-8")
    mapping = tomllib.loads(guide.partition("```toml\n")[2].partition("```")[0])
    columns = ["meme", "worker", "culture", "label", "age", "gender", "submitted"]
    rows = [
        ("1", "a", "United States", "RUDE!", "30", "f", "2026-03-01"),
        ("1", "b", "DE", "Very rude", "40", "m", "2026-03-02"),
        ("1", "c", "DE", "don't know", "50", "f", ""),
        ("1", "model-a", "DE", "fine", "", "", ""),
    ]
    answers = read(frame(rows, columns), mapping=mapping)
    assert answers.table["label"].tolist() == ["very rude", "unsure", "rude"]
    assert answers.levels == {"fine": 0, "rude": 1, "very rude": 2}
    assert answers.cultures == ("DE", "US")
    assert answers.models["label"].tolist() == ["fine"]


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
