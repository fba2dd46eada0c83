"""Answers and gold joined. In: `ModelAnswers`, `Gold`. Out: `Joined`: labels as places."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from memeloc.arrays import Bools, Ints
from memeloc.counts import counted
from memeloc.errors import InputError
from memeloc.evaluate.answers import COLUMNS, CONDITION, PROMPT, ModelAnswers
from memeloc.evaluate.gold import Gold

if TYPE_CHECKING:
    import pandas as pd

NO_GOLD = INVALID = -1
"""In place of a label: an item has none in a culture; an answer chose no option."""
NOT_ASKED = -2
"""In place of a label: there is no answer."""
INPUT_NAMES = {"none": "question alone"}
"""Inputs that are called otherwise in titles."""


class Condition(NamedTuple):
    """What answers have in common that differ only in item and prompt."""

    model: str
    input: str
    language: str
    prompt_language: str
    country: str


class Pair(NamedTuple):
    """A condition and a culture; arrays are (items, prompts), `gold` is by item.

    Attributes:
        name: the title, with the culture where there are several.
        stream: of both, the name of random numbers.
        scored: where there are an answer and gold; `right` says whether they are the same.
    """

    condition: Condition
    title: str
    culture: str
    name: str
    stream: str
    gold: Ints
    predicted: Ints
    right: Bools
    scored: Bools


@dataclass(frozen=True, slots=True, eq=False)
class Joined:
    """Answers and gold of the same items, as places of labels.

    Attributes:
        items: those that were asked about, in the order of the gold, then those without gold.
        labels: of the places; of multiple choice all options of all questions.
        is_choice: whether each item has options of its own, so that only right and wrong count.
        gold: (items, cultures), a place or `NO_GOLD`.
        levels: of the labels, where they are ordered.
        conditions: by title, in the order in which the answers came.
        prompts: by wording and order their names, sorted.
        predicted: (conditions, items, prompts), a place, `INVALID` or `NOT_ASKED`.
        positions: the same, the place, from 1, at which what was chosen was shown; 0 for none.
        refused, asks: the same, whether the model would not answer, and how often it was asked.
        dimensions: of the items; empty where the answers name none.
        units: by item the number of its meme, whose questions go together, or one of its own.
        notes: what was noticed, a sentence each.
    """

    items: pd.Index[Any]
    labels: tuple[str, ...]
    is_choice: bool
    cultures: tuple[str, ...]
    gold: Ints
    levels: tuple[float, ...] | None
    conditions: Mapping[str, Condition]
    prompts: Mapping[tuple[int, int], str]
    predicted: Ints
    positions: Ints
    refused: Ints
    asks: Ints
    dimensions: pd.Series[str]
    units: Ints
    notes: tuple[str, ...]

    def pairs(self) -> Iterator[Pair]:
        """Yield each condition with each culture."""
        conditions = zip(self.conditions.items(), self.predicted, strict=True)
        cultures = zip(self.cultures, self.gold.T, strict=True)
        for ((title, condition), predicted), (culture, gold) in product(conditions, cultures):
            name = title if len(self.cultures) == 1 else f"{title} · {culture}"
            scored = (predicted != NOT_ASKED) & (gold != NO_GOLD)[:, None]
            arrays = gold, predicted, scored & (predicted == gold[:, None]), scored
            yield Pair(condition, title, culture, name, f"{culture} {'|'.join(condition)}", *arrays)

    def coarser(self, task: str, mapping: Mapping[str, str]) -> Joined:
        """Return the same with a coarser label for each label; levels become ranks.

        Raises:
            InputError: the task lacks a label.
        """
        if missing := [label for label in self.labels if label not in mapping]:
            raise InputError(f"The coarser task {task} has no label for {missing[0]!r}.")
        labels = tuple(dict.fromkeys(mapping[name] for name in self.labels))
        # Places that are negative stay, for as indices they are the last two.
        places = np.array([*(labels.index(mapping[name]) for name in self.labels), -2, -1])
        levels = None
        if self.levels is not None:
            fine = np.array(self.levels)
            least = [fine[places[:-2] == place].min() for place in range(len(labels))]
            levels = tuple(map(float, np.unique(least, return_inverse=True)[1]))
        gold, predicted = places[self.gold], places[self.predicted]
        return replace(self, labels=labels, gold=gold, levels=levels, predicted=predicted)


def join(answers: ModelAnswers, gold: Gold) -> Joined:
    """Return answers and gold as places of labels.

    Raises:
        InputError: there are no answers, or none to an item of the gold; two rows are of the same
            condition, prompt and item; a label is not one of the labels.
    """
    import pandas as pd

    if answers.table.empty:
        raise InputError("There are no answers to score.")
    table = _filled(answers.table)
    right = gold.table[~gold.table.index.duplicated()]
    known, asked = right.index.astype(str), pd.Index(table["item"].unique())
    with_gold = int(known.isin(asked).sum())
    if not with_gold:
        raise InputError(
            f"None of the {counted(len(asked), 'item')} that were asked about is in the gold: "
            f"answers have items such as {asked[0]!r}, the gold such as "
            f"{known[0] if len(known) else 'nothing'!r}."
        )
    items = pd.Index([*known[known.isin(asked)], *asked.difference(known, sort=False)])
    notes = list(answers.notes)
    if without := len(items) - with_gold:
        verbs = "has no gold and is" if without == 1 else "have no gold and are"
        notes.append(f"{counted(without, 'item')} that models answered {verbs} not scored.")
    if len(known) > with_gold:
        notes.append(f"{counted(len(known) - with_gold, 'item')} of the gold without any answer.")
    counts = table.groupby([*CONDITION, *PROMPT, "item"], sort=False).size()
    if counts.max() > 1:
        *condition, wording, order, item = counts.index[int(counts.argmax())]
        (title,) = titles([Condition(*condition)]).values()
        prompt = _title(wording, order)
        raise InputError(
            f"Item {item!r} has {counts.max()} answers of {title} to prompt {prompt}; keep one of "
            "them."
        )
    labels = tuple(gold.labels or answers.labels)
    options = {str(name) for column in right.columns for name in right[column].dropna()}
    names = labels or tuple(sorted(options.union(table["choice"]) - {""}))
    right = right.set_axis(known).reindex(items)
    is_invalid = table["invalid"] | (table["choice"] == "")
    choices = table.set_index("item")["choice"].where(~is_invalid.to_numpy(), "")
    conditions = conditions_of(table)
    prompts = sorted(set(table[list(PROMPT)].itertuples(index=False, name=None)))
    at = (
        table.groupby(list(CONDITION), sort=False).ngroup(),
        items.get_indexer(pd.Index(table["item"])),
        table.groupby(list(PROMPT)).ngroup(),
    )

    def spread(values: Any, missing: int = 0) -> Ints:
        array = np.full((len(conditions), len(items), len(prompts)), missing)
        array[at] = values
        return array

    def of_items(column: str) -> pd.Series[str]:
        named = table[table[column] != ""].drop_duplicates("item").set_index("item")[column]
        return named.reindex(items).fillna("")

    memes = of_items("meme")
    units = ("meme " + memes).where(memes != "", "item " + items)
    return Joined(
        items,
        names,
        not labels,
        gold.cultures,
        np.column_stack([_places(right[name], names, f" in {name}") for name in right.columns]),
        tuple(float(gold.levels[name]) for name in names) if gold.levels else None,
        conditions,
        {each: f"prompt {answers.prompt_names.get(each, _title(*each))}" for each in prompts},
        spread(_places(choices, names), NOT_ASKED),
        spread(table["position"].where(~is_invalid, 0)),
        spread(table["refused"]),
        spread(table["asks"]),
        of_items("dimension"),
        np.asarray(pd.factorize(units)[0], dtype=np.int64),
        tuple(notes),
    )


def conditions_of(table: pd.DataFrame) -> dict[str, Condition]:
    """Return by title the conditions of a table of answers; figures are grouped by these titles."""
    conditions = _filled(table)[list(CONDITION)].drop_duplicates().itertuples(index=False)
    return {title: each for each, title in titles(Condition(*row) for row in conditions).items()}


def titles(conditions: Iterable[Condition]) -> dict[Condition, str]:
    """Return by condition a name with what it differs in from the others; the model always.

    >>> two = [Condition("cat", "both", tag, "en", "") for tag in ("de", "hi")]
    >>> list(titles(two).values())
    ['cat · memes de', 'cat · memes hi']
    """
    every = list(conditions)
    forms = {"language": "memes {}", "prompt_language": "prompt {}", "country": "country {}"}
    varying = [name for name in CONDITION[1:] if len({getattr(each, name) for each in every}) > 1]
    if all(each.prompt_language == each.language for each in every):
        varying = [name for name in varying if name != "prompt_language"]
    named = {}
    for each in every:
        values = {name: getattr(each, name) for name in varying if getattr(each, name)}
        words = [
            forms.get(name, "{}").format(INPUT_NAMES.get(value, value))
            for name, value in values.items()
        ]
        named[each] = " · ".join([each.model or "model", *words])
    return named


def _title(wording: int, order: int) -> str:
    return f"{wording}, swapped" if order else f"{wording}"


def _filled(table: pd.DataFrame) -> pd.DataFrame:
    texts = [*CONDITION, "item", "choice", "dimension", "meme"]
    numbers = [*PROMPT, "position", "asks"]
    return table.assign(
        **{name: table[name].fillna("").astype(str) for name in texts},
        **{name: table[name].fillna(COLUMNS[name]).astype("int64") for name in numbers},
        **{name: table[name].fillna(False).astype(bool) for name in ("invalid", "refused")},
    ).reset_index(drop=True)


def _places(labels: pd.Series[str], names: Sequence[str], of_culture: str = "") -> Ints:
    """Return the places of labels among the names, -1 of none."""
    import pandas as pd

    places = pd.Index(names).get_indexer(pd.Index(labels))
    unknown = labels[(places < 0) & labels.notna() & (labels != "")]
    if len(unknown):
        item, label = unknown.index[0], unknown.iloc[0]
        text = f"Item {item!r} has the gold label {label!r}{of_culture}"
        if not of_culture:
            text = f"An answer chooses {label!r} (item {item!r})"
        raise InputError(f"{text}, which is not one of the labels: {', '.join(names)}.")
    return np.asarray(places, dtype=np.int64)
