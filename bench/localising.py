"""Localising finished memes, measured. In: memes whose truth is known. Out: figures, and misses.

`python -m bench.localising 30` measures 30 memes and prints a line for each, worst first.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from bench.backgrounds import BUSY, SMOOTH, Pixels
from bench.figures import Bound, Figure
from bench.finished_memes import FinishedMeme, finished_memes, memes_of_a_template
from memeloc.localise.aligning import lay_on
from memeloc.localise.recover import recover
from memeloc.localise.regions import corners_of
from memeloc.localise.restoring import make_restorer
from memeloc.localise.styles import is_upper
from memeloc.localise.texts import Text, find_texts, mask_of
from memeloc.ocr.protocol import Line
from memeloc.ocr.rapid import unread_lines
from memeloc.ocr.readers import choose
from memeloc.render.proof import PartProof

PICTURES = 300
_GROUP = "Localising finished memes"
_FOUND = 0.3
"""Least overlap (intersection over union) of a text that was found with the one that is there."""
_SAME_COLOUR = 40
"""Levels of 255 in which a colour may differ and be right."""
_RADIUS = 5
"""Of Telea's inpainting: with 3, the usual, it is worse."""
_LEGIBLE = 2
"""Letters and digits of a line from which it counts as legible."""
_SETS = 8

Mask = NDArray[np.bool_]
_Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Part:
    """A text that is there, and what was made of it.

    Attributes:
        text: as it was drawn.
        overlap: intersection over union of its ink's box with the nearest region's; 0 to 1.
        style_wrong: what of fill, outline and case is not that which was drawn.
    """

    text: str
    overlap: float
    style_wrong: tuple[str, ...]

    @property
    def found(self) -> bool:
        """Whether a region stands where it is."""
        return self.overlap >= _FOUND


@dataclass(frozen=True, slots=True)
class Measured:
    """How a meme was localised.

    Attributes:
        name, ground: the meme's.
        parts: its texts.
        psnr: in dB, within the boxes of its found texts, by way: `memeloc`, `Telea, true mask`,
            `Telea, boxes`; empty where none was found.
        legible: lines that a reader still reads where its text was.
        seconds: without reading.
    """

    name: str
    ground: str
    parts: tuple[Part, ...]
    psnr: Mapping[str, float]
    legible: tuple[str, ...]
    seconds: float


def measure_meme(meme: FinishedMeme) -> Measured:
    """Read a meme, restore what is behind its text, and compare both with the truth."""
    reader = choose(meme.locale)
    image = Image.fromarray(meme.image)
    lines = reader.read([image], meme.locale)[0]
    lines += unread_lines(image, lines)
    height, width = meme.image.shape[:2]
    begin = time.perf_counter()
    texts = find_texts(meme.image, lines, meme.locale)
    restored = make_restorer("auto").restore(meme.image, mask_of(texts, (width, height)))
    seconds = time.perf_counter() - begin
    parts = tuple(_part(meme, place, proof, texts) for place, proof in meme.parts.items())
    where = np.zeros(meme.text.shape, np.bool_)
    for part, proof in zip(parts, meme.parts.values(), strict=True):
        if part.found and proof.ink:
            left, top, right, bottom = proof.ink
            where[top:bottom, left:right] = True
    pictures = {
        "memeloc": restored,
        "Telea, true mask": _telea(meme.image, meme.text),
        "Telea, boxes": _telea(meme.image, _boxes(lines, (height, width))),
    }
    psnr = {way: psnr_of(picture, meme.clean, where) for way, picture in pictures.items()}
    left_over = reader.read([Image.fromarray(restored)], meme.locale)[0]
    legible = _legible(left_over, where)
    if legible:
        own = _legible(reader.read([Image.fromarray(meme.clean)], meme.locale)[0], where)
        legible = tuple(text for text in legible if text not in own)
    return Measured(meme.name, meme.ground, parts, psnr if where.any() else {}, legible, seconds)


def psnr_of(picture: Pixels, truth: Pixels, where: Mask) -> float:
    """The peak signal-to-noise ratio in dB within a mask; 99 for what is equal."""
    error = (picture[where].astype(np.float64) - truth[where]) ** 2
    return float(min(99.0, 10 * np.log10(255**2 / max(error.mean(), 1e-6)))) if error.size else 99.0


def _telea(picture: Pixels, mask: Mask) -> Pixels:
    return np.asarray(cv2.inpaint(picture, mask.astype(np.uint8), _RADIUS, cv2.INPAINT_TELEA))


