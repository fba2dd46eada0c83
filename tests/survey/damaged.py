"""Files of answers as the real programs make them, then damaged; and what stands in them.

A file's units are the single answers that it holds: where they stand, whose they are and what was
written. They are counted here by hand, from what was written and not from what was read.
"""

from __future__ import annotations

import csv
import io
import json
import random
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from memeloc.survey.model import Sheet, entry_id
from memeloc.survey.targets.csv.read import COLUMNS
from memeloc.survey.targets.google_forms.plan import plan, question_id
from memeloc.survey.targets.places import item_key
from memeloc.survey.targets.protocol import SurveyPack
from memeloc.survey.taxonomy import SecondQuestion
from memeloc.survey.texts import survey_texts
from tests.survey.packs import pack as small_pack

PEOPLE = tuple(f"5e848123456789012345670{number}" for number in range(4))
SECONDS = {"one": "One person", "many": "Many, or a group"}
_BEFORE = "taxonomy.multi3hate.second.whom"
_LABELS = ("hate", "no-hate", "unknown")


def survey(folder: Path) -> SurveyPack:
    """Two sheets, in English and in Arabic, with a second question after `hate`."""
    texts, parts = {}, []
    for tag, country in (("en", "US"), ("ar", "EG")):
        part = small_pack(folder, tag, country)
        words = {f"{_BEFORE}.question": "Whom?"} | {
            f"{_BEFORE}.answer.{one}": name for one, name in SECONDS.items()
        }
        texts[tag] = survey_texts(part.sheets[0].culture.locale, words)
        parts.append(part)
    second = SecondQuestion("whom", ("hate",), tuple(SECONDS), several=True)
    first, other = parts
    return replace(
        first,
        sheets=(*first.sheets, *other.sheets),
        taxonomy=replace(first.taxonomy, second=second),
        texts=texts,
        codes={**first.codes, **other.codes},
        examples={**first.examples, **other.examples},
    )


@dataclass(frozen=True, slots=True)
class Unit:
    """One answer in a file; `kind` is `label`, `second` or `other`."""

    row: int
    who: str
    entry: str
    words: str
    kind: str = "label"


def chosen(who: str, entry: str) -> tuple[str, str]:
    """The label, and the answer to the second question, that somebody gives."""
    label = _LABELS[sum(map(ord, who + entry)) % 3]
    return label, "many" if label == "hate" else ""


def meaning(pack: SurveyPack) -> dict[str, str]:
    """By words as they are compared, the label that they mean."""
    found = {}
    for texts in pack.texts.values():
        for label in _LABELS:
            found[plain(texts.get(f"taxonomy.multi3hate.label.{label}.name"))] = label
            found[plain(label)] = label
    return found


_MARKS = {
    place: None for place in range(0xE1000) if unicodedata.category(chr(place)) in ("Cf", "Cc")
}


@lru_cache(maxsize=5000)
def plain(text: str) -> str:
    """Words as they are compared: no case, white space, apostrophes or marks of direction."""
    whole = text.encode("utf-8", "backslashreplace").decode()
    folded = unicodedata.normalize("NFKC", whole).casefold()
    kept = folded.translate(_MARKS)
    return "".join(kept.replace("\u2019", "'").replace("'", "").split()).rstrip(".")


# Tables


Key = tuple[str, str]
"""What a column holds: `who`, `time`, `consent`, `label`, `second`, `item`, `meta` or `other`."""


@dataclass
class Table:
    """A table: columns by heading and key, and rows of cells by key."""

    columns: list[tuple[str, Key]]
    rows: list[dict[Key, str] | None]
    above: Callable[[list[tuple[str, Key]]], list[list[str]]] = field(
        default=lambda columns: [[title for title, _ in columns]]
    )
    """The rows of headings."""
    entries: dict[str, str] = field(default_factory=dict)
    """By what an item is called in its column, the entry."""

    def records(self) -> list[list[str]]:
        """All rows as they are saved; None is one of headings."""
        found = self.above(self.columns)
        for row in self.rows:
            if row is None:
                found += self.above(self.columns)
            else:
                found.append([row.get(key, "") for _, key in self.columns])
        return found

    def units(self) -> Iterator[Unit]:
        """The single answers."""
        number = len(self.above(self.columns))
        present = {key for _, key in self.columns}
        for row in self.rows:
            if row is None:
                number += len(self.above(self.columns))
                continue
            number += 1
            who = row.get(("who", ""), "")
            for key, words in row.items():
                if key not in present or not plain(words) or key[0] not in _ANSWERS:
                    continue
                entry = key[1] or self.entries.get(row.get(("item", ""), ""), "?")
                if entry != "consent":
                    yield Unit(number, who, entry, words, key[0])


