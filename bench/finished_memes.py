"""Finished memes, known to the pixel. In: a number and a seed. Out: pictures and their truth.

Captions of the starter set, drawn by memeloc's own renderer on its templates and on made pictures,
in several scripts and styles, and saved as JPEG: as `memeloc localise` gets them, and beside each
what stood behind the text, where it stands, and how it was set.
"""

from __future__ import annotations

import csv
import io
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from bench.backgrounds import BUSY, SMOOTH, Pixels, make_background
from bench.scenes import STARTER
from memeloc.fonts import FontLibrary
from memeloc.locales import default
from memeloc.model import STYLES, Align, Caption, Locale, Template, TextBox, TextStyle
from memeloc.render import Renderer
from memeloc.render.proof import PartProof
from memeloc.templates import load_templates, open_picture

SEED = 16
LANGUAGES = ("en", "de", "es", "zh", "ja", "ar", "hi", "ru", "ko")
LAYOUTS = ("poster", "colours", "bar", "bubbles", "angle", "plain")
QUALITIES = 82, 95
"""Of the JPEGs: what a site makes of an upload."""
_SIZES = ((720, 540), (600, 720), (640, 640), (800, 500))
_OWN = 4
"""Every how many-th meme stands on one of memeloc's own templates."""
_INKS = (
    ("#ffe600", "#000000"), ("#000000", "#ffffff"), ("#ff3030", "#ffffff"), ("#ffffff", "#102a6b"),
)  # fmt: skip
_BARS = (("#ffffff", "#111111"), ("#000000", "#ffffff"), ("#f4e7c5", "#3a2a10"))


@dataclass(frozen=True, slots=True)
class FinishedMeme:
    """A finished meme and its truth.

    Attributes:
        name: layout, background, language and number.
        image: as it goes round, RGB.
        clean: what stood behind the text, RGB, of the same size; never compressed.
        text: the pixels that the text changed.
        template: with the boxes and styles that it was set in.
        locale: of its text.
        parts: what the renderer's proof says of each box that has text, by the box's place.
        ground: `smooth` where all text stands on bars, bubbles, cards or a smooth picture.
    """

    name: str
    image: Pixels
    clean: Pixels
    text: NDArray[np.bool_]
    template: Template
    locale: Locale
    parts: dict[int, PartProof]
    ground: Literal["smooth", "busy"]


