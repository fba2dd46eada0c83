"""Finished memes, known to the pixel. In: a number and a seed. Out: pictures and their truth.

Captions of the starter set in twelve kinds of setting (`KINDS`), drawn on made pictures and saved
as JPEG: as `memeloc localise` gets them, and beside each what stood behind the text, where it
stands, how it was set, and its caption in the language that it is to be set in.

A text is drawn once on black and once on white: the difference is how far each pixel is covered, so
that shadow and glow can be laid under the letters, as programs for pictures do.
"""

from __future__ import annotations

import csv
import io
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter

from bench.backgrounds import BUSY, SMOOTH, Pixels, make_background
from bench.scenes import STARTER
from memeloc.fonts import FontLibrary
from memeloc.locales import default
from memeloc.model import STYLES, Caption, Locale, Template, TextBox, TextStyle
from memeloc.render import Renderer
from memeloc.render.proof import PartProof

SEED = 16
QUALITIES = 70, 95
"""Of the JPEGs: what a site makes of an upload."""
_SIZES = ((720, 540), (600, 720), (640, 640), (800, 500))
_MARKS = ("cats.example", "memes.example", "@harbour_cat", "funnypage.example")
_MARKED = 5
"""Every how many-th meme has a site's name in a corner."""
_INKS = (
    ("#ffe600", "#000000"), ("#000000", "#ffffff"), ("#ffffff", "#000000"), ("#ffffff", "#102a6b"),
)  # fmt: skip
_BARS = (("#ffffff", "#111111"), ("#000000", "#ffffff"), ("#f4e7c5", "#3a2a10"))

Rect = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class FinishedMeme:
    """A finished meme and its truth.

    Attributes:
        name: kind, background, language and number.
        kind: of `KINDS`.
        image: as it goes round, RGB.
        clean: what stood behind the text, RGB, of the same size; never compressed.
        text: the pixels that the text changed, shadow and glow included.
        template: with the boxes and styles that it was set in.
        locale: of its text.
        parts: what the renderer's proof says of each box that has text, by the box's place.
        ground: `smooth` where all text stands on bars, bubbles, cards or a smooth picture.
        target: of the language that it is to be set in.
        translations: its texts in that.
        mark: a site's name that stands in it; empty in most.
    """

    name: str
    kind: str
    image: Pixels
    clean: Pixels
    text: NDArray[np.bool_]
    template: Template
    locale: Locale
    parts: dict[int, PartProof]
    ground: Literal["smooth", "busy"]
    target: Locale
    translations: tuple[str, ...]
    mark: str = ""


@dataclass(frozen=True, slots=True)
class Kind:
    """A way in which memes have their text.

    Attributes:
        boxes: of its texts, in fractions of the picture.
        style: of them all.
        grounds: kinds of backgrounds.
        under: what is painted below letters: nothing, or a shadow or glow of so many em, moved by
            as many.
        draw: draws bars, bubbles and the like, and may give boxes and style of its own.
        languages: of the text.
        smooth: the text stands on something plain whatever the background.
    """

    boxes: Sequence[Rect]
    style: TextStyle
    grounds: Sequence[str] = (*SMOOTH, *BUSY, *BUSY)
    under: tuple[float, float] | None = None
    draw: Callable[[Image.Image, random.Random, list[TextBox]], list[TextBox]] | None = None
    languages: Sequence[str] = ("en", "en", "de", "es", "ru")
    smooth: bool = False
    align: Literal["start", "center"] = "center"
    sizes: Sequence[tuple[int, int]] = field(default=_SIZES)


def _styled(boxes: Sequence[TextBox], **style: object) -> list[TextBox]:
    return [replace(box, style=replace(box.style, **style)) for box in boxes]  # type: ignore[arg-type]


def _coloured(image: Image.Image, chance: random.Random, boxes: list[TextBox]) -> list[TextBox]:
    fill, outline = chance.choice(_INKS)
    return _styled(boxes, fill=fill, outline=outline, uppercase=chance.random() < 0.7)


