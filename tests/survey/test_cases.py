"""What recruitment services, survey tools and spreadsheets send back, case by case, by commands."""

from __future__ import annotations

import csv
import itertools
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from memeloc import Workspace
from memeloc.survey.model import Check, PersonEntry, Sheet, entry_id
from memeloc.survey.targets.google_forms.forms import QUESTIONS, plan
from memeloc.survey.targets.places import item_key
from tests.conftest import Outcome

Run = Callable[..., Outcome]
Result = Mapping[str, Any]

PEOPLE = tuple(f"5e84812345678901234567{number:02x}" for number in range(30))


@pytest.fixture
def study(command: Run, world: Callable[..., Path]) -> Path:
    """A workspace of twelve memes, and a survey of them in two cultures."""
    folder = world("given")
    done = command("survey", "build", "pilot", "--cultures", "US,DE", "--size", "4")
    assert done.status == 0, done.err
    return folder


def sheets_of(name: str = "pilot", culture: str = "") -> list[Sheet]:
    with Workspace.find() as workspace:
        sheets = workspace.survey(name).all_sheets
    return [sheet for sheet in sheets if culture in ("", sheet.culture.code)]


def labels_of(sheet: Sheet) -> dict[str, str]:
    """What a careful person answers, by the entry's id."""
    return {
        entry_id(entry): entry.expected if isinstance(entry, Check) else "no-hate"
        for entry in sheet.entries
        if not isinstance(entry, PersonEntry)
    }


def table(path: Path, rows: Sequence[Mapping[str, object]], **form: Any) -> Path:
    text = {"encoding": "utf-8", **form}
    delimiter = text.pop("delimiter", ",")
    with path.open("w", newline="", **text) as stream:
        names = list(dict.fromkeys(name for row in rows for name in row))
        writer = csv.DictWriter(stream, names, restval="", delimiter=delimiter)
        writer.writeheader()
        writer.writerows(rows)
    return path


def filled(sheet: Sheet, who: str, label: str = "no-hate") -> list[dict[str, str]]:
    """The rows of a sheet sent as a table."""
    given = labels_of(sheet) | dict.fromkeys(sheet.memes, label)
    rows = [{"item": "consent", "sheet": sheet.id, "participant": who, "answer": "yes"}]
    rows += [
        {"item": item_key(sheet.survey, sheet.id, entry), "sheet": sheet.id, "participant": who}
        | {"answer": answer}
        for entry, answer in given.items()
    ]
    return rows


def qualtrics(sheet: Sheet, people: Sequence[Mapping[str, str]]) -> list[dict[str, str]]:
    """An export of Qualtrics': two more rows of headings, and a row a response."""
    row = {"StartDate": "2026-03-12 14:00:00", "EndDate": "2026-03-12 14:05:00"}
    row |= {"Status": "IP Address", "Finished": "True", "ResponseId": "", "PROLIFIC_PID": ""}
    row |= {"consent": "yes"}
    keys = {entry: item_key(sheet.survey, sheet.id, entry) for entry in labels_of(sheet)}
    row |= {keys[entry]: label for entry, label in labels_of(sheet).items()}
    rows = [
        {**row, "ResponseId": f"R_{n}", "PROLIFIC_PID": PEOPLE[n], **own}
        for n, own in enumerate(people)
    ]
    names = list(dict.fromkeys(name for each in rows for name in each))
    read = {name: f"What people read of {name}" for name in names}
    marks = {name: json.dumps({"ImportId": name}, separators=(",", ":")) for name in names}
    return [read, marks, *rows]


def imported(command: Run, *arguments: object, name: str = "pilot") -> Result:
    done = command("survey", "import", name, *arguments, "--json")
    assert done.status == 0, done.err
    printed: Result = json.loads(done.out)
    return printed


def stored(name: str = "pilot") -> list[Any]:
    with Workspace.find() as workspace:
        return workspace.store.surveys.submissions(name)


# Who


def forms_table(sheet: Sheet, people: Sequence[str], **more: str) -> list[dict[str, str]]:
    """Responses of a Google Form, titles as it has them; `more` by the questions' keys."""
    with Workspace.find() as workspace:
        form = plan(workspace.survey(sheet.survey).as_sent()[0], sheet)
    rows = []
    for number, who in enumerate(people):
        row = {"Timestamp": f"2026/03/12 3:0{number}:05 PM GMT+1"}
        for item in form.items:
            if item.kind in QUESTIONS:
                options = {option.id: option.text for option in item.options}
                label = labels_of(sheet).get(item.key.rpartition(":")[2], "")
                own = {"participant": who, "consent": options.get("yes", ""), "comments": ""}
                row[item.title] = own.get(item.key, options.get(label, ""))
        rows.append(row | more)
    return rows


