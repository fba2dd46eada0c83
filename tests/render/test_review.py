"""Problems, parity and languages, from a manifest."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from memeloc.errors import InputError
from memeloc.render.proof import PROBLEMS
from memeloc.render.sets.manifest import SCHEMA
from memeloc.render.sets.review import review


def row(
    meme: str,
    language: str,
    *,
    sizes: tuple[float, ...] = (50.0, 40.0),
    coverage: float = 0.2,
    middle: float = 0.01,
    problems: tuple[str, ...] = (),
    contrast: tuple[float | None, ...] = (12.0, None),
    missing: tuple[str, ...] = (),
    truncated: int = 0,
    **others: object,
) -> dict[str, object]:
    return {
        "meme_id": meme,
        "template": "cloud-monday",
        "language": language,
        "path": f"{language}/cloud-monday/{meme}.jpg",
        "font_size": list(sizes),
        "size_share": [size / 500 for size in sizes],
        "contrast": list(contrast),
        "coverage": coverage,
        "middle_coverage": middle,
        "problems": list(problems),
        "missing": list(missing),
        "truncated": truncated,
        "parts": ["top", "bottom"],
        "overlaps": [[], []],
        "replaced": 0,
        "lost": [],
        "absent": [],
        "hyphenated": [[], []],
        **others,
    }


def write(out: Path, *rows: dict[str, object]) -> Path:
    pq.write_table(pa.Table.from_pylist(list(rows), schema=SCHEMA), out / "manifest.parquet")
    return out


def test_problems_stand_worst_first(tmp_path: Path) -> None:
    rows = [row(kind.replace(" ", "-"), "en", problems=(kind,)) for kind in reversed(PROBLEMS)]
    two = row("two", "de", problems=("low contrast", "missing glyph"), missing=("🫨", "ꙮ"))
    small = row("small", "de", problems=("too small",), sizes=(9.5, 0.0))
    report = review(write(tmp_path, *rows, two, small, row("fine", "en")))
    names = [kind.replace(" ", "-") for kind in PROBLEMS]
    names.insert(names.index("too-small"), "small")
    assert [flaw.meme_id for flaw in report.flaws] == ["two", *names]
    assert report.flaws[0].problems == ("missing glyph", "low contrast")
    assert report.flaws[0].detail == "not drawn: 🫨 ꙮ; contrast 12.0:1"
    assert report.flaws[1 + names.index("small")].detail == "smallest text 9.5 px"
    assert report.pictures == len(PROBLEMS) + 3


@pytest.mark.parametrize(
    ("kind", "facts", "detail"),
    [
        ("lost colour", {"lost": ["💙", "🇩🇪"]}, "without flag, colour or tone: 💙 🇩🇪"),
        ("substitute font", {"absent": ["Noto Nastaliq"]}, "not found: Noto Nastaliq"),
        ("hyphenated", {"hyphenated": [["Donau-dampf"], []]}, "hyphenated: Donau-dampf"),
        ("parts overlap", {"overlaps": [[], ["top"]]}, "bottom lies on top"),
        (
            "replacement character",
            {"replaced": 2},
            "lost before they came here (U+FFFD): 2 characters",
        ),
    ],
)
def test_what_was_found_is_in_the_detail(
    tmp_path: Path, kind: str, facts: dict[str, object], detail: str
) -> None:
    report = review(write(tmp_path, row("a", "en", problems=(kind,), **facts)))
    assert report.flaws[0].detail == detail


def test_what_overflowed_is_counted(tmp_path: Path) -> None:
    report = review(write(tmp_path, row("a", "en", problems=("overflow",), truncated=7)))
    assert report.flaws[0].detail == "left out: 7 characters"


def test_parity_puts_what_differs_most_first(tmp_path: Path) -> None:
    out = write(
        tmp_path,
        row("even", "en"),
        row("even", "de"),
        row("uneven", "en", middle=0.0),
        row("uneven", "de", sizes=(20.0, 40.0), coverage=0.3, middle=0.2),
        row("slightly", "en"),
        row("slightly", "de", sizes=(50.0, 32.0), coverage=0.22),
        row("alone", "en"),
    )
    report = review(out)
    assert [meme.meme_id for meme in report.parity] == ["uneven", "slightly", "even"]
    worst = report.parity[0]
    assert worst.size_ratio == pytest.approx(2.5)
    assert (worst.smallest, worst.fullest, worst.languages) == ("de", "de", 2)
    assert worst.coverage_spread == pytest.approx(0.1)
    assert worst.middle_spread == pytest.approx(0.2)
    assert worst.score == 1
    assert report.parity[1].size_ratio == pytest.approx(1.25), "of the part where it is most"
    assert report.parity[2].size_ratio == 1
    assert report.memes == 4


def test_an_empty_part_has_no_size_to_compare(tmp_path: Path) -> None:
    report = review(write(tmp_path, row("a", "en", sizes=(0.0, 30.0)), row("a", "de")))
    assert report.parity[0].size_ratio == pytest.approx(40 / 30)
    assert [meme.score for meme in report.parity] == [0.5]


def test_languages_have_their_medians(tmp_path: Path) -> None:
    out = write(
        tmp_path,
        row("a", "en", sizes=(50.0, 0.0), coverage=0.1),
        row("b", "en", sizes=(30.0, 20.0), coverage=0.3, problems=("clipped",)),
        row("a", "de", sizes=(0.0, 0.0), coverage=0.0),
    )
    english, german = review(out).languages
    assert (english.language, english.pictures, english.flawed) == ("en", 2, 1)
    assert english.size_share == pytest.approx(30 / 500)
    assert english.coverage == pytest.approx(0.2)
    assert (german.size_share, german.coverage) == (0, 0)


def test_languages_can_be_chosen(tmp_path: Path) -> None:
    out = write(tmp_path, row("a", "en", problems=("clipped",)), row("a", "de"), row("b", "de"))
    report = review(out, ["de"])
    assert (report.pictures, report.flaws, report.parity) == (2, (), ())
    with pytest.raises(InputError, match=r"no pictures in 'fr'; there are de, en"):
        review(out, ["de", "fr"])


def test_an_empty_manifest_is_an_empty_report(tmp_path: Path) -> None:
    report = review(write(tmp_path))
    assert (report.pictures, report.flaws, report.parity, report.languages) == (0, (), (), ())


def test_another_table_is_not_taken_for_a_manifest(tmp_path: Path) -> None:
    pq.write_table(pa.table({"meme_id": ["a"]}), tmp_path / "manifest.parquet")
    with pytest.raises(InputError, match="has no column 'absent'"):
        review(tmp_path)
