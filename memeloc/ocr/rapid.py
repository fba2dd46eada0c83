"""RapidOCR. In: pictures. Out: where text is, in any script, and what it reads of its own scripts.

The models are those that come in the package's wheel (PP-OCRv6, one file to find text and one to
read Latin, Chinese and Japanese). They are named by their paths: given none, the package would
fetch them from a server.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image

from memeloc.errors import MissingError, ServiceError
from memeloc.locales import default
from memeloc.model import Locale
from memeloc.ocr.protocol import Line

Quad = npt.NDArray[np.float64]
"""Four corners (x, y) in pixels: top left, top right, bottom right, bottom left of the text."""

_NEEDED = "rapidocr", "onnxruntime"
_LONGEST = 2000
"""Longer side in pixels that text is looked for at; larger pictures are scaled down by the engine."""


def model_paths() -> tuple[Path, Path]:
    """The models in the installed package: one finds text, one reads it.

    Raises:
        MissingError: the package is not installed, or it has no models: it would fetch them.
    """
    for package in _NEEDED:
        if find_spec(package) is None:
            raise MissingError(
                f"Reading text in pictures needs the package {package}: pip install 'memeloc[ocr]'"
            )
    spec = find_spec("rapidocr")
    folder = Path(spec.origin or "").parent / "models" if spec else Path()
    found = [sorted(folder.glob(f"*_{task}_*.onnx")) for task in ("det", "rec")]
    if not all(found):
        raise MissingError(
            f"RapidOCR {version('rapidocr')} is installed without its models and would fetch them "
            "when used, which memeloc does not let it: pip install 'rapidocr>=3.10'"
        )
    return found[0][-1], found[1][-1]


@cache
def _engine() -> Any:
    """The engine with the wheel's models, one thread; the same each time."""
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


def find_text(picture: Image.Image) -> list[Quad]:
    """Where lines of text are in a picture (RGB), whatever the script.

    Raises:
        MissingError: see `model_paths`.
        ServiceError: the engine failed.
    """
    found = _run(picture, use_rec=False)
    return [] if found.boxes is None else [np.asarray(box, dtype=float) for box in found.boxes]


def _run(picture: Image.Image, **settings: bool) -> Any:
    pixels = np.ascontiguousarray(np.asarray(picture)[:, :, ::-1])
    try:
        return _engine()(pixels, use_det=True, **{"use_rec": True, **settings})
    except MissingError:
        raise
    except Exception as error:  # whatever ONNX Runtime, OpenCV and the engine raise
        raise ServiceError("RapidOCR", str(error).strip().split("\n")[-1]) from error


@cache
def _characters() -> frozenset[str]:
    """What the reading model knows, stated in the model itself."""
    from onnxruntime import InferenceSession, SessionOptions

    options = SessionOptions()
    options.intra_op_num_threads = 1
    session = InferenceSession(str(model_paths()[1]), options, providers=["CPUExecutionProvider"])
    return frozenset(session.get_modelmeta().custom_metadata_map["character"].splitlines())


def unknown_letters(locale: Locale) -> list[str]:
    """The locale's letters that the model does not know, in either case."""
    letters = locale.exemplars or default().exemplars(locale.tag)
    wanted = {letter for one in letters for letter in (one, one.upper(), one.lower())}
    known = _characters()
    return sorted(
        letter
        for letter in wanted
        if not all(sign in known for sign in unicodedata.normalize("NFC", letter))
    )


class RapidReader:
    """See `Reader`: the models of RapidOCR's wheel."""

    name = "rapidocr"

    def __init__(self) -> None:
        model_paths()
        self.version = version("rapidocr")

    def lacks(self, locale: Locale) -> str:
        """Which letters of the locale the model does not know."""
        unknown = unknown_letters(locale)
        if not unknown:
            return ""
        shown = " ".join(unknown[:8])
        return (
            f"RapidOCR's model does not know {len(unknown)} letters of {locale.name}, "
            f"such as {shown}"
        )

    def read(self, pictures: Sequence[Image.Image], locale: Locale) -> list[list[Line]]:
        """The lines of each picture."""
        return [self._read(picture) for picture in pictures]

    def _read(self, picture: Image.Image) -> list[Line]:
        found = _run(picture)
        if found.boxes is None or not found.txts:
            return []
        return [
            Line(
                text.strip(),
                (*map(float, box.min(axis=0)), *map(float, box.max(axis=0))),
                float(score),
            )
            for box, text, score in zip(found.boxes, found.txts, found.scores, strict=True)
            if text.strip()
        ]
