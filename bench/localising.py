"""Localising finished memes, measured. In: memes whose truth is known. Out: figures, and misses.

Figures are by the kinds of `bench.finished_memes`. `python -m bench.localising 60` measures 60
memes, prints a line for each, worst first, and the table by kind; each run writes a contact sheet
of at most 60, as they came and in another language, to look at: `build/localised-1.png` and on.
Readings are kept in `build/localising`: a second run reads the finished memes no more.
"""

from __future__ import annotations

import hashlib
import multiprocessing
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import fmean, median

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from bench.backgrounds import BUSY, SMOOTH, Pixels
from bench.figures import Bound, Figure
from bench.finished_memes import KINDS, FinishedMeme, finished_memes, memes_of_a_template
from bench.scenes import ROOT
from memeloc.fonts import FontLibrary
from memeloc.localise import protocol
from memeloc.localise.aligning import lay_on
from memeloc.localise.localise import LocalisedMeme, Restoring, localise
from memeloc.localise.recover import recover
from memeloc.localise.regions import corners_of
from memeloc.localise.restoring import make_restorer
from memeloc.localise.styles import is_upper
from memeloc.localise.texts import Text, find_texts
from memeloc.model import Caption, Template
from memeloc.ocr.protocol import Line
from memeloc.ocr.readers import choose
from memeloc.render import Renderer
from memeloc.render.proof import PartProof
from memeloc.workspace.localising import lines_of

PICTURES = 300
SHEETS = ROOT / "build"
_GROUP = "Localising finished memes"
_FOUND = 0.3
"""Least overlap (intersection over union) of a text that was found with the one that is there."""
_SAME_COLOUR = 40
"""Levels of 255 in which a colour may differ and be right."""
_LARGER = 1.1
"""How much larger than it was a text may be set and still be of its size."""
_RADIUS = 5
"""Of Telea's inpainting: with 3, the usual, it is worse."""
_LEGIBLE = 2
"""Letters and digits of a line from which it counts as legible."""
_SETS = 8
_SHOWN = 60
_COLUMNS, _TILE = 2, (420, 315)
_PROCESSES = 4
"""Memes measured at once: each is read and searched on one core."""

Mask = NDArray[np.bool_]
_Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Part:
    """A text that is there, and what was made of it.

    Attributes:
        text: as it was drawn.
        overlap: intersection over union of its ink's box with the nearest region's; 0 to 1.
        number: of that region; 0 where none was found.
        style_wrong: what of fill, outline, case and size is not that which was drawn.
    """

    text: str
    overlap: float
    number: int
    style_wrong: tuple[str, ...]

    @property
    def found(self) -> bool:
        """Return whether a region stands where it is."""
        return self.overlap >= _FOUND


@dataclass(frozen=True, slots=True)
class Measured:
    """A meme and how it was localised.

    Attributes:
        parts: its texts.
        psnr: in dB, within the boxes of its found texts, by way: `memeloc`, `Telea, true mask`,
            `Telea, boxes`; empty where none was found.
        legible: lines that a reader still reads where text was taken out.
        asked: texts that a person is asked about.
        others: texts taken that are none, a site's name among them.
        seconds: of CPU, without reading.
        tile: as it came, and in another language.
    """

    name: str
    kind: str
    ground: str
    parts: tuple[Part, ...]
    psnr: Mapping[str, float]
    legible: tuple[str, ...]
    asked: tuple[str, ...]
    others: tuple[str, ...]
    seconds: float
    tile: Image.Image = field(repr=False)


def measure_meme(meme: FinishedMeme, folder: Path) -> Measured:
    """Read a meme, restore what is behind its text, and compare both with the truth."""
    reader, reading = choose(meme.locale), [0.0]

    def read(pixels: Pixels, *, once: bool = True) -> list[Line]:
        begin = time.process_time()
        content = hashlib.sha256(pixels.tobytes()).hexdigest()
        picture = protocol.FinishedMeme(meme.name, meme.template.image, content, pixels)
        lines = lines_of(picture, reader, meme.locale, SHEETS / "localising", once=once)
        reading[0] += time.process_time() - begin
        return lines

    opened = protocol.FinishedMeme(meme.template.name, meme.template.image, "", meme.image)
    lines = read(meme.image, once=False)
    begin = time.process_time() - reading[0]
    texts = find_texts(meme.image, lines, meme.locale)
    localised = localise(opened, texts, meme.locale, [Restoring(make_restorer("auto"))], read=read)
    seconds = time.process_time() - reading[0] - begin
    restored = meme.image if localised.clean is None else localised.clean.pixels
    parts = tuple(_part(meme, place, proof, texts) for place, proof in meme.parts.items())
    where, taken = np.zeros((2, *meme.text.shape), np.bool_)
    for part, proof in zip(parts, meme.parts.values(), strict=True):
        if part.found and proof.ink:
            left, top, right, bottom = proof.ink
            where[top:bottom, left:right] = True
            taken[top:bottom, left:right] = part.number in localised.taken
    pictures = {
        "memeloc": restored,
        "Telea, true mask": _telea(meme.image, meme.text),
        "Telea, boxes": _telea(meme.image, _boxes(lines, meme.text.shape)),
    }
    psnr = {way: psnr_of(picture, meme.clean, where) for way, picture in pictures.items()}
    legible = _legible(read(restored, once=False), taken)
    if legible:
        behind = _legible(read(meme.clean), taken)
        legible = tuple(text for text in legible if text not in behind)
    captions = _translated(meme, localised)
    by_number = {text.number: text for text in localised.texts}
    return Measured(
        meme.name,
        meme.kind,
        meme.ground,
        parts,
        psnr if where.any() else {},
        legible,
        tuple(
            f"{by_number[number].region.text!r}: {'; '.join(by_number[number].doubts)}"
            for number in localised.open
        ),
        tuple(
            text for text, caption in zip(localised.parts, captions, strict=True) if caption == text
        ),
        seconds,
        _tile(meme, localised, captions, restored, folder),
    )


