"""Files of answers as the real programs make them, with what stands in each of their rows."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from memeloc.survey.model import Sheet, entry_id
from memeloc.survey.targets.csv import COLUMNS, columns_of
from memeloc.survey.targets.google_forms.forms import QUESTIONS, plan, question_id
from memeloc.survey.targets.places import item_key
from memeloc.survey.targets.protocol import SheetsToSend
from memeloc.survey.texts import survey_texts
from memeloc.taxonomy import Question
from tests.survey.packs import pack as small_pack

PEOPLE = tuple(f"5e848123456789012345670{number}" for number in range(4))
SECONDS = {"one": "One person", "many": "Many, or a group"}
_BEFORE = "taxonomy.multi3hate.questions.whom"
_LABELS = ("hate", "no-hate", "unknown")

Said = dict[tuple[str, str], str]
"""By participant and entry, the label."""


@dataclass
class Table:
    """A table: rows of headings, and rows with what stands in each."""

    headings: list[list[str]]
    rows: list[tuple[list[str], Said]]

    def add_column(self, title: str, place: int, cells: Sequence[str]) -> None:
        """Insert a column; only the first row of headings has its title."""
        for number, heading in enumerate(self.headings):
            heading.insert(place, title if number == 0 else heading[0])
        for (row, _), cell in zip(self.rows, cells, strict=True):
            row.insert(place, cell)


def survey(folder: Path) -> SheetsToSend:
    """Two sheets, in English and in Arabic, with a further question after `hate`."""
    texts, packs = {}, []
    for tag, country in (("en", "US"), ("ar", "EG")):
        one = small_pack(folder, tag, country)
        own = {f"{_BEFORE}.text": "Whom?"}
        own |= {f"{_BEFORE}.answer.{answer}": name for answer, name in SECONDS.items()}
        texts[tag] = survey_texts(one.sheets[0].culture.locale, own)
        packs.append(one)
    whom = Question("whom", "choices", tuple(SECONDS), when={"label": ("hate",)})
    first, other = packs
    return replace(
        first,
        sheets=(*first.sheets, *other.sheets),
        taxonomy=replace(first.taxonomy, questions=(whom,)),
        texts=texts,
        codes={**first.codes, **other.codes},
        examples={**first.examples, **other.examples},
    )


def chosen(who: str, entry: str) -> tuple[str, str]:
    """The label, and the answer to the further question, that somebody gives."""
    label = _LABELS[sum(map(ord, who + entry)) % 3]
    return label, "many" if label == "hate" else ""


def _said(sheet: Sheet, *people: str) -> Said:
    return {
        (who, entry): chosen(who, entry)[0]
        for who in people
        for entry in map(entry_id, sheet.entries)
    }


def csv_table(pack: SheetsToSend, sheet: Sheet) -> Table:
    """A sheet that everybody filled in, a row an answer."""
    texts, rows = pack.texts[sheet.culture.locale.tag], []
    for who in PEOPLE:
        for number, entry in enumerate(("consent", *map(entry_id, sheet.entries))):
            asked = entry != "consent"
            label, second = chosen(who, entry)
            name = texts.get(f"taxonomy.multi3hate.label.{label}.name")
            columns = (*COLUMNS, *columns_of(pack.taxonomy), "submitted")
            cells = dict.fromkeys(columns, "") | {
                "sheet": sheet.id,
                "number": str(number),
                "item": item_key(pack.name, sheet.id, entry) if asked else entry,
                "text": "A text\nof two lines",
                "participant": who,
                "answer": name if asked else texts.get("consent.yes"),
                "whom": SECONDS.get(second, "") if asked else "",
                "submitted": f"2026-03-01T12:{number:02}:00+00:00",
            }
            rows.append((list(cells.values()), {(who, entry): label} if asked else {}))
    return Table([[*COLUMNS, *columns_of(pack.taxonomy), "submitted"]], rows)


def forms_table(pack: SheetsToSend, sheet: Sheet) -> Table:
    """A form's responses."""
    items = [item for item in plan(pack, sheet).items if item.kind in QUESTIONS]
    rows = []
    for number, who in enumerate(PEOPLE):
        row = [f"2026/11/21 3:{number:02}:05 PM GMT+1"]
        for item in items:
            kind, entry = item.key.partition(":")[0], item.key.rpartition(":")[2]
            options = {option.id: option.text for option in item.options}
            label, second = chosen(who, entry)
            answers = {"participant": who, "consent": options.get("yes", ""), "comments": ""}
            answers |= {"entry": options.get(label, ""), "further": options.get(second, "")}
            row.append(answers.get(kind, ""))
        rows.append((row, _said(sheet, who)))
    return Table([["Timestamp", *(item.title for item in items)]], rows)


