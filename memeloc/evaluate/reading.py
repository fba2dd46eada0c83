"""Answers made elsewhere. In: tables of answers and of labels. Out: `ScoredFiles`.

A prompt's number counts as Multi3Hate's do (its code, `vlm/inference`): 0 to 5 for three wordings
in two orders, the even ones in the order of the run; 1 to 6 where there is no 0 and a 6. Of a text
the options are read as it lists them, in any language, and they say which order it is. An answer
that was stored with its prompt shows the options too; these go before the number.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memeloc.counts import counted
from memeloc.errors import InputError
from memeloc.evaluate.answers import ModelAnswers
from memeloc.evaluate.choices import read_choice
from memeloc.evaluate.choices.choice import answer_in
from memeloc.evaluate.choices.languages import fold, folded, languages
from memeloc.evaluate.choices.options import known_options, option_alone, shown_options
from memeloc.evaluate.gold import ChoiceQuestion, Gold
from memeloc.evaluate.runs.dataset import (
    GOLD,
    ITEM,
    RunItem,
    item_column,
    json_ld_questions,
    plain_id,
    read_cells,
    read_gold,
    read_table_data,
)
from memeloc.evaluate.runs.prompts import Prompts, read_prompts
from memeloc.evaluate.runs.run import INPUTS, Run, read_run
from memeloc.evaluate.scores import ScoreSettings, score
from memeloc.statistics.significance import rows_of
from memeloc.tables import folded as folded_heading
from memeloc.tables.column_map import ColumnMap, Columns, Role, columns_of, read_map, read_rows
from memeloc.tables.reading import read_table
from memeloc.tables.rows import Frame

if TYPE_CHECKING:
    import pandas as pd

Shown = tuple[tuple[str, str], ...]
"""Marker and name of each option, in the order shown."""


@dataclass(frozen=True, slots=True, eq=False)
class ScoredFiles:
    """Answers made elsewhere, scored.

    Attributes:
        run: whose options and prompts were answered.
        answers, gold, settings: what was scored, and with what.
        figures: rows of the table of figures; `memeloc evaluate score --json` prints them.
    """

    run: Run
    answers: ModelAnswers
    gold: Gold
    settings: ScoreSettings
    figures: pd.DataFrame


def score_answers(
    files: str | Path | Frame | Sequence[str | Path | Frame],
    gold: str | Path | Frame | None = None,
    *,
    run: str | Path = "multi3hate",
    column_map: ColumnMap | Mapping[str, Any] | str | Path | None = None,
    language: str = "",
    model: str = "",
    options: Shown = (),
    settings: ScoreSettings | None = None,
) -> ScoredFiles:
    """Read what answers choose, and score them like a run's. Raise InputError if something cannot
    be read: the file, row and column are named; MissingError if pandas or scipy is not installed.

        scored = score_answers("responses_en.csv", "final_annotations.csv", run="multi3hate")
        wide(scored.figures, "accuracy")  # of memeloc.reports.figures

    Args:
        files: tables with an answer a row, files or data frames; of a folder all tables below,
            whose model is the folder that they are in (MODEL/responses_de.csv).
        gold: a table with what is right; None where the answers have it (the column `correct`). Of
            multiple choice it may be the table of questions that a run is asked.
        run: which options and prompts these are: a shipped run or a run file. One without labels
            is multiple choice, and so is any whose map names the column `correct`.
        column_map: which column holds what, of the answers (`item`, `answer`, `prompt`, `model`,
            `language`, `input`, `dimension`, `meme`, `correct`, `option`) and of what is right
            (`gold_item`, `label`, `culture`), and what labels mean; by name where it says nothing.
        language: of the prompts; read from their texts where it is not given, else English.
        model: its name, where no column has it; else the file's name.
        options: marker and name of each, in the order of the first prompt, where no text shows
            them.
    """
    opened, folder = read_run(run)
    mapped = read_map(column_map)
    tables = [files] if isinstance(files, str | Path | Frame) else list(files)
    if isinstance(gold, str | Path) and (Path(gold).is_dir() or Path(gold).suffix == ".jsonld"):
        gold = json_ld_questions(Path(gold))
    elsewhere = headings(gold) if gold is not None else set()
    rows = read_answers(tables, mapped, model, elsewhere)
    items = list(dict.fromkeys(rows["item"]))
    if "correct" in mapped.columns or not opened.labels:
        asked, right_options = _asked(opened, gold, items, mapped)
        answers, right = read_questions(
            rows, right_options, language=language, options=options, asked=asked
        )
    else:
        if options and len(options) != len(opened.labels):
            raise InputError(
                f"The run {opened.name} has {len(opened.labels)} options "
                f"({', '.join(opened.labels)}); {len(options)} were named."
            )
        if gold is None:
            raise InputError("Name the table of what is right: --gold.")
        texts = read_prompts(opened.prompts, folder, opened.labels)
        reader = PromptReader(opened.labels, texts, len(opened.orders), language, options)
        labels = read_gold(opened, gold, items, {"run": opened.name}, mapped)
        if labels is None:
            raise InputError("The table of what is right has no label of any item.")
        answers = choices_of(rows, reader.read(rows_of(rows)), opened.labels, reader.notes)
        right = labels
    settings = settings or ScoreSettings()
    return ScoredFiles(opened, answers, right, settings, score(answers, right, settings))


def _asked(
    run: Run, gold: str | Path | Frame | None, items: Sequence[str], column_map: ColumnMap
) -> tuple[dict[str, RunItem], dict[str, str]]:
    """Return by item the question that the gold asks, if it does, and what is right."""
    if gold is None:
        return {}, {}
    named = column_map.columns
    columns_of_options = {name.casefold() for name in run.dataset.options}
    asks = {"question", "correct"}
    if (
        not run.labels
        and not named.keys() & {"correct", "gold_item"}
        and asks <= (existing := headings(gold))
        and (columns_of_options <= existing or {"options", "choices"} & existing)
    ):
        data = read_table_data(run, gold)
        by_id = {plain_id(item.id): item for item in data.items}
        asked = {item: by_id[plain_id(item)] for item in items if plain_id(item) in by_id}
        labels = {} if data.gold is None else data.gold.table[GOLD].to_dict()
        return asked, {item: labels[each.id] for item, each in asked.items() if each.id in labels}
    cells, file = read_cells(gold)
    role = Role("correct", ("correct",), required=True)
    columns = ColumnMap(columns={"correct": named["correct"]} if "correct" in named else {})
    (column,) = columns_of(cells.columns.tolist(), columns, [role], file)["correct"]
    key = item_column(cells, items, named.get("gold_item", ""), file)
    right = dict(zip(cells[key].map(plain_id), cells[column].str.strip(), strict=True))
    return {}, {item: right[plain_id(item)] for item in items if plain_id(item) in right}


_ROLES = (
    Role("item", (*ITEM, "question_id", "image"), required=True),
    Role(
        "answer",
        ("response", "answer", "output", "prediction", "generated_text", "completion",
         "model_answer", "reply", "text"),
        required=True,
    ),
    Role("prompt", ("prompt", "prompt_id", "prompt_text", "question")),
    Role("model", ("model", "model_name")),
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


def _files(
    tables: Iterable[str | Path | Frame],
) -> Iterator[tuple[str | Path | Frame, str]]:
    """Yield tables, those of a folder each with the model that its place says."""
    for table in tables:
        if not isinstance(table, str | Path) or not Path(table).is_dir():
            yield table, ""
            continue
        root = Path(table)
        files = [path for path in sorted(root.rglob("*")) if path.suffix.lower() in _SUFFIXES]
        if not files:
            raise InputError("has no table of answers in it", file=root)
        for path in files:
            yield path, path.parent.relative_to(root).as_posix().removeprefix(".")


_SUFFIXES = (".csv", ".tsv", ".json", ".jsonl", ".parquet", ".xlsx")


def headings(table: str | Path | Frame) -> set[str]:
    """Return the names of a table's columns, folded."""
    return set(map(folded_heading, read_table(table).columns))


