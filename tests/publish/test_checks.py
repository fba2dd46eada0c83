"""Checks, metadata and demographics: each rule finds what it is for, and nobody is found out."""

from __future__ import annotations

import contextlib
from collections import Counter
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, PngImagePlugin

from memeloc.errors import InputError
from memeloc.publish.checks import Private, check
from memeloc.publish.metadata import metadata_of, without_metadata
from memeloc.publish.people import WITHHELD, protect, small_cells
from memeloc.publish.release import Release
from tests.publish.releases import small_release, tables

PROLIFIC = "5e8481234567890123456701"


def _refused(release: Release, private: Private | None = None) -> list[tuple[Any, ...]]:
    return [
        (finding.rule, finding.file, finding.row, finding.column)
        for finding in check(release, private)
        if finding.severity == "refused"
    ]


def _with(folder: Path, name: str, column: str, row: int, value: str) -> Release:
    changed = tables()
    changed[name].frame.loc[row, column] = value
    return small_release(folder, tables=changed)


def _with_picture(folder: Path, number: int, **changes: Any) -> Release:
    pictures = list(small_release(folder).pictures())
    row = {**pictures[number].row, **changes.pop("row", {})}
    pictures[number] = replace(pictures[number], row=row, **changes)
    counts: dict[tuple[str, str], int] = {}
    for picture in pictures:
        key = picture.language, picture.split
        counts[key] = counts.get(key, 0) + 1
    return small_release(folder, pictures=lambda: iter(pictures), counts=counts)


@pytest.mark.parametrize(
    ("name", "column", "row", "value"),
    [
        ("answers", "annotator", 4, "anna"),
        ("answers", "annotator", 0, PROLIFIC),
        ("answers", "label", 2, PROLIFIC),
        ("people", "age", 3, "write to anna.lee@lab.example please"),
    ],
)
def test_an_id_that_is_no_keyed_hash_is_refused(
    tmp_path: Path, name: str, column: str, row: int, value: str
) -> None:
    release = _with(tmp_path, name, column, row, value)
    rule = "contact details" if "@" in value else "participant ids"
    assert (rule, f"tables/{name}", row + 2, column) in _refused(release)


def test_ids_that_the_workspace_knows_are_refused_anywhere(tmp_path: Path) -> None:
    note = tmp_path / "note.md"
    note.write_text("Thanks to all\nand to kitty-47, too.\n", encoding="utf-8")
    release = small_release(tmp_path, files={"files/note.md": note})
    private = Private(is_participant=lambda word: word == "kitty-47")
    assert _refused(release, private) == [("participant ids", "files/note.md", 2, "")]


def test_ids_of_memes_are_not_taken_for_people(tmp_path: Path) -> None:
    assert _refused(_with(tmp_path, "memes", "meme_id", 0, PROLIFIC)) == []


def test_erased_people_are_refused(tmp_path: Path) -> None:
    release = small_release(tmp_path)
    erased = str(release.tables["answers"].frame["annotator"][7])
    private = Private(is_erased=lambda word: word == erased)
    assert _refused(release, private) == [
        ("erased people", "tables/answers", 9, "annotator"),
        ("erased people", "tables/people", 9, "annotator"),
    ]


def test_no_finding_names_the_person(tmp_path: Path) -> None:
    release = _with(tmp_path, "answers", "label", 2, PROLIFIC)
    assert PROLIFIC not in "".join(map(str, check(release)))


def test_a_combination_that_few_share_is_refused(tmp_path: Path) -> None:
    release = _with(tmp_path, "people", "age", 8, "80-89")
    assert ("small cells", "tables/people", 10, "age") in _refused(release)


def test_what_follows_from_the_counts_of_others_is_refused(tmp_path: Path) -> None:
    release = _with(tmp_path, "people", "age", 8, "")
    assert _refused(release) == [("small cells", "tables/people", 10, "")]


def _saved(path: Path, kind: str) -> Path:
    picture = Image.new("RGB", (8, 8), "white")
    if kind == "text":
        info = PngImagePlugin.PngInfo()
        info.add_text("Author", "Ann")
        picture.save(path, "PNG", pnginfo=info)
    elif kind == "comment":
        picture.save(path, "JPEG", comment=b"by Ann")
    elif kind == "xmp":
        picture.save(path, "JPEG", xmp=b"<x:xmpmeta/>")
    else:
        exif = Image.Exif()
        exif[0x010F] = "Camera"
        exif.get_ifd(0x8825)[1] = "N"
        picture.save(path, kind, exif=exif)
    return path


