"""`memeloc survey check`, `settle`, `status` and what is planned before: from answers to labels."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from memeloc.store import FileRecord
from memeloc.survey.model import Answer, Participant
from memeloc.survey.targets.protocol import Imported
from memeloc.workspace import Workspace
from tests.cli.survey.test_survey import (
    CONTACT,
    FILES,
    build,
    everybody,
    folder,
    rendered,
    saved,
    sheets_of,
    write,
)
from tests.conftest import Outcome

Run = Callable[..., Outcome]

__all__ = ["folder", "rendered"]  # fixtures, used by name


# Labels


def test_excluded_submissions_have_evidence_and_can_come_back(command: Run, folder: Path) -> None:
    build(command)
    hurried = saved(sheets_of()[0], "eve", submitted="2026-03-01T10:00:05+00:00")
    file = write(folder / "back.json", [*everybody(4), hurried])
    assert command("survey", "import", "pilot", file).status == 0
    done = command("survey", "check", "pilot", "--json", "--out", "aside.csv")
    printed = json.loads(done.out)
    assert (printed["submissions"], printed["retained"]) == (25, 24)
    assert printed["by_rule"] == {"speed": 1}
    with (folder / "aside.csv").open(encoding="utf-8-sig", newline="") as stream:
        (row,) = csv.DictReader(stream)
    assert json.loads(row["evidence"])["seconds"] == 5.0
    printed = json.loads(command("survey", "check", "pilot", "--without", "speed", "--json").out)
    assert printed["retained"] == 25
    status = json.loads(command("survey", "status", "pilot", "--json").out)
    assert status["whole"]["retained"] == 25  # the last rules hold
    done = command("survey", "check", "pilot", "--without", "luck")
    assert (done.status, "has no setting 'luck'" in done.err) == (1, True)
    done = command("survey", "check", "pilot", "--set", "speed.fewest=many")
    assert (done.status, "fewest of the rule speed" in done.err) == (1, True)


def test_agreement_stands_in_check_and_status(command: Run, folder: Path) -> None:
    build(command)
    assert command("survey", "import", "pilot", write(folder / "1.json", everybody())).status == 0
    checked = json.loads(command("survey", "check", "pilot", "--json").out)
    status = json.loads(command("survey", "status", "pilot", "--json").out)
    assert status["agreement"] == checked["agreement"]
    assert [part["culture"] for part in checked["agreement"]] == ["DE", "MX", "US"]
    measures = checked["agreement"][0]["measures"]
    # Three of five say hate, two no hate, of all 14 memes.
    assert measures["agreement"] == pytest.approx(4 / 10)
    assert measures["fleiss"] == pytest.approx((0.4 - 0.52) / (1 - 0.52))
    assert measures["last"] == pytest.approx(3 / 5)
    assert measures["further"][0]["undone"] == pytest.approx(0.4)
    assert "Fleiss" in command("survey", "check", "pilot").out
    assert "Fleiss" in command("survey", "status", "pilot").out


def test_person_is_excluded_by_the_id_as_it_came_and_as_stored(command: Run, folder: Path) -> None:
    build(command)
    assert command("survey", "import", "pilot", write(folder / "1.json", everybody())).status == 0
    who = f"{sheets_of()[0].id}-1"
    printed = json.loads(command("survey", "check", "pilot", "--exclude", who, "--json").out)
    assert printed["by_rule"] == {"outlier": 1}
    (exclusion,) = printed["set_aside"]
    assert exclusion["evidence"]["items"] == 7
    stored = printed["rules"]["outlier"]["people"]
    again = json.loads(command("survey", "check", "pilot", "--exclude", *stored, "--json").out)
    assert again["set_aside"] == printed["set_aside"]
    assert json.loads(command("survey", "status", "pilot", "--json").out)["aside"] == {"outlier": 1}
    back = json.loads(command("survey", "check", "pilot", "--json").out)
    assert back["by_rule"] == {}
    done = command("survey", "check", "pilot", "--exclude", "nobody")
    assert (done.status, "Nobody of the id 'nobody'" in done.err) == (1, True)


def test_ties_are_asked_again_until_there_is_a_majority(command: Run, folder: Path) -> None:
    build(command)
    tied = {"p4": "unknown"}
    assert (
        command("survey", "import", "pilot", write(folder / "1.json", everybody(**tied))).status
        == 0
    )
    first = json.loads(
        command("survey", "settle", "pilot", "--next", "--json", "--out", "labels.csv").out
    )
    assert {label["state"] for label in first["labels"]} == {"tied"}
    assert [one["batch"] for one in first["next"]] == ["r2-b01", "r2-b02"]
    assert {one["answers"] for one in first["next"]} == {1}
    again = json.loads(command("survey", "settle", "pilot", "--next", "--json").out)
    assert again["next"] == []  # places are open, so nothing is asked twice
    more = [saved(one, f"{one.id}-x", "hate") for one in sheets_of() if one.round == 2]
    assert command("survey", "import", "pilot", write(folder / "2.json", more)).status == 0
    last = json.loads(command("survey", "settle", "pilot", "--json").out)
    assert {(label["label"], label["state"]) for label in last["labels"]} == {("hate", "settled")}
    assert len(last["labels"]) == 14 * 3
    with (folder / "labels.csv").open(encoding="utf-8-sig", newline="") as stream:
        assert {row["label"] for row in csv.DictReader(stream)} == {""}


def test_nothing_more_comes_with_close_and_only_then(command: Run, folder: Path) -> None:
    build(command)
    assert command("survey", "import", "pilot", write(folder / "1.json", everybody(3))).status == 0
    waiting = json.loads(command("survey", "settle", "pilot", "--next", "--json").out)
    assert waiting["next"] == []
    assert {label["state"] for label in waiting["labels"]} == {"short"}
    closed = json.loads(command("survey", "settle", "pilot", "--close", "--next", "--json").out)
    assert {one["answers"] for one in closed["next"]} == {2}
    again = json.loads(command("survey", "settle", "pilot", "--close", "--next", "--json").out)
    assert again["next"] == []  # nobody has answered the new round yet: it is not closed


def test_limits_and_looks_without_batches(command: Run, folder: Path) -> None:
    build(command)
    tied = write(folder / "1.json", everybody(p4="unknown"))
    assert command("survey", "import", "pilot", tied).status == 0
    looked = json.loads(command("survey", "settle", "pilot", "--json").out)
    assert looked["next"] == []
    limited = json.loads(command("survey", "settle", "pilot", "--most", "5", "--json").out)
    assert {label["state"] for label in limited["labels"]} == {"given up"}
    for suffix in ("jsonl", "parquet"):
        done = command("survey", "settle", "pilot", "--out", f"labels.{suffix}")
        assert done.status == 0, done.err
        assert (folder / f"labels.{suffix}").stat().st_size > 500
    done = command("survey", "settle", "pilot", "--out", "labels.doc")
    assert (done.status, ".csv, .jsonl or .parquet" in done.err) == (1, True)


def test_the_answer_to_a_further_question_stands_beside_the_label(
    command: Run, folder: Path
) -> None:
    build(command, "--taxonomy", "harmeme", "--answers", "3")
    answers = []
    for sheet in sheets_of():
        for n, whom in enumerate(("individual", "individual", "society")):
            one = saved(sheet, f"{sheet.id}-{n}", "very-harmful")
            for answer in one["answers"]:
                if answer["label"] in ("very-harmful", "partially-harmful"):
                    answer["further"] = {"target": [whom]}
            answers.append(one)
    assert command("survey", "import", "pilot", write(folder / "1.json", answers)).status == 0
    done = command("survey", "settle", "pilot", "--json", "--out", "labels.csv")
    assert done.status == 0, done.err
    labels = json.loads(done.out)["labels"]
    assert {
        (label["label"], label["further"].get("target", {}).get("answer", "")) for label in labels
    } == {("very-harmful", "individual")}
    with (folder / "labels.csv").open(encoding="utf-8-sig", newline="") as stream:
        assert {row["target"] for row in csv.DictReader(stream)} == {"individual"}


@pytest.mark.slow
def test_models_stand_beside_the_majority(command: Run, folder: Path) -> None:
    pytest.importorskip("crowdkit")
    build(command)
    assert command("survey", "import", "pilot", write(folder / "1.json", everybody())).status == 0
    printed = json.loads(command("survey", "settle", "pilot", "--models", "--json").out)
    for difference in printed["differences"]:
        assert {"majority", "dawid_skene", "mace"} <= set(difference)


def test_status_counts_answers_and_money(command: Run, folder: Path) -> None:
    build(command)
    words = ("--to", "html", *CONTACT, *FILES, "--minutes", "10")
    assert command("survey", "export", "pilot", *words).status == 0
    assert command("survey", "import", "pilot", write(folder / "1.json", everybody(3))).status == 0
    people = [
        Participant(f"{sheet.id}-{n}", {}, f"{sheet.id}-{n}", sheet.id, status)
        for sheet in sheets_of()
        for n, status in enumerate(("APPROVED", "AWAITING REVIEW", "RETURNED"))
    ]
    with Workspace.find() as workspace:
        record = FileRecord("submissions", "people.csv", "f" * 64, len(people))
        workspace.store.surveys.add_submissions("pilot", record, Imported((), tuple(people)))
    printed = json.loads(command("survey", "status", "pilot", "--wage", "12", "--json").out)
    assert printed["whole"]["wanted"] == 14 * 3 * 5
    assert printed["whole"]["sent"] == 18
    assert [culture["name"] for culture in printed["cultures"]] == ["US", "DE", "MX"]
    # Ten minutes at 12.00 an hour are 2.00, with a fee of a third 2.67; six sheets.
    assert (printed["money"]["paid"], printed["money"]["owed"]) == ("16.02", "16.02")
    assert printed["currency"] == "GBP"
    assert json.loads(command("survey", "status", "--json").out)["surveys"][0]["survey"] == "pilot"
    for by in ("culture", "batch", "sheet"):
        assert command("survey", "status", "pilot", "--by", by).status == 0


# Before


def test_a_plan_counts_people_minutes_and_money(command: Run) -> None:
    done = command(
        "survey", "plan", "--memes", "300", "--cultures", "US,DE,MX,IN,CN", "--json",
        "--wage", "12", "--loss", "0", "--fee", "0.25", "--vat", "0.2",
    )  # fmt: skip
    printed = json.loads(done.out)
    assert [culture["annotators"] for culture in printed["cultures"]] == [75] * 5
    # 24 entries of 20 seconds and 180 for the introduction are 11 minutes, which pay 2.20.
    assert {(culture["minutes"], culture["reward"]) for culture in printed["cultures"]} == {
        (11, "2.20")
    }
    assert printed["total"] == "1072.50"  # 825.00 to people, 206.25 fee, 41.25 tax
    build(command)
    printed = json.loads(command("survey", "plan", "pilot", "--json").out)
    assert [culture["sheets"] for culture in printed["cultures"]] == [2, 2, 2]
    done = command("survey", "plan", "--wage", "much")
    assert (done.status, "the setting wage of the pay" in done.err) == (1, True)


def test_power_is_found_by_simulation(command: Run) -> None:
    printed = json.loads(command("survey", "power", "--draws", "500", "--json").out)
    five = next(
        one for one in printed["majority"] if (one["answers"], one["agreement"]) == (5, 0.8)
    )
    assert five["right"] == pytest.approx(0.942, abs=0.04)  # binomial: P(X >= 3), n 5, p 0.8
    assert printed["difference"][0]["items"] == 50


def test_taxonomies_are_listed_and_shown(command: Run) -> None:
    printed = json.loads(command("survey", "taxonomies", "--json").out)
    names = [taxonomy["name"] for taxonomy in printed["taxonomies"]]
    assert names == [
        "araharmeme",
        "charmemes",
        "harmeme",
        "m-quest",
        "m-quest-validation",
        "multi3hate",
    ]
    shown = command("survey", "taxonomies", "multi3hate", "--lang", "de")
    assert "Hassrede" in shown.out
    assert command("survey", "taxonomies", "harmeme").status == 0


def test_a_balanced_set_is_chosen_by_pre_annotation(command: Run, folder: Path) -> None:
    printed = build(command, "--preannotate")
    assert {tuple(batch["cultures"]) for batch in printed["batches"]} == {("US",), ("DE",), ("MX",)}
    assert {batch["answers"] for batch in printed["batches"]} == {2}
    harmful = {f"{meme}" for batch in printed["batches"] for meme in batch["memes"][:2]}
    answers = [
        saved(sheet, f"{sheet.id}-{n}", dict.fromkeys(harmful, "hate"))
        for sheet in sheets_of()
        for n in range(2)
    ]
    assert command("survey", "import", "pilot", write(folder / "0.json", answers)).status == 0
    done = command("survey", "choose", "pilot", "--total", "300")
    assert (done.status, "not enough memes" in done.err) == (1, True)
    done = command(
        "survey", "choose", "pilot", "--total", "8", "--harmful", "0.5", "--harmless", "0.5",
        "--tied", "0", "--json",
    )  # fmt: skip
    assert done.status == 0, done.err
    (batch,) = {tuple(batch["memes"]) for batch in json.loads(done.out)["batches"][:1]}
    chosen = {meme for batch in json.loads(done.out)["batches"] for meme in batch["memes"]}
    assert len(chosen & harmful) == len(chosen - harmful) == 4
    assert set(batch) <= chosen
    settled = json.loads(command("survey", "settle", "pilot", "--json").out)
    assert len(settled["labels"]) == 8 * 3  # the pre-annotation's answers are not labels
    done = command("survey", "choose", "pilot", "--total", "2")
    assert done.status == 1


def test_what_was_not_answered_is_not_counted(command: Run, folder: Path) -> None:
    build(command)
    sheet = sheets_of()[0]
    one = saved(sheet, "ada")
    one["answers"] = one["answers"][:3]
    one["status"] = "returned"
    assert command("survey", "import", "pilot", write(folder / "1.json", one)).status == 0
    with Workspace.find() as workspace:
        (kept,) = workspace.store.surveys.submissions("pilot")
    assert kept.answers == tuple(Answer(each["entry"], each["label"]) for each in one["answers"])
    printed = json.loads(command("survey", "check", "pilot", "--json").out)
    assert (printed["retained"], "status" in printed["by_rule"]) == (0, True)


@pytest.mark.parametrize(
    "words",
    [
        ("export", "nothing", "--to", "html"),
        ("import", "nothing", "x.json"),
        ("check", "nothing"),
        ("decide", "nothing"),
        ("settle", "nothing"),
        ("status", "nothing"),
        ("choose", "nothing"),
        ("plan", "nothing"),
        ("filters", "nothing"),
    ],
)
def test_an_unknown_survey_is_a_sentence(command: Run, words: tuple[str, ...]) -> None:
    done = command("survey", *words)
    assert done.status == 1
    assert "There is no survey 'nothing'; there are none." in done.err


def test_what_people_answer_about_themselves_is_a_table(command: Run, folder: Path) -> None:
    build(command, "--demographics", "gender,most-of-life")
    people = []
    for sheet in sheets_of():
        if sheet.culture.code == "US":
            content = saved(sheet, f"{sheet.id}-jo")
            content["answers"][-1]["further"] = {"gender": ["woman"], "most-of-life": ["yes"]}
            people.append(content)
    done = command("survey", "import", "pilot", write(folder / "a.json", people), "--json")
    assert json.loads(done.out)["rejected"] == [], done.out
    done = command("survey", "settle", "pilot", "--people", "people.csv")
    assert done.status == 0, done.err
    with (folder / "people.csv").open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.DictReader(stream))
    answers = [(row["culture"], row["source"], row["question"], row["answer"]) for row in rows]
    once = [("US", "sheet", "gender", "woman"), ("US", "sheet", "most-of-life", "yes")]
    assert answers == once * len(people)
    assert not any("jo" in row["participant"] for row in rows)


def test_a_question_about_the_person_that_is_not_there_is_named(command: Run) -> None:
    done = command("survey", "build", "p", "--cultures", "US", "--demographics", "gender,shoes")
    assert (done.status, "no question 'shoes'" in done.err) == (1, True)
