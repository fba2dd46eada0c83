"""Glyphs as small pictures, made once and kept. In: a face, a size, colours, a glyph. Out: sprites.

HarfBuzz gives the outlines (at the same variation as it shaped with), Skia strokes and rasterises
them. Skia's own glyph cache holds two megabytes, which a set in Chinese overruns within a few
captions; this one is bounded by `BUDGET`.

Colour glyphs (COLR, SVG, CBDT, sbix) have no single outline to stroke and take no colour, so Skia
draws each once a size. Its outline, for styles that have one, is its shape drawn around itself.

To draw a glyph takes 0.2 ms, to read it from a file 0.01 ms: of 1,500 pictures that is a fifth of
the time, of a run's first hundred half. Each file is read and written whole, and may be lost at any
time; one that is not as it was written is as good as none. Nothing in it is ever run.
"""

from __future__ import annotations

import math
import os
import sys
import zlib
from collections import OrderedDict
from functools import cache, lru_cache
from hashlib import sha256
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

import numpy as np
import skia
import uharfbuzz as hb
from numpy.typing import NDArray

from memeloc.errors import InputError
from memeloc.fonts import Face
from memeloc.render.painting.pixels import Ink, brush, image_info, tints
from memeloc.version import __version__

MOST_KEPT = 256 * 1024 * 1024
"""Bytes of all files; those written longest ago go first."""

_ROW = np.dtype([(name, "<i4") for name in ("key", "layer", "left", "top", "height", "width")])


class Coverage(NamedTuple):
    """The share of each pixel that is covered, 0 to 255, from a place from the glyph's origin, y
    down."""

    pixels: NDArray[np.uint8]
    left: int
    top: int


Glyphs = dict[tuple[int, int], Coverage]
"""By a glyph's key and its layer."""


def _file_of(*facts: object) -> Path:
    """Return the file of glyphs that depend on these facts alone, where this system keeps what
    programs may lose; XDG_CACHE_HOME comes first."""
    usual = {"win32": os.environ.get("LOCALAPPDATA"), "darwin": "~/Library/Caches"}
    place = os.environ.get("XDG_CACHE_HOME") or usual.get(sys.platform) or "~/.cache"
    name = f"{sha256(repr(facts).encode()).hexdigest()[:32]}.glyphs"
    return Path(place).expanduser() / "memeloc" / "glyphs" / name


def read_kept(path: Path) -> Glyphs:
    """Return the glyphs in a file; none where it is missing, damaged or not ours."""
    try:
        content = path.read_bytes()
        check, count = np.frombuffer(content, "<u4", 2).tolist()
        rows = np.frombuffer(content, _ROW, count, 8).tolist()
    except (OSError, ValueError):
        return {}
    ends = list(accumulate((row[4] * row[5] for row in rows), initial=8 + count * _ROW.itemsize))
    if zlib.crc32(memoryview(content)[4:]) != check or ends[-1] != len(content):
        return {}
    return {
        (key, layer): Coverage(
            np.frombuffer(content, np.uint8, height * width, at).reshape(height, width), left, top
        )
        for at, (key, layer, left, top, height, width) in zip(ends, rows, strict=False)
    }


def _write_kept(path: Path, glyphs: Glyphs) -> None:
    """Write glyphs to a file; where it cannot be written they are drawn again next time."""
    is_new = not path.exists()
    rows = [(*key, item.left, item.top, *item.pixels.shape) for key, item in glyphs.items()]
    body = np.uint32(len(rows)).tobytes() + np.array(rows, _ROW).tobytes()
    content = body + b"".join([item.pixels.tobytes() for item in glyphs.values()])
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_suffix(f".{os.getpid()}")
        temporary.write_bytes(np.uint32(zlib.crc32(content)).tobytes() + content)
        temporary.replace(path)
        if not is_new:
            return
        files = sorted((f.stat().st_mtime, f.stat().st_size, f) for f in path.parent.iterdir())
        left = sum(size for _, size, _ in files)
        for _, size, file in files:
            if left > MOST_KEPT:
                file.unlink(missing_ok=True)
            left -= size
    except OSError:
        return


