"""Checking before publishing: by what only the workspace knows, on a workspace with a survey."""

import os
from pathlib import Path

import pandas as pd
import pytest
from PIL import Image

os.environ.setdefault("HF_HUB_OFFLINE", "1")

from memeloc.curate.duplicates.hashing import near_pictures
from memeloc.errors import InputError
from memeloc.publish.release import ReleaseSettings
from memeloc.workspace import Workspace
from memeloc.workspace.publishing import private_of
from tests.workspace.teams import workspace_of

PEOPLE = [f"kitty-{number:04}" for number in range(3)]
ABOUT = ReleaseSettings(name="tea", title="Tea", licence="CC-BY-4.0", authors=("Lee, Ann",))


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """Six memes in English and German, and a survey that three people answered."""
    folder = tmp_path_factory.mktemp("workspace")
    workspace = workspace_of(folder, ["de"], memes=6)
    design = {"size": 6, "answers": 3, "explicit": 0, "implicit": 0}
    workspace.surveys.build("pilot", "US", **design, captions="any")
    survey = workspace.survey("pilot")
    workspace.render(folder / "out")
    sheets = survey.sheets.export(
        "csv", pictures=folder / "out", contact="lab@university.example", out=folder / "sheets"
    )["files"]
    for sheet in sheets:
        table = pd.read_csv(sheet, dtype=str, keep_default_na=False)
        chosen = table["choose from"].str.split(" | ", regex=False).str[0]
        for person in PEOPLE:
            filled = table.assign(participant=person, answer=chosen)
            filled.to_csv(folder / f"{sheet.stem}-{person}.csv", index=False)
    survey.answers.import_files(sorted(folder.glob("*-kitty-*.csv")))
    workspace.settings = workspace.settings.model_copy(update={"release": ABOUT})
    return workspace


def _pictures(workspace: Workspace) -> Path:
    assert workspace.root is not None
    return workspace.root.parent / "out"


def test_a_workspace_with_a_survey_passes_and_is_published(
    workspace: Workspace, tmp_path: Path
) -> None:
    result = workspace.publishing.publish(
        tmp_path / "out", rendered=_pictures(workspace), check=True
    )
    assert result["tables"]["answers"] == 18
    assert {finding.rule for finding in result["findings"]} <= {"not read", "statements"}
    card = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    assert "| US | 3 | 18 | 6 | 3 |" in card


def test_what_a_workspace_publishes_is_read_by_other_programs(
    workspace: Workspace, tmp_path: Path
) -> None:
    import mlcroissant
    import webdataset
    from datasets import load_dataset

    pictures = _pictures(workspace)
    for layout in ("hf", "webdataset"):
        workspace.publishing.publish(tmp_path / layout, layout, rendered=pictures)
        loaded = load_dataset(str(tmp_path / layout), "de", cache_dir=str(tmp_path / "cache"))
        assert sum(len(rows) for rows in loaded.values()) == 6
        dataset = mlcroissant.Dataset(jsonld=str(tmp_path / layout / "croissant.json"))
        for name, count in {"answers": 18, "labels": 6, "captions": 12}.items():
            assert sum(1 for _ in dataset.records(name)) == count
    answers = load_dataset(str(tmp_path / "hf"), "answers", cache_dir=str(tmp_path / "cache"))
    assert answers["train"].to_pandas()["annotator"].nunique() == 3
    shards = sorted(map(str, (tmp_path / "webdataset").glob("data/en/*.tar")))
    samples = list(webdataset.WebDataset(shards, shardshuffle=False).decode("pil"))
    assert {sample["json"]["language"] for sample in samples} == {"en"}
    assert all(sample["jpg"].size[0] == sample["json"]["width"] for sample in samples)


def test_ids_of_participants_are_refused_and_nothing_is_written(
    workspace: Workspace, tmp_path: Path
) -> None:
    assert workspace.root is not None
    (workspace.root / "thanks.md").write_text(f"Thanks, {PEOPLE[1]}!\n", encoding="utf-8")
    with_file = ABOUT.model_copy(update={"files": ("thanks.md",)})
    workspace.settings = workspace.settings.model_copy(update={"release": with_file})
    try:
        with pytest.raises(InputError, match=r"files/thanks\.md, row 1: this names a person"):
            workspace.publishing.publish(
                tmp_path / "out", rendered=_pictures(workspace), check=True
            )
    finally:
        workspace.settings = workspace.settings.model_copy(update={"release": ABOUT})
    assert not (tmp_path / "out").exists()


def test_hashes_as_the_workspace_stores_them_are_refused(workspace: Workspace) -> None:
    private = private_of(workspace)
    stored = workspace.store.surveys.hash_participant(PEOPLE[0])
    assert private.is_participant(stored)
    assert private.is_participant(PEOPLE[0])
    assert not private.is_participant("kitty-9999")


def test_erased_people_are_recognised(tmp_path: Path) -> None:
    workspace = Workspace.create(tmp_path / "work", languages=["de"])
    assert not private_of(workspace).is_erased("kitty-0001")
    workspace.store.erasures.erase(["kitty-0001"])
    is_erased = private_of(workspace).is_erased
    assert is_erased("kitty-0001")
    assert is_erased(workspace.store.surveys.hash_participant("kitty-0001"))
    assert not is_erased("kitty-0002")


def test_near_pictures_are_found_and_different_ones_are_not(
    workspace: Workspace, tmp_path: Path
) -> None:
    first, other = (
        min((_pictures(workspace) / "en").rglob(f"{name}-01.*"))
        for name in ("cloud-monday", "night-owl")
    )
    with Image.open(first) as picture:
        smaller = picture.resize((picture.width * 4 // 5, picture.height * 4 // 5))
    smaller.save(tmp_path / "smaller.jpg", quality=70)
    (tmp_path / "broken.png").write_bytes(b"tea")
    pictures = [tmp_path / "broken.png", first, tmp_path / "smaller.jpg", other, first]
    assert {tuple(sorted(pair)) for pair in near_pictures(pictures)} == {(1, 2), (1, 4), (2, 4)}
    assert set(near_pictures([])) == set()
