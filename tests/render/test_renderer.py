"""The whole renderer: any text and any box, Urdu in Nastaliq, and the whole starter set."""

from __future__ import annotations

import csv
import shutil
import unicodedata
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice, pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image

from memeloc.fonts import FontLibrary
from memeloc.locales import default, uppercase
from memeloc.model import STYLES, Bar, Caption, Template, TextBox, TextStyle
from memeloc.render import KINDS, PROBLEMS, Rendered, Renderer
from memeloc.render.background import Backgrounds, Canvases
from memeloc.render.painting.paint import Area, Painter
from memeloc.render.painting.pixels import Ink
from memeloc.render.typesetting.breaks import clusters
from memeloc.render.typesetting.fit import Bounds
from memeloc.render.typesetting.itemize import Itemizer
from memeloc.render.typesetting.layout import clean, lay_out
from memeloc.templates import load_templates

WIDTH, HEIGHT = 160, 120


KNOWN = [
    "when it works // on the first try",
    "Donau\u00addampfschifffahrt\u00adsgesellschaft",
    "Supercalifragilisticexpialidocious",
    "ü̧̈ Z̸̷a̴̶l̵g̶o̸ ȁ̴͓̈́̒",
    "مرحبا Python 3.11!",
    "שלום (abc) 10%",
    "क्षत्रिय",
    "ร้านกาแฟอยู่ที่นี่",
    "កម្ពុជា",
    "猫が、「キーボード」の上。",
    "안녕하세요 “네”라고",
    "👩‍🚀👨‍👩‍👧‍👦🏳️‍🌈👍🏽🇩🇪❤️1️⃣",
    "a\nb\r\n\n\nc\u2028d",
    "\u202eabc\u202c\u2067x\u2069",
    "\u200d\u200d\ufe0f",
    "﷽",
    "𒀱",
]


any_char = st.characters(exclude_categories=[])


any_text = st.one_of(
    st.text(any_char, max_size=30),
    st.text(st.sampled_from(sorted(set("".join(KNOWN)))), max_size=40),
    st.lists(st.sampled_from(KNOWN), min_size=1, max_size=4).map(" ".join),
    st.builds(str.__mul__, st.sampled_from(KNOWN), st.integers(1, 30)),
)


colours = st.sampled_from(["#ffffff", "#000000", "#ff0000", "#1234ab"])


styles = st.builds(
    TextStyle,
    face=st.sampled_from(["poster", "plain"]),
    fill=colours,
    outline=colours,
    outline_width=st.sampled_from([0.0, 0.0, 0.03, 0.06, 0.2]),
    uppercase=st.booleans(),
    max_size=st.floats(0.01, 1.0),
    line_spacing=st.sampled_from([0.6, 1.0, 1.2, 2.0]),
)


@st.composite
def boxes(draw: st.DrawFn) -> TextBox:
    """Any box of whole pixels within the picture, from one pixel to all of it."""
    left = draw(st.integers(0, WIDTH - 1))
    top = draw(st.integers(0, HEIGHT - 1))
    right = draw(st.integers(left + 1, WIDTH))
    bottom = draw(st.integers(top + 1, HEIGHT))
    if draw(st.booleans()):
        left, top, right, bottom = left // 8, top // 8, WIDTH - left // 8, HEIGHT - top // 8
    return TextBox(
        "box",
        left / WIDTH,
        top / HEIGHT,
        (right - left) / WIDTH,
        (bottom - top) / HEIGHT,
        align=draw(st.sampled_from(["start", "left", "center", "right", "end"])),
        valign=draw(st.sampled_from(["top", "middle", "bottom"])),
        style=draw(styles),
    )