BUDGET = 96 * 1024 * 1024
"""Bytes of sprites kept in one process: some 15,000 glyphs of the usual sizes."""

PHASES = 2
"""Horizontal positions within a pixel that a glyph is rasterised at, below WHOLE_PIXELS."""

WHOLE_PIXELS = 48.0
"""Font size in pixels from which glyphs stand on whole pixels."""

_STROKE_PRECISION = 0.06  # Skia's resScale: outlines are in font units, finer than pixels

_LEAST, _MOST = 16, 96
"""Positions around itself at which a colour glyph's shape is drawn to make its outline: some two
pixels apart."""

_SMOOTH = skia.SamplingOptions(skia.FilterMode.kLinear, skia.MipmapMode.kLinear)


class _Pen:
    """Draws a glyph's outline, which comes in the font's units with y up, into a Skia path."""

    def __init__(self, path: skia.Path) -> None:
        self._path = path

    def moveTo(self, point: tuple[float, float]) -> None:  # noqa: N802 - the protocol's names
        self._path.moveTo(point[0], -point[1])

    def lineTo(self, point: tuple[float, float]) -> None:  # noqa: N802
        self._path.lineTo(point[0], -point[1])

    def qCurveTo(self, *points: tuple[float, float]) -> None:  # noqa: N802
        (a, b), (c, d) = points
        self._path.quadTo(a, -b, c, -d)

    def curveTo(self, *points: tuple[float, float]) -> None:  # noqa: N802
        (a, b), (c, d), (e, f) = points
        self._path.cubicTo(a, -b, c, -d, e, -f)

    def closePath(self) -> None:  # noqa: N802
        self._path.close()

    endPath = closePath  # noqa: N815


class Outline(NamedTuple):
    """The path of a glyph, or of it with the outline around it, in the font's units, y down."""

    path: skia.Path
    bounds: skia.Rect


@cache
def glyph_outline(face: Face, width: float, glyph: int) -> Outline:
    """Return the path of a glyph with an outline `width` ems wide around it; 0 for none."""
    path = skia.Path()
    if width:
        stroke = skia.Paint(
            Style=skia.Paint.kStrokeAndFill_Style,
            StrokeWidth=2 * width * face.upem,
            StrokeJoin=skia.Paint.kRound_Join,
        )
        letter = glyph_outline(face, 0.0, glyph).path
        stroke.getFillPath(letter, path, None, _STROKE_PRECISION)
    else:
        face.font.draw_glyph_with_pen(glyph, _Pen(path))
        path.setFillType(skia.PathFillType.kWinding)
    return Outline(path, path.computeTightBounds())


class Sprite(NamedTuple):
    """A glyph, or its outline, at one size, and its place from the origin in pixels, y down."""

    image: skia.Image
    left: int
    top: int


@cache
def has_colour(face: Face, glyph: int) -> bool:
    """Return whether a glyph brings its own colours."""
    hb_face = face.hb_face
    return face.colour and bool(
        hb_face.get_glyph_color_layers(glyph)
        or hb_face.glyph_has_color_paint(glyph)
        or hb_face.get_glyph_color_svg(glyph)
        or face.font.get_glyph_color_png(glyph)
    )


@cache
def _typeface(face: Face) -> skia.Typeface:
    family = face.source
    # On Linux without fontconfig, whose warnings would be the user's.
    fonts = getattr(skia.FontMgr, "New_Custom_Empty", skia.FontMgr)()
    typeface = fonts.makeFromFile(str(family.path), family.index)
    if typeface is None:
        raise InputError("this colour font cannot be drawn by Skia", file=family.path)
    return typeface