_ANSWERS = ("label", "second", "other")


def csv_table(pack: SurveyPack, _sheet: Sheet) -> Table:
    """Both sheets, filled by everybody, in one table."""
    keys: list[tuple[str, Key]] = [
        (title, _CSV.get(title, ("meta", title))) for title in (*COLUMNS, "submitted")
    ]
    rows: list[dict[Key, str] | None] = []
    entries = {"consent": "consent"}
    for sheet in pack.sheets:
        texts = pack.texts[sheet.culture.locale.tag]
        for who in PEOPLE:
            for number, name in enumerate(("consent", *map(entry_id, sheet.entries))):
                item = name if name == "consent" else item_key(pack.name, sheet.id, name)
                entries[item] = name
                label, second = chosen(who, name)
                words = texts.get(f"taxonomy.multi3hate.label.{label}.name")
                rows.append(
                    {
                        ("meta", "sheet"): sheet.id,
                        ("meta", "number"): str(number),
                        ("meta", "text"): "A text\nof two lines",
                        ("item", ""): item,
                        ("who", ""): who,
                        ("label", ""): texts.get("consent.yes") if name == "consent" else words,
                        ("second", ""): SECONDS.get(second, "") if name != "consent" else "",
                        ("time", ""): f"2026-03-01T12:{number:02}:00+00:00",
                    }
                )
    return Table(keys, rows, entries=entries)


_CSV: dict[str, Key] = {
    "item": ("item", ""),
    "participant": ("who", ""),
    "answer": ("label", ""),
    "second answer": ("second", ""),
    "submitted": ("time", ""),
}


def google_table(pack: SurveyPack, sheet: Sheet) -> Table:
    """A form's responses."""
    columns: list[tuple[str, Key]] = [("Timestamp", ("time", ""))]
    texts: dict[Key, dict[str, str]] = {}
    for item in plan(pack, sheet).items:
        before, _, entry = item.key.partition(":")
        keys: dict[str, Key] = {
            "consent": ("consent", ""),
            "participant": ("who", ""),
            "declined": ("meta", "declined"),
            "comments": ("other", "comments"),
            "entry": ("label", entry),
            "second": ("second", entry),
        }
        if before in keys and item.kind in ("choice", "choices", "line", "paragraph"):
            columns.append((item.title, keys[before]))
            texts[keys[before]] = {one.id: one.text for one in item.options}
    rows: list[dict[Key, str] | None] = []
    for number, who in enumerate(PEOPLE):
        row: dict[Key, str] = {
            ("time", ""): f"2026/11/21 3:{number:02}:05 PM GMT+1",
            ("who", ""): who,
            ("consent", ""): texts["consent", ""]["yes"],
            ("other", "comments"): f"A comment of {number}",
        }
        for entry in map(entry_id, sheet.entries):
            label, second = chosen(who, entry)
            row["label", entry] = texts["label", entry][label]
            if second:
                row["second", entry] = texts["second", entry][second]
        rows.append(row)
    return Table(columns, rows)


