"""RapidOCR. In: pictures. Out: where text is, in any script, and what it reads of its own scripts.

The models are those that come in the package's wheel (PP-OCRv6, one file to find text and one to
read Latin, Chinese and Japanese). They are named by their paths: given none, the package would
fetch them from a server.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from memeloc.counts import counted
from memeloc.errors import InputError, MissingError, ServiceError
from memeloc.locales import default
from memeloc.model import Locale
from memeloc.ocr.protocol import Box, Corners, Line, Quad

_NEEDED = "rapidocr", "onnxruntime"
_LONGEST = 2000
"""Longer side in pixels at which text is looked for; the engine scales larger pictures down."""

_SLIMMEST = 4
"""How many times as long as wide a picture is looked at, at most; it is padded to that."""
_SMALLEST = 32  # px
_PADDING = (127, 127, 127)  # grey, in which no text is seen
_LEAST = 0.5
"""Confidence below which a line is a drawing: the engine's own setting."""


def model_paths() -> tuple[Path, Path]:
    """Return the models in the installed package: one finds text, one reads it. Raise MissingError
    if the package is not installed, or it has no models: it would fetch them."""
    for package in _NEEDED:
        if find_spec(package) is None:
            raise MissingError(
                f"Reading text in pictures needs the package {package}: pip install 'memeloc[ocr]'"
            )
    spec = find_spec("rapidocr")
    folder = Path(spec.origin or "").parent / "models" if spec else Path()
    models = [sorted(folder.glob(f"*_{task}_*.onnx")) for task in ("det", "rec")]
    if not all(models):
        raise MissingError(
            f"RapidOCR {version('rapidocr')} is installed without its models and would fetch them "
            "when used, which memeloc does not let it: pip install 'rapidocr>=3.10'"
        )
    return models[0][-1], models[1][-1]


@cache
def _engine() -> Any:
    """Return the engine with the wheel's models, one thread; the same each time."""
    finding, reading = model_paths()
    from rapidocr import RapidOCR

    return RapidOCR(
        params={
            "Global.log_level": "critical",
            "Global.use_cls": False,
            "Global.max_side_len": _LONGEST,
            "Det.model_path": str(finding),
            "Rec.model_path": str(reading),
            "EngineConfig.onnxruntime.intra_op_num_threads": 1,
            "EngineConfig.onnxruntime.inter_op_num_threads": 1,
        }
    )


@dataclass(frozen=True, slots=True)
class TextLine:
    """The place of a line of text; how the model reads it, knowing the script or not; 0 to 1."""

    quad: Quad
    text: str
    confidence: float

    @property
    def box(self) -> Box:
        """Around the quad, upright."""
        left, top = self.quad.min(axis=0)
        right, bottom = self.quad.max(axis=0)
        return float(left), float(top), float(right), float(bottom)

    @property
    def corners(self) -> Corners:
        """The quad in plain numbers."""
        return tuple((float(x), float(y)) for x, y in self.quad)


_PLACES: dict[tuple[bytes, tuple[int, int]], list[Quad]] = {}
"""Where text is in the picture that was looked at last."""


def find_text(picture: Image.Image, *, read: bool) -> list[TextLine]:
    """Return where lines of text are in an RGB picture, and how the model reads them.

    Without `read`, every line in whatever script is there, with an empty text and a confidence of
    0; with it, what the model makes nothing of is left out. Raises as `model_paths`, and
    ServiceError when the engine failed.
    """
    key = hashlib.sha256(picture.tobytes()).digest(), picture.size
    if not read and key in _PLACES:  # to find text takes half of the time of reading it
        return [TextLine(quad, "", 0.0) for quad in _PLACES[key]]
    result = _run(_padded(picture), use_det=True, use_rec=read)
    _PLACES.clear()
    boxes = [] if result.boxes is None else result.boxes
    _PLACES[key] = [np.clip(np.asarray(box, dtype=float), 0, picture.size) for box in boxes]
    if result.boxes is None:
        return []
    count = len(result.boxes)
    texts, scores = (result.txts, result.scores) if read else (("",) * count, (0.0,) * count)
    return [
        TextLine(
            np.clip(np.asarray(box, dtype=float), 0, picture.size), str(text).strip(), float(score)
        )
        for box, text, score in zip(result.boxes, texts, scores, strict=True)
    ]