def finished_memes(folder: Path, count: int, *, seed: int = SEED) -> Iterator[FinishedMeme]:
    """Memes spread evenly over layouts, backgrounds and languages; the same for each seed.

    Args:
        folder: for the made pictures.
        count: how many.
        seed: of all that is chosen.
    """
    chance = random.Random(seed)
    captions = _captions()
    own, _ = load_templates()
    renderer = Renderer(FontLibrary())
    made = 0
    for number in range(4 * count):
        if made == count:
            return
        language = LANGUAGES[number % len(LANGUAGES)]
        if number % _OWN == _OWN - 1:
            row = chance.choice(captions)
            template, caption = own[row["template"]], Caption.parse(row[language])
            name, ground = f"own {template.name}", _ground_of_own(template)
        else:
            layout = LAYOUTS[(number - number // _OWN) % len(LAYOUTS)]
            template, kind = _template(layout, folder / f"{number:03}.png", chance)
            caption = _caption(len(template.boxes), captions, language, chance)
            name = f"{layout} {kind}"
            ground = "busy" if kind in BUSY and layout in ("poster", "colours") else "smooth"
        name = f"{number:03} {name} {language}"
        meme = _meme(name, renderer, template, caption, language, chance, ground)
        if meme is not None:
            made += 1
            yield meme


def _captions() -> list[dict[str, str]]:
    with STARTER.open(encoding="utf-8-sig", newline="") as stream:
        return list(csv.DictReader(stream))


def _caption(
    boxes: int, rows: list[dict[str, str]], language: str, chance: random.Random
) -> Caption:
    """As many parts with text as there are boxes, of one row where one has as many."""
    parts: list[str] = []
    while len(parts) < boxes:
        parts += [part for part in Caption.parse(chance.choice(rows)[language]).parts if part]
    return Caption(tuple(parts[:boxes]))


def _ground_of_own(template: Template) -> Literal["smooth", "busy"]:
    """Bubbles and plain text of memeloc's templates stand on bars, bubbles and signs."""
    posters = any(box.style.name == "poster" for box in template.boxes)
    return "busy" if posters else "smooth"


def _meme(
    name: str,
    renderer: Renderer,
    template: Template,
    caption: Caption,
    language: str,
    chance: random.Random,
    ground: Literal["smooth", "busy"],
) -> FinishedMeme | None:
    """The meme; None where its text does not fit or has no contrast."""
    locale = default().get(language)
    rendered = renderer.render(template, caption, locale)
    if rendered.proof.problems:
        return None
    pixels = np.asarray(rendered.image.convert("RGB")).copy()
    clean = np.asarray(open_picture(template.image_for(locale)).convert("RGB"))
    text = np.abs(pixels.astype(np.int16) - clean).max(axis=2) > 1
    stream = io.BytesIO()
    Image.fromarray(pixels).save(stream, "JPEG", quality=chance.randint(*QUALITIES))
    worn = np.asarray(Image.open(stream).convert("RGB"))
    parts = {place: part for place, part in enumerate(rendered.proof.parts) if part.ink}
    return FinishedMeme(name, worn, clean, text, template, locale, parts, ground)


def _template(layout: str, file: Path, chance: random.Random) -> tuple[Template, str]:
    """A template of a layout on a made picture, which is written, and the picture's kind."""
    kind = chance.choice(SMOOTH if layout == "plain" else (*SMOOTH, *BUSY, *BUSY))
    size = chance.choice(_SIZES)
    image = Image.fromarray(make_background(kind, size, chance.randrange(2**32)))
    draw = ImageDraw.Draw(image)
    boxes = _LAYOUTS[layout](image, draw, chance)
    image.save(file)
    return Template(file.stem, file, tuple(boxes)), kind


def _poster(image: Image.Image, draw: ImageDraw.ImageDraw, chance: random.Random) -> list[TextBox]:
    height = chance.uniform(0.18, 0.28)
    return [
        TextBox("top", 0.03, 0.02, 0.94, height, valign="top"),
        TextBox("bottom", 0.03, 0.98 - height, 0.94, height, valign="bottom"),
    ]


def _colours(image: Image.Image, draw: ImageDraw.ImageDraw, chance: random.Random) -> list[TextBox]:
    fill, outline = chance.choice(_INKS)
    style = replace(TextStyle(), fill=fill, outline=outline, uppercase=chance.random() < 0.5)
    return [replace(box, style=style) for box in _poster(image, draw, chance)]


def _bar(image: Image.Image, draw: ImageDraw.ImageDraw, chance: random.Random) -> list[TextBox]:
    ground, fill = chance.choice(_BARS)
    height = chance.uniform(0.16, 0.26)
    draw.rectangle((0, 0, image.width, round(height * image.height)), fill=ground)
    style = replace(STYLES["plain"], fill=fill)
    return [TextBox("bar", 0.03, 0.015, 0.94, height - 0.03, align="start", style=style)]


def _bubbles(image: Image.Image, draw: ImageDraw.ImageDraw, chance: random.Random) -> list[TextBox]:
    boxes = []
    for place, top in enumerate((0.05, 0.52)):
        left = chance.uniform(0.03, 0.4)
        width, height = chance.uniform(0.45, 0.55), chance.uniform(0.25, 0.38)
        frame = (
            left * image.width, top * image.height,
            (left + width) * image.width, (top + height) * image.height,
        )  # fmt: skip
        draw.rounded_rectangle(frame, 0.3 * height * image.height, "#ffffff", "#222222", 3)
        boxes.append(
            TextBox(
                f"bubble {place + 1}", left + 0.04, top + 0.05, width - 0.08, height - 0.1,
                style=STYLES["bubble"],
            )
        )  # fmt: skip
    return boxes


def _angle(image: Image.Image, draw: ImageDraw.ImageDraw, chance: random.Random) -> list[TextBox]:
    """A tilted card with plain text, and a tilted poster line where there is room."""
    angle = chance.choice((-1, 1)) * chance.uniform(4, 18)
    ground, fill = chance.choice(_BARS)
    width, height = round(0.7 * image.width), round(0.3 * image.height)
    card = Image.new("RGBA", (width, height), ground)
    turned = card.rotate(-angle, Image.Resampling.BICUBIC, expand=True)
    middle = 0.5 * image.width, 0.55 * image.height
    corner = round(middle[0] - turned.width / 2), round(middle[1] - turned.height / 2)
    image.paste(turned, corner, turned)
    style = replace(STYLES["plain"], fill=fill)
    return [TextBox("card", 0.18, 0.42, 0.64, 0.26, angle, "center", style=style)]


def _plain(image: Image.Image, draw: ImageDraw.ImageDraw, chance: random.Random) -> list[TextBox]:
    """Letters without outline, light or dark, whichever is seen better."""
    light = np.asarray(image.convert("L")).mean()
    style = replace(STYLES["plain"], fill="#ffffff" if light < 120 else "#101010")
    top = chance.uniform(0.05, 0.6)
    align: Align = chance.choice(("start", "center"))
    return [TextBox("text", 0.08, top, 0.84, 0.28, align=align, style=style)]


_LAYOUTS = {
    "poster": _poster,
    "colours": _colours,
    "bar": _bar,
    "bubbles": _bubbles,
    "angle": _angle,
    "plain": _plain,
}


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