def _behind(
    ground: str, edge: str = "", radius: float = 0.0, opacity: int = 255
) -> Callable[[Image.Image, random.Random, list[TextBox]], list[TextBox]]:
    """Paint a panel behind each box."""

    def draw(image: Image.Image, chance: random.Random, boxes: list[TextBox]) -> list[TextBox]:
        fill = None
        colour = ground
        if not ground:
            colour, fill = chance.choice(_BARS)
        panel = Image.new("RGBA", image.size)
        pen = ImageDraw.Draw(panel)
        for box in boxes:
            left, top = (box.x - 0.03) * image.width, (box.y - 0.015) * image.height
            right = (box.x + box.width + 0.03) * image.width
            bottom = (box.y + box.height + 0.015) * image.height
            pen.rounded_rectangle(
                (left, top, right, bottom),
                radius * (bottom - top),
                (*Image.new("RGB", (1, 1), colour).getpixel((0, 0)), opacity),  # type: ignore[misc]
                edge or None,
                3 if edge else 1,
            )
        image.paste(panel, (0, 0), panel)
        return _styled(boxes, fill=fill) if fill else boxes

    return draw


def _post(image: Image.Image, chance: random.Random, boxes: list[TextBox]) -> list[TextBox]:
    """A post of a site: an avatar, a text, and a picture below, on white or on black."""
    dark = chance.random() < 0.4
    width, height = image.size
    picture = image.resize((round(0.92 * width), round(0.52 * height)))
    pen = ImageDraw.Draw(image)
    pen.rectangle((0, 0, width, height), "#15202b" if dark else "#ffffff")
    image.paste(picture, (round(0.04 * width), round(0.45 * height)))
    hue = tuple(chance.randrange(60, 200) for _ in range(3))
    pen.ellipse((0.04 * width, 0.04 * height, 0.04 * width + 48, 0.04 * height + 48), hue)
    return _styled(boxes, fill="#ffffff" if dark else "#14171a")


def _faint(image: Image.Image, chance: random.Random, boxes: list[TextBox]) -> list[TextBox]:
    """Letters lighter or darker than the picture below them by 80 of 255 levels."""
    light = int(np.asarray(image.convert("L")).mean())
    grey = min(light + 80, 250) if light < 150 else light - 80
    return _styled(boxes, fill=f"#{grey:02x}{grey:02x}{grey:02x}")


def _readable(image: Image.Image, chance: random.Random, boxes: list[TextBox]) -> list[TextBox]:
    """Letters white or black, whichever is seen better."""
    light = np.asarray(image.convert("L")).mean()
    return _styled(boxes, fill="#ffffff" if light < 120 else "#101010")


_TOP, _BOTTOM = (0.03, 0.02, 0.94, 0.23), (0.03, 0.75, 0.94, 0.23)
_WHITE = replace(STYLES["plain"], fill="#ffffff", max_size=0.08)
_SMALL = replace(STYLES["plain"], fill="#ffffff", outline="#000000", outline_width=0.06)
KINDS: dict[str, Kind] = {
    "outlined": Kind((_TOP, _BOTTOM), TextStyle(), draw=_coloured),
    "shadow": Kind((_TOP, _BOTTOM), _WHITE, under=(0.05, 0.06)),
    "glow": Kind((_BOTTOM,), _WHITE, under=(0.14, 0.0)),
    "bars": Kind(
        ((0.03, 0.015, 0.94, 0.19),), STYLES["plain"], draw=_behind(""), smooth=True, align="start"
    ),
    "grey boxes": Kind(
        ((0.1, 0.08, 0.8, 0.13), (0.1, 0.78, 0.8, 0.13)),
        replace(_WHITE, max_size=0.06),
        draw=_behind("#404040", opacity=205),
    ),
    "bubbles": Kind(
        ((0.08, 0.06, 0.42, 0.26), (0.46, 0.5, 0.44, 0.3)),
        STYLES["bubble"],
        draw=_behind("#ffffff", "#222222", 0.3),
        smooth=True,
    ),
    "labels": Kind(
        ((0.05, 0.15, 0.34, 0.12), (0.6, 0.36, 0.34, 0.12), (0.2, 0.74, 0.36, 0.12)),
        replace(TextStyle(), face="plain", uppercase=False, max_size=0.06),
    ),
    "lists": Kind(
        ((0.5, 0.06, 0.44, 0.18), (0.5, 0.3, 0.44, 0.18), (0.5, 0.54, 0.44, 0.18)),
        replace(STYLES["plain"], max_size=0.055),
        draw=_behind("#ffffff"),
        smooth=True,
        align="start",
    ),
    "posts": Kind(
        ((0.05, 0.14, 0.9, 0.28),),
        replace(STYLES["plain"], max_size=0.055),
        draw=_post,
        smooth=True,
        align="start",
    ),
    "low contrast": Kind((_BOTTOM,), STYLES["plain"], SMOOTH, draw=_faint),
    "small": Kind(((0.06, 0.86, 0.88, 0.1),), replace(_SMALL, max_size=0.036)),
    "foreign": Kind((_TOP, _BOTTOM), TextStyle(), draw=_coloured, languages=("zh", "hi", "ar")),
}
"""Kinds of settings by name; what they are measured by."""


