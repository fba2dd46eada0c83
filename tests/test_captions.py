from __future__ import annotations

import contextlib
import csv
import json
from collections.abc import Mapping
from datetime import date
from pathlib import Path

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memeloc.captions import CELL_LIMIT, CaptionProblem, CaptionRow, read_captions
from memeloc.errors import InputError
from memeloc.model import Caption, Template, TextBox
from memeloc.tables import new_workbook

TEMPLATES = {
    name: Template(name, Path("none.png"), tuple(TextBox(str(i), 0, 0, 1, 1) for i in range(count)))
    for name, count in {"cloud-monday": 2, "four-steps": 4, "protest-hamster": 1}.items()
}


def _read(
    path: Path, languages: list[str] | None = None
) -> tuple[list[CaptionRow], list[CaptionProblem]]:
    problems: list[CaptionProblem] = []
    return list(read_captions(path, TEMPLATES, languages).rows(problems.append)), problems


def _csv(folder: Path, text: str, encoding: str = "utf-8") -> Path:
    path = folder / "captions.csv"
    path.write_bytes(text.encode(encoding, "surrogatepass"))
    return path


def _texts(captions: Mapping[str, Caption]) -> dict[str, str]:
    return {language: str(caption) for language, caption in captions.items()}


GOOD = "meme_id,template,en,de\nm1,cloud-monday,hello // world,hallo // Welt\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_csv_is_read_in_the_usual_dialects(
    tmp_path: Path, encoding: str, delimiter: str, newline: str
) -> None:
    text = GOOD.replace(",", delimiter).replace("\n", newline)
    rows, problems = _read(_csv(tmp_path, text, encoding))
    assert not problems
    assert [(row.row, row.meme_id, row.template) for row in rows] == [(2, "m1", "cloud-monday")]
    assert _texts(rows[0].captions) == {"en": "hello // world", "de": "hallo // Welt"}


def test_a_record_with_line_breaks_is_one_row(tmp_path: Path) -> None:
    text = (
        'meme_id,template,en\nm1,cloud-monday,"one\ntwo // three, ""four"""\n\n,,\nm2,nowhere,x\n'
    )
    rows, problems = _read(_csv(tmp_path, text))
    assert rows[0].captions["en"].parts == ("one\ntwo", 'three, "four"')
    assert [(p.kind, p.error.row, p.error.column) for p in problems] == [
        ("unknown template", 5, "template")
    ]


@pytest.mark.parametrize(
    ("line", "kind", "column", "lost"),
    [
        ("m1,cloud-mondy,a,b", "unknown template", "template", 2),
        ("m1,,a,b", "unknown template", "template", 2),
        ("m1,cloud-monday,a // b // c,b", "too many parts", "en", 1),
        ("m1,cloud-monday,,b", "empty caption", "en", 1),
        ("m1,cloud-monday, // ,b", "empty caption", "en", 1),
        ("m0,cloud-monday,a,b", "duplicate id", "meme_id", 2),
        ("m1,cloud-monday,a\x07,b", "wrong character", "en", 1),
        ("m1,cloud-monday,a\tb,b", "wrong character", "en", 1),
        ("m1,cloud-monday,a\x00,b", "wrong character", "en", 1),
        ("m1,cloud-monday,a\ud83d,b", "wrong character", "en", 1),
        (f"m1,cloud-monday,{'x' * 100_000},b", "too long", "en", 1),
        (f"m1,cloud-monday,{'x' * 500_000},b", "too long", "en", 1),
        ("../../etc/m1,cloud-monday,a,b", "wrong id", "meme_id", 2),
        ("..,cloud-monday,a,b", "wrong id", "meme_id", 2),
        (",cloud-monday,a,b", "wrong id", "meme_id", 2),
        ("m1,cloud-monday,a,b,c", "too many cells", None, 2),
        ("m1,cloud-monday,a", "empty caption", "de", 1),  # spreadsheets leave empty cells out
        ("m1", "unknown template", "template", 2),
    ],
)
def test_each_wrong_cell_is_named_and_costs_no_more_than_itself(
    tmp_path: Path, line: str, kind: str, column: str | None, lost: int
) -> None:
    text = f"meme_id,template,en,de\nm0,cloud-monday,hey,du\n{line}\nm9,cloud-monday,fine,gut\n"
    path = _csv(tmp_path, text)
    rows, problems = _read(path)
    assert [(p.kind, p.error.row, p.error.column) for p in problems] == [(kind, 3, column)]
    assert problems[0].error.file == str(path)
    assert problems[0].captions == lost
    assert sum(len(row.captions) for row in rows) == 6 - lost
    assert rows[-1].meme_id == "m9"


