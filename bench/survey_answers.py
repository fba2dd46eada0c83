"""A survey of 100,000 answers, for the bench. In: a seed. Out: sheets, people, and their files.

The files are those that come back from the csv and google-forms targets, with all their columns
and in five languages; people are simulated, careless and hurried ones among them.
"""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from examples.simulation import simulate, truths
from memeloc.survey.model import MemeEntry, Participant, Sheet, Submission, entry_id
from memeloc.survey.targets.csv import COLUMNS
from memeloc.survey.targets.google_forms.forms import plan, question_id, question_key
from memeloc.survey.targets.instructions import SheetTexts
from memeloc.survey.targets.places import CONSENT, item_key
from memeloc.survey.targets.protocol import SheetsToSend
from memeloc.taxonomy import LABEL
from memeloc.workspace import Workspace

FACTS = {
    "US": ("United States", "English"),
    "DE": ("Germany", "German"),
    "MX": ("Mexico", "Spanish"),
    "IN": ("India", "Hindi"),
    "CN": ("China", "Mandarin"),
}
"""What Prolific says of people of each: their country and first language."""


def written_pack(workspace: Workspace, survey: str) -> SheetsToSend:
    """A survey as `memeloc survey import` knows it, for writing the files that it reads."""
    return workspace.survey(survey).as_sent()[0]


def people(pack: SheetsToSend) -> list[Submission]:
    """What was sent, in the order of its sending."""
    meme_ids = {person for sheet in pack.sheets for person in _meme_ids(sheet)}
    truth = truths(sorted(meme_ids), list(FACTS), pack.taxonomy, seed=6)
    simulated = simulate(pack.sheets, pack.taxonomy, truth, seed=6, codes=pack.codes)
    return [person.submission for person in simulated if person.submission is not None]


def recruited(pack: SheetsToSend, sent: Iterable[Submission]) -> list[Participant]:
    """What Prolific says of them."""
    culture = {sheet.id: sheet.culture.code for sheet in pack.sheets}
    participants = []
    for submission in sent:
        country, language = FACTS[culture[submission.sheet]]
        facts = {
            "nationality": country,
            "country_of_birth": country,
            "residence": country,
            "first_language": language,
        }
        participants.append(
            Participant(
                submission.participant,
                facts,
                submission.id,
                submission.sheet,
                "AWAITING REVIEW",
                400.0,
            )
        )
    return participants


def write_csv(pack: SheetsToSend, sent: Iterable[Submission], folder: Path) -> list[Path]:
    """A table a culture: the filled rows of all its sheets under one another."""
    by_sheet = _by_sheet(sent)
    paths = []
    for code in FACTS:
        path = folder / f"{code}.csv"
        with path.open("w", encoding="utf-8-sig", newline="") as stream:
            writer = csv.DictWriter(stream, COLUMNS, restval="")
            writer.writeheader()
            for sheet in pack.sheets:
                if sheet.culture.code == code:
                    writer.writerows(_csv_rows(pack, sheet, by_sheet[sheet.id]))
        paths.append(path)
    return paths


def _csv_rows(
    pack: SheetsToSend, sheet: Sheet, sent: Sequence[Submission]
) -> Iterator[dict[str, str]]:
    texts = SheetTexts(pack, sheet)
    items, choices = list(texts.items()), " | ".join(texts.labels.values())
    for submission in sent:
        consent = "consent.no" if submission.status == "no consent" else "consent.yes"
        labels_given = {answer.entry: answer.label for answer in submission.answers}
        yield {
            "sheet": sheet.id,
            "item": CONSENT,
            "participant": submission.participant,
            "answer": texts.get(consent),
        }
        for item, entry in zip(items, sheet.entries, strict=True):
            label = labels_given.get(entry_id(entry))
            yield {
                "sheet": sheet.id,
                "number": str(item.number),
                "item": item.key,
                "picture": f"pictures/{sheet.id}/{item.key}.jpg",
                "text": item.text,
                "question": texts.question,
                "choose from": choices,
                "participant": submission.participant,
                "answer": "" if label is None else texts.labels[label],
            }