@pytest.mark.parametrize(
    ("kind", "named"),
    [
        ("JPEG", "EXIF, the place where it was taken"),
        ("PNG", "EXIF"),
        ("WEBP", "EXIF"),
        ("xmp", "XMP"),
    ],
)
def test_metadata_of_a_picture_is_refused(tmp_path: Path, kind: str, named: str) -> None:
    release = _with_picture(tmp_path, 1, file=_saved(tmp_path / "picture", kind))
    (finding,) = (each for each in check(release) if each.rule == "picture metadata")
    assert (finding.file, finding.severity) == ("de/nap.png", "refused")
    assert named in finding.message


@pytest.mark.parametrize(("kind", "named"), [("comment", "a comment"), ("text", "text")])
def test_comments_and_texts_of_pictures_are_warned_of(
    tmp_path: Path, kind: str, named: str
) -> None:
    release = _with_picture(tmp_path, 1, file=_saved(tmp_path / "picture", kind))
    (finding,) = (each for each in check(release) if each.rule == "picture metadata")
    assert (finding.file, finding.severity) == ("de/nap.png", "warning")
    assert named in finding.message


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_broken_metadata_of_a_picture_is_a_finding_or_none(tmp_path: Path, kind: str) -> None:
    content = bytearray(_saved(tmp_path / "whole", kind).read_bytes())
    file = tmp_path / "broken"
    for at in range(12, min(len(content), 260), 7):
        content[at] ^= 0xFF
        file.write_bytes(content)
        content[at] ^= 0xFF
        with contextlib.suppress(InputError):
            assert isinstance(metadata_of(file), tuple)


def test_pictures_among_further_files_are_looked_at(tmp_path: Path) -> None:
    release = small_release(tmp_path, files={"files/us.jpg": _saved(tmp_path / "us.jpg", "JPEG")})
    assert _refused(release) == [("picture metadata", "files/us.jpg", None, "")]


def test_a_file_that_is_no_picture_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "other.png"
    other.write_text("tea", encoding="utf-8")
    release = _with_picture(tmp_path, 0, file=other)
    assert ("picture metadata", "en/nap.png", None, "") in _refused(release)


@pytest.mark.parametrize(
    ("row", "column"),
    [
        ({"template_source": ""}, "template_source"),
        ({"template_licence": None}, "template_licence"),
        ({"template_licence": "All rights reserved"}, "template_licence"),
    ],
)
def test_a_picture_without_source_or_rights_is_refused(
    tmp_path: Path, row: dict[str, Any], column: str
) -> None:
    release = _with_picture(tmp_path, 2, row=row)
    assert _refused(release) == [("sources", "en/tea.png", None, column)]


@pytest.mark.parametrize(
    ("terms", "parts"),
    [
        ("CC-BY-NC-4.0", ["non-commercial"]),
        ("CC BY-SA 3.0", ["same one"]),
        ("CC-BY-NC-ND-4.0", ["no changed versions", "non-commercial"]),
        ("CC-BY-4.0", []),
    ],
)
def test_conditions_that_the_dataset_lacks_are_warned_of(
    tmp_path: Path, terms: str, parts: list[str]
) -> None:
    release = _with_picture(tmp_path, 2, row={"template_licence": terms})
    messages = [each.message for each in check(release) if each.rule == "sources"]
    assert len(messages) == len(parts)
    assert all(part in message for part, message in zip(parts, messages, strict=True))


def test_terms_do_not_matter_where_pictures_stay_behind(tmp_path: Path) -> None:
    release = _with_picture(tmp_path, 2, row={"template_licence": ""}, file=None)
    assert _refused(release) == []


@pytest.mark.parametrize(
    ("number", "changes", "what"),
    [
        (3, {"split": "test"}, "the same meme is in train"),
        (4, {"row": {"template": "nap-template"}}, "the same template is in train"),
    ],
)
def test_what_is_in_two_splits_is_refused(
    tmp_path: Path, number: int, changes: dict[str, Any], what: str
) -> None:
    findings = check(_with_picture(tmp_path, number, **changes))
    assert any(each.rule == "splits" and what in each.message for each in findings)