def test_a_row_with_two_wrong_keys_names_both_and_costs_once(tmp_path: Path) -> None:
    _, problems = _read(_csv(tmp_path, GOOD + "a/b,cloudy-monday,x,y\n"))
    assert [(p.kind, p.captions) for p in problems] == [("wrong id", 2), ("unknown template", 0)]
    assert "cloud-monday" in problems[1].error.message


PARTED = """meme_id,template,en,de,zh,ja,ar,hi
m1,four-steps,top // middle // bottom // end,a // b | c // d,上//中//下//尾,上／／中／／下／／尾,\
أول \u200f// ثان \u200f//\u200f ثالث // رابع,तब
"""


def test_four_parts_each_or_a_warning(tmp_path: Path) -> None:
    table = read_captions(_csv(tmp_path, PARTED), TEMPLATES)
    (row,) = table.rows(pytest.fail)
    assert {tag: len(caption.parts) for tag, caption in row.captions.items()} == {
        **dict.fromkeys(("en", "zh", "ja", "ar"), 4),
        **{"de": 3, "hi": 1},
    }
    warnings = [(error.row, error.column, error.message) for error in table.warnings()]
    assert [warning[:2] for warning in warnings] == [(2, "de"), (2, "hi")]
    assert "“a // b // c // d”" in warnings[0][2]
    assert "part 2, 3, 4, the" in warnings[1][2]


def test_damaged_captions_are_taken_and_warned_of(tmp_path: Path) -> None:
    lines = "".join(f"m{i},cloud-monday,a&amp;b {i},FÃ¼r // mich\n" for i in range(9))
    table = read_captions(_csv(tmp_path, f"meme_id,template,en,de\n{lines}"), TEMPLATES)
    for _ in range(2):  # each reading counts anew
        assert len(list(table.rows(pytest.fail))) == 9
    sentences = [str(error) for error in table.warnings()]
    assert len(sentences) == 10
    assert "row 2, column en" in sentences[0]
    assert "“a&b”" in sentences[0]
    assert "So it is with 4 more captions (markup)." in sentences[4]
    assert "“Für”" in sentences[5]
    table.check()  # nothing of it is a problem


def test_fewer_parts_and_blank_ends_are_fine(tmp_path: Path) -> None:
    rows, problems = _read(_csv(tmp_path, "meme_id,template,en,,\nm1,four-steps, // two,,,,\n"))
    assert not problems
    assert rows[0].captions["en"].parts == ("", "two")


def test_an_open_quotation_mark_is_a_problem_of_its_row(tmp_path: Path) -> None:
    lines = "".join(f"m{i},cloud-monday,caption number {i}\n" for i in range(2, 1000))
    text = f'meme_id,template,en\nm0,cloud-monday,ok\nm1,cloud-monday,"open\n{lines}'
    rows, problems = _read(_csv(tmp_path, text))
    assert [row.meme_id for row in rows] == ["m0", *(f"m{i}" for i in range(2, 1000))]
    assert [(p.kind, p.error.row) for p in problems] == [("broken row", 3)]
    assert "quotation mark" in problems[0].error.message


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf_16_as_excel_saves_it_is_read(tmp_path: Path, encoding: str) -> None:
    rows, problems = _read(_csv(tmp_path, GOOD + "m2,cloud-monday,a,süß\n", encoding))
    assert not problems
    assert _texts(rows[1].captions) == {"en": "a", "de": "süß"}


@pytest.mark.parametrize(
    ("encoding", "tag", "text"),
    [
        ("cp1252", "de", "süß – „ja“"),
        ("cp1250", "pl", "Zażółć gęślą jaźń"),
        ("cp1256", "ar", "يوم"),
    ],
)
def test_an_old_encoding_without_doubt_is_read_and_named(
    tmp_path: Path, encoding: str, tag: str, text: str
) -> None:
    lines = f"meme_id,template,en,{tag}\nm1,cloud-monday,a,{text}\n"
    table = read_captions(_csv(tmp_path, lines, encoding), TEMPLATES)
    (row,) = table.rows(pytest.fail)
    assert str(row.captions[tag]) == text
    assert [note.message for note in table.ignored] == [
        f"It is not in UTF-8; it was read as {encoding}."
    ]


def test_an_encoding_in_doubt_is_refused_with_what_to_do(tmp_path: Path) -> None:
    path = _csv(tmp_path, GOOD + "m2,cloud-monday,a,süß ½ \x81\n", "latin-1")
    with pytest.raises(InputError, match=r"(?s)line 3.*CSV UTF-8"):
        _read(path)


