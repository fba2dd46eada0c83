"""Sheets in Label Studio: its tasks hide checks, and their pictures are served beside them."""

from __future__ import annotations

import json
from pathlib import Path

from memeloc.survey.targets.label_studio import LabelStudio
from memeloc.survey.targets.protocol import SheetsToSend


def test_tasks_hide_checks_and_their_pictures_are_served(
    survey: SheetsToSend, tmp_path: Path
) -> None:
    (path,) = LabelStudio().export(survey, tmp_path)
    listed = json.loads(path.with_name("tasks.json").read_text("utf-8"))
    tasks = [task["data"] for task in listed]
    assert [task["number"] for task in tasks] == [1, 2, 3, 4]
    assert not any("check" in value for task in tasks for value in (task["item"], task["sheet"]))
    for entry, task in zip(survey.sheets[0].entries, tasks, strict=True):
        if entry.picture is not None:
            name = f"{task['item']}.jpg"
            place = f"/data/local-files/?d=pilot/{survey.sheets[0].id}/pictures/{name}"
            assert f'src="{place}"' in task["shown"]
            assert (path.parent / "pictures" / name).read_bytes() == entry.picture.read_bytes()