def _translated(meme: FinishedMeme, localised: LocalisedMeme) -> list[str]:
    """Return the translation of each part: of all true texts that stand in it."""
    size = meme.image.shape[1], meme.image.shape[0]
    taken = [text for text in localised.texts if text.number in localised.taken]
    parts: list[list[str]] = [[] for _ in taken]
    for place, proof in meme.parts.items():
        overlaps = [_overlap(proof.ink or (0, 0, 0, 0), _upright(text, size)) for text in taken]
        if overlaps and max(overlaps) > 0:
            parts[int(np.argmax(overlaps))].append(meme.translations[place])
    return [" ".join(found) or text for found, text in zip(parts, localised.parts, strict=True)]


def _tile(
    meme: FinishedMeme,
    localised: LocalisedMeme,
    captions: Sequence[str],
    restored: Pixels,
    folder: Path,
) -> Image.Image:
    """Return a meme as it came beside itself in another language."""
    set_anew = Image.fromarray(restored)
    if captions:
        file = folder / f"{meme.template.name}-clean.png"
        set_anew.save(file)
        template = Template(file.stem, file, localised.boxes)
        renderer = Renderer(FontLibrary())
        drawn = renderer.render(template, Caption(tuple(captions)), meme.target)
        set_anew = drawn.image.convert("RGB")
    tile = Image.new("RGB", (2 * _TILE[0], _TILE[1] + 16), "white")
    for column, picture in enumerate((Image.fromarray(meme.image), set_anew)):
        picture.thumbnail((_TILE[0] - 6, _TILE[1]))
        tile.paste(picture, (column * _TILE[0], 16))
    ImageDraw.Draw(tile).text((2, 1), meme.name, "black", font_size=12)
    return tile


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
        return Part(drawn, max(overlaps, default=0.0), 0, ())
    text = texts[int(np.argmax(overlaps))]
    wrong = tuple(_style_wrong(meme, place, proof, text))
    return Part(drawn, max(overlaps), text.number, wrong)


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


def _style_wrong(meme: FinishedMeme, place: int, proof: PartProof, text: Text) -> Iterator[str]:
    wanted, style = meme.template.boxes[place].style, text.style
    if style is None:
        yield "no letters"
        return
    if not _same_colour(wanted.fill, style.fill):
        yield f"fill {style.fill} for {wanted.fill}"
    if bool(wanted.outline_width) != bool(style.outline_width) and KINDS[meme.kind].under is None:
        yield "an outline" if style.outline_width else "no outline"
    elif wanted.outline_width and not _same_colour(wanted.outline, style.outline):
        yield f"outline {style.outline} for {wanted.outline}"
    drawn = " ".join(proof.lines)
    if any(char.isupper() or char.islower() for char in drawn) and is_upper(drawn) != (
        style.uppercase
    ):
        yield "case"
    share = style.max_size * meme.image.shape[0] / proof.font_size
    if share > _LARGER:
        yield f"{share:.2f} times as large"


def _same_colour(first: str, second: str) -> bool:
    pairs = ((first[at : at + 2], second[at : at + 2]) for at in (1, 3, 5))
    return all(abs(int(one, 16) - int(other, 16)) <= _SAME_COLOUR for one, other in pairs)


def measure(
    pictures: int = PICTURES, say: Callable[[str], None] = lambda _: None
) -> tuple[list[Figure], list[str]]:
    """Return all figures, and what was missed."""
    with tempfile.TemporaryDirectory(prefix="memeloc-bench-") as folder:
        say(f"{pictures} finished memes localised")
        memes = list(_measured(Path(folder), pictures))
        say("pictures recovered from four memes each")
        recovered = list(_recovered(Path(folder)))
    return [*_figures(memes), *_recovered_figures(recovered)], _notes(memes)