def qsf_table(pack: SurveyPack, sheet: Sheet) -> Table:
    """An export of Qualtrics."""
    names = ["StartDate", "EndDate", "Status", "IPAddress", "Finished", "ResponseId"]
    columns: list[tuple[str, Key]] = [(name, ("meta", name)) for name in names]
    columns[1] = ("EndDate", ("time", ""))
    columns += [("consent", ("consent", "")), ("PROLIFIC_PID", ("who", ""))]
    for entry in map(entry_id, sheet.entries):
        tag = item_key(pack.name, sheet.id, entry)
        columns += [(tag, ("label", entry)), (f"{tag}_second", ("second", entry))]
    rows: list[dict[Key, str] | None] = []
    for number, who in enumerate(PEOPLE):
        row: dict[Key, str] = {
            ("meta", "StartDate"): "2026-03-01 03:00:00",
            ("time", ""): f"2026-03-01 03:{number:02}:00",
            ("meta", "Status"): "IP Address",
            ("meta", "IPAddress"): "192.0.2.7",
            ("meta", "Finished"): "True",
            ("meta", "ResponseId"): f"R_{number}",
            ("consent", ""): "yes",
            ("who", ""): who,
        }
        for entry in map(entry_id, sheet.entries):
            label, second = chosen(who, entry)
            row["label", entry] = label
            if second:
                row["second", entry] = SECONDS[second]
        rows.append(row)

    def above(columns: list[tuple[str, Key]]) -> list[list[str]]:
        marks = [json.dumps({"ImportId": title}, separators=(",", ":")) for title, _ in columns]
        return [
            [title for title, _ in columns],
            [f"What people\nread of {title}" for title, _ in columns],
            marks,
        ]

    return Table(columns, rows, above)


TABLES = {"csv": csv_table, "google-forms": google_table, "qsf": qsf_table}

HOSTILE = (
    "perhaps", "=1+1", "'=1+1", "+1", "@x", "-1", "1", "2.0", "TRUE", "5.9E+23", "nan", "null",
    "../../etc/passwd", "a\x00b", "x;y|z,w", '"', "'", "a\nb", "a\r\nb", "\u202eabc", "\u200f",
    "e\u0301\u0301\u0301", "\U0001f40c", "ß", "ª", "hate,no-hate", "hate;no-hate", "check-1", "m1",
    "{{ 7 * 7 }}", "<b>x</b>", "x" * 300, "long " * 100_000,
)  # fmt: skip
"""What stands in a cell where an answer should."""

TIMES = (
    "", "21.11.2026 15:04:05", "11/21/2026 3:04:05 PM", "3/4/2026 1:00", "٢١/١١/٢٠٢٦ ٣:٠٤:٠٥ م",
    "46347.5", "yesterday", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00",
    "2026-03-01T12:00:00Z", "1772366400", "2026-02-30 10:00:00", "0001-01-01 00:00:00",
)  # fmt: skip


def _some(table: Table, rng: random.Random) -> dict[Key, str]:
    rows = [row for row in table.rows if row is not None]
    return rng.choice(rows) if rows else {}


def _answer(table: Table, rng: random.Random, kinds: Sequence[str] = _ANSWERS) -> Key:
    return rng.choice([key for _, key in table.columns if key[0] in kinds])


def shuffled_columns(table: Table, rng: random.Random) -> None:
    rng.shuffle(table.columns)


def shuffled_rows(table: Table, rng: random.Random) -> None:
    rng.shuffle(table.rows)


def doubled_rows(table: Table, rng: random.Random) -> None:
    for _ in range(3):
        table.rows.insert(rng.randrange(len(table.rows) + 1), dict(_some(table, rng)))


def no_participant(table: Table, rng: random.Random) -> None:
    for _ in range(3):
        _some(table, rng)["who", ""] = ""


def strange_participant(table: Table, rng: random.Random) -> None:
    _some(table, rng)["who", ""] = rng.choice(HOSTILE)


def strange_answer(table: Table, rng: random.Random) -> None:
    for _ in range(2):
        _some(table, rng)[_answer(table, rng)] = rng.choice(HOSTILE)


def strange_second(table: Table, rng: random.Random) -> None:
    row, key = _some(table, rng), _answer(table, rng, ("second",))
    row[key] = rng.choice((*SECONDS.values(), "One person,Many, or a group", *HOSTILE))


def strange_time(table: Table, rng: random.Random) -> None:
    for row in table.rows:
        if row is not None:
            row["time", ""] = rng.choice(TIMES)


def extra_column(table: Table, rng: random.Random) -> None:
    name = rng.choice(("Favourite tea", "", "../x", "i0123456789ab", "=A1", "notes"))
    key = ("other", f"extra {rng.random()}")
    table.columns.insert(rng.randrange(len(table.columns) + 1), (name, key))
    _some(table, rng)[key] = f"tea {rng.random()}"


