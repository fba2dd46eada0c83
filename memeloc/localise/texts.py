"""The texts of a meme. In: its pixels, what was read in it. Out: texts with letters, style, doubts.

Lines of one text are set alike. So each line's letters are looked for first, and only lines of one
look are put together; a drawing that was taken for letters so joins no text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from PIL import Image

from memeloc.locales.tags import count_scripts, letter_scripts
from memeloc.localise.crops import between, disc
from memeloc.localise.halos import with_halo
from memeloc.localise.protocol import FractionBox, Mask, Pixels, TextRegion
from memeloc.localise.regions import find_regions, in_order, turned
from memeloc.localise.strokes import Strokes, find_strokes
from memeloc.localise.styles import style_of
from memeloc.model import FaceName, Locale, TextStyle
from memeloc.ocr.blocks import are_neighbours
from memeloc.ocr.protocol import Line, Reader
from memeloc.ocr.rapid import read_line, unread_lines
from memeloc.ocr.watermarks import is_watermark, marks_among
from memeloc.registration import opencv

_LOOKS_ALIKE = 70.0
"""Distance in RGB within which the fills of two lines of one text lie."""
_LEAST_CONFIDENCE = 0.8
"""The reader's confidence below which a person is asked: drawings are read with 0.5 to 0.75."""
_LEAST_READ = 0.55
"""The same where its letters are told for sure: it is a text, and its words can be corrected.
Tesseract reads letters that are there with 0.6 to 0.8."""
_LEAST_SURE, _TOLD = 0.5, 0.9
"""`Strokes.sure` below which a person is asked, and from which letters are told for sure: all along
the lines, and of one very colour."""
_UNREAD = 0.03
"""Share of a text's letters outside of what was read: a letter of thirty."""
_GAP = 0.5
"""Heights of a line's box between two letters from which one is missing: a space has 0.2 to 0.3."""
_LEAST_HIGH = 0.25
"""Height of a letter at least, in heights of a line's box: specks of a cloud and dots are lower."""
_FEWEST = 0.75
"""Characters for each height of a line's box at least: Latin ones are 1.5 to 2.5, Chinese 1.2."""
_OF_CARD, _UNLIKE = 60.0, 0.1
"""Distance in RGB within which a plain background is still itself, with a gradient of the sky, and
the share of what is around letters, a line away, that is farther where they stand on a card."""
_STEEPEST = 15.0
"""Degrees by which text that was laid over a picture is turned at most, usually."""
_SMALLEST = 12.0
"""Pixels of a line's height below which letters cannot be told from their edges."""
_LARGE = 80
"""Pixels of a line's height from which half the resolution is enough to see its colours."""


@dataclass(frozen=True)
class Text:
    """A text of a meme.

    Attributes:
        number: from 1, in reading order.
        region: its box is around the ink, outlines included, where letters were found.
        strokes: its letters; None where none could be told from the picture.
        style: how it is set; None without letters.
        doubts: why a person should say whether it is a text to translate; empty where it is clear.
        watermark: it is a site's name or a handle, which nobody translates.
    """

    number: int
    region: TextRegion
    strokes: Strokes | None
    style: TextStyle | None
    doubts: tuple[str, ...]
    watermark: bool = False


def read_lines(image: Image.Image, reader: Reader, locale: Locale) -> list[Line]:
    """Return the lines of a picture (RGB): as read, as read from their letters alone, and unread.

    Letters that are told from the picture, in black on white, are read better than as they stand
    in it, with a shadow or on leaves: what was not read for sure is read from them once more.

    Raises:
        MissingError: what the reader or finding letters needs is not installed.
    """
    lines = reader.read([image], locale)[0]
    lines += unread_lines(image, lines)
    weak = [line for line in lines if line.confidence < _LEAST_CONFIDENCE or line.doubtful]
    pixels, page = np.asarray(image), np.full((image.height, image.width), 255, np.uint8)
    for line in weak:
        for region in find_regions([line], image.size, locale):
            strokes = find_strokes(pixels, region)
            if strokes is not None and strokes.sure >= _TOLD:
                height, width = strokes.letters.shape
                part = page[strokes.top : strokes.top + height, strokes.left : strokes.left + width]
                part[strokes.letters] = 0
    again: list[Line] = []
    if page.min() == 0:
        again = reader.read([Image.fromarray(page).convert("RGB")], locale)[0]
    for line in weak:
        left, top, right, bottom = line.box
        here = [
            other
            for other in again
            if top < (other.box[1] + other.box[3]) / 2 < bottom
            and 2 * (min(right, other.box[2]) - max(left, other.box[0]))
            > other.box[2] - other.box[0]  # else it has words of the next line's, too
            and other.confidence > max(line.confidence, _LEAST_READ)
        ]
        if here:
            lines.remove(line)
            lines += here
            again = [other for other in again if other not in here]
        elif not line.text:  # a site's name is Latin, whatever the reader's language is
            text, sure = read_line(image.crop((int(left), int(top), int(right), int(bottom))))
            if sure >= _LEAST_CONFIDENCE and is_watermark(text, (bottom - top) / image.height):
                lines[lines.index(line)] = replace(line, text=text, confidence=sure)
    return lines


