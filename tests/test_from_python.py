"""What notebooks and scripts meet: entities that show themselves, frames as tables, one tag."""

from __future__ import annotations

import dataclasses
import importlib
import pkgutil
import re
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from PIL import Image

import memeloc
from memeloc import Renderer, Workspace, load_templates, render_table
from memeloc.captions import read_captions
from memeloc.render import Rendered

ROWS = {
    "meme_id": ["m1", "m2"],
    "template": ["robot-chef", "robot-chef"],
    "de": ["Tee // ist fertig", "Suppe // schon wieder"],
    "en": ["tea // is ready", None],
}


@pytest.fixture(scope="module")
def rendered() -> Rendered:
    return Renderer(max_side=120).render(load_templates()[0]["robot-chef"], "tea // now", "en")


def _dataclasses() -> Iterator[type]:
    for module in pkgutil.walk_packages(memeloc.__path__, "memeloc."):
        if module.name.endswith("__main__"):
            continue
        try:
            names = vars(importlib.import_module(module.name)).copy()
        except ImportError:
            continue  # of an extra that is not installed
        for value in names.values():
            if isinstance(value, type) and value.__module__ == module.name:
                yield value


_LARGE = re.compile(r"^(bytes|.*\b(NDArray|ndarray|Pixels|Plane|Vectors|Image\.Image)\b)")


def test_no_repr_shows_bytes_or_pixels() -> None:
    shown = [
        f"{kind.__module__}.{kind.__name__}.{field.name}: {field.type}"
        for kind in _dataclasses()
        if dataclasses.is_dataclass(kind) and not kind.__name__.startswith("_")
        for field in dataclasses.fields(kind)
        if field.repr and _LARGE.search(str(field.type)) and "Callable" not in str(field.type)
    ]
    assert not shown


def test_what_is_public_prints_shortly(rendered: Rendered) -> None:
    template = load_templates()[0]["robot-chef"]
    renderer = Renderer()
    for entity in (rendered, rendered.proof, template, renderer, renderer.fonts, rendered.canvas):
        assert len(repr(entity)) < 2500, type(entity)
        assert not re.search(r"\bb'", repr(entity))
        assert "array(" not in repr(entity)


def test_a_notebook_shows_a_picture(rendered: Rendered) -> None:
    with Image.open(BytesIO(rendered._repr_png_())) as shown:
        assert shown.format == "PNG"
        assert np.array_equal(np.asarray(shown), np.asarray(rendered.image))


def _frames() -> Iterator[object]:
    yield pd.DataFrame(ROWS)
    yield pd.DataFrame(ROWS).set_index("meme_id")
    yield pa.table(ROWS)


@pytest.mark.parametrize("frame", [*_frames()], ids=["pandas", "index", "arrow"])
def test_a_data_frame_is_a_table(frame: object, tmp_path: Path) -> None:
    summary = render_table(frame, str(tmp_path / "out"), languages="all", max_side=60)
    assert (summary.rendered, summary.skipped) == (3, 1)
    problem = summary.input_problems[0]
    assert (problem.file, problem.row, problem.column) == ("the data frame", 2, "en")


def test_polars_is_a_table(tmp_path: Path) -> None:
    polars = pytest.importorskip("polars")
    summary = render_table(polars.DataFrame(ROWS), tmp_path, languages="de", max_side=60)
    assert summary.rendered == 2


def test_numbers_of_a_frame_are_ids(tmp_path: Path) -> None:
    frame = pd.DataFrame(ROWS | {"meme_id": [7.0, float("nan")]})
    summary = render_table(frame, tmp_path / "out", languages=["de"], max_side=60)
    assert summary.rendered == 1
    assert (tmp_path / "out/de/robot-chef/7.jpg").exists()


def test_a_text_of_languages_is_a_tag(tmp_path: Path) -> None:
    path = tmp_path / "captions.csv"
    pd.DataFrame(ROWS).to_csv(path, index=False)
    summary = render_table(str(path), str(tmp_path / "out"), languages="de", max_side=60)
    assert summary.languages == ("de",)
    table = read_captions(str(path), load_templates()[0], "en, de")
    assert [column.name for column in table.languages] == ["de", "en"]
    workspace = Workspace.create(tmp_path / "ws", languages="de")
    assert [locale.tag for locale in workspace.languages] == ["de"]
    assert [locale.tag for locale in workspace.locales_of("hi,de")] == ["hi", "de"]


@pytest.mark.parametrize("frame", [*_frames()], ids=["pandas", "index", "arrow"])
def test_a_data_frame_is_imported_and_what_it_did_comes_back(frame: Any, tmp_path: Path) -> None:
    with Workspace.create(tmp_path / "ws", languages=["de"]) as workspace:
        with pytest.warns(UserWarning, match="the data frame, row 2, column en"):
            record = workspace.import_captions(frame)
        assert (record.memes, record.added["de"], record.problems.total()) == (1, 1, 1)
        with pytest.warns(UserWarning, match="row 2"):
            again = workspace.import_captions(frame)
        assert (again.memes, again.unchanged) == (0, 2)
