"""Run files of fine-tuning. In: a TOML file. Out: `FineTuningRun` or `LoraRun`."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from pydantic import Field, model_validator

from memeloc.errors import InputError
from memeloc.evaluate.training.run_file import DataSettings, LabelSettings, absolute, kind_of
from memeloc.evaluate.training.settings import Name, Settings
from memeloc.evaluate.training.splitting import SplitSettings
from memeloc.settings import read_toml, validate

Device = Literal["auto", "cpu", "cuda", "mps"]


class TrainingSettings(Settings):
    """How a network is trained. AdamW without weight decay is Adam (harmeme's)."""

    epochs: int = Field(ge=1, description="passes over the examples of training")
    learning_rate: float = Field(gt=0, le=1, description="the highest of the schedule")
    batch_size: int = Field(16, ge=1, description="examples of a step")
    accumulate: int = Field(
        1, ge=1, description="parts that a batch goes through the network in, to save memory"
    )
    schedule: Literal["linear", "constant", "cosine"] = Field(
        "linear", description="of the learning rate, down to 0 unless it is constant"
    )
    warmup: float = Field(0.0, ge=0, lt=1, description="share of the steps at which it rises")
    weight_decay: float = Field(0.0, ge=0, description="of AdamW; 0 makes it Adam")
    class_weights: bool = Field(
        False, description="whether rare labels weigh more: examples / (labels x examples of it)"
    )
    precision: Literal["float32", "bfloat16", "float16"] = Field(
        "float32", description="of the numbers that are computed with"
    )
    longest_text: int = Field(128, ge=8, description="tokens; what is behind them is cut off")
    workers: int = Field(0, ge=0, description="processes that open pictures")

    @model_validator(mode="after")
    def _check(self) -> TrainingSettings:
        if self.batch_size % self.accumulate:
            raise ValueError("batch_size is a multiple of accumulate")
        return self

    def recorded(self) -> dict[str, Any]:
        """What the result depends on; how many processes open pictures does not change it."""
        return self.model_dump(exclude={"workers"})


class NetworkSettings(Settings):
    """A network: a text encoder, a vision encoder, or both.

    An encoder is a model of transformers: a folder, or a name on huggingface.co, which may have a
    revision behind an @.
    """

    name: Name = Field(description="of the model, in every table")
    text: str = Field("", description="the text encoder")
    picture: str = Field("", description="the vision encoder")
    fusion: Literal["concat", "score"] = Field(
        "concat", description="of both encoders: features joined, or the scores of each averaged"
    )
    training: dict[str, Any] = Field(
        default_factory=dict, description="what is other than in [training]"
    )

    @model_validator(mode="after")
    def _check(self) -> NetworkSettings:
        if not self.text and not self.picture:
            raise ValueError(f"{self.name} needs the encoder `text`, `picture`, or both")
        return self

    @property
    def input(self) -> str:
        """What it sees of an item: `text`, `picture` or `both`."""
        return "both" if self.text and self.picture else "text" if self.text else "picture"


class NotBuilt(Settings):
    """A model of the paper that cannot be built, and why."""

    name: Name
    why: str = Field(min_length=1)


class LoraSettings(Settings):
    """Low-rank adapters of a language model that sees pictures (multi3hate, appendix C)."""

    model: str = Field(description="of transformers: a folder, or a name on huggingface.co")
    rank: int = Field(8, ge=1, description="of the adapters")
    alpha: int = Field(16, ge=1, description="their scale is alpha / rank")
    modules: tuple[str, ...] = Field(
        ("q_proj", "v_proj"), description="layers of the language model that get one: Q and V"
    )
    dropout: float = Field(0.0, ge=0, lt=1, description="of the adapters' input")
    folds: int = Field(3, ge=2, description="of cross-validation")
    cultures: tuple[Name, ...] = Field(
        min_length=1, description="columns of labels; a model is trained on each"
    )
    zero_shot: bool = Field(True, description="whether the model without adapters answers too")
    options: tuple[tuple[str, str], ...] = Field(
        min_length=2, description="marker and label of each option, in the order of the prompt"
    )
    prompt: str = Field(min_length=1, description="the question; {text} becomes the item's text")
    prompt_language: str = Field("en", description="tag of its language")
    picture_size: int = Field(512, ge=0, description="pixels of each side; 0 leaves them as is")
    new_tokens: int = Field(40, ge=1, description="the longest answer")


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
