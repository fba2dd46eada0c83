"""A model labels memes in rounds; what differs goes to people, what agrees is audited."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from memeloc.errors import InputError
from memeloc.items import FoundPicture, Origin
from memeloc.ocr.transcript import Transcript
from memeloc.workspace import Workspace
from memeloc.workspace.labels import LabelSettings
from tests.chat_server import ChatServer, error, serve_chat
from tests.workspace.labels.answering import labels, text_of
from tests.workspace.teams import fill, team_table, workspace_of

MODEL = "tiny"


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with serve_chat() as state:
        yield state


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a workspace of six captions, and their table."""
    folder = tmp_path_factory.mktemp("imported")
    workspace_of(folder, [], memes=6).close()
    return folder


@pytest.fixture
def workspace(
    tmp_path: Path, imported: Path, server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Workspace]:
    """Six captions, and a model behind the server."""
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    shutil.copytree(imported, tmp_path, dirs_exist_ok=True)
    with Workspace.open(tmp_path / "work") as made:
        yield made


def differ_on(word: str) -> Callable[[int, dict[str, Any]], str]:
    """A model that calls memes with a word rude in one round of three, and all others safe."""

    def say(number: int, body: dict[str, Any]) -> str:
        rude = word in text_of(body) and body["seed"] == 1
        return labels("offensive/vulgarity" if rude else "safe")

    return say


def test_rounds_share_a_temperature_and_differ_in_seed(
    workspace: Workspace, server: ChatServer
) -> None:
    server.say = lambda number, body: labels("safe")
    result = workspace.labels.run(model=MODEL)
    assert (result.asked, result.counts.accepted, result.stopped) == (18, 6, "")
    assert {body["temperature"] for body in server.bodies} == {1.0}
    assert sorted({body["seed"] for body in server.bodies}) == [0, 1, 2]


def test_what_was_answered_is_not_asked_again(workspace: Workspace, server: ChatServer) -> None:
    server.say = lambda number, body: labels("safe")
    workspace.labels.run(LabelSettings(rounds=2), model=MODEL)
    again = workspace.labels.run(LabelSettings(rounds=3), model=MODEL)
    assert (again.asked, again.there, len(server.bodies)) == (6, 12, 18)
    assert workspace.labels.run(model=MODEL).asked == 0
    assert len(server.bodies) == 18


def test_equal_rounds_are_accepted_and_others_are_not(
    workspace: Workspace, server: ChatServer
) -> None:
    server.say = differ_on("Monday")
    counts = workspace.labels.run(model=MODEL).counts
    assert counts.differing == 1
    assert counts.accepted == 5
    assert counts.severe == 5
    (status,) = workspace.labels.status().labellings
    assert [row.answered for row in status.rounds] == [6, 6, 6]
    assert {row.label: (row.accepted, row.differing) for row in status.labels} == {
        "offensive": (0, 1),
        "safe": (5, 1),
    }
    assert status.kappa is not None
    assert status.kappa < 1


def test_a_refusal_is_kept_and_the_meme_goes_to_people(
    workspace: Workspace, server: ChatServer
) -> None:
    server.say = lambda number, body: (
        {"role": "assistant", "content": None, "refusal": "I will not"}
        if "Monday" in text_of(body)
        else labels("safe")
    )
    assert workspace.labels.run(model=MODEL).counts.no_answer == 1
    asked = len(server.bodies)
    assert workspace.labels.run(model=MODEL).asked == 0
    assert len(server.bodies) == asked
    refused = [row for row in workspace.labels.answers() if row.status == "refused"]
    assert len(refused) == 3
    assert "I will not" in refused[0].answer


def test_a_server_that_goes_leaves_the_rest_for_later(
    workspace: Workspace, server: ChatServer
) -> None:
    server.say = lambda number, body: labels("safe")
    server.refuse = lambda number, body: error(401, "no such key") if number > 5 else None
    result = workspace.labels.run(model=MODEL)
    assert "no such key" in result.stopped
    assert 0 < result.asked < 18
    server.refuse = lambda number, body: None
    rest = workspace.labels.run(model=MODEL)
    assert rest.asked + result.asked == 18
    assert rest.counts.accepted == 6


def test_a_plan_counts_what_is_not_answered(workspace: Workspace, server: ChatServer) -> None:
    plan = workspace.labels.plan(model=MODEL)
    assert (plan.memes, plan.model.questions, plan.there) == (6, 18, 0)
    assert not server.bodies
    server.say = lambda number, body: labels("safe")
    workspace.labels.run(LabelSettings(rounds=1), model=MODEL)
    assert workspace.labels.plan(model=MODEL).model.questions == 12


