"""Damaged files of answers: what is in them is placed once, or told with its row and kept.

Files as the real programs make them are damaged in every way that was thought of, and each answer
in them is followed: into a submission of the same person, or into what could not be placed.
"""

from __future__ import annotations

import io
import json
import os
import random
import re
import tempfile
import time
import tracemalloc
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memeloc.errors import InputError
from memeloc.survey.targets.protocol import Imported, SurveyPack
from memeloc.survey.targets.registry import importer, target_names
from tests import growth
from tests.survey import damaged
from tests.survey.damaged import LEGACY, SECONDS, Table, Unit, plain

quick = settings(
    max_examples=int(os.environ.get("MEMELOC_EXAMPLES", "25")),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)


@pytest.fixture(scope="module")
def survey(tmp_path_factory: pytest.TempPathFactory) -> SurveyPack:
    return damaged.survey(tmp_path_factory.mktemp("pictures"))


def read_twice(kind: str, path: Path, survey: SurveyPack) -> Imported | None:
    """What a file holds, the same both times; None when it is refused."""
    reader = importer(kind)
    reader.recognises(path)
    try:
        found = reader.read(path, survey)
    except InputError:
        return None
    assert reader.read(path, survey) == found
    # All that is kept can be stored.
    json.dumps([dict(one.content) for one in found.rejected], allow_nan=False).encode()
    for one in found.rejected:
        assert one.reason
        assert one.message.endswith("."), one.message
        assert len(one.message) < 500
        assert one.file
    for one_sent in found.submissions:
        assert one_sent.participant
        str((one_sent.participant, one_sent.id, one_sent.answers)).encode()
    return found


def texts_in(value: Any) -> Iterator[str]:
    """Every text in what was kept."""
    if isinstance(value, dict):
        for key, one in value.items():
            yield str(key)
            yield from texts_in(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from texts_in(one)
    else:
        yield str(value)


def _unescaped(text: str) -> str:
    return re.sub(r"\\(?:x|u00)([0-9a-f]{2})", lambda found: chr(int(found[1], 16)), text)


def lost(units: Sequence[Unit], found: Imported, survey: SurveyPack) -> list[Unit]:
    """The answers that are neither placed nor told."""
    meanings = damaged.meaning(survey) | {"1": "hate", "2": "no-hate", "3": "unknown"}
    seconds = {plain(words): one for one, words in SECONDS.items()} | {
        plain(one): one for one in SECONDS
    }
    seconds |= {"1": "one", "2": "many"}  # as Qualtrics numbers them
    placed: dict[tuple[str, str], list[Any]] = defaultdict(list)
    declined = {plain(s.participant) for s in found.submissions if s.status == "no consent"}
    for one in found.submissions:
        for answer in one.answers:
            placed[plain(one.participant), answer.entry].append(answer)
            placed[plain(_unescaped(one.participant)), answer.entry].append(answer)
            placed["", answer.entry].append(answer)
    told: dict[int, list[str]] = defaultdict(list)
    refused = 0
    for left in found.rejected:
        told[left.row] += [plain(text) for text in texts_in(dict(left.content))]
        # Bytes of an old encoding, and control characters, may be kept as their numbers.
        told[left.row] += [plain(_unescaped(text)) for text in texts_in(dict(left.content))]
        if left.reason == "no consent" and isinstance(left.content.get("answers"), int):
            refused += left.content["answers"]
    gone = []
    for unit in units:
        words = plain(unit.words)
        answers = placed[plain(unit.who), unit.entry] if unit.kind != "other" else []
        if unit.kind == "label" and any(
            answer.label == meanings.get(words) or (words and words in plain(answer.text))
            for answer in answers
        ):
            continue
        both = words == plain(",".join(SECONDS.values()))
        wanted = set(SECONDS) if both else {seconds.get(words)}
        if unit.kind == "second" and any(wanted <= set(one.second) for one in answers):
            continue
        # The very same in a doubled row counts once, and is told once.
        same = {(unit.who, unit.entry, unit.words, unit.kind)}
        rows = [one.row for one in units if (one.who, one.entry, one.words, one.kind) in same]
        if any(words in text for row in rows for text in told[row]):
            continue
        if plain(unit.who) in declined or not unit.who:
            refused -= unit.kind == "label"
            if refused >= 0 and declined:
                continue
        gone.append(unit)
    return gone


def counted_twice(units: Sequence[Unit], found: Imported) -> list[str]:
    """The entries that have more answers than there are in the file."""
    there = Counter(unit.entry for unit in units if unit.kind in ("label", "second"))
    unique = {(one.sheet, one.id): one for one in found.submissions}
    placed = Counter(answer.entry for one in unique.values() for answer in one.answers)
    return [entry for entry, count in placed.items() if count > there[entry]]


def hold(units: Sequence[Unit], found: Imported | None, survey: SurveyPack) -> None:
    if found is not None:
        assert lost(units, found, survey) == []
        assert counted_twice(units, found) == []


def broken(table: Table, names: Sequence[str], seed: int) -> None:
    rng = random.Random(seed)
    for name in names:
        damaged.TABLE_DAMAGES[name](table, rng)


WAYS = ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "legacy", "latin-1", "xlsx")


