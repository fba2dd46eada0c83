"""Collecting and curating from Python: the same results as the commands show."""

from __future__ import annotations

from pathlib import Path

import pytest

from memeloc.curate.duplicates.dedup import StageLine
from memeloc.errors import InputError
from memeloc.workspace import Workspace
from tests.curate.drawn import as_jpeg, as_png, draw_picture


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    monkeypatch.delenv("MEMELOC_DATABASE_URL", raising=False)
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    for name, content in (
        ("a.png", as_png(draw_picture(1))),
        ("b.png", as_png(draw_picture(1))),
        ("c.jpg", as_jpeg(draw_picture(2))),
    ):
        (pictures / name).write_bytes(content)
    return Workspace.create(tmp_path / "set")


def test_pictures_are_collected_deduplicated_and_judged(
    workspace: Workspace, tmp_path: Path
) -> None:
    phases: list[tuple[str, int, int | None]] = []
    with workspace:
        options = {"path": tmp_path / "pictures"}
        plan = workspace.collecting.plan("folder", options)
        assert (plan.source, plan.there) == ("folder", {})
        collected = workspace.collecting.collect("folder", options)
        assert (collected.new, collected.refusals) == (3, [])
        result = workspace.curating.deduplicate(
            {"keep": "first"}, on_progress=lambda *phase: phases.append(phase)
        )
        assert isinstance(result.stages[0], StageLine)
        assert [row["reason"] for row in result.duplicates] == ["same file"]
        assert sum(more for phase, more, _ in phases if phase == "hashing") == 2
        (plan_of_quality,) = workspace.curating.plan_filters(["quality"])
        assert plan_of_quality.to_judge == 3
        (run,) = workspace.curating.filter(
            ["quality"], {"quality": {"smallest_side": 9000}}
        ).filters
        assert (run.judged, run.drop) == (3, 3)
        item = workspace.curating.explain(result.duplicates[0]["item"])
        assert {verdict.filter for verdict in item.verdicts} == {"dedup", "quality"}
        with pytest.raises(InputError, match="no setting 'colour'"):
            workspace.curating.deduplicate({"colour": "red"})
