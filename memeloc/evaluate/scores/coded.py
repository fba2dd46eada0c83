"""Answers and gold as numbers. In: `ModelAnswers`, `Gold`. Out: `Coded`, prompt by prompt."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from memeloc.arrays import Ints
from memeloc.counts import counted
from memeloc.errors import InputError
from memeloc.evaluate.answers import COLUMNS, CONDITION, PROMPT, ModelAnswers
from memeloc.evaluate.gold import Gold

if TYPE_CHECKING:
    import pandas as pd

NO_GOLD = -1
"""Of an item without a label in a culture."""
INVALID = -1
"""Of an answer that chose no option."""
NOT_ASKED = -2
"""Of an item for which there is no answer."""
INPUT_NAMES = {"none": "question alone"}
"""Inputs that are called otherwise in titles."""


class Condition(NamedTuple):
    """Answers that differ only in item and prompt belong together."""

    model: str
    input: str
    language: str
    prompt_language: str
    country: str


class Prompt(NamedTuple):
    """Which wording, and in which order options were shown: 0 as the run lists them."""

    wording: int
    order: int

    @property
    def title(self) -> str:
        """Its name in tables, such as `1` or `1, swapped`."""
        return f"{self.wording}, swapped" if self.order else f"{self.wording}"


@dataclass(frozen=True, slots=True, eq=False)
class Answered:
    """Answers of a condition, each array (items, prompts).

    Attributes:
        condition: of all of them.
        prompts: in the order of wording and order.
        predicted: the place of the label chosen, `INVALID` or `NOT_ASKED`.
        positions: the place, from 1, at which what was chosen was shown; 0 for none.
        refused: whether the model would not answer.
        asks: how often it was asked; 0 where it was not.
    """

    condition: Condition
    prompts: tuple[Prompt, ...]
    predicted: Ints
    positions: Ints
    refused: Ints
    asks: Ints

    @property
    def asked(self) -> Any:
        """Where there is an answer."""
        return self.predicted != NOT_ASKED


@dataclass(frozen=True, slots=True, eq=False)
class Coded:
    """Answers and gold of the same items.

    Attributes:
        items: those that were asked about, in the order of the gold, then those without gold.
        labels: of the places; of multiple choice all options of all questions.
        is_choice: whether each item has options of its own, so that only right and wrong count.
        cultures: of the columns of `gold`.
        gold: (items, cultures), the place of the label or `NO_GOLD`.
        levels: of the labels, where they are ordered.
        answered: in the order in which the answers came.
        dimensions, memes: of the items, empty where the answers name none.
        notes: what was noticed, a sentence each.
    """

    items: tuple[str, ...]
    labels: tuple[str, ...]
    is_choice: bool
    cultures: tuple[str, ...]
    gold: Ints
    levels: tuple[float, ...] | None
    answered: tuple[Answered, ...]
    dimensions: tuple[str, ...]
    memes: tuple[str, ...]
    notes: tuple[str, ...]


def code(answers: ModelAnswers, gold: Gold) -> Coded:
    """Answers and gold as numbers.

    Raises:
        InputError: there are no answers, or none to an item of the gold; two rows are of the same
            condition, prompt and item; a label is not one of the labels.
    """
    import pandas as pd

    if answers.table.empty:
        raise InputError("There are no answers to score.")
    table = _filled(answers.table)
    labels = tuple(gold.labels or answers.labels)
    right = gold.table[~gold.table.index.duplicated()]
    names = labels or _options(table, right)
    asked = table["item"].unique()
    known = right.index.astype(str)
    items = pd.Index([*known[known.isin(asked)], *pd.Index(asked).difference(known, sort=False)])
    with_gold = int(known.isin(asked).sum())
    if not with_gold:
        raise InputError(
            f"None of the {counted(len(items), 'item')} that were asked about is in the gold: "
            f"answers have items such as {items[0]!r}, the gold such as "
            f"{known[0] if len(known) else 'nothing'!r}."
        )
    right = right.set_axis(known).reindex(items)
    levels = tuple(float(gold.levels[name]) for name in names) if gold.levels else None
    return Coded(
        tuple(map(str, items)),
        names,
        not labels,
        gold.cultures,
        np.column_stack([_gold_places(right[name], names) for name in right.columns]),
        levels,
        tuple(_conditions(table, items, names)),
        _of_items(table, items, "dimension"),
        _of_items(table, items, "meme"),
        (*answers.notes, *_notes(len(items) - with_gold, len(known) - with_gold)),
    )


def recoded(coded: Coded, coarser: Mapping[str, str]) -> Coded:
    """The same with a coarser label for each label; levels become ranks."""
    labels = tuple(dict.fromkeys(coarser[name] for name in coded.labels))
    places = np.array([labels.index(coarser[name]) for name in coded.labels])
    levels = None
    if coded.levels is not None:
        least = [min(np.array(coded.levels)[places == place]) for place in range(len(labels))]
        levels = tuple(float(sorted(set(least)).index(level)) for level in least)
    return replace(
        coded,
        labels=labels,
        gold=_mapped(coded.gold, places),
        levels=levels,
        answered=tuple(
            replace(each, predicted=_mapped(each.predicted, places)) for each in coded.answered
        ),
    )


def _mapped(values: Ints, places: Ints) -> Ints:
    """Places of labels mapped; what is negative stays."""
    return np.where(values < 0, values, places[np.maximum(values, 0)])


def only(coded: Coded, kept: NDArray[np.bool_]) -> Coded:
    """The same without the gold of the other items, so that they are not scored."""
    return replace(coded, gold=np.where(kept[:, None], coded.gold, NO_GOLD))


def titles(conditions: Iterable[Condition]) -> dict[Condition, str]:
    """By condition a name with what it differs in from the others; the model always.

    >>> two = [Condition("cat", "both", tag, "en", "") for tag in ("de", "hi")]
    >>> list(titles(two).values())
    ['cat · memes de', 'cat · memes hi']
    """
    all_conditions = list(conditions)
    varies = {
        name
        for name in Condition._fields
        if len({getattr(each, name) for each in all_conditions}) > 1
    }
    if all(each.prompt_language == each.language for each in all_conditions):
        varies -= {"prompt_language"}
    words = {"input": "{}", "language": "memes {}", "prompt_language": "prompt {}"}
    words["country"] = "country {}"
    return {
        each: " · ".join(
            [each.model or "model"]
            + [
                text.format(INPUT_NAMES.get(getattr(each, name), getattr(each, name)))
                for name, text in words.items()
                if name in varies and getattr(each, name)
            ]
        )
        for each in all_conditions
    }


def _filled(table: pd.DataFrame) -> pd.DataFrame:
    texts = [*CONDITION, "item", "choice", "dimension", "meme"]
    numbers = [*PROMPT, "position", "asks"]
    return table.assign(
        **{name: table[name].fillna("").astype(str) for name in texts},
        **{name: table[name].fillna(COLUMNS[name]).astype("int64") for name in numbers},
        **{name: table[name].fillna(False).astype(bool) for name in ("invalid", "refused")},
    ).reset_index(drop=True)


def _of_items(table: pd.DataFrame, items: pd.Index[Any], column: str) -> tuple[str, ...]:
    """The dimension or the meme of each item; empty where no answer names one."""
    named = table[table[column] != ""].drop_duplicates("item").set_index("item")[column]
    return tuple(named.reindex(items).fillna("")) if len(named) else ()


def _options(table: pd.DataFrame, right: pd.DataFrame) -> tuple[str, ...]:
    names = {str(name) for column in right.columns for name in right[column].dropna()}
    return tuple(sorted(names.union(table["choice"]) - {""}))


def _gold_places(column: pd.Series[Any], names: Sequence[str]) -> Ints:
    import pandas as pd

    places = pd.Index(names).get_indexer(pd.Index(column))
    unknown = column[(places < 0) & column.notna() & (column != "")]
    if len(unknown):
        raise InputError(
            f"Item {unknown.index[0]!r} has the gold label {unknown.iloc[0]!r} in {column.name}, "
            f"which is not one of the labels: {', '.join(names)}."
        )
    return np.asarray(places, dtype=np.int64)


def _conditions(
    table: pd.DataFrame, items: pd.Index[Any], names: Sequence[str]
) -> Iterable[Answered]:
    import pandas as pd

    invalid = table["invalid"].to_numpy() | (table["choice"] == "").to_numpy()
    places = np.asarray(pd.Index(names).get_indexer(pd.Index(table["choice"])), dtype=np.int64)
    unknown = table["choice"][(places < 0) & ~invalid]
    if len(unknown):
        raise InputError(
            f"An answer chooses {unknown.iloc[0]!r} (item {table['item'][unknown.index[0]]!r}), "
            f"which is not one of the labels: {', '.join(names)}."
        )
    places[invalid] = INVALID
    rows = np.asarray(items.get_indexer(pd.Index(table["item"])), dtype=np.int64)
    numbers = {
        "positions": np.where(invalid, 0, table["position"].to_numpy(np.int64)),
        "refused": table["refused"].to_numpy(np.int64),
        "asks": table["asks"].to_numpy(np.int64),
    }
    groups: Any = table.groupby(list(CONDITION), sort=False).indices
    for key, own in sorted(groups.items(), key=lambda group: int(group[1][0])):
        yield _answered(Condition(*key), table, own, rows, places, numbers, len(items))


def _answered(
    condition: Condition,
    table: pd.DataFrame,
    of_condition: Any,
    rows: Ints,
    places: Ints,
    numbers: dict[str, Ints],
    items: int,
) -> Answered:
    own = table.iloc[of_condition]
    given = [Prompt(*map(int, row)) for row in own[list(PROMPT)].itertuples(index=False)]
    prompts = sorted(set(given))
    place_of = {prompt: place for place, prompt in enumerate(prompts)}
    at = rows[of_condition], np.array([place_of[prompt] for prompt in given])
    times = np.zeros((items, len(prompts)), dtype=np.int64)
    np.add.at(times, at, 1)
    if times.max() > 1:
        item, prompt = np.argwhere(times > 1)[0]
        name = own["item"].iloc[int(np.flatnonzero(at[0] == item)[0])]
        raise InputError(
            f"Item {name!r} has {times[item, prompt]} answers of {titles([condition])[condition]} "
            f"to prompt {prompts[prompt].title}; keep one of them."
        )
    predicted = np.full(times.shape, NOT_ASKED, dtype=np.int64)
    predicted[at] = places[of_condition]
    arrays = {name: np.zeros_like(times) for name in numbers}
    for name, values in numbers.items():
        arrays[name][at] = values[of_condition]
    return Answered(condition, tuple(prompts), predicted, **arrays)


def _notes(without_gold: int, not_asked: int) -> Iterable[str]:
    if without_gold:
        yield (
            f"{counted(without_gold, 'item')} that models answered has no gold and is not scored."
            if without_gold == 1
            else f"{without_gold:,} items that models answered have no gold and are not scored."
        )
    if not_asked:
        yield f"{counted(not_asked, 'item')} of the gold without any answer."