@pytest.mark.parametrize("kind", sorted(damaged.TABLES))
@quick
@given(
    names=st.lists(st.sampled_from(sorted(damaged.TABLE_DAMAGES)), max_size=4),
    seed=st.integers(0, 2**32),
    way=st.sampled_from(WAYS),
    delimiter=st.sampled_from(",;\t"),
    which=st.integers(0, 1),
)
def test_every_answer_of_a_damaged_table_is_placed_or_told(
    survey: SurveyPack,
    tmp_path: Path,
    kind: str,
    names: list[str],
    seed: int,
    way: str,
    delimiter: str,
    which: int,
) -> None:
    sheet = survey.sheets[which]
    table = damaged.TABLES[kind](survey, sheet)
    broken(table, names, seed)
    records = table.records()
    units = list(table.units())
    if way == "xlsx":
        damaged.save_workbook(tmp_path / "t.xlsx", records)
        units = [one for one in units if len(one.words) < 32_000]
        found = read_twice(kind, tmp_path / "t.xlsx", survey)
    else:
        encoding = LEGACY[sheet.culture.code] if way == "legacy" else way
        if way in ("legacy", "latin-1"):
            records = [[_in(cell, encoding) for cell in record] for record in records]
            units = [
                Unit(u.row, _in(u.who, encoding), u.entry, _in(u.words, encoding), u.kind)
                for u in units
            ]
        damaged.save_table(tmp_path / "t.csv", records, encoding, delimiter)
        found = read_twice(kind, tmp_path / "t.csv", survey)
    hold(units, found, survey)
    if not names and way in ("utf-8", "utf-8-sig", "utf-16", "xlsx"):
        assert found is not None
        assert {one.participant for one in found.submissions} == set(damaged.PEOPLE)


def _in(text: str, encoding: str) -> str:
    """A text as an old encoding has it, without the marks that it never had."""
    kept = "".join(one for one in text if one not in "\u2068\u2069")
    return kept.encode(encoding, "replace").decode(encoding)


@pytest.mark.parametrize("kind", sorted(damaged.VALUES))
@quick
@given(
    names=st.lists(st.sampled_from(sorted(damaged.JSON_DAMAGES)), max_size=4),
    seed=st.integers(0, 2**32),
    way=st.sampled_from(("utf-8", "utf-8-sig", "utf-16", "escaped", "lines")),
    which=st.integers(0, 1),
)
def test_every_answer_of_damaged_json_is_placed_or_told(
    survey: SurveyPack,
    tmp_path: Path,
    kind: str,
    names: list[str],
    seed: int,
    way: str,
    which: int,
) -> None:
    sheet = survey.sheets[which]
    make, count = damaged.VALUES[kind]
    value, rng = make(survey, sheet), random.Random(seed)
    for name in names:
        if list(damaged.places_in(value)):
            damaged.JSON_DAMAGES[name](value, rng)
    path = save_json(kind, Path(tempfile.mkdtemp(dir=tmp_path)) / "j", value, way)
    units = list(count(value, damaged.names_of(survey, kind, sheet)))
    found = read_twice(kind, path, survey)
    hold(units, found, survey)
    if not names:
        assert found is not None
        assert {one.participant for one in found.submissions} == set(damaged.PEOPLE)


