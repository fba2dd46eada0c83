"""The form of correction sheets. In: a sheet. Out: a form of `memeloc.sheets`, and its rows.

A row is a part of a caption. Its key says what it is about, whatever happens to the rest of the
file: `SHEET|MEME|PART|SOURCE|BASE`, with the part counted from 1 and the two text keys of the whole
caption.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from memeloc.correct.model import GIVEN_UP, STATUSES, Answer, Sheet, SheetItem
from memeloc.correct.statuses import EMPTY, languages, sheet_texts, status_words
from memeloc.glossary import terms_in
from memeloc.sheets import Alternative, SheetColumn, SheetForm, SheetPicture

PAGE = "Captions"
"""The worksheet's name, in all languages."""

COLUMNS = (
    SheetColumn("key", "key"),
    SheetColumn("picture", "picture", 25),
    SheetColumn("meme_id", also=("meme", "meme id", "id")),
    SheetColumn("box", width=10),
    SheetColumn("part", width=5, also=("part number", "no")),
    SheetColumn("source", "source", 34),
    SheetColumn("source before", width=34, optional=True),
    SheetColumn("to be corrected", "text", 34, also=("machine", "machine translation", "mt")),
    SheetColumn("suggestion", "hint", 34, optional=True),
    SheetColumn(
        "your text", "answer", 40,
        also=("text", "translation", "correction", "corrected text", "target"),
    ),
    SheetColumn("length", "count", 7),
    SheetColumn("room", "room", 6),
    SheetColumn("status", "status", 26, also=("state",)),
    SheetColumn("comment", "note", 30, also=("comments", "note", "notes")),
    SheetColumn("marks", width=18),
    SheetColumn("history", width=44, optional=True),
    SheetColumn("glossary", width=30, optional=True),
    SheetColumn("translation memory", width=40, optional=True),
    SheetColumn("language", "fact"),
    SheetColumn("round", "fact"),
    SheetColumn("person", "fact"),
)  # fmt: skip
NEEDED = (
    ("your text", "key"),
    ("your text", "source"),
    ("your text", "meme_id", "part"),
)
"""Sets of columns of which one says what each row is about."""
_HIDDEN = {
    "transcript": {"source", "room"},
    "survey": {"picture", "box", "length", "room"},
}
"""By kind of sheet, the columns that say nothing to a person who fills it in."""
_PICTURE_SIDE = 170


def all_columns() -> tuple[SheetColumn, ...]:
    """Return the columns with their headings in every language, as sheets come back."""
    return tuple(
        replace(column, also=(*column.also, *filter(None, headings)))
        for column in COLUMNS
        for headings in [[sheet_texts(tag).get(column.name, "") for tag in languages()]]
    )


def sheet_form(sheet: Sheet) -> SheetForm:
    """Return the form of a sheet, in the language of its text or else in English."""
    tag = sheet.language.tag
    words, texts = status_words(tag), sheet_texts(tag)
    statuses = [*STATUSES[sheet.kind], *([] if sheet.kind == "survey" else [EMPTY])]
    hidden = _HIDDEN.get(sheet.kind, set())
    columns = [
        replace(
            column,
            heading=texts.get(column.name, ""),
            hidden=column.name in hidden,
            choices=tuple(words[status] for status in statuses) * (column.kind == "status"),
        )
        for column in COLUMNS
    ]
    headings = {name: texts.get(name, name) for name in ("your text", "room", "length")}
    how = texts[f"how {sheet.kind}"].format(
        correct=words["correct"],
        no_text=words["no-text"],
        empty=words[EMPTY],
        text=headings.pop("your text"),
        **headings,
    )
    return SheetForm(
        title=PAGE,
        columns=tuple(columns),
        how=(texts["how"], how),
        guide=sheet.guide,
        facts={"language": tag, "round": str(sheet.round), "person": sheet.person},
        language=sheet.language,
        source=sheet.source_language,
        together="meme_id",
        side=_PICTURE_SIDE,
        braces=sheet.kind == "survey",
    )


