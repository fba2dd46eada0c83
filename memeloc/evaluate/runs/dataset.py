"""A run's dataset. In: tables of memes and labels, pictures. Out: `RunItem`s, what is right."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memeloc.counts import counted
from memeloc.errors import InputError
from memeloc.evaluate.choices.languages import folded
from memeloc.evaluate.choices.options import known_options, option_alone
from memeloc.evaluate.gold import ChoiceQuestion, Gold
from memeloc.evaluate.runs.run import Run
from memeloc.locales import default
from memeloc.locales.tags import count_scripts, letter_scripts
from memeloc.statistics.significance import rows_of
from memeloc.tables.column_map import (
    ABSTENTIONS,
    MISSING,
    ColumnMap,
    Columns,
    MappedRows,
    Role,
    columns_of,
    read_rows,
)
from memeloc.tables.rows import Frame

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class RunItem:
    """A meme in a language, or of multiple choice a question about one.

    Attributes:
        id: a text that may begin with zeros; the same in all languages.
        text: of the meme, its parts joined by ` // `; empty where it has none or none is known.
        picture: its file; None where there is none.
        question, options, dimension, meme: of multiple choice; `options` in the order listed.
        template: of the meme, where it is known; intervals draw templates.
    """

    id: str
    language: str
    text: str = ""
    picture: Path | None = None
    question: str = ""
    options: tuple[str, ...] = ()
    dimension: str = ""
    meme: str = ""
    template: str = ""


def in_languages(tag: str, wanted: Collection[str]) -> bool:
    """Return whether a meme's language is wanted; none wanted are all, zh is any Chinese.

    >>> in_languages("zh-Hans", ["en", "zh"]), in_languages("de", []), in_languages("de", ["en"])
    (True, True, False)
    """
    return not wanted or tag in wanted or tag.partition("-")[0] in wanted


@dataclass(frozen=True, slots=True, eq=False)
class RunData:
    """The dataset of a run.

    Attributes:
        items: in the order in which they are asked about.
        gold: None where nobody has labelled the items: then answers are only counted.
        about: which dataset and split it is, for every output.
        notes: what was left out, a sentence each.
    """

    items: tuple[RunItem, ...]
    gold: Gold | None = None
    about: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def languages(self) -> tuple[str, ...]:
        """Return the languages of the items, in the order in which they come first."""
        return tuple(dict.fromkeys(item.language for item in self.items))


def run_data(
    items: Iterable[RunItem], gold: Gold | None, about: Mapping[str, str], notes: Iterable[str] = ()
) -> RunData:
    """Return items with what is right, of which the questions and templates are those of items."""
    items = tuple(items)
    if gold is not None:
        questions = {
            item.id: ChoiceQuestion(item.question, item.options, item.language, item.text)
            for item in items
            if item.options
        }
        templates = {item.id: item.template for item in items if item.template}
        templates = {**gold.templates, **templates}
        gold = replace(gold, questions=questions, templates=templates)
    return RunData(items, gold, about, tuple(notes))


TEXT = "text"
"""The grouping's name, a column of `Gold.groups`."""
NO_TEXT, SWITCHED, OTHER, PLAIN = "no text", "code-switched", "another script", "one script"


def text_group(text: str, language: str) -> str:
    """Return what a text is written in, beside the script of its language.

    >>> text_group("شاي", "ar"), text_group("شاي please", "ar"), text_group("!", "ar")
    ('one script', 'code-switched', 'no text')
    """
    letters = letter_scripts(default().get(language).script)
    scripts = set(count_scripts(text))
    if not scripts:
        return NO_TEXT
    if not scripts & letters:
        return OTHER
    return SWITCHED if scripts - letters else PLAIN


def groups_of(items: Iterable[RunItem]) -> pd.DataFrame:
    """Return the groups of items by their ids, as `Gold.groups` has them.

    An item in several languages is in the group of the first one.
    """
    import pandas as pd

    groups: dict[str, str] = {}
    for item in items:
        groups.setdefault(item.id, text_group(item.text, item.language))
    return pd.DataFrame({TEXT: list(groups.values())}, index=list(groups), dtype=object)