def renamed_column(table: Table, rng: random.Random) -> None:
    place = rng.choice([n for n, (_, key) in enumerate(table.columns) if key[0] in _ANSWERS])
    table.columns[place] = (rng.choice(("Réponse", "الإجابة", "x")), table.columns[place][1])


def doubled_column(table: Table, rng: random.Random) -> None:
    title, key = rng.choice([one for one in table.columns if one[1][0] in _ANSWERS])
    again = (key[0], f"{key[1]}")
    table.columns.append((title, again))  # the same cells once more


def differing_column(table: Table, rng: random.Random) -> None:
    title, _ = rng.choice([one for one in table.columns if one[1][0] in _ANSWERS])
    key = ("other", f"again {rng.random()}")
    table.columns.append((title, key))
    _some(table, rng)[key] = f"other {rng.random()}"


def headings_again(table: Table, rng: random.Random) -> None:
    table.rows.insert(rng.randrange(len(table.rows) + 1), None)


def blank_rows(table: Table, rng: random.Random) -> None:
    table.rows.insert(rng.randrange(len(table.rows) + 1), {})


TABLE_DAMAGES = {
    one.__name__: one
    for one in (
        shuffled_columns, shuffled_rows, doubled_rows, no_participant, strange_participant,
        strange_answer, strange_second, strange_time, extra_column, renamed_column, doubled_column,
        differing_column, headings_again, blank_rows,
    )
}  # fmt: skip

LEGACY = {"US": "cp1252", "EG": "cp1256"}


def save_table(
    path: Path, records: Sequence[Sequence[str]], encoding: str = "utf-8", delimiter: str = ","
) -> None:
    """Save as CSV; what an old encoding has not is lost, as programs do."""
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=delimiter, lineterminator="\r\n").writerows(records)
    path.write_bytes(text.getvalue().encode(encoding, "replace"))


def save_workbook(path: Path, records: Sequence[Sequence[str]]) -> None:
    """Save as Excel does; what begins with = is a formula."""
    import openpyxl
    from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet()
    for record in records:
        sheet.append([ILLEGAL_CHARACTERS_RE.sub("", cell)[:32_000] or None for cell in record])
    book.save(path)


# JSON


def html_value(pack: SurveyPack, sheet: Sheet) -> Any:
    """What pages of a sheet sent."""
    return [
        {
            "memeloc": "survey-answers",
            "version": 1,
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
                    "second": [one] if (one := chosen(who, entry)[1]) else [],
                    "at": "2026-03-01T12:01:00.000Z",
                }
                for entry in map(entry_id, sheet.entries)
            ],
        }
        for number, who in enumerate(PEOPLE)
    ]


def _leaves(row: int, value: Any) -> Iterator[Unit]:
    """Every text in a value that stands where another thing should."""
    stack = [value]
    while stack:
        one = stack.pop()
        if isinstance(one, dict | list):
            stack += one.values() if isinstance(one, dict) else one
        elif isinstance(one, str) and plain(one):
            yield Unit(row, "", "?", one, "other")


def html_units(value: Any, _: Any) -> Iterator[Unit]:
    for row, one in enumerate(value if isinstance(value, list) else [value], 1):
        if not isinstance(one, dict):
            yield from _leaves(row, one)
            continue
        answers = one.get("answers")
        for answer in answers if isinstance(answers, list) else []:
            if not isinstance(answer, dict):
                yield from _leaves(row, answer)
                continue
            who, entry = str(one.get("participant")), str(answer.get("entry"))
            if isinstance(answer.get("label"), str):
                yield Unit(row, who, entry, answer["label"])
            second = answer.get("second")
            for each in second if isinstance(second, list) else []:
                if isinstance(each, str):
                    yield Unit(row, who, entry, each, "second")