def test_a_budget_holds_over_all_rounds(workspace: Workspace, server: ChatServer) -> None:
    server.say = lambda number, body: labels("safe")
    prices = {"price_in": 10.0, "price_out": 10.0, "max_tokens": 100, "at_once": 1, "asks": 1}
    workspace.settings.language_model.update(prices)
    plan = workspace.labels.plan(model=MODEL).model
    result = workspace.labels.run(model=MODEL, budget=plan.most / 18 + 10 * 0.0025)
    assert "budget" in result.stopped
    assert 0 < result.asked < 18


def test_a_changed_caption_is_labelled_anew(
    workspace: Workspace, server: ChatServer, tmp_path: Path
) -> None:
    server.say = lambda number, body: labels("safe")
    workspace.labels.run(model=MODEL)
    table = tmp_path / "captions.csv"
    first = table.read_text().splitlines()[1]
    meme, template, caption = first.split(",", 2)
    table.write_text(f"meme_id,template,en\n{meme},{template},{caption.strip(chr(34))} again\n")
    workspace.import_captions(table)
    assert workspace.labels.run(model=MODEL).asked == 3


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
    workspace: Workspace, server: ChatServer, collected: dict[str, str]
) -> None:
    server.say = lambda number, body: labels("safe", caption=f"tea\n\nround {body['seed'] + 1}")
    result = workspace.labels.run(model=MODEL)
    assert (result.memes, result.counts.accepted) == (2, 2)
    history = workspace.table("history")
    mine = history[history["meme_id"].str.contains(collected["blue"])]
    assert list(mine["translator"]) == ["reader 1", *(f"tiny, round {n}" for n in (1, 2, 3))]
    assert workspace.store.transcripts.all()[collected["red"]].parts == ("tea", "round 3")
    # The labels are of the picture, so they hold whatever was read in it.
    assert workspace.labels.run(model=MODEL).asked == 0


def test_pictures_are_sent_small(
    workspace: Workspace, server: ChatServer, collected: dict[str, str]
) -> None:
    import base64

    server.say = lambda number, body: labels("safe", caption="")
    workspace.labels.run(LabelSettings(rounds=1, longest_side=300), model=MODEL)
    (url,) = (
        part["image_url"]["url"]
        for part in server.bodies[0]["messages"][-1]["content"]
        if part["type"] == "image_url"
    )
    sent = Image.open(BytesIO(base64.b64decode(url.partition(",")[2])))
    assert sent.size == (300, 200)


def test_topics_are_asked_once_and_merged_by_people(
    workspace: Workspace, server: ChatServer, tmp_path: Path
) -> None:
    known = tmp_path / "topics.csv"
    known.write_text("id,name,definition\nwork,Work,Offices and jobs\n")
    new = {"proposed_id": "office_life", "name": "Office life", "definition": "Desks."}

    def say(number: int, body: dict[str, Any]) -> str:
        if "topics" not in body["response_format"]["json_schema"]["schema"]["properties"]:
            return labels("safe")
        return json.dumps({"topics": [{"kind": "new", "new_topic": new}]})

    server.say = say
    settings = LabelSettings(rounds=1, topics=str(known))
    assert workspace.labels.run(settings, model=MODEL).asked == 12
    (topic,) = workspace.labels.new_topics()
    assert (topic.id, topic.memes, topic.into) == ("office_life", 6, "")
    sheet = tmp_path / "new.csv"
    workspace.labels.write_topics(sheet)
    assert "office_life,Office life,Desks.,6," in sheet.read_text(encoding="utf-8-sig")
    sheet.write_text("id,merge into\noffice_life,work\n")
    assert workspace.labels.merge_topics(sheet, person="Ana") == 1
    assert workspace.labels.merge_topics(sheet, person="Ana") == 0
    assert workspace.labels.new_topics()[0].into == "work"
    assert set(workspace.labels.table()["topics"]) == {"work"}


