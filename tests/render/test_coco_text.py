"""The export as COCO-Text v2, read by what its documentation says of the format."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from PIL import Image

from memeloc.render.sets.coco_text import write_coco_text
from memeloc.render.sets.parallel_set import render_table

_ID = {"type": "integer", "minimum": 1}
SCHEMA = {
    "type": "object",
    "required": ["info", "imgs", "anns", "imgToAnns", "cats"],
    "properties": {
        "imgs": {
            "patternProperties": {
                "^[0-9]+$": {
                    "required": ["id", "set", "width", "height", "file_name"],
                    "properties": {"id": _ID, "set": {"enum": ["train", "val", "test"]}},
                }
            },
            "additionalProperties": False,
        },
        "anns": {
            "patternProperties": {
                "^[0-9]+$": {
                    "required": [
                        "id",
                        "image_id",
                        "mask",
                        "bbox",
                        "area",
                        "class",
                        "legibility",
                        "language",
                        "utf8_string",
                    ],
                    "properties": {
                        "id": _ID,
                        "image_id": _ID,
                        "mask": {"type": "array", "items": {"type": "number"}, "minItems": 8},
                        "bbox": {
                            "type": "array",
                            "items": {"type": "number", "minimum": 0},
                            "minItems": 4,
                            "maxItems": 4,
                        },
                        "class": {"enum": ["machine printed", "handwritten", "others"]},
                        "legibility": {"enum": ["legible", "illegible"]},
                        "language": {"enum": ["english", "not english", "na"]},
                    },
                }
            },
            "additionalProperties": False,
        },
        "imgToAnns": {
            "patternProperties": {"^[0-9]+$": {"type": "array", "items": _ID}},
            "additionalProperties": False,
        },
    },
}
"""The layout of cocotext.v2.json, as its pages describe it."""


@pytest.fixture(scope="module")
def rendered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("set")
    (folder / "captions.csv").write_text(
        "meme_id,template,en,ar\n"
        "m1,robot-chef,two eggs // one error,بيضتان // خطأ\n"
        'm2,cloud-monday,"tea, please // ","شاي // "\n',
        encoding="utf-8",
    )
    out = folder / "out"
    render_table(folder / "captions.csv", out, languages="all", max_side=300, format="png")
    return out


@pytest.fixture(scope="module")
def exported(rendered: Path) -> dict[str, Any]:
    written = write_coco_text(rendered, rendered.parent / "words.json")
    assert (written.pictures, written.words) == (4, 9)
    content: dict[str, Any] = json.loads(written.file.read_text("utf-8"))
    return content


def test_the_layout_is_that_of_the_documentation(exported: dict[str, Any]) -> None:
    jsonschema.validate(exported, SCHEMA)
    assert all(str(ann["id"]) == key for key, ann in exported["anns"].items())
    listed = [id for ids in exported["imgToAnns"].values() for id in ids]
    assert sorted(listed) == sorted(int(key) for key in exported["anns"])
    for image, ids in exported["imgToAnns"].items():
        assert all(exported["anns"][str(id)]["image_id"] == int(image) for id in ids)


def test_words_are_found_as_the_format_is_read(exported: dict[str, Any], rendered: Path) -> None:
    for image, ids in exported["imgToAnns"].items():
        picture = exported["imgs"][image]
        pixels = np.asarray(Image.open(rendered / picture["file_name"]).convert("L"), np.int16)
        assert pixels.shape == (picture["height"], picture["width"])
        for id in ids:
            left, top, width, height = exported["anns"][str(id)]["bbox"]
            box = pixels[top : top + height, left : left + width]
            assert box.max() - box.min() > 100  # white letters with a black outline


def test_texts_stand_in_the_order_of_reading(exported: dict[str, Any]) -> None:
    texts = [
        (exported["anns"][str(id)]["utf8_string"], exported["anns"][str(id)]["language"])
        for ids in exported["imgToAnns"].values()
        for id in ids
    ]
    assert texts[:4] == [(word, "english") for word in ("TWO", "EGGS", "ONE", "ERROR")]
    assert [word for word, language in texts if language == "not english"][:2] == ["بيضتان", "خطأ"]