def test_ids_typed_by_hand(command: Run, study: Path) -> None:
    """Typed as they are, in capitals, with spaces, as an address, in quotes, with a final dot."""
    (sheet, *_) = sheets_of(culture="US")
    one, two, three, four, five, six = PEOPLE[:6]
    typed = [one, two.upper(), f" {three[:8]} {three[8:]} ", f"{four}@email.prolific.com"]
    typed += [f"“{five}”", f"{six}."]
    path = table(study / f"{sheet.id}.csv", forms_table(sheet, typed))
    assert imported(command, path)["files"][0]["submissions"] == 6
    with Workspace.find() as workspace:
        hashes = {workspace.store.surveys.hash_participant(who) for who in PEOPLE[:6]}
        done = workspace.survey("pilot").codes([sheet])[sheet.id].done
    assert {sent.participant for sent in stored()} == hashes
    export = table(study / f"prolific-{sheet.id}.csv", service_rows(PEOPLE[:6], [done] * 6))
    imported(command, export)
    decided = command("survey", "decide", "pilot", "--from", export, "--minutes", "6", "--json")
    assert json.loads(decided.out)["counts"] == {"approve": 6}
    assert decided.err == ""


def service_rows(people: Sequence[str], codes: Sequence[str]) -> list[dict[str, str]]:
    """The rows of Prolific's export of people who entered these completion codes."""
    row = {"Status": "AWAITING REVIEW", "Time taken": "480"}
    return [
        row | {"Submission id": f"{n:024x}", "Participant id": who, "Completion code": code}
        for n, (who, code) in enumerate(zip(people, codes, strict=True))
    ]


def test_ids_typed_otherwise_are_asked_about_before_anybody_is_returned(
    command: Run, study: Path
) -> None:
    """One with a slip, one who gave a name; a third entered the code, a fourth none."""
    (sheet, *_) = sheets_of(culture="US")
    with Workspace.find() as workspace:
        done = workspace.survey("pilot").codes([sheet])[sheet.id].done
    slip = PEOPLE[1].replace("5e8", "58e")
    imported(command, table(study / f"{sheet.id}.csv", forms_table(sheet, [PEOPLE[0], slip])))
    service = service_rows(PEOPLE[:4], [done, done, done, "NOCODE"])
    export = table(study / f"prolific-{sheet.id}.csv", service)
    imported(command, export)

    def actions(*more: str) -> tuple[dict[str, str], str]:
        done = command("survey", "decide", "pilot", "--from", export, "--minutes", "6", *more)
        assert done.status == 0, done.err
        with Path("pilot-decisions.csv").open(encoding="utf-8-sig", newline="") as stream:
            rows = list(csv.DictReader(stream))
        return {row["participant"]: row["action"] for row in rows}, done.err

    with Workspace.find() as workspace:
        typed = workspace.store.surveys.hash_participant(slip)
    decided, asked = actions()
    assert [decided[PEOPLE[n]] for n in range(4)] == ["approve", "look", "look", "return"]
    assert f"--same {typed[:8]}=ID" in asked
    decided, asked = actions("--same", f"{typed[:8]}={PEOPLE[1]}")
    assert [decided[PEOPLE[n]] for n in range(4)] == ["approve", "approve", "look", "return"]
    assert typed not in decided
    assert actions()[0] == decided  # it is kept
    assert actions("--same", f"{typed[:8]}=")[0][PEOPLE[1]] == "look"
    assert actions("--same", f"{typed[:8]}={PEOPLE[1]}")[0] == decided
    assert command("survey", "forget", PEOPLE[1], "--yes").status == 0
    assert len(stored()) == 1


def test_annotators_numbered_by_each_lab(command: Run, study: Path) -> None:
    """The same numbers in two cultures are asked about once; then they are as many people."""
    files = []
    for code in ("US", "DE"):
        rows = [row for n in range(1, 6) for row in filled(sheets_of(culture=code)[0], str(n))]
        files.append(table(study / f"lab-{code}.csv", rows))
    asked = command("survey", "import", "pilot", *files)
    assert asked.status == 1
    assert "DE and US" in asked.err
    assert "--ids culture" in asked.err
    assert stored() == []
    imported(command, *files, "--ids", "culture")
    assert len({sent.participant for sent in stored()}) == 10
    imported(command, *files)  # once
    assert len(stored()) == 10
    assert command("survey", "import", "pilot", *files, "--ids", "file").status == 1
    with Workspace.find() as workspace:
        own = workspace.store.surveys.hash_participant("DE-3")
    assert own in {sent.participant for sent in stored()}