def test_near_pictures_in_two_splits_are_refused(tmp_path: Path) -> None:
    release = small_release(tmp_path)
    private = Private(near_pictures=lambda files: [(0, 1), (0, 4)])
    assert _refused(release, private) == [("splits", "test/en/rain.png", None, "")]


PERSON = st.tuples(st.sampled_from(["DE", "US"]), st.sampled_from("fmx"), st.sampled_from("123"))


def frame(people: list[tuple[str, str, str]]) -> pd.DataFrame:
    return pd.DataFrame(people, columns=["culture", "gender", "age"], dtype=object)


@given(st.lists(PERSON, max_size=60), st.integers(1, 6))
def test_every_combination_is_shared_by_enough(
    people: list[tuple[str, str, str]], smallest: int
) -> None:
    table = protect(frame(people), ["gender", "age"], smallest)[0]
    assert small_cells(table, ["gender", "age"], smallest) == []


@given(st.lists(PERSON, max_size=60), st.integers(2, 6))
def test_people_without_answers_are_enough_or_none(
    people: list[tuple[str, str, str]], smallest: int
) -> None:
    table = protect(frame(people), ["gender", "age"], smallest)[0]
    for culture, group in table.groupby("culture"):
        nothing = int(((group["gender"] == WITHHELD) & (group["age"] == WITHHELD)).sum())
        of_culture = Counter(person[0] for person in people)[str(culture)]
        assert nothing == 0 or nothing >= min(smallest, of_culture)


def test_the_last_column_is_withheld_first() -> None:
    people = [("DE", "f", age) for age in "1111112345"]
    table, withheld = protect(frame(people), ["gender", "age"], 3)
    assert table["gender"].tolist() == ["f"] * 10
    assert table["age"].tolist() == ["1"] * 6 + [WITHHELD] * 4
    assert withheld == {"age": 4}


def test_others_keep_company_to_the_only_one() -> None:
    table, _ = protect(frame([("DE", "f", "1")] * 11 + [("DE", "x", "1")]), ["gender"], 3)
    assert Counter(table["gender"]) == {"f": 9, WITHHELD: 3}


def picture(kind: str, **options: object) -> bytes:
    """A gradient with EXIF, XMP and a comment, as far as its kind has them."""
    exif = Image.Exif()
    exif[0x010E] = "seen at my kitchen"  # ImageDescription
    exif.get_ifd(0x8825)[1] = "N"  # GPSLatitudeRef
    info = PngImagePlugin.PngInfo()
    info.add_text("Author", "A cat")
    extra = {"PNG": {"pnginfo": info}, "JPEG": {"comment": b"hello", "progressive": True}}
    stream = BytesIO()
    gradient = Image.linear_gradient("L").convert("RGB").resize((80, 60))
    gradient.save(stream, kind, exif=exif, xmp=b"<x/>", **extra.get(kind, {}), **options)
    return stream.getvalue()


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_metadata_goes_and_pixels_stay(kind: str, tmp_path: Path) -> None:
    content = picture(kind)
    file = tmp_path / "picture"
    file.write_bytes(content)
    assert metadata_of(file)
    clean = without_metadata(content)
    assert clean is not None
    file.write_bytes(clean)
    assert metadata_of(file) == ()
    assert b"kitchen" not in clean
    with Image.open(BytesIO(content)) as before, Image.open(file) as after:
        assert after.convert("RGB").tobytes() == before.convert("RGB").tobytes()


def test_colour_profiles_stay() -> None:
    clean = without_metadata(picture("JPEG", icc_profile=b"profile"))
    assert clean is not None
    with Image.open(BytesIO(clean)) as after:
        assert after.info["icc_profile"] == b"profile"


def test_what_follows_the_picture_goes() -> None:
    clean = without_metadata(picture("JPEG") + picture("JPEG"))
    assert clean == without_metadata(picture("JPEG"))


def test_a_turned_picture_is_left_alone() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    stream = BytesIO()
    Image.new("RGB", (8, 4), "red").save(stream, "JPEG", exif=exif)
    assert without_metadata(stream.getvalue()) is None


@given(st.sampled_from(["JPEG", "PNG", "WEBP"]), st.integers(0, 3000), st.binary(max_size=20))
def test_broken_pictures_crash_nothing(kind: str, place: int, rubbish: bytes) -> None:
    content = picture(kind)
    place = min(place, len(content))
    without_metadata(content[:place] + rubbish)
    without_metadata(content[:place] + rubbish + content[place + len(rubbish) :])
