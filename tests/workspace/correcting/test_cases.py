"""What is settled by rule or from a table, and the comments that stand beside it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from memeloc import Workspace
from memeloc.errors import InputError
from tests.conftest import Outcome
from tests.workspace.correcting.rounds import TABLE, correct, read_rows, write_rows


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace in which three people differ: two agree on m1, nobody on m2, all on m4."""
    folder = tmp_path_factory.mktemp("answered") / "set"
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("MEMELOC_DATABASE_URL", raising=False)
        with Workspace.create(folder, languages=["de"]) as workspace:
            table = folder / "captions.csv"
            table.write_text(TABLE, encoding="utf-8")
            workspace.import_captions(table)
            same = {"m4": "Tee // jetzt"}
            correct(
                workspace,
                "anna",
                {"m1": "Montag // wieder", "m2": "Na // Freitag", "m3": "wordplay", **same},
                {"m2": "Wer spricht?", "m3": "Ein Reim"},
            )
            correct(
                workspace,
                "ben",
                {"m1": "Montag // mal", "m2": "Ja // Freitag", "m3": "Drei // Treffen", **same},
            )
            correct(
                workspace,
                "cleo",
                {"m1": "Montag // wieder", "m2": "Ah // Freitag", "m3": "skip", **same},
            )
    return folder


def german(workspace: Workspace) -> dict[str, str]:
    return dict(workspace.table().set_index("meme_id")["de"])


def open_memes(workspace: Workspace) -> set[str]:
    return {case.meme_id for case in workspace.correcting.cases.open()}


@pytest.mark.parametrize(
    ("rule", "texts", "left"),
    [
        ("person:Ben", {"m1": "Montag // mal", "m2": "Ja // Freitag", "m3": "Drei // Treffen"}, ""),
        ("person:anna", {"m1": "Montag // wieder", "m2": "Na // Freitag"}, ""),
        ("majority", {"m1": "Montag // wieder"}, "m2 m3"),
        ("round:1", {}, "m1 m2 m3"),
    ],
)
def test_a_rule_settles_what_it_decides(
    workspace: Workspace, rule: str, texts: dict[str, str], left: str
) -> None:
    cases = len(workspace.correcting.cases.open())
    result = workspace.correcting.cases.prefer(rule, person="maria")
    assert open_memes(workspace) == set(left.split())
    assert result["settled"] + len(workspace.correcting.cases.open()) == cases
    assert texts.items() <= german(workspace).items()


def test_open_cases_are_counted_without_what_is_dropped(workspace: Workspace) -> None:
    cases = workspace.correcting.cases
    assert len(cases.open(["de"])) == len(cases.open()) > 0
    assert not cases.open(["es"])
    case = cases.open()[0]
    cases.decide(case.id, person="maria", drop="drop all")
    assert workspace.correcting.status()["to_settle"] == len(cases.open())


def test_a_rule_stands_with_its_decisions(workspace: Workspace) -> None:
    workspace.correcting.cases.prefer("majority", person="maria", comment="read aloud")
    frame = workspace.table("cases")
    decided = frame[~frame["open"]]
    assert set(decided["meme_id"]) == {"m1"}
    assert set(decided["person"]) == {"maria"}
    assert set(decided["comment"]) == {"rule majority; read aloud"}


def test_a_rule_prefers_what_a_round_agrees_on(workspace: Workspace) -> None:
    workspace.correcting.cases.prefer("person:ben", person="maria")
    correct(workspace, "dora", {"m1": "Zwei // eins"}, round_=2)
    correct(workspace, "emil", {"m1": "Zwei // zwei"}, round_=2)
    assert workspace.correcting.cases.prefer("round:2", person="maria")["settled"] == 0
    assert workspace.correcting.cases.prefer("person:dora", person="maria")["settled"] == 1
    assert german(workspace)["m1"] == "Zwei // eins"


def test_comments_stand_with_a_case(workspace: Workspace, command: Callable[..., Outcome]) -> None:
    case = next(case for case in workspace.correcting.cases.open() if case.meme_id == "m2")
    workspace.correcting.cases.decide(case.id, person="maria", comment="Der Chef")
    case = workspace.correcting.cases.find(case.id)
    assert [(comment.person, comment.comment) for comment in case.comments] == [
        ("anna", "Wer spricht?"),
        ("maria", "Der Chef"),
    ]
    shown = command("correct", "settle", case.id).out
    assert "Wer spricht?" in shown
    assert "maria, round 1" in shown
    listed = json.loads(command("correct", "settle", "--json").out)["cases"]
    assert "Ein Reim" in {
        comment["comment"]
        for each in listed
        if each["meme_id"] == "m3"
        for comment in each["comments"]
    }


def test_a_new_comment_on_the_same_decision_is_kept(workspace: Workspace) -> None:
    cases = workspace.correcting.cases
    case = cases.open()[0].id
    for comment in ("first", "first", "second", ""):
        cases.decide(case, person="maria", text="Mo // mal", comment=comment)
    own = [each.comment for each in cases.find(case).comments if each.person == "maria"]
    assert own == ["first", "second"]
    history = workspace.table("history")
    assert (history["stage"] == "settled").sum() == 1


def test_a_table_of_cases_carries_comments_both_ways(workspace: Workspace) -> None:
    cases = workspace.correcting.cases
    path = Path("cases.csv")
    cases.write(path)
    rows = read_rows(path)
    first = next(row for row in rows if row["meme_id"] == "m2")
    assert "anna, round 1, " in first["comments so far"]
    assert first["comments so far"].endswith(": Wer spricht?")
    first |= {"text": "Endlich // frei", "comment": "kürzer"}
    assert cases.decide_from(write_rows(path, rows), person="maria")["settled"] == 1
    assert german(workspace)["m2"] == "Endlich // frei"
    assert cases.find(int(first["case"])).comments[-1].comment == "kürzer"


def test_a_table_with_a_wrong_row_stores_nothing(workspace: Workspace) -> None:
    cases = workspace.correcting.cases
    path, waiting = Path("cases.csv"), len(cases.open())
    cases.write(path)
    rows = read_rows(path)
    for row in rows:
        row["take"] = "keep"
    rows[-1]["take"] = "999"
    with pytest.raises(InputError, match=f"cases.csv, row {len(rows) + 1}.*: The answer 999"):
        cases.decide_from(write_rows(path, rows), person="maria")
    assert len(cases.open()) == waiting


def test_decisions_of_one_table_build_on_each_other(workspace: Workspace) -> None:
    cases = workspace.correcting.cases
    number = next(case.id for case in cases.open() if case.meme_id == "m2")
    rows = [
        {"case": str(number), "take": take, "text": text}
        for take, text in (("", "eins // zwei"), ("keep", ""), ("drop", ""), ("", "doch // noch"))
    ]
    assert cases.decide_from(write_rows(Path("own.csv"), rows), person="maria")["settled"] == 4
    history = workspace.table("history")
    settled = history[(history["meme_id"] == "m2") & (history["stage"] == "settled")]
    assert list(settled["text"]) == ["eins // zwei", "eins // zwei", "doch // noch"]
    assert workspace.captions.dropped() == []
