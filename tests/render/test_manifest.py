from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memeloc.errors import InputError
from memeloc.model import Template, TextBox
from memeloc.render import PartProof, Proof, merging
from memeloc.render.manifest import (
    MANIFEST,
    PARTS,
    SCHEMA,
    SOURCES,
    Earlier,
    Known,
    Rows,
    read_manifest,
    write_part,
)
from memeloc.render.merging import NewManifest, Plan

TEMPLATE = Template(
    "robot-chef",
    Path("none.png"),
    (TextBox("top", 0, 0, 1, 0.5), TextBox("bottom", 0, 0.5, 1, 0.5)),
)


def _add(rows: Rows, meme: str, language: str, size: float, inputs: str = "ab" * 32) -> None:
    parts = (
        PartProof("top", size, ("ONE", "TWO"), (1, 2, 30, 40), 21.0, ("anton",), ("☃", "☂")),
        PartProof("bottom", 0.0, missing=("☃",), truncated=2),
    )
    rows.add_picture(
        meme_id=meme,
        template=TEMPLATE.name,
        language=language,
        locale=language,
        parts=("one two", ""),
        path=f"{language}/robot-chef/{meme}.jpg",
        inputs_sha256=inputs,
        sha256="c" * 64,
        size=1234,
        proof=Proof(100, 200, parts, 0.25, 0.5, ("missing glyph", "overflow")),
    )


def _part(out: Path, number: int, rows: Rows) -> None:
    (out / PARTS).mkdir(parents=True, exist_ok=True)
    write_part(rows, out / PARTS / f"000001-{number:08d}.parquet")


def _known(earlier: Earlier, path: str) -> Known:
    known = earlier.find(path)
    assert known is not None
    return known


def _planned(earlier: Earlier, memes: list[list[str]], source: int | None = None) -> Plan:
    plan = Plan(source_apart=False)
    for paths in memes:
        slots = [plan.add(_known(earlier, path).place) for path in paths]
        plan.end_meme(None if source is None else slots[source])
    return plan


def _write(plan: Plan, earlier: Earlier, out: Path) -> list[dict[str, Any]]:
    """Write the manifest and return the rows that were shown."""
    shown: list[dict[str, Any]] = []
    NewManifest(plan, earlier, out, lambda table: shown.extend(table.to_pylist())).finish()
    assert shown == pq.read_table(out / MANIFEST).to_pylist()
    return shown


def test_a_row_says_all_of_the_proof(tmp_path: Path) -> None:
    rows = Rows()
    _add(rows, "m1", "de", 50.0)
    _add(rows, "m1", "en", 80.0)
    _part(tmp_path, 0, rows)
    earlier = Earlier(tmp_path)
    paths = ["de/robot-chef/m1.jpg", "en/robot-chef/m1.jpg"]
    _write(_planned(earlier, [paths], source=1), earlier, tmp_path)
    frame = read_manifest(tmp_path)
    assert list(frame.columns) == SCHEMA.names
    row: dict[str, Any] = pq.read_table(tmp_path / MANIFEST).to_pylist()[0]
    versions = {name: row.pop(name) for name in ("memeloc", "pillow", "skia", "harfbuzz", "icu")}
    assert all(versions.values())
    assert row == {
        "meme_id": "m1",
        "template": "robot-chef",
        "language": "de",
        "locale": "de",
        "path": "de/robot-chef/m1.jpg",
        "sha256": "c" * 64,
        "inputs_sha256": "ab" * 32,
        "bytes": 1234,
        "width": 100,
        "height": 200,
        "text": "one two // ",
        "parts": ["top", "bottom"],
        "font_size": [50.0, 0.0],
        "size_share": [0.25, 0.0],
        "relative_size": [0.625, None],
        "lines": [["ONE", "TWO"], []],
        "ink": [[1, 2, 30, 40], None],
        "contrast": [21.0, None],
        "fonts": [["anton"], []],
        "too_small": [False, False],
        "broken_word": [False, False],
        "missing": ["☃", "☂"],
        "truncated": 2,
        "coverage": 0.25,
        "middle_coverage": 0.5,
        "problems": ["missing glyph", "overflow"],
    }


def test_a_source_without_picture_stays_out_of_the_manifest(tmp_path: Path) -> None:
    rows = Rows()
    _add(rows, "m1", "de", 50.0)
    rows.add_source(
        meme_id="m1",
        template=TEMPLATE,
        language="en",
        locale="en",
        parts=("one",),
        inputs_sha256="ab" * 32,
        sizes=(100.0, 0.0),
    )
    _part(tmp_path, 0, rows)
    earlier = Earlier(tmp_path)
    plan = Plan(source_apart=True)
    plan.add(_known(earlier, "de/robot-chef/m1.jpg").place)
    plan.end_meme(plan.add(_known(earlier, "en/robot-chef/m1").place))
    _write(plan, earlier, tmp_path)
    relative = pq.read_table(tmp_path / MANIFEST).column("relative_size")
    assert relative.to_pylist() == [[0.5, None]]
    assert pq.read_table(tmp_path / SOURCES).column("language").to_pylist() == ["en"]
    (tmp_path / PARTS / "000001-00000000.parquet").unlink()
    again = Earlier(tmp_path)
    plan = Plan(source_apart=True)
    plan.add(_known(again, "de/robot-chef/m1.jpg").place)
    plan.end_meme(plan.add(_known(again, "en/robot-chef/m1").place))
    assert plan.is_what_was(again)