@pytest.fixture(scope="module")
def background(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A picture of noise, so that hardly a painted pixel stays what it was."""
    path = tmp_path_factory.mktemp("background") / "background.png"
    noise = np.random.default_rng(7).integers(60, 200, (HEIGHT, WIDTH, 3), np.uint8)
    Image.fromarray(noise).save(path)
    return path


def changed(rendered: Rendered, background: Path) -> NDArray[np.bool_]:
    before = np.asarray(Image.open(background).convert("RGB"))
    difference: NDArray[np.bool_] = (np.asarray(rendered.image) != before).any(2)
    return difference


def visible(text: str) -> str:
    """The characters that leave ink: neither white space nor controls of format."""
    return "".join(
        char for char in text if not char.isspace() and unicodedata.category(char) != "Cf"
    )


def as_written(line: str, text: str, at: int) -> str:
    """A line without the hyphen at its end that the text does not have."""
    shows_more = line[-1:] in ("\u2010", "-") and text.find(line, at) < 0
    return line[:-1] if shows_more else line


def check_lines(text: str, lines: tuple[str, ...], truncated: int) -> None:
    """Every visible cluster is on a line, whole and in order, or counted as left out."""
    whole = "\n".join(clean(text))
    ends = {0, *clusters(whole)}
    at = 0
    for number, line in enumerate(lines):
        last = truncated and number == len(lines) - 1
        shown = line.removesuffix("…") if last else line
        shown = as_written(shown, whole, at)
        place = whole.find(shown, at)
        assert place >= 0, (line, whole[at:])
        assert not visible(whole[at:place]), "left out between lines"
        assert place in ends or not shown, "a line begins within a cluster"
        at = place + len(shown)
        assert at in ends or not shown, "a line ends within a cluster"
    if truncated:
        assert lines == () or lines[-1].endswith("…")
        left = pairwise(end for end in sorted({at, *clusters(whole)}) if end >= at)
        assert truncated >= sum(not whole[start:end].isspace() for start, end in left)
    else:
        assert not visible(whole[at:])


@given(any_text, boxes(), st.sampled_from(["en", "de", "ar", "he", "hi", "th", "ja", "ko", "ru"]))
@example("x" * 3000, TextBox("box", 0, 0, 0.1, 0.1), "en")
@example("", TextBox("box", 0, 0, 1, 1), "ar")
@example("\ud800\udfff\n\x00", TextBox("box", 0, 0, 1, 1), "en")
def test_for_any_text_and_any_box(
    renderer: Renderer, background: Path, text: str, box: TextBox, tag: str
) -> None:
    template = Template("noise", background, (box,))
    rendered = renderer.render(template, Caption((text,)), tag)
    (part,) = rendered.proof.parts
    details = {finding.kind: finding.detail for finding in rendered.proof.findings}
    truncated = int(details.get("overflow", "0").split()[0].replace(",", ""))
    touched = changed(rendered, background)

    left, top = round(box.x * WIDTH), round(box.y * HEIGHT)
    right, bottom = round((box.x + box.width) * WIDTH), round((box.y + box.height) * HEIGHT)
    inside = np.zeros_like(touched)
    inside[top:bottom, left:right] = True
    assert not (touched & ~inside).any(), "ink outside the box"
    assert "clipped" not in details
    if part.ink is None:
        assert not touched.any()
    else:
        inked = np.zeros_like(touched)
        inked[max(part.ink[1], 0) : part.ink[3], max(part.ink[0], 0) : part.ink[2]] = True
        assert not (touched & ~inked).any(), "ink outside the proof's ink box"

    if part.ink is None and not truncated:
        return
    locale = default().get(tag)
    drawn = uppercase(text, locale) if box.style.uppercase and locale.uppercase else text
    check_lines(drawn, part.lines, truncated)
    assert part.font_size <= max(box.style.max_size * HEIGHT, 0) + 1e-6
    assert set(rendered.proof.problems) <= set(PROBLEMS) <= set(KINDS)
    assert 0 <= rendered.proof.coverage <= 1
    assert rendered.image.size == (WIDTH, HEIGHT)


ROOT = Path(__file__).parents[2]


NEVER_FIRST = set(
    "、。，．：；？！）］｝〉》」』】”’»›,;:?!)]}%،؛؟।॥။၊។៖፣።։՞"
    "・ー々ぁぃぅぇぉっゃゅょァィゥェォッャュョ～〜％"
)


NEVER_FIRST_OF_A_WORD = set(".…‥")


NEVER_LAST = set("（［｛〈《「『【“‘«‹([{¿¡")


def starter() -> Iterator[tuple[str, str, str, str]]:
    """Every caption of the starter set: meme, template, language, text."""
    with (ROOT / "examples/starter/captions.csv").open(encoding="utf-8-sig", newline="") as file:
        for row in csv.DictReader(file):
            meme, template = row.pop("meme_id"), row.pop("template")
            for tag, text in row.items():
                if text:
                    yield meme, template, tag, text


def forbidden(text: str, lines: tuple[str, ...]) -> list[str]:
    """The lines that begin or end as none may."""
    wrong = []
    at = 0
    for number, line in enumerate(lines):
        begin = text.index(as_written(line, text, at), at)
        at = begin + len(as_written(line, text, at))
        if number and line[0] in NEVER_FIRST:
            wrong.append(line)
        if number and line[0] in NEVER_FIRST_OF_A_WORD and not text[begin - 1].isspace():
            wrong.append(line)
        if number < len(lines) - 1 and line[-1] in NEVER_LAST:
            wrong.append(line)
    return wrong


@pytest.mark.parametrize("step", [pytest.param(1, marks=pytest.mark.slow), 7])
def test_the_starter_set_breaks_and_draws_without_a_fault(renderer: Renderer, step: int) -> None:
    templates, wrong = load_templates()
    assert not wrong
    faults = []
    count = 0
    for meme, name, tag, text in islice(starter(), 0, None, step):
        locale = default().get(tag)
        caption = Caption.parse(text)
        proof = renderer.render(templates[name], caption, locale).proof
        count += 1
        faults += [(meme, tag, *finding) for finding in proof.findings if finding.grade != "note"]
        for part, box, written in zip(
            proof.parts, templates[name].boxes, caption.parts, strict=False
        ):
            upper = box.style.uppercase and locale.uppercase
            drawn = uppercase(written, locale) if upper else written
            if wrong := forbidden(drawn, part.lines):
                faults.append((meme, tag, part.name, "forbidden break", wrong, part.lines))
            if part.ink:
                left, top, right, bottom = part.ink
                if not (left >= -1 and top >= -1 and right <= proof.width + 1):
                    faults.append((meme, tag, part.name, "ink outside", part.ink, part.lines))
                assert bottom <= proof.height + 1
    assert faults == []
    assert count >= 60 * 6 // step


def noise(background: Path, *boxes: TextBox) -> Template:
    return Template("noise", background, boxes)


def test_a_tilted_box_keeps_its_ink_within_the_turned_box(
    renderer: Renderer, background: Path
) -> None:
    for angle in (-30.0, 7.5, 90.0, 180.0):
        box = TextBox("sign", 0.3, 0.3, 0.4, 0.4, angle=angle)
        rendered = renderer.render(noise(background, box), "two eggs, one segfault", "en")
        (part,) = rendered.proof.parts
        touched = changed(rendered, background)
        y, x = np.mgrid[0:HEIGHT, 0:WIDTH] + 0.5
        turn = np.radians(-angle)
        across = (x - WIDTH / 2) * np.cos(turn) - (y - HEIGHT / 2) * np.sin(turn)
        down = (x - WIDTH / 2) * np.sin(turn) + (y - HEIGHT / 2) * np.cos(turn)
        outside = (np.abs(across) > 0.2 * WIDTH + 1) | (np.abs(down) > 0.2 * HEIGHT + 1)
        assert touched.any()
        assert not (touched & outside).any()
        assert part.ink is not None
        left, top, right, bottom = part.ink
        rows, columns = np.flatnonzero(touched.any(1)), np.flatnonzero(touched.any(0))
        assert left <= columns[0] <= left + 1
        assert right - 1 <= columns[-1] + 1 <= right
        assert top <= rows[0] <= top + 1
        assert bottom - 1 <= rows[-1] + 1 <= bottom


def test_the_picture_stands_whole_between_its_bars(renderer: Renderer, tmp_path: Path) -> None:
    Image.new("RGB", (400, 240), "#008000").save(tmp_path / "green.png")
    bars = [
        TextBox(side, 0.04, 0.0, 0.92, bar.most, style=STYLES["plain"], bar=bar)
        for side, bar in (("top", Bar("top")), ("bottom", Bar("bottom")))
    ]
    boxes = (bars[0], TextBox("on it", 0, 0.5, 1, 0.4), bars[1])
    barred = Template("barred", tmp_path / "green.png", boxes)
    rendered = renderer.render(barred, "above //  // below this", "en")
    top, _, bottom = rendered.proof.parts
    assert top.ink is not None
    assert bottom.ink is not None
    pixels = np.asarray(rendered.image)
    rows = np.flatnonzero((pixels[:, 0] == (0, 128, 0)).all(axis=-1))
    assert len(rows) == 240
    assert top.ink[3] < rows[0]
    assert bottom.ink[1] > rows[-1]
    assert (pixels[0, 0] == 255).all()
    assert min(top.contrast or 0, bottom.contrast or 0) > 15


def test_sizes_are_those_that_are_painted_and_can_be_limited(
    renderer: Renderer, background: Path
) -> None:
    template = noise(background, TextBox("top", 0, 0, 1, 0.4), TextBox("bottom", 0, 0.6, 1, 0.4))
    caption = "short // this one is a good deal longer than the other"
    sizes = renderer.sizes(template, caption, "en")
    rendered = renderer.render(template, caption, "en")
    assert sizes == tuple(part.font_size for part in rendered.proof.parts)
    smallest = min(sizes)
    limited = renderer.render(template, caption, "en", max_sizes=[smallest, smallest])
    assert [part.font_size for part in limited.proof.parts] == [smallest, smallest]


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.slow if number % 4 else ())
        for number, name in enumerate(sorted(load_templates()[0]))
    ],
)
def test_what_was_painted_before_leaves_no_trace(renderer: Renderer, name: str) -> None:
    template = load_templates()[0][name]
    captions = [(tag, text) for _, used, tag, text in starter() if used == name][::5]
    for tag, text in captions:
        renderer.render(template, text, tag)
    fresh = Renderer()
    for tag, text in captions[:4]:
        kept = renderer.render(template, text, tag).image
        assert kept.tobytes() == fresh.render(template, text, tag).image.tobytes()


def test_the_fingerprint_changes_with_all_that_makes_the_picture(
    renderer: Renderer, background: Path, tmp_path: Path
) -> None:
    en, de = default().get("en"), default().get("de")
    template = noise(background, TextBox("top", 0, 0, 1, 1))
    other = tmp_path / "other.png"
    Image.new("RGB", (9, 9)).save(other)
    prints = [
        renderer.fingerprint(template, en),
        renderer.fingerprint(template, de),
        renderer.fingerprint(noise(background, TextBox("top", 0, 0, 1, 0.5)), en),
        renderer.fingerprint(noise(other, TextBox("top", 0, 0, 1, 1)), en),
        Renderer(max_side=80).fingerprint(template, en),
        renderer.fingerprint(template, replace(en, smallest_size=15)),
    ]
    assert len(set(prints)) == len(prints)
    assert Renderer().fingerprint(template, en) == prints[0]
    image = tmp_path / "moved.png"
    shutil.copy(background, image)
    renamed = replace(template, name="other", title="other", image=image)
    assert Renderer().fingerprint(renamed, en) == prints[0]


URDU = default().get("ur")


TEXT = "اور میٹنگ ابھی باقی ہو تو بلی بھی سو جاتی ہے، آپ کیا کریں گے"


needs_nastaliq = pytest.mark.skipif(
    not FontLibrary().families["nastaliq-bold"].found, reason="no Nastaliq font on this system"
)


@pytest.fixture
def template(tmp_path: Path) -> Template:
    image = tmp_path / "grey.png"
    Image.new("RGB", (400, 300), "#808080").save(image)
    return Template("grey", image, (TextBox("box", 0, 0, 1, 1, style=TextStyle()),))


@needs_nastaliq
def test_sloped_lines_do_not_touch(template: Template) -> None:
    stack = FontLibrary().stack(URDU, "poster")
    layout = lay_out(TEXT, URDU, Itemizer(stack), Bounds(400, 300, 45.0, 0.06, 1.0))
    assert len(layout.lines) > 1
    background = Backgrounds(None).get(template)
    area = Area(0, 0, 400, 300, 0.0, "center", "middle", 0.06)
    inked = np.zeros((300, 400), int)
    for shown in layout.lines:
        lines = [line if line is shown else line._replace(runs=[]) for line in layout.lines]
        canvas = Canvases().canvas_of(background)
        before = canvas.pixels.copy()
        painter = Painter()
        painter.paint(canvas, layout._replace(lines=lines), area, Ink("#ffffff", "#000000"))
        inked += canvas.pixels != before
    assert inked.max() == 1


@needs_nastaliq
def test_urdu_is_in_nastaliq(template: Template) -> None:
    proof = Renderer().render(template, TEXT, "ur").proof
    assert proof.parts[0].fonts == ("nastaliq-bold",)
    assert not proof.findings


def test_naskh_in_its_place_is_named(template: Template) -> None:
    without = replace(URDU, poster=("no-nastaliq", *URDU.poster[1:]))
    fonts = FontLibrary()
    fonts.families["no-nastaliq"] = replace(
        fonts.families["nastaliq"], name="no-nastaliq", system=("No Such Nastaliq",)
    )
    renderer = Renderer(fonts)
    proof = renderer.render(template, TEXT, without).proof
    (finding,) = proof.findings
    assert (finding.kind, finding.detail) == ("substitute font", "not found: No Such Nastaliq")
    assert renderer.render(template, "OK", without).proof.problems == ()
