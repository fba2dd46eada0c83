"""`memeloc survey` with a taxonomy that asks more: from the items' table to settled answers."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from memeloc.store import Store
from tests.cli.survey.test_survey import CONTACT, folder, rendered, sheets_of
from tests.conftest import Outcome
from tests.taxonomy.test_taxonomy import OWN

__all__ = ["folder", "rendered"]  # fixtures, used by name

Run = Callable[..., Outcome]

ASKING = OWN.replace(
    "[[example]]",
    """[[question]]
id = "claim"
answers = ["right", "wrong"]
item_text = "question"

[[question]]
id = "strength"
kind = "scale"
scale = [1, 5]

[[question]]
id = "part"
kind = "span"
required = false

[[example]]""",
    1,
).replace(
    "rule.cloud",
    """questions.claim.text = "Is it right? “{text}”"
questions.claim.answer.right = "Right"
questions.claim.answer.wrong = "Wrong"
questions.strength.text = "How strong is it?"
questions.part.text = "Which words say so?"
rule.cloud""",
    1,
)


def write_csv(path: Path, rows: list[dict[str, str]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


@pytest.fixture
def asking(command: Run, folder: Path) -> list[str]:
    """A survey in one culture, whose first meme alone has a claim; the memes' ids."""
    (folder / "weather.toml").write_text(ASKING, encoding="utf-8")
    with Store.open(folder) as store:
        memes = sorted(store.captions.current("en"))
    items = [{"meme_id": meme, "claim": "It rains." * (meme == memes[0])} for meme in memes]
    write_csv(folder / "items.csv", items)
    build = ("survey", "build", "pilot", "--cultures", "US", "--taxonomy", "weather.toml")
    build += ("--implicit", "1", "--answers", "3")
    done = command(*build)
    assert (done.status, "meme_id, claim by --items" in done.err) == (1, True)
    done = command(*build, "--items", "items.csv")
    assert done.status == 0, done.err
    return memes


def test_each_question_is_settled_beside_the_label(
    command: Run, folder: Path, asking: list[str]
) -> None:
    done = command("survey", "export", "pilot", "--to", "csv", *CONTACT)
    assert done.status == 0, done.err
    for number, strength in enumerate(("1", "2", "5")):
        for sheet in sheets_of():
            path = folder / "surveys" / "pilot" / "csv" / f"{sheet.id}.csv"
            with path.open(encoding="utf-8-sig", newline="") as stream:
                rows = list(csv.DictReader(stream))
            claims = 0
            for row in rows:
                row["participant"] = f"person-{sheet.id}-{number}"
                row["submitted"] = f"2026-03-01T10:{10 + number}:00+00:00"
                row["answer"] = "storm" if row["item"] != "consent" else "yes"
                row["where"], row["strength"] = ("here", strength) if row["picture"] else ("", "")
                row["claim"] = ("right", "wrong", "wrong")[number] if row["claim question"] else ""
                row["part"] = "9998-9999" if row["claim question"] else ""
                claims += bool(row["claim"])
            assert claims == (asking[0] in sheet.memes)
            name = f"{sheet.id}-{number}.csv"
            assert command("survey", "import", "pilot", write_csv(folder / name, rows)).status == 0
    done = command("survey", "check", "pilot", "--without", "attention", "--without", "straight")
    assert done.status == 0, done.err
    done = command("survey", "settle", "pilot", "--json", "--out", "labels.csv")
    assert done.status == 0, done.err
    labels = {row["item"]: row["further"] for row in json.loads(done.out)["labels"]}
    assert {further["strength"]["answer"] for further in labels.values()} == {"2"}
    assert {further["where"]["answer"] for further in labels.values()} == {"here"}
    assert labels[asking[0]]["claim"] == {
        "answer": "wrong",
        "people": 3,
        "votes": {"right": 1, "wrong": 2},
    }
    assert not any("claim" in labels[meme] for meme in asking[1:]), "they have none"
    assert {further["part"]["people"] for further in labels.values()} == {0}, "out of the caption"
    with (folder / "labels.csv").open(encoding="utf-8-sig", newline="") as stream:
        rows = {row["item"]: row for row in csv.DictReader(stream)}
    assert (rows[asking[0]]["claim"], rows[asking[1]]["claim"]) == ("wrong", "")


def test_a_target_that_cannot_show_a_kind_says_so(command: Run, asking: list[str]) -> None:
    done = command("survey", "export", "pilot", "--to", "google-forms", *CONTACT)
    assert done.status == 1
    assert "google-forms cannot show" in done.err


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"meme_id": "m"}], "column claim"),
        ([{"meme_id": "m", "claim": "a"}, {"meme_id": "m", "claim": "b"}], "is there twice"),
        ([{"meme_id": "m", "claim": "a"}], "has no row for 14 of 14 memes"),
    ],
)
def test_an_invalid_table_of_items_is_refused(
    command: Run, folder: Path, rows: list[dict[str, str]], message: str
) -> None:
    (folder / "weather.toml").write_text(ASKING, encoding="utf-8")
    write_csv(folder / "items.csv", rows)
    done = command(
        *("survey", "build", "pilot", "--cultures", "US", "--taxonomy", "weather.toml"),
        *("--implicit", "1", "--items", "items.csv"),
    )
    assert (done.status, message in done.err) == (1, True), done.err
