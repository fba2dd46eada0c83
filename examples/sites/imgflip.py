"""A small Imgflip. In: requests. Out: the answer of its API, and pictures.

`/get_memes` answers as https://api.imgflip.com/get_memes does; one template has no picture, one
has a picture that is gone.
"""

from __future__ import annotations

from examples.sites import pictures
from examples.sites.web import Reply, Request, as_json, picture

TEMPLATES = (
    ("101", "Owl at the Door", 2, 1_160_000),
    ("102", "Three Trains", 3, 941_000),
    ("103", "Patient Snail", 1, 512_250),
    ("104", "Cloud Meeting", 2, 95_000),
    ("105", "Four Umbrellas", 4, 40_100),
)
"""Id, name, number of text boxes, and how often it was captioned."""

GONE = ("106", "Lost Umbrella", 2, 7)
"""A template whose picture is not there."""

EMPTY = ("107", "Nothing to See", 2, 3)
"""A template that names no picture."""


def answer(request: Request) -> Reply | None:
    """A page of the site."""
    if request.path == "/get_memes":
        return as_json({"success": True, "data": {"memes": _memes(request.home)}})
    if request.path == "/caption_image":
        refusal = {"success": False, "error_message": "No username specified."}
        return as_json(refusal)
    for key, name, _, _ in TEMPLATES:
        if request.path == f"/i/{key}.jpg":
            return picture(pictures.blank(f"imgflip {name}"))
    return None


def _memes(home: str) -> list[dict[str, object]]:
    width, height = pictures.SIDE
    memes: list[dict[str, object]] = []
    for key, name, boxes, captions in (*TEMPLATES, GONE, EMPTY):
        meme = {
            "id": key,
            "name": name,
            "url": f"{home}/i/{key}.jpg",
            "width": width,
            "height": height,
            "box_count": boxes,
            "captions": captions,
        }
        if key == EMPTY[0]:
            del meme["url"]
        memes.append(meme)
    return memes