def write_forms(
    pack: SheetsToSend, sent: Iterable[Submission], tables: Path, forms: Path, responses: Path
) -> None:
    """What Google Forms gives out, in three ways.

    Args:
        pack: the survey.
        sent: by whom it was filled.
        tables: folder for a table a culture, in which those of its forms were put together, with a
            column that says which sheet a row is of.
        forms: folder for a CSV a form, as it is downloaded.
        responses: file for the API's responses, of all forms.
    """
    by_sheet = _by_sheet(sent)
    pages = []
    for code in FACTS:
        titles: dict[str, None] = {}
        rows: list[dict[str, str]] = []
        for sheet in pack.sheets:
            if sheet.culture.code != code:
                continue
            form = plan(pack, sheet)
            ids = form.ids()
            own: list[dict[str, str]] = []
            page = []
            for submission in by_sheet[sheet.id]:
                moment = submission.submitted
                assert moment is not None
                texts = dict(_form_texts(pack, sheet, submission))
                named = {item.title: texts[item.key] for item in form.items if item.key in texts}
                time = moment.strftime("%Y/%m/%d %I:%M:%S %p GMT")
                own.append({"Timestamp": time, **named})
                page.append(
                    {
                        "responseId": submission.id,
                        "createTime": moment.isoformat(),
                        "lastSubmittedTime": moment.isoformat(),
                        "answers": {
                            question_id(ids[key]): {
                                "questionId": question_id(ids[key]),
                                "textAnswers": {"answers": [{"value": text}]},
                            }
                            for key, text in texts.items()
                        },
                    }
                )
            asked = [item.title for item in form.items if item.options or item.kind == "line"]
            _write_table(forms / f"{sheet.id}.csv", ["Timestamp", *asked], own)
            titles |= dict.fromkeys(asked)
            rows += [{"sheet": sheet.id, **row} for row in own]
            pages.append({"responses": page})
        # People's ids stand under the title that the first form has.
        _write_table(tables / f"{code}.csv", ["sheet", "Timestamp", *titles], rows)
    responses.write_text(json.dumps(pages, ensure_ascii=False), encoding="utf-8")


def _form_texts(
    pack: SheetsToSend, sheet: Sheet, submission: Submission
) -> Iterator[tuple[str, str]]:
    """Keys of a form's questions, and what was answered."""
    texts = pack.texts[sheet.culture.locale.tag]
    labels = SheetTexts(pack, sheet).labels
    yield "consent", texts.get("consent.no" if submission.status == "no consent" else "consent.yes")
    if submission.status == "no consent":
        return
    yield "participant", submission.participant
    for answer in submission.answers:
        yield f"entry:{answer.entry}", labels[answer.label]
        for question, values in answer.values.items():
            if question != LABEL:
                yield question_key(answer.entry, question), ";".join(values)


def write_qsf(pack: SheetsToSend, sent: Iterable[Submission], folder: Path) -> None:
    """A CSV a sheet, as Qualtrics exports it: three rows of headings, answers as numbers."""
    by_sheet = _by_sheet(sent)
    labels = {label.id: str(number) for number, label in enumerate(pack.taxonomy.labels, 1)}
    for sheet in pack.sheets:
        keys = {
            entry_id(entry): item_key(pack.name, sheet.id, entry_id(entry))
            for entry in sheet.entries
        }
        titles = ["StartDate", "EndDate", "Finished", "ResponseId", "consent", "PROLIFIC_PID"]
        titles += keys.values()
        headings = [
            {title: f"What people read of {title}" for title in titles},
            {title: json.dumps({"ImportId": title}, separators=(",", ":")) for title in titles},
        ]
        rows = [
            {
                "StartDate": f"{submission.started:%Y-%m-%d %H:%M:%S}",
                "EndDate": f"{submission.submitted:%Y-%m-%d %H:%M:%S}",
                "Finished": "True",
                "ResponseId": submission.id,
                "consent": "2" if submission.status == "no consent" else "1",
                "PROLIFIC_PID": submission.participant,
                **{keys[answer.entry]: labels[answer.label] for answer in submission.answers},
            }
            for submission in by_sheet[sheet.id]
        ]
        _write_table(folder / f"{sheet.id}.csv", titles, [*headings, *rows])


def write_plain(pack: SheetsToSend, sent: Iterable[Submission], path: Path) -> None:
    """A row an answer to a meme, with as many columns about people as published tables have."""
    cultures = {sheet.id: sheet.culture.code for sheet in pack.sheets}
    memes = {sheet.id: set(sheet.memes) for sheet in pack.sheets}
    facts = {f"fact {number}": "DATA_EXPIRED" for number in range(20)}
    titles = ("participant", "item", "answer", "country", "time", *facts)
    rows = (
        {
            "participant": submission.participant,
            "item": answer.entry,
            "answer": answer.label,
            "country": cultures[submission.sheet],
            "time": f"{submission.submitted:%Y-%m-%dT%H:%M:%SZ}",
            **facts,
        }
        for submission in sent
        for answer in submission.answers
        if answer.entry in memes[submission.sheet]
    )
    _write_table(path, titles, rows)


def _write_table(path: Path, titles: Sequence[str], rows: Iterable[dict[str, str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, titles, restval="")
        writer.writeheader()
        writer.writerows(rows)


def _by_sheet(sent: Iterable[Submission]) -> dict[str, list[Submission]]:
    by_sheet: dict[str, list[Submission]] = defaultdict(list)
    for submission in sent:
        by_sheet[submission.sheet].append(submission)
    return by_sheet


def _meme_ids(sheet: Sheet) -> list[str]:
    return [entry.meme_id for entry in sheet.entries if isinstance(entry, MemeEntry)]
