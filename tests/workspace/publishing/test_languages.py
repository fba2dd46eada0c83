"""A collected meme is one meme in all its languages, and a caption stands in one split."""

from __future__ import annotations

from pathlib import Path

from memeloc.workspace import Workspace
from tests.collect.datasets_on_disk import put
from tests.curate.drawn import as_png, draw_picture
from tests.workspace.publishing.published import with_settings
from tests.worlds import memeloc, write_table

LANGUAGES = ("en", "de", "hi")
MEMES = 10


def _multi3hate(root: Path) -> Path:
    for language in LANGUAGES:
        rows = []
        for number in range(MEMES):
            text = f"tea number {number} // {language}"
            names = ("Meme ID", "Template Name", "Original (English)", "Translation")
            rows.append(dict(zip(names, (number, f"Dog {number % 5}", text, text), strict=True)))
            drawn = draw_picture(10 * number + LANGUAGES.index(language), 64, 48)
            put(root / f"data/memes/{language}/{number}.png", as_png(drawn))
        (root / "data/captions").mkdir(exist_ok=True)
        write_table(root / f"data/captions/{language}.csv", rows)
    votes = {"US": 0, "DE": 1, "MX": 0, "IN": 1, "CN": 0}
    rows = [{"Meme ID": number} | votes for number in range(MEMES)]
    write_table(root / "data/final_annotations.csv", rows)
    return root


def test_a_meme_has_one_id_from_collecting_to_publishing(tmp_path: Path) -> None:
    source = _multi3hate(tmp_path / "Multi3Hate")
    memeloc(tmp_path, "init", "set", "--langs", "de,hi")
    memeloc(tmp_path / "set", "collect", "multi3hate", source)
    memeloc(tmp_path / "set", "select", "--kind", "picture")
    with Workspace.open(tmp_path / "set") as workspace:
        items = workspace.table("items")
        pictures = items[items["kind"] == "picture"]
        assert (len(pictures), pictures["meme"].nunique()) == (MEMES * len(LANGUAGES), MEMES)
        splits = {"train": 0.5, "test": 0.5}
        release = with_settings(workspace, splits=splits).publishing.gather(with_pictures=False)
    released = list(release.pictures())
    memes = {picture.meme for picture in released}
    assert (len(released), memes) == (MEMES * len(LANGUAGES), set(pictures["meme"]))
    assert len({(picture.meme, picture.split) for picture in released}) == MEMES
    assert {picture.path for picture in released} == {
        f"{language}/{meme}.png" for language in LANGUAGES for meme in memes
    }
    assert len(release.tables["memes"].frame) == MEMES
    labels = release.tables["collected_labels"].frame
    assert labels.groupby("language")["label"].unique().map(list).to_dict() == {
        "en": ["0"], "de": ["1"], "hi": ["1"],
    }  # fmt: skip


def test_the_same_caption_is_in_one_split(tmp_path: Path) -> None:
    memeloc(tmp_path, "init", "set", "--langs", "de")
    texts = ["When the tea is ready at last", "when the tea is ready, at last!"]
    texts += ["When the teas are ready at last", "owl", "cat", "dog", "hen", "pig", "cow", "elk"]
    for number in range(10):
        put(tmp_path / f"pictures/{number}.png", as_png(draw_picture(number, 64, 48)))
    rows = [{"meme_id": f"m{n}", "template": str(n), "en": text} for n, text in enumerate(texts)]
    write_table(tmp_path / "captions.csv", rows)
    folder = tmp_path / "set"
    memeloc(folder, "import", "../captions.csv", "--templates", "../pictures")
    with Workspace.open(folder) as workspace:
        for seed in range(6):
            splits = {"train": 0.5, "test": 0.5}
            settings = {"splits": splits, "seed": seed, "captions": "any"}
            release = with_settings(workspace, **settings).publishing.gather(with_pictures=False)
            memes = release.tables["memes"].frame
            assert memes[memes["template"].isin(["0", "1", "2"])]["split"].nunique() == 1
            assert memes["split"].nunique() == 2