def test_people_label_what_the_rounds_differ_on(
    workspace: Workspace, server: ChatServer, tmp_path: Path
) -> None:
    server.say = differ_on("Monday")
    workspace.labels.run(model=MODEL)
    people = team_table(tmp_path, {"a": 3})
    built = workspace.labels.ask_people("hard", "US", people=people)
    differing = [each.item for each in workspace.labels.outcomes() if each.state == "differing"]
    assert [meme for batch in built.batches for meme in batch.memes] == differing
    filled = fill(workspace.survey("hard"), tmp_path, seed=3)
    assert workspace.labels.status().labellings[0].people == {"hard": "differing"}
    table = workspace.labels.table()
    of_people = table[table["by"] == "people"]
    assert list(of_people["meme_id"]) == differing
    assert set(of_people["who"]) == {"hard US"}
    assert set(table[table["by"] == "model"]["who"]) == {MODEL}
    assert list(of_people["label"]) == list(filled.labels["label"].fillna(""))


def test_an_audit_measures_each_person_beside_the_model(
    workspace: Workspace, server: ChatServer, tmp_path: Path
) -> None:
    server.say = lambda number, body: labels(
        "safe" if len(text_of(body)) % 2 else "offensive/shock"
    )
    workspace.labels.run(model=MODEL)
    people = team_table(tmp_path, {"a": 3})
    built = workspace.labels.audit("trial", "US", people=people, sample=4, seed=5)
    assert built.memes == 4
    again = workspace.labels.audit("trial", "US", people=people, sample=4, seed=5)
    assert again.new == 0
    fill(workspace.survey("trial"), tmp_path, seed=4)
    audit = workspace.labels.audited("trial")
    assert (audit.sample, audit.labelled, len(audit.people), len(audit.pairs)) == (4, 4, 3, 3)
    assert {person.participant for person in audit.people} == {"a-1", "a-2", "a-3"}
    assert all(person.items == 4 for person in audit.people)


def test_a_survey_of_its_own_is_no_audit(workspace: Workspace) -> None:
    workspace.surveys.build("pilot", "US")
    with pytest.raises(InputError, match="pilot is no audit"):
        workspace.labels.audited("pilot")


def test_nothing_labelled_is_a_sentence(workspace: Workspace) -> None:
    with pytest.raises(InputError, match="No model has labelled anything yet"):
        workspace.labels.status()


def test_people_see_what_the_model_answered_only_if_wanted(
    workspace: Workspace, server: ChatServer, tmp_path: Path, collected: dict[str, str]
) -> None:
    server.say = lambda number, body: labels(
        "safe" if body["seed"] else "offensive/shock", caption=""
    )
    workspace.labels.run(model=MODEL)
    people = team_table(tmp_path, {"a": 2})
    workspace.labels.ask_people("hidden", "US", people=people)
    workspace.labels.ask_people("shown", "US", people=people, show=True)
    tasks = {}
    for name in ("hidden", "shown"):
        survey = workspace.survey(name)
        survey.export("label-studio", contact="lab", out=tmp_path / name)
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
        workspace.survey("shown").export("html", contact="lab", options={"codes": False})
    (table,) = workspace.survey("shown").export("csv", contact="lab", out=tmp_path / "csv").files
    assert "Safe (67%) | Offensive (33%)" in table.read_text(encoding="utf-8-sig")


def test_labels_of_models_are_published_apart(
    workspace: Workspace, server: ChatServer, tmp_path: Path
) -> None:
    server.say = differ_on("Monday")
    workspace.labels.run(model=MODEL)
    workspace.render(tmp_path / "out", ["en"])
    release = workspace.publishing.gather(tmp_path / "out")
    frame = release.tables["model_labels"].frame
    accepted = frame[frame["question"] == "label"]
    assert set(accepted["label"]) == {"safe"}
    assert len(accepted) == 5
    assert len(frame[frame["question"] == "label, round 2"]) == 6
    assert "labels" not in release.tables
    evidence = json.loads(frame["evidence"].iloc[0])
    assert (evidence["taxonomy"], evidence["rounds"], evidence["equal"]) == (
        "charmemes",
        3,
        "severe",
    )


def test_accepted_labels_stand_beside_annotators(
    workspace: Workspace, server: ChatServer, tmp_path: Path
) -> None:
    server.say = lambda number, body: labels("safe")
    workspace.labels.run(model=MODEL)
    people = team_table(tmp_path, {"a": 3})
    workspace.labels.audit("trial", "US", people=people, sample=4)
    fill(workspace.survey("trial"), tmp_path, seed=4)
    table = tmp_path / "model.csv"
    workspace.labels.export(table, accepted=True, survey="trial")
    analysis = workspace.survey("trial").analyze(models=table, sections=["models"])
    (section,) = (each for each in analysis.sections if each.name == "models")
    assert MODEL in set(section.tables[0].frame["model"])
