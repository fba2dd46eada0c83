"""Answers made elsewhere are read and scored as those of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from memeloc.errors import InputError
from memeloc.evaluate.reading import score_answers
from memeloc.evaluate.scores import ScoreSettings
from memeloc.reports.figures import gaps, of_analysis
from tests.evaluate.reading.stored_answers import FORMS, write_answers, write_gold

FAST = ScoreSettings(bootstraps=20)


def scored(tmp_path: Path, **written: Any) -> pd.DataFrame:
    language = written.pop("told", "")
    write_answers(tmp_path / "responses.csv", **written)
    write_gold(tmp_path / "gold.csv")
    files = tmp_path / "responses.csv", tmp_path / "gold.csv"
    return score_answers(*files, language=language, settings=FAST).figures


def by_prompt(figures: pd.DataFrame, culture: str = "US") -> dict[str, float]:
    """By the number of the prompt the accuracy of the only model."""
    rows = of_analysis(figures, "prompts", "accuracy")
    rows = rows[rows["item"] == culture]
    return dict(zip(rows["group"].str.rpartition("prompt ")[2], rows["value"], strict=True))


def accuracy(figures: pd.DataFrame, culture: str, figure: str = "accuracy") -> float:
    rows = of_analysis(figures, "accuracy", figure)
    return float(rows["value"][rows["item"] == culture].item())


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("language", ["en", "hi"])
def test_reads_every_way_to_store_answers(tmp_path: Path, language: str, form: str) -> None:
    figures = scored(tmp_path, form=form, language=language, told=language)
    counts = of_analysis(figures, "answers").set_index("figure")["value"]
    assert counts.to_dict() == {"answers": 24, "items": 4, "invalid": 1, "refused": 1}
    assert by_prompt(figures) == {"0": 0.75, **{str(number): 1.0 for number in range(1, 6)}}
    assert accuracy(figures, "US") == pytest.approx(5.75 / 6)
    assert accuracy(figures, "US", "sd") == pytest.approx(0.25 / 6**0.5)
    assert accuracy(figures, "DE") == pytest.approx((0.25 + 5 * 0.5) / 6)


@pytest.mark.parametrize("language", ["en", "de", "hi"])
def test_reads_the_order_from_prompts_texts(tmp_path: Path, language: str) -> None:
    figures = scored(tmp_path, language=language, as_text=True)
    assert by_prompt(figures)["0"] == 0.75
    assert set(by_prompt(figures)) == set("012345")


def test_shown_options_go_before_the_number(tmp_path: Path) -> None:
    write_answers(tmp_path / "right.csv", form="chat")
    lines = (tmp_path / "right.csv").read_text("utf-8")
    swapped = lines.replace('007,0,"', '007,x,"').replace('007,1,"', '007,0,"')
    (tmp_path / "a.csv").write_text(swapped.replace('007,x,"', '007,1,"'), "utf-8")
    write_gold(tmp_path / "gold.csv")
    figures = score_answers(tmp_path / "a.csv", tmp_path / "gold.csv", settings=FAST).figures
    assert accuracy(figures, "US") == pytest.approx(5.75 / 6)
    assert any("2 answers" in note and "other order" in note for note in gaps(figures))


def test_a_wrong_label_of_a_named_column_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("ID,response\n7,a\n8,b\n")
    (tmp_path / "gold.csv").write_text("ID,US\n7,1\n8,maybe later\n")
    with pytest.raises(InputError, match="row 3, column US"):
        score_answers(
            tmp_path / "a.csv",
            tmp_path / "gold.csv",
            column_map={"columns": {"label": {"US": "US"}}},
            settings=FAST,
        )


def test_a_folder_a_model_and_a_file_a_language_in_one_call(tmp_path: Path) -> None:
    for model, language in (("cat", "en"), ("cat", "hi"), ("dog", "en")):
        (tmp_path / "results" / model).mkdir(parents=True, exist_ok=True)
        write_answers(tmp_path / f"results/{model}/responses_{language}.csv", language=language)
    lines = (tmp_path / "results/dog/responses_en.csv").read_text(encoding="utf-8").splitlines()
    (tmp_path / "results/dog/responses_en.csv").write_text("\n".join(lines[:-1]), "utf-8")
    write_gold(tmp_path / "gold.csv")
    figures = score_answers(tmp_path / "results", tmp_path / "gold.csv", settings=FAST).figures
    groups = set(of_analysis(figures, "accuracy", "accuracy")["group"])
    assert groups == {"cat · memes en", "cat · memes hi", "dog · memes en"}
    assert gaps(figures) == [
        "dog · memes en: 1 item without an answer to each prompt; item '010' lacks prompt 5."
    ]
    methods = set(of_analysis(figures, "accuracy", "accuracy")["method"])
    assert methods == {"mean over prompts; percentile bootstrap of templates"}
