"""What is exported is what was imported, in every format and whatever the text."""

from __future__ import annotations

import csv
import itertools
import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memeloc.model import Caption
from memeloc.store import Store
from tests.store.conftest import import_table

_folders = itertools.count()

PART = st.text(
    st.one_of(
        st.characters(exclude_categories=("Cs", "Cc")),
        st.sampled_from("=+-@＝'\"\n,; /\u00a0"),
    ),
    max_size=12,
).map(str.strip)


def _readable(parts: tuple[str, ...]) -> bool:
    return any(parts) and Caption.parse(str(Caption(parts))).parts == parts


CAPTION = st.tuples(PART, PART).filter(_readable).map(Caption) | st.tuples(PART).filter(
    _readable
).map(Caption)
ROWS = st.lists(st.tuples(CAPTION, st.none() | CAPTION), min_size=1, max_size=6)


@given(rows=ROWS, ending=st.sampled_from(["csv", "jsonl", "parquet"]))
@settings(
    max_examples=settings().max_examples // 3,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_import_export_import(
    rows: list[tuple[Caption, Caption | None]],
    ending: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("MEMELOC_DATABASE_URL", raising=False)
    folder = tmp_path / str(next(_folders))
    with Store.create(folder / "a") as first:
        table = folder / "table.jsonl"
        with table.open("w", encoding="utf-8") as file:
            for number, (source, german) in enumerate(rows):
                row = {"meme_id": f"m{number}", "template": "cloud-monday", "en": str(source)}
                if german is not None:
                    row["de"] = str(german)
                file.write(json.dumps(row) + "\n")
        import_table(first, table)
        exported = folder / f"out.{ending}"
        assert first.exports.write("captions", exported) == len(rows)
        assert import_table(first, exported).changed.total() == 0
        texts = {tag: _texts(first, tag) for tag in ("en", "de")}
    assert texts["en"] == {f"m{n}": source.parts for n, (source, _) in enumerate(rows)}
    assert texts["de"] == {f"m{n}": target.parts for n, (_, target) in enumerate(rows) if target}
    with Store.create(folder / "b") as second:
        import_table(second, exported)
        assert {tag: _texts(second, tag) for tag in ("en", "de")} == texts
        again = folder / f"again.{ending}"
        second.exports.write("captions", again)
        assert again.read_bytes() == exported.read_bytes()


def _texts(store: Store, tag: str) -> dict[str, tuple[str, ...]]:
    return {meme_id: version.parts for meme_id, version in store.captions.current(tag).items()}


def test_no_cell_of_a_csv_is_a_formula(store: Store, tmp_path: Path) -> None:
    table = tmp_path / "table.jsonl"
    texts = ["=1+1 // x", "+49", "-", "@you", "＝1", "plain", " // =late", "a=b"]
    table.write_text(
        "".join(
            json.dumps({"meme_id": f"m{n}", "template": "cloud-monday", "en": text}) + "\n"
            for n, text in enumerate(texts)
        )
    )
    import_table(store, table)
    store.exports.write("captions", tmp_path / "out.csv")
    with (tmp_path / "out.csv").open(encoding="utf-8-sig", newline="") as file:
        cells = [row["en"] for row in csv.DictReader(file)]
    assert not any(cell.startswith(tuple("=+-@\t\r＝＋－＠")) for cell in cells)
    assert cells[:2] == ["'=1+1 // x", "'+49"]
    assert cells[5:] == ["plain", " // =late", "a=b"]
    # The exact formats hold the exact text.
    store.exports.write("captions", tmp_path / "out.parquet")
    assert pq.read_table(tmp_path / "out.parquet")["en"].to_pylist()[:2] == texts[:2]
    store.exports.write("captions", tmp_path / "out.jsonl")
    lines = (tmp_path / "out.jsonl").read_text().splitlines()
    assert json.loads(lines[0])["en"] == texts[0]


def test_an_export_replaces_a_file_whole_or_leaves_it(
    filled: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from memeloc.errors import InputError
    from memeloc.tables import writing

    path = tmp_path / "out.csv"
    path.write_text("before")
    with pytest.raises(InputError, match=r"written as \.csv, \.jsonl or \.parquet, not '\.xls'"):
        filled.exports.write("captions", tmp_path / "out.xls")
    with pytest.raises(InputError, match="cannot be written"):
        filled.exports.write("captions", path / "where.csv")

    def fail(cell: object) -> object:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(writing, "guarded", fail)
        with pytest.raises(InputError, match="No space left"):
            filled.exports.write("captions", path)
    assert path.read_text() == "before"
    assert filled.exports.write("history", path) == 6
    left = [row.name for row in tmp_path.iterdir() if row.name.startswith(".out")]
    assert left == []
