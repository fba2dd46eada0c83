"""A run. In: a run file, or the name of a shipped one. Out: `Run`, checked.

The sections `dataset` and `gold` are those of training, too (`memeloc.evaluate.training.run_file`).

A file may begin with `like = "multi3hate"`: it has the settings of that run but for its own.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, model_validator

from memeloc.errors import InputError
from memeloc.settings import read_toml, shipped_file, shipped_names, validate
from memeloc.tables.column_map import Columns

Input = Literal["picture", "text", "both", "none"]
"""What a model gets of a meme; `none`: the question alone, as the control of multiple choice."""
INPUTS: tuple[Input, ...] = get_args(Input)
Reasoning = Literal["none", "before", "after"]
NATIVE = "native"
"""Stands for the language of each meme, where languages of prompts are listed."""
_SHIPPED = Path(__file__).with_name("shipped")
MOST_REASKS = 5  # each is paid for as the first
_PLACES = {"dataset": ("path", "table", "pictures"), "gold": ("path", "columns")}
"""Settings that say where things are in a dataset: of no use for another one."""


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class DatasetSettings(_Section):
    """The memes that models are asked about, or learn from."""

    path: str = Field(
        default="",
        description="a table, the folder of one, or a published dataset; empty for the "
        "workspace's own memes or a survey; --data goes before it",
    )
    table: str = Field(default="", description="in that folder the table; it may hold {language}")
    pictures: str = Field(
        default="",
        description="in the table's folder that of the pictures, whose names are the items where "
        "the table names none; it may hold {language}",
    )
    columns: dict[str, Columns] = Field(
        default_factory=dict,
        description="a column of the table by its role (item, text, picture, language, split, "
        "label, template, year; question, option, correct, dimension, meme), where its name does "
        "not say it",
    )
    options: tuple[str, ...] = Field(
        default=(), description="of multiple choice the columns of the options, in the order shown"
    )
    languages: tuple[str, ...] = Field(default=(), description="only memes in these; empty for all")
    language: str = Field(default="", description="of all memes, where no column says it")
    split: str = Field(default="", description="only memes of this split")
    text_groups: bool = Field(
        default=False,
        description="whether items without text and code-switched ones are also scored apart",
    )
    survey: str = Field(default="", description="of a workspace: only the memes of this survey")
    limit: int | None = Field(default=None, ge=1, description="only so many items, the first")
    label_table: str = Field(
        default="labels",
        description="in training, of a published dataset: labels, collected_labels or model_labels",
    )
    where: dict[str, str] = Field(
        default_factory=dict, description="in training, rows to take: by column what stands there"
    )
    other: tuple[str, ...] = Field(
        default=(), description="in training, further columns to keep, such as target"
    )


class GoldSettings(_Section):
    """The labels that are right, and their meaning."""

    path: str = Field(
        default="",
        description="a table with a row an item, in the dataset's folder; empty for labels in the "
        "dataset's own table, in the published dataset or in the workspace's survey",
    )
    columns: dict[str, Columns] = Field(
        default_factory=dict,
        description="the column of the items as `item`, and as `label` a column or one a culture; "
        "by default the one that holds items, and all that hold labels only",
    )
    labels: dict[str, str] = Field(
        default_factory=dict, description="labels by what stands in the table, as 1 = Hate"
    )
    levels: dict[str, int] = Field(
        default_factory=dict, description="a number by label, where labels are ordered: MAE, MMAE"
    )
    coarser: dict[str, dict[str, str]] = Field(
        default_factory=dict, description="coarser tasks: by label the label that it counts as"
    )
    taxonomy: str = Field(
        default="", description="in training: a shipped taxonomy, for order, levels and groups"
    )
    order: tuple[str, ...] = Field(
        default=(), description="in training: all labels, in order; empty: by the alphabet"
    )


class Condition(_Section):
    """A part of the run: all of its inputs, languages and prompts with one another."""

    name: str = Field(min_length=1, description="by which --only names it")
    inputs: tuple[Input, ...] = Field(
        default=("both",),
        min_length=1,
        description="what the model gets: picture, text, both, none (the question alone)",
    )
    prompt_languages: tuple[str, ...] = Field(
        default=("en",),
        min_length=1,
        description='languages of the prompts; "native" is the meme\'s own',
    )
    country: bool = Field(
        default=False, description="whether the prompt names the country of the meme's language"
    )
    languages: tuple[str, ...] = Field(default=(), description="only memes in these; empty for all")


class RunModel(_Section):
    """A model that is asked; what else a table [[model]] has are settings of the client."""

    model_config = ConfigDict(extra="allow")

    model: str = Field(min_length=1, description="the model, as its server names it")
    name: str = Field(
        default="", description="what the report calls it; empty for the model's name"
    )
    family: str = Field(default="", description="models of a family are compared by size")
    parameters: float | None = Field(default=None, gt=0, description="billions of parameters")
    inputs: tuple[Input, ...] = Field(
        default=INPUTS, description="what it takes: of a text-only model text and none"
    )

    reasoning: Reasoning | None = Field(
        default=None, description="the same as of the run, for this model"
    )

    @property
    def title(self) -> str:
        """Return what the report calls it."""
        return self.name or self.model


class Run(_Section):
    """A zero-shot run.

    `labels` are the options in the order in which order 0 shows them; order 1 reverses them.
    """

    name: str = Field(min_length=1, description="of the run")
    title: str = Field(default="", description="of its page")
    source: str = Field(default="", description="the paper and section that it is after")
    dataset: DatasetSettings = Field(default=DatasetSettings(), description="which memes")
    gold: GoldSettings = Field(default=GoldSettings(), description="what is right")
    labels: tuple[str, ...] = Field(
        default=(), description="the options; empty for multiple choice, where items have their own"
    )
    prompts: str = Field(
        min_length=1,
        description="texts of the prompts: the name of shipped ones, a TOML file, or a Python file "
        "of published ones such as Multi3Hate's all_prompts.py, which is read and never run",
    )
    definition: bool = Field(
        default=True, description="whether the definition stands before the prompt"
    )
    wordings: tuple[int, ...] = Field(
        default=(), description="which wordings, from 1; empty for all"
    )
    orders: tuple[Literal[0, 1], ...] = Field(
        default=(0, 1), min_length=1, description="orders of the options: 0 as listed, 1 reversed"
    )
    countries: dict[str, str] = Field(
        default_factory=dict, description="by language of the meme the country that prompts name"
    )
    reasoning: Reasoning = Field(
        default="none", description="whether models give reasons, before or after the answer"
    )
    reasoning_tokens: int = Field(
        default=400, ge=0, description="tokens that reasons may have, on top of max_tokens"
    )
    parser: Literal["json", "rules", "exact", "logprobs"] = Field(
        default="json",
        description="how answers are read: as JSON by a schema that the server is sent; words by "
        "the rules of the language, or exactly; or by the logprobs of the options' markers, where "
        "the server gives them",
    )
    reasks: int = Field(
        default=MOST_REASKS,
        ge=0,
        le=MOST_REASKS,
        description="how often an invalid answer is asked again; then it counts as wrong",
    )
    temperature: float = Field(default=0.0, ge=0, le=2, description="0 is deterministic")
    top_p: float | None = Field(
        default=None, gt=0, le=1, description="share of likely tokens; empty for the server's"
    )
    seed: int = Field(default=0, description="of the model's random numbers")
    max_tokens: int = Field(default=40, ge=1, description="tokens of an answer at the most")
    picture_shape: Literal["whole", "square"] = Field(
        default="whole", description="whole keeps proportions, square stretches to equal sides"
    )
    picture_side: int = Field(
        default=512,
        ge=16,
        le=8192,
        description="pixels of the longer side of pictures that are sent",
    )
    conditions: tuple[Condition, ...] = Field(
        default=(Condition.model_validate({"name": "all"}),),
        alias="condition",
        min_length=1,
        description="parts of the run",
    )
    models: tuple[RunModel, ...] = Field(default=(), alias="model", description="which models")

    @model_validator(mode="after")
    def _fits(self) -> Run:
        if len(set(self.labels)) < len(self.labels) or len(self.labels) == 1:
            raise ValueError("labels are two or more that differ")
        if self.labels and any("none" in condition.inputs for condition in self.conditions):
            raise ValueError("the input none is for questions with options of their own")
        levels = set(self.gold.levels)
        if levels and levels != set(self.labels):
            raise ValueError("gold.levels has a number for each of the labels")
        for name, mapping in self.gold.coarser.items():
            if set(mapping) != set(self.labels):
                raise ValueError(f"gold.coarser.{name[:40]} has a label for each of the labels")
        refuse_settings(self.dataset, ("label_table", "where", "other"), "training")
        refuse_settings(self.gold, ("taxonomy", "order"), "training")
        names = [condition.name for condition in self.conditions]
        if len(set(names)) < len(names):
            raise ValueError("two conditions have the same name")
        titles = [model.title for model in self.models]
        if len(set(titles)) < len(titles):
            raise ValueError("two models have the same name")
        return self

    def digest(self) -> str:
        """Return SHA-256 of all settings but the models', in hex: the same run has the same."""
        training = {"dataset": {"label_table", "where", "other"}, "gold": {"taxonomy", "order"}}
        text = self.model_dump_json(exclude={"models": True, **training})
        return hashlib.sha256(text.encode()).hexdigest()

    def only(self, names: Sequence[str], inputs: Sequence[str]) -> Run:
        """Return the run with these of its conditions and inputs, or all."""
        existing = [condition.name for condition in self.conditions]
        if unknown := [each for each in names if each not in existing]:
            has = ", ".join(existing)
            raise InputError(
                f"The run {self.name} has no condition {unknown[0][:40]!r}; it has {has}."
            )
        if unknown := [each for each in inputs if each not in INPUTS]:
            raise InputError(f"An input is picture, text, both or none, not {unknown[0][:40]!r}.")
        conditions = [
            condition.model_copy(update={"inputs": wanted})
            for condition in self.conditions
            if (not names or condition.name in names)
            and (wanted := tuple(each for each in condition.inputs if not inputs or each in inputs))
        ]
        if not conditions:
            raise InputError(f"No condition of {self.name} has the input {', '.join(inputs)}.")
        return self.model_copy(update={"conditions": tuple(conditions)})