def finished_memes(folder: Path, count: int, *, seed: int = SEED) -> Iterator[FinishedMeme]:
    """Memes spread evenly over kinds, backgrounds and languages; the same for each seed.

    Args:
        folder: for the made pictures.
        count: how many.
        seed: of all that is chosen.
    """
    chance = random.Random(seed)
    captions, renderer = _captions(), Renderer(FontLibrary())
    for number in range(count):
        name = list(KINDS)[number % len(KINDS)]
        meme = None
        for _ in range(20):  # a caption may not fit, or have no contrast
            meme = meme or _meme(number, name, folder, captions, renderer, chance)
        if meme is not None:
            yield meme


def _captions() -> list[dict[str, str]]:
    with STARTER.open(encoding="utf-8-sig", newline="") as stream:
        return list(csv.DictReader(stream))


def _meme(
    number: int,
    name: str,
    folder: Path,
    captions: list[dict[str, str]],
    renderer: Renderer,
    chance: random.Random,
) -> FinishedMeme | None:
    """A meme of a kind; None where its text does not fit."""
    kind = KINDS[name]
    language = kind.languages[number // len(KINDS) % len(kind.languages)]
    locale, target = default().get(language), default().get("en" if language != "en" else "de")
    ground, size = chance.choice(kind.grounds), chance.choice(kind.sizes)
    texts: list[tuple[str, str]] = []
    while len(texts) < len(kind.boxes):
        row = chance.choice(captions)
        both = (Caption.parse(row[each]).parts for each in (language, target.tag))
        texts += [pair for pair in zip(*both, strict=False) if all(pair)]
    texts = texts[: len(kind.boxes)]
    image = Image.fromarray(make_background(ground, size, chance.randrange(2**32)))
    boxes = [
        TextBox(f"text {place}", *rect, align=kind.align, valign="middle", style=kind.style)
        for place, rect in enumerate(kind.boxes, 1)
    ]
    if kind.draw is None:
        boxes = boxes if kind.style.outline_width or kind.under else _readable(image, chance, boxes)
    else:
        boxes = kind.draw(image, chance, boxes)
    mark = chance.choice(_MARKS) if number % _MARKED == 2 else ""
    if mark:
        pen = ImageDraw.Draw(image, "RGBA")
        pen.text((8, size[1] - 8), mark, (255, 255, 255, 200), anchor="ls", font_size=16)
    file = folder / f"{number:03}-{size[0]}.png"  # a renderer keeps pictures by name and time
    image.save(file)
    template, caption = Template(file.stem, file, tuple(boxes)), Caption(tuple(t for t, _ in texts))
    layers = []
    for colour in ("#000000", "#ffffff"):
        plain = folder / f"{file.stem}-{colour[1:]}.png"
        Image.new("RGB", size, colour).save(plain)
        drawn = renderer.render(replace(template, image=plain), caption, locale)
        layers.append(np.asarray(drawn.image.convert("RGB"), np.float32))
    rendered = renderer.render(template, caption, locale)
    if any("contrast" not in str(problem) for problem in rendered.proof.problems):
        return None
    clean = np.asarray(image.convert("RGB"))
    cover = 1 - (layers[1] - layers[0]).mean(axis=2, keepdims=True) / 255
    ground_light = clean.astype(np.float32)
    if kind.under is not None:
        blur, offset = (share * 0.08 * size[1] for share in kind.under)
        soft = Image.fromarray(np.uint8(255 * cover[..., 0].clip(0, 1)))
        if not offset:  # a glow is as wide as it is soft
            soft = soft.filter(ImageFilter.MaxFilter(2 * round(blur / 2) + 1))
        soft = soft.filter(ImageFilter.GaussianBlur(blur))
        shift = round(offset)
        dark = np.roll(np.asarray(soft, np.float32)[..., None] / 255, (shift, shift), (0, 1))
        ground_light *= 1 - 0.85 * dark
    pixels = (ground_light * (1 - cover) + layers[0]).clip(0, 255).astype(np.uint8)
    changed = np.abs(pixels.astype(np.int16) - clean).max(axis=2) > 1
    stream = io.BytesIO()
    Image.fromarray(pixels).save(stream, "JPEG", quality=chance.randint(*QUALITIES))
    worn = np.asarray(Image.open(stream).convert("RGB"))
    return FinishedMeme(
        f"{number:03} {name} {ground} {language}",
        name,
        worn,
        clean,
        changed,
        template,
        locale,
        {place: part for place, part in enumerate(rendered.proof.parts) if part.ink},
        "smooth" if kind.smooth or ground in SMOOTH else "busy",
        target,
        tuple(translation for _, translation in texts),
        mark,
    )


@dataclass(frozen=True, slots=True)
class MemesOfATemplate:
    """Four memes on one picture, and the picture; the first is only compressed and marked.

    Another is scaled by 0.8, one cropped, one below a white bar; all are JPEGs.
    """

    name: str
    files: tuple[Path, ...]
    clean: Pixels


def memes_of_a_template(folder: Path, kind: str, *, seed: int) -> MemesOfATemplate:
    """Four memes with different posters on a made picture of a kind."""
    chance = random.Random(seed)
    clean = make_background(kind, (800, 600), seed)
    path = folder / f"{kind}.png"
    Image.fromarray(clean).save(path)
    boxes = (
        TextBox("top", 0.03, 0.02, 0.94, 0.2, valign="top"),
        TextBox("bottom", 0.03, 0.78, 0.94, 0.2, valign="bottom"),
    )
    texts = sorted({part for row in _captions() for part in Caption.parse(row["en"]).parts if part})
    renderer = Renderer(FontLibrary())
    chosen = chance.sample(texts, 8)
    images = [
        renderer.render(
            Template(kind, path, boxes), Caption(tuple(chosen[2 * i : 2 * i + 2])), "en"
        ).image.convert("RGB")
        for i in range(4)
    ]
    files = []
    for number, image in enumerate(worn_copies(images)):
        files.append(folder / f"{kind}-{number}.jpg")
        image.save(files[-1], quality=chance.randint(85, 93))
    return MemesOfATemplate(kind, tuple(files), clean)


def worn_copies(images: Sequence[Image.Image]) -> Iterator[Image.Image]:
    """Four pictures as they go round: marked, scaled, cropped, below a bar."""
    marked, scaled, cropped, barred = (image.copy() for image in images)
    width, height = marked.size
    ImageDraw.Draw(marked).text((0.8 * width, height / 2), "cats.example", fill="#dddddd")
    yield marked
    yield scaled.resize((round(0.8 * width), round(0.8 * height)), Image.Resampling.BICUBIC)
    yield cropped.crop((round(0.02 * width), round(0.03 * height), round(0.985 * width), height))
    with_bar = Image.new("RGB", (width, height + height // 10), "white")
    with_bar.paste(barred, (0, height // 10))
    yield with_bar
