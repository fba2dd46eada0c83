"""The picture behind several memes: found by laying them on each other."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw

from bench.backgrounds import Pixels, make_background
from memeloc.errors import InputError
from memeloc.localise.recover import Recovered, recover
from memeloc.model import Template, TextBox
from memeloc.render import Renderer

pytest.importorskip("cv2")

SIZE = 420, 320
CAPTIONS = ("tea // again", "the printer // has opinions today", "rain // it said sun", "// ok")
BOXES = (
    TextBox("top", 0.03, 0.02, 0.94, 0.2, valign="top"),
    TextBox("bottom", 0.03, 0.78, 0.94, 0.2, valign="bottom"),
)


def psnr(first: Pixels, second: Pixels) -> float:
    error = float(np.mean((first.astype(float) - second) ** 2))
    return float(10 * np.log10(255**2 / max(error, 1e-9)))


def draw_memes(folder: Path, kind: str, seed: int, captions: Sequence[str]) -> list[Image.Image]:
    file = folder / f"{kind}-{seed}.png"
    Image.fromarray(make_background(kind, SIZE, seed)).save(file)
    renderer = Renderer()
    template = Template(file.stem, file, BOXES)
    return [renderer.render(template, text, "en").image.convert("RGB") for text in captions]


def save(images: Sequence[Image.Image], folder: Path, name: str) -> list[Path]:
    paths = [folder / f"{name}-{number}.jpg" for number in range(len(images))]
    for image, path in zip(images, paths, strict=True):
        image.save(path, quality=92)
    return paths


def worn(images: Sequence[Image.Image]) -> list[Image.Image]:
    """One with a mark, one scaled, one cropped, one below a bar."""
    marked, scaled, cropped, barred = (image.copy() for image in images)
    ImageDraw.Draw(marked).text((300, 150), "cats.example", fill="#dddddd")
    scaled = scaled.resize((336, 256), Image.Resampling.BICUBIC)
    cropped = cropped.crop((8, 10, 414, 320))
    with_bar = Image.new("RGB", (SIZE[0], SIZE[1] + 40), "white")
    with_bar.paste(barred, (0, 40))
    return [marked, scaled, cropped, with_bar]


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
