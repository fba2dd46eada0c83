"""Tables of answers made elsewhere. In: files or data frames. Out: `ModelAnswers`, and `Gold`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memeloc.counts import counted
from memeloc.errors import InputError
from memeloc.evaluate.answers import ModelAnswers
from memeloc.evaluate.choices import read_choice
from memeloc.evaluate.choices.languages import folded, languages
from memeloc.evaluate.choices.options import known_options, option_alone, shown_options
from memeloc.evaluate.choices.transcripts import answer_in
from memeloc.evaluate.gold import ChoiceQuestion, Gold
from memeloc.evaluate.reading.prompts import Asked, Shown, wrong
from memeloc.evaluate.runs.items import RunItem
from memeloc.evaluate.runs.labels import GOLD, ITEM, plain_id
from memeloc.evaluate.runs.run import INPUTS
from memeloc.statistics.significance import rows_of
from memeloc.tables import folded as folded_heading
from memeloc.tables.column_map import ColumnMap, Columns, Role, read_rows
from memeloc.tables.frames import Frame
from memeloc.tables.reading import read_table

if TYPE_CHECKING:
    import pandas as pd

_ROLES = (
    Role("item", (*ITEM, "question_id", "image"), required=True),
    Role(
        "answer",
        ("response", "answer", "output", "prediction", "generated_text", "completion",
         "model_answer", "reply", "text"),
        required=True,
    ),
    Role("prompt", ("prompt", "prompt_id", "prompt_text", "question")),
    Role("model", ("model", "model_name"), option="model-column"),
    Role("language", ("language", "lang")),
    Role("input", ("input",)),
    Role("dimension"),
    Role("meme"),
    Role("correct"),
    Role("option", many=True),
)  # fmt: skip
_IN_NAME = re.compile(r"[_.-]([a-z]{2,3})$")
_MANY = 0.02
"""Share of answers whose letter contradicts the name beside it that makes a note."""


def headings(table: str | Path | Frame) -> set[str]:
    """Return the names of a table's columns, folded."""
    return set(map(folded_heading, read_table(table).columns))


def read_answers(
    tables: Iterable[str | Path | Frame],
    column_map: ColumnMap,
    model: str = "",
    elsewhere: Set[str] = frozenset(),
) -> pd.DataFrame:
    """Return the rows of tables with an answer each.

    Args:
        column_map: which column has which role.
        elsewhere: columns of another table, folded: the map may name those.
        model: who answered, where no column says it; else the file's name. A language that no
            column names is the end of the file's name (`responses_de.csv`).

    Returns:
        Texts by role, `options` (of multiple choice the texts of the columns `option`), and `file`
        and `row`, where it stands.

    Raises:
        InputError: a column is not there, a row is broken or names no item.
    """
    import pandas as pd

    frames = []
    for table in tables:
        there = headings(table)
        columns: dict[str, Columns] = {}
        for role, named in column_map.columns.items():
            names = set(map(folded_heading, [named] if isinstance(named, str) else named))
            if there & names or not names <= elsewhere:
                columns[role] = named
        rows = read_rows(table, ColumnMap(columns=columns), _ROLES)
        if rows.broken:
            raise InputError(rows.broken[0].error, file=rows.file, row=rows.broken[0].number)
        texts = [role.name for role in _ROLES if not role.many]
        frame = rows.frame.reindex(columns=[*texts, "row"], fill_value="")
        short = [name for name in texts if name not in ("answer", "prompt")]
        frame[short] = frame[short].apply(lambda column: column.str.strip())
        if (nameless := frame.loc[frame["item"] == "", "row"]).any():
            raise rows.wrong("names no item", "item", int(nameless.iloc[0]))
        file = Path(rows.file)
        tag = _IN_NAME.search(file.stem.lower())
        language = tag[1] if tag and tag[1] in languages() else ""
        shown = rows.many("option").apply(lambda column: column.str.strip())
        options: Any = [tuple(texts) for texts in shown.to_numpy()]
        frames.append(
            frame.assign(
                item=frame["item"].str.removesuffix(".0"),
                language=frame["language"].replace("", language),
                model=frame["model"].replace("", model or file.stem),
                # A column of this name may hold prompts.
                input=frame["input"].where(frame["input"].isin(INPUTS), ""),
                options=options,
                file=rows.file,
            )
        )
    answers = pd.concat(frames, ignore_index=True)
    if answers.empty:
        raise InputError("has no rows", file=rows.file)
    return answers


