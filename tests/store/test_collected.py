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
    Refusal,
    Year,
)
from memeloc.model import STYLES, TextBox
from memeloc.ocr.transcript import Transcript
from memeloc.store import FileRecord, PlacedAnswer, SheetRecord, Workspace

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


def test_what_was_found_comes_back_as_items(workspace: Workspace) -> None:
    box = TextBox("sign", 0.1, 0.2, 0.5, 0.3, angle=-8, style=STYLES["plain"])
    added = workspace.add_found(
        [
            caption(
                1, "when it compiles", "اليوم 🎉", votes=12, language="en", created="2019-04-01"
            ),
            cat(boxes=(box,), year=Year(2012, "rule", "since 2012"), details={"id": "007"}),
        ]
    )
    assert (added.new, added.changed, added.unchanged, added.refused) == (2, 0, 0, ())
    text, template = workspace.items()
    assert (text.kind, text.parts, text.votes) == ("caption", ("when it compiles", "اليوم 🎉"), 12)
    assert text.parent == template.id
    assert text.origin == origin("cat/1")
    assert template.boxes == (box,)
    assert template.year == Year(2012, "rule", "since 2012")
    assert template.details == {"id": "007"}
    assert (template.width, template.height) == (64, 48)
    assert template.path is not None
    assert template.path.read_bytes() == picture()
    assert workspace.count_items() == {("site", "caption"): 1, ("site", "template"): 1}


def test_collecting_again_adds_nothing_and_a_difference_is_a_new_version(
    workspace: Workspace,
) -> None:
    first = [cat(), caption(1, "a", "b", votes=3)]
    workspace.add_found(first)
    ids = [item.id for item in workspace.items()]
    again = workspace.add_found(first)
    assert (again.new, again.changed, again.unchanged) == (0, 0, 2)
    later = workspace.add_found([cat(), caption(1, "a", "b", votes=4)])
    assert (later.new, later.changed, later.unchanged) == (0, 1, 1)
    assert [item.id for item in workspace.items()] == ids
    assert [item.votes for item in workspace.items("caption")] == [4]


def test_a_picture_that_is_gone_today_stays(workspace: Workspace) -> None:
    workspace.add_found([cat()])
    again = workspace.add_found([cat(picture=None)])
    assert again.unchanged == 1
    (item,) = workspace.items("template")
    assert item.picture


def test_what_is_no_picture_is_refused_and_the_rest_is_stored(workspace: Workspace) -> None:
    added = workspace.add_found(
        [
            FoundPicture(origin("p1"), b"<html>no picture</html>", "one"),
            FoundPicture(origin("p2"), picture("navy", form="JPEG"), "two", parts=("hi",)),
            cat(picture=b"GIF89a"),
        ]
    )
    assert added.new == 2
    assert [one.url for one in added.refused] == [
        "https://memes.example/p1",
        "https://memes.example/cat",
    ]
    assert [item.name for item in workspace.items()] == ["two", "Cat at work"]
    assert len(workspace.refusals()) == 2
    names = sorted(path.suffix for path in (workspace.root or Path()).glob("images/*/*"))
    assert names == [".jpg"]


def test_a_refusal_is_kept_once(workspace: Workspace) -> None:
    one = Refusal("site", "http://10.0.0.1/x", "inside the network", "It is not public.")
    assert workspace.add_refusals([one, one]) == 1
    assert workspace.add_refusals([one]) == 0
    assert workspace.refusals() == [one]


def test_features_are_kept_by_picture_and_method(workspace: Workspace) -> None:
    workspace.add_features("phash-1", {"a" * 64: "00ff", "b" * 64: [1, 2]})
    workspace.add_features("phash-1", {"a" * 64: "other"})
    found = workspace.features("phash-1", ["a" * 64, "b" * 64, "c" * 64])
    assert found == {"a" * 64: "00ff", "b" * 64: [1, 2]}
    assert workspace.features("phash-2", ["a" * 64]) == {}


def test_answers_of_models_are_kept(workspace: Workspace) -> None:
    cache = workspace.model_cache
    assert cache.get("k" * 64) is None
    cache.put("k" * 64, '{"a": 1}')
    cache.put("k" * 64, '{"a": 2}')
    assert cache.get("k" * 64) == '{"a": 2}'


def _with_captions(workspace: Workspace) -> list[str]:
    workspace.add_found(
        [cat(), caption(1, "a", "b"), caption(2, "c", "d"), caption(3, "1", "2", "3")]
    )
    return [item.id for item in workspace.items("caption")]


def test_what_is_selected_becomes_memes_that_can_be_translated_and_rendered(
    workspace: Workspace,
) -> None:
    one, _, three = _with_captions(workspace)
    chosen = workspace.store_selection({"per_template": 2}, [{"stage": "all"}], [one, three])
    assert chosen.new == 1
    assert chosen.items == (one,)
    (problem,) = chosen.problems
    assert "has 3 parts" in str(problem)
    assert [item.meme_id for item in workspace.to_translate("de")] == [one]
    with Workspace.open(workspace.root or "") as fresh:
        template = fresh.templates[fresh.templates_of_memes()[one]]
    assert [box.name for box in template.boxes] == ["top", "bottom"]
    assert workspace.selection() is not None


