"""The form of correction sheets. In: a sheet. Out: a form of `memeloc.sheets`, and its rows.

A row is a part of a caption. Its key says what it is about, whatever happens to the rest of the
file: `SHEET|MEME|PART|SOURCE|BASE`, with the part counted from 1 and the two text keys of the whole
caption. What people read and pick is in their language (`statuses.toml`, `sheet_texts.toml`), and
is understood in every language on every sheet, in any case: a sheet may change hands.
"""

from __future__ import annotations

import difflib
import hashlib
import re
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from memeloc.correct.model import GIVEN_UP, STATUSES, Answer, Sheet, SheetItem, text_key
from memeloc.glossary import terms_in
from memeloc.model import Locale
from memeloc.resources import folder
from memeloc.sheets import Alternative, SheetColumn, SheetForm, SheetPicture

PAGE = "Captions"
"""The worksheet's name, in all languages."""

COLUMNS = (
    SheetColumn("key", "key"),
    SheetColumn("picture", "picture", 25),
    SheetColumn("meme_id", also=("meme", "meme id", "id")),
    SheetColumn("box", width=10),
    SheetColumn("part", width=7, also=("part number", "no")),
    SheetColumn("source", "source", 34),
    SheetColumn("source before", width=34, optional=True),
    SheetColumn("to be corrected", "text", 34, also=("machine", "machine translation", "mt")),
    SheetColumn("suggestion", "hint", 34, optional=True),
    SheetColumn(
        "your text", "answer", 40,
        also=("text", "translation", "correction", "corrected text", "target"),
    ),
    SheetColumn("length", "count", 9),
    SheetColumn("room", "room", 9),
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
NEEDED = (("your text", "key"), ("your text", "source"), ("your text", "meme_id", "part"))
"""Sets of columns of which one says what each row is about."""
_GUIDES = {"transcript": "transcripts", "survey": "survey-texts"}
_HIDDEN = {
    "transcript": {"source", "room"},
    "survey": {"picture", "box", "length", "room"},
}
"""By kind of sheet, the columns that say nothing to a person who fills it in."""
EMPTY = "empty"
"""What is picked for a part that has to be empty; a status of the part, not of the caption."""
_ALSO = {"leave it to somebody else": "skip", "empty part": EMPTY}
"""What guides call a status, beside its word."""
_LEFT_OUT = re.compile("[\u064b-\u0652\u0307]")
"""Arabic's marks of vowels and of doubled letters, which most people do not type; Turkish's dot."""


@cache
def _texts(name: str) -> Mapping[str, Mapping[str, str]]:
    text = Path(__file__).with_name(f"{name}.toml").read_text("utf-8")
    texts: Mapping[str, Mapping[str, str]] = tomllib.loads(text)
    return texts


def languages() -> Sequence[str]:
    """Return the tags of all languages that have words."""
    return tuple(_texts("statuses"))


def sheet_texts(tag: str, name: str = "sheet_texts") -> Mapping[str, str]:
    """Return the headings of columns and how to fill a sheet in, in a language or else English."""
    texts = _texts(name)
    return texts.get(tag) or texts.get(tag.split("-")[0]) or texts["en"]


def status_words(tag: str) -> Mapping[str, str]:
    """Return what people read for each status, in a language or else in English.

    >>> status_words("de")["skip"], status_words("de-AT")["skip"], status_words("sw")["skip"]
    ('Überspringen', 'Überspringen', 'Skip')
    """
    return sheet_texts(tag, "statuses")


@cache
def _statuses() -> Mapping[str, str]:
    return _ALSO | {
        _plain(name): status
        for words in _texts("statuses").values()
        for status, word in words.items()
        for name in (status, word)
    }


def _plain(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold().replace("ı", "i")
    return re.sub(r"[\s:_-]+", " ", _LEFT_OUT.sub("", folded)).strip()


def read_status(text: str) -> str | None:
    """Return the status that a person wrote, in any language; None when it is not one.

    >>> read_status("wordplay"), read_status("nicht übersetzbar : WORTSPIEL"), read_status("maybe")
    ('wordplay', 'wordplay', None)
    """
    return _statuses().get(_plain(text))


def near_status(text: str) -> str:
    """Return what a person may have meant, or what there is to pick, as the end of a sentence."""
    if near := difflib.get_close_matches(_plain(text), _statuses(), 1):
        return f"did you mean {_statuses()[near[0]]!r}?"
    return f"pick one of {', '.join(STATUSES['caption'])}"


def all_columns() -> tuple[SheetColumn, ...]:
    """Return the columns with their headings in every language, as sheets come back."""
    texts = [sheet_texts(tag) for tag in languages()]
    names = [[each[column.name] for each in texts if column.name in each] for column in COLUMNS]
    return tuple(
        replace(column, also=(*column.also, *also))
        for column, also in zip(COLUMNS, names, strict=True)
    )


def new_sheet(
    items: Sequence[SheetItem],
    language: Locale,
    source_language: Locale,
    round_: int,
    person: str,
    kind: str,
) -> Sheet:
    """Return a sheet of now, with the translator's guide and an id by what it shows."""
    created = datetime.now(UTC).replace(microsecond=0)
    facts = [language.tag, str(round_), person, created.isoformat()]
    facts += [f"{item.meme_id}:{text_key(item.source)}:{text_key(item.base)}" for item in items]
    id = hashlib.sha256("|".join(facts).encode()).hexdigest()[:12]
    names = (_GUIDES.get(kind, language.tag), language.tag.split("-")[0], "en")
    files = (folder("guides") / "translation" / f"{name}.md" for name in names)
    guide = next(file for file in files if file.is_file()).read_text("utf-8")
    of = (id, language, source_language, round_, person, created, guide)
    return Sheet(*of, tuple(items), kind)


def shared_out(
    memes: Collection[str], people: Sequence[str], holders: Mapping[str, str]
) -> dict[str, str]:
    """Return who gets each meme: whoever has it already, else who has the fewest."""
    whose = {meme: holders[meme] for meme in memes if meme in holders}
    shares = Counter(whose.values())
    for meme in memes:
        if meme not in whose:
            whose[meme] = min(people, key=shares.__getitem__)
            shares[whose[meme]] += 1
    return whose


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
    names = {"text": "your text", "room": "room", "length": "length"}
    how = texts[f"how {sheet.kind}"].format(
        **{name: texts.get(column, column) for name, column in names.items()},
        **{name: words[name.replace("_", "-")] for name in ("correct", "no_text", EMPTY)},
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
        side=170,
        braces=sheet.kind == "survey",
    )


def sheet_rows(sheet: Sheet) -> list[dict[str, Any]]:
    """Return the rows of a sheet, without what a person fills in."""
    tag, rows = sheet.language.tag, []
    for item in sheet.items:
        keys = f"{text_key(item.source)}|{text_key(item.base)}"
        marks = "; ".join(filter(None, (*item.marks, item.note)))
        for number, source in enumerate(item.source, 1):
            base, suggestion = part_of(item.base, number), part_of(item.suggestion, number)
            suggested = [Alternative(suggestion, suggestion, "suggestion")] * bool(suggestion)
            history, matches = [], []
            for step in item.history:
                if sentence := _said(step, number, tag):
                    text = part_of(step.parts, number)
                    other = text if text != base else ""
                    history.append(Alternative(f"{step.who}: {sentence}", other, step.who))
            for match in item.matches:
                if text := part_of(match.text, number):
                    similar, origin = part_of(match.source, number), f"memory: {match.origin}"
                    line = f"{match.percent} %: {similar} → {text}"
                    matches.append(Alternative(line, text, origin, similar, match.percent))
            row: dict[str, Any] = {
                "key": f"{sheet.id}|{item.meme_id}|{number}|{keys}",
                "picture": _picture(item),
                "meme_id": item.meme_id,
                "box": part_of(item.boxes, number),
                "part": number,
                "source": source,
                "source before": part_of(item.before, number),
                "to be corrected": base,
                "suggestion": suggested,
                "room": item.capacities[number - 1] or "" if item.capacities else "",
                "marks": marks,
                "history": history,
                "glossary": [*map(str, terms_in(item.terms, [source], sheet.source_language))],
                "translation memory": matches,
            }
            rows.append(row)
    return rows


def split_key(key: str) -> tuple[str, str, int, str] | None:
    """Return sheet, meme, part and source key; None when it is not a key."""
    fields = key.strip().split("|")
    if len(fields) != 5 or not fields[2].isdecimal() or not int(fields[2]):
        return None
    return fields[0], fields[1], int(fields[2]), fields[3]


def part_of(texts: Sequence[str], number: int) -> str:
    """Return a part of a text, counted from 1; empty where the text has fewer."""
    return texts[number - 1] if number <= len(texts) else ""


def given_up_lines(history: Sequence[Answer], tag: str) -> Iterator[str]:
    """Yield who gave a caption up and why, but for who has answered otherwise since."""
    last = {(step.round, step.person): step for step in history if step.decides}
    for step in last.values():
        if step.status in GIVEN_UP:
            yield f"{step.who}: {_said(step, 1, tag)}"


def _picture(item: SheetItem) -> SheetPicture | None:
    """Return the cell of a picture: in an archive it is called as the meme, or begins as that does
    where an id cannot be a file's name."""
    if item.picture is None:
        return None
    name = re.sub(r"[^\w.-]", "_", item.meme_id)[:60]
    if name != item.meme_id:
        name += f"-{hashlib.sha256(item.meme_id.encode()).hexdigest()[:8]}"
    described = f"The meme {item.meme_id} with the text to be corrected"
    return SheetPicture(item.picture, f"pictures/{name}{item.picture.suffix}", described)


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
