"""The table of words and their boxes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from memeloc.errors import InputError
from memeloc.render.sets.parallel_set import render_table
from memeloc.render.sets.reading import write_words


@pytest.fixture(scope="module")
def rendered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("set")
    (folder / "captions.csv").write_text(
        "meme_id,template,en,ar\n"
        "m1,protest-hamster,two eggs,بيضتان هنا\n"
        'm2,cloud-monday,"tea, please // now","شاي // "\n',
        encoding="utf-8",
    )
    out = folder / "out"
    render_table(folder / "captions.csv", out, languages="all", max_side=300, format="png")
    return out


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_words_stand_in_the_order_of_reading(rendered: Path, tmp_path: Path, suffix: str) -> None:
    file = tmp_path / f"words.{suffix}"
    assert write_words(rendered, file) == 8
    words = pd.read_csv(file) if suffix == "csv" else pd.read_parquet(file)
    english = words[words["language"] == "en"]
    assert [*english["text"]] == ["two", "eggs", "TEA,", "PLEASE", "NOW"]
    assert [*english["part"]] == ["sign", "sign", "top", "top", "bottom"]
    assert [*words.loc[words["language"] == "ar", "text"]] == ["بيضتان", "هنا", "شاي"]
    assert words["legible"].all()


def test_there_is_ink_in_each_box(rendered: Path, tmp_path: Path) -> None:
    write_words(rendered, tmp_path / "words.parquet", ["en"])
    for word in pd.read_parquet(tmp_path / "words.parquet").itertuples():
        pixels = np.asarray(Image.open(rendered / word.path).convert("L"), np.int16)
        assert pixels.shape == (word.height, word.width)
        xs, ys = word[-9:-1:2], word[-8:-1:2]
        box = pixels[min(ys) : max(ys), min(xs) : max(xs)]
        assert box.max() - box.min() > 100
    with pytest.raises(InputError, match="written as"):
        write_words(rendered, tmp_path / "words.json")


def test_an_example_makes_coco_text_of_them(rendered: Path, tmp_path: Path) -> None:
    write_words(rendered, tmp_path / "words.parquet")
    example = Path(__file__).parents[2] / "examples" / "coco_text.py"
    subprocess.run([sys.executable, example], cwd=tmp_path, check=True)
    coco = json.loads((tmp_path / "coco-text.json").read_text("utf-8"))
    assert (len(coco["imgs"]), len(coco["anns"])) == (4, 8)
    for image, ids in coco["imgToAnns"].items():
        assert all(coco["anns"][str(id)]["image_id"] == int(image) for id in ids)
    assert coco["imgs"]["1"]["width"] == 300
    (first,) = (word for word in coco["anns"].values() if word["utf8_string"] == "TEA,")
    assert (first["language"], first["legibility"]) == ("english", "legible")
    left, top, width, height = first["bbox"]
    assert first["mask"] == [
        *(left, top, left + width, top, left + width, top + height, left, top + height)
    ]