ITEM = ("item", "meme id", "meme_id", "id", "image_id", "img_id")
"""Names that a column of items may have, best first."""
GOLD = "gold"
"""The culture of labels that are of no culture."""
_NO_LABEL = {
    *map(folded, (*ABSTENTIONS, *MISSING)), "none", "tie", "?", "-", "unsure", "unknown",
}  # fmt: skip
"""Cells that are no label, folded, unless a run has them among its own."""
_TRUTH = {"true": "1", "false": "0"}


def plain_id(text: str) -> str:
    """Return an item as it is compared: tables write 0012, 12.0 and 12 for the same.

    >>> plain_id("0012"), plain_id("12.0"), plain_id("a-01")
    ('12', '12', 'a-01')
    """
    text = text.strip().removesuffix(".0")
    return text.lstrip("0") or "0" if text.isdecimal() else text


def label_in(text: str, run: Run) -> str | None:
    """Return a label as the run names it, empty for what means no label, None for what is none.

    It may be written as the run's `gold.labels` say, or in other words ("not hate").
    """
    named = {folded(plain_id(name)): label for name, label in run.gold.labels.items()}
    labels = {folded(label): label for label in run.labels}
    key = folded(plain_id(text))
    label = named.get(key, named.get(_TRUTH.get(key, key), text.strip()))
    if not label or not run.labels:
        return label
    if folded(label) in labels:
        return labels[folded(label)]
    if {key, folded(label)} & _NO_LABEL:
        return ""
    if len(text) > 60 or text.strip().isdecimal():
        return None
    hit = option_alone(folded(text), known_options(tuple(("", label) for label in run.labels)))
    return None if hit is None or hit[0] < 0 else run.labels[hit[0]]


def as_label(
    text: str,
    run: Run,
    where: str = "",
    *,
    file: str | Path | None = None,
    row: int | None = None,
    column: str | None = None,
) -> str:
    """Return a label as the run names it; empty where there is none. Raise InputError if it is none
    of the run's labels; `where` it stands, or file, row and column, are named."""
    label = label_in(text, run)
    if label is None:
        raise InputError(
            f"{where and f'{where} has '}the label {text.strip()[:60]!r}, which is none of "
            f"{', '.join(run.labels)}; [labels] of a map (--map), or [gold.labels] of the run, "
            "say what stands for which",
            file=file,
            row=row,
            column=column,
        )
    return label


def read_gold(
    run: Run,
    table: str | Path | Frame,
    items: Iterable[str],
    about: Mapping[str, str],
    column_map: ColumnMap | None = None,
) -> Gold | None:
    """Return the labels of items; None where there are none.

    A row is an item with a column a culture. Where a column says who answered, or the map names the
    column of the culture, it is a person's answer: right is the label that most people of a culture
    gave, and a tie is none. Raise InputError if the table cannot be read or has no labels of the
    items; two rows of an item differ; a cell of a named column is no label. File, row and column
    are named.

    Args:
        column_map: goes before the run's `gold.columns` and `gold.labels`. Without a column
            `gold_item` items are in the one that holds them, without `label` labels in
            all that hold nothing else.
    """
    roles = column_map or ColumnMap()
    written = run.gold.labels | roles.labels | dict.fromkeys(roles.abstentions or (), "")
    run = run.model_copy(update={"gold": run.gold.model_copy(update={"labels": written})})
    items = list(items)
    cells, file = read_cells(table)
    # The map's `item` is that of the answers; here it is another column, which holds the same.
    gold_columns = run.gold.columns
    columns = (
        gold_columns
        | ({"gold_item": gold_columns["item"]} if "item" in gold_columns else {})
        | roles.columns
    )
    named = {role.name: columns[role.name] for role in _GOLD_ROLES if role.name in columns}
    named["gold_item"] = item = item_column(cells, items, columns.get("gold_item", ""), file)
    found = columns_of(cells.columns.tolist(), ColumnMap(columns=named), _GOLD_ROLES, file)
    if "annotator" not in found and "culture" not in named:
        _check_doubled(cells, item, file)
        if "label" not in named:
            named["label"] = _label_columns(cells.drop(columns=item), run, file)
    column_map = ColumnMap(columns=named, cultures=roles.cultures, fixed={"culture": GOLD})
    rows = read_rows(table, column_map, _GOLD_ROLES)
    frame = rows.frame
    labels = {text: label_in(text, run) for text in frame["label"].unique()}
    for row in rows_of(frame[frame["label"].map(labels).isna()]):
        by_culture = rows.columns["label"]
        column = by_culture.get(row.culture, next(iter(by_culture.values())))
        as_label(row.label, run, file=file, row=row.row, column=column)
    # An item of exactly that name goes before one that is the same but for zeros.
    names = {plain_id(each): each for each in items} | {each: each for each in items}
    ids = frame["gold_item"].str.strip()
    frame["item"] = ids.where(ids.isin(names), ids.map(plain_id)).map(names)
    frame["label"] = frame["label"].map(labels)
    if frame["item"].isna().all():
        raise InputError("has none of the items that are asked about", file=file, column=item)
    cell = ["item", "culture"]
    votes = frame[frame["label"] != ""].value_counts([*cell, "label"], sort=False).reset_index()
    most = votes[votes["count"] == votes.groupby(cell)["count"].transform("max")]
    right = most[~most.duplicated(cell, keep=False)].set_index(cell)["label"].unstack()
    right = right.reindex(index=frame["item"].dropna().unique(), columns=frame["culture"].unique())
    read = gold_of(run, right, {**about, "gold": Path(file).name})
    if read is None or "template" not in frame:
        return read
    with_template = frame[frame["item"].notna() & (frame["template"] != "")]
    return replace(
        read, templates=dict(zip(with_template["item"], with_template["template"], strict=True))
    )


