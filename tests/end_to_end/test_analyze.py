"""What answers show: of a survey, of anybody's table, in any columns, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from memeloc.analyze import Settings, figures, read_answers
from memeloc.reports.figures import wide
from tests.end_to_end.study import Study
from tests.worlds import label_of, write_table

QUICK = ("--repetitions", 40, "--permutations", 39, "--seed", 7)
MEMES = (
    "monday",
    "chef",
    "owl",
    "market",
    "zebra",
    "robot",
    "rain",
    "tea",
    "cat",
    "bus",
    "sun",
    "ox",
)
MAP = """
abstentions = ["unsure"]
order = ["fine", "rude", "very rude"]
models = ["parrot"]

[columns]
item = "meme"
annotator = "worker"
culture = "country"
label = "answer"
demographics = ["age", "gender"]
time = "sent"

[labels]
"fine" = "fine"
"RUDE!" = "rude"
"very" = "very rude"
"don't know" = "unsure"

[cultures]
"United States" = "US"
"Germany" = "DE"
"India" = "IN"
"""


def _answers(people: int = 6) -> list[dict[str, str]]:
    """Answers of three cultures on a scale, with a model's, a second answer and broken rows."""
    words = {"hate": "very", "no-hate": "fine", "unknown": "don't know"}
    rows = [
        {
            "meme": meme,
            "worker": f"{country[:2]}{person}",
            "country": country,
            "answer": "RUDE!"
            if (index + person) % 4 == 0
            else words[label_of(meme, "IN" if country == "India" else "US", person)],
            "age": ("18-29", "30-44", "45-60")[person % 3],
            "gender": ("woman", "man")[person % 2],
            "sent": f"2026-03-{1 + index:02d}T10:{person:02d}:00",
        }
        for country in ("United States", "Germany", "India")
        for person in range(people)
        for index, meme in enumerate(MEMES)
    ]
    model = [
        {**row, "worker": "parrot", "age": "", "gender": ""}
        for row in rows
        if row["worker"].endswith("1")
    ]
    again = {**rows[0], "answer": "RUDE!", "sent": "2026-04-01T10:00:00"}
    broken = [{**rows[0], "meme": ""}, {**rows[1], "answer": "rudee"}, {**rows[2], "worker": ""}]
    return [*rows, *model, again, *broken]


def test_a_survey_is_analysed(study: Study, world: Callable[..., Path]) -> None:
    world("labelled", study.folder)
    study.run("analyze", "pilot", *QUICK)
    study.files("analysis")
    study.file("analysis/methods.txt")
    for name in ("dividing-items", "differing"):
        study.file(f"analysis/tables/{name}.csv")
    only = ("--only", "agreement-between,dividing-items", "--out", "two", *QUICK)
    study.run("analyze", "pilot", *only, "--json")
    study.run("analyze", "nobody", status=1)
    study.run("analyze", "pilot", "--only", "nothing", status=1)
    study.check()


@pytest.mark.slow
def test_a_table_of_ones_own_with_a_map(study: Study) -> None:
    write_table(Path("answers.csv"), _answers())
    Path("map.toml").write_text(MAP, encoding="utf-8")
    memes = [
        {"item": meme, "category": ("food", "work")[index % 2], "topic": "office"}
        for index, meme in enumerate(MEMES)
    ]
    write_table(Path("memes.csv"), memes)
    told = ("--map", "map.toml", "--category", "memes.csv", "--pair", "US,IN", *QUICK)
    study.run("analyze", "answers.csv", *told)
    study.files("analysis/tables", "*.csv")
    for name in ("demographics", "standing-out"):
        study.file(f"analysis/tables/{name}.csv")
    some = ("--only", "label-shares,models,random-groups", "--out", "some")
    study.run("analyze", "answers.csv", *told, *some, "--json")
    study.check()


def test_columns_are_named_by_options(study: Study) -> None:
    rows = _answers(3)
    write_table(Path("answers.csv"), rows)
    columns = ("--map", "item=meme,annotator=worker,culture=country")
    only = ("--only", "agreement-within,agreement-between,random-groups")
    study.run("analyze", "answers.csv", *columns, "--map", "label=answer", *only, *QUICK)
    study.run("analyze", "answers.csv", *columns, "--map", "label=answr", *QUICK, status=1)
    study.run("analyze", "nothing.csv", *columns, *QUICK, status=1)
    Path("map.toml").write_text('[columns]\nitm = "meme"\n', encoding="utf-8")
    study.run("analyze", "answers.csv", "--map", "map.toml", *QUICK, status=1)
    write_table(Path("one.csv"), [row for row in rows if row["worker"] == "Un0"])
    study.run("analyze", "one.csv", *columns, "--map", "label=answer", *only, *QUICK)
    Path("empty.csv").write_text("meme,worker,country,answer\n", encoding="utf-8")
    study.run("analyze", "empty.csv", *columns, "--map", "label=answer", *QUICK, status=1)
    study.check()


def test_a_frame_from_a_notebook(study: Study) -> None:
    frame = pd.DataFrame(_answers())
    answers = read_answers(
        frame, item="meme", annotator="worker", culture="country", label="answer"
    )  # fmt: skip
    settings = Settings(seed=7, repetitions=40, permutations=39)
    rows = figures(answers, settings, ["agreement-within", "label-shares"])
    for analysis in dict.fromkeys(rows["analysis"]):
        study.show(analysis, wide(rows, analysis))
    study.check()