def find_texts(
    pixels: Pixels, lines: Sequence[Line], locale: Locale, often: frozenset[str] = frozenset()
) -> tuple[Text, ...]:
    """Return the texts of a picture, in reading order.

    What was seen and not read is a text only where it has an outline or a plain background: windows
    and patterns look like text, too. Raise MissingError if OpenCV is not installed.

    Args:
        pixels: the picture.
        lines: as a reader of `memeloc.ocr` read them in it.
        locale: of the language they are in.
        often: what stands at the edge of many pictures, by `memeloc.ocr.watermarks.repeated`.
    """
    size = pixels.shape[1], pixels.shape[0]
    marks = marks_among(lines, size[1], often)
    captions = [line for line in lines if line not in marks]
    marked = list(find_regions(marks, size, locale))
    regions = marked + [
        region
        for group in _by_look(pixels, captions, size, locale)
        for region in find_regions(group, size, locale)
    ]
    unread = [line for region in regions if not region.text for line in region.lines]
    found: dict[TextRegion, Strokes | None] = {}
    masked = np.zeros(pixels.shape[:2], np.bool_)
    # What was read comes first: what was not may be its emoji.
    for region in sorted(regions, key=lambda region: not region.text):
        if region.text or not _covered(region, masked):
            found[region] = strokes = find_strokes(pixels, region, unread if region.text else ())
            if strokes is not None:
                strokes.lay_on(masked)
    texts: list[Text] = []
    for number, region in enumerate(in_order(list(found), locale), 1):
        strokes, style, watermark = found[region], None, region in marked
        if strokes is not None and not _on_card(pixels, strokes, line_height(region, size)):
            strokes = with_halo(pixels, strokes, line_height(region, size), masked)
            if strokes.background is None:
                strokes = _with_gaps(strokes, region, size)
        if strokes is not None:
            style = style_of(region, strokes, size, locale)
            region = replace(region, box=ink_box(region, strokes, size))
        reasons = () if watermark else doubts(region, strokes, size, locale)
        texts.append(Text(number, region, strokes, style, reasons, watermark))
    return tuple(_in_one_face(text, texts, size, locale) for text in texts)


def _in_one_face(text: Text, texts: Sequence[Text], size: tuple[int, int], locale: Locale) -> Text:
    """Return a text in the face that most letters of one look in its meme have.

    Of a short text, or one that was read wrongly, the measures of letters say little.
    """
    if text.strokes is None or text.style is None or text.watermark:
        return text
    letters: Counter[FaceName] = Counter()
    for other in texts:
        if other.strokes is None or other.style is None or other.watermark:
            continue
        if _alike(text.strokes, other.strokes):
            letters[other.style.face] += len(other.region.text)
    face = max(letters, key=lambda name: letters[name], default=text.style.face)
    if face == text.style.face or not letters[face]:
        return text
    return replace(text, style=style_of(text.region, text.strokes, size, locale, face))


