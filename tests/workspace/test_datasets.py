"""Datasets of a workspace: each with its own file names, known again, moved, taken over."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image

from memeloc.errors import InputError
from memeloc.workspace import Workspace
from memeloc.workspace.collecting import CollectResult

Collect = Callable[..., CollectResult]


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    monkeypatch.delenv("MEMELOC_DATABASE_URL", raising=False)
    with Workspace.create(tmp_path / "work") as made:
        yield made


@pytest.fixture
def collect(workspace: Workspace) -> Collect:
    def run(source: str, path: Path, dataset: str = "") -> CollectResult:
        return workspace.collecting.collect(source, {"path": path}, dataset=dataset)

    return run


def picture(colour: str) -> bytes:
    encoded = io.BytesIO()
    Image.new("RGB", (32, 24), colour).save(encoded, "PNG")
    return encoded.getvalue()


def put(path: Path, content: bytes | str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def a_folder(folder: Path, *colours: str) -> Path:
    for number, colour in enumerate(colours, 1):
        put(folder / f"{number:03}.png", picture(colour))
    return folder


def a_table(folder: Path, *colours: str) -> Path:
    rows: list[dict[str, Any]] = []
    for number, colour in enumerate(colours, 1):
        put(folder / "img" / f"{number:05}.png", picture(colour))
        rows.append({"id": number, "img": f"img/{number:05}.png", "label": 0, "text": colour})
    put(folder / "train.jsonl", "\n".join(map(json.dumps, rows)))
    return folder


def a_csv(folder: Path, *colours: str) -> Path:
    rows = ["file,text"]
    for number, colour in enumerate(colours, 1):
        put(folder / f"{number:03}.png", picture(colour))
        rows.append(f"{number:03}.png,{colour}")
    put(folder / "memes.csv", "\n".join(rows))
    return folder


def a_hub_folder(folder: Path, *colours: str) -> Path:
    folder.mkdir(parents=True)
    images = [{"bytes": picture(colour), "path": "a.png"} for colour in colours]
    table = pa.table({"image": images, "text": list(colours)})
    pq.write_table(table, folder / "train.parquet")
    return folder


@pytest.mark.parametrize(
    ("source", "make"),
    [
        ("folder", a_folder),
        ("table", a_csv),
        ("hateful-memes", a_table),
        ("huggingface", a_hub_folder),
    ],
)
def test_two_datasets_have_their_own_file_names(
    source: str, make: Callable[..., Path], tmp_path: Path, workspace: Workspace, collect: Collect
) -> None:
    first = make(tmp_path / "cats", "red", "green")
    second = make(tmp_path / "tea", "blue", "green")
    assert (collect(source, first).new, collect(source, second).new) == (2, 2)
    again = [collect(source, first), collect(source, second)]
    assert [(result.new, result.changed, result.unchanged) for result in again] == [(0, 0, 2)] * 2
    items = list(workspace.store.items.find())
    assert [item.origin.dataset for item in items] == ["cats", "cats", "tea", "tea"]
    assert [item.origin.key for item in items[:2]] == [item.origin.key for item in items[2:]]
    assert len({item.id for item in items}) == 4
    assert len(list(workspace.store.items.find(dataset="tea"))) == 2


def test_two_tables_of_a_folder_have_their_own_ids(
    tmp_path: Path, workspace: Workspace, collect: Collect
) -> None:
    folder = a_table(tmp_path / "memes", "red", "blue")
    for name, file in (("a", "00001.png"), ("b", "00002.png")):
        put(folder / f"{name}.csv", f"id,image\n1,img/{file}\n")
        assert collect("table", folder / f"{name}.csv").new == 1
        assert collect("table", folder / f"{name}.csv").unchanged == 1
    items = list(workspace.store.items.find())
    assert [item.origin.dataset for item in items] == ["memes/a.csv", "memes/b.csv"]
    assert [item.origin.key for item in items] == ["1", "1"]


def test_equal_names_of_folders_need_a_name(
    tmp_path: Path, workspace: Workspace, collect: Collect
) -> None:
    first, second = a_folder(tmp_path / "1/memes", "red"), a_folder(tmp_path / "2/memes", "blue")
    collect("folder", first)
    with pytest.raises(InputError, match=r"1/memes, .*2/memes\. .*--dataset memes") as no:
        collect("folder", second)
    assert "another name" in str(no.value)
    assert collect("folder", second, "more memes").new == 1
    result = collect("folder", second)
    assert (result.dataset, result.unchanged) == ("more memes", 1)


def test_a_dataset_that_moved_is_the_same_by_its_name(
    tmp_path: Path, workspace: Workspace, collect: Collect
) -> None:
    collect("folder", a_folder(tmp_path / "old/memes", "red", "blue"))
    moved = (tmp_path / "old").rename(tmp_path / "new") / "memes"
    assert collect("folder", moved, "memes").unchanged == 2
    assert collect("folder", moved).unchanged == 2
    assert [*workspace.store.datasets.roots("folder").values()] == [moved.as_posix()]


def test_a_root_in_the_workspace_moves_with_it(
    tmp_path: Path, workspace: Workspace, collect: Collect
) -> None:
    assert workspace.root is not None
    collect("folder", a_folder(workspace.root / "pictures", "red"))
    assert [*workspace.store.datasets.roots("folder").values()] == ["pictures"]


def test_a_dataset_without_anything_in_it_takes_no_name(
    tmp_path: Path, workspace: Workspace, collect: Collect
) -> None:
    (tmp_path / "1/memes").mkdir(parents=True)
    with pytest.raises(InputError, match="no pictures"):
        collect("folder", tmp_path / "1/memes")
    assert collect("folder", a_folder(tmp_path / "2/memes", "red")).new == 1


def test_a_template_is_looked_up_within_its_dataset(tmp_path: Path, workspace: Workspace) -> None:
    for name in ("one", "two"):
        folder = tmp_path / name / "data"
        put(folder / "captions/en.csv", f"Meme ID,Template Name,Translation\n1,Cat,hello {name}\n")
        put(folder / "memes/en/1.png", picture("red"))
        workspace.collecting.collect("multi3hate", {"path": folder.parent})
    items = {item.id: item for item in workspace.store.items.find()}
    pictures = [item for item in items.values() if item.kind == "picture"]
    assert [items[item.parent].origin.dataset for item in pictures] == ["one", "two"]
