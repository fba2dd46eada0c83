"""The picture behind several memes: found by laying them on each other."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from bench.backgrounds import make_background
from memeloc.errors import InputError
from memeloc.localise.aligning import align, find_points, lay_on, open_pixels, refine
from memeloc.localise.protocol import FinishedMeme, Pixels
from memeloc.localise.recover import Recovered, RecoveredPictures, find_letters, recover, text_boxes
from memeloc.localise.restoring import make_restorer
from tests.localise.drawn_memes import CAPTIONS, SIZE, draw_memes, psnr, save, worn

pytest.importorskip("cv2")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("memes")


@pytest.fixture(scope="module")
def recovered(folder: Path) -> Recovered:
    return recover(save(worn(draw_memes(folder, "valley", 5, CAPTIONS)), folder, "worn"))


def true_picture(recovered: Recovered, kind: str, seed: int) -> Pixels:
    """The clean picture, laid as that of the meme that was only marked."""
    import cv2

    (matrix,) = (each.map for each in recovered.pictures if each.path.name == "worn-0.jpg")
    size = recovered.image.shape[1::-1]
    clean = make_background(kind, SIZE, seed)
    return np.asarray(cv2.warpAffine(clean, matrix, size, borderMode=cv2.BORDER_REPLICATE))


def test_what_a_meme_shows_is_recovered_at_35_db(recovered: Recovered) -> None:
    truth = true_picture(recovered, "valley", 5)
    shown = ~recovered.uncertain
    assert psnr(recovered.image[shown], truth[shown]) >= 35


@pytest.mark.slow
def test_colours_that_a_jpeg_blurred_end_at_a_drawings_contours(folder: Path) -> None:
    recovered = recover(save(draw_memes(folder, "drawing", 5, CAPTIONS), folder, "contours"))
    shown = ~recovered.uncertain
    assert psnr(recovered.image[shown], make_background("drawing", SIZE, 5)[shown]) >= 35


def test_uncertain_is_only_what_text_may_hide(recovered: Recovered) -> None:
    height = recovered.image.shape[0]
    assert 0 < recovered.uncertain.mean() < 0.1
    assert not recovered.uncertain[round(0.3 * height) : round(0.7 * height)].any()


def test_bar_of_one_meme_is_not_in_the_picture(recovered: Recovered) -> None:
    assert len(recovered.pictures) == 4
    assert abs(recovered.image.shape[0] - 310) < 14
    assert abs(recovered.image.shape[1] - 412) < 14


def test_each_meme_has_its_text(recovered: Recovered) -> None:
    texts = {each.path.name: each.text for each in recovered.pictures}
    top = {name: text[: text.shape[0] // 3].mean() for name, text in texts.items()}
    assert top["worn-3.jpg"] < 0.01 < top["worn-1.jpg"]


def test_picture_without_any_points_is_recovered(folder: Path) -> None:
    paths = save(draw_memes(folder, "gradient", 2, CAPTIONS), folder, "plain")
    recovered = recover(paths)
    shown = ~recovered.uncertain
    assert psnr(recovered.image[shown], make_background("gradient", SIZE, 2)[shown]) >= 38


def test_copies_of_one_meme_have_one_vote(folder: Path) -> None:
    tea, printer, *_ = draw_memes(folder, "valley", 5, CAPTIONS)
    paths = save([tea, tea.resize((378, 288)), tea, printer], folder, "copies")
    recovered = recover(paths)
    assert len(recovered.pictures) == 2
    assert [why for _, why in recovered.left_out] == ["its text is that of copies-0.jpg"] * 2


def test_other_pictures_are_left_out_with_a_reason(folder: Path) -> None:
    memes = draw_memes(folder, "valley", 5, CAPTIONS[:2])
    other = draw_memes(folder, "foliage", 9, CAPTIONS[:1])
    recovered = recover(save([*memes, *other], folder, "mixed"))
    assert recovered.left_out[0][0].name == "mixed-2.jpg"
    assert recovered.left_out[0][1] == "it does not lie on mixed-0.jpg"


def test_pictures_with_nothing_in_common_are_refused(folder: Path) -> None:
    first = draw_memes(folder, "valley", 5, CAPTIONS[:1])
    other = draw_memes(folder, "foliage", 9, CAPTIONS[1:2])
    with pytest.raises(InputError, match="fewer than two of the 2 pictures"):
        recover(save([*first, *other], folder, "apart"))


def test_boxes_stand_where_the_memes_have_their_text(recovered: Recovered) -> None:
    top, bottom = text_boxes(recovered)
    assert top.y + top.height < 0.3
    assert bottom.y > 0.7
    assert (top.valign, bottom.valign) == ("top", "bottom")


def test_meme_of_a_group_gets_its_own_picture_without_text(folder: Path) -> None:
    memes = worn(draw_memes(folder, "valley", 5, CAPTIONS))
    paths = save(memes, folder, "group")
    source = RecoveredPictures([paths], make_restorer("auto"))
    pixels = np.asarray(memes[1]).copy()
    truth = np.asarray(Image.fromarray(make_background("valley", SIZE, 5)).resize(memes[1].size))
    mask = np.abs(pixels.astype(int) - truth).max(axis=2) > 8
    found = source.find(FinishedMeme("group-1", paths[1], "", pixels), mask)
    assert found is not None
    assert found.how == "recovered"
    assert psnr(found.pixels, truth) > psnr(pixels, truth) + 8
    assert found.uncertain is not None
    assert (found.pixels[~mask] == pixels[~mask]).all()


def test_meme_without_others_on_its_picture_has_none(folder: Path) -> None:
    path = folder / "worn-0.jpg"
    source = RecoveredPictures([[path]], make_restorer("auto"))
    pixels = np.zeros((4, 4, 3), np.uint8)
    assert source.find(FinishedMeme("alone", path, "", pixels), pixels[..., 0] > 0) is None


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["valley", "drawing"])
def test_more_memes_never_make_a_worse_picture(kind: str, tmp_path: Path) -> None:
    chance = np.random.default_rng(4)
    words = ["tea", "again", "the", "printer", "has", "opinions", "rain", "it", "said", "sun"]
    captions = [
        " // ".join(" ".join(chance.choice(words, chance.integers(2, 7))) for _ in "ab")
        for _ in range(8)
    ]
    paths = []
    for number, image in enumerate(draw_memes(tmp_path, kind, 5, captions)):
        if number % 3 == 1:
            left, top, right, bottom = chance.integers(0, 10, 4).tolist()
            image = image.crop((left, top, image.width - right, image.height - bottom))
        if number % 2:
            scale = chance.uniform(0.7, 1)
            image = image.resize((round(image.width * scale), round(image.height * scale)))
        paths.append(tmp_path / f"{number}.jpg")
        image.save(paths[-1], quality=int(chance.integers(60, 91)))
    painter, truth = make_restorer("auto"), make_background(kind, SIZE, 5)

    def against_truth(picture: Pixels) -> float:
        size = picture.shape[1], picture.shape[0]
        matrix = align(find_points(picture), find_points(truth))
        assert matrix is not None
        laid, covers = lay_on(truth, refine(picture, truth, matrix), size)
        return psnr(picture[covers], laid[covers])

    reached = []
    for count in (2, 4, 8):
        result = recover(paths[:count])
        reached.append(against_truth(painter.restore(result.image, result.uncertain)))
        for each in result.pictures[:4]:
            single = open_pixels(each.path)
            texts = np.logical_or.reduce([letters.mask for letters in find_letters(single)])
            painted = painter.restore(single, texts)
            laid, _ = lay_on(painted, each.map, result.image.shape[1::-1])
            assert reached[-1] >= against_truth(laid) - 0.05
    assert np.diff(reached).min() > -0.2, reached