@lru_cache(maxsize=256)
def _colour_sprite(face: Face, glyph: int, size: float) -> Sprite:
    font = skia.Font(_typeface(face), size)
    font.setEdging(skia.Font.Edging.kAntiAlias)
    font.setHinting(skia.FontHinting.kNone)
    bounds = font.getBounds([glyph])[0].makeOutset(1, 1).roundOut()
    pixels = np.zeros((bounds.height(), bounds.width()), np.uint32)
    info = image_info(bounds.width(), bounds.height())
    canvas = skia.Surface.MakeRasterDirect(  # the pixels' true order, for it has colours of its own
        info.makeColorType(skia.kRGBA_8888_ColorType), pixels, pixels.strides[0]
    ).getCanvas()
    builder = skia.TextBlobBuilder()
    builder.allocRunPos(font, [glyph], [skia.Point(-bounds.left(), -bounds.top())])
    canvas.drawTextBlob(builder.make(), 0, 0, skia.Paint(AntiAlias=True))
    inked = np.argwhere(pixels) if pixels.any() else np.zeros((1, 2), int)
    (top, left), (last, end) = inked.min(0), inked.max(0)
    pixels = pixels[top : last + 1, left : end + 1].copy()
    info = image_info(pixels.shape[1], pixels.shape[0])
    image = skia.Image.MakeRasterCopy(skia.Pixmap(info, pixels, pixels.strides[0]))
    return Sprite(image, bounds.left() + int(left), bounds.top() + int(top))


def _trace(canvas: skia.Canvas, drawn: Sprite, width: float, colour: int) -> None:
    image, left, top = drawn
    canvas.saveLayer()
    canvas.drawImage(image, left, top, _SMOOTH)
    steps = min(max(_LEAST, math.ceil(math.pi * width)), _MOST)
    for step in range(steps):
        turn = 2 * math.pi * step / steps
        for reach in (width, width / 2):  # twice: an outline wider than the glyph has no hole
            across, down = reach * math.cos(turn), reach * math.sin(turn)
            canvas.drawImage(image, left + across, top + down, _SMOOTH)
    canvas.drawColor(colour, skia.BlendMode.kSrcIn)
    canvas.restore()


Layers = tuple[Sprite | None, Sprite, bool]
"""A glyph with the outline around it, if it has one; the glyph; whether that has its own colours.
"""