def sheet_rows(sheet: Sheet) -> list[dict[str, Any]]:
    """Return the rows of a sheet, without what a person fills in."""
    return [
        {
            "key": key_of(sheet, item, number),
            "picture": _picture(item),
            "meme_id": item.meme_id,
            "box": part_of(item.boxes, number),
            "part": number,
            "source": source,
            "source before": part_of(item.before, number),
            "to be corrected": part_of(item.base, number),
            "suggestion": _suggestion(item, number),
            "room": item.capacities[number - 1] or "" if item.capacities else "",
            "marks": "; ".join(item.remarks),
            "history": list(_history(sheet, item, number)),
            "glossary": [
                str(term) for term in terms_in(item.terms, [source], sheet.source_language)
            ],
            "translation memory": list(_matches(item, number)),
        }
        for item in sheet.items
        for number, source in enumerate(item.source, 1)
    ]


def key_of(sheet: Sheet, item: SheetItem, part: int) -> str:
    """Return the key of a part of an item, `part` counted from 1."""
    return f"{sheet.id}|{item.meme_id}|{part}|{item.source_key}|{item.base_key}"


def split_key(key: str) -> tuple[str, str, int, str] | None:
    """Return sheet, meme, part and source key; None when it is not a key."""
    fields = key.strip().split("|")
    if len(fields) != 5 or not fields[2].isdecimal() or not int(fields[2]):
        return None
    return fields[0], fields[1], int(fields[2]), fields[3]


def part_of(texts: Sequence[str], number: int) -> str:
    """Return a part of a text, counted from 1; empty where the text has fewer."""
    return texts[number - 1] if number <= len(texts) else ""


def given_up_lines(history: Sequence[Answer], tag: str) -> list[str]:
    """Return who gave a caption up and why, but for who has answered otherwise since."""
    last = {(step.round, step.person): step for step in history if step.decides}
    given_up = [step for step in last.values() if step.status in GIVEN_UP]
    return [f"{step.who}: {_said(step, 1, tag)}" for step in given_up]


def _picture(item: SheetItem) -> SheetPicture | None:
    if item.picture is None:
        return None
    described = f"The meme {item.meme_id} with the text to be corrected"
    return SheetPicture(item.picture, item.picture_name, described)


def _suggestion(item: SheetItem, number: int) -> list[Alternative]:
    text = part_of(item.suggestion, number)
    return [Alternative(text, text, "suggestion")] if text else []


def _history(sheet: Sheet, item: SheetItem, number: int) -> Iterator[Alternative]:
    """Yield what became of a part before this sheet, as `anna, round 1, 2026-11-22: the text`."""
    for step in item.history:
        if said := _said(step, number, sheet.language.tag):
            text = part_of(step.parts, number)
            is_other = text != part_of(item.base, number)
            yield Alternative(f"{step.who}: {said}", text if is_other else "", step.who)


def _said(step: Answer, number: int, tag: str) -> str:
    """Return what somebody made of a part, on one line."""
    pieces = []
    if step.status in GIVEN_UP:
        pieces.append(status_words(tag)[step.status])
    elif number <= len(step.parts):
        pieces.append(step.parts[number - 1] or "—")
    elif step.status == "dropped":
        pieces.append(step.status)
    if step.comment:
        pieces.append(f"({step.comment})")
    return " ".join(" ".join(pieces).split())


def _matches(item: SheetItem, number: int) -> Iterator[Alternative]:
    """Yield what the translation memory has of a part, as `84 %: source → text`."""
    for match in item.matches:
        source, text = part_of(match.source, number), part_of(match.text, number)
        if text:
            line = f"{match.percent} %: {source} → {text}"
            yield Alternative(line, text, f"memory: {match.origin}", source, match.percent)