_TEMPLATE = Role("template", ("template", "template id", "template name", "group"))
_GOLD_ROLES = (
    Role("gold_item"),
    _TEMPLATE,
    Role("annotator", ("annotator", "annotator id", "worker", "participant")),
    Role("culture", ("culture", "country"), values="culture"),
    Role("label", ("label", "answer"), values="label"),
)


def gold_of(run: Run, table: pd.DataFrame, about: Mapping[str, str]) -> Gold | None:
    """Return labels by item and culture, an empty text where there is none; None without any."""
    labels = table.astype(object).where(table.notna() & (table != "")).dropna(how="all")
    labels = labels.set_axis(labels.index.astype(str)).rename_axis(index=None, columns=None)
    if labels.empty:
        return None
    return Gold(labels, run.labels, run.gold.levels, run.gold.coarser, about)


def read_cells(table: str | Path | Frame) -> tuple[pd.DataFrame, str]:
    """Return all cells of a table as texts by heading, a row by its number, and its file's name.
    Raise InputError if it cannot be read, or a row is broken."""
    rows = read_rows(table, ColumnMap(), [Role("cells", ("*",), many=True)])
    if rows.broken:
        raise InputError(rows.broken[0].error, file=rows.file, row=rows.broken[0].number)
    return rows.many("cells").set_axis(rows.frame["row"]), rows.file


def item_column(cells: pd.DataFrame, items: Sequence[str], named: Columns, file: str) -> str:
    """Return the column of items: the named one, else the one that holds them. Raise InputError if
    the named one is not there, or no column holds any of them."""
    headings: list[str] = cells.columns.tolist()
    role = Role("gold_item", ITEM)
    column_map = ColumnMap(columns={"gold_item": named} if named else {})
    column = next(iter(columns_of(headings, column_map, [role], file).get("gold_item", ())), "")
    if named:
        return column
    wanted = {plain_id(each) for each in items}
    shares = {name: len({plain_id(text) for text in cells[name]} & wanted) for name in headings}
    best = max(headings, key=lambda name: shares[name], default="")
    # A column of 0 and 1 has two of the items' numbers; the right one has more.
    if shares.get(column, 0) * 2 >= max(shares.get(best, 0), 1):
        return column
    if not shares.get(best):
        raise InputError(
            f"No column holds the items that are asked about (such as "
            f"{next(iter(items), '')[:40]!r}); the columns are "
            f"{', '.join(repr(name[:40]) for name in headings[:12])}. Name it: --map "
            'gold_item=COLUMN, or gold_item = "COLUMN" in [columns] of its file.',
            file=file,
        )
    return best


def _check_doubled(cells: pd.DataFrame, item: str, file: str) -> None:
    rows = cells[cells[item].str.strip() != ""]
    rows = rows.assign(**{item: rows[item].map(plain_id)}).drop_duplicates()
    doubled = rows[rows[item].duplicated()]
    if len(doubled):
        row, name = int(doubled.index[0]), doubled[item].iloc[0]
        raise InputError(
            f"item {cells[item][row][:40]!r} stands in row {rows.index[rows[item] == name][0]} "
            "too, with other cells; keep one of them, or name the column of the culture, where a "
            "row is a person's answer",
            file=file,
            row=row,
            column=item,
        )