def label_studio_value(pack: SurveyPack, sheet: Sheet) -> Any:
    """An export of tasks with everybody's annotations."""
    tasks = []
    for number, entry in enumerate(map(entry_id, sheet.entries), 1):
        made: list[dict[str, Any]] = []
        for who in PEOPLE:
            label, second = chosen(who, entry)
            moment = f"2026-03-01T10:{number:02}:00.000000Z"
            result = [_region("answer", label)]
            if second:
                result.append(_region("second_answer", second))
            made.append(
                {
                    "id": 100 * number + len(made),
                    "completed_by": {"id": 1, "email": who},
                    "was_cancelled": False,
                    "created_at": moment,
                    "updated_at": moment,
                    "lead_time": 30.0,
                    "result": result,
                }
            )
        data = {"item": item_key(pack.name, sheet.id, entry), "sheet": sheet.id, "text": "x"}
        tasks.append({"id": number, "data": data, "annotations": made})
    return tasks


def _region(name: str, *choices: str) -> dict[str, Any]:
    value = {"choices": list(choices)}
    return {"from_name": name, "to_name": "picture", "type": "choices", "value": value}


def label_studio_units(value: Any, names: dict[str, str]) -> Iterator[Unit]:
    for row, task in enumerate(value if isinstance(value, list) else [], 1):
        if not isinstance(task, dict):
            yield from _leaves(row, task)
            continue
        data = task.get("data")
        item = str(data.get("item")) if isinstance(data, dict) else ""
        several = task.get("annotations")
        for one in several if isinstance(several, list) else []:
            if not isinstance(one, dict):
                yield from _leaves(row, one)
                continue
            by = one.get("completed_by")
            who = str(by.get("email") or by.get("id") if isinstance(by, dict) else by)
            result = one.get("result")
            for region in result if isinstance(result, list) else []:
                if not isinstance(region, dict):
                    yield from _leaves(row, region)
                    continue
                given = region.get("value")
                choices = given.get("choices") if isinstance(given, dict) else None
                kind = {"answer": "label", "second_answer": "second"}.get(
                    str(region.get("from_name")), "other"
                )
                for choice in choices if isinstance(choices, list) else []:
                    if not isinstance(choice, str):
                        continue
                    yield Unit(row, who, names.get(item, "?"), str(choice), kind)


def potato_value(pack: SurveyPack, sheet: Sheet) -> Any:
    """Everybody's states; a list here, a folder a person there."""
    return [
        {
            "user_id": who,
            "current_phase_and_page": ["done", None],
            "phase_to_page_to_label_to_value": {
                "consent": {"consent": [[{"schema": "consent", "name": "yes"}, "yes"]]}
            },
            "instance_id_to_label_to_value": {
                item_key(pack.name, sheet.id, entry): [
                    [{"schema": schema, "name": name}, name]
                    for schema, name in zip(
                        ("answer", "second_answer"), chosen(who, entry), strict=True
                    )
                    if name
                ]
                for entry in map(entry_id, sheet.entries)
            },
        }
        for who in PEOPLE
    ]


def potato_units(value: Any, names: dict[str, str]) -> Iterator[Unit]:
    for row, state in enumerate(value, 1):
        answers = state.get("instance_id_to_label_to_value") if isinstance(state, dict) else None
        for item, pairs in answers.items() if isinstance(answers, dict) else ():
            for pair in pairs if isinstance(pairs, list) else []:
                if not (isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], dict)):
                    yield from _leaves(row, pair)
                    continue
                if not isinstance(pair[0].get("name"), str):
                    continue
                kind = {"answer": "label", "second_answer": "second"}.get(
                    str(pair[0].get("schema")), "other"
                )
                who = str(state.get("user_id"))
                yield Unit(row, who, names.get(item, "?"), str(pair[0].get("name")), kind)


def google_value(pack: SurveyPack, sheet: Sheet) -> Any:
    """Pages of the Forms API's responses."""
    form = plan(pack, sheet)
    ids = form.ids()
    texts = {item.key: {one.id: one.text for one in item.options} for item in form.items}
    responses = []
    for number, who in enumerate(PEOPLE):
        said = {"participant": who, "consent": texts["consent"]["yes"], "comments": "Fine."}
        for entry in map(entry_id, sheet.entries):
            label, second = chosen(who, entry)
            said[f"entry:{entry}"] = texts[f"entry:{entry}"][label]
            if second:
                said[f"second:{entry}"] = texts[f"second:{entry}"][second]
        answers = {
            (own := question_id(ids[key])): {
                "questionId": own,
                "textAnswers": {"answers": [{"value": text}]},
            }
            for key, text in said.items()
        }
        moment = f"2026-11-21T14:0{number}:05.123456789Z"
        responses.append(
            {
                "responseId": f"R{number}",
                "createTime": moment,
                "lastSubmittedTime": moment,
                "answers": answers,
            }
        )
    return responses