def read_answers(
    tables: Iterable[str | Path | Frame],
    column_map: ColumnMap,
    model: str = "",
    elsewhere: Set[str] = frozenset(),
) -> pd.DataFrame:
    """Return the rows of tables with an answer each. Raise InputError if a column is not there, a
    row is broken or names no item.

    Args:
        column_map: which column has which role.
        elsewhere: columns of another table, folded: the map may name those.
        model: who answered, where no column says it; else the file's name. A language that no
            column names is the end of the file's name (`responses_de.csv`).

    Returns:
        Texts by role, `options` (of multiple choice the texts of the columns `option`), and `file`
        and `row`, where it stands.
    """
    import pandas as pd

    frames = []
    for table, folder in _files(tables):
        existing = headings(table)
        columns: dict[str, Columns] = {}
        for role, named in column_map.columns.items():
            names = set(map(folded_heading, [named] if isinstance(named, str) else named))
            if existing & names or not names <= elsewhere:
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
                model=frame["model"].replace("", model or folder or file.stem),
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
    """Return what each row chooses of the options that it was asked about. Raise InputError if two
    rows answer the same prompt about the same item."""
    import pandas as pd

    cells = [
        {
            **read_choice(row.answer, each.options, language=each.language, prompt=each.text).cells(
                [name for _, name in each.options], each.labels
            ),
            "prompt_language": each.language,
            "wording": each.wording,
            "order": each.order,
        }
        for row, each in zip(rows_of(rows), asked, strict=True)
    ]
    names = ["model", "item", "language", "input", "answer", "dimension", "meme"]
    table = rows[names].join(pd.DataFrame(cells, rows.index))
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
    """Return answers to questions with options of their own, and the right ones. Raise InputError
    if the right option is none of the options; two rows answer the same question.

    Args:
        right: by item the right option's letter or text, where the rows do not have it.
        options: of all questions, where neither columns nor prompts show any.
        asked: by item what was asked, where a table of questions says it and the rows do not.
    """
    import pandas as pd

    items = {item: RunItem(item, "") for item in rows["item"]} | dict(asked or {})
    of_items = [items[item] for item in rows["item"]]
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