def refuse_settings(section: BaseModel, names: Sequence[str], kind: str) -> None:
    """Raise ValueError for a setting that only runs of another kind have."""
    if wrong := sorted(section.model_fields_set.intersection(names)):
        raise ValueError(f"{wrong[0]} is a setting of {kind}")


def run_names() -> tuple[str, ...]:
    """Return the names of the shipped runs."""
    return shipped_names(_SHIPPED)


def read_run(name: str | Path, changes: Mapping[str, Any] | None = None) -> tuple[Run, Path]:
    """Return a run by its file or shipped name, and the folder that its paths are relative to.
    Raise InputError if there is no such run, or a setting is unknown or wrong.

    Args:
        changes: settings that go before those of the file; tables are merged.
    """
    values, folder, where = _values(name, ())
    run = validate(Run, _merged(values, changes or {}), f"the run {Path(name).stem}", file=where)
    return run, folder


def _values(name: str | Path, seen: tuple[str, ...]) -> tuple[dict[str, Any], Path, Path | None]:
    path = shipped_file(str(name), _SHIPPED, "run")
    is_shipped = path.parent == _SHIPPED
    folder = Path.cwd() if is_shipped else path.resolve().parent
    where = None if is_shipped else path  # what is wrong with a shipped one are the changes
    values = read_toml(path)
    rename_settings(values)
    like = values.pop("like", None)
    if like is None:
        return values, folder, where
    if not isinstance(like, str) or len(seen) > 4 or like in seen:
        raise InputError("like names a shipped run, or a file that is not like this one", file=path)
    base = like if like in run_names() else folder / like
    old = _values(base, (*seen, like))[0]
    if values.get("dataset", {}).get("path"):  # what the other run says of its own dataset
        for section, names in _PLACES.items():
            inherited = {name: v for name, v in old.get(section, {}).items() if name not in names}
            old = {**old, section: inherited}
    return _merged(old, values), folder, where


