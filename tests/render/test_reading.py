"""A set is read as one table, whole or in part, by memeloc and by others."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.dataset
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageChops

from memeloc.errors import InputError
from memeloc.locales import default
from memeloc.locales.words import word_spans
from memeloc.model import Template, TextBox, TextStyle
from memeloc.object_storage import folder_at
from memeloc.render import Renderer
from memeloc.render.sets.manifest import (
    MANIFEST,
    SCHEMA,
    name_of,
    rows_table,
    table_key,
    write_table,
)
from memeloc.render.sets.parallel_set import render_table
from memeloc.render.sets.reading import (
    has_set,
    open_set,
    read_pictures,
    shown_pictures,
    write_words,
)

LANGUAGES = ("en", "de", "hi")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A set of five tables; the captions table has the last meme no longer."""
    out = tmp_path_factory.mktemp("set")
    for number in range(5):
        rows = [
            {
                "meme_id": f"m{number}{n}",
                "language": language,
                "locale": language,
                "path": f"{language}/tea/m{number}{n}.jpg",
                "text": f"tea {number}{n}",
                "problems": [],
                "in_table": (number, n) != (4, 9),
            }
            for n in range(10)
            for language in LANGUAGES
        ]
        write_table(folder_at(out), table_key(name_of(1, number)), rows_table(rows))
    return out


def test_memeloc_reads_what_is_asked_for(made: Path) -> None:
    pictures = list(read_pictures(made, ["meme_id", "path"], ["de"]))
    assert [picture["meme_id"] for picture in pictures] == [f"m{n:02d}" for n in range(49)]
    assert {*pictures[0]} == {"meme_id", "path"}
    shown = shown_pictures(made, {"de"})
    assert shown["m07", "de"] == (made / "de/tea/m07.jpg", "tea 07")
    assert shown_pictures(made, {"fr"}) == {}
    assert open_set(made).schema.equals(SCHEMA)


def test_pyarrow_and_pandas_read_it_as_one(made: Path) -> None:
    german = [("language", "==", "de")]
    assert len(pd.read_parquet(made / MANIFEST, columns=["text"], filters=german)) == 50
    assert pq.read_table(made / MANIFEST).num_rows == 150
    dataset = pyarrow.dataset.dataset(made / MANIFEST)
    assert dataset.to_table(filter=pyarrow.dataset.field("language") == "de").num_rows == 50


def test_polars_reads_it_as_one(made: Path) -> None:
    polars = pytest.importorskip("polars")
    rows = polars.scan_parquet(made / MANIFEST / "*.parquet")
    assert rows.filter(polars.col("language") == "de").collect().height == 50


