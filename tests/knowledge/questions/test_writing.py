"""The benchmark's files."""

from __future__ import annotations

import json
from pathlib import Path

from memeloc.knowledge.benchmark import select, write_benchmark
from memeloc.knowledge.validity import Judged
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


def test_formulas_are_escaped(tmp_path: Path) -> None:
    assert "'=HYPERLINK" in (written(tmp_path) / "questions.csv").read_text("utf-8")


def test_same_selection_gives_the_same_bytes(tmp_path: Path) -> None:
    (tmp_path / "again").mkdir()
    first, second = written(tmp_path), written(tmp_path / "again")
    for name in ("questions.csv", "left_out.csv", "questions.json"):
        assert (first / name).read_bytes() == (second / name).read_bytes()
    about = json.loads((first / "questions.json").read_text("utf-8"))
    assert (about["seed"], about["questions"], about["recipe"]) == (5, 2, "m-quest")
