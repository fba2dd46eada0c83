"""The benchmark's files."""

from __future__ import annotations

import json
from pathlib import Path

from memeloc.evaluate.runs.run import read_run
from memeloc.evaluate.runs.tables import read_table_data
from memeloc.knowledge.questions.judging import Judged
from memeloc.knowledge.questions.selecting import select
from memeloc.knowledge.questions.writing import write_benchmark
from tests.knowledge.questions.asked import question

YES = Judged("yes", "yes")


def written(tmp_path: Path) -> Path:
    picture = tmp_path / "a picture.png"
    picture.write_bytes(b"\x89PNG")
    questions = [
        question("x/1", explanation='=HYPERLINK("x")'),
        question("x/1", "scene", correct="B", plausible="-3 °C, heute", implausible="猫が寝る"),
        question("y"),
    ]
    chosen = select(questions, {"x/1/toxicity": YES}, {"x/1/scene": YES})
    out = tmp_path / "benchmark"
    captions = {"x/1": "قطة // नमस्ते"}
    write_benchmark(chosen, out, {"x/1": picture}, captions, seed=5, about={"recipe": "m-quest"})
    return out


def test_evaluation_reads_the_questions(tmp_path: Path) -> None:
    out = written(tmp_path)
    run, _ = read_run("multiple-choice", {})
    data = read_table_data(run, out / "questions.csv")
    first, second = data.items
    assert (first.id, first.meme, first.dimension) == ("x/1/toxicity", "x/1", "toxicity")
    assert set(second.options) == {"B", "-3 °C, heute", "猫が寝る", "None of the others"}
    assert first.text == "قطة // नमस्ते"
    assert first.picture is not None
    assert first.picture.read_bytes() == b"\x89PNG"
    assert data.gold is not None
    assert data.gold.table.loc["x/1/scene"].tolist() == ["B"]


def test_formulas_are_escaped(tmp_path: Path) -> None:
    assert "'=HYPERLINK" in (written(tmp_path) / "questions.csv").read_text("utf-8")


def test_what_fell_out_is_kept_with_its_reason(tmp_path: Path) -> None:
    rows = (written(tmp_path) / "left_out.csv").read_text("utf-8").splitlines()
    assert len(rows) == 2
    assert rows[1].endswith(",toxicity,not judged")


def test_same_selection_gives_the_same_bytes(tmp_path: Path) -> None:
    (tmp_path / "again").mkdir()
    first, second = written(tmp_path), written(tmp_path / "again")
    for name in ("questions.csv", "left_out.csv", "questions.json"):
        assert (first / name).read_bytes() == (second / name).read_bytes()
    about = json.loads((first / "questions.json").read_text("utf-8"))
    assert (about["seed"], about["questions"], about["recipe"]) == (5, 2, "m-quest")
