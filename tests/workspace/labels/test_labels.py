"""A model labels memes in rounds; what differs goes to people, what agrees is audited."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from memeloc.errors import InputError
from memeloc.items import FoundPicture, Origin
from memeloc.ocr.transcript import Transcript
from memeloc.workspace import Workspace
from tests.chat_server import ChatServer
from tests.workspace.labels.answering import labels, text_of
from tests.workspace.teams import team_table, workspace_of

MODEL = "tiny"


def _captions(folder: Path) -> None:
    folder.mkdir()
    workspace_of(folder, [], memes=6).close()


@pytest.fixture
def workspace(
    tmp_path: Path, made_once: Callable[..., Path], chat: ChatServer
) -> Iterator[Workspace]:
    """Six captions and their table, and a model behind the server."""
    made_once(_captions, tmp_path)
    with Workspace.open(tmp_path / "work") as made:
        yield made


def test_a_refusal_is_kept_and_the_meme_goes_to_people(
    workspace: Workspace, chat: ChatServer
) -> None:
    chat.say = lambda number, body: (
        {"role": "assistant", "content": None, "refusal": "I will not"}
        if "Monday" in text_of(body)
        else labels("safe")
    )
    assert workspace.labels.run(model=MODEL)["counts"]["no_answer"] == 1
    asked = len(chat.bodies)
    assert workspace.labels.run(model=MODEL)["asked"] == 0
    assert len(chat.bodies) == asked
    refused = [row for row in workspace.labels.answers() if row.status == "refused"]
    assert len(refused) == 3
    assert "I will not" in refused[0].answer


def test_a_changed_caption_is_labelled_anew(
    workspace: Workspace, chat: ChatServer, tmp_path: Path
) -> None:
    chat.say = lambda number, body: labels("safe")
    workspace.labels.run(model=MODEL)
    table = tmp_path / "captions.csv"
    first = table.read_text().splitlines()[1]
    meme, template, caption = first.split(",", 2)
    table.write_text(f"meme_id,template,en\n{meme},{template},{caption.strip(chr(34))} again\n")
    workspace.import_captions(table)
    assert workspace.labels.run(model=MODEL)["asked"] == 3


def picture(colour: str) -> bytes:
    stream = BytesIO()
    Image.new("RGB", (900, 600), colour).save(stream, "PNG")
    return stream.getvalue()


@pytest.fixture
def collected(workspace: Workspace) -> dict[str, str]:
    """Two finished memes; ids by key. In one of them text was read."""
    found = [FoundPicture(Origin("folder", name), picture(name), name) for name in ("blue", "red")]
    workspace.store.items.add(found)
    ids = {item.origin.key: item.id for item in workspace.store.items.find("picture")}
    workspace.store.transcripts.add([Transcript(ids["blue"], ("tea",), "en", "reader 1", 0.9)])
    return ids


def test_what_a_model_reads_becomes_versions_of_the_transcript(
    workspace: Workspace, chat: ChatServer, collected: dict[str, str]
) -> None:
    chat.say = lambda number, body: labels("safe", caption=f"tea\n\nround {body['seed'] + 1}")
    result = workspace.labels.run(model=MODEL)
    assert (result["memes"], result["counts"]["accepted"]) == (2, 2)
    history = workspace.table("history")
    mine = history[history["meme_id"].str.contains(collected["blue"])]
    assert list(mine["translator"]) == ["reader 1", *(f"tiny, round {n}" for n in (1, 2, 3))]
    assert workspace.store.transcripts.all()[collected["red"]].parts == ("tea", "round 3")
    # The labels are of the picture, so they hold whatever was read in it.
    assert workspace.labels.run(model=MODEL)["asked"] == 0


def test_people_see_what_the_model_answered_only_if_wanted(
    workspace: Workspace, chat: ChatServer, tmp_path: Path, collected: dict[str, str]
) -> None:
    chat.say = lambda number, body: labels(
        "safe" if body["seed"] else "offensive/shock", caption=""
    )
    workspace.labels.run(model=MODEL)
    people = team_table(tmp_path, {"a": 2})
    workspace.labels.ask_people("hidden", "US", people=people)
    workspace.labels.ask_people("shown", "US", people=people, show=True)
    tasks = {}
    for name in ("hidden", "shown"):
        survey = workspace.survey(name)
        survey.sheets.export("label-studio", contact="lab", out=tmp_path / name)
        (path,) = (tmp_path / name).glob("*/tasks.json")
        tasks[name] = json.loads(path.read_text())
    predictions = [
        [(each["model_version"], each.get("score")) for each in task["predictions"]]
        for task in tasks["shown"]
        if task["data"]["number"]
    ]
    assert predictions[-1][-2:] == [(MODEL, 0.6667), (MODEL, 0.3333)]
    assert MODEL not in json.dumps(tasks["hidden"])
    with pytest.raises(InputError, match="html cannot; label-studio and csv can"):
        workspace.survey("shown").sheets.export("html", contact="lab", options={"codes": False})
    (table,) = workspace.survey("shown").sheets.export("csv", contact="lab", out=tmp_path / "csv")[
        "files"
    ]
    assert "Safe (67%) | Offensive (33%)" in table.read_text(encoding="utf-8-sig")