def _label_columns(cells: pd.DataFrame, run: Run, file: str) -> dict[str, str]:
    """Return the columns that hold nothing but labels, by their own names."""
    labels = {text: label_in(text, run) for name in cells.columns for text in cells[name].unique()}
    columns = {
        name: name
        for name in cells.columns
        if all(labels[text] is not None for text in cells[name])
        and any(map(labels.get, cells[name]))
    }
    if not columns or not run.labels:
        raise InputError(
            "No column holds labels only. Name them: --cultures US=COLUMN,DE=COLUMN, or "
            'label = { US = "COLUMN" } in [columns] of a map (--map); and in its [labels] what '
            "stands in them.",
            file=file,
        )
    return columns


_ROLES = (
    Role("item", ITEM),
    Role("text", ("text", "caption", "Translation", "transcript", "ocr", "ocr_text")),
    Role("picture", ("picture", "image", "img", "file_name", "image_path", "img_path", "path")),
    Role("language", ("language", "lang")),
    Role("split", ("split",)),
    Role("question", ("question",)),
    Role("option", ("options", "choices")),
    Role("correct", ("correct", "correct_answer", "answer", "gold"), shared=True),
    Role("dimension", ("dimension",)),
    _TEMPLATE,
    Role("meme", ("meme", "meme_id", "Meme ID"), shared=True),
    Role("label", ("label", "gold", "gold_label"), shared=True),
)
_CHOICE = "choice"
"""The role of columns with an option each: those of `dataset.options`, else of these headings."""
_CHOICES = ("option*", "choice*")
PICTURES = frozenset((".jpg", ".jpeg", ".png", ".webp", ".gif", ".bmp", ".avif"))


def read_table_data(run: Run, source: Path | str | Frame, gold: Path | None = None) -> RunData:
    """Return the dataset of a run that is a table, a folder with one, or JSON-LD of questions.
    Raise InputError if the table, its pictures or its labels cannot be read; the file, row and
    column are named.

    Args:
        run: says which table of a folder, and where its pictures and labels are.
        gold: a table of labels, in the place of the run's.
    """
    import pandas as pd

    settings = run.dataset
    path = Path(source) if isinstance(source, str | Path) else Path()
    root = path if path.is_dir() else path.parent
    table = str(root / settings.table) if path.is_dir() else str(path)
    published = None if isinstance(source, str | Path) else source
    if path.suffix == ".jsonld" or (
        not run.labels and published is None and not Path(table).is_file()
    ):
        published = json_ld_questions(path)
    if published is None and path.is_dir() and not settings.table:
        raise InputError("is a folder; name its table as dataset.table in the run file", file=path)
    tables = {table: settings.language}
    if "{language}" in table:
        if not settings.languages:
            message = "the table differs by language; name them: dataset.languages or --langs"
            raise InputError(message)
        tables = {table.replace("{language}", tag): tag for tag in settings.languages}
    if gold is None and run.gold.path:
        gold = root / run.gold.path
    items: dict[tuple[str, str], RunItem] = {}
    labels: dict[str, str] = {}
    notes: list[str] = []
    pictures_in = cache(_pictures_in)
    for name, tag in tables.items():
        rows = _read(run, Path(name) if published is None else published, tag)
        name = name if published is None else str(source if path.name else rows.file)
        before = len(items)
        for row in rows_of(rows.frame):
            item = _item(run, rows, row, root, pictures_in)
            if items.setdefault((item.id, item.language), item) is not item:
                message = f"another row has the item {item.id[:60]!r} in {item.language}"
                raise rows.wrong(message, row=row.row)
            label = _label(run, rows, row, item.options) if gold is None else ""
            if label and item.options and labels.get(item.id, label) != label:
                message = (
                    f"another question has the item {item.id[:60]!r}; give each one of its own"
                )
                raise rows.wrong(message, row=row.row)
            labels |= {item.id: label} if label else {}
        without = sum(item.picture is None for item in list(items.values())[before:])
        if without and any("text" not in each.inputs for each in run.conditions):
            notes.append(
                f"{counted(without, 'item')} of {Path(name).name} have no picture and are asked "
                "about by their text alone."
            )
    chosen = tuple(items.values())[: settings.limit]
    if not chosen:
        raise InputError("no item of these languages and this split is in it", file=path)
    about = {"dataset": path.resolve().name}
    about |= {"split": settings.split} if settings.split else {}
    if gold is not None:
        right = read_gold(run, gold, [item.id for item in chosen], about)
    else:
        gold_table = pd.DataFrame({GOLD: {item.id: labels.get(item.id, "") for item in chosen}})
        right = gold_of(run, gold_table, {**about, "gold": "the labels in its own table"})
    return run_data(chosen, right, about, notes)


