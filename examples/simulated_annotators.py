"""Annotators of a survey, simulated: careful ones, careless, hurried, absent, and some twice.

    simulated_annotators.py SURVEY EXPORTS INTO [--seed N]

Fills the newest round of a survey of the workspace here. Each sheet is filled in one of the targets
it was exported to, and what comes back is written as that program writes it: the files that a web
page saves, a table of Google Forms, a CSV, an export of Label Studio, and an
export of Qualtrics; beside them, Prolific's export for each sheet. INTO/retained.csv has what
those people answered whom quality control is to retain, and nobody reads it but the check at the
end of survey.sh.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections import defaultdict
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

from memeloc.survey.model import Check, Sheet, Submission, entry_id
from memeloc.survey.targets.places import item_key
from memeloc.survey.targets.protocol import SheetsToSend
from memeloc.taxonomy import LABEL
from memeloc.workspace import Workspace

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from examples.simulation import START, Simulated, saved_page, simulate, truths

COUNTRIES = {
    "US": ("United States", "English"),
    "DE": ("Germany", "German"),
    "MX": ("Mexico", "Spanish"),
    "IN": ("India", "Hindi"),
    "CN": ("China", "Mandarin"),
}

ANSWERED = ("choice", "choices", "scale", "line", "paragraph")
"""Kinds of items of a form that are columns of its table."""

Write = Callable[[SheetsToSend, Sheet, Sequence[Submission], Path, Path], None]


def html(
    pack: SheetsToSend, sheet: Sheet, sent: Sequence[Submission], exports: Path, into: Path
) -> None:
    """What the page of a sheet saves, a file a person."""
    assert (exports / "html" / f"{sheet.id}.html").exists()
    for submission in sent:
        value = saved_page(pack.name, submission)
        (into / f"{sheet.id}-{submission.participant}.json").write_text(json.dumps(value))


def further_by_key(submission: Submission, key: str) -> dict[str, tuple[str, ...]]:
    """The answers to further questions, by a text with the question's and the entry's id."""
    return {
        key.format(question=name, entry=answer.entry): values
        for answer in submission.answers
        for name, values in answer.values.items()
        if name != LABEL
    }


def google_forms(
    _pack: SheetsToSend, sheet: Sheet, sent: Sequence[Submission], exports: Path, into: Path
) -> None:
    """The table of responses that Google Forms gives out; an unsent form leaves nothing."""
    form = json.loads((exports / "google-forms" / "forms" / f"{sheet.id}.json").read_text("utf-8"))
    asked = [one for one in form["items"] if one["kind"] in ANSWERED]
    with (into / f"{sheet.id}.csv").open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["Timestamp", *(question["title"] for question in asked)])
        for submission in sent:
            if submission.status == "returned" or submission.submitted is None:
                continue
            agreed = submission.status != "no consent"
            given = further_by_key(submission, "further:{question}:{entry}")
            given |= {f"entry:{each.entry}": (each.label,) for each in submission.answers}
            row = [submission.submitted.strftime("%Y/%m/%d %I:%M:%S %p GMT+0")]
            for question in asked:
                texts = [option["text"] for option in question["options"]]
                names = {option["id"]: option["text"] for option in question["options"]}
                if question["key"] == "consent":
                    row.append(texts[0 if agreed else 1])
                elif question["key"] == "participant":
                    row.append(submission.participant if agreed else "")
                elif question["key"] == "declined":
                    row.append("" if agreed else texts[0])
                elif question["key"] in given:
                    row.append(", ".join(names.get(each, each) for each in given[question["key"]]))
                else:
                    row.append("")
            writer.writerow(row)


def table(
    pack: SheetsToSend, sheet: Sheet, sent: Sequence[Submission], exports: Path, into: Path
) -> None:
    """The CSV of a sheet as a spreadsheet program saves it, one a person."""
    with (exports / "csv" / f"{sheet.id}.csv").open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.DictReader(stream))
    labels = [label.id for label in pack.taxonomy.labels]
    for number, submission in enumerate(sent):
        given = {
            item_key(pack.name, sheet.id, answer.entry): answer for answer in submission.answers
        }
        agreed = submission.status != "no consent"
        filled = []
        for row in rows:
            words = row["choose from"].split(" | ")
            typed = {"participant": submission.participant, "answer": ""}
            if row["item"] == "consent":
                typed["answer"] = words[0 if agreed else 1]
            elif answer := given.get(row["item"]):
                if answer.label:
                    typed["answer"] = words[labels.index(answer.label)]
                typed |= {
                    name: " | ".join(values)
                    for name, values in answer.values.items()
                    if name != LABEL
                }
            filled.append({**row, **typed})
        with (into / f"{sheet.id}-{number}.csv").open("w", encoding="utf-8", newline="") as stream:
            writer = csv.DictWriter(stream, list(rows[0]), delimiter=";")
            writer.writeheader()
            writer.writerows(filled)


def label_studio(
    _pack: SheetsToSend, sheet: Sheet, sent: Sequence[Submission], exports: Path, into: Path
) -> None:
    """Label Studio's JSON export: the tasks with everybody's annotations."""
    tasks = json.loads((exports / "label-studio" / sheet.id / "tasks.json").read_text("utf-8"))
    keys = {
        item_key(_pack.name, sheet.id, entry_id(entry)): entry_id(entry) for entry in sheet.entries
    }
    out = []
    for number, task in enumerate(tasks, 1):
        made: list[dict[str, Any]] = []
        for submission in sent:
            given = {answer.entry: answer for answer in submission.answers}
            answer = given.get(keys[task["data"]["item"]])
            if answer is None or submission.started is None or submission.submitted is None:
                continue
            share = (submission.submitted - submission.started) / len(sheet.entries)
            moment = submission.started + number * share
            made.append(
                {
                    "id": 1000 * number + len(made),
                    "completed_by": {"email": submission.participant},
                    "was_cancelled": False,
                    "created_at": moment.isoformat(),
                    "updated_at": moment.isoformat(),
                    "lead_time": share.total_seconds(),
                    "result": [
                        {
                            "from_name": f"q-{question}",
                            "to_name": "shown",
                            "type": "choices",
                            "value": {"choices": list(values)},
                        }
                        for question, values in answer.values.items()
                        if all(values)
                    ],
                }
            )
        out.append({"id": number, "data": task["data"], "annotations": made})
    (into / f"{sheet.id}.json").write_text(json.dumps(out), encoding="utf-8")


def qualtrics(
    pack: SheetsToSend, sheet: Sheet, sent: Sequence[Submission], exports: Path, into: Path
) -> None:
    """Qualtrics' CSV export, with its three rows of headings."""
    assert (exports / "qsf" / f"{sheet.id}.qsf").exists()
    keys = [
        f"{item_key(pack.name, sheet.id, entry_id(entry))}{tag}"
        for entry in sheet.entries
        for tag in ("", *(f"_q{number}" for number, _ in enumerate(pack.taxonomy.questions, 1)))
    ]
    numbers = {each.id: number for number, each in enumerate(pack.taxonomy.questions, 1)}
    names = ["StartDate", "EndDate", "Status", "Finished", "ResponseId", "consent", "PROLIFIC_PID"]
    texts = pack.texts[sheet.culture.locale.tag]
    with (into / f"{sheet.id}.csv").open("w", encoding="utf-8-sig", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow([*names, *keys])
        writer.writerow([f"What people read of {name}" for name in (*names, *keys)])
        zone = {"StartDate": {"timeZone": "Etc/UTC"}, "EndDate": {"timeZone": "Etc/UTC"}}
        writer.writerow(
            [json.dumps({"ImportId": name, **zone.get(name, {})}) for name in (*names, *keys)]
        )
        for submission in sent:
            given = {}
            for answer in submission.answers:
                key = item_key(pack.name, sheet.id, answer.entry)
                given[key] = answer.label
                given |= {
                    f"{key}_q{number}": ",".join(answer.get(name))
                    for name, number in numbers.items()
                    if name in answer.values
                }
            agreed = "consent.no" if submission.status == "no consent" else "consent.yes"
            times = [
                at.strftime("%Y-%m-%d %H:%M:%S") if at else ""
                for at in (submission.started, submission.submitted)
            ]
            ended = str(submission.status != "returned")
            row = [
                *times,
                "IP Address",
                ended,
                f"R_{submission.id}",
                texts.get(agreed),
                submission.participant,
            ]
            writer.writerow([*row, *(given.get(key, "") for key in keys)])


WRITERS: dict[str, Write] = {
    "html": html,
    "google-forms": google_forms,
    "csv": table,
    "label-studio": label_studio,
    "qsf": qualtrics,
}


def prolific(sheet: Sheet, people: Sequence[Simulated], into: Path) -> None:
    """Prolific's export of the study of a sheet: who took a place, and what became of it."""
    columns = (
        "Submission id",
        "Participant id",
        "Status",
        "Started at",
        "Completed at",
        "Time taken",
        "Completion code",
        "Country of birth",
        "Country of residence",
        "Nationality",
        "Language",
        "Sex",
    )
    country, language = COUNTRIES[sheet.culture.code]
    with (into / f"{sheet.id}.csv").open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(columns)
        for number, person in enumerate(people):
            sent = person.submission
            status = "TIMED-OUT" if sent is None else "AWAITING REVIEW"
            if sent is not None and sent.status in ("returned", "no consent"):
                status = "RETURNED"
            start = START if sent is None or sent.started is None else sent.started
            end = start + timedelta(hours=1) if sent is None else sent.submitted or start
            writer.writerow(
                (
                    sent.id if sent else f"{number:024x}",
                    person.participant,
                    status,
                    start.isoformat(),
                    end.isoformat() if sent else "",
                    round((end - start).total_seconds()) if sent else "",
                    sent.code if sent else "",
                    country,
                    country,
                    country,
                    language,
                    "Female" if number % 2 else "Male",
                )
            )


def main() -> None:
    """Fill the newest round."""
    parser = argparse.ArgumentParser()
    parser.add_argument("survey")
    parser.add_argument("exports", type=Path)
    parser.add_argument("into", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    with Workspace.find() as workspace:
        survey = workspace.survey(chosen.survey)
        pack = survey.as_sent()[0]
    newest = [sheet for sheet in pack.sheets if sheet.round == survey.rounds[-1]]
    truth = truths(
        list(survey.memes),
        [culture.code for culture in survey.design.cultures],
        survey.taxonomy,
        seed=chosen.seed,
    )
    people = simulate(newest, survey.taxonomy, truth, seed=chosen.seed, codes=pack.codes)
    by_sheet: dict[str, list[Simulated]] = defaultdict(list)
    for person in people:
        by_sheet[person.sheet].append(person)
    targets = [target for target in WRITERS if (chosen.exports / target).is_dir()]
    for number, sheet in enumerate(newest):
        # Each culture meets every target in turn.
        batch, culture = divmod(number, len(survey.design.cultures))
        target = targets[(batch + culture) % len(targets)]
        into = chosen.into / target
        into.mkdir(parents=True, exist_ok=True)
        sent = [person.submission for person in by_sheet[sheet.id] if person.submission is not None]
        WRITERS[target](pack, sheet, sent, chosen.exports, into)
        service = chosen.into / "prolific"
        service.mkdir(parents=True, exist_ok=True)
        prolific(sheet, by_sheet[sheet.id], service)
    checks = {
        entry_id(entry) for sheet in newest for entry in sheet.entries if isinstance(entry, Check)
    }
    cultures = {sheet.id: sheet.culture.code for sheet in newest}
    with (chosen.into / "retained.csv").open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(("item", "culture", "participant", "label"))
        for person in people:
            if person.good and person.submission is not None:
                for answer in person.submission.answers:
                    if answer.entry not in checks:
                        row = (
                            answer.entry,
                            cultures[person.sheet],
                            person.participant,
                            answer.label,
                        )
                        writer.writerow(row)
    kinds: dict[str, int] = defaultdict(int)
    for person in people:
        kinds[person.kind] += 1
    print(", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items())))


if __name__ == "__main__":
    main()
