"""Runs with all analyses, on captions whose words tell their labels."""

import csv
from itertools import product
from pathlib import Path

import pytest
from PIL import Image

from memeloc.errors import InputError
from memeloc.evaluate.protocols import analyze, protocol_names, read_protocol
from memeloc.evaluate.training import read_dataset, train

WORDS = {"harmless": "tea", "partially-harmful": "puddle", "very-harmful": "storm"}
PLACES = ("office", "kitchen", "bus", "garden")
TARGETS = {
    "office": "individual",
    "kitchen": "organization",
    "bus": "community",
    "garden": "society",
}

RUN = """
name = "weather"
seed = 3

[data]
table = "memes.csv"
pictures = "."
other = ["target"]
columns = {{ item = "item", label = "label", text = "text", picture = "picture", year = "year" }}

[labels]
taxonomy = "harmeme"

[features.words]
kind = "words"
fewest = 1
ngrams = [1, 1]

[[models]]
name = "majority"
classifier = "majority"

[[models]]
name = "words"
features = ["words"]

[split]
method = "seeded"

[confusion]

[target]
column = "target"
harmless = ["harmless"]
order = ["individual", "organization", "community", "society"]

[explain]
words = 3
items = 2
samples = 40

[temporal]
periods = 3
models = ["words"]

[transfer]
dataset = "harmeme"
models = ["words"]

[[transfer.targets]]
name = "multi3hate"
window = [2001, 2003]
data.table = "{other}"
data.columns = {{ item = "item", label = "label", text = "text" }}
"""


def write(path, rows):
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, list(rows[0]))
        table.writeheader()
        table.writerows(rows)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    Image.new("RGB", (20, 20), (200, 220, 240)).save(folder / "sky.png")
    rows = [
        {
            "item": f"{number:03}",
            "label": label,
            "text": f"{word} in the {place}",
            "picture": "sky.png",
            "year": 2000 + number % 5,
            "target": TARGETS[place] if label != "harmless" else "",
        }
        for number, ((label, word), place, _) in enumerate(
            product(WORDS.items(), PLACES, range(10))
        )
    ]
    write(folder / "memes.csv", rows)
    # Puddles and tea have changed sides.
    others = [
        {"item": str(number), "label": label, "text": f"{word} at the {place}"}
        for number, ((label, word), place, _) in enumerate(
            product((("hate", "storm"), ("no-hate", "puddle")), PLACES, range(5))
        )
    ]
    write(folder / "others.csv", others)
    (folder / "run.toml").write_text(RUN.format(other="others.csv"))
    return folder


@pytest.fixture(scope="module")
def analyses(folder):
    run = read_protocol(folder / "run.toml")
    dataset = read_dataset(run.data, run.labels, folder / "out")
    return analyze(train(dataset, run, folder / "out"), run, folder / "out")


@pytest.fixture(scope="module")
def tables(analyses):
    """By name the rows of each table."""
    return {
        table.name: table.frame.to_dict("records")
        for section in analyses.sections
        for table in section.tables
    }


def test_each_analysis_that_a_run_names_is_a_section(analyses):
    assert [section.name for section in analyses.sections] == [
        "confusion",
        "confusion-harmful",
        "targets",
        "telling-words",
        "explanations",
        "temporal",
        "transfer",
    ]


def test_telling_words_are_those_of_the_labels(tables):
    rows = tables["telling-words"]
    assert {row["label"]: row["term"] for row in rows if row["rank"] == 1} == WORDS


def test_the_word_of_the_label_explains_an_item(tables, analyses):
    rows = tables["explanations"]
    assert len(analyses.cards["explanations"]) == 2
    best = {row["item"]: row for row in reversed(rows)}
    assert len(best) == 2
    for row in best.values():
        assert row["part"] == WORDS[row["label"]]
        assert row["label"] == row["gold"]


def test_targets_are_learned_from_harmful_items(tables):
    rows = {(row["model"], row["after"]): row for row in tables["targets"]}
    assert rows["words", "true harm"]["f1"] == 1
    assert rows["words", "predicted harm"]["f1"] == 1
    assert rows["majority", "true harm"]["f1"] < 0.3


def test_periods_of_a_run_cover_its_years(tables):
    rows = tables["temporal"]
    assert {row["model"] for row in rows} == {"words"}
    assert len({row["trained_on"] for row in rows}) == 3
    assert {row["task"] for row in rows} == {"3 classes", "2 classes"}
    assert all(row["f1"] == 1 for row in rows)


def test_transfer_loses_where_words_change_sides(tables):
    rows = {row["configuration"]: row for row in tables["transfer"]}
    assert rows["base"]["f1"] == 1
    assert rows["full"]["f1"] < 0.5
    assert rows["aligned"]["delta"] < -0.4
    assert rows["aligned"]["train_items"] == rows["base"]["train_items"]
    assert rows["aligned"]["years"] in ("2001-2003", "2002-2003", "2001-2002")
    assert rows["reverse"]["delta"] < 0


def test_a_model_that_is_not_there_cannot_be_analysed(folder):
    path = folder / "wrong.toml"
    text = RUN.format(other="others.csv").replace('models = ["words"]', 'models = ["sums"]', 1)
    path.write_text(text)
    with pytest.raises(InputError, match="sums is no model of the run"):
        read_protocol(path)


def test_periods_without_a_column_of_years_are_an_error(folder):
    path = folder / "undated.toml"
    path.write_text(RUN.format(other="others.csv").replace(', year = "year"', ""))
    with pytest.raises(InputError, match="needs the column of years"):
        read_protocol(path)


@pytest.mark.parametrize("name", protocol_names())
def test_shipped_runs_are_valid(name):
    run = read_protocol(name)
    assert {"charmemes", "harmeme", "araharmeme"} >= {name.partition("-")[0]}
    assert run.data.table == str(Path("memes.csv"))


def test_an_unknown_run_names_those_that_ship():
    with pytest.raises(InputError, match="shipped are araharmeme, charmemes"):
        read_protocol("nothing")


@pytest.mark.slow
def test_the_command_writes_analyses_onto_its_page(folder, command):
    outcome = command("evaluate", "train", folder / "run.toml", "--out", folder / "page")
    assert outcome.status == 0, outcome.err
    page = (folder / "page" / "report.html").read_text(encoding="utf-8")
    assert "Models of one period on another" in page
    assert "What single answers rest on" in page