def _on_card(pixels: Pixels, strokes: Strokes, height: float) -> bool:
    """Return whether the plain background of letters ends near them, as a bubble does and a sky
    does not: there a glow would be looked for across its border."""
    if strokes.background is None:
        return False
    away = round(height)
    rows, columns = strokes.mask.shape
    top, left = max(0, strokes.top - away), max(0, strokes.left - away)
    part = pixels[top : strokes.top + rows + away, left : strokes.left + columns + away]
    frame = np.concatenate([part[0], part[-1], part[:, 0], part[:, -1]]).astype(np.float32)
    far = np.sqrt(((frame - strokes.background) ** 2).sum(axis=1))
    return bool((far > _OF_CARD).mean() > _UNLIKE)


def _with_gaps(strokes: Strokes, region: TextRegion, size: tuple[int, int]) -> Strokes:
    """Return strokes whose mask has the stretches of lines in which letters were read and none can
    be told from the picture, as white ones on a cloud."""
    cv2 = opencv()
    _, labels, stats, _ = cv2.connectedComponentsWithStats(strokes.letters.astype(np.uint8))
    tall = stats[:, cv2.CC_STAT_HEIGHT] >= _LEAST_HIGH * line_height(region, size)
    tall[0] = False
    rows, columns = np.nonzero(tall[labels])
    points = np.stack([columns, rows], axis=1)
    gaps = np.zeros(strokes.mask.shape, np.uint8)
    for line in region.lines:
        corner, right, _, below = np.asarray(line.corners) * size - (strokes.left, strokes.top)
        length, height = line.extent(size)
        if line.confidence < _LEAST_CONFIDENCE or not line.text or not min(length, height) >= 1:
            continue
        across, down = (right - corner) / length, (below - corner) / height
        inside = np.abs((points - corner) @ down / height - 0.5) <= 0.5
        along = np.unique(((points[inside] - corner) @ across).clip(0, length))
        # An outline tells the first and the last letter from a cloud; a box may be wider than they.
        outer = (0.0, length) if strokes.outline is None else ()
        for start, end in pairwise(sorted([*along.tolist(), *outer])):
            if end - start > _GAP * height:
                ends = corner + np.outer([start, end], across)
                quad = np.concatenate([ends, ends[::-1] + down * height])
                cv2.fillConvexPoly(gaps, np.round(quad).astype(np.int32), 1)
    around = cv2.dilate(gaps, disc(strokes.halo))
    return replace(strokes, mask=strokes.mask | (around > 0)) if gaps.any() else strokes


def _covered(region: TextRegion, mask: Mask) -> bool:
    """Return whether most of a region is masked."""
    height, width = mask.shape
    x, y, across, down = region.box
    rows = slice(max(0, round(y * height)), round((y + down) * height))
    part = mask[rows, max(0, round(x * width)) : round((x + across) * width)]
    return bool(2 * part.sum() > part.size)


def _in_the_picture(region: TextRegion, strokes: Strokes | None) -> bool:
    """Return whether letters have no outline, plain ground, halo or, where read, one colour."""
    return strokes is None or not (
        strokes.outline or strokes.background or strokes.halo or (strokes.laid_over and region.text)
    )


def mask_of(texts: Sequence[Text], size: tuple[int, int]) -> Mask:
    """True on the letters, outlines and rims of texts in a picture of `size` (width, height)."""
    mask = np.zeros((size[1], size[0]), np.bool_)
    for text in texts:
        if text.strokes is not None:
            text.strokes.lay_on(mask)
    return mask


def doubts(
    region: TextRegion, strokes: Strokes | None, size: tuple[int, int], locale: Locale
) -> tuple[str, ...]:
    """Return why nobody can be sure that a region is a text that was laid over the picture."""
    reasons = []
    unsure = strokes is None or strokes.sure < _TOLD or _in_the_picture(region, strokes)
    scripts = count_scripts(region.text).keys()
    if scripts and scripts.isdisjoint(letter_scripts(locale.script) | {"Latn"}):
        reasons.append(f"it was read as another script than that of {locale.name}")
    if not region.text:
        reasons.append("it could not be read")
    elif not all(line.text for line in region.lines):
        reasons.append("a line of it could not be read")
    elif region.confidence < (_LEAST_CONFIDENCE if unsure else _LEAST_READ):
        reasons.append(f"the reader is unsure of it ({region.confidence:.2f})")
    if strokes is None or strokes.sure < _LEAST_SURE:
        reasons.append("its letters cannot be told from the picture")
    elif _in_the_picture(region, strokes):
        reasons.append("it stands in the picture itself, as on cloth, a sign or a logo")
    if (strokes is not None and strokes.unread > _UNREAD) or _is_cut_short(region, size):
        reasons.append("letters beside it were not read")
    if abs(region.angle) > _STEEPEST:
        reasons.append(f"it is turned by {region.angle:.0f} degrees")
    if region.lines and line_height(region, size) < _SMALLEST:
        reasons.append("it is tiny")
    return tuple(reasons)