def save_json(kind: str, path: Path, value: Any, way: str) -> Path:
    if kind == "potato":
        for number, state in enumerate(value):
            (path / f"{number:03}").mkdir(parents=True)
            text = json.dumps(state, ensure_ascii=way in ("escaped", "lines"))
            encoding = "utf-8" if way in ("escaped", "lines") else way
            own = path / f"{number:03}" / "user_state.json"
            own.write_bytes(text.encode(encoding, "backslashreplace"))
        path.mkdir(exist_ok=True)
        return path
    text = json.dumps(value, ensure_ascii=way == "escaped")
    if way == "lines" and kind == "html":
        text = "\n".join(json.dumps(one, ensure_ascii=False) for one in value)
    encoding = way if way.startswith("utf") else "utf-8"
    path.write_bytes(text.encode(encoding, "backslashreplace"))
    return path


@pytest.mark.parametrize("kind", sorted(damaged.TABLES))
@quick
@given(cut=st.integers(1, 5000), newline=st.sampled_from(("\r\n", "\n")))
def test_of_a_table_that_is_cut_off_the_whole_rows_are_taken_and_the_last_is_told(
    survey: SurveyPack, tmp_path: Path, kind: str, cut: int, newline: str
) -> None:
    table = damaged.TABLES[kind](survey, survey.sheets[0])
    path = tmp_path / "cut.csv"
    damaged.save_table(path, table.records())
    whole = path.read_bytes().replace(b"\r\n", newline.encode())
    left = whole[: max(len(whole) - cut, 0)]
    path.write_bytes(left)
    # Rows whose ends are there; no cell has a quotation mark.
    records = io.StringIO(left.decode("utf-8", "ignore"), newline="").getvalue()
    ends, quoted = 0, False
    for letter in records:
        quoted ^= letter == '"'
        ends += letter == "\n" and not quoted
    units = [unit for unit in table.units() if unit.row <= ends]
    found = read_twice(kind, path, survey)
    if found is None:
        assert ends < 3 + 3
        return
    assert lost(units, found, survey) == []
    whole_people = {unit.who for unit in units}
    assert {one.participant for one in found.submissions} <= set(damaged.PEOPLE)
    assert {one.participant for one in found.submissions if one.status == "complete"} <= (
        whole_people | {one.participant for one in found.submissions if one.row > ends}
    )


@pytest.mark.parametrize("kind", target_names())
@quick
@given(data=st.data())
def test_no_bytes_make_more_than_a_sentence(
    survey: SurveyPack, tmp_path: Path, kind: str, data: st.DataObject
) -> None:
    whole = original(kind, survey, tmp_path).read_bytes()
    changed = bytearray(whole)
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


def original(kind: str, survey: SurveyPack, folder: Path) -> Path:
    """An undamaged file of a kind."""
    path = folder / f"original-{kind}"
    if path.exists():
        return path
    if kind in damaged.TABLES:
        damaged.save_table(path, damaged.TABLES[kind](survey, survey.sheets[0]).records())
    elif kind == "prolific":
        path.write_text(PROLIFIC, encoding="utf-8")
    else:
        value = damaged.VALUES[kind][0](survey, survey.sheets[0])
        path.write_text(json.dumps(value[0] if kind == "potato" else value), encoding="utf-8")
    return path