def test_accounts_of_two_label_studios(command: Run, study: Path) -> None:
    files = []
    for server, sheet in zip(("one", "two"), sheets_of(culture="US"), strict=False):
        tasks = [
            {
                "data": {"item": item_key(sheet.survey, sheet.id, entry), "sheet": sheet.id},
                "annotations": [
                    {
                        "id": n,
                        "completed_by": n,
                        "result": [{"from_name": "q-label", "value": {"choices": [label]}}],
                    }
                    for n in range(1, 6)
                ],
            }
            for entry, label in labels_of(sheet).items()
        ]
        files.append(study / f"{server}.json")
        files[-1].write_text(json.dumps(tasks), encoding="utf-8")
    assert "--ids file" in command("survey", "import", "pilot", *files).err
    imported(command, *files, "--ids", "file")
    assert len({sent.participant for sent in stored()}) == 10


def test_numbers_that_were_stored_as_everybodys(command: Run, study: Path) -> None:
    one, two = sheets_of(culture="US")[:2]
    imported(command, table(study / "one.csv", filled(one, "1")))
    file = table(study / "two.csv", filled(two, "1"))
    assert "--ids everybody" in command("survey", "import", "pilot", file).err
    refused = command("survey", "import", "pilot", file, "--ids", "file")
    assert (refused.status, "stored already" in refused.err) == (1, True)
    imported(command, file, "--ids", "everybody")
    assert len({sent.participant for sent in stored()}) == 1


def test_numbers_of_an_answers_table(command: Run, study: Path) -> None:
    rows = [
        {"item": f"m{item}", "annotator": n, "label": "hate", "culture": code}
        for code in ("US", "DE")
        for n in range(1, 4)
        for item in range(4)
    ]
    arguments = ("survey", "import", "published", table(study / "a.csv", rows), "--from", "answers")
    assert "--ids culture" in command(*arguments).err
    assert command(*arguments, "--ids", "culture").status == 0
    assert len({sent.participant for sent in stored("published")}) == 6


def test_an_address_is_no_id(command: Run, study: Path) -> None:
    (sheet, *_) = sheets_of(culture="US")
    result = imported(command, table(study / "a.csv", filled(sheet, "ada@lab.example")))
    assert set(result["rejected_by_reason"]) == {"participant unreadable"}
    assert stored() == []


# What was ticked


OWN = """
name = "own"
[[label]]
id = "harmful"
[[label]]
id = "no-hate"
[[question]]
id = "target"
kind = "choices"
answers = ["person", "society", "group"]
when = { label = ["harmful"] }
[[example]]
id = "monday"
label = "no-hate"
template = "cloud-monday"
[[example]]
id = "market"
label = "harmful"
template = "busy-market"
[text.en]
question = "Is it harmful?"
definition = "Harm is what hurts."
label.harmful.name = "Harmful"
label.harmful.definition = "It hurts."
label.no-hate.name = "Not harmful"
label.no-hate.definition = "It does not."
example.monday.caption = "Monday // again"
example.monday.why = "It rains."
example.market.caption = "A crowd // again"
example.market.why = "It hurts."
questions.target.text = "Whom?"
questions.target.answer.person = "One person"
questions.target.answer.society = "Society"
questions.target.answer.group = "A group"
"""
"""A label set with a question that takes several answers."""


def own_survey(command: Run, study: Path) -> Sheet:
    (study / "own.toml").write_text(OWN, encoding="utf-8")
    more = (
        "--taxonomy",
        study / "own.toml",
        "--set",
        "explicit=0",
        "--set",
        "implicit=0",
        "--size",
        "4",
    )
    done = command("survey", "build", "harm", "--cultures", "US", *more)
    assert done.status == 0, done.err
    return sheets_of("harm")[0]


def test_unticked_boxes(command: Run, study: Path) -> None:
    """Of a question with several answers, a column each, only the ticked ones count."""
    sheet = own_survey(command, study)
    key = item_key("harm", sheet.id, sheet.memes[0])
    pairs = itertools.product(("1", "1.0", "Society"), ("", "0", "0.0", "-99", "NaN", "None"))
    people = [
        {f"{key}_q1_1": empty, f"{key}_q1_2": ticked, f"{key}_q1_3": empty, key: "harmful"}
        for ticked, empty in pairs
    ]
    path = table(study / "export.csv", qualtrics(sheet, people))
    assert imported(command, path, name="harm")["rejected"] == []
    sent = stored("harm")
    assert len(sent) == len(people) == 18
    for each in sent:
        (answer,) = (answer for answer in each.answers if answer.entry == sheet.memes[0])
        assert answer.get("target") == ("society",)


