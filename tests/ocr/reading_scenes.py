"""Memes to be read back. In: the starter set and a seed. Out: pictures as they go round, and texts.

What goes round has been scaled and saved as JPEG more than once; a third of the poster memes here
stand on a busy background of coloured noise instead of a drawing.
"""

from __future__ import annotations

import csv
import io
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from PIL import Image

from bench.scenes import STARTER
from memeloc.fonts import FontLibrary
from memeloc.locales import default
from memeloc.model import Caption, Locale
from memeloc.render import Renderer
from memeloc.templates import load_templates

SEED = 4
QUALITIES = 60, 90
SCALES = 0.6, 1.4
BUSY = 3
"""Every how many-th poster meme stands on noise."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """A picture to be read.

    Attributes:
        name: meme, language and what was done to it.
        locale: of its text.
        image: RGB, as it comes back from the JPEG.
        parts: the lines that were drawn, a text a part, in upper case where the poster has it so.
    """

    name: str
    locale: Locale
    image: Image.Image
    parts: tuple[str, ...]


def draw(folder: Path, chosen: Sequence[str], memes: int, *, seed: int = SEED) -> Iterator[Drawn]:
    """Memes of the starter set, spread over its templates, in each language chosen.

    Args:
        folder: for the noise parts.
        chosen: columns of the starter set.
        memes: how many a language.
        seed: of the choice, the noise, the scales and the qualities.
    """
    with STARTER.open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.DictReader(stream))
    chance = random.Random(seed)
    by_template: dict[str, list[dict[str, str]]] = {}
    for row in rows:
        by_template.setdefault(row["template"], []).append(row)
    for group in by_template.values():
        chance.shuffle(group)
    order = [
        group[turn]
        for turn in range(max(map(len, by_template.values())))
        for group in by_template.values()
        if turn < len(group)
    ]
    templates, _ = load_templates()
    renderer = Renderer(FontLibrary())
    posters = 0
    for row in order[:memes]:
        template = templates[row["template"]]
        remark = ""
        if all(box.style.name == "poster" and not box.angle for box in template.boxes):
            posters += 1
            if not posters % BUSY:
                with Image.open(template.image) as picture:
                    background = noise(picture.size, chance.randrange(2**32))
                path = folder / f"{row['meme_id']}.png"
                background.save(path)
                template, remark = replace(template, image=path), ", busy"
        for language in chosen:
            locale = default().get(language)
            made = renderer.render(template, Caption.parse(row[language]), locale)
            scale, quality = chance.uniform(*SCALES), chance.randint(*QUALITIES)
            if made.proof.problems and set(made.proof.problems) & {"missing glyph", "overflow"}:
                continue
            parts = tuple("\n".join(part.lines) for part in made.proof.parts if part.lines)
            yield Drawn(
                f"{row['meme_id']} {language}, x {scale:.2f}, JPEG {quality}{remark}",
                locale,
                worn(made.image, scale, quality),
                parts,
            )


def worn(image: Image.Image, scale: float, quality: int) -> Image.Image:
    """The picture scaled, and after a JPEG of that quality."""
    size = max(1, round(image.width * scale)), max(1, round(image.height * scale))
    stream = io.BytesIO()
    small = image.convert("RGB").resize(size, Image.Resampling.BICUBIC)
    small.save(stream, "JPEG", quality=quality)
    return Image.open(stream).convert("RGB")


def noise(size: tuple[int, int], seed: int) -> Image.Image:
    """Coloured noise of many scales, as busy as foliage or a crowd, with light and dark patches."""
    chance = np.random.default_rng(seed)
    total = np.zeros((size[1], size[0], 3))
    for cells in (4, 9, 20, 45, 100):
        shape = max(1, cells * size[1] // size[0]), cells, 3
        coarse = chance.integers(0, 256, shape, dtype=np.uint8)
        fine = Image.fromarray(coarse).resize(size, Image.Resampling.BICUBIC)
        total += np.asarray(fine, dtype=float) - 127.5
    grey = total.mean(axis=2, keepdims=True)
    total = 0.35 * total + 0.65 * grey
    spread = total / max(float(total.std()), 1e-9) * 70 + 127.5
    return Image.fromarray(np.clip(spread, 0, 255).astype(np.uint8))