def choices_of(
    rows: pd.DataFrame,
    asked: Sequence[Asked],
    labels: Sequence[str] = (),
    notes: Sequence[str] = (),
) -> ModelAnswers:
    """Return what each row chooses of the options that it was asked about.

    Raises:
        InputError: two rows answer the same prompt about the same item.
    """
    choices = [
        read_choice(row.answer, each.options, language=each.language, prompt=each.text)
        for row, each in zip(rows_of(rows), asked, strict=True)
    ]
    places = [
        [name for _, name in each.options].index(choice.name) if choice.name else -1
        for choice, each in zip(choices, asked, strict=True)
    ]
    table = rows[["model", "item", "language", "input", "answer", "dimension", "meme"]].assign(
        choice=[
            each.labels[place] if place >= 0 else ""
            for each, place in zip(asked, places, strict=True)
        ],
        position=[place + 1 for place in places],
        invalid=[choice.invalid for choice in choices],
        refused=[choice.refused for choice in choices],
        rule=[choice.rule for choice in choices],
        explanation=[choice.explanation for choice in choices],
        prompt_language=[each.language for each in asked],
        wording=[each.wording for each in asked],
        order=[each.order for each in asked],
    )
    names = ["model", "language", "input", "prompt_language", "wording", "order"]
    keys = table[names].assign(item=table["item"].map(plain_id))
    if (doubled := keys.duplicated()).any():
        place = int(doubled.argmax())
        same = int((keys == keys.iloc[place]).all(axis=1).argmax())
        other, row = rows_of(rows.iloc[[same, place]])
        where = f"row {other.row}" if other.file == row.file else f"{other.file}, row {other.row}"
        prompt = f" to prompt {row.prompt[:40]!r}" if row.prompt else ""
        message = f"item {row.item[:40]!r} has another answer{prompt} in {where}; keep one of them"
        raise wrong(row, message)
    answers = ModelAnswers.of(table, labels, [*notes, *_notes(rows, asked, table["rule"])])
    numbers = {(each.wording, each.order): each.number for each in asked}
    return replace(answers, prompt_names=numbers)


def read_questions(
    rows: pd.DataFrame,
    right: Mapping[str, str],
    *,
    language: str = "",
    options: Shown = (),
    asked: Mapping[str, RunItem] | None = None,
) -> tuple[ModelAnswers, Gold]:
    """Return answers to questions with options of their own, and the right ones.

    Args:
        right: by item the right option's letter or text, where the rows do not have it.
        options: of all questions, where neither columns nor prompts show any.
        asked: by item what was asked, where a table of questions says it and the rows do not.

    Raises:
        InputError: the right option is none of the options; two rows answer the same question.
    """
    import pandas as pd

    known = {item: RunItem(item, "") for item in rows["item"]} | dict(asked or {})
    of_items = [known[item] for item in rows["item"]]
    known_of_items = rows.assign(
        correct=[right.get(item, "") for item in rows["item"]],
        dimension=[each.dimension for each in of_items],
        meme=[each.meme for each in of_items],
    )
    rows = rows.where(rows != "", known_of_items)
    if rows.groupby("item")["dimension"].nunique().gt(1).any():  # then an item is a meme
        rows["meme"] = rows["meme"].where(rows["meme"] != "", rows["item"])
        rows["item"] += "/" + rows["dimension"]
    letters = options or _letters(rows["correct"])
    questions: dict[str, ChoiceQuestion] = {}
    gold: dict[str, str] = {}
    shown_to: list[Asked] = []
    for row, of_item in zip(rows_of(rows), of_items, strict=True):
        text = "" if row.prompt.strip().isdecimal() else row.prompt
        listed = [name for name in row.options or of_item.options if name]
        shown = tuple(shown_options(text) or shown_options(answer_in(row.answer).shown)) or letters
        if listed and {name for _, name in shown} != set(listed):  # else the prompt has letters
            texts = zip("ABCDEFGHIJKLMNOPQRSTUVWXYZ", row.options or of_item.options, strict=False)
            shown = tuple((letter, name) for letter, name in texts if name)
        if len(shown) < 2:
            raise wrong(row, "no options are known; name their columns with --options")
        tag = language or of_item.language or "en"
        names = tuple(name for _, name in shown)
        order = int(bool(listed) and list(names) == listed[::-1])
        shown_to.append(Asked(shown, names, 1, order, str(order), tag, text, False))
        if listed:
            question = of_item.question or text
            questions[row.item] = ChoiceQuestion(question, tuple(listed), tag, of_item.text)
        if row.correct:
            hit = option_alone(folded(row.correct), known_options(shown))
            if hit is None or hit[0] < 0:
                listing = ", ".join(f"{marker}: {name[:30]}" for marker, name in shown)
                raise wrong(row, f"the right option {row.correct[:60]!r} is none of {listing}")
            gold[row.item] = names[hit[0]]
    if not gold:
        message = "no row has a right option; name its column with --correct"
        raise wrong(rows_of(rows)[0], message)
    answers = choices_of(rows, shown_to)
    answers = replace(answers, table=answers.table.assign(prompt_language=language))
    table = pd.DataFrame({GOLD: gold}, dtype=object)
    about = {"gold": Path(rows["file"].iloc[0]).name}
    return answers, Gold(table, about=about, questions=questions)


def _notes(rows: pd.DataFrame, asked: Sequence[Asked], rules: pd.Series[Any]) -> Iterator[str]:
    first = rows["prompt"].iloc[0]
    is_numbered = first.strip().isdecimal()
    others = sum(each.is_other_order and each.text != first for each in asked)
    if others and is_numbered:
        yield (
            f"In {counted(others, 'answer')} the options that were stored with it stand in the "
            "other order than the prompt's number says; the options were believed."
        )
    contradictions = int((rules == "contradiction").sum())
    if contradictions > _MANY * len(rules):
        yield (
            f"In {counted(contradictions, 'answer')} the letter contradicts the name beside it and "
            "counts as invalid: check which order of the options each prompt had."
        )


def _letters(right: Iterable[str]) -> Shown:
    """Return letters as options, where nothing shows their texts; A to D at least."""
    used = [re.sub(r"\W", "", text).upper() for text in right]
    if not all(re.fullmatch("[A-Z]?", letter) for letter in used):
        return ()
    last = max([*used, "D"])
    return tuple((letter, letter) for letter in map(chr, range(ord("A"), ord(last) + 1)))