class Strike:
    """The glyphs of one face at one size, with one outline, in two colours.

    `sprites` are those made so far, by `glyph * PHASES + phase`, `bytes` those of their pixels.
    """

    def __init__(
        self, cache: GlyphCache, face: Face, size: float, outline: float, ink: Ink
    ) -> None:
        self._cache = cache
        self.face, self._size, self._outline = face, size, outline
        self._brushes = [brush(ink.outline), brush(ink.fill)]
        self._tints = [tints(ink.outline), tints(ink.fill)]
        versions = (__version__, skia.__version__, hb.version_string())
        self._file = _file_of(versions, face.source.file_sha256, face.key, size, outline)
        self._kept = read_kept(self._file)
        self._drawn = 0
        self.sprites: dict[int, Layers] = {}
        self.bytes = 0

    def make(self, key: int) -> Layers:
        """Draw the glyph and phase of `key`, or take it as it was kept, and keep its sprites."""
        glyph = key // PHASES
        is_coloured = has_colour(self.face, glyph)
        around = self._sprite(key, 0) if self._outline else None
        sprite = self._coloured(glyph) if is_coloured else self._sprite(key, 1)
        layers = self.sprites[key] = (around, sprite, is_coloured)
        for image in (sprite.image, around.image) if around else (sprite.image,):
            # With what is needed around it.
            self._cache.added(self, int(image.imageInfo().computeMinByteSize()) + 300)
        return layers

    def _sprite(self, key: int, layer: int) -> Sprite:
        cover = self._kept.get((key, layer))
        if cover is None:
            cover = self._kept[key, layer] = self._cover(key, layer)
            self._drawn += 1
        pixels = self._tints[layer][cover.pixels]
        height, width = pixels.shape
        pixmap = skia.Pixmap(image_info(width, height), pixels, pixels.strides[0])
        return Sprite(skia.Image.MakeRasterCopy(pixmap), cover.left, cover.top)

    def keep(self) -> None:
        """Keep what was drawn for the next run, unless it is less than a quarter of all."""
        if 4 * self._drawn > len(self._kept):  # else each shard of a run would write all again
            _write_kept(self._file, self._kept)
            self._drawn = 0

    def _cover(self, key: int, layer: int) -> Coverage:
        """Draw a glyph with the outline around it (layer 0) or without (1)."""
        glyph, phase = divmod(key, PHASES)
        shift = 0.0 if has_colour(self.face, glyph) else phase / PHASES
        matrix = skia.Matrix.Translate(shift, 0)
        bounds = self.bounds(glyph, matrix, around=not layer).roundOut()
        pixels = np.zeros((max(1, bounds.height()), max(1, bounds.width())), np.uint8)
        info = skia.ImageInfo.MakeA8(pixels.shape[1], pixels.shape[0])
        canvas = skia.Surface.MakeRasterDirect(info, pixels, pixels.strides[0]).getCanvas()
        canvas.translate(shift - bounds.left(), -bounds.top())
        self.draw(canvas, glyph, around=not layer)
        return Coverage(pixels, bounds.left(), bounds.top())

    def bounds(self, glyph: int, matrix: skia.Matrix, *, around: bool) -> skia.Rect:
        """Return the box around a glyph's ink, in pixels from its origin, moved by a matrix."""
        if has_colour(self.face, glyph):
            image, left, top = self._coloured(glyph)
            box = skia.Rect.MakeXYWH(left, top, image.width(), image.height())
            reach = self._outline * self._size if around else 0.0
            return matrix.mapRect(box.makeOutset(reach, reach))
        scale = self._size / self.face.upem
        outline = glyph_outline(self.face, self._outline if around else 0.0, glyph)
        matrix = skia.Matrix.Concat(matrix, skia.Matrix.Scale(scale, scale))
        if matrix.rectStaysRect():
            return matrix.mapRect(outline.bounds)
        path = skia.Path(outline.path)
        path.transform(matrix)
        return path.computeTightBounds()

    def draw(self, canvas: skia.Canvas, glyph: int, *, around: bool) -> None:
        """Draw a glyph, or it with the outline around it in one colour, at a canvas's origin."""
        paint = self._brushes[not around]
        if not has_colour(self.face, glyph):
            outline = glyph_outline(self.face, self._outline if around else 0.0, glyph)
            scale = self._size / self.face.upem
            canvas.scale(scale, scale)
            canvas.drawPath(outline.path, paint)
        elif around:
            width = self._outline * self._size
            _trace(canvas, self._coloured(glyph), width, paint.getColor())
        else:
            image, left, top = self._coloured(glyph)
            canvas.drawImage(image, left, top, _SMOOTH)

    def _coloured(self, glyph: int) -> Sprite:
        return _colour_sprite(self.face, glyph, self._size)


class GlyphCache:
    """All strikes of a process; the one used longest ago goes first when BUDGET is passed."""

    def __init__(self, budget: int = BUDGET) -> None:
        self._budget = budget
        self._bytes = 0
        self._strikes: OrderedDict[tuple[str, float, float, Ink], Strike] = OrderedDict()

    def strike(self, face: Face, size: float, outline: float, ink: Ink) -> Strike:
        """Return the glyphs of a face at a size in pixels, with an outline in ems."""
        key = (face.key, size, outline, ink)
        strike = self._strikes.get(key)
        if strike is None:
            strike = self._strikes[key] = Strike(self, face, size, outline, ink)
        else:
            self._strikes.move_to_end(key)
        return strike

    def keep(self) -> None:
        """Keep what was drawn for the next run."""
        for strike in self._strikes.values():
            strike.keep()

    def added(self, strike: Strike, size: int) -> None:
        """Note `size` more bytes in a strike, and let old strikes go."""
        strike.bytes += size
        self._bytes += size
        while self._bytes > self._budget and len(self._strikes) > 1:
            _, oldest = self._strikes.popitem(last=False)
            oldest.keep()
            self._bytes -= oldest.bytes
            oldest.bytes = 0