def test_made_answers(command: Run, study: Path) -> None:
    (sheet, *_) = sheets_of(culture="US")
    kinds: list[Mapping[str, str]] = [{"Status": "IP Address", "Q_RecaptchaScore": "0.9"}]
    kinds += [{"Status": status} for status in ("Survey Test", "Spam", "Survey Preview")]
    kinds += [{"Q_RecaptchaScore": "0.1"}]
    result = imported(command, table(study / "export.csv", qualtrics(sheet, kinds)))
    assert result["rejected_by_reason"] == {"bot": 1, "preview": 1, "spam": 1, "test": 1}
    assert len(stored()) == 1


def test_missing_answers_as_words(command: Run, study: Path) -> None:
    words = ("NaN", "None", "nan", "NA", "null")
    rows = [
        {"item": f"m{item}", "annotator": f"w{n}", "label": words[n] if item == n else "hate"}
        for n in range(5)
        for item in range(6)
    ]
    rows.append({"item": "m1", "annotator": "nan", "label": "hate"})
    file = table(study / "a.csv", rows)
    done = command("survey", "import", "published", file, "--from", "answers", "--json")
    reasons = {"no answer": 5, "no participant": 1}
    assert json.loads(done.out)["rejected_by_reason"] == reasons
    said = command("survey", "import", "again", file, "--from", "answers")
    assert "'None' is taken for no answer" in said.err
    assert sum(len(sent.answers) for sent in stored("published")) == 25
    label = ("--map", "labels.None=no-hate")  # a label of that name only where the map says so
    assert command("survey", "import", "mapped", file, *label).status == 0
    labels = Counter(answer.label for sent in stored("mapped") for answer in sent.answers)
    assert labels == {"hate": 25, "no-hate": 1}


def test_numbers_that_became_floats(command: Run, study: Path) -> None:
    rows = [
        {"item": item, "annotator": f"{code}{n}", "culture": code, "label": label + after}
        for code, after in (("US", ""), ("DE", ".0"))
        for n in range(3)
        for item, label in (("m1", "1"), ("m2", "0"), ("m3", "1"))
    ]
    file = table(study / "a.csv", rows)
    labels = ("--map", "labels.1=hate,labels.0=no-hate")
    assert command("survey", "import", "published", file, *labels).status == 0
    counts = Counter(
        (answer.entry, answer.label) for sent in stored("published") for answer in sent.answers
    )
    assert counts == {("m1", "hate"): 6, ("m2", "no-hate"): 6, ("m3", "hate"): 6}
    analysed = command("analyze", "published", "--only", "agreement-between", "--json")
    shares = {
        (row["group"], row["n"]): row["value"]
        for row in json.loads(analysed.out)
        if (row["analysis"], row["figure"]) == ("agreement-between", "agreement")
    }
    assert shares == {("DE–US", 3): 1.0, ("all pairs", 1): 1.0}


def test_a_checkbox_with_other(command: Run, study: Path) -> None:
    sheet = own_survey(command, study)
    (row,) = forms_table(sheet, PEOPLE[:1])
    asked = [title for title in row if "Whom?" in title]
    meme = next(title for title in row if row[title] == "Not harmful")
    row[meme] = "Harmful"
    row[asked[0]] = "One person;Society;my neighbour, too"
    result = imported(command, table(study / f"{sheet.id}.csv", [row]), name="harm")
    (sent,) = stored("harm")
    assert ("person", "society") in [answer.get("target") for answer in sent.answers]
    assert sum(result["rejected_by_reason"].values()) == 1
    assert "my neighbour, too" in json.dumps(result["rejected"])


def test_a_later_answer_wins_whatever_its_device_says(command: Run, study: Path) -> None:
    """A server collects two pages of a person; the second device's clock is an hour behind."""
    (sheet, *_) = sheets_of(culture="US")
    pages = []
    for number, (hour, label) in enumerate(((12, "hate"), (11, "no-hate"))):
        answers = labels_of(sheet) | dict.fromkeys(sheet.memes, label)
        page = {"memeloc": "survey-answers", "survey": "pilot", "sheet": sheet.id}
        page |= {"submission": f"s{number}", "participant": "ada", "status": "complete"}
        page |= {"submitted": f"2026-03-12T{hour}:00:00Z"}
        given = [{"item": entry, "label": answer} for entry, answer in answers.items()]
        pages.append(json.dumps(page | {"answers": given}))
    (study / "collected.jsonl").write_text("\n".join([*pages, pages[0]]), encoding="utf-8")
    assert imported(command, study / "collected.jsonl")["rejected"] == []
    (sent,) = stored()
    assert {answer.label for answer in sent.answers if answer.entry in sheet.memes} == {"no-hate"}


