"""What is collected: known again, versioned, and turned into memes by a selection."""

from __future__ import annotations

import io
from datetime import UTC, datetime
from pathlib import Path

from PIL import Image

from memeloc.items import (
    FoundCaption,
    FoundPicture,
    FoundTemplate,
    Origin,
)
from memeloc.ocr.transcript import Transcript
from memeloc.store import Store

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


def picture(colour: str = "teal", size: tuple[int, int] = (64, 48), form: str = "PNG") -> bytes:
    """A picture of one colour."""
    encoded = io.BytesIO()
    Image.new("RGB", size, colour).save(encoded, form)
    return encoded.getvalue()


def origin(key: str, source: str = "site", **more: object) -> Origin:
    return Origin(source, key, f"https://memes.example/{key}", "CC0-1.0", NOON, **more)  # type: ignore[arg-type]


def cat(**more: object) -> FoundTemplate:
    values: dict[str, object] = {"picture": picture(), "keywords": ("cat",), **more}
    return FoundTemplate(origin("cat"), "Cat at work", **values)  # type: ignore[arg-type]


def caption(number: int, *parts: str, **more: object) -> FoundCaption:
    return FoundCaption(origin(f"cat/{number}"), "cat", parts, **more)  # type: ignore[arg-type]


def test_what_is_not_a_picture_is_refused(store: Store) -> None:
    added, refused = store.items.add(
        [
            FoundPicture(origin("p1"), b"<html>no picture</html>", "one"),
            FoundPicture(origin("p2"), picture("navy", form="JPEG"), "two", parts=("hi",)),
            cat(picture=b"GIF89a"),
        ]
    )
    assert added["new"] == 2
    assert [row.url for row in refused] == [
        "https://memes.example/p1",
        "https://memes.example/cat",
    ]
    assert [item.name for item in store.items.find()] == ["two", "Cat at work"]
    assert len(store.items.refusals()) == 2
    names = sorted(path.suffix for path in (store.root or Path()).glob("images/*/*"))
    assert names == [".jpg"]


def test_a_picture_that_does_not_open_is_refused(store: Store) -> None:
    whole = picture(size=(400, 300), form="JPEG")
    added, refused = store.items.add(
        [FoundPicture(origin("p1"), whole[: len(whole) // 2]), cat(picture=whole[:-40])]
    )
    assert added["new"] == 1
    assert [row.reason for row in refused] == ["not a usable picture"] * 2
    assert "damaged or cut off" in refused[0].sentence
    assert [(item.name, item.picture) for item in store.items.find()] == [("Cat at work", "")]
    assert list((store.root or Path()).glob("images/*/*")) == []


def _read(store: Store) -> str:
    store.items.add([FoundPicture(origin("p"), picture(), "a meme")])
    (item,) = store.items.find("picture")
    store.transcripts.add([Transcript(item.id, ("wen it", "works"), "en", "tesseract 5", 0.7)])
    return item.id


def test_a_transcript_is_the_text_of_its_picture_and_no_caption(store: Store) -> None:
    key = _read(store)
    (item,) = store.items.find("picture")
    assert item.parts == ("wen it", "works")
    assert store.transcripts.all()[key].stage == "read"
    assert store.captions.count() == 0
    assert store.captions.to_translate("de") == []
    again = Transcript(key, ("wen it", "works"), "en", "tesseract 5", 0.7)
    assert store.transcripts.add([again]) == 0
    better = Transcript(key, ("when it", "works"), "en", "rapidocr 3", 0.9)
    assert store.transcripts.add([better]) == 1
    (item,) = store.items.find("picture")
    assert item.parts == ("when it", "works")