def _measured(folder: Path, pictures: int) -> Iterator[Measured]:
    """Yield each meme measured, and write the contact sheets."""
    tiles: list[Image.Image] = []
    SHEETS.mkdir(exist_ok=True)
    with ProcessPoolExecutor(_PROCESSES, multiprocessing.get_context("spawn")) as pool:
        for measured in pool.map(
            partial(measure_meme, folder=folder), finished_memes(folder, pictures)
        ):
            tiles += [measured.tile] if len(tiles) < _SHOWN else []
            yield measured
    a_page = 6 * _COLUMNS
    for begin in range(0, len(tiles), a_page):
        page = tiles[begin : begin + a_page]
        wide, high = page[0].size
        sheet = Image.new("RGB", (_COLUMNS * wide, -(-len(page) // _COLUMNS) * high), "white")
        for number, tile in enumerate(page):
            sheet.paste(tile, (number % _COLUMNS * wide, number // _COLUMNS * high))
        sheet.save(SHEETS / f"localised-{begin // a_page + 1}.png")


def _figures(memes: Sequence[Measured]) -> list[Figure]:
    by_kind = [each for kind in KINDS for each in _figures_of(kind, memes)]
    seconds = [meme.seconds for meme in memes]
    parts = [part for meme in memes for part in meme.parts if part.found]
    boxes = [
        meme.psnr["memeloc"] - meme.psnr["Telea, boxes"]
        for meme in memes
        if meme.psnr and meme.ground == "busy"
    ]
    return [
        *_figures_of("all", memes),
        Figure(
            _GROUP, "overlap of boxes (IoU)", fmean(part.overlap for part in parts), "",
            Bound("at least", 0.8), f"mean; {sum(p.overlap < 0.8 for p in parts)} below 0.8",
        ),
        Figure(
            _GROUP, "PSNR, busy, over Telea with the reader's boxes", fmean(boxes), "dB",
            Bound("at least", 2),
        ),
        Figure(
            _GROUP, "a picture on one core, without reading", median(seconds), "s",
            Bound("at most", 2), f"median; slowest {max(seconds):.1f}",
        ),
        *by_kind,
    ]  # fmt: skip


def _figures_of(kind: str, memes: Sequence[Measured]) -> Iterator[Figure]:
    """Yield what was found, left, restored, kept and asked of a kind, or of all."""
    chosen = [meme for meme in memes if kind in ("all", meme.kind)]
    parts = [part for meme in chosen for part in meme.parts]
    found = [part for part in parts if part.found]
    over = [meme.psnr["memeloc"] - meme.psnr["Telea, true mask"] for meme in chosen if meme.psnr]
    bounds = (
        [Bound("at least", 97), Bound("at most", 0), Bound("at least", 0), Bound("at least", 90)]
        if kind == "all"
        else [None] * 4
    )
    if not found:
        return
    note = f"{len(chosen)} memes, {len(parts)} texts"
    rows = (
        ("found", 100 * len(found) / len(parts), "%", bounds[0], note),
        (
            "memes with remains",
            float(sum(bool(meme.legible) for meme in chosen)),
            "",
            bounds[1],
            "",
        ),
        ("over Telea with the true mask", fmean(over), "dB", bounds[2], ""),
        (
            "style kept",
            100 * sum(not part.style_wrong for part in found) / len(found),
            "%",
            bounds[3],
            "",
        ),
        ("texts asked about", float(sum(len(meme.asked) for meme in chosen)), "", None, ""),
    )
    for name, value, unit, bound, said in rows:
        yield Figure(_GROUP, f"{kind}: {name}", value, unit, bound, said)


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
    """Return what was missed, still legible, asked about, or of another style."""
    notes = []
    for meme in memes:
        for part in meme.parts:
            if not part.found:
                notes.append(f"{meme.name}: missed {part.text!r}")
            elif part.style_wrong:
                notes.append(f"{meme.name}: {', '.join(part.style_wrong)} of {part.text!r}")
        notes += [f"{meme.name}: still legible {text!r}" for text in meme.legible]
        notes += [f"{meme.name}: asked about {text}" for text in meme.asked]
        notes += [f"{meme.name}: taken for a text {text!r}" for text in meme.others]
    return notes


def main() -> int:
    """Print a line a meme, worst first, then the figures."""
    from bench.figures import print_table

    count = int(sys.argv[1]) if len(sys.argv) > 1 else len(KINDS)
    with tempfile.TemporaryDirectory(prefix="memeloc-bench-") as folder:
        memes = list(_measured(Path(folder), count))
    for meme in sorted(memes, key=lambda meme: meme.psnr.get("memeloc", 0)):
        ways = "  ".join(f"{way} {value:5.1f}" for way, value in meme.psnr.items())
        overlaps = " ".join(f"{part.overlap:.2f}" for part in meme.parts)
        print(f"{meme.name:40} {meme.ground:6} {ways}  IoU {overlaps}  {meme.seconds:.2f} s")
    print_table(_figures(memes), _notes(memes))
    return 0


if __name__ == "__main__":
    sys.exit(main())
