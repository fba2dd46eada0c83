from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memeloc.model import Template, TextBox
from memeloc.render import PartProof, Proof
from memeloc.render.proof import Finding, TextBoxes, Word
from memeloc.render.sets import manifest_files, merging
from memeloc.render.sets.earlier import Earlier, EarlierPicture
from memeloc.render.sets.manifest import MANIFEST, PARTS, Row, picture_row, write_part
from memeloc.render.sets.merging import MemeRows, NewManifest
from memeloc.render.sets.row_groups import row_groups

TEMPLATE = Template(
    "robot-chef",
    Path("none.png"),
    (TextBox("top", 0, 0, 1, 0.5), TextBox("bottom", 0, 0.5, 1, 0.5)),
    source="drawn for tests",
    licence="CC0-1.0",
)


def _add(rows: list[Row], meme: str, language: str, size: float, inputs: str = "ab" * 32) -> None:
    upright, turned = (1, 2, 30, 20), (1, 20, 20, 20, 20, 40, 1, 40)
    words = (Word("ONE", 0, upright), Word("TWO", 1, turned))
    boxes = TextBoxes((upright, (1, 20, 30, 40)), words)
    texts = ("ONE", "TWO")
    parts = (
        PartProof("top", size, texts, (1, 2, 30, 40), 21.0, ("anton",), boxes),
        PartProof(
            "bottom",
            0.0,
        ),
    )
    findings = (Finding("missing glyph", "top", "not drawn: ☃"), Finding("hyphenated", "", "a-b"))
    proof = Proof(100, 200, parts, 0.25, 0.5, findings, {"anton": "d" * 64})
    row = picture_row(meme, TEMPLATE, language, language, ("one two", ""), proof)
    file = {"path": f"{language}/robot-chef/{meme}.jpg", "sha256": "c" * 64, "bytes": 1234}
    rows.append({**row, **file, "inputs_sha256": inputs})


def _part(out: Path, number: int, rows: list[Row]) -> None:
    (out / PARTS).mkdir(parents=True, exist_ok=True)
    write_part(rows, out / PARTS / f"000001-{number:08d}.parquet")


def _picture(earlier: Earlier, path: str) -> EarlierPicture:
    language, _, name = path.split("/")
    known = earlier.pictures if name.endswith(".jpg") else earlier.sources
    return known[name.removesuffix(".jpg"), language]


def _memes(
    earlier: Earlier, memes: Iterable[Sequence[str]], source: int | None = None
) -> list[MemeRows]:
    return [MemeRows([_picture(earlier, path).place for path in paths], source) for paths in memes]


def _write(
    memes: Iterable[MemeRows],
    earlier: Earlier,
    out: Path,
    *,
    source_apart: bool = False,
    together: int = 3,
) -> bool:
    """Write the manifest, some memes at a time; whether it was written."""
    shown: list[dict[str, Any]] = []
    manifest = NewManifest(
        earlier,
        out,
        source_apart=source_apart,
        on_rows=lambda table: shown.extend(table.to_pylist()),
    )
    rest = list(memes)
    while rest:
        manifest.add(rest[:together])
        del rest[:together]
    written = manifest.finish(anew=False)
    assert not written or _by_language(shown) == _by_language(_rows(out))
    return written


def _rows(out: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = pq.read_table(out / MANIFEST).to_pylist()
    return rows


def _by_language(rows: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    languages = dict.fromkeys(row["language"] for row in rows)
    return {name: [row for row in rows if row["language"] == name] for name in languages}


_MEMES = st.lists(st.integers(0, 30), unique=True, min_size=1, max_size=25)


@settings(max_examples=settings().max_examples // 3)
@given(_MEMES, st.data())
def test_rows_come_together_in_any_order_from_any_parts(
    ids: list[int], data: st.DataObject
) -> None:
    wanted = data.draw(st.permutations(ids))
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(merging, "_COPIED", 5)
        patch.setattr(manifest_files, "_GATHERED", 4)
        patch.setattr(manifest_files, "_HELD", 10)
        patch.setattr(manifest_files, "_CACHED", 7)
        out = Path(folder)
        cuts = sorted(data.draw(st.lists(st.integers(0, len(ids)), max_size=4)))
        for number, (begin, end) in enumerate(zip([0, *cuts], [*cuts, len(ids)], strict=True)):
            rows: list[Row] = []
            for meme in ids[begin:end]:
                _add(rows, f"m{meme}", "en", 100.0)
                _add(rows, f"m{meme}", "de", 10.0 + meme)
            _part(out, number, rows)
        earlier = Earlier(out)
        memes = [[f"{tag}/robot-chef/m{meme}.jpg" for tag in ("en", "de")] for meme in wanted]
        assert _write(_memes(earlier, memes, source=0), earlier, out)
        _check_order(out, memes)
        relative = [row["relative_size"] for row in _by_language(_rows(out))["de"]]
        assert relative == [[(10.0 + meme) / 100, None] for meme in wanted]
        for path in (out / PARTS).iterdir():
            path.unlink()
        after = Earlier(out)
        assert not _write(_memes(after, memes, source=0), after, out)
        changed = data.draw(st.permutations(memes)) if data.draw(st.booleans()) else memes[:-1]
        assert _write(_memes(after, changed, source=0), after, out) == (changed != memes)
        _check_order(out, changed)


def _check_order(out: Path, memes: Sequence[Sequence[str]]) -> None:
    """Each row group has one language; the rows of a language have the memes' order."""
    with pq.ParquetFile(out / MANIFEST) as file:
        assert all(group.language for group in row_groups(file.metadata))
    by_language = _by_language(_rows(out))
    for number, tag in enumerate(("en", "de")):
        paths = [row["path"] for row in by_language.get(tag, [])]
        assert paths == [meme[number] for meme in memes]


def test_a_manifest_that_is_dropped_leaves_the_one_before(tmp_path: Path) -> None:
    rows: list[Row] = []
    _add(rows, "m1", "en", 100.0)
    _part(tmp_path, 0, rows)
    earlier = Earlier(tmp_path)
    memes = _memes(earlier, [["en/robot-chef/m1.jpg"]])
    assert _write(memes, earlier, tmp_path)
    before = (tmp_path / MANIFEST).read_bytes()
    again = NewManifest(earlier, tmp_path, source_apart=False, on_rows=lambda table: None)
    again.add(memes)
    assert len(list(tmp_path.glob(".*.tmp"))) == 1
    again.drop()
    assert list(tmp_path.glob(".*.tmp")) == []
    assert (tmp_path / MANIFEST).read_bytes() == before


def test_the_newest_row_counts_and_unusable_files_do_not(tmp_path: Path) -> None:
    for number, inputs in enumerate(("0d" * 32, "ef" * 32)):
        rows: list[Row] = []
        _add(rows, "m1", "de", 50.0, inputs)
        _part(tmp_path, number, rows)
    (tmp_path / MANIFEST).write_bytes(b"PAR1 and then nothing")
    pq.write_table(pa.table({"meme_id": ["m2"]}), tmp_path / PARTS / "000003-00000000.parquet")
    earlier = Earlier(tmp_path)
    assert ("m2", "en") not in earlier.pictures
    assert _picture(earlier, "de/robot-chef/m1.jpg").inputs_sha256 == "ef" * 32
    assert earlier.run == 4