def _read(run: Run, path: Path | Frame, tag: str) -> MappedRows:
    """Return the rows that are asked about, with a column for each role."""
    settings = run.dataset
    fixed = {"language": tag} if tag else {}
    column_map = ColumnMap(columns=settings.columns, fixed=fixed)
    rows = read_rows(path, column_map, [*_ROLES, Role(_CHOICE, settings.options, many=True)])
    if not run.labels and not rows.columns.keys() & {"option", _CHOICE}:
        rows = read_rows(path, column_map, [*_ROLES, Role(_CHOICE, _CHOICES, many=True)])
    if rows.broken:
        raise InputError(rows.broken[0].error, file=rows.file, row=rows.broken[0].number)
    if not run.labels and not rows.columns.keys() & {"item", "meme"}:
        rows = replace(rows, frame=rows.frame.assign(item=rows.frame["row"].astype(str)))
        rows = replace(rows, columns={**rows.columns, "item": {"": ""}})
    if not rows.columns.keys() & {"item", "meme"}:
        raise rows.wrong("has no column of items: name it as dataset.columns.item")
    if "language" not in rows.frame:
        raise rows.wrong(
            "no language: name its column as dataset.columns.language, or the language of all "
            "items as dataset.language"
        )
    frame = rows.frame.assign(**{role.name: "" for role in _ROLES if role.name not in rows.frame})
    texts = frame.columns.drop("row")
    frame[texts] = frame[texts].apply(lambda column: column.str.strip())
    if run.labels or "option" in rows.columns:
        frame["option"] = frame["option"].map(_listed)
    else:
        choices = rows.columns.get(_CHOICE, {})
        missing = [name for name in settings.options if name not in choices]
        if not choices or (missing and choices.keys() & {*settings.options}):
            raise rows.wrong(
                f"has no column {(missing or ['options'])[0][:40]!r}: name the columns of the "
                "options as dataset.options, or one with a JSON list as dataset.columns.option"
            )
        listed = frame[[f"{_CHOICE}: {name}" for name in choices]]
        frame["option"] = [tuple(filter(None, row)) for row in listed.to_numpy()]
    is_wanted = frame["language"].map(lambda tag: in_languages(tag, settings.languages))
    if settings.split:
        is_wanted &= frame["split"] == settings.split
    return replace(rows, frame=frame[is_wanted])


def _item(
    run: Run,
    rows: MappedRows,
    row: Any,
    root: Path,
    pictures_in: Callable[[Path], Mapping[str, Path]],
) -> RunItem:
    of_meme = rows.columns.get("item") in (None, rows.columns.get("meme"))
    id = row.meme if of_meme else row.item
    if of_meme and row.dimension:
        id = f"{row.meme}/{row.dimension}"
    if not id:
        raise rows.wrong("names no item", "item", row.row)
    if not run.labels and not 2 <= len(set(row.option)) == len(row.option):
        raise rows.wrong("has no two options that differ", row=row.row)
    folder = run.dataset.pictures.replace("{language}", row.language)
    picture = None
    if row.picture:
        picture = inside(root / folder, row.picture)
        if picture is None and not run.labels:
            picture = pictures_in(root / folder).get(plain_id(Path(row.picture).stem))
    elif folder:
        picture = pictures_in(root / folder).get(plain_id(row.meme or id))
    return RunItem(
        id,
        row.language,
        row.text,
        picture,
        row.question,
        () if run.labels else row.option,
        row.dimension,
        row.meme if row.dimension else "",
        row.template,
    )