def _is_cut_short(region: TextRegion, size: tuple[int, int]) -> bool:
    """Return whether fewer characters were read in a line than have room in it."""
    lines = ((line.text, *line.extent(size)) for line in region.lines if line.text)
    return any(len(text) < _FEWEST * length / max(height, 1) for text, length, height in lines)


def line_height(region: TextRegion, size: tuple[int, int]) -> float:
    """Return the usual height of a region's lines in pixels."""
    heights = [line.extent(size)[1] for line in region.lines]
    return float(np.median(heights)) if heights else region.box[3] * size[1]


def ink_box(region: TextRegion, strokes: Strokes, size: tuple[int, int]) -> FractionBox:
    """Return the box of a region around its letters, outline and emoji, before it is turned."""
    rows, columns = np.nonzero(strokes.ink)
    if not len(rows):
        return region.box
    points = np.stack([columns + strokes.left, rows + strokes.top], axis=1) + 0.5
    middle = size[0] / 2, size[1] / 2
    level = turned(points.astype(float), -region.angle, middle)
    left, top = level.min(axis=0) - 0.5
    right, bottom = level.max(axis=0) + 0.5
    x, y = turned(np.array([[(left + right) / 2, (top + bottom) / 2]]), region.angle, middle)[0]
    width, height = right - left, bottom - top
    return (
        float((x - width / 2) / size[0]),
        float((y - height / 2) / size[1]),
        float(width / size[0]),
        float(height / size[1]),
    )


def _by_look(
    pixels: Pixels, lines: Sequence[Line], size: tuple[int, int], locale: Locale
) -> list[list[Line]]:
    """Return lines in groups of one look; what has none is by itself.

    What was seen and not read is left out where it has neither an outline nor a plain background.
    """
    heights = [line.box[3] - line.box[1] for line in lines]
    # Colours show at half the size as well, in a quarter of the time.
    coarse = pixels[::2, ::2] if heights and np.median(heights) > _LARGE else pixels
    looks = []
    for line in lines:
        regions = find_regions([line], size, locale)
        strokes = find_strokes(coarse, regions[0]) if regions else None
        looks.append((line, regions, strokes))
    # Those whose letters are told for sure come first: others may join them.
    looks.sort(key=lambda look: (look[2] is None or not look[2].laid_over, -look[0].confidence))
    groups: list[tuple[Strokes | None, list[Line]]] = []
    for line, regions, strokes in looks:
        if not line.text and (not regions or _in_the_picture(regions[0], strokes)):
            continue
        for look, group in groups:
            alike = look is not None and strokes is not None and _alike(look, strokes)
            if look is not None and not alike and look.laid_over and line.text:
                # On a cloud of their colour letters show only beside the line above or below.
                near = [each for each in group if are_neighbours(line, each)]
                both = find_regions([*near, line], size, locale) if near else ()
                together = find_strokes(coarse, both[0]) if len(both) == 1 else None
                alike = together is not None and together.laid_over
            if alike:
                group.append(line)
                break
        else:
            groups.append((strokes, [line]))
    return [group for _, group in groups]


def _alike(strokes: Strokes, other: Strokes) -> bool:
    if between(strokes.fill, other.fill) > _LOOKS_ALIKE:
        return False
    if strokes.laid_over and other.laid_over:
        return True  # no drawing has letters of one very colour; glow may be taken for an outline
    if strokes.outline is None or other.outline is None:
        # Whether there is an outline cannot be told where the background is of its colour.
        return (strokes.outline is None) == (other.outline is None) or None in (
            strokes.background,
            other.background,
        )
    # Of a soft glow any part may be taken for the outline.
    return between(strokes.outline, other.outline) <= 1.5 * _LOOKS_ALIKE
