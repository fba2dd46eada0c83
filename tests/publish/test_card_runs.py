"""What a card tells readers to run does run: each block, in each layout, and reads it all."""

import json
import os
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

os.environ.setdefault("HF_HUB_OFFLINE", "1")

from memeloc.publish.publishing import publish
from memeloc.publish.release import Release
from tests.publish.releases import SPLITS, small_release, table, tables

pytestmark = pytest.mark.filterwarnings("ignore")
HARD = ("None", "null", "NA", "=(", "@everyone", "-10%", "'=x", "007", "a\nb", "")
LAYOUTS: list[tuple[str, dict[str, Any]]] = [
    ("hf", {}), ("hf", {"pictures": "folder"}), ("csv", {}), ("webdataset", {}),
]  # fmt: skip


def _hard_release(folder: Path, languages: tuple[str, ...], with_pictures: bool = True) -> Release:
    """Memes whose captions, ids and rows other programs like to take for something else."""
    small = small_release(folder)
    texts = dict(zip(SPLITS, HARD, strict=False))
    rows = {"lines": [], "line_boxes": [], "words": [], "problems": [], "width": None}
    pictures = [
        replace(
            each,
            row={**each.row, "text": texts[each.meme], **rows},
            file=each.file if with_pictures else None,
        )
        for each in small.pictures()
        if each.language in languages
    ]
    captions = [
        (f"m{number}", language, "t", text)
        for number, text in enumerate(HARD)
        for language in languages
    ]
    columns = {"meme_id": "the meme", "language": "tag", "template": "picture", "text": "caption"}
    years = table("years", [("nap",)], meme_id="the meme")
    years.frame["year"] = pd.array([None], dtype="Int64")
    years = replace(years, columns={**years.columns, "year": "when"})
    return replace(
        small,
        languages=languages,
        pictures=lambda: iter(pictures),
        counts=dict(Counter((each.language, each.split) for each in pictures)),
        tables={**tables(), "years": years, "captions": table("captions", captions, **columns)},
    )


def _blocks(folder: Path, language: str) -> list[str]:
    card = (folder / "README.md").read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", card, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("languages", [("en", "de"), ("de",)], ids="-".join)
@pytest.mark.parametrize(("layout", "options"), LAYOUTS, ids=str)
@pytest.mark.parametrize("with_pictures", [True, False])
def test_each_block_of_each_card_runs(
    layout: str,
    options: dict[str, Any],
    languages: tuple[str, ...],
    with_pictures: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if layout == "webdataset" and not with_pictures:
        pytest.skip("shards are of pictures")
    release = _hard_release(tmp_path / "made", languages, with_pictures)
    folder = tmp_path / "cats"
    publish(release, folder, layout, options=options)
    monkeypatch.chdir(folder)
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", str(tmp_path / "cache"))
    names: dict[str, Any] = {}
    blocks = _blocks(folder, "python")
    programs = {"datasets", "pandas", "mlcroissant"}
    programs |= {"webdataset"} if layout == "webdataset" else set()
    assert all(any(f" {program}" in block for block in blocks) for program in programs)
    for block in blocks:
        exec(compile(block, "README.md", "exec"), names)
    train = [picture for picture in release.pictures() if picture.split == "train"]
    rows = [row.get("json", row) for row in names["pictures"]]
    assert sorted((row["text"], row["split"]) for row in rows) == sorted(
        (picture.row["text"], "train") for picture in train
    )
    if with_pictures and layout == "csv":
        assert all((folder / "pictures" / row["path"]).is_file() for row in rows)
    elif with_pictures:
        key = "png" if layout == "webdataset" else "image"
        assert {row[key].size for row in names["pictures"]} == {(96, 64)}
    captions = names["captions"]  # a dataset, or what pandas read after it
    texts = ["" if pd.isna(text) else text for text in captions["text"]]
    assert list(dict.fromkeys(texts)) == list(HARD)
    assert json.loads(_blocks(folder, "json")[0])["split"] == "train"


def test_captions_in_a_released_csv_are_the_captions(tmp_path: Path) -> None:
    publish(_hard_release(tmp_path / "made", ("en", "de")), tmp_path / "csv", "csv")
    for name, column in {"captions.csv": "en", "tables/captions.csv": "text"}.items():
        frame = pd.read_csv(tmp_path / "csv" / name, dtype=str, keep_default_na=False)
        assert list(dict.fromkeys(frame[column])) == list(HARD)


@pytest.mark.parametrize(("layout", "options"), LAYOUTS, ids=str)
def test_the_same_release_twice_is_the_same_bytes(
    layout: str, options: dict[str, Any], tmp_path: Path
) -> None:
    contents, release = [], small_release(tmp_path / "made")
    for name in ("one", "two"):
        out = tmp_path / name
        publish(release, out, layout, options=options)
        files = (path for path in out.rglob("*") if path.is_file())
        contents.append({path.relative_to(out): path.read_bytes() for path in files})
    assert contents[0] == contents[1]
