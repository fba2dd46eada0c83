"""A survey from its plan to its labels: built, sent to every target, answered, checked, settled."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest

from memeloc.workspace import Workspace
from tests.end_to_end.answering import CONTACT, answer, answer_as
from tests.end_to_end.study import Study, fill_in
from tests.worlds import starter_rows, write_table

World = Callable[..., Path]


@pytest.fixture(autouse=True)
def _same_pseudonyms(study: Study, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """A key of the environment, for tables are in the order of the pseudonyms that it makes."""
    monkeypatch.setenv("MEMELOC_SURVEY_KEY", "00" * 32)


def test_plan_and_build(study: Study, world: World) -> None:
    world("rendered", study.folder)
    study.run("survey", "plan", "--memes", 12, "--cultures", "US,DE,IN", "--size", 4, "--json")
    study.run("survey", "plan", "--memes", 12, "--cultures", "US,DE,IN", "--size", 4)
    study.run("survey", "show", "taxonomies")
    study.run("survey", "show", "taxonomies", "harmeme", "--lang", "de")
    study.run("survey", "show", "texts", "consent", "--lang", "de")
    study.run("survey", "show", "recipes")
    study.run("survey", "show", "recipes", "harmeme", "--json")
    study.run("survey", "build", "pilot", "--cultures", "US,XX", status=1)
    study.run("survey", "build", "pilot", "--cultures", "US", "--taxonomy", "multi", status=1)
    (study.folder / "only.txt").write_text("night-owl-01\nnight-owl-99\n", encoding="utf-8")
    study.run("survey", "build", "pilot", "--cultures", "US", "--memes", "only.txt", status=1)
    built = ("survey", "build", "pilot", "--cultures", "US,DE,IN-US=hi+en", "--size", 4)
    built += ("--demographics", "gender,age", "--answers", 3)
    study.run(*built, "--seed", 7, "--json")
    study.run(*built, "--seed", 7)
    study.run(*built, "--seed", 8, status=1)
    study.run("survey", "plan", "pilot")
    study.run("survey", "status", "--json")
    study.run("survey", "export", "pilot", "--to", "html", status=1)
    study.run("survey", "export", "pilot", "--to", "htm", "--contact", "a@b.example", status=1)
    study.run("survey", "export", "pilot", "--to", "html", *CONTACT, status=1)
    study.run(
        *(
            "survey",
            "export",
            "pilot",
            "--to",
            "html",
            *CONTACT,
            "--set",
            "codes=false",
            "--json",
        )
    )
    study.run("survey", "export", "pilot", "--to", "csv", "--cultures", "DE")
    study.files("surveys")
    study.file("surveys/pilot/csv/r1-b01-DE.csv")
    study.run("survey", "status", "pilot")
    study.run("survey", "status", "pilot", "--json")
    study.check()


WEATHER = """
name = "weather"
source = "our handbook, page 3"
rules = ["cloud"]

[[label]]
id = "storm"
severity = 2

[[label]]
id = "sun"

[[label]]
id = "unknown"
role = "abstain"

[[question]]
id = "where"
answers = ["here", "there"]
when = { label = ["storm"] }

[[question]]
id = "part"
kind = "choices"
answers = ["top", "bottom"]

[[question]]
id = "strength"
kind = "scale"
scale = [1, 5]

[[question]]
id = "claim"
answers = ["right", "wrong"]
item_text = "question"

[[question]]
id = "words"
kind = "text"
required = false

[[example]]
id = "monday"
label = "storm"
template = "cloud-monday"

[text.en]
question = "What is the weather?"
definition = "Weather falls from the sky."
rule.cloud = "A cloud alone is no weather."
label.storm = { name = "Storm", definition = "It blows." }
label.sun = { name = "Sun", definition = "It shines." }
label.unknown = { name = "I don't know", definition = "No sky is in it." }
questions.where = { text = "Where is it?", answer = { here = "Here", there = "There" } }
questions.part = { text = "Which part says so?", answer = { top = "Top", bottom = "Bottom" } }
questions.strength.text = "How strong is it?"
questions.claim = { text = "Is it so? {text}", answer = { right = "Right", wrong = "Wrong" } }
questions.words.text = "Anything else?"
example.monday = { caption = "Monday // me", why = "It drips on one person." }