def google_units(value: Any, names: dict[str, str]) -> Iterator[Unit]:
    for row, one in enumerate(value if isinstance(value, list) else [], 1):
        if not isinstance(one, dict):
            yield from _leaves(row, one)
            continue
        answers = one.get("answers")
        by_key: dict[str, list[str]] = {}
        for number, answer in answers.items() if isinstance(answers, dict) else ():
            given = answer.get("textAnswers") if isinstance(answer, dict) else None
            listed = given.get("answers") if isinstance(given, dict) else None
            key = names.get(number, "?")
            for each in listed if isinstance(listed, list) else []:
                text = each.get("value") if isinstance(each, dict) else each
                if not isinstance(text, str):
                    continue
                by_key.setdefault(key, []).append(text)
        who = " ".join(by_key.get("participant", []))
        for key, several in by_key.items():
            before, _, entry = key.partition(":")
            kind = {"entry": "label", "second": "second"}.get(before, "other")
            if key not in ("participant", "consent", "declined"):
                for text in several:
                    yield Unit(row, who, entry or "?", text, kind)


VALUES = {
    "html": (html_value, html_units),
    "label-studio": (label_studio_value, label_studio_units),
    "potato": (potato_value, potato_units),
    "google-forms": (google_value, google_units),
}


def names_of(pack: SurveyPack, kind: str, sheet: Sheet) -> dict[str, str]:
    """What the files of a kind call entries; of the Forms API, questions."""
    if kind == "google-forms":
        return {question_id(own): key for key, own in plan(pack, sheet).ids().items()}
    return {item_key(pack.name, sheet.id, one): one for one in map(entry_id, sheet.entries)}


def places_in(value: Any, depth: int = 0) -> Iterator[tuple[Any, Any, int]]:
    """Every container, key and depth in a JSON value."""
    if isinstance(value, dict):
        for key, one in value.items():
            yield value, key, depth
            yield from places_in(one, depth + 1)
    elif isinstance(value, list):
        for key, one in enumerate(value):
            yield value, key, depth
            yield from places_in(one, depth + 1)


ODD: tuple[Any, ...] = (
    None, True, 0, 7, 3.5, float("nan"), 10**40, "", "perhaps", "\ud800", "a\ud83dz", "x\x00y", [],
    {}, [[]], ["hate", "no-hate"], {"choices": "hate"}, "=1+1", "../../x", "long " * 100_000,
    "2026-13-45", "0001-01-01T00:00:00+14:00", "\u2028",
)  # fmt: skip
"""What stands in JSON where another thing should."""


def other_value(value: Any, rng: random.Random) -> None:
    container, key, _ = rng.choice(list(places_in(value)))
    container[key] = rng.choice(ODD)


def doubled_item(value: Any, rng: random.Random) -> None:
    lists = [value] if isinstance(value, list) else []
    lists += [c[k] for c, k, _ in places_in(value) if isinstance(c[k], list) and c[k]]
    one = rng.choice(lists)
    if one:
        one.insert(rng.randrange(len(one) + 1), json.loads(json.dumps(rng.choice(one))))


def lost_key(value: Any, rng: random.Random) -> None:
    found = [(c, k) for c, k, _ in places_in(value) if isinstance(c, dict)]
    if found:
        container, key = rng.choice(found)
        del container[key]


def further_key(value: Any, rng: random.Random) -> None:
    found = [c for c, _, _ in places_in(value) if isinstance(c, dict)]
    if found:
        rng.choice(found)[rng.choice(("../x", "", "\udfff", "note"))] = "a note"


def shuffled_items(value: Any, rng: random.Random) -> None:
    if isinstance(value, list):
        rng.shuffle(value)


JSON_DAMAGES = {
    one.__name__: one for one in (other_value, doubled_item, lost_key, further_key, shuffled_items)
}
