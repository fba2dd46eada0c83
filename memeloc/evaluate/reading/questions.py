"""What each answer chooses. In: rows of answers. Out: `ModelAnswers`; of multiple choice `Gold`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memeloc.counts import counted
from memeloc.errors import InputError
from memeloc.evaluate.answers import ModelAnswers
from memeloc.evaluate.choices import Choice, read_choice
from memeloc.evaluate.choices.folding import folded
from memeloc.evaluate.choices.options import known_options, shown_options
from memeloc.evaluate.choices.places import option_alone
from memeloc.evaluate.choices.transcripts import answer_in
from memeloc.evaluate.gold import ChoiceQuestion, Gold
from memeloc.evaluate.reading.columns import AnswerRow
from memeloc.evaluate.reading.labels import item_column
from memeloc.evaluate.reading.prompts import Asked, PromptReader, Shown
from memeloc.evaluate.runs.items import RunItem
from memeloc.evaluate.runs.tables import GOLD, plain_id
from memeloc.tables import read_table

_MANY = 0.02
"""Share of answers whose letter contradicts the name beside it that makes a note."""


@dataclass(frozen=True, slots=True, eq=False)
class ReadAnswers:
    """Answers, and by wording and order the number of the prompt in outputs."""

    answers: ModelAnswers
    numbers: Mapping[tuple[int, int], str]


def read_labelled(rows: Sequence[AnswerRow], reader: PromptReader, model: str) -> ReadAnswers:
    """Answers whose options are the same labels for all items.

    Raises:
        InputError: two rows answer the same prompt about the same item.
    """
    records: list[dict[str, Any]] = []
    numbers: dict[tuple[int, int], str] = {}
    seen: dict[tuple[object, ...], AnswerRow] = {}
    asked = reader.read(rows)
    for row, each in zip(rows, asked, strict=True):
        choice = read_choice(row.answer, each.options, language=each.language, prompt=each.text)
        place = next((n for n, (_, name) in enumerate(each.options) if name == choice.name), -1)
        record = _record(row, choice, model, each.labels[place] if choice.name else "")
        record |= {
            "prompt_language": each.language,
            "wording": each.wording,
            "order": each.order,
            "position": place + 1 if choice.name else 0,
        }
        _check_doubled(seen, row, record)
        numbers[each.wording, each.order] = each.number
        records.append(record)
    notes = [*reader.notes, *_notes(rows, asked, records)]
    import pandas as pd

    return ReadAnswers(
        ModelAnswers.of(pd.DataFrame.from_records(records), reader.labels, notes), numbers
    )


def read_questions(
    rows: Sequence[AnswerRow],
    right: Mapping[str, str],
    model: str,
    *,
    language: str = "",
    options: Shown = (),
    asked: Mapping[str, RunItem] | None = None,
) -> tuple[ReadAnswers, Gold]:
    """Answers to questions with options of their own, and the right ones.

    Args:
        right: by item the right option's letter or text, where the rows do not have it.
        options: of all questions, where neither columns nor prompts show any.
        asked: by item what was asked, where a table of questions says it and the rows do not.

    Raises:
        InputError: the right option is none of the options; two rows answer the same question.
    """
    import pandas as pd

    by_item: dict[str, set[str]] = {}
    for row in rows:
        by_item.setdefault(row.item, set()).add(row.dimension)
    is_meme = any(len(dimensions) > 1 for dimensions in by_item.values())
    known = asked or {}
    questions: dict[str, ChoiceQuestion] = {}
    letters = options or _letters([row.correct or right.get(row.item, "") for row in rows])
    records: list[dict[str, Any]] = []
    gold: dict[str, str] = {}
    seen: dict[tuple[object, ...], AnswerRow] = {}
    for row in rows:
        of_item = known.get(row.item, RunItem(row.item, ""))
        shown = _options_of(row, letters, of_item.options)
        if len(shown) < 2:
            raise row.wrong("no options are known; name their columns with --options")
        tag = language or of_item.language or "en"
        choice = read_choice(row.answer, shown, language=tag, prompt=_text_of(row))
        item = f"{row.item}/{row.dimension}" if is_meme else row.item
        record = _record(row, choice, model, choice.name)
        record |= {"item": item, "prompt_language": language, "wording": 1}
        meme = row.meme or of_item.meme or (row.item if is_meme else "")
        record |= {"dimension": row.dimension or of_item.dimension, "meme": meme}
        names = [name for _, name in shown]
        if listed := [name for name in row.options or of_item.options if name]:
            text = of_item.question or _text_of(row)
            questions[item] = ChoiceQuestion(text, tuple(listed), tag, of_item.text)
            record["order"] = int(names == listed[::-1])
        record["position"] = names.index(choice.name) + 1 if choice.name else 0
        _check_doubled(seen, row, record)
        records.append(record)
        label = _right(row, right, shown)
        if label:
            gold[item] = label
    if not gold:
        raise rows[0].wrong("no row has a right option; name its column with --correct")
    table = pd.DataFrame({GOLD: gold}, dtype=object)
    answers = ModelAnswers.of(pd.DataFrame.from_records(records))
    about = {"gold": rows[0].file.name}
    return ReadAnswers(answers, {(1, 0): "0"}), Gold(table, about=about, questions=questions)


def right_options(path: Path, column: str, items: Sequence[str], item: str = "") -> dict[str, str]:
    """By item the right option's letter or text, in a table.

    Raises:
        InputError: the table has no such column, or none of the items.
    """
    table = read_table(path)
    names = [name for name in table.columns if name.casefold() == column.casefold()]
    if not names:
        shown = ", ".join(repr(name[:40]) for name in table.columns[:12])
        raise InputError(f"has no column {column[:60]!r}; its columns are {shown}", file=path)
    rows = list(table.rows)
    key = item_column(table, rows, items, item)
    plain = {plain_id(row[key]): row[names[0]].strip() for row in rows}
    return {item: plain[plain_id(item)] for item in items if plain_id(item) in plain}


def _record(row: AnswerRow, choice: Choice, model: str, label: str) -> dict[str, Any]:
    return {
        "model": row.model or model or row.file.stem,
        "item": row.item,
        "language": row.language,
        "input": row.input,
        "answer": row.answer,
        "choice": label,
        "invalid": choice.invalid,
        "refused": choice.refused,
        "rule": choice.rule,
        "explanation": choice.explanation,
    }


def _check_doubled(
    seen: dict[tuple[object, ...], AnswerRow], row: AnswerRow, record: Mapping[str, Any]
) -> None:
    names = ("model", "language", "input", "prompt_language", "wording", "order")
    key = (plain_id(record["item"]), *(record.get(name, "") for name in names))
    other = seen.setdefault(key, row)
    if other is not row:
        where = f"row {other.row}" if other.file == row.file else f"{other.file}, row {other.row}"
        prompt = f" to prompt {row.prompt[:40]!r}" if row.prompt else ""
        raise row.wrong(
            f"item {record['item'][:40]!r} has another answer{prompt} in {where}; keep one of them"
        )


def _notes(
    rows: Sequence[AnswerRow], asked: Sequence[Asked], records: Sequence[Mapping[str, Any]]
) -> Iterator[str]:
    others = sum(each.is_other_order for each in asked if _is_number(rows, each))
    if others:
        yield (
            f"In {counted(others, 'answer')} the options that were stored with it stand in the "
            "other order than the prompt's number says; the options were believed."
        )
    contradictions = sum(record["rule"] == "contradiction" for record in records)
    if contradictions > _MANY * len(records):
        yield (
            f"In {counted(contradictions, 'answer')} the letter contradicts the name beside it and "
            "counts as invalid: check which order of the options each prompt had."
        )


def _is_number(rows: Sequence[AnswerRow], asked: Asked) -> bool:
    return bool(rows) and asked.text != rows[0].prompt and rows[0].prompt.strip().isdecimal()


def _text_of(row: AnswerRow) -> str:
    return "" if row.prompt.strip().isdecimal() else row.prompt


def _options_of(row: AnswerRow, letters: Shown, known: Sequence[str]) -> Shown:
    shown = tuple(shown_options(_text_of(row)) or shown_options(answer_in(row.answer).shown))
    options = row.options or known
    if options and {name for _, name in shown} != set(options):  # else the prompt has their letters
        pairs = zip("ABCDEFGHIJKLMNOPQRSTUVWXYZ", options, strict=False)
        return tuple((letter, name) for letter, name in pairs if name)
    return shown or letters


def _letters(right: Sequence[str]) -> Shown:
    """Letters as options, where nothing shows their texts; A to D at least."""
    used = [re.sub(r"\W", "", text).upper() for text in right]
    if not all(re.fullmatch("[A-Z]?", letter) for letter in used):
        return ()
    last = max([*used, "D"])
    return tuple((letter, letter) for letter in map(chr, range(ord("A"), ord(last) + 1)))


def _right(row: AnswerRow, right: Mapping[str, str], shown: Shown) -> str:
    text = row.correct or right.get(row.item, "")
    if not text:
        return ""
    hit = option_alone(folded(text), known_options(shown))
    if hit is None or hit[0] < 0:
        names = ", ".join(f"{marker}: {name[:30]}" for marker, name in shown)
        raise row.wrong(f"the right option {text[:60]!r} is none of {names}")
    return shown[hit[0]][1]