# Files that are not as they were given out


@pytest.mark.parametrize(
    ("written", "is_read"),
    [("12.03.2026 14:05", True), ("3/12/2026 14:05", False), ("3/14/2026 14:05", True)],
)
def test_a_qualtrics_file_saved_again(
    command: Run, study: Path, written: str, is_read: bool
) -> None:
    (sheet, *_) = sheets_of(culture="DE")
    times = {"StartDate": written, "EndDate": written}
    rows = qualtrics(sheet, [{**times, "consent": "Ja"} for _ in range(3)])
    for row in rows[2:]:
        row["consent"] = "yes"
    path = table(study / "export.csv", rows, delimiter=";", encoding="cp1252")
    said = command("survey", "import", "pilot", path, "--dry-run").err
    assert said.count("which number is the day?") == (not is_read)
    imported(command, path)
    assert len(stored()) == 3
    assert all((sent.submitted is not None) == is_read for sent in stored())


def test_a_formats_second_best_export(command: Run, study: Path) -> None:
    rows = [{"item": "i0123", "annotator": 1, "annotation_id": 1, "created_at": "2026-03-12"}]
    rows[0] |= {"q-label": "hate", "lead_time": 4.2, "updated_at": "2026-03-12", "sheet": "x"}
    path = table(study / "project-1.csv", rows)
    for more in ((), ("--from", "label-studio")):
        done = command("survey", "import", "pilot", path, *more)
        assert done.status == 1
        assert "export as JSON" in done.err


def test_a_column_of_ones_own(command: Run, study: Path) -> None:
    (sheet, *_) = sheets_of(culture="US")
    rows = [row | {"Notiz": f"note {n}"} for n, row in enumerate(filled(sheet, "ada"))]
    done = command("survey", "import", "pilot", table(study / "filled.csv", rows))
    assert done.err.count("Notiz") == 1
    assert len(stored()) == 1


# Steps after


def test_settled_in_the_meantime(command: Run, study: Path) -> None:
    """A round that was planned for whom a check left out is withdrawn when they come back."""
    hurried = {"EndDate": "2026-03-12 14:00:03"}
    files = []
    for sheet in sheets_of():
        own = hurried if sheet.culture.code == "DE" else {}
        people = [
            own | {"PROLIFIC_PID": f"{sheet.id}-{n}", "ResponseId": f"{sheet.id}-{n}"}
            for n in range(5)
        ]
        files.append(table(study / f"{sheet.id}.csv", qualtrics(sheet, people)))
    imported(command, *files)
    assert command("survey", "check", "pilot").status == 0
    assert command("survey", "settle", "pilot", "--close", "--next").status == 0
    again = [sheet.id for sheet in sheets_of() if sheet.round == 2]
    assert again
    assert command("survey", "check", "pilot", "--without", "speed").status == 0
    done = command("survey", "settle", "pilot", "--json")
    assert json.loads(done.out)["withdrawn"] == again
    out = command("survey", "export", "pilot", "--to", "csv", "--contact", "lab@x.example")
    assert "Nothing goes out" in out.err


NEXT_STEPS = (
    ("survey", "check", "pilot"),
    ("survey", "settle", "pilot"),
    ("survey", "status", "pilot"),
    ("analyze", "pilot"),
)


@pytest.mark.parametrize("step", NEXT_STEPS, ids=" ".join)
def test_nothing_was_taken(command: Run, study: Path, step: tuple[str, ...]) -> None:
    """The cause is said with its command, not the next step's."""
    (sheet, *_) = sheets_of(culture="US")
    file = table(study / "a.csv", filled(sheet, "ada@lab.example"))
    assert "participant unreadable" in command("survey", "import", "pilot", file).out

    def said() -> str:
        done = command(*step)
        assert done.status == (1 if step[0] == "analyze" else 0)
        return done.out + done.err

    assert "all rows that came were rejected (participant unreadable 9)" in (first := said())
    assert "memeloc survey import pilot" in first
    imported(command, table(study / "b.csv", filled(sheet, "ada")))
    assert command("survey", "check", "pilot", "--exclude", "ada").status == 0
    assert "all of 1 submission are excluded (outlier 1)" in (second := said())
    assert "memeloc survey check pilot --out" in second
    assert "still to come" not in first + second
    assert "--next makes" not in first + second