def test_choosing_again_undoes_a_selection_and_keeps_the_work(workspace: Workspace) -> None:
    one, two, _ = _with_captions(workspace)
    workspace.store_selection({"n": 1}, [], [one])
    source = workspace.current("en")[one]
    workspace.add_translation(
        one, "de", type(source.caption)(("x", "y")), source_id=source.id, translator="test"
    )
    workspace.store_selection({"n": 2}, [], [two])
    assert list(workspace.current("en")) == [two]
    assert workspace.current("de") == {}
    assert workspace.count_memes() == 1
    assert workspace.table("captions")["meme_id"].tolist() == [two]
    workspace.store_selection({"n": 3}, [], [two, one])
    assert workspace.current("de")[one].parts == ("x", "y")
    assert [item.meme_id for item in workspace.to_translate("de")] == [two]


def test_the_same_selection_is_stored_once(workspace: Workspace) -> None:
    one, *_ = _with_captions(workspace)
    first = workspace.store_selection({"n": 1}, [], [one])
    assert workspace.store_selection({"n": 1}, [], [one]).id == first.id


def test_memes_of_a_table_stay_whatever_is_selected(filled: Workspace) -> None:
    before = filled.count_memes()
    one, *_ = _with_captions(filled)
    filled.store_selection({}, [], [one])
    assert filled.count_memes() == before + 1
    filled.store_selection({}, [], [])
    assert filled.count_memes() == before


def _read(workspace: Workspace) -> str:
    workspace.add_found([FoundPicture(origin("p"), picture(), "a meme")])
    (item,) = workspace.items("picture")
    workspace.add_transcripts([Transcript(item.id, ("wen it", "works"), "en", "tesseract 5", 0.7)])
    return item.id


def test_a_transcript_is_the_text_of_its_picture_and_no_caption(workspace: Workspace) -> None:
    key = _read(workspace)
    (item,) = workspace.items("picture")
    assert item.parts == ("wen it", "works")
    assert workspace.transcripts()[key].stage == "read"
    assert workspace.count_memes() == 0
    assert workspace.to_translate("de") == []
    again = Transcript(key, ("wen it", "works"), "en", "tesseract 5", 0.7)
    assert workspace.add_transcripts([again]) == 0
    better = Transcript(key, ("when it", "works"), "en", "rapidocr 3", 0.9)
    assert workspace.add_transcripts([better]) == 1
    (item,) = workspace.items("picture")
    assert item.parts == ("when it", "works")


def test_the_text_of_the_source_comes_before_what_was_only_read(workspace: Workspace) -> None:
    workspace.add_found([FoundPicture(origin("p"), picture(), "a meme", parts=("as stated",))])
    (item,) = workspace.items("picture")
    workspace.add_transcripts([Transcript(item.id, ("as read",), "en", "tesseract 5", 0.7)])
    (item,) = workspace.items("picture")
    assert item.parts == ("as stated",)


def test_a_transcript_goes_out_for_correction_in_its_own_language(workspace: Workspace) -> None:
    key = _read(workspace)
    (asked,) = workspace.items_to_correct("en", 1, "ada", kind="transcript")
    assert asked.source == asked.base
    assert workspace.items_to_correct("en", 1, "ada") == []
    sheet = SheetRecord("s1", "en", "en", 1, "ada", NOON, kind="transcript")
    workspace.record_sheet(sheet, [(asked.meme_id, asked.source.id, asked.base.id)])
    assert [one.id for one in workspace.sheets(kind="transcript")] == ["s1"]
    assert workspace.sheets(kind="caption") == []
    assert workspace.transcripts()[key].meme_id == asked.meme_id


@pytest.mark.parametrize("odd", ["\0", "\ud800", "a\n//\nb"])
def test_any_text_can_be_collected(workspace: Workspace, odd: str) -> None:
    found = [cat(description=odd), caption(1, odd, "b")]
    workspace.add_found(found)
    assert workspace.add_found(found).unchanged == 2


def test_that_a_picture_has_no_text_can_be_accepted(workspace: Workspace) -> None:
    key = _read(workspace)
    (asked,) = workspace.items_to_correct("en", 1, "ada", kind="transcript")
    sheet = SheetRecord("s1", "en", "en", 1, "ada", NOON, kind="transcript")
    workspace.record_sheet(sheet, [(asked.meme_id, asked.source.id, asked.base.id)])
    given_up = PlacedAnswer(
        asked.meme_id, 1, "ada", (), ("-",), "no-text", "", 2, "case", "given up", "no text"
    )
    file = FileRecord("answers", "a.csv", "a" * 64, 1)
    workspace.add_answers(file, "s1", lambda known: [given_up])
    (case,) = workspace.cases("en", kind="transcript")
    assert workspace.decide(case.id, person="eve", accept=case.correction.id) is not None
    transcript = workspace.transcripts()[key]
    assert (transcript.parts, transcript.stage) == ((), "settled")
    assert workspace.cases("en") == []
