"""Quality of pictures: what is measured, once, and what people's answers decide."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFilter

from memeloc.curate.filters.quality import FEATURE, QualityFilter, measure
from memeloc.curate.protocol import FilterContext
from memeloc.curate.verdict import Judgement
from memeloc.ocr.transcript import NO_TEXT, UNSURE
from tests.curate.items import picture
from tests.curate.judging import filter_context


def _scene(width=500, height=400):
    """Shapes in many sizes: edges as a photograph has them."""
    random = np.random.default_rng(2)
    scene = Image.new("RGB", (width, height), "#88a0b0")
    pen = ImageDraw.Draw(scene)
    for _ in range(300):
        x, y = random.integers(0, width), random.integers(0, height)
        size = int(random.integers(4, 60))
        colour = tuple(int(value) for value in random.integers(0, 256, 3))
        pen.ellipse((x, y, x + size, y + size), fill=colour)
    return scene


@pytest.fixture
def save(tmp_path):
    def saved(image, name="scene.png"):
        path = tmp_path / name
        image.save(path)
        return path

    return saved


def test_blur_depends_on_sharpness_and_not_on_size(save):
    scene = _scene()
    sharp = measure(save(scene))["blur"]
    blurs = [
        measure(save(scene.filter(ImageFilter.GaussianBlur(radius)), f"{radius}.png"))["blur"]
        for radius in (1, 2, 5, 10)
    ]
    assert [sharp, *blurs] == sorted([sharp, *blurs], reverse=True)
    assert sharp > 500
    assert blurs[2] < 40
    assert blurs[3] < 15
    double = measure(save(scene.resize((1000, 800), Image.Resampling.LANCZOS), "double.png"))
    assert double["blur"] == pytest.approx(sharp, rel=0.25)


def test_the_laplacian_is_the_four_neighbours(save):
    dot = Image.new("L", (9, 9), 0)
    dot.putpixel((4, 4), 255)
    # One pixel of -4 * 255 and four of 255 among 81: their mean is 0, so the variance is this.
    expected = (16 + 4) * 255**2 / 81
    assert measure(save(dot))["blur"] == pytest.approx(expected, abs=0.01)


def _judge(path, *parts, settings=None, context=None, kind="picture", name="p"):
    filter_ = QualityFilter(settings or {}, context or FilterContext())
    (verdict,) = filter_.judge([picture(name, path, *parts, kind=kind)])
    return verdict.verdict, verdict.reason


def test_a_picture_is_measured_once(save):
    path = save(_scene())
    stored: dict[str, dict[str, object]] = {}
    context = FilterContext(
        features=lambda name, shas: {
            sha: value for sha, value in stored.get(name, {}).items() if sha in shas
        },
        add_features=lambda name, values: stored.setdefault(name, {}).update(values),
    )
    first = _judge(path, "text", context=context)
    assert set(stored[FEATURE]) == {"p"}
    path.unlink()
    assert _judge(path, "text", context=context) == first


def test_many_pictures_are_measured_by_several_processes(save):
    path = save(_scene(160, 160), "many.jpg")
    items = [picture(f"p{number}", path, "text") for number in range(210)]
    alone = {v.item: v for v in QualityFilter({}, FilterContext()).judge(items)}
    together = {v.item: v for v in QualityFilter({}, FilterContext(jobs=2)).judge(items)}
    assert alone == together
    assert len(alone) == 210


def test_text_is_only_looked_at_where_it_may_reject(save):
    path = save(_scene())
    assert _judge(path, "") == ("ask", "not read yet")
    assert _judge(path, "", settings={"reject": ("irrelevant",)}) == ("keep", "")


@dataclass(frozen=True)
class Read:
    """A transcript, as the workspace hands it out."""

    marks: tuple[str, ...]
    person: str = ""


@pytest.mark.parametrize(
    ("read", "parts", "judgements", "outcome"),
    [
        (None, (), (), ("ask", "not read yet")),
        (None, ("text of the source",), (), ("keep", "")),
        (Read(()), ("text",), (), ("keep", "")),
        (Read((NO_TEXT,)), (), (), ("ask", "no text")),
        (Read((NO_TEXT,)), (), (Judgement("p", "no-text", "ana", "yes"),), ("drop", "no text")),
        (Read((UNSURE,)), ("txt",), (), ("ask", "unreadable text")),
        (Read((UNSURE,), "ana"), ("text",), (), ("keep", "")),
        (Read((UNSURE,), "ana"), (), (), ("drop", "no text")),
    ],
)
def test_text_in_the_picture(save, read, parts, judgements, outcome):
    context = replace(filter_context(judgements), transcripts={"p": read} if read else {})
    assert _judge(save(_scene()), *parts, context=context) == outcome


def test_answers_and_marks_change_the_stamp(save):
    item = picture("p", save(_scene()), "text")
    plain = QualityFilter({}, FilterContext()).cache_key(item)
    assert QualityFilter({}, FilterContext()).cache_key(item) == plain
    said = Judgement("p", "cartoon", "a", "no")
    assert QualityFilter({}, filter_context([said])).cache_key(item) != plain
    marked = FilterContext(transcripts={"p": Read((UNSURE,))})
    assert QualityFilter({}, marked).cache_key(item) != plain


def test_sizes_and_shapes(save):
    scene = _scene()
    assert _judge(save(scene), "text") == ("keep", "")
    assert _judge(save(scene), kind="template") == ("keep", "")
    assert _judge(save(scene.resize((149, 400))), "text") == ("drop", "too small")
    assert _judge(save(scene.resize((900, 200))), "text") == ("drop", "stretched")
    assert _judge(save(Image.new("RGB", (300, 300), "grey")), "text") == ("drop", "blank")
    soft = scene.filter(ImageFilter.GaussianBlur(12))
    assert _judge(save(soft), "text") == ("drop", "blurred")
    assert _judge(save(soft), "text", settings={"blurred": 0}) == ("ask", "blurred")
    off = {"blurred": 0, "doubtful": 0}
    assert _judge(save(soft), "text", settings=off) == ("keep", "")
