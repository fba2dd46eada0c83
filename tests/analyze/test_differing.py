"""Items whose labels differ, the sheet of reasons, and the codebook."""

from __future__ import annotations

from pathlib import Path

import openpyxl
import pandas as pd
import pytest
from PIL import Image

from memeloc.analyze import Answers
from memeloc.analyze.codebook import (
    Coding,
    Reason,
    load_codebook,
    read_coding,
    read_reasons,
    themes,
    write_coding,
    write_reasons,
)
from memeloc.analyze.differing import differing_items
from memeloc.errors import InputError
from memeloc.reports.figures import gaps, wide
from memeloc.tables import read_table

VOTES = {
    "m1": {"US": "yyn", "IN": "nnn", "DE": "yyy"},  # US and IN differ
    "m2": {"US": "nn", "IN": "yyn", "DE": "nn"},  # the other way
    "m3": {"US": "yy", "IN": "yy", "DE": "yy"},
    "m4": {"US": "yn", "IN": "yy", "DE": "yy"},  # a tie in US is no label
}


def made(folder: Path | None = None) -> Answers:
    rows = [
        (item, culture, f"{culture}-{place}", label)
        for item, cultures in VOTES.items()
        for culture, labels in cultures.items()
        for place, label in enumerate(labels)
    ]
    versions = [
        (
            item,
            culture,
            language,
            f"{text} {item}",
            str(folder / f"{culture}.png") if folder else "",
        )
        for item in VOTES
        for culture, language, text in (
            ("US", "en", "tea"),
            ("IN", "hi", "चाय"),
            ("DE", "de", "Tee"),
        )
    ]
    return Answers.of(
        pd.DataFrame(rows, columns=["item", "culture", "participant", "label"]),
        items=pd.DataFrame({"topic": ["drinks"] * 4}, index=list(VOTES)),
        versions=pd.DataFrame(versions, columns=["item", "culture", "language", "text", "picture"]),
    )


def test_differing_items_have_both_versions_and_labels() -> None:
    items = differing_items(made(), ("US", "IN")).set_index("item")
    assert list(items.index) == ["m1", "m2"]
    assert items.loc["m1", ["US label", "IN label", "US votes", "IN votes"]].tolist() == [
        "y", "n", "n 1, y 2", "n 3",
    ]  # fmt: skip
    assert items.loc["m2", ["US text", "IN text", "topic"]].tolist() == [
        "tea m2", "चाय m2", "drinks",
    ]  # fmt: skip


@pytest.fixture(scope="module")
def reasons(tmp_path_factory: pytest.TempPathFactory) -> list[Reason]:
    """A workbook with pictures, filled in for m1 and read again."""
    folder = tmp_path_factory.mktemp("reasons")
    for culture in ("US", "IN"):
        Image.new("RGB", (300, 200), "teal").save(folder / f"{culture}.png")
    pair = ("US", "IN")
    path = folder / "reasons.xlsx"
    assert write_reasons(path, differing_items(made(folder), pair), pair, "anna") == path
    book = openpyxl.load_workbook(path)
    page = book["Reasons"]
    assert len(page._images) == 4
    place = [cell.value for cell in page[1]].index("reason") + 1
    page.cell(2, place).value = "Tea is drunk at other hours."
    book.save(path)
    return read_reasons(path)


def test_a_filled_in_workbook_gives_reasons(reasons: list[Reason]) -> None:
    text = "Tea is drunk at other hours."
    assert reasons == [Reason("m1", ("US", "IN"), "anna", text, ("y", "n"), 2)]


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
def test_sheets_without_pictures_are_tables(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"reasons{suffix}"
    write_reasons(path, differing_items(made(), ("US", "IN")), ("US", "IN"), "anna")
    assert [row["IN text"] for row in read_table(path).rows] == ["चाय m1", "चाय m2"]
    assert read_reasons(path) == []


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("m1,US,anna,why", "row 2, column pair: 'US' is not a pair"),
        ("m1,US|IN,,why", "row 2, column person: it does not say who"),
    ],
)
def test_wrong_rows_of_reasons_are_named(tmp_path: Path, row: str, message: str) -> None:
    path = tmp_path / "reasons.csv"
    path.write_text(f"item,pair,person,reason\n{row}\n", encoding="utf-8")
    with pytest.raises(InputError, match=message.replace("|", "[|]")):
        read_reasons(path)


def test_codes_come_back_as_they_were_given(tmp_path: Path, reasons: list[Reason]) -> None:
    book = load_codebook()
    path = tmp_path / "codes.xlsx"
    assert write_coding(path, reasons, book, "ben", texts={"m1": "tea m1"}) == path
    file = openpyxl.load_workbook(path)
    assert file["Codebook"].max_row == 39
    page = file["Codes"]
    headings = [cell.value for cell in page[1]]
    assert page.cell(2, headings.index("labels") + 1).value == "US: y, IN: n"
    page.cell(2, headings.index("codes") + 1).value = "social norms around diet; Tea hours"
    file.save(path)
    codes = ("Social Norms Around Diet", "Tea hours")
    assert read_coding(path, book) == [Coding("m1|anna", "ben", codes, 2)]


DIET, GUNS, ERROR = "Social Norms Around Diet", "Political Tensions", "Translation Error"


def coded() -> pd.DataFrame:
    reasons = [Reason(item, ("US", "IN"), "anna", "why") for item in "abcd"]
    first = {"a": (DIET,), "b": (DIET, GUNS), "c": (ERROR,)}
    second = {"a": (DIET,), "b": (GUNS,), "c": ("Typing error",)}
    codings = [
        Coding(f"{item}|anna", coder, codes)
        for coder, given in (("ben", first), ("cem", second))
        for item, codes in given.items()
    ]
    return themes(reasons, codings, load_codebook())


def test_shares_of_themes_are_those_worked_by_hand() -> None:
    rows = coded()
    # a: norms 1. b: ben half norms, half politics, cem politics: 1/4, 3/4. c: language, new.
    frame = wide(rows, "codebook", "share")
    shares = frame[frame["item"] == ""].set_index("group")["share"]
    assert shares["Social Norms & Cultural Values"] == pytest.approx(1.25 / 3)
    assert shares["Historical & Political Context"] == pytest.approx(0.75 / 3)
    assert shares["Language Error"] == shares["(not in the codebook)"] == pytest.approx(0.5 / 3)
    assert shares.sum() == pytest.approx(1)
    assert gaps(rows) == [
        "1 code is in no theme of the codebook multi3hate: Typing error.",
        "1 reason has no code.",
    ]


def test_agreement_of_coders_is_on_codes_and_themes() -> None:
    agreement = wide(coded(), "codebook", "agreement", "kappa").set_index("item")
    assert agreement.loc["codes", "agreement"] == pytest.approx(1 / 3)
    assert agreement.loc["themes", "n"] == 3
    # By chance: of the labels of ben (norms, norms + politics, language) and cem only norms meet.
    assert agreement.loc["themes", "kappa"] == pytest.approx((1 / 3 - 1 / 9) / (1 - 1 / 9))
