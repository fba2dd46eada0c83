"""Sets on several cores, and JPEGs put together of kept rows."""

from __future__ import annotations

import os
import pickle
import platform
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from memeloc.engine import map_shards
from memeloc.errors import InputError, MissingError
from memeloc.fonts import FontLibrary, system
from memeloc.render import Rendered, Renderer
from memeloc.render.background import Background, Canvas, Canvases, as_image
from memeloc.render.encode import JpegEncoder
from memeloc.render.sets.parallel_set import Summary, render_table
from memeloc.render.sets.shards import Made, Shard
from memeloc.render.settings import Settings
from memeloc.templates import load_templates
from tests.each import each
from tests.render.rendered_set import counts, rows_of, whole_set, write_captions

HEADER = ("meme_id", "template", "en", "de", "zh")


ROWS = [
    (
        "m1",
        "robot-chef",
        "two eggs // one segfault",
        "zwei Eier // ein Absturz",
        "两个鸡蛋 // 死机",
    ),
    ("m2", "summit-snail", "I said // by noon", "sagte ich // bis Mittag", "我说过 // 中午到"),
    ("m3", "robot-chef", " // done", " // Donaudampfschifffahrtsgesellschaft", " // 完成"),
]


def _table(folder: Path, rows: Iterable[Sequence[str]]) -> Path:
    return write_captions(folder, rows, HEADER)


def _render(table: Path, out: Path, **options: Any) -> Summary:
    return render_table(table, out, **{"max_side": 96} | options)


def _pictures(out: Path, suffix: str = "jpg") -> dict[str, bytes]:
    paths = out.glob(f"*/*/*.{suffix}")
    return {path.relative_to(out).as_posix(): path.read_bytes() for path in paths}


def _files(out: Path) -> dict[str, bytes]:
    """All files of a set, but for the lock of whoever writes."""
    paths = (path for path in out.rglob("*") if path.is_file() and path.name != "lock")
    return {path.relative_to(out).as_posix(): path.read_bytes() for path in paths}


def _assert_whole(out: Path, pictures: int) -> None:
    assert len(whole_set(out)) == pictures


def test_a_second_run_changes_nothing(tmp_path: Path) -> None:
    out, table = tmp_path / "out", _table(tmp_path, ROWS)
    _render(table, out)
    before = {path: path.stat().st_mtime_ns for path in out.rglob("*") if path.is_file()}
    summary = _render(table, out)
    assert counts(summary) == (0, 9, 0, 0)
    after = {path: path.stat().st_mtime_ns for path in out.rglob("*") if path.is_file()}
    lock = out / ".memeloc" / "lock"
    assert {path for path in after if after[path] != before.get(path)} <= {lock}
    assert counts(_render(table, out, force=True)) == (9, 0, 0, 0)


def test_only_what_changed_is_rendered(tmp_path: Path) -> None:
    out = tmp_path / "out"
    _render(_table(tmp_path, ROWS), out)
    changed = [ROWS[0], (*ROWS[1][:3], "anders", ROWS[1][4]), ROWS[2]]
    table = _table(tmp_path, changed)
    assert counts(_render(table, out)) == (1, 8, 0, 0)
    (out / "en/robot-chef/m1.jpg").write_bytes(b"cut short")
    (out / "de/robot-chef/m3.jpg").unlink()
    assert counts(_render(table, out)) == (2, 7, 0, 0)
    (out / "en/robot-chef/m1.kept.jpg").unlink()  # it may be somebody's work
    assert counts(_render(table, out, quality=50)) == (9, 0, 0, 0)
    assert counts(_render(table, out, quality=50, max_side=80)) == (9, 0, 0, 0)
    assert counts(_render(table, out, quality=50, max_side=80, languages=["de"])) == (0, 3, 0, 0)
    _assert_whole(out, 9)  # what was not asked for stays
    assert len(_pictures(out)) == 9