def qsf_table(pack: SheetsToSend, sheet: Sheet) -> Table:
    """An export of Qualtrics."""
    tags = {entry: item_key(pack.name, sheet.id, entry) for entry in map(entry_id, sheet.entries)}
    titles = ["StartDate", "EndDate", "Status", "Finished", "ResponseId", "consent", "PROLIFIC_PID"]
    titles += [title for tag in tags.values() for title in (tag, f"{tag}_q1")]
    marks = [json.dumps({"ImportId": title}, separators=(",", ":")) for title in titles]
    rows = []
    for number, who in enumerate(PEOPLE):
        row = ["2026-03-01 03:00:00", f"2026-03-01 03:{number:02}:00", "IP Address", "True"]
        row += [f"R_{number}", "yes", who]
        for entry in tags:
            label, second = chosen(who, entry)
            row += [label, SECONDS.get(second, "")]
        rows.append((row, _said(sheet, who)))
    return Table([titles, [f"What people\nread of {title}" for title in titles], marks], rows)


def html_values(pack: SheetsToSend, sheet: Sheet) -> list[tuple[Any, Said]]:
    """What pages of a sheet sent."""
    return [
        (
            {
                "memeloc": "survey-answers",
                "survey": pack.name,
                "sheet": sheet.id,
                "submission": f"0f{number}",
                "participant": who,
                "status": "complete",
                "started": "2026-03-01T12:00:00.000Z",
                "submitted": "2026-03-01T12:04:00.000Z",
                "code": "DONE-7",
                "comments": "",
                "answers": [
                    {
                        "entry": entry,
                        "label": chosen(who, entry)[0],
                        "further": {"whom": [second]} if second else {},
                    }
                    for entry in map(entry_id, sheet.entries)
                    for second in [chosen(who, entry)[1]]
                ],
            },
            _said(sheet, who),
        )
        for number, who in enumerate(PEOPLE)
    ]


def label_studio_values(pack: SheetsToSend, sheet: Sheet) -> list[tuple[Any, Said]]:
    """An export of tasks with everybody's annotations."""
    tasks = []
    for number, entry in enumerate(map(entry_id, sheet.entries), 1):
        moment = f"2026-03-01T10:{number:02}:00.000000Z"
        annotations = [
            {
                "id": 100 * number + place,
                "completed_by": {"id": who, "email": f"{place}@university.example"},
                "was_cancelled": False,
                "created_at": moment,
                "updated_at": moment,
                "lead_time": 30.0,
                "result": [
                    {"from_name": name, "to_name": "picture", "value": {"choices": [choice]}}
                    for name, choice in zip(("q-label", "q-whom"), chosen(who, entry), strict=True)
                    if choice
                ],
            }
            for place, who in enumerate(PEOPLE)
        ]
        data = {"item": item_key(pack.name, sheet.id, entry), "sheet": sheet.id, "text": "x"}
        task = {"id": number, "data": data, "annotations": annotations}
        tasks.append((task, {(who, entry): chosen(who, entry)[0] for who in PEOPLE}))
    return tasks


def forms_values(pack: SheetsToSend, sheet: Sheet) -> list[tuple[Any, Said]]:
    """Responses of the Forms API."""
    form = plan(pack, sheet)
    ids, rows = form.ids(), forms_table(pack, sheet)
    keys = {item.title: item.key for item in form.items}
    responses = []
    for number, (row, message) in enumerate(rows.rows):
        answers = {
            question_id(ids[keys[title]]): {"textAnswers": {"answers": [{"value": text}]}}
            for title, text in zip(rows.headings[0], row, strict=True)
            if title in keys and text
        }
        moment = f"2026-11-21T14:0{number}:05.123456789Z"
        times = {"createTime": moment, "lastSubmittedTime": moment}
        responses.append(({"responseId": f"R{number}", **times, "answers": answers}, message))
    return responses


TABLES: dict[str, Callable[[SheetsToSend, Sheet], Table]] = {
    "csv": csv_table,
    "google-forms": forms_table,
    "qsf": qsf_table,
}
VALUES: dict[str, Callable[[SheetsToSend, Sheet], list[tuple[Any, Said]]]] = {
    "html": html_values,
    "label-studio": label_studio_values,
    "google-forms": forms_values,
}
PROLIFIC = "\n".join(
    [
        "Submission id,Participant id,Status,Completed at,Time taken,Completion code,Nationality,"
        "Country of birth,Country of residence,Language",
        *(
            f"6e848123456789012345670{number},{who},AWAITING REVIEW,2026-03-01T12:00:00Z,300,"
            "DONE-7,United States,United States,United States,English"
            for number, who in enumerate(PEOPLE)
        ),
        "",
    ]
)
