"""Damaged files of answers: every row that was there is placed, or rejected with its number."""

from __future__ import annotations

import csv
import io
import json
import random
import tempfile
import tracemalloc
import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

from memeloc.errors import InputError
from memeloc.survey.targets.protocol import Imported, SheetsToSend
from memeloc.survey.targets.resolver import import_file, make_target, target_names
from tests import growth
from tests.survey.targets import answered
from tests.survey.targets.answered import PEOPLE, PROLIFIC, TABLES, VALUES, Said, Table

quick = settings(
    max_examples=settings().max_examples // 3,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
HOSTILE = (
    "perhaps", "=1+1", "'=1+1", "@x", "1", "2.0", "TRUE", "5.9E+23", "../../etc/passwd", "a\x00b",
    "x;y|z,w", '"', "'", "a\nb", "\u202eabc", "\u200f", "\U0001f40c", "hate,no-hate", "check-1",
    "<b>x</b>", "0001-01-01T00:00:00+14:00", "x" * 300, "long " * 20_000, "",
)  # fmt: skip
"""What stands in a cell where something else should."""
ODD = (None, True, -1, 2**70, 1.5, "", "perhaps", "\ud800", [], {}, ["hate"], {"a": "b"}, [[[]]])
"""What stands in JSON where something else should."""
LEGACY = {"US": "cp1252", "EG": "cp1256"}


@pytest.fixture(scope="module")
def survey(tmp_path_factory: pytest.TempPathFactory) -> SheetsToSend:
    return answered.survey(tmp_path_factory.mktemp("pictures"))


def read_twice(kind: str, path: Path, survey: SheetsToSend) -> Imported | None:
    """What a file holds, the same both times and fit to be stored; None when it is refused."""
    make_target(kind).recognises(path)
    try:
        result = import_file(make_target(kind), path, survey)
    except InputError:
        return None
    assert import_file(make_target(kind), path, survey) == result
    json.dumps([dict(row.content) for row in result.rejected], allow_nan=False)
    for row in result.rejected:
        assert row.reason
        assert row.file
        assert row.message.endswith("."), row.message
        assert len(row.message) < 500
    for sent in result.submissions:
        str((sent.participant, sent.id, sent.answers)).encode()
        entries = Counter(answer.entry for answer in sent.answers)
        assert set(entries.values()) <= {1}
    return result


def check(rows: Sequence[tuple[int, Said, bool]], result: Imported | None) -> None:
    """Each row's answers are placed, or the row is rejected.

    Args:
        rows: number, what was answered, and whether it was damaged.
        result: what was read; None where the file was refused.
    """
    if result is None:
        return
    rejected = {row.row for row in result.rejected}
    placed = {
        (sent.participant, answer.entry): answer.label
        for sent in result.submissions
        for answer in sent.answers
    }
    strange = {sent.participant for sent in result.submissions} - set(PEOPLE)
    for number, sentence, damaged in rows:
        if number in rejected or (damaged and strange):
            continue
        for key, label in sentence.items():
            assert key in placed, (number, key)
            assert damaged or placed[key] == label, (number, key)


# Tables


def save_table(
    path: Path, table: Table, encoding: str = "utf-8", delimiter: str = ","
) -> Iterator[int]:
    """Save a table; the numbers of its rows."""
    records = [*table.headings, *(cells for cells, _ in table.rows)]
    if encoding == "xlsx":
        book = openpyxl.Workbook(write_only=True)
        page = book.create_sheet()
        for record in records:
            page.append([ILLEGAL_CHARACTERS_RE.sub("", cell)[:32_000] or None for cell in record])
        book.save(path)
    else:
        text = io.StringIO(newline="")
        csv.writer(text, delimiter=delimiter).writerows(records)
        path.write_bytes(text.getvalue().encode(encoding, "replace"))
    return iter(range(len(table.headings) + 1, len(records) + 1))


def damage_table(table: Table, name: str, rng: random.Random, damaged: set[int]) -> None:
    """Damage a table in one way; the ids of rows whose cells were changed are noted."""
    row = rng.choice(table.rows)
    if name == "rows":
        rng.shuffle(table.rows)
    elif name == "doubled":
        copy = (list(row[0]), row[1])
        table.rows.insert(rng.randrange(len(table.rows) + 1), copy)
        damaged.update({id(copy[0])} if id(row[0]) in damaged else ())
    elif name == "cell":
        text = rng.choice(HOSTILE)
        row[0][rng.randrange(len(row[0]))] = text
        if not text:
            row[1].clear()  # an answer that was taken out cannot be placed
        # Other rows of the same person may hang on it, such as one that asks for consent.
        damaged.update(id(cells) for cells, _ in table.rows)
    elif name == "columns":
        order = rng.sample(range(len(table.headings[0])), len(table.headings[0]))
        for cells in (*table.headings, *(cells for cells, _ in table.rows)):
            cells[:] = [cells[place] if place < len(cells) else "" for place in order]
    elif name == "column":
        notes = [rng.choice(("", "a note")) for _ in table.rows]
        table.add_column(rng.choice(("Tea", "../x", "notes")), len(table.headings[0]), notes)
    elif name == "headings":
        place = rng.randrange(len(table.rows) + 1)
        table.rows[place:place] = [(list(heading), {}) for heading in table.headings]
    else:
        table.rows.insert(rng.randrange(len(table.rows) + 1), ([""] * len(row[0]), {}))


@pytest.mark.parametrize("kind", sorted(TABLES))
@quick
@given(
    names=st.lists(
        st.sampled_from(("rows", "doubled", "cell", "columns", "column", "headings", "blank")),
        max_size=4,
    ),
    seed=st.integers(0, 2**32),
    way=st.sampled_from(("utf-8", "utf-8-sig", "utf-16", "legacy", "latin-1", "xlsx")),
    delimiter=st.sampled_from(",;\t"),
    which=st.integers(0, 1),
)
@example(names=["headings", "rows"], seed=0, way="utf-8", delimiter=",", which=0)
def test_rows_of_a_damaged_table_are_placed_or_rejected(
    survey: SheetsToSend,
    tmp_path: Path,
    kind: str,
    names: list[str],
    seed: int,
    way: str,
    delimiter: str,
    which: int,
) -> None:
    sheet, rng = survey.sheets[which], random.Random(seed)
    table, damaged = TABLES[kind](survey, sheet), set[int]()
    for name in names:
        damage_table(table, name, rng, damaged)
    encoding = LEGACY[sheet.culture.code] if way == "legacy" else way
    path = tmp_path / ("t.xlsx" if way == "xlsx" else "t.csv")
    numbers = save_table(path, table, encoding, delimiter)
    rows = [
        (number, sentence, id(cells) in damaged)
        for number, (cells, sentence) in zip(numbers, table.rows, strict=True)
    ]
    result = read_twice(kind, path, survey)
    check(rows, result)
    if not names and way not in ("legacy", "latin-1"):
        assert result is not None
        assert {sent.participant for sent in result.submissions} == set(PEOPLE)
        assert not result.rejected


@pytest.mark.parametrize("kind", sorted(TABLES))
@quick
@given(cut=st.integers(1, 5000))
def test_whole_rows_of_a_cut_off_table_are_read(
    survey: SheetsToSend, tmp_path: Path, kind: str, cut: int
) -> None:
    table, path = TABLES[kind](survey, survey.sheets[0]), tmp_path / "cut.csv"
    numbers = list(save_table(path, table))
    left = path.read_bytes()[: max(path.stat().st_size - cut, 0)]
    path.write_bytes(left)
    whole = sum(1 for _ in csv.reader(io.StringIO(left.decode("utf-8", "ignore"), newline="")))
    rows = [
        (number, sentence, False)
        for number, (_, sentence) in zip(numbers, table.rows, strict=True)
        if number < whole
    ]
    check(rows, read_twice(kind, path, survey))


@pytest.mark.parametrize("kind", sorted(TABLES))
def test_a_broken_workbook_is_refused_or_read(
    survey: SheetsToSend, tmp_path: Path, kind: str
) -> None:
    path = tmp_path / "t.xlsx"
    save_table(path, TABLES[kind](survey, survey.sheets[0]), "xlsx")
    whole, rng = path.read_bytes(), random.Random(kind)
    for _ in range(15):
        changed = bytearray(whole)
        for _ in range(rng.randrange(1, 5)):
            changed[rng.randrange(len(changed))] = rng.randrange(256)
        path.write_bytes(bytes(changed))
        read_twice(kind, path, survey)


@pytest.mark.parametrize(
    "unit",
    [
        "One person,",
        *(pytest.param(unit, marks=pytest.mark.slow) for unit in ("1/", "\u0301", "(1)")),
    ],
)
@pytest.mark.parametrize("kind", sorted(TABLES))
def test_the_cost_of_huge_cells_is_linear(
    survey: SheetsToSend, tmp_path: Path, kind: str, unit: str
) -> None:
    def seconds(length: int) -> float:
        table = TABLES[kind](survey, survey.sheets[0])
        for place in range(len(table.headings[0])):
            table.rows[place % len(table.rows)][0][place] = unit * (length // len(unit))
        save_table(path := tmp_path / f"{length}.csv", table)
        return growth.cpu(lambda: read_twice(kind, path, survey))

    assert growth.is_linear(seconds, 80_000)


def test_an_archive_that_unpacks_to_much_is_refused(survey: SheetsToSend, tmp_path: Path) -> None:
    path = tmp_path / "bomb.zip"
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("../../responses.csv", "w", force_zip64=True) as stream,
    ):
        for _ in range(300):
            stream.write(b"," * (1 << 20))
    for kind in TABLES:
        tracemalloc.start()
        with pytest.raises(InputError):
            import_file(make_target(kind), path, survey)
        assert tracemalloc.get_traced_memory()[1] < 50_000_000
        tracemalloc.stop()
    assert not (tmp_path.parent.parent / "responses.csv").exists()


# JSON


def save_json(kind: str, path: Path, values: Sequence[Any], way: str = "utf-8") -> Path:
    def encoded(value: Any) -> bytes:
        text = json.dumps(value, ensure_ascii=way == "escaped")
        return text.encode(way if way.startswith("utf") else "utf-8", "backslashreplace")

    path.write_bytes(encoded(values))
    return path


def places_in(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every container and key within a value."""
    pairs: Any = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in list(pairs):
        yield value, key
        if isinstance(inner, dict | list):
            yield from places_in(inner)


@pytest.mark.parametrize("kind", sorted(VALUES))
@quick
@given(
    names=st.lists(st.sampled_from(("value", "doubled", "key", "order")), max_size=4),
    seed=st.integers(0, 2**32),
    way=st.sampled_from(("utf-8", "utf-8-sig", "utf-16", "escaped")),
    which=st.integers(0, 1),
)
def test_records_of_damaged_json_are_placed_or_rejected(
    survey: SheetsToSend,
    tmp_path: Path,
    kind: str,
    names: list[str],
    seed: int,
    way: str,
    which: int,
) -> None:
    rng, damaged = random.Random(seed), set[int]()
    records = VALUES[kind](survey, survey.sheets[which])
    for name in names:
        record = rng.choice(records)
        if name == "order":
            rng.shuffle(records)
        elif name == "doubled":
            copy = json.loads(json.dumps(record[0]))
            records.insert(rng.randrange(len(records) + 1), (copy, record[1]))
            # Where two say different things, neither holds.
            damaged |= {id(value) for value, _ in records} if damaged else set()
        else:
            damaged.add(id(record[0]))
            container, key = rng.choice(list(places_in(record[0])))
            if name == "key" and isinstance(container, dict):
                del container[key]
            else:
                container[key] = rng.choice(ODD)
    path = save_json(kind, Path(tempfile.mkdtemp(dir=tmp_path)) / "j", [v for v, _ in records], way)
    result = read_twice(kind, path, survey)
    rows = [
        (number, {} if id(value) in damaged else sentence, False)
        for number, (value, sentence) in enumerate(records, 1)
    ]
    check(rows, result)
    if not names:
        assert result is not None
        assert {sent.participant for sent in result.submissions} == set(PEOPLE)
        assert not result.rejected


# Any target


def original(kind: str, survey: SheetsToSend, folder: Path) -> bytes:
    """An undamaged file."""
    path = folder / "original"
    if kind in TABLES:
        save_table(path, TABLES[kind](survey, survey.sheets[0]))
        return path.read_bytes()
    if kind == "prolific":
        return PROLIFIC.encode()
    values = [value for value, _ in VALUES[kind](survey, survey.sheets[0])]
    return json.dumps(values).encode()


@pytest.mark.parametrize("kind", target_names())
@quick
@given(data=st.data())
def test_no_bytes_make_more_than_a_sentence(
    survey: SheetsToSend, tmp_path: Path, kind: str, data: st.DataObject
) -> None:
    changed = bytearray(original(kind, survey, tmp_path))
    for _ in range(data.draw(st.integers(1, 6))):
        place = data.draw(st.integers(0, len(changed) - 1))
        how = data.draw(st.sampled_from(("set", "cut", "insert", "double")))
        piece = data.draw(st.binary(min_size=1, max_size=9))
        if how == "set":
            changed[place : place + len(piece)] = piece
        elif how == "insert":
            changed[place:place] = piece
        elif how == "cut":
            del changed[place : place + data.draw(st.integers(1, 400))]
        else:
            changed[place:place] = changed[place : place + 300]
        if not changed:
            return
    path = tmp_path / "bytes"
    path.write_bytes(bytes(changed))
    read_twice(kind, path, survey)


@quick
@given(seed=st.integers(0, 2**32), damages=st.lists(st.integers(0, 4), max_size=4))
def test_people_of_damaged_prolific_exports_are_not_lost(
    survey: SheetsToSend, tmp_path: Path, seed: int, damages: list[int]
) -> None:
    rng = random.Random(seed)
    header, *rows = [line.split(",") for line in PROLIFIC.strip().split("\n")]
    for damage in damages:
        row = rng.choice(rows)
        if damage == 0:
            rows.insert(rng.randrange(len(rows) + 1), list(row))
        elif damage == 1:
            row[header.index("Participant id")] = rng.choice(("", "x y", "=1", "5.9E+23"))
        elif damage == 2:
            row[rng.randrange(len(header))] = rng.choice(HOSTILE)
        elif damage == 3:
            row[header.index("Nationality")] = rng.choice(("CONSENT_REVOKED", "DATA_EXPIRED"))
        else:
            rng.shuffle(rows)
    path = tmp_path / "r1-b01-US.csv"
    save_table(path, Table([header], [(row, {}) for row in rows]))
    result = read_twice("prolific", path, survey)
    if result is None:
        return
    rejected = {row.row for row in result.rejected}
    people = {(person.participant, person.submission) for person in result.participants}
    who, number = header.index("Participant id"), header.index("Submission id")
    for place, row in enumerate(rows, 2):
        assert (row[who], row[number]) in people or place in rejected, row
