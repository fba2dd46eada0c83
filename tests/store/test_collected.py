"""What is collected: known again, versioned, and turned into memes by a selection."""

from __future__ import annotations

import io
from datetime import UTC, datetime
from pathlib import Path

import pytest
from PIL import Image

from memeloc.items import (
    FoundCaption,
    FoundPicture,
    FoundTemplate,
    Origin,
)
from memeloc.locales import default
from memeloc.ocr.transcript import Transcript
from memeloc.store import Store
from tests.store.conftest import answer, decide, send

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


def test_a_picture_that_is_gone_today_stays(store: Store) -> None:
    store.items.add([cat()])
    assert store.items.add([cat(picture=None)])[0]["unchanged"] == 1
    (item,) = store.items.find("template")
    assert item.picture


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


def test_what_a_killed_run_left_is_removed(store: Store) -> None:
    store.items.add([cat()])
    assert store.root is not None
    (kept,) = store.root.glob("images/*/*")
    small = kept.with_name(f"{'a' * 32}.jpg")  # of a sheet
    left = [kept.with_name(f"{'b' * 64}.png"), kept.with_name(f".{kept.stem}.partial")]
    for path in (small, *left):
        path.write_bytes(b"x")
    assert store.items.remove_unnamed_pictures() == 2
    assert set(store.root.glob("images/*/*")) == {kept, small}


def test_features_are_kept_by_picture_and_method(store: Store) -> None:
    store.computed.add_features("phash-1", {"a" * 64: "00ff", "b" * 64: [1, 2]})
    store.computed.add_features("phash-1", {"a" * 64: "other"})
    features = store.computed.features("phash-1", ["a" * 64, "b" * 64, "c" * 64])
    assert features == {"a" * 64: "00ff", "b" * 64: [1, 2]}
    assert store.computed.features("phash-2", ["a" * 64]) == {}


def test_answers_of_models_are_kept(store: Store) -> None:
    cache = store.computed
    assert cache.get("k" * 64) is None
    cache.put("k" * 64, '{"a": 1}')
    cache.put("k" * 64, '{"a": 2}')
    assert cache.get("k" * 64) == '{"a": 2}'


def _with_captions(store: Store) -> list[str]:
    store.items.add([cat(), caption(1, "a", "b"), caption(2, "c", "d"), caption(3, "1", "2", "3")])
    return [item.id for item in store.items.find("caption")]


def test_choosing_again_undoes_a_selection_and_keeps_the_work(store: Store) -> None:
    first, second, _ = _with_captions(store)
    store.curation.add_selection({"n": 1}, [], [first])
    source = store.captions.current("en")[first]
    store.captions.add_translation(
        first, "de", type(source.caption)(("x", "y")), source_id=source.id, translator="test"
    )
    store.curation.add_selection({"n": 2}, [], [second])
    assert list(store.captions.current("en")) == [second]
    assert store.captions.current("de") == {}
    assert store.captions.count() == 1
    assert store.exports.frame("captions")["meme_id"].tolist() == [second]
    store.curation.add_selection({"n": 3}, [], [second, first])
    assert store.captions.current("de")[first].parts == ("x", "y")
    assert [item.meme_id for item in store.captions.to_translate("de")] == [second]


def test_memes_of_a_table_stay_whatever_is_selected(filled: Store) -> None:
    before = filled.captions.count()
    first, *_ = _with_captions(filled)
    filled.curation.add_selection({}, [], [first])
    assert filled.captions.count() == before + 1
    filled.curation.add_selection({}, [], [])
    assert filled.captions.count() == before


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


def test_a_transcript_is_corrected_in_its_own_language(store: Store) -> None:
    key = _read(store)
    (asked,) = store.sheets.to_correct("en", 1, "ada", kind="transcript")
    assert asked.source == asked.base
    assert store.sheets.to_correct("en", 1, "ada") == []
    send(store, "s1", person="ada", kind="transcript", tag="en")
    (sheet,) = store.sheets.find(default().get)
    assert (sheet.id, sheet.kind) == ("s1", "transcript")
    assert store.transcripts.all()[key].meme_id == asked.meme_id


@pytest.mark.parametrize("odd", ["\0", "\ud800", "a\n//\nb"])
def test_any_text_can_be_collected(store: Store, odd: str) -> None:
    items: list[FoundTemplate | FoundCaption] = [cat(description=odd), caption(1, odd, "b")]
    store.items.add(items)
    assert store.items.add(items)[0]["unchanged"] == 2


def test_that_a_picture_has_no_text_can_be_accepted(store: Store) -> None:
    key = _read(store)
    (meme,) = send(store, "s1", person="ada", kind="transcript", tag="en")
    answer(store, "s1", {meme: ""}, outcome="case", reason="given up", status="no-text")
    (case,) = store.cases.find("en", kind="transcript")
    assert decide(store, case.id, person="eve", accept=case.answers[0].id) is not None
    transcript = store.transcripts.all()[key]
    assert (transcript.parts, transcript.stage) == ((), "settled")
    assert store.cases.find("en") == []
    # What the source says is no text of the picture either, when people see none in it.
    store.items.add([FoundPicture(origin("p"), picture(), "a meme", parts=("as stated",))])
    (item,) = store.items.find("picture")
    assert item.parts == ()


def test_a_part_that_people_called_no_text_is_left_out(store: Store) -> None:
    store.items.add([FoundPicture(origin("p"), picture(), "a meme")])
    (item,) = store.items.find("picture")
    store.transcripts.add([Transcript(item.id, ("", "works", ""), "en", "tesseract 5", 0.7)])
    (item,) = store.items.find("picture")
    assert item.parts == ("works",)