def wrong(row: Any, message: str) -> InputError:
    """Return an error in a row of answers."""
    return InputError(message, file=row.file, row=row.row)


_SHORTEST_PROMPT = 60
"""Letters before a list of options that make them part of a prompt and not of an answer."""
_MOST_WORDINGS = 40  # more texts of prompts are each item's own, not wordings of one


@dataclass(frozen=True, slots=True)
class Asked:
    """A prompt as it was asked.

    Attributes:
        options: as they were shown; labels: the label that each of them is.
        number: of the prompt in outputs: that of the file, or counted from 0.
        language: of the prompt; text: of the prompt, or of one of the same wording.
        is_other_order: whether the options that the answer repeats contradict the number.
    """

    options: Shown
    labels: tuple[str, ...]
    wording: int
    order: int
    number: str
    language: str
    text: str
    is_other_order: bool


@dataclass(slots=True, eq=False)
class PromptReader:
    """Reader of prompts by number or text, for options that all items share.

    Attributes:
        labels: of the run, in the order in which order 0 shows them.
        texts: of the run's own prompts, for options that nothing shows.
        orders: how many orders the run has, 1 or 2.
        language: of the prompts; empty to read it from their text.
        options: as the user gives them, in order 0.
    """

    labels: tuple[str, ...]
    texts: Prompts
    orders: int = 2
    language: str = ""
    options: Shown = ()
    notes: list[str] = field(default_factory=list)

    def read(self, rows: Sequence[Any]) -> list[Asked]:
        """Return what each row answers. Raise InputError if a number is none of a prompt; the row
        is named."""
        numbers = [re.fullmatch(r"\s*(\d{1,4})(?:\.0)?\s*", row.prompt) for row in rows]
        answered = [int(number[1]) for number in numbers if number]
        if len(answered) < len(rows):
            wordings = _wordings(rows)
            return [self._asked(row, row.prompt, wordings[row.prompt], 0) for row in rows]
        wording_count = max(len(texts.wordings) for texts in self.texts.languages.values())
        first = int(0 not in answered and max(answered) == wording_count * self.orders)
        if first:
            self.notes.append(
                f"Prompts are numbered {min(answered)} to {max(answered)}: prompt 1 is taken for "
                "the first wording in the first order."
            )
        asked = []
        for row, number in zip(rows, answered, strict=True):
            if number < first:
                raise wrong(row, f"the prompt {row.prompt[:20]!r} is below {first}")
            each = self._asked(row, None, *divmod(number - first, self.orders))
            asked.append(replace(each, number=str(number)))
        return asked

    def _asked(self, row: Any, prompt: str | None, wording: int, order: int) -> Asked:
        """Return what an answer says of its prompt, of which the text or the number is known."""
        long = len(row.answer) > _SHORTEST_PROMPT
        text = prompt or (answer_in(row.answer).shown if long else "")
        shown = shown_options(text)
        if not shown and not text and long:
            listed = shown_options(row.answer)
            if listed and row.answer.rfind(listed[0][1]) >= _SHORTEST_PROMPT:
                shown, text = listed, row.answer
        language = self.language or language_of(text)
        texts = self.texts.languages.get(language or "en")
        in_order = self.labels[::-1] if order else self.labels
        labels, options = labels_of(tuple(shown), self.labels), tuple(shown)
        is_other = bool(labels) and self.orders == 2 and labels != in_order
        if not labels:
            letters = tuple(zip("abcdefghijklmnopqrstuvwxyz", self.labels, strict=False))
            options = self.options or (texts.choices(0, self.labels).options if texts else letters)
            names = [name for _, name in options][:: -1 if order else 1]
            options = tuple(
                (marker, name) for (marker, _), name in zip(options, names, strict=True)
            )
            labels = in_order
        if is_other:
            order = 1 - order
        if prompt is None:
            prompt = texts.wordings[wording] if texts and wording < len(texts.wordings) else ""
        number = str(wording * self.orders + order)
        tag = language or "en"
        return Asked(options, labels, wording + 1, order, number, tag, prompt, is_other)