def _boxes(lines: Sequence[Line], shape: tuple[int, int]) -> Mask:
    mask = np.zeros(shape, np.uint8)
    for line in lines:
        left, top, right, bottom = line.box
        corners = line.corners or ((left, top), (right, top), (right, bottom), (left, bottom))
        cv2.fillPoly(mask, [np.round(np.array(corners)).astype(np.int32)], 1)
    return mask > 0


def _legible(lines: Sequence[Line], where: Mask) -> tuple[str, ...]:
    """What is read where text was, by lines with letters."""
    read = []
    for line in lines:
        left, top, right, bottom = (max(0, round(edge)) for edge in line.box)
        inside = where[top:bottom, left:right]
        letters = sum(char.isalnum() for char in line.text)
        if letters >= _LEGIBLE and inside.size and inside.mean() > 0.5:
            read.append(line.text)
    return tuple(read)


def _part(meme: FinishedMeme, place: int, proof: PartProof, texts: Sequence[Text]) -> Part:
    drawn = " ".join(proof.lines)
    size = meme.image.shape[1], meme.image.shape[0]
    overlaps = [_overlap(proof.ink or (0, 0, 0, 0), _upright(text, size)) for text in texts]
    if not overlaps or max(overlaps) < _FOUND:
        return Part(drawn, max(overlaps, default=0.0), ())
    text = texts[int(np.argmax(overlaps))]
    return Part(drawn, max(overlaps), tuple(_style_wrong(meme, place, drawn, text)))


def _upright(text: Text, size: tuple[int, int]) -> _Box:
    """The upright box around a region's own, turned as that is."""
    corners = corners_of(text.region.box, text.region.angle, size)
    (left, top), (right, bottom) = corners.min(axis=0), corners.max(axis=0)
    return float(left), float(top), float(right), float(bottom)


def _overlap(first: _Box, second: _Box) -> float:
    across = min(first[2], second[2]) - max(first[0], second[0])
    down = min(first[3], second[3]) - max(first[1], second[1])
    if across <= 0 or down <= 0:
        return 0.0
    areas = [(box[2] - box[0]) * (box[3] - box[1]) for box in (first, second)]
    return across * down / (sum(areas) - across * down)


def _style_wrong(meme: FinishedMeme, place: int, drawn: str, text: Text) -> Iterator[str]:
    wanted, style = meme.template.boxes[place].style, text.style
    if style is None:
        yield "no letters"
        return
    if not _same_colour(wanted.fill, style.fill):
        yield f"fill {style.fill} for {wanted.fill}"
    if bool(wanted.outline_width) != bool(style.outline_width):
        yield "an outline" if style.outline_width else "no outline"
    elif wanted.outline_width and not _same_colour(wanted.outline, style.outline):
        yield f"outline {style.outline} for {wanted.outline}"
    if any(char.isupper() or char.islower() for char in drawn) and is_upper(drawn) != (
        style.uppercase
    ):
        yield "case"


def _same_colour(first: str, second: str) -> bool:
    pairs = ((first[at : at + 2], second[at : at + 2]) for at in (1, 3, 5))
    return all(abs(int(one, 16) - int(other, 16)) <= _SAME_COLOUR for one, other in pairs)


def measure(
    pictures: int = PICTURES, say: Callable[[str], None] = lambda _: None
) -> tuple[list[Figure], list[str]]:
    """All figures, and what was missed."""
    with tempfile.TemporaryDirectory(prefix="memeloc-bench-") as folder:
        say(f"{pictures} finished memes localised")
        memes = [measure_meme(meme) for meme in finished_memes(Path(folder), pictures)]
        say("pictures recovered from four memes each")
        recovered = list(_recovered(Path(folder)))
    return [*_figures(memes), *_recovered_figures(recovered)], _notes(memes)