PROLIFIC = "\n".join(
    [
        "Submission id,Participant id,Status,Completed at,Time taken,Completion code,Nationality,"
        "Country of birth,Country of residence,Language",
        *(
            f"6e848123456789012345670{number},{who},AWAITING REVIEW,2026-03-01T12:00:00Z,300,"
            "DONE-7,United States,United States,United States,English"
            for number, who in enumerate(damaged.PEOPLE)
        ),
        "",
    ]
)


@quick
@given(seed=st.integers(0, 2**32), damages=st.lists(st.integers(0, 5), max_size=4))
def test_everybody_in_a_damaged_export_of_prolific_is_known_or_told(
    survey: SurveyPack, tmp_path: Path, seed: int, damages: list[int]
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
            row[rng.randrange(len(header))] = rng.choice(damaged.HOSTILE)
        elif damage == 3:
            order = rng.sample(range(len(header)), len(header))
            header, *rows = [[line[place] for place in order] for line in (header, *rows)]
        elif damage == 4:
            row[header.index("Nationality")] = rng.choice(("CONSENT_REVOKED", "DATA_EXPIRED"))
        else:
            rng.shuffle(rows)
    path = tmp_path / "r1-b01-US.csv"
    damaged.save_table(path, [header, *rows])
    found = read_twice("prolific", path, survey)
    if found is None:
        return
    who, number = header.index("Participant id"), header.index("Submission id")
    for place, row in enumerate(rows, 2):
        told = [plain(t) for u in found.rejected if u.row == place for t in texts_in(u.content)]
        known = any(
            (plain(one.participant), plain(one.submission)) == (plain(row[who]), plain(row[number]))
            for one in found.participants
        )
        same = any(other == row for other in rows[: place - 2])
        assert known or same or {plain(row[who]), plain(row[number])} & set(told), row
    people = [(one.participant, one.submission, one.study) for one in found.participants]
    assert len(people) == len(set(people))


def test_workbooks_with_broken_parts_are_refused_or_read(
    survey: SurveyPack, tmp_path: Path
) -> None:
    for kind in damaged.TABLES:
        path = tmp_path / f"{kind}.xlsx"
        damaged.save_workbook(path, damaged.TABLES[kind](survey, survey.sheets[0]).records())
        whole, rng = path.read_bytes(), random.Random(kind)
        for _ in range(60):
            changed = bytearray(whole)
            for _ in range(rng.randrange(1, 5)):
                changed[rng.randrange(len(changed))] = rng.randrange(256)
            path.write_bytes(bytes(changed))
            read_twice(kind, path, survey)


# Bombs


def test_what_unpacks_to_much_is_not_unpacked(survey: SurveyPack, tmp_path: Path) -> None:
    path = tmp_path / "bomb.zip"
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("../../responses.csv", "w", force_zip64=True) as stream,
    ):
        for _ in range(300):
            stream.write(b"," * (1 << 20))
    for kind in damaged.TABLES:
        tracemalloc.start()
        with pytest.raises(InputError):
            importer(kind).read(path, survey)
        assert tracemalloc.get_traced_memory()[1] < 50_000_000
        tracemalloc.stop()
    assert not (tmp_path.parent.parent / "responses.csv").exists()


LARGE = 500_000