_OLD_SECTIONS = {
    "data": ("dataset", {"table": "path", "release": "path"}),
    "labels": ("gold", {"map": "labels"}),
}
"""Sections of training's older run files, with the names that they and their settings have now."""


def rename_settings(values: dict[str, Any]) -> None:
    """Give settings the names that they have now: run files are older than the map of columns."""
    for old, (new, names) in _OLD_SECTIONS.items():
        if isinstance(section := values.get(old), dict):
            values[new] = {names.get(name, name): each for name, each in section.items()}
            del values[old]
    gold, dataset = values.get("gold"), values.get("dataset")
    if isinstance(gold, dict):
        named = {"item": gold.pop("item", None), "label": gold.pop("cultures", None)}
        if columns := {role: column for role, column in named.items() if column}:
            gold["columns"] = {**columns, **gold.get("columns", {})}
        if "values" in gold:
            gold["labels"] = gold.pop("values")
    roles = dataset.get("columns") if isinstance(dataset, dict) else None
    for old, now in (("options", "option"), ("group", "template")):
        if isinstance(roles, dict) and old in roles:
            roles[now] = roles.pop(old)


def _merged(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """Return the old values with the new ones; the sections `dataset` and `gold` are merged."""
    merged = {**old, **new}
    for name in ("dataset", "gold"):
        if isinstance(old.get(name), Mapping) and isinstance(new.get(name), Mapping):
            merged[name] = {**old[name], **new[name]}
    return merged