def _figures(memes: Sequence[Measured]) -> list[Figure]:
    parts = [part for meme in memes for part in meme.parts]
    found = [part for part in parts if part.found]
    right = [part for part in found if not part.style_wrong]
    read = [meme for meme in memes if meme.psnr]
    smooth = [meme.psnr["memeloc"] for meme in read if meme.ground == "smooth"]
    busy = [meme.psnr for meme in read if meme.ground == "busy"]
    over_true = [psnr["memeloc"] - psnr["Telea, true mask"] for psnr in busy]
    over_boxes = [psnr["memeloc"] - psnr["Telea, boxes"] for psnr in busy]
    legible = [meme for meme in memes if meme.legible]
    seconds = [meme.seconds for meme in memes]
    count = f"{len(memes)} memes"

    def figure(name: str, value: float, unit: str, bound: Bound | None, note: str = "") -> Figure:
        return Figure(_GROUP, name, value, unit, bound, note)

    return [
        figure(
            "text regions found", 100 * len(found) / len(parts), "%", Bound("at least", 97),
            f"{count}, {len(parts)} texts; an overlap of {_FOUND} and more",
        ),
        figure(
            "overlap of boxes (IoU)", fmean(part.overlap for part in found), "",
            Bound("at least", 0.8), f"mean; {sum(p.overlap < 0.8 for p in found)} below 0.8",
        ),
        figure(
            "colours and case right", 100 * len(right) / len(found), "%", Bound("at least", 95)
        ),
        figure(
            "memes with legible rests", float(len(legible)), "", Bound("at most", 0),
            "read again after restoring",
        ),
        figure(
            "PSNR, smooth", fmean(smooth), "dB", Bound("at least", 30),
            f"mean of {len(smooth)} memes within the texts' boxes; "
            f"{sum(value < 30 for value in smooth)} below 30, least {min(smooth):.1f}",
        ),
        figure(
            "PSNR, busy, over Telea with the true mask", fmean(over_true), "dB",
            Bound("at least", -0.5), f"mean of {len(busy)} memes; "
            f"{fmean(psnr['memeloc'] for psnr in busy):.1f} dB",
        ),
        figure(
            "PSNR, busy, over Telea with the reader's boxes", fmean(over_boxes), "dB",
            Bound("at least", 2), f"{fmean(psnr['Telea, boxes'] for psnr in busy):.1f} dB",
        ),
        figure(
            "a picture on one core, without reading", median(seconds), "s", Bound("at most", 2),
            f"median; slowest {max(seconds):.1f}",
        ),
    ]  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Recovered:
    """A picture recovered from four memes: dB where a meme shows it, of all, painted, seconds."""

    name: str
    shown: float
    whole: float
    painted: float
    seconds: float


def _recovered(folder: Path) -> Iterator[_Recovered]:
    kinds = (*SMOOTH, *BUSY)
    for number in range(_SETS):
        memes = memes_of_a_template(folder, kinds[number % len(kinds)], seed=number)
        begin = time.perf_counter()
        result = recover(memes.files)
        image = make_restorer("auto").restore(result.image, result.uncertain)
        seconds = time.perf_counter() - begin
        (first,) = (each for each in result.pictures if each.path == memes.files[0])
        size = image.shape[1], image.shape[0]
        truth, _ = lay_on(memes.clean, first.map, size)
        everywhere = np.ones(image.shape[:2], np.bool_)
        yield _Recovered(
            memes.name,
            psnr_of(image, truth, ~result.uncertain),
            psnr_of(image, truth, everywhere),
            100 * float(result.uncertain.mean()),
            seconds,
        )


def _recovered_figures(results: Sequence[_Recovered]) -> list[Figure]:
    each = ", ".join(f"{result.name} {result.shown:.1f}" for result in results)
    whole = ", ".join(f"{result.whole:.1f}" for result in results)
    painted = fmean(result.painted for result in results)
    return [
        Figure(
            _GROUP, "PSNR from four memes, where one shows it",
            fmean(result.shown for result in results), "dB", Bound("at least", 35), each,
        ),
        Figure(
            _GROUP, "PSNR from four memes, with what was painted",
            fmean(result.whole for result in results), "dB", None,
            f"{painted:.1f} % of the picture is hidden in all four; {whole}",
        ),
        Figure(_GROUP, "four memes made one picture", median(r.seconds for r in results), "s"),
    ]  # fmt: skip


def _notes(memes: Sequence[Measured]) -> list[str]:
    """What was missed, still legible, or of another style."""
    notes = []
    for meme in memes:
        for part in meme.parts:
            if not part.found:
                notes.append(f"{meme.name}: missed {part.text!r}")
            elif part.style_wrong:
                notes.append(f"{meme.name}: {', '.join(part.style_wrong)} of {part.text!r}")
        notes += [f"{meme.name}: still legible {text!r}" for text in meme.legible]
    return notes


def main() -> int:
    """Print a line a meme, worst first, then the figures."""
    from bench.figures import print_table

    count = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    with tempfile.TemporaryDirectory(prefix="memeloc-bench-") as folder:
        memes = [measure_meme(meme) for meme in finished_memes(Path(folder), count)]
    for meme in sorted(memes, key=lambda meme: meme.psnr.get("memeloc", 0)):
        ways = "  ".join(f"{way} {value:5.1f}" for way, value in meme.psnr.items())
        overlaps = " ".join(f"{part.overlap:.2f}" for part in meme.parts)
        print(f"{meme.name:40} {meme.ground:6} {ways}  IoU {overlaps}  {meme.seconds:.2f} s")
    print_table(_figures(memes), _notes(memes))
    return 0


if __name__ == "__main__":
    sys.exit(main())