def unread_lines(picture: Image.Image, lines: Sequence[Line]) -> list[Line]:
    """Return where text is seen that no reader read: lines without text. Raises as `find_text`.

    Args:
        picture: RGB.
        lines: what a reader read in it.
    """
    unread = []
    for place in find_text(picture, read=False):
        x, y = place.quad.mean(axis=0)
        if not any(
            left <= x <= right and top <= y <= bottom
            for left, top, right, bottom in (line.box for line in lines)
        ):
            unread.append(Line("", place.box, 0.0, corners=place.corners))
    return unread


def _padded(picture: Image.Image) -> Image.Image:
    """Return the picture, no longer than `_SLIMMEST` times its other side: it grows right or down.

    The engine brings the shorter side to 736 pixels, and a picture of 3 x 900 to gigabytes.
    """
    least = max(_SMALLEST, -(-max(picture.size) // _SLIMMEST))
    if min(picture.size) >= least:
        return picture
    padded = Image.new("RGB", (max(picture.width, least), max(picture.height, least)), _PADDING)
    padded.paste(picture)
    return padded


def read_line(line: Image.Image) -> tuple[str, float]:
    """Return what the model reads in a line that was cut out (RGB), and its confidence."""
    result = _run(line, use_det=False, use_rec=True)
    if not result.txts:
        return "", 0.0
    return str(result.txts[0]).strip(), float(result.scores[0])


def _run(picture: Image.Image, *, use_det: bool, use_rec: bool) -> Any:
    pixels = np.ascontiguousarray(np.asarray(picture)[:, :, ::-1])
    engine = _engine()
    try:
        return engine(pixels, use_det=use_det, use_rec=use_rec, text_score=0.0)
    except Exception as error:  # whatever ONNX Runtime, OpenCV and the engine raise
        raise ServiceError(
            "RapidOCR", str(error).strip().split("\n")[-1], retryable=False
        ) from error


@cache
def _characters() -> frozenset[str]:
    """Return what the reading model knows, stated in the model itself."""
    from onnxruntime import InferenceSession, SessionOptions

    options = SessionOptions()
    options.intra_op_num_threads = 1
    session = InferenceSession(str(model_paths()[1]), options, providers=["CPUExecutionProvider"])
    return frozenset(session.get_modelmeta().custom_metadata_map["character"].splitlines())


def exemplars_of(locale: Locale) -> tuple[str, ...]:
    """Return the locale's letters; none where nobody has stated them."""
    try:
        return tuple(locale.exemplars or default().exemplars(locale.tag))
    except InputError:
        return ()


class RapidReader:
    """See `Reader`: the models of RapidOCR's wheel."""

    name = "rapidocr"

    def __init__(self) -> None:
        model_paths()
        self.version = version("rapidocr")

    def lacks(self, locale: Locale) -> str:
        """Return which letters of the locale the model does not know."""
        letters = exemplars_of(locale)
        wanted = {case for each in letters for case in (each, each.upper(), each.lower())}
        unknown = sorted(
            letter
            for letter in wanted
            if not set(unicodedata.normalize("NFC", letter)) <= _characters()
        )
        if not unknown:
            return ""
        count, shown = len(unknown), " ".join(unknown[:8])
        return (
            f"RapidOCR's model does not know {counted(count, 'letter')} of {locale.name}, "
            f"such as {shown}"
        )

    def read(self, pictures: Sequence[Image.Image], locale: Locale) -> list[list[Line]]:
        """Return the lines of each picture."""
        from memeloc.ocr.dots import dots_at, may_be_dots

        read: list[list[Line]] = [[] for _ in pictures]
        for picture, lines in zip(pictures, read, strict=True):
            for line in find_text(picture, read=True):
                if line.text and line.confidence >= _LEAST:
                    dots = dots_at(picture, line.quad) if may_be_dots(line.text) else ""
                    text = dots or line.text
                    lines.append(Line(text, line.box, line.confidence, corners=line.corners))
        return read
