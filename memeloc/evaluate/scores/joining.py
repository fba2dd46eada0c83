"""Answers and gold joined. In: `ModelAnswers`, `Gold`. Out: `Joined`: labels as places."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
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


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """A model's family and size.

    Attributes:
        family: models of one maker and kind, such as `Qwen2-VL`; empty where it is not known.
        parameters: how many it has, in billions; None where it is not known.
    """

    family: str = ""
    parameters: float | None = None


@dataclass(frozen=True, slots=True)
class ScoreSettings:
    """Settings of scores; they stand in the report.

    Attributes:
        seed: of the resamples.
        bootstraps: resamples of items behind an interval.
        confidence: of the intervals.
        alpha: the p-value below which a rank-sum test is significant (multi3hate 5.1: .05).
        models: by model its family and size.
        small, large: billions of parameters: below the first a model is small, above the second
            it is large (multi3hate 5.2: 10 and 70).
        toxicity: the dimension of multiple choice that group accuracy joins with every other;
            empty for the one whose name begins with `Toxic` (m-quest).
        countries: by language of prompts the culture that a prompt in it aims at.
    """

    seed: int = 0
    bootstraps: int = 1_000
    confidence: float = 0.95
    alpha: float = 0.05
    models: Mapping[str, ModelFacts] = field(default_factory=dict, hash=False)
    small: float = 10.0
    large: float = 70.0
    toxicity: str = ""
    countries: Mapping[str, str] = field(default_factory=dict, hash=False)


NO_GOLD = INVALID = -1
"""In place of a label: an item has none in a culture; an answer chose no option."""
NOT_ASKED = -2
"""In place of a label: there is no answer."""
Rows = Iterator[tuple[Any, ...]]
"""Of the table of figures, up to all of its cells; some may be several, for as many rows."""
INPUT_NAMES = {"none": "question alone"}
"""Inputs that are called otherwise in titles."""


class Condition(NamedTuple):
    """A condition: all that answers share which differ only in item and prompt."""

    model: str
    input: str
    language: str
    prompt_language: str
    country: str


class Pair(NamedTuple):
    """A condition and a culture; arrays are (items, prompts), `gold` is by item.

    `name` is the title, with the culture where there are several; `stream` names random numbers;
    `scored` is where there are an answer and gold, `right` where they are the same.
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

    Items are those that were asked about, in the order of the gold, then those without gold. Gold
    is (items, cultures): a place or `NO_GOLD`. Conditions go by title, in the order of the answers,
    prompts by wording and order. Arrays of answers are (conditions, items, prompts): `predicted`
    has a place, `INVALID` or `NOT_ASKED`, `positions` the place (from 1, 0 for none) at which what
    was chosen was shown. `memes` has the number of each item's meme, or one of its own; `units`
    that of what intervals draw: its template where any is known, else its meme; `unit` says which.
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
    memes: Ints
    units: Ints
    unit: str
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
        """Return the same with a coarser label for each label; levels become ranks. Raise
        InputError if the task lacks a label."""
        if missing := [label for label in self.labels if label not in mapping]:
            raise InputError(f"The coarser task {task} has no label for {missing[0]!r}.")
        import pandas as pd

        of_labels, labels = pd.factorize(pd.Index([mapping[name] for name in self.labels]))
        # Places that are negative stay, for as indices they are the last two.
        places = np.array([*of_labels, NOT_ASKED, INVALID])
        levels = None
        if self.levels is not None:
            least = pd.Series(self.levels).groupby(of_labels).min()
            levels = tuple(least.rank(method="dense"))
        gold, predicted = places[self.gold], places[self.predicted]
        return replace(self, labels=tuple(labels), gold=gold, levels=levels, predicted=predicted)


