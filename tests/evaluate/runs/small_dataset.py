"""A small dataset on disk, and what a request of a run says. In: a folder, bodies. Out: both."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PIL import Image

CAPTIONS = {
    "en": {"007": "tea // again", "12": "a cat at work", "30": "rain on Monday"},
    "de": {"007": "Tee // schon wieder", "12": "eine Katze", "30": "Regen am Montag"},
    "hi": {"007": "फिर // चाय", "12": "एक बिल्ली", "30": "सोमवार को बारिश"},
}
LABELS = {"007": ("1", "0"), "12": ("0", "0"), "30": ("1", "")}
"""By item the labels of the US and of Germany."""


def texts_of(body: dict[str, Any]) -> str:
    """All text of a request's first message."""
    content = body["messages"][0]["content"]
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "") for part in content)


def checkout(folder: Path, *, pictures: bool = True) -> Path:
    """A dataset laid out as Multi3Hate's repository."""
    for tag, captions in CAPTIONS.items():
        table = folder / "data" / "captions" / f"{tag}.csv"
        table.parent.mkdir(parents=True, exist_ok=True)
        rows = [f"{item},Office,{text},{text}" for item, text in captions.items()]
        heading = "Meme ID,Template Name,Original (English),Translation"
        table.write_text("\n".join([heading, *rows, ""]), encoding="utf-8")
        for number, item in enumerate(captions) if pictures else ():
            path = folder / "data" / "memes" / tag / f"{item.lstrip('0')}.jpg"
            path.parent.mkdir(parents=True, exist_ok=True)
            Image.new("RGB", (40, 30), (90 * number, 40, 60)).save(path)
    labels = [f"{item.lstrip('0')},{us},{de}" for item, (us, de) in LABELS.items()]
    gold = folder / "data" / "final_annotations.csv"
    gold.write_text("\n".join(["Meme ID,US,DE", *labels, ""]), encoding="utf-8")
    return folder
