"""Several runs into one folder: what the set, its page and its manifest hold each time."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from memeloc.errors import InputError
from memeloc.render.sets.parallel_set import Summary, render_table
from tests.render.rendered_set import rows_of, whole_set, write_captions

FIRST = [
    ("meme_id", "template", "en", "de"),
    ("m1", "robot-chef", "two eggs // one error", "zwei Eier // ein Fehler"),
    ("m2", "summit-snail", "I said // by noon", "sagte ich // bis Mittag"),
    ("m3", "robot-chef", "tea // is ready", "Tee // ist fertig"),
]
SECOND = [
    ("meme_id", "template", "en", "hi", "de"),
    ("m2", "summit-snail", "I said // by ten", "मैंने कहा // दस बजे", "sagte ich // bis Mittag"),
    ("m4", "robot-chef", "soup // again", "सूप // फिर से", ""),
]


def _render(
    folder: Path, rows: Sequence[Sequence[str]], languages: Sequence[str], **options: Any
) -> Summary:
    table = write_captions(folder, rows[1:], rows[0])
    return render_table(table, folder / "out", languages=languages, max_side=96, **options)


def _manifest(folder: Path) -> list[dict[str, Any]]:
    rows = rows_of(folder / "out")
    for row in rows:
        content = (folder / "out" / row["path"]).read_bytes()
        assert hashlib.sha256(content).hexdigest() == row["sha256"]
    return rows


def _tables(folder: Path) -> list[Path]:
    return sorted((folder / "out/manifest").iterdir())


def _keys(folder: Path, *, in_table: bool = True) -> list[tuple[str, str]]:
    rows = _manifest(folder)
    return [(row["meme_id"], row["language"]) for row in rows if row["in_table"] == in_table]


def _files(folder: Path) -> set[str]:
    """Files in the folders of languages and templates."""
    paths = (path.relative_to(folder / "out") for path in folder.glob("out/*/*/*"))
    return {path.as_posix() for path in paths if path.parts[0] != ".memeloc"}


def test_a_meme_that_comes_back_is_in_the_table_again(tmp_path: Path) -> None:
    _render(tmp_path, FIRST, ["en"])
    _render(tmp_path, FIRST[:-1], ["en"])
    assert _keys(tmp_path, in_table=False) == [("m3", "en")]
    again = _render(tmp_path, FIRST, ["en"])
    assert (again.rendered, again.unchanged, again.not_in_table) == (0, 3, 0)
    assert _keys(tmp_path, in_table=False) == []


def test_memes_stand_as_in_the_table_and_those_of_earlier_runs_last(tmp_path: Path) -> None:
    index = tmp_path / "out/index.html"
    rows = {meme: (meme, "robot-chef", "tea", "Tee") for meme in ("m1", "m2", "m3", "m0")}

    def memes(*in_table: str) -> list[str]:
        """The memes of the page, in its order."""
        _render(tmp_path, [FIRST[0], *(rows[meme] for meme in in_table)], ["en", "de"])
        pattern = r'<script type="application/json" id="first">(.*?)</script>'
        (first,) = re.findall(pattern, index.read_text("utf-8"))
        return [meme for meme, *_ in json.loads(first)]

    assert memes("m1", "m2", "m3") == ["m1", "m2", "m3"]
    assert memes("m3", "m0", "m1") == ["m3", "m0", "m1", "m2"]
    before = index.stat().st_mtime_ns
    assert memes("m3", "m0", "m1") == ["m3", "m0", "m1", "m2"]
    assert index.stat().st_mtime_ns == before
    assert memes("m0", "m1", "m3") == ["m0", "m1", "m3", "m2"]


def test_prune_leaves_what_somebody_changed(tmp_path: Path) -> None:
    _render(tmp_path, FIRST, ["en"])
    mine = tmp_path / "out/en/robot-chef/m3.jpg"
    content = mine.read_bytes()
    mine.write_bytes(content[:-1] + b"x")
    summary = _render(tmp_path, FIRST[:-1], ["en"], prune=True)
    assert summary.pruned == 0
    assert "changed" in str(summary.notes[0])
    assert mine.read_bytes() == content[:-1] + b"x"
    assert _keys(tmp_path) == [("m1", "en"), ("m2", "en")]


@pytest.mark.parametrize("corrected", [False, True])
def test_what_somebody_made_of_a_picture_is_kept_beside_the_new_one(
    tmp_path: Path, corrected: bool
) -> None:
    _render(tmp_path, FIRST, ["en"])
    picture = tmp_path / "out/en/robot-chef/m3.jpg"
    for number, name in enumerate(["m3.kept.jpg", "m3.kept1.jpg"]):
        picture.write_bytes(b"retouched %d" % number)
        text = f"corrected {number}" if corrected else FIRST[-1][2]
        rows = [*FIRST[:-1], (*FIRST[-1][:2], text, *FIRST[-1][3:])]
        summary = _render(tmp_path, rows, ["en"])
        assert (summary.rendered, summary.unchanged) == (1, 2)
        assert str(picture) in str(summary.notes[0])
        assert name in str(summary.notes[0])
        assert picture.with_name(name).read_bytes() == b"retouched %d" % number
        assert len(_keys(tmp_path)) == 3
    assert _render(tmp_path, rows, ["en"]).notes == []


@pytest.mark.parametrize(
    "name", ["index.html", "manifest.parquet", "manifest/a", "skipped.csv", "en/a.txt"]
)
def test_a_folder_of_somebodys_own_is_not_touched(tmp_path: Path, name: str) -> None:
    own = tmp_path / "out" / name
    own.parent.mkdir(parents=True)
    own.write_bytes(b"my own")
    with pytest.raises(InputError, match=f"{name.split('/')[0]} in this folder"):
        _render(tmp_path, FIRST, ["en"])
    assert [path for path in (tmp_path / "out").rglob("*") if path.is_file()] == [own]
    assert own.read_bytes() == b"my own"


@pytest.mark.parametrize("name", ["index.html", "manifest.parquet", "skipped.csv"])
def test_a_file_of_ones_own_in_a_set_stops_the_run(tmp_path: Path, name: str) -> None:
    _render(tmp_path, FIRST, ["en"])
    own = tmp_path / "out" / name
    own.write_text("<title>my own</title>")
    pictures = _files(tmp_path)
    with pytest.raises(InputError, match=f"{name} in this folder was not made by memeloc"):
        _render(tmp_path, FIRST, ["de"])
    assert own.read_text() == "<title>my own</title>"
    assert _files(tmp_path) == pictures


def test_a_run_cut_off_over_another_table_is_carried_on(tmp_path: Path) -> None:
    _render(tmp_path, FIRST, ["en"])

    def die(function: Any, shards: Any, **_: Any) -> None:
        for shard in shards:
            function(shard)  # the pictures and their table are there, and the run has not noticed
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        _render(tmp_path, SECOND, ["en", "hi"], shard_map=die)
    summary = _render(tmp_path, FIRST, ["en"])
    assert (summary.rendered, summary.unchanged, summary.not_in_table) == (1, 2, 3)
    assert _keys(tmp_path) == [("m1", "en"), ("m2", "en"), ("m3", "en")]
    assert _keys(tmp_path, in_table=False) == [("m2", "hi"), ("m4", "en"), ("m4", "hi")]


def _make_former(folder: Path) -> None:
    """Make of a set one that an earlier version left."""
    out = folder / "out"
    rows = pa.concat_tables(map(pq.read_table, _tables(folder)))
    at = rows.schema.get_field_index("inputs_sha256")
    rows = rows.set_column(at, rows.schema.field(at), pa.array(["ab" * 32] * len(rows)))
    later = ["in_table", "alt", "words", "word_boxes", "font_files", "findings"]
    pq.write_table(rows.drop_columns(later), out / "manifest.parquet")
    for path in _tables(folder):
        path.unlink()
    (out / "manifest").rmdir()
    (out / ".memeloc/parts").mkdir(exist_ok=True)
    for name in ("parts/000001-00000000.parquet", "sources.parquet"):
        (out / ".memeloc" / name).touch()


@pytest.mark.parametrize("to", ["files", "webdataset"])
def test_a_set_made_before_is_taken_over_without_painting(tmp_path: Path, to: str) -> None:
    _render(tmp_path, FIRST, ["en", "de"], to=to)
    _make_former(tmp_path)
    before = rows_of(tmp_path / "out")
    summary = _render(tmp_path, FIRST, ["en"], to=to)
    assert (summary.rendered, summary.unchanged, summary.other_languages) == (0, 3, 3)
    assert "3 pictures of it" in str(summary.notes[-1])
    assert "--force" in str(summary.notes[-1])
    assert not (tmp_path / "out/manifest.parquet").exists()
    names = {path.name for path in (tmp_path / "out/.memeloc").iterdir() if path.is_file()}
    assert names == {"lock"}
    kept = ("meme_id", "path", "sha256", "lines", "contrast")
    assert [[row[name] for name in kept] for row in rows_of(tmp_path / "out")] == [
        [row[name] for name in kept] for row in before
    ]
    again = _render(tmp_path, FIRST, ["en", "de"], to=to)
    assert (again.rendered, again.unchanged) == (0, 6), "German was not looked at before"
    last = _render(tmp_path, FIRST, ["en", "de"], to=to)
    assert (last.rendered, last.unchanged, last.notes) == (0, 6, summary.notes[:-1])
    whole_set(tmp_path / "out")


@pytest.mark.parametrize(
    ("ids", "row"),
    [
        (["m1", "CON"], 3),
        (["m1", "aux"], 3),
        (["nul.2"], 2),
        (["m1", "M1"], 3),
        (["m1", "dot."], 3),
        (["m1", "é"], 3),
        (["m1", "x" * 101], 3),
    ],
)
def test_ids_that_are_no_files_everywhere_stop_the_run(
    tmp_path: Path, ids: list[str], row: int
) -> None:
    rows = [FIRST[0], *((meme, "robot-chef", "a", "b") for meme in ids)]
    with pytest.raises(InputError) as caught:
        _render(tmp_path, rows, ["en"])
    assert (caught.value.row, caught.value.column) == (row, "meme_id")
    assert caught.value.file == str(tmp_path / "captions.csv")
    assert not (tmp_path / "out").exists()