def test_duckdb_reads_it_as_one(made: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    rows = duckdb.sql(f"SELECT * FROM '{made}/manifest/*.parquet' WHERE language = 'de'")
    assert len(rows.fetchall()) == 50


def test_datasets_reads_it_as_one(made: Path, tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    files = sorted(map(str, (made / MANIFEST).iterdir()))
    loaded = datasets.Dataset.from_parquet(files, cache_dir=str(tmp_path))
    assert len(loaded.filter(lambda row: row["language"] == "de")) == 50


def test_a_set_made_before_is_read_as_it_is(made: Path, tmp_path: Path) -> None:
    pq.write_table(open_set(made).to_table(), tmp_path / "manifest.parquet")
    assert has_set(tmp_path)
    assert list(read_pictures(tmp_path, ["text"], ["hi"])) == list(
        read_pictures(made, ["text"], ["hi"])
    )
    without = open_set(made).to_table().drop_columns(["words"])
    pq.write_table(without, tmp_path / "manifest.parquet")
    with pytest.raises(InputError, match=r"has no column 'words'; run `memeloc render` again"):
        list(read_pictures(tmp_path, ["words"]))


def test_what_cannot_be_read_is_a_sentence(made: Path, tmp_path: Path) -> None:
    assert not has_set(tmp_path)
    with pytest.raises(InputError, match="no manifest here; give the folder that"):
        list(read_pictures(tmp_path, ["text"]))
    with pytest.raises(InputError, match="no pictures in 'fr'; there are de, en, hi"):
        list(read_pictures(made, ["text"], ["fr"]))
    (tmp_path / "manifest").mkdir()
    (tmp_path / "manifest/000001-00000000.parquet").write_bytes(b"PAR1 and then nothing")
    with pytest.raises(InputError, match="cannot be read as Parquet"):
        list(read_pictures(tmp_path, ["text"]))
    with pytest.raises(InputError, match="s3://memes/set: is in object storage: fetch it"):
        shown_pictures("s3://memes/set")


WIDTH, HEIGHT = 480, 320


CAPTIONS = {
    "en": "the office fire drill, again!",
    "de": "Donaudampfschiff im Büro",
    "ar": "لا إله في الشاي v2 اليوم",
    "he": "שלום (hello) עולם 12",
    "hi": "क्षत्रिय ज्ञान की बिल्ली",
    "th": "ฉันตากผ้า แล้วฝนตก",
    "zh": "你好，世界（办公室）的猫",
    "ja": "会議が「また」延びました。",
    "ko": "회의가 또 길어졌다",
    "my": "မြန်မာ ကြောင်",
    "ur": "چائے تیار ہے",
}


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Template:
    image = tmp_path_factory.mktemp("templates") / "plain.png"
    Image.new("RGB", (WIDTH, HEIGHT), "#4477aa").save(image)
    box = TextBox("middle", 0.2, 0.25, 0.6, 0.5, style=TextStyle(max_size=0.12))
    return Template("plain", image, (box,))


def _inside(box: tuple[int, ...], other: tuple[int, ...]) -> bool:
    return other[0] <= box[0] < box[2] <= other[2] and other[1] <= box[1] < box[3] <= other[3]


_LETTERS = st.text("abgim fj.,-(é) ابتلاش 12 कखिक्षा 你好世界， ฉันตาก ff", min_size=1, max_size=40)


@given(_LETTERS.filter(lambda text: any(map(str.isalnum, text))), st.sampled_from(["en", "ar"]))
def test_words_lie_in_their_line_and_lines_in_the_ink(
    renderer: Renderer, template: Template, text: str, language: str
) -> None:
    part = renderer.render(template, text, language).proof.parts[0]
    if part.ink is None:
        return
    assert len(part.boxes.lines) == len(part.lines)
    for line in part.boxes.lines:
        assert line is None or _inside(line, part.ink)
    for word in part.boxes.words:
        line = part.boxes.lines[word.line]
        assert line is not None
        assert _inside(word.box, line)


@pytest.mark.parametrize("language", CAPTIONS)
def test_boxes_go_around_the_ink_in_the_picture(
    renderer: Renderer, template: Template, language: str
) -> None:
    rendered = renderer.render(template, CAPTIONS[language], language)
    (part,) = rendered.proof.parts
    assert [word.text for word in part.boxes.words] == [
        line[slice(*span)]
        for line in part.lines
        for span in word_spans(line, default().get(language))
    ]
    difference = ImageChops.difference(rendered.image, Image.open(template.image))
    ink = np.asarray(difference).any(axis=2)
    covered = np.zeros_like(ink)
    for word in part.boxes.words:
        left, top, right, bottom = word.box
        covered[top:bottom, left:right] = True
        assert ink[top:bottom, left:right].any()
        # No looser than a pixel and a half and the outline's antialiasing.
        rows, columns = np.nonzero(ink[top:bottom, left:right])
        assert rows.min() <= 3
        assert bottom - top - 1 - rows.max() <= 3
        assert columns.min() <= 3
        assert right - left - 1 - columns.max() <= 3
    assert not (ink & ~covered).any()


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