def test_what_a_workbook_shows_is_the_caption(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    page = book.active
    page.append(["meme_id", "template", "en", "de"])
    page.append([7, "cloud-monday", 0.5, 2_000_000])
    for cell, form in {"A2": "000", "C2": "0%", "D2": "#,##0"}.items():
        page[cell].number_format = form
    book.save(tmp_path / "captions.xlsx")
    rows, problems = _read(tmp_path / "captions.xlsx")
    assert not problems
    assert rows[0].meme_id == "007"
    assert _texts(rows[0].captions) == {"en": "50%", "de": "2.000.000"}


CHOICE = "template,text,votes,de\ncloud-monday,one // two,7,eins // zwei\ncloud-monday,three,,\n"


def test_a_table_to_choose_from_needs_no_ids(tmp_path: Path) -> None:
    path = _csv(tmp_path, CHOICE)
    table = read_captions(path, TEMPLATES, source="en", to_choose=True)
    problems: list[CaptionProblem] = []
    rows = list(table.rows(problems.append))
    assert [(row.source and str(row.source), row.details) for row in rows] == [
        ("one // two", {"votes": "7"}), ("three", {}),
    ]  # fmt: skip
    assert [problem.kind for problem in problems] == ["empty caption"]
    with pytest.raises(InputError, match=rf"memeloc collect captions {path}"):
        read_captions(path, TEMPLATES)
    without = "meme_id,template,en\n,cloud-monday,a\n,cloud-monday,b\n"
    with pytest.raises(InputError, match="memeloc collect captions"):
        _read(_csv(tmp_path, without))


def test_captions_are_read_from_a_workbook(tmp_path: Path) -> None:
    path = tmp_path / "captions.xlsx"
    with new_workbook(path) as book:
        page = book.add_worksheet("Captions")
        for number, line in enumerate(GOOD.splitlines()):
            page.write_row(number, 0, line.split(","))
    rows, problems = _read(path)
    assert not problems
    assert _texts(rows[0].captions) == {"en": "hello // world", "de": "hallo // Welt"}


def test_what_a_spreadsheet_made_of_a_caption_is_said(tmp_path: Path) -> None:
    path = tmp_path / "captions.xlsx"
    book = openpyxl.Workbook()
    page = book.create_sheet("Captions", 0)
    page.append(["meme_id", "template", "en", "de"])
    page.append(["m1", "cloud-monday", date(2026, 5, 1), "=1+1"])
    book.save(path)
    problems: list[CaptionProblem] = []
    with pytest.raises(InputError, match="no caption"):
        list(read_captions(path, TEMPLATES).rows(problems.append))
    date_, formula = (problem.error.message for problem in problems)
    assert date_.startswith("The cell was turned into a date or time (2026-05-01")
    assert formula == "The cell holds a formula (=1+1): put the text itself."


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty"),
        ("id,template,en\n", "'meme_id'"),
        ("meme_id,en\n", "'template'"),
        ("meme_id,template,en,EN\n", "two columns"),
        ("meme_id,template,remark\n", "no column of a language"),
        ("meme_id,template,en\n", "no rows"),
        ("meme_id,template,en\nm1,cloud-monday,\n", "first problem: .*row 2, column en"),
    ],
)
def test_a_table_without_use_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        _read(_csv(tmp_path, text))


def test_a_missing_file_a_folder_and_a_workbook_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.xlsx").write_bytes(b"PK")
    for name in ("none.csv", "", "a.xlsx"):
        with pytest.raises(InputError) as caught:
            _read(tmp_path / name)
        assert caught.value.file == str(tmp_path / name)


def test_languages_are_found_by_what_they_mean(tmp_path: Path) -> None:
    path = _csv(
        tmp_path,
        "meme_id,template,en,zh-Hans,de_AT,notes,en_notes,score\nm1,cloud-monday,a,b,c,d,e,5\n",
    )
    table = read_captions(path, TEMPLATES, ["de", "zh"])
    assert [(c.name, c.locale.tag) for c in table.languages] == [
        ("zh-Hans", "zh-Hans"),
        ("de_AT", "de"),
    ]
    assert table.source.name == "en"
    assert [error.column for error in table.ignored] == ["notes", "en_notes", "score"]
    row = next(iter(table.rows(pytest.fail)))
    assert _texts(row.captions) == {"zh-Hans": "b", "de_AT": "c"}
    assert str(row.source) == "a"
    assert read_captions(path, TEMPLATES, ["de"], source="zh").source.name == "zh-Hans"