_MEMES = st.lists(st.integers(0, 30), unique=True, min_size=1, max_size=25)


@given(_MEMES, st.data())
def test_rows_come_together_in_any_order_from_any_parts(
    ids: list[int], data: st.DataObject
) -> None:
    wanted = data.draw(st.permutations(ids))
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(merging, "_WINDOW", 3)
        patch.setattr(merging, "_GROUP", 5)
        patch.setattr(merging, "_CACHED", 2)
        out = Path(folder)
        cuts = sorted(data.draw(st.lists(st.integers(0, len(ids)), max_size=4)))
        for number, (begin, end) in enumerate(zip([0, *cuts], [*cuts, len(ids)], strict=True)):
            rows = Rows()
            for meme in ids[begin:end]:
                _add(rows, f"m{meme}", "en", 100.0)
                _add(rows, f"m{meme}", "de", 10.0 + meme)
            _part(out, number, rows)
        earlier = Earlier(out)
        memes = [[f"{tag}/robot-chef/m{meme}.jpg" for tag in ("en", "de")] for meme in wanted]
        _write(_planned(earlier, memes, source=0), earlier, out)
        table = pq.read_table(out / MANIFEST).to_pydict()
        assert table["path"] == [path for paths in memes for path in paths]
        assert table["relative_size"][1::2] == [[(10.0 + meme) / 100, None] for meme in wanted]
        for path in (out / PARTS).iterdir():
            path.unlink()
        after = Earlier(out)
        assert _planned(after, memes, source=0).is_what_was(after)
        if len(wanted) > 1:
            assert not _planned(after, memes[::-1], source=0).is_what_was(after)
            assert not _planned(after, memes[1:], source=0).is_what_was(after)


@given(st.permutations(range(14)), st.integers(1, 4), st.sets(st.integers(0, 13)))
def test_rows_are_written_as_soon_as_nothing_before_them_is_awaited(
    order: list[int], languages: int, failing: set[int]
) -> None:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(merging, "_WINDOW", 3)
        patch.setattr(merging, "_GROUP", 5)
        out = Path(folder)
        rows = Rows()
        tags = ("en", "de", "hi", "ar")[:languages]
        wanted = [(f"m{meme}", tag) for meme in range(14) for tag in tags]
        for meme, tag in wanted:
            _add(rows, meme, tag, 100.0)
        _part(out, 0, rows)
        earlier = Earlier(out)
        plan = Plan(source_apart=False)
        for _ in range(14):
            slots = [plan.add(None) for _ in tags]
            plan.end_meme(slots[0])
        shown: list[tuple[str, str]] = []
        manifest = NewManifest(
            plan,
            earlier,
            out,
            lambda table: shown.extend(
                (row["meme_id"], row["language"]) for row in table.to_pylist()
            ),
        )
        settled: set[int] = set()
        for meme in order:
            for slot in range(languages * meme, languages * (meme + 1)):
                plan.set(slot, None if meme in failing else 2 << 32 | slot)
            settled.add(meme)
            manifest.go_on()
            known = next((number for number in range(14) if number not in settled), 14)
            good = [(f"m{n}", tag) for n in range(known) if n not in failing for tag in tags]
            assert shown == good[: len(shown)]
            assert len(good) - len(shown) <= languages + 2, "all but a last group"
            assert not (out / MANIFEST).exists()
        manifest.finish()
        table = pq.read_table(out / MANIFEST).to_pydict()
        found = list(zip(table["meme_id"], table["language"], strict=True))
        assert found == shown == [pair for pair in wanted if int(pair[0][1:]) not in failing]


def test_a_manifest_that_is_dropped_leaves_the_one_before(tmp_path: Path) -> None:
    rows = Rows()
    _add(rows, "m1", "en", 100.0)
    _part(tmp_path, 0, rows)
    earlier = Earlier(tmp_path)
    memes = [["en/robot-chef/m1.jpg"]]
    _write(_planned(earlier, memes), earlier, tmp_path)
    before = (tmp_path / MANIFEST).read_bytes()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(merging, "_WINDOW", 1)
        again = NewManifest(_planned(earlier, memes), earlier, tmp_path, lambda table: None)
        again.go_on()
        assert len(list(tmp_path.glob(".*.tmp"))) == 1
        again.drop()
    assert list(tmp_path.glob(".*.tmp")) == []
    assert (tmp_path / MANIFEST).read_bytes() == before


def test_the_newest_row_counts_and_unusable_files_do_not(tmp_path: Path) -> None:
    for number, inputs in enumerate(("0d" * 32, "ef" * 32)):
        rows = Rows()
        _add(rows, "m1", "de", 50.0, inputs)
        _part(tmp_path, number, rows)
    (tmp_path / MANIFEST).write_bytes(b"PAR1 and then nothing")
    pq.write_table(pa.table({"meme_id": ["m2"]}), tmp_path / PARTS / "000003-00000000.parquet")
    earlier = Earlier(tmp_path)
    assert len(earlier) == 1
    assert _known(earlier, "de/robot-chef/m1.jpg").inputs_sha256 == "ef" * 32
    assert earlier.run == 4


def test_no_manifest_and_a_broken_one_are_sentences(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no manifest"):
        read_manifest(tmp_path)
    (tmp_path / MANIFEST).write_bytes(b"not one")
    with pytest.raises(InputError, match="cannot be read"):
        read_manifest(tmp_path)