def join(answers: ModelAnswers, gold: Gold) -> Joined:
    """Return answers and gold as places of labels. Raise InputError if there are no answers, or
    none to an item of the gold; two rows are of the same condition, prompt and item; a label is not
    one of the labels."""
    import pandas as pd

    if answers.table.empty:
        raise InputError("There are no answers to score.")
    table = _filled(answers.table)
    right = gold.table[~gold.table.index.duplicated()]
    right = right.set_axis(right.index.astype(str))
    asked = pd.Index(table["item"].unique())
    asked_and_right = right.index[right.index.isin(asked)]
    without = asked.difference(right.index, sort=False)
    if asked_and_right.empty:
        raise InputError(
            f"None of the {counted(len(asked), 'item')} that were asked about is in the gold: "
            f"answers have items such as {asked[0]!r}, the gold such as "
            f"{right.index[0] if len(right) else 'nothing'!r}."
        )
    notes = list(answers.notes)
    if len(without):
        verbs = "has no gold and is" if len(without) == 1 else "have no gold and are"
        notes.append(f"{counted(len(without), 'item')} that models answered {verbs} not scored.")
    if more := len(right) - len(asked_and_right):
        notes.append(f"{counted(more, 'item')} of the gold without any answer.")
    counts = table.groupby([*CONDITION, *PROMPT, "item"], sort=False).size()
    if counts.max() > 1:
        *condition, wording, order, item = counts.index[int(counts.argmax())]
        (title,) = titles([Condition(*condition)]).values()
        raise InputError(
            f"Item {item!r} has {counts.max()} answers of {title} to prompt "
            f"{_title(wording, order)}; keep one of them."
        )
    items, labels = asked_and_right.append(without), tuple(gold.labels or answers.labels)
    right = right.reindex(items)
    names = labels or tuple(sorted({*right.stack().dropna(), *table["choice"]} - {""}))
    is_valid = ~table["invalid"] & (table["choice"] != "")
    choices = table["choice"].where(is_valid, "").set_axis(table["item"])
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

    of_items = table[["meme", "dimension"]].where(lambda texts: texts != "").groupby(table["item"])
    memes, dimensions = (of_items[name].first().reindex(items) for name in ("meme", "dimension"))
    templates = pd.Series(gold.templates, dtype=object).reindex(items)
    units = ("template " + templates).fillna("meme " + memes).fillna("item " + items.to_series())
    is_meme = memes.notna().any() or table.groupby("item")["language"].nunique().max() > 1
    unit = "template" if templates.notna().any() else "meme" if is_meme else "item"
    if unit == "item":
        notes.append(
            "No column names the template or the meme of an item: intervals take items as "
            "independent, and are too narrow where several are of one (template = COLUMN)."
        )
    predicted = spread(_places(choices, names), NOT_ASKED)
    for title, was_asked in zip(conditions, predicted != NOT_ASKED, strict=True):
        lacking = was_asked.any(axis=1)[:, None] & was_asked.any(axis=0) & ~was_asked
        if lacking.any():
            number, place = np.argwhere(lacking)[0]
            lines = counted(int(lacking.any(axis=1).sum()), "item")
            notes.append(
                f"{title}: {lines} without an answer to each prompt; item {items[number]!r} lacks "
                f"prompt {answers.prompt_names.get(prompts[place], _title(*prompts[place]))}."
            )
    return Joined(
        items,
        names,
        not labels,
        gold.cultures,
        np.column_stack([_places(right[name], names, f" in {name}") for name in right.columns]),
        tuple(float(gold.levels[name]) for name in names) if gold.levels else None,
        conditions,
        {each: f"prompt {answers.prompt_names.get(each, _title(*each))}" for each in prompts},
        predicted,
        spread(table["position"].where(is_valid, 0)),
        spread(table["refused"]),
        spread(table["asks"]),
        dimensions.fillna(""),
        pd.factorize(("meme " + memes).fillna("item " + items.to_series()))[0],
        pd.factorize(units)[0],
        unit,
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
        values = {name: getattr(each, name) for name in varying}
        words = [
            forms.get(name, "{}").format(INPUT_NAMES.get(value, value))
            for name, value in values.items()
            if value
        ]
        named[each] = " · ".join([each.model or "model", *words])
    return named


def _title(wording: int, order: int) -> str:
    return f"{wording}, swapped" if order else f"{wording}"


def _filled(table: pd.DataFrame) -> pd.DataFrame:
    kinds: dict[str, Any] = dict.fromkeys((*CONDITION, "item", "choice", "dimension", "meme"), str)
    kinds |= dict.fromkeys((*PROMPT, "position", "asks"), "int64")
    kinds |= dict.fromkeys(("invalid", "refused"), bool)
    filled = {
        name: table[name].fillna(COLUMNS.get(name, "")).astype(kind) for name, kind in kinds.items()
    }
    return table.assign(**filled).reset_index(drop=True)


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