def test_json_lines(tmp_path: Path) -> None:
    path = tmp_path / "captions.jsonl"
    lines = [
        '{"meme_id": 17, "template": "cloud-monday", "en": "a\\nb // c"}',
        "{broken",
        "[1, 2]",
        "",
        '{"meme_id": "m5", "template": "cloud-monday", "en": null, "de": "x\u2028y"}',
        '{"meme_id": "m6", "template": "cloud-monday", "en": "\\ud83d", "de": ["x"]}',
        '{"meme_id": "m7", "template": "cloud-monday", "en": 404, "de": "' + "x" * 9 + '"}',
        "[" * 100_000,
    ]
    path.write_text("\ufeff" + "\n".join(lines), encoding="utf-8")
    rows, problems = _read(path)
    assert [(row.row, row.meme_id) for row in rows] == [(1, "17"), (5, "m5"), (7, "m7")]
    assert rows[0].captions["en"].parts == ("a\nb", "c")
    assert _texts(rows[2].captions) == {"en": "404", "de": "xxxxxxxxx"}
    assert [(p.kind, p.error.row, p.error.column) for p in problems] == [
        ("empty caption", 1, "de"),
        ("broken row", 2, None),
        ("broken row", 3, None),
        ("empty caption", 5, "en"),
        ("wrong character", 6, "en"),
        ("not text", 6, "de"),
        ("broken row", 8, None),
    ]


def test_parquet(tmp_path: Path) -> None:
    path = tmp_path / "captions.parquet"
    raw = pa.array([b"fine", b"caf\xe9", None], pa.binary())
    table = {
        "meme_id": [1, 2, 3],
        "template": pa.array(["cloud-monday"] * 3).dictionary_encode(),
        "en": pa.array(["a // b", "c", "d"]),
        "de": pa.Array.from_buffers(pa.string(), 3, raw.buffers()),
    }
    pq.write_table(pa.table(table), path)
    rows, problems = _read(path)
    assert [_texts(row.captions) for row in rows] == [
        {"en": "a // b", "de": "fine"},
        {"en": "c"},
        {"en": "d"},
    ]
    assert [(p.kind, p.error.row) for p in problems] == [("not text", 3), ("empty caption", 4)]
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(InputError, match="Parquet"):
        _read(path)


_PART = st.text(
    st.characters(exclude_categories=["Cs", "Cc"]) | st.just("\n"), min_size=1, max_size=30
).filter(lambda text: Caption.parse(text).parts == (text,) and not {"/", "／"} & set(text))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.lists(_PART, min_size=1, max_size=2), min_size=1, max_size=8),
    st.sampled_from([".csv", ".tsv", ".jsonl", ".parquet"]),
)
def test_any_captions_come_back_from_any_format(
    tmp_path: Path, captions: list[list[str]], suffix: str
) -> None:
    texts = [" // ".join(parts) for parts in captions]
    path = tmp_path / f"captions{suffix}"
    columns = {
        "meme_id": [f"m{i}" for i in range(len(texts))],
        "template": ["cloud-monday"] * len(texts),
        "en": texts,
    }
    records = list(zip(*columns.values(), strict=True))
    if suffix == ".parquet":
        pq.write_table(pa.table(columns), path)
    elif suffix == ".jsonl":
        path.write_text(
            "".join(json.dumps(dict(zip(columns, r, strict=True))) + "\n" for r in records),
            encoding="utf-8",
        )
    else:
        with path.open("w", encoding="utf-8", newline="") as file:
            delimiter = "\t" if suffix == ".tsv" else ","
            csv.writer(file, delimiter=delimiter).writerows([list(columns), *records])
    rows, problems = _read(path)
    assert not problems
    assert [list(row.captions["en"].parts) for row in rows] == captions


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=200), st.sampled_from([".csv", ".jsonl", ".parquet"]))
def test_no_file_raises_anything_but_a_sentence(tmp_path: Path, data: bytes, suffix: str) -> None:
    path = tmp_path / f"any{suffix}"
    path.write_bytes(b"meme_id,template,en\n" + data if suffix == ".csv" else data)
    with contextlib.suppress(InputError):
        rows, _ = _read(path)
        assert rows


def test_the_limit_leaves_long_captions_in_peace(tmp_path: Path) -> None:
    rows, problems = _read(
        _csv(tmp_path, f"meme_id,template,en,de\nm1,cloud-monday,{'x' * CELL_LIMIT},b\r\n")
    )
    assert not problems
    assert len(str(rows[0].captions["en"])) == CELL_LIMIT