def test_sizes_are_relative_to_a_source_that_is_not_rendered(tmp_path: Path) -> None:
    whole, part = tmp_path / "whole", tmp_path / "part"
    table = _table(tmp_path, ROWS)
    _render(table, whole)
    assert counts(_render(table, part, languages=["de", "zh"])) == (6, 0, 0, 0)
    wanted = [row["relative_size"] for row in rows_of(whole) if row["language"] != "en"]
    assert [row["relative_size"] for row in rows_of(part)] == wanted
    assert not (part / "en").exists()
    assert counts(_render(table, part, languages=["de", "zh"])) == (0, 6, 0, 0)
    _assert_whole(part, 6)
    _render(table, part, languages=["de"], source_language="zh")
    by_zh = [row["font_size"][1] for row in rows_of(whole) if row["language"] == "zh"]
    german = [row for row in rows_of(part) if row["language"] == "de"]
    for row, size in zip(german, by_zh, strict=True):
        assert row["relative_size"][1] == pytest.approx(row["font_size"][1] / size)


@pytest.mark.parametrize(
    "to",
    ["webdataset", *(pytest.param(to, marks=pytest.mark.slow) for to in ("files", "parquet"))],
)
def test_however_many_processes_make_the_same_files(tmp_path: Path, to: str) -> None:
    rows = [
        (f"m{i}", *ROWS[i % 3][1:2], *(f"{text} {i}" for text in ROWS[i % 3][2:]))
        for i in range(70)
    ]
    made = []
    for jobs in (1, 3):
        out = tmp_path / str(jobs) / "out"
        out.parent.mkdir()
        for table in (rows, [*rows[10:], ("new", *rows[0][1:])]):
            _render(_table(tmp_path, table), out, jobs=jobs, to=to, prune=True)
        made.append(_files(out))
    assert made[0] == made[1]
    assert len(whole_set(tmp_path / "1" / "out")) == 183


@pytest.mark.slow
@pytest.mark.parametrize("to", ["files", "webdataset"])
def test_a_cluster_makes_the_same_files(tmp_path: Path, to: str) -> None:
    pytest.importorskip("ray")
    table = _table(tmp_path, [(f"m{i}", *ROWS[i % 3][1:]) for i in range(70)])
    (tmp_path / "ray").mkdir()
    options = ["--max-side", "96", "--to", to, "--engine", "ray", "--jobs", "2"]
    command = [sys.executable, "-m", "memeloc", "render", table, "--out", tmp_path / "ray/out"]
    subprocess.run([*command, *options], cwd=tmp_path, check=True)
    _render(table, tmp_path / "here/out", to=to)
    assert _files(tmp_path / "ray/out") == _files(tmp_path / "here/out")


def _die_at_m30(function: Callable[[Shard], Made], shard: Shard) -> Made:
    if any(row.meme_id == "m30" for row, _ in shard.memes):
        os.kill(os.getpid(), signal.SIGKILL)
    return function(shard)


def test_a_dying_process_costs_its_shard_which_is_redone(tmp_path: Path) -> None:
    rows = [(f"m{i}", *ROWS[0][1:]) for i in range(130)]
    out, table = tmp_path / "out", _table(tmp_path, rows)

    def spread(function: Any, shards: Any, **options: Any) -> None:
        map_shards(partial(_die_at_m30, function), shards, **options)

    summary = _render(table, out, jobs=2, parity=True, shard_map=spread)
    lost = summary.failed
    assert 0 < lost < 100
    assert summary.rendered == 390 - lost
    assert "died 2 times" in summary.failures[0]
    _assert_whole(out, 390 - lost)
    assert counts(_render(table, out, parity=True)) == (lost, 390 - lost, 0, 0)
    _assert_whole(out, 390)


def _many(folder: Path, memes: int) -> Path:
    return _table(
        folder,
        [(f"m{i}", "robot-chef", f"number {i}", f"Nummer {i}", f"第 {i}") for i in range(memes)],
    )