[text.de]
question = "Wie ist das Wetter?"
definition = "Wetter fällt vom Himmel."
rule.cloud = "Eine Wolke allein ist kein Wetter."
label.storm = { name = "Sturm", definition = "Es weht." }
label.sun = { name = "Sonne", definition = "Sie scheint." }
label.unknown = { name = "Weiß nicht", definition = "Kein Himmel ist zu sehen." }
questions.where = { text = "Wo?", answer = { here = "Hier", there = "Dort" } }
questions.part = { text = "Welcher Teil?", answer = { top = "Oben", bottom = "Unten" } }
questions.strength.text = "Wie stark?"
questions.claim = { text = "Stimmt das? {text}", answer = { right = "Ja", wrong = "Nein" } }
questions.words.text = "Noch etwas?"
example.monday = { caption = "Montag // ich", why = "Es tropft auf einen." }
"""

TARGETS = ("html", "csv", "google-forms", "label-studio", "qsf", "csv")


def test_every_target(study: Study, world: World) -> None:
    world("rendered", study.folder)
    (study.folder / "weather.toml").write_text(WEATHER, encoding="utf-8")
    built = ("survey", "build", "pilot", "--cultures", "US,DE", "--taxonomy", "weather.toml")
    built += ("--size", 4, "--answers", 4, "--set", "implicit=1", "--demographics", "gender,age")
    study.run(*built, status=1)
    items = [
        {"meme_id": row["meme_id"], "claim": "It rains." * (number < 3)}
        for number, row in enumerate(starter_rows(()))
    ]
    write_table(study.folder / "items.csv", items[1:])
    study.run(*built, "--items", "items.csv", status=1)
    write_table(study.folder / "items.csv", items)
    study.run(*built, "--items", "items.csv")
    study.run("survey", "show", "taxonomies", "weather.toml", "--lang", "de", "--json")
    for target in dict.fromkeys((*TARGETS, "prolific")):
        codes = ("--set", "codes=false") if target == "html" else ()
        # Studies need filters' ids and addresses, which nobody has named yet.
        status = int(target == "prolific")
        study.run("survey", "export", "pilot", "--to", target, *CONTACT, *codes, status=status)
    study.files("surveys/pilot", "*/**/*[!g]")
    answer(study.folder, "pilot", TARGETS)
    study.run("survey", "import", "pilot", "answers", "--dry-run")
    study.run("survey", "import", "pilot", "answers")
    study.run("survey", "import", "pilot", "answers")
    # Half filled in, with a label and a row that were not asked for; the first column is lost.
    (sheet,) = study.folder.glob("answers/csv/r1-b03-DE-0.csv")
    rows = [row | {"participant": "zoe"} for row in read_rows_of(sheet)]
    rows[1]["answer"], rows[2]["item"], rows[3]["answer"] = "Nebel", "i000000000000", ""
    rows[4]["strength"], rows[5]["where"] = "6", "überall"
    write_table(study.folder / "zoe.csv", rows)
    study.run("survey", "import", "pilot", "zoe.csv", "--left", "left.csv", "--json")
    study.file("left.csv")
    study.run("survey", "import", "pilot", "zoe.csv", "--from", "qsf", status=1)
    study.run("survey", "import", "pilot", "memeloc.toml", status=1)
    study.run("survey", "import", "pilot", "nowhere.csv", status=1)
    study.run("survey", "check", "pilot", "--out", "excluded.csv")
    study.file("excluded.csv")
    tables = ("--out", "labels.csv", "--answers", "answers.csv", "--people", "people.csv")
    study.run("survey", "settle", "pilot", "--close", *tables)
    study.file("labels.csv")
    study.file("answers.csv")
    study.file("people.csv")
    study.run("survey", "status", "pilot", "--by", "sheet")
    study.check()


def read_rows_of(path: Path) -> list[dict[str, str]]:
    """Read a sheet that a spreadsheet program saved, with semicolons."""
    with path.open(encoding="utf-8-sig", newline="") as stream:
        return list(csv.DictReader(stream, delimiter=";"))


def opinion(meme: str, culture: str, person: int) -> str:
    """What the people of a culture think: Germany differs on one meme; one is tied, one unknown."""
    if meme == "busy-market-01":
        return ("hate", "no-hate", "unknown")[person % 3]
    if meme == "night-owl-02":
        return "unknown"
    return "hate" if meme == "night-owl-01" and culture == "DE" else "no-hate"


def test_rounds_discussions_and_reasons(study: Study, world: World) -> None:
    world("rendered", study.folder)
    memes = ("busy-market-01", "night-owl-01", "night-owl-02", "cloud-monday-01")
    (study.folder / "memes.txt").write_text("\n".join(memes), encoding="utf-8")
    built = ("--cultures", "US,DE", "--memes", "memes.txt", "--answers", 3, "--set", "implicit=1")
    study.run("survey", "build", "pilot", *built)
    export = ("survey", "export", "pilot", "--to", "html", "--set", "codes=false", *CONTACT)
    study.run(*export)
    answer_as(study.folder, "pilot", opinion, people=4, file="first.json")
    study.run("survey", "import", "pilot", "first.json")
    study.run("survey", "check", "pilot", "--json")
    study.run("survey", "check", "pilot", "--set", "speed.seconds_per_entry=65", "--out", "a.csv")
    study.run("survey", "check", "pilot", "--without", "luck", status=1)
    study.run("survey", "check", "pilot", "--set", "speed.fewest=many", status=1)
    study.run("survey", "check", "pilot", "--exclude", "nobody", status=1)
    study.run("survey", "check", "pilot", "--exclude", "DE-r1-b01-3", "--exclude", "US-r1-b01-3")
    study.run("survey", "settle", "pilot", "--next", "--json")
    study.run(*export)
    answer_as(study.folder, "pilot", lambda *_: "no-hate", people=1, file="second.json")
    study.run("survey", "import", "pilot", "second.json")
    study.run("survey", "check", "pilot", "--without", "outlier")
    study.run("survey", "settle", "pilot", "--close", "--most", 4, "--out", "labels.csv")
    study.file("labels.csv")
    study.run("survey", "status", "pilot")
    study.run("survey", "decide-labels", "pilot", "--out", "open.csv")
    study.file("open.csv")
    keys = ["item", "culture"]
    fill_in(
        study.folder / "open.csv",
        [{"item": "busy-market-01", "culture": "DE", "label": "hate"}],
        by=keys,
    )
    decided = ("survey", "decide-labels", "pilot", "--from", "open.csv", "--by", "anna")
    study.run(*decided, status=1)
    study.run(*decided, "--by", "ben", "--reason", "session of May", "--json")
    one = ("survey", "decide-labels", "pilot", "busy-market-01", "--culture", "US", "--by", "anna")
    study.run(*one, "--label", "perhaps", "--reason", "irony", status=1)
    study.run(*one, "--label", "no-hate", "--reason", "irony")
    study.run("survey", "settle", "pilot")
    study.run("survey", "reasons", "pilot")
    reasons = ("survey", "reasons", "pilot", "--person")
    study.run(*reasons, "carla", "--pair", "US,DE", "--out", "reasons.xlsx", "--json")
    fill_in(
        study.folder / "reasons.xlsx",
        [{"item": "night-owl-01", "reason": "Owls sleep."}],
        by=["item"],
    )
    study.file("reasons.xlsx")
    study.run("survey", "reasons", "pilot", "--from", "reasons.xlsx")
    study.run("survey", "reasons", "pilot", "--json")
    for coder, codes in (("dora", "Political Tensions"), ("emil", "owls")):
        study.run(
            "survey", "reasons", "pilot", "--codes", "--person", coder, "--out", f"{coder}.csv"
        )
        fill_in(
            study.folder / f"{coder}.csv", [{"item": "night-owl-01", "codes": codes}], by=["item"]
        )
        study.run("survey", "reasons", "pilot", "--codes", "--from", f"{coder}.csv")
    study.run("survey", "reasons", "pilot", "--codes")
    study.run("survey", "reasons", "pilot", "--codes", "--json")
    # What was coded is another text now; and reasons and codes about what is not there.
    again = [{"item": "night-owl-01", "reason": "Owls hunt."}]
    fill_in(study.folder / "reasons.xlsx", again, by=["item"])
    study.run("survey", "reasons", "pilot", "--from", "reasons.xlsx")
    study.run("survey", "reasons", "pilot", "--codes", status=1)
    for pair, item in (("US|FR", "night-owl-01"), ("US|DE", "friday")):
        wrong = {"item": item, "pair": pair, "person": "carla", "reason": "why"}
        write_table(study.folder / "wrong.csv", [wrong])
        study.run("survey", "reasons", "pilot", "--from", "wrong.csv", status=1)
    wrong = {"item": "night-owl-01", "person": "zoe", "coder": "dora", "codes": "x"}
    write_table(study.folder / "wrong.csv", [wrong])
    study.run("survey", "reasons", "pilot", "--codes", "--from", "wrong.csv", status=1)
    study.run("survey", "forget", "DE-r1-b01-0", "anna", "--yes", "--json")
    study.run("survey", "import", "pilot", "first.json")
    study.run("survey", "settle", "pilot")
    with Workspace.find() as workspace:
        study.show("labels", workspace.survey("pilot").labels.settle().table)
    study.check()