def _listed(text: str) -> tuple[str, ...]:
    """Return options in one cell: a JSON list, or parted by line breaks or " | "."""
    try:
        values = json.loads(text)
    except ValueError:
        values = text.split("\n" if "\n" in text else " | ")
    return tuple(str(value).strip() for value in values if str(value).strip())


def _label(run: Run, rows: MappedRows, row: Any, options: tuple[str, ...]) -> str:
    """Return what is right: of the run's labels, or of options by its text, letter or number."""
    if not options:
        column = next(iter(rows.columns.get("label", ())), "")
        return as_label(row.label, run, file=rows.file, row=row.row, column=column)
    folded = [option.casefold() for option in options]
    text = row.correct.casefold()
    if not text or row.correct in options:
        return str(row.correct)
    if text in folded:
        return options[folded.index(text)]
    place = int(text) - 1 if text.isdecimal() else ord(text) - ord("a") if len(text) == 1 else -1
    if 0 <= place < len(options):
        return options[place]
    raise rows.wrong(
        f"the right option {row.correct[:60]!r} is none of the options", "correct", row.row
    )


def json_ld_questions(path: Path) -> Frame | None:
    """Return the questions of JSON-LD, a file or all of a folder, as a table; None without any.

    M-QUEST publishes a node a question: `question`, `answers` with `text` and `is_correct`,
    `dimension` and `sourceImage` with its `filename`. Prefixes of keys are left out.
    """
    import pandas as pd

    paths = sorted(path.rglob("*.jsonld")) if path.is_dir() else [path]
    rows = []
    for file in paths:
        try:
            content = json.loads(file.read_text(encoding="utf-8"), object_hook=_object)
        except (OSError, ValueError, RecursionError) as error:
            raise InputError(f"is no JSON-LD ({error})", file=file) from error
        for node in _nodes(content if isinstance(content, dict | list) else []):
            answers = node.get("answers")
            answers = [each for each in answers if isinstance(each, dict)] if answers else []
            if not isinstance(node.get("question"), str) or not answers:
                continue
            right = [each["text"] for each in answers if _is_true(each)]
            if len(right) != 1:
                message = f"the question {node['question'][:60]!r} has {len(right)} right answers"
                raise InputError(message, file=file)
            image = node.get("sourceImage")
            name = str(image.get("filename", "") if isinstance(image, dict) else image or "")
            rows.append(
                {
                    "id": re.split("[#/]", str(node.get("@id", "")))[-1] or file.stem,
                    "meme": Path(name).stem,
                    "dimension": str(node.get("dimension", "")),
                    "question": node["question"],
                    "options": json.dumps([str(each["text"]) for each in answers]),
                    "correct": str(right[0]),
                    "picture": name,
                }
            )
    return pd.DataFrame(rows) if rows else None


def _object(pairs: dict[str, Any]) -> Any:
    """Return an object of JSON-LD, keys without prefixes, a `@value` or a list of one as itself."""
    if "@value" in pairs:
        return pairs["@value"]
    return {
        re.split("[:#/]", key)[-1]: each[0]
        if isinstance(each, list) and len(each) == 1 and not isinstance(each[0], dict)
        else each
        for key, each in pairs.items()
    }


def _nodes(value: Any) -> Iterator[dict[str, Any]]:
    """Yield all objects of JSON, each before those in it."""
    if isinstance(value, dict):
        yield value
    for each in value.values() if isinstance(value, dict) else value:
        if isinstance(each, dict | list):
            yield from _nodes(each)


def _is_true(answer: Mapping[str, Any]) -> bool:
    value = answer.get("is_correct", answer.get("isCorrect", answer.get("correct", False)))
    return str(value).casefold() in ("true", "1")


def inside(folder: Path, name: str) -> Path | None:
    """Return a file below a folder; None where it is not there, or leads out of it."""
    path = Path(os.path.normpath(folder / name))
    is_inside = path.is_relative_to(os.path.normpath(folder)) and path.is_file()
    is_real = is_inside and path.resolve().is_relative_to(folder.resolve())
    return path if is_real else None


def _pictures_in(folder: Path) -> dict[str, Path]:
    """Return the pictures in a folder and those below by the plain name of their file."""
    paths = sorted(folder.rglob("*"), reverse=True) if folder.is_dir() else []
    return {
        plain_id(path.stem): path
        for path in paths
        if path.suffix.lower() in PICTURES and inside(folder, str(path.relative_to(folder)))
    }
