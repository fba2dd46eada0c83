"""Run files of trained models. In: a TOML file. Out: `TrainingRun`."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar, Literal, TypeVar

from pydantic import Field, model_validator

from memeloc.errors import InputError
from memeloc.evaluate.training.classifiers import ClassWeights
from memeloc.evaluate.training.settings import FeatureSettings, ModelSettings, Name, Settings
from memeloc.evaluate.training.splitting import SplitSettings
from memeloc.settings import read_toml, validate

BASELINES = "baselines"
"""The kind of run that trains classifiers on features; finetuning has kinds of its own."""


class DataSettings(Settings):
    """What is learned from; paths are relative to the run file."""

    table: str = Field(default="", description="a table of memes (.csv, .xlsx, .jsonl, .parquet)")
    release: str = Field(default="", description="or a folder that `memeloc publish` wrote")
    survey: str = Field(
        default="", description="or a survey of the workspace, whose labels are learned"
    )
    label_table: str = Field(
        default="labels", description="of a release: labels, collected_labels or model_labels"
    )
    where: dict[str, str] = Field(
        default_factory=dict, description="rows to take: by column what stands there"
    )
    pictures: str = Field(default="", description="the folder of the table's pictures")
    language: str = Field(default="", description="of all texts, where no column has it")
    columns: dict[str, str] = Field(
        default_factory=dict,
        description="columns of the table: item (else the row's number), label, text, picture (its "
        "file, relative to `pictures` or to the table), language, group (what stays in one split, "
        "such as the template), split and year",
    )
    other: tuple[str, ...] = Field(
        default=(), description="further columns to keep, such as target"
    )

    @model_validator(mode="after")
    def _check(self) -> DataSettings:
        if sum(map(bool, (self.table, self.release, self.survey))) != 1:
            raise ValueError("name a table, a release, or a survey of the workspace")
        return self


class LabelSettings(Settings):
    """What labels mean."""

    taxonomy: str = Field(
        default="", description="a shipped taxonomy, for order, levels and groups"
    )
    order: tuple[str, ...] = Field(
        default=(), description="all labels, in order; empty: by the alphabet"
    )
    map: dict[str, str] = Field(
        default_factory=dict, description="names in the table to labels; to '' leaves rows out"
    )
    levels: dict[str, int] = Field(
        default_factory=dict, description="by label a number, for MAE and MMAE"
    )
    coarser: dict[str, dict[str, str]] = Field(
        default_factory=dict, description="by name of a coarser task its label for each label"
    )


class TrainingRun(Settings):
    """A run: data, features, models, and how they are compared."""

    confidence: ClassVar[float] = 0.95
    """Of intervals."""

    kind: Literal["baselines"] = Field(default="baselines", description="what is trained")
    name: Name = Field(description="of the run, in every output")
    about: str = Field(default="", description="what it does, for the page")
    seed: int = Field(default=0, ge=0, lt=2**31, description="of everything that is drawn")
    class_weights: ClassWeights = Field(
        default="balanced", description="balanced, none, or a number by label"
    )
    bootstraps: int = Field(default=1000, ge=2, description="resamples of items behind an interval")
    data: DataSettings
    labels: LabelSettings = LabelSettings()
    split: SplitSettings = SplitSettings()
    features: dict[Name, FeatureSettings] = Field(default_factory=dict)
    models: tuple[ModelSettings, ...] = Field(min_length=1, description="one [[models]] each")
    save: tuple[str, ...] | Literal["all"] = Field(
        default="all", description="models that are kept"
    )

    @model_validator(mode="after")
    def _check(self) -> TrainingRun:
        names = [model.name for model in self.models]
        if len(set(names)) < len(names):
            raise ValueError("two models have the same name")
        for model in self.models:
            for feature in model.features:
                if feature not in self.features:
                    raise ValueError(f"the model {model.name} needs [features.{feature}]")
        if self.save != "all" and (unknown := set(self.save).difference(names)):
            raise ValueError(f"save names {min(unknown)}, which is no model of the run")
        return self


Run = TypeVar("Run", bound=TrainingRun)


def kind_of(path: Path) -> str:
    """The kind of a run file, such as `baselines`.

    Raises:
        InputError: the file cannot be read or is not TOML.
    """
    return str(read_toml(path).get("kind", BASELINES))


def read_run(path: Path) -> TrainingRun:
    """A run, its paths made absolute; see `read_run_as`."""
    return read_run_as(TrainingRun, path, path.parent)


def read_run_as(model: type[Run], path: Path, folder: Path) -> Run:
    """A run with the settings of a model, its paths made absolute.

    Args:
        model: what it is checked against; that of protocols has further settings.
        folder: what paths in it are relative to.

    Raises:
        InputError: the file cannot be read, or a setting is wrong.
    """
    values = read_toml(path)
    if values.get("kind", BASELINES) != BASELINES:
        raise InputError(f"is a run of another kind, {values['kind']!r:.60}", file=path)
    run = validate(model, values, "the run", file=path)
    return run.model_copy(
        update={
            "data": absolute(run.data, folder),
            "features": {name: _with_model(each, folder) for name, each in run.features.items()},
        }
    )


def absolute(data: DataSettings, folder: Path) -> DataSettings:
    """Settings whose paths were relative to a folder."""
    paths = {name: getattr(data, name) for name in ("table", "release", "pictures")}
    return data.model_copy(
        update={name: str(folder / path) for name, path in paths.items() if path}
    )


def _with_model(feature: FeatureSettings, folder: Path) -> FeatureSettings:
    kind, _, where = feature.model.partition(":")
    file = folder / where
    if kind != "onnx" or not where or not file.is_file():
        return feature
    return feature.model_copy(update={"model": f"onnx:{file}"})
