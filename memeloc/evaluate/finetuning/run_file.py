"""Run files of fine-tuning. In: a TOML file. Out: `FineTuningRun` or `LoraRun`."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, model_validator

from memeloc.errors import InputError
from memeloc.evaluate.finetuning.settings import (
    Device,
    LoraSettings,
    NetworkSettings,
    NotBuilt,
    TrainingSettings,
)
from memeloc.evaluate.training.run_file import DataSettings, LabelSettings, absolute, kind_of
from memeloc.evaluate.training.settings import Name, Settings
from memeloc.evaluate.training.splitting import SplitSettings
from memeloc.settings import read_toml, validate

SHIPPED = Path(__file__).parent / "shipped"
"""Runs after the papers; each is copied beside its dataset."""


class _Run(Settings):
    name: Name = Field(description="of the run, in every output")
    about: str = Field(default="", description="what it does, for the page")
    seed: int = Field(default=0, ge=0, lt=2**31, description="of everything that is drawn")
    bootstraps: int = Field(default=1000, ge=2, description="resamples of items behind an interval")
    device: Device = Field(
        default="auto", description="cpu, cuda or mps; auto takes a GPU where there is one"
    )
    data: DataSettings
    labels: LabelSettings = LabelSettings()
    training: TrainingSettings
    save: bool = Field(default=True, description="whether the trained models are kept")
    not_built: tuple[NotBuilt, ...] = Field(
        default=(), description="models of the paper that cannot be built, each with its reason"
    )


class FineTuningRun(_Run):
    """Text and vision encoders that learn to classify."""

    kind: Literal["finetuning"]
    split: SplitSettings = SplitSettings()
    models: tuple[NetworkSettings, ...] = Field(min_length=1, description="one [[models]] each")

    @model_validator(mode="after")
    def _check(self) -> FineTuningRun:
        names = [model.name for model in self.models]
        if len(set(names)) < len(names):
            raise ValueError("two models have the same name")
        for model in self.models:
            self.training_of(model)
        return self

    def training_of(self, model: NetworkSettings) -> TrainingSettings:
        """How a model is trained: [training], but for what it has of its own."""
        values = self.training.model_dump() | model.training
        return validate(TrainingSettings, values, f"the training of {model.name}")


class LoraRun(_Run):
    """A model that sees pictures, with adapters for each culture's labels."""

    kind: Literal["lora"]
    lora: LoraSettings

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models in every table."""
        tuned = tuple(f"fine-tuned on {culture}" for culture in self.lora.cultures)
        return ("zero-shot", *tuned) if self.lora.zero_shot else tuned


KINDS: dict[str, type[FineTuningRun | LoraRun]] = {"finetuning": FineTuningRun, "lora": LoraRun}
"""By `kind` of a run file, what it holds."""


def finetuning_names() -> tuple[str, ...]:
    """Names of the shipped runs."""
    return tuple(sorted(path.stem for path in SHIPPED.glob("*.toml")))


def is_finetuning(run: str | Path) -> bool:
    """Whether a run file, or a shipped run, is one of fine-tuning.

    Raises:
        InputError: the file is not TOML.
    """
    path = Path(run)
    if path.is_file():
        return kind_of(path) in KINDS
    return str(run) in finetuning_names()


def read_finetuning(run: str | Path) -> FineTuningRun | LoraRun:
    """A run of a file, or a shipped one by name, whose paths are relative to the current folder.

    Raises:
        InputError: the file cannot be read, is of another kind, or a setting is wrong.
    """
    path, folder = Path(run), Path(run).parent
    if not path.is_file() and str(run) in finetuning_names():
        path, folder = SHIPPED / f"{run}.toml", Path()
    values = read_toml(path)
    kind = KINDS.get(str(values.get("kind")))
    if kind is None:
        raise InputError(f"is a run of another kind; fine-tuning has {', '.join(KINDS)}", file=path)
    checked = validate(kind, values, "the run", file=path)
    update: dict[str, object] = {"data": absolute(checked.data, folder)}
    if isinstance(checked, FineTuningRun):
        update["models"] = tuple(_with_folders(model, folder) for model in checked.models)
    else:
        model = _local(checked.lora.model, folder)
        update["lora"] = checked.lora.model_copy(update={"model": model})
    return checked.model_copy(update=update)


def _with_folders(model: NetworkSettings, folder: Path) -> NetworkSettings:
    local = {"text": _local(model.text, folder), "picture": _local(model.picture, folder)}
    return model.model_copy(update=local)


def _local(model: str, folder: Path) -> str:
    """A folder relative to the run file as an absolute path; a name on huggingface.co as it is."""
    return str((folder / model).resolve()) if model and (folder / model).is_dir() else model
