"""Pictures made by arithmetic. In: a kind, a size and a seed. Out: RGB pixels, the same each time.

They stand in for photographs: what lies behind a meme's text is known to the pixel.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter

Pixels = NDArray[np.uint8]
Field = NDArray[np.float64]

SMOOTH = ("gradient", "sky", "wall")
"""Kinds whose neighbouring pixels hardly differ."""
BUSY = ("clouds", "foliage", "drawing", "stripes", "valley")
"""Kinds with edges and texture."""


def make_background(kind: str, size: tuple[int, int], seed: int) -> Pixels:
    """A picture of one of the kinds in `SMOOTH` and `BUSY`, of a width and height in pixels."""
    return _KINDS[kind](size, np.random.default_rng(seed))


def fractal(size: tuple[int, int], chance: np.random.Generator, roughness: float = 1.0) -> Field:
    """Noise of mean 0 and deviation 1 whose amplitude falls with frequency to the -`roughness`.

    1 is that of photographed scenes (Field 1987, "Relations between the statistics of natural
    images and the response properties of cortical cells"); 2 is soft, 0.5 grainy.
    """
    width, height = size
    across, down = np.fft.rfftfreq(width)[None, :], np.fft.fftfreq(height)[:, None]
    frequency = np.hypot(across, down)
    frequency[0, 0] = 1.0
    spectrum = np.fft.rfft2(chance.standard_normal((height, width))) / frequency**roughness
    spectrum[0, 0] = 0.0
    values = np.fft.irfft2(spectrum, s=(height, width))
    return np.asarray(values / values.std())


def _colour(chance: np.random.Generator, low: int, high: int) -> Field:
    return chance.integers(low, high, 3).astype(np.float64)


def _slope(size: tuple[int, int], chance: np.random.Generator) -> Field:
    """0 to 1 across the picture, in any direction."""
    width, height = size
    angle = chance.uniform(0, 2 * np.pi)
    plane = np.cos(angle) * np.linspace(-1, 1, width)[None, :]
    plane = plane + np.sin(angle) * np.linspace(-1, 1, height)[:, None]
    return np.asarray((plane - plane.min()) / np.ptp(plane))


def _mix(share: Field, first: Field, second: Field) -> Field:
    return first + share[..., None] * (second - first)


def _pixels(values: Field) -> Pixels:
    return np.clip(np.rint(values), 0, 255).astype(np.uint8)


def _gradient(size: tuple[int, int], chance: np.random.Generator) -> Pixels:
    return _pixels(_mix(_slope(size, chance), _colour(chance, 20, 200), _colour(chance, 60, 240)))


def _sky(size: tuple[int, int], chance: np.random.Generator) -> Pixels:
    """Blue that pales downwards, with the soft light of haze."""
    down = np.linspace(0, 1, size[1])[:, None] ** 1.3 * np.ones((1, size[0]))
    base = _mix(down, np.array([60.0, 110.0, 180.0]), np.array([190.0, 215.0, 235.0]))
    return _pixels(base + 9 * fractal(size, chance, 2.2)[..., None])


def _wall(size: tuple[int, int], chance: np.random.Generator) -> Pixels:
    """A wall out of focus: one colour, uneven light, a sensor's fine grain."""
    base = _colour(chance, 70, 190) + 14 * fractal(size, chance, 2.0)[..., None]
    return _pixels(base + chance.standard_normal((size[1], size[0], 3)) * 1.5)


def _clouds(size: tuple[int, int], chance: np.random.Generator) -> Pixels:
    cover = 1 / (1 + np.exp(-3 * fractal(size, chance, 1.6)))
    light = 225 + 22 * fractal(size, chance, 1.5)
    blue = np.array([70.0, 120.0, 190.0]) * np.ones((size[1], size[0], 3))
    return _pixels(blue + cover[..., None] * (light[..., None] - blue))


def _foliage(size: tuple[int, int], chance: np.random.Generator) -> Pixels:
    """The texture of leaves, gravel or a crowd: all scales at once, in a few colours."""
    grey = fractal(size, chance, 1.0)
    tint = np.stack([fractal(size, chance, 1.4) for _ in range(3)], axis=2)
    return _pixels(_colour(chance, 70, 150) + 38 * grey[..., None] + 14 * tint)


def _drawing(size: tuple[int, int], chance: np.random.Generator) -> Pixels:
    """Flat shapes with drawn contours."""
    width, height = size

    def colour() -> tuple[int, ...]:
        return tuple(chance.integers(30, 250, 3).tolist())

    image = Image.new("RGB", (2 * width, 2 * height), colour())
    draw = ImageDraw.Draw(image)
    for _ in range(26):
        x, y = chance.integers(0, 2 * width), chance.integers(0, 2 * height)
        reach = chance.integers(height // 8, height // 2, (5, 2))
        angles = np.sort(chance.uniform(0, 2 * np.pi, 5))
        points = [
            (float(x + r[0] * np.cos(a)), float(y + r[1] * np.sin(a)))
            for r, a in zip(reach, angles, strict=True)
        ]
        if chance.random() < 0.5:
            left, top, right, bottom = (
                f(p[i] for p in points) for f, i in ((min, 0), (min, 1), (max, 0), (max, 1))
            )
            draw.ellipse((left, top, right, bottom), fill=colour(), outline="#202020", width=6)
        else:
            draw.polygon(points, fill=colour(), outline="#202020", width=6)
    return np.asarray(image.resize(size, Image.Resampling.BOX))


def _stripes(size: tuple[int, int], chance: np.random.Generator) -> Pixels:
    """Stripes as of cloth or blinds, a little bent, in two colours."""
    turns = chance.uniform(14, 34)
    phase = 2 * np.pi * turns * _slope(size, chance) + 0.8 * fractal(size, chance, 2.4)
    share = 0.5 + 0.5 * np.tanh(4 * np.sin(phase))
    light = 10 * fractal(size, chance, 1.8)[..., None]
    return _pixels(_mix(share, _colour(chance, 30, 130), _colour(chance, 120, 230)) + light)


def _valley(size: tuple[int, int], chance: np.random.Generator) -> Pixels:
    """Ridges before a sky, the nearer the darker and rougher, and grain over all."""
    width, height = size
    scene = _sky(size, chance).astype(np.float64)
    rows = np.arange(height)[:, None]
    tint = _colour(chance, 70, 170)
    for layer in range(4):
        ridge = fractal((width, 2), chance, 1.3)[0]
        line = height * (0.3 + 0.17 * layer) + ridge * height * 0.045
        rough = fractal(size, chance, 1.1) * (5 + 8 * layer)
        ground = tint * (0.95 - 0.2 * layer) + rough[..., None]
        edge = np.clip(rows - line[None, :], 0, 1)[..., None]
        scene += edge * (ground - scene)
    soft = Image.fromarray(_pixels(scene)).filter(ImageFilter.GaussianBlur(0.6))
    grain = chance.standard_normal((height, width, 1)) * 2.5
    return _pixels(np.asarray(soft, dtype=np.float64) + grain)


_KINDS: dict[str, Callable[[tuple[int, int], np.random.Generator], Pixels]] = {
    "gradient": _gradient,
    "sky": _sky,
    "wall": _wall,
    "clouds": _clouds,
    "foliage": _foliage,
    "drawing": _drawing,
    "stripes": _stripes,
    "valley": _valley,
}
