"""The page of localised memes. In: memes, rendered pictures. Out: HTML, its pictures beside it.

Original, mask, clean picture and the new languages stand side by side.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
from PIL import Image, ImageDraw

from memeloc.files import replacing
from memeloc.localise.localise import LocalisedMeme, text_name
from memeloc.localise.protocol import Pixels
from memeloc.localise.regions import corners_of
from memeloc.pages import fill_page

PAGE, PICTURES = "index.html", "page"
"""The page in a folder of localised memes, and the folder of its pictures."""

_SIDE = 900
"""Pixels of a picture's longer side on the page."""
_MASK = np.array([255, 0, 200])
_TAKEN, _ASKED = "#00a651", "#ff6a00"
_HOW = {
    "template": "The clean picture is that of the known template {by}.",
    "recovered": "The clean picture is where several memes agree: {by}.",
    "restored": "What stood behind the text is painted over ({by}).",
}


def write_pictures(localised: LocalisedMeme, out: Path) -> dict[str, Path]:
    """Write the small pictures of a meme that the page shows: original, mask, clean. Raise
    InputError if they cannot be written."""
    meme = localised.meme
    pictures: dict[str, Pixels] = {"original": _numbered(localised)}
    if localised.clean is not None:
        masked = meme.pixels.copy()
        mask = localised.mask
        masked[mask] = (masked[mask] * 0.3 + _MASK * 0.7).astype(np.uint8)
        pictures |= {"mask": masked, "clean": localised.clean.pixels}
    files = {}
    for kind, pixels in pictures.items():
        files[kind] = out / PICTURES / f"{meme.name}-{kind}.jpg"
        picture = Image.fromarray(pixels)
        picture.thumbnail((_SIDE, _SIDE))
        with replacing(files[kind]) as temporary:
            picture.save(temporary, "JPEG", quality=88)
    return files


def write_page(
    memes: Sequence[LocalisedMeme],
    rendered: Mapping[str, Mapping[str, Path]],
    out: Path,
    *,
    sheet: str,
    table: str,
    templates: str,
) -> Path:
    """Write the page of a folder. Raise InputError if it cannot be written.

    Args:
        memes: whose pictures `write_pictures` wrote.
        rendered: by meme and language, the pictures with the new text.
        out: the folder.
        sheet, table, templates: names of the review's sheet, the captions table and the folder of
            templates.
    """
    rows = [_row(meme, rendered.get(meme.meme.name, {}), out) for meme in memes]
    page = fill_page(
        Path(__file__).parent / "pages" / "localised.html",
        memes=rows,
        asked=sum(len(meme.open) for meme in memes),
        sheet=sheet,
        table=table,
        templates=templates,
    )
    with replacing(out / PAGE) as temporary:
        temporary.write_text(page, encoding="utf-8")
    return out / PAGE


def _row(localised: LocalisedMeme, rendered: Mapping[str, Path], out: Path) -> dict[str, Any]:
    meme, picture = localised.meme, localised.clean
    kinds = ["original"] if picture is None else ["original", "mask", "clean"]
    files = {kind: out / PICTURES / f"{meme.name}-{kind}.jpg" for kind in kinds}
    shown = [_shown(kind, path, meme.name, out) for kind, path in {**files, **rendered}.items()]
    return {
        "name": meme.name,
        "pictures": shown,
        "texts": [
            {
                "name": text_name(meme, text),
                "text": text.region.text,
                "asked": text.number in localised.open,
                "outcome": "a site's name or a handle, not translated"
                if text.watermark and text.number not in localised.taken
                else _outcome(localised, text.number, text.doubts),
            }
            for text in localised.texts
        ],
        "note": _HOW[picture.how].format(by=picture.by) if picture is not None else "",
    }


def _shown(title: str, path: Path, name: str, out: Path) -> dict[str, str]:
    file = quote(path.relative_to(out).as_posix())
    return {"file": file, "title": title, "alt": f"{name}, {title}"}


def _outcome(localised: LocalisedMeme, number: int, doubts: Sequence[str]) -> str:
    if number in localised.taken:
        return "translated"
    if number in localised.open:
        return f"asked of a person: {'; '.join(doubts) or 'they are unsure'}"
    return "stays in the picture"


def _numbered(localised: LocalisedMeme) -> Pixels:
    """Return the meme with a frame and a number at each text."""
    picture = Image.fromarray(localised.meme.pixels)
    draw = ImageDraw.Draw(picture)
    line = max(2, min(picture.size) // 250)
    for text in localised.texts:
        if text.number not in (*localised.taken, *localised.open):
            continue
        colour = _TAKEN if text.number in localised.taken else _ASKED
        corners = corners_of(text.region.box, text.region.angle, picture.size)
        points = [(float(x), float(y)) for x, y in corners]
        draw.polygon(points, outline=colour, width=line)
        draw.text(points[0], str(text.number), colour, stroke_width=2, stroke_fill="#ffffff",
                  font_size=max(14, min(picture.size) // 30))  # fmt: skip
    return np.asarray(picture)