@pytest.mark.parametrize(
    "unit",
    [
        ",", "One person,", "One person;", "a;", "| ", "1/", "\u0301", "ﷺ", "9", "=", "\n", "a.1",
        "(1)",
    ],
)  # fmt: skip
@pytest.mark.parametrize("kind", sorted(damaged.TABLES))
def test_cells_of_half_a_megabyte_are_kept_and_their_cost_is_linear(
    survey: SurveyPack, tmp_path: Path, kind: str, unit: str
) -> None:
    def save(path: Path, length: int) -> tuple[Table, str]:
        text = unit * (length // len(unit))
        table = damaged.TABLES[kind](survey, survey.sheets[0])
        rows = [row for row in table.rows if row]
        for number, name in enumerate(("label", "second", "other", "who", "time")):
            for key in [one for _, one in table.columns if one[0] == name][:1]:
                rows[number % len(rows)][key] = text
        damaged.save_table(path, table.records())
        return table, text

    save(tmp_path / "small.csv", LARGE // growth.EIGHTH)
    small = growth.cpu(lambda: read_twice(kind, tmp_path / "small.csv", survey))
    table, text = save(tmp_path / "large.csv", LARGE)
    begin = time.process_time()
    found = read_twice(kind, tmp_path / "large.csv", survey)
    assert growth.is_linear(small, time.process_time() - begin)
    units = [unit for unit in table.units() if unit.words != text or plain(text)]
    hold(units, found, survey)
    if found is not None:
        kept = sum(len(str(dict(one.content))) for one in found.rejected)
        assert kept < 40 * len(text)


def test_files_of_nowhere_and_folders_are_refused(survey: SurveyPack, tmp_path: Path) -> None:
    (tmp_path / "empty").write_bytes(b"")
    for kind in target_names():
        for path in (tmp_path / "none", tmp_path / "empty"):
            assert not importer(kind).recognises(path)
            with pytest.raises(InputError):
                importer(kind).read(path, survey)
        if kind != "potato":
            with pytest.raises(InputError):
                importer(kind).read(tmp_path, survey)


# The table


def test_a_table_of_what_was_placed_and_what_was_not(
    survey: SurveyPack, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """For each kind of file: rows in, answers placed, and what was set aside for which reason."""
    lines = ["kind, damage | answers in | placed | set aside, by reason"]
    for kind in sorted({*damaged.TABLES, *damaged.VALUES}):
        for name in ("nothing", *sorted({**damaged.TABLE_DAMAGES, **damaged.JSON_DAMAGES})):
            for form, units, path in damaged_file(kind, name, survey, tmp_path):
                found = read_twice(kind, path, survey)
                if found is None:
                    lines.append(f"{form}, {name} | {len(units)} | the file is refused |")
                    continue
                assert (name, lost(units, found, survey)) == (name, [])
                assert (name, counted_twice(units, found)) == (name, [])
                unique = {(one.sheet, one.id): one for one in found.submissions}
                placed = sum(len(one.answers) for one in unique.values())
                aside = Counter(one.reason for one in found.rejected)
                told = ", ".join(f"{reason} {count}" for reason, count in sorted(aside.items()))
                lines.append(f"{form}, {name} | {len(units)} | {placed} | {told}")
                if name == "nothing":
                    assert placed == sum(unit.kind == "label" for unit in units)
                    assert set(aside) <= {"comment"}
    (tmp_path / "placed.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    with capsys.disabled():
        print("\n" + "\n".join(lines))


def damaged_file(
    kind: str, name: str, survey: SurveyPack, folder: Path
) -> Iterator[tuple[str, list[Unit], Path]]:
    """The files of a kind with one damage, and their answers."""
    sheet, rng = survey.sheets[0], random.Random(f"{kind} {name}")
    if kind in damaged.TABLES and (name == "nothing" or name in damaged.TABLE_DAMAGES):
        table = damaged.TABLES[kind](survey, sheet)
        if name != "nothing":
            damaged.TABLE_DAMAGES[name](table, rng)
        path = folder / f"{kind}-{name}.csv"
        damaged.save_table(path, table.records())
        yield f"{kind} (table)", list(table.units()), path
    if kind in damaged.VALUES and (name == "nothing" or name in damaged.JSON_DAMAGES):
        make, count = damaged.VALUES[kind]
        value = make(survey, sheet)
        if name != "nothing":
            damaged.JSON_DAMAGES[name](value, rng)
        path = save_json(kind, folder / f"{kind}-{name}.json", value, "utf-8")
        names = damaged.names_of(survey, kind, sheet)
        yield f"{kind} (JSON)", list(count(value, names)), path