def labels_of(shown: Shown, labels: Sequence[str]) -> tuple[str, ...]:
    """Return the label that each option is, in any language; nothing where one is none, or two."""
    options = known_options(tuple(("", label) for label in labels))
    hits = [option_alone(folded(name), options) for _, name in shown]
    places = [hit[0] for hit in hits if hit is not None and hit[0] >= 0]
    is_whole = len(places) == len(hits) and len({*places}) == len(labels)
    return tuple(labels[place] for place in places) if is_whole else ()


def _wordings(rows: Sequence[Any]) -> dict[str, int]:
    """Return by prompt's text the number of its wording, from 0.

    Texts that differ only in their options, and in lines that few items have (captions), are one
    wording.
    """
    items: dict[str, set[str]] = defaultdict(set)
    texts: dict[str, set[str]] = defaultdict(set)
    pieces: dict[str, tuple[str, ...]] = {}
    for row in rows:
        if row.prompt not in pieces:
            pieces[row.prompt] = _pieces(row.prompt)
        texts[row.item].add(row.prompt)
        for piece in pieces[row.prompt]:
            items[piece].add(row.item)
    shown = {prompt: tuple(shown_options(prompt)) for prompt in pieces}
    keys = pieces
    for share in (0.5, 0.1):
        least = max(2, share * len(texts)) if len(texts) > 1 else 1
        keys = {
            prompt: tuple(piece for piece in wordings if len(items[piece]) >= least)
            for prompt, wordings in pieces.items()
        }
        if all(
            len({(keys[p], shown[p]) for p in prompts}) == len(prompts)
            for prompts in texts.values()
        ):
            break
    order = {key: place for place, key in enumerate(dict.fromkeys(keys.values()))}
    if len(order) > _MOST_WORDINGS:
        raise InputError(
            f"The prompts are {len(order):,} different texts, too many to be wordings; give their "
            "numbers as --prompt instead.",
            file=rows[0].file,
        )
    return {prompt: order[key] for prompt, key in keys.items()}


def _pieces(prompt: str) -> tuple[str, ...]:
    """Return lines and sentences of a prompt without its options, folded."""
    options = {fold(f"{marker}{name}").squeezed()[0] for marker, name in shown_options(prompt)}
    parts = (
        fold(part).squeezed()[0]
        for line in prompt.splitlines()
        for part in re.split(r"(?<=[.?!。？！।])\s+|(?<=[。？！।])", line)
    )
    return tuple(part for part in parts if part and part not in options)


@lru_cache(maxsize=4096)
def language_of(text: str) -> str:
    """Return the language of a prompt among those that there are rules of; empty where it cannot be
    read.

    By its script, or by how many of its words are among the short words of a language's rules.
    """
    if len(text) < _SHORTEST_PROMPT:
        return ""
    words = set(re.findall(r"[^\W\d_]{2,}", folded(text)))
    scores = {tag: len(words & _short_words(tag)) for tag in languages()}
    for tag, letters in _SCRIPTS.items():
        if len(re.findall(f"[{letters}]", text)) > len(text) // 10:
            return tag
    best = max(scores, key=lambda tag: (scores[tag], tag == "en"), default="")
    return best if best and scores[best] >= 2 else ""


_SCRIPTS = {
    "ja": "\u3040-\u30ff",
    "zh": "\u4e00-\u9fff",
    "ko": "\uac00-\ud7a3",
    "hi": "\u0900-\u097f",
    "bn": "\u0980-\u09ff",
    "th": "\u0e00-\u0e7f",
}


@cache
def _short_words(tag: str) -> frozenset[str]:
    lists = languages()[tag]
    text = " ".join(
        phrase
        for name in ("answer", "is", "option", "before", "and", "because")
        for phrase in lists[name]
    )
    return frozenset(re.findall(r"\w{2,}", text))