def _start(table: Path, out: Path, *options: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", "from memeloc.cli import main; main()", "render", table]
    return subprocess.Popen(
        [*command, "--langs", "all", "--out", out, "--max-side", "128", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        process_group=0,
    )


@pytest.mark.parametrize("jobs", [pytest.param("1", marks=pytest.mark.slow), "2"])
def test_ctrl_c_stops_with_a_sentence_and_the_next_run_finishes(tmp_path: Path, jobs: str) -> None:
    for memes in (400, 1600, 6400):  # on a busy machine a run may be over before we look again
        out, table = tmp_path / f"out-{memes}", _many(tmp_path, memes)
        process = _start(table, out, "--jobs", jobs)
        while process.poll() is None and len(list(out.glob("*/*/*.jpg"))) < 200:
            time.sleep(0.01)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGINT)
        printed, errors = process.communicate(timeout=60)
        if process.returncode:
            break
    assert process.returncode == 130
    assert printed == ""
    assert errors.startswith("Interrupted.")
    assert errors.count("\n") == 1
    summary = _render(table, out, max_side=128)
    assert summary.rendered + summary.unchanged == 3 * memes
    assert summary.unchanged > 0
    _assert_whole(out, 3 * memes)


def test_two_runs_do_not_share_a_folder(tmp_path: Path) -> None:
    out, table = tmp_path / "out", _table(tmp_path, ROWS)
    with_other: list[str] = []

    def spread(function: Any, shards: Any, **options: Any) -> None:
        try:
            _render(table, out)
        except InputError as error:
            with_other.append(str(error))
        map_shards(function, shards, **options)

    assert counts(_render(table, out, shard_map=spread)) == (9, 0, 0, 0)
    assert "Another run" in with_other[0]


def test_a_machine_with_another_font_paints_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, table = tmp_path / "out", _table(tmp_path, ROWS)
    anton = FontLibrary().families["anton"].path

    def spread(function: Any, shards: Any, **options: Any) -> None:
        elsewhere = pickle.loads(pickle.dumps(function))
        monkeypatch.setattr(system, "find", lambda _: (anton, 0))
        elsewhere(next(iter(shards)))

    with pytest.raises(MissingError, match=f"{platform.node()} and .* the same .*colour-emoji"):
        _render(table, out, shard_map=spread)
    assert not list(out.rglob("*.jpg"))


SETTINGS = Settings("jpg", 90)


CAPTIONS = (
    "one // two",
    "three",
    " // only the last",
    "",
    "a rather // long one\nof several lines",
)


def by_pillow(canvas: Canvas, quality: int = 90) -> bytes:
    """The whole picture encoded at once, with a restart marker after each row of blocks."""
    buffer = BytesIO()
    as_image(canvas.pixels).save(buffer, "JPEG", quality=quality, restart_marker_rows=1)
    return buffer.getvalue()


def rendered(renderer: Renderer, name: str) -> list[Rendered]:
    template = load_templates()[0][name]
    boxes = len(template.boxes)
    cut = [" // ".join(caption.split(" // ")[:boxes]) for caption in CAPTIONS]
    return [renderer.render(template, caption, "en") for caption in cut]


@each("name", sorted(load_templates()[0]))
def test_a_file_is_that_of_the_whole_picture_encoded_at_once(name: str) -> None:
    encoder = JpegEncoder(SETTINGS)
    for made in rendered(Renderer(), name):
        assert encoder.encode(made.canvas) == by_pillow(made.canvas)


@given(
    width=st.integers(1, 70),
    height=st.integers(1, 150),
    quality=st.sampled_from([1, 50, 90, 100]),
    painted=st.lists(
        st.lists(st.tuples(st.integers(0, 150), st.integers(0, 150)), max_size=3), max_size=5
    ),
)
def test_whatever_rows_are_touched(
    width: int, height: int, quality: int, painted: list[list[tuple[int, int]]]
) -> None:
    chance = np.random.default_rng(height)
    background = Background(chance.integers(0, 1 << 32, (height, width), np.uint32))
    encoder, canvases = JpegEncoder(Settings("jpg", quality)), Canvases()
    for touched in painted:
        canvas = canvases.canvas_of(background)
        for rows in touched:
            first, after = sorted(min(row, height) for row in rows)
            target = canvas.rows(first, after)
            target[:] = chance.integers(0, 1 << 32, target.shape, np.uint32)
        assert encoder.encode(canvas) == by_pillow(canvas, quality)


def test_restart_markers_change_nothing_that_is_seen() -> None:
    for made in rendered(Renderer(), "robot-chef"):
        content = JpegEncoder(SETTINGS).encode(made.canvas)
        plain = BytesIO()
        made.image.save(plain, "JPEG", quality=90)
        with Image.open(BytesIO(content)) as ours, Image.open(plain) as theirs:
            assert ours.tobytes() == theirs.tobytes()
        assert len(content) < 1.01 * plain.tell()
