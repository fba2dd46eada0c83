"""Run files of training. In: a TOML file, or the name of a shipped one. Out: a run of its kind."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from memeloc.errors import InputError
from memeloc.evaluate.runs.run import (
    DatasetSettings,
    GoldSettings,
    refuse_settings,
    rename_settings,
)
from memeloc.settings import read_toml, shipped_file, shipped_names, validate

SHIPPED = Path(__file__).with_name("shipped")
"""Runs after the papers; each is copied beside its dataset."""
WITHOUT_FEATURES = ("majority", "random")
"""Classifiers that look at no item."""

Name = Annotated[str, Field(min_length=1, max_length=60)]
ClassWeights = Literal["balanced", "none"] | Mapping[str, float]
Device = Literal["auto", "cpu", "cuda", "mps"]


class Settings(BaseModel):
    """Settings that are all known, and do not change."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class SplitSettings(Settings):
    """The way examples are divided."""

    method: Literal["auto", "own", "seeded", "folds"] = Field(
        default="auto", description="own, seeded or folds; auto is own where the dataset has splits"
    )
    train: tuple[str, ...] = Field(default=("train",), description="own splits that are trained on")
    test: tuple[str, ...] = Field(default=("test",), description="own splits that are tested on")
    share: float = Field(
        default=0.8, gt=0, lt=1, description="of a seeded split: what is trained on"
    )
    folds: int = Field(
        default=5, ge=2, le=100, description="of folds: how many; each is tested on once"
    )
    seed: int | None = Field(
        default=None, description="of what is drawn; the run's unless it is named"
    )


class FeatureSettings(Settings):
    """Features of an item: tf-idf of its text, or the vector of a model."""

    kind: Literal["words", "characters", "texts", "pictures"] = Field(
        description="tf-idf of `words` or `characters`, or the vectors of `texts` or `pictures`"
    )
    ngrams: tuple[int, int] | None = Field(
        default=None,
        description="of tf-idf: the fewest and most in a row; words 1 to 2, characters 2 to 4",
    )
    fewest: int = Field(
        default=2, ge=1, description="of tf-idf: texts of training that have it at least"
    )
    most: int = Field(default=50_000, ge=1, description="of tf-idf: how many, those of most texts")
    model: str = Field(default="", description="of vectors: KIND:WHERE, as onnx:clip.onnx")
    settings: dict[str, Any] = Field(default={}, description="of the model of vectors")

    @model_validator(mode="after")
    def _check(self) -> FeatureSettings:
        if (self.kind in ("texts", "pictures")) != bool(self.model):
            raise ValueError("texts and pictures need a model, words and characters have none")
        if self.ngrams and not 1 <= self.ngrams[0] <= self.ngrams[1] <= 8:
            raise ValueError("ngrams are two numbers from 1 to 8, the smaller one first")
        return self


class ModelSettings(Settings):
    """A classifier on features."""

    name: Name = Field(description="of the model, in every table")
    features: tuple[Name, ...] = Field(default=(), description="names of [features.NAME]")
    classifier: Literal["logistic", "boosting", "xgboost", "majority", "random"] = Field(
        default="logistic", description="logistic, boosting, xgboost, majority or random"
    )
    fusion: Literal["concat", "score"] = Field(
        default="concat",
        description="features joined, or the scores of one classifier each averaged",
    )
    components: int | None = Field(
        default=None,
        ge=0,
        le=2000,
        description="to how many numbers each feature is reduced (truncated SVD), 0 for none",
    )
    settings: dict[str, Any] = Field(
        default={}, description="parameters of scikit-learn's or XGBoost's class"
    )

    @model_validator(mode="after")
    def _check(self) -> ModelSettings:
        if (self.classifier in WITHOUT_FEATURES) == bool(self.features):
            raise ValueError(
                f"{self.name} needs features, unless its classifier is majority or random"
            )
        if len(set(self.features)) < len(self.features):
            raise ValueError(f"{self.name} names a feature twice")
        return self


class NetworkTraining(Settings):
    """Settings of a network's training. AdamW without weight decay is Adam (harmeme's)."""

    epochs: int = Field(ge=1, description="passes over the examples of training")
    learning_rate: float = Field(gt=0, le=1, description="the highest of the schedule")
    batch_size: int = Field(default=16, ge=1, description="examples of a step")
    accumulate: int = Field(
        default=1,
        ge=1,
        description="parts that a batch goes through the network in, to save memory",
    )
    schedule: Literal["linear", "constant", "cosine"] = Field(
        default="linear", description="of the learning rate, down to 0 unless it is constant"
    )
    warmup: float = Field(
        default=0.0, ge=0, lt=1, description="share of the steps at which it rises"
    )
    weight_decay: float = Field(default=0.0, ge=0, description="of AdamW; 0 makes it Adam")
    class_weights: bool = Field(
        default=False,
        description="whether rare labels weigh more: examples / (labels x examples of it)",
    )
    precision: Literal["float32", "bfloat16", "float16"] = Field(
        default="float32", description="of the numbers that are computed with"
    )
    longest_text: int = Field(
        default=128, ge=8, description="tokens; what is behind them is cut off"
    )
    workers: int = Field(default=0, ge=0, description="processes that open pictures")

    @model_validator(mode="after")
    def _check(self) -> NetworkTraining:
        if self.batch_size % self.accumulate:
            raise ValueError("batch_size is a multiple of accumulate")
        return self

    @property
    def recorded(self) -> dict[str, Any]:
        """Return what the result depends on; the number of processes does not change it."""
        return self.model_dump(exclude={"workers"})


class NetworkSettings(Settings):
    """A network: a text encoder, a vision encoder, or both.

    An encoder is a model of transformers: a folder, or a name on huggingface.co, which may have a
    revision behind an @.
    """

    name: Name = Field(description="of the model, in every table")
    text: str = Field(default="", description="the text encoder")
    picture: str = Field(default="", description="the vision encoder")
    fusion: Literal["concat", "score"] = Field(
        default="concat",
        description="of both encoders: features joined, or the scores of each averaged",
    )
    training: dict[str, Any] = Field(default={}, description="what is other than in [training]")

    @model_validator(mode="after")
    def _check(self) -> NetworkSettings:
        if not self.text and not self.picture:
            raise ValueError(f"{self.name} needs the encoder `text`, `picture`, or both")
        return self

    @property
    def input(self) -> str:
        """Return what it sees of an item: `text`, `picture` or `both`."""
        return "both" if self.text and self.picture else "text" if self.text else "picture"


class NotBuilt(Settings):
    """A model of the paper that cannot be built, and why."""

    name: Name
    why: str = Field(min_length=1)


class LoraSettings(Settings):
    """Low-rank adapters of a language model that sees pictures (multi3hate, appendix C)."""

    model: str = Field(description="of transformers: a folder, or a name on huggingface.co")
    rank: int = Field(default=8, ge=1, description="of the adapters")
    alpha: int = Field(default=16, ge=1, description="their scale is alpha / rank")
    modules: tuple[str, ...] = Field(
        default=("q_proj", "v_proj"),
        description="layers of the language model that get one: Q and V",
    )
    dropout: float = Field(default=0.0, ge=0, lt=1, description="of the adapters' input")
    folds: int = Field(default=3, ge=2, description="of cross-validation")
    cultures: tuple[Name, ...] = Field(
        min_length=1, description="columns of labels; a model is trained on each"
    )
    zero_shot: bool = Field(
        default=True, description="whether the model without adapters answers too"
    )
    options: tuple[tuple[str, str], ...] = Field(
        min_length=2, description="marker and label of each option, in the order of the prompt"
    )
    prompt: str = Field(min_length=1, description="the question; {text} becomes the item's text")
    prompt_language: str = Field(default="en", description="tag of its language")
    picture_size: int = Field(
        default=512, ge=0, description="pixels of each side; 0 leaves them as is"
    )
    new_tokens: int = Field(default=40, ge=1, description="the longest answer")


class _Run(Settings):
    confidence: ClassVar[float] = 0.95
    """Of intervals."""

    name: Name = Field(description="of the run, in every output")
    about: str = Field(default="", description="what it does, for the page")
    seed: int = Field(default=0, ge=0, lt=2**31, description="of everything that is drawn")
    bootstraps: int = Field(default=1000, ge=2, description="resamples of items behind an interval")
    dataset: DatasetSettings
    gold: GoldSettings = GoldSettings()

    @model_validator(mode="after")
    def _check_dataset(self) -> Self:
        data = self.dataset
        refuse_settings(data, ("options", "languages", "split", "text_groups", "limit"), "asking")
        refuse_settings(self.gold, ("path", "columns"), "asking")
        if bool(data.path) == bool(data.survey):
            raise ValueError("name a table or a published dataset (path), or a survey")
        return self


class TrainingRun(_Run):
    """Classifiers on features, and how they are compared."""

    kind: Literal["baselines"] = Field(default="baselines", description="what is trained")
    class_weights: ClassWeights = Field(
        default="balanced", description="balanced, none, or a number by label"
    )
    split: SplitSettings = SplitSettings()
    features: dict[Name, FeatureSettings] = {}
    models: tuple[ModelSettings, ...] = Field(min_length=1, description="one [[models]] each")
    save: tuple[str, ...] | Literal["all"] = Field(
        default="all", description="models that are kept"
    )

    @model_validator(mode="after")
    def _check(self) -> TrainingRun:
        names = _checked_names(self.models)
        for model in self.models:
            for feature in model.features:
                if feature not in self.features:
                    raise ValueError(f"the model {model.name} needs [features.{feature}]")
        if self.save != "all" and (unknown := set(self.save).difference(names)):
            raise ValueError(f"save names {min(unknown)}, which is no model of the run")
        return self


class _NetworkRun(_Run):
    device: Device = Field(
        default="auto", description="cpu, cuda or mps; auto takes a GPU where there is one"
    )
    training: NetworkTraining
    save: bool = Field(default=True, description="whether the trained models are kept")
    not_built: tuple[NotBuilt, ...] = Field(
        default=(), description="models of the paper that cannot be built, each with its reason"
    )


class FineTuningRun(_NetworkRun):
    """Text and vision encoders that learn to classify."""

    kind: Literal["finetuning"]
    split: SplitSettings = SplitSettings()
    models: tuple[NetworkSettings, ...] = Field(min_length=1, description="one [[models]] each")

    @model_validator(mode="after")
    def _check(self) -> FineTuningRun:
        _checked_names(self.models)
        for model in self.models:
            self.training_of(model)
        return self

    def training_of(self, model: NetworkSettings) -> NetworkTraining:
        """Return how a model is trained: [training], but for what it has of its own."""
        values = self.training.model_dump() | model.training
        return validate(NetworkTraining, values, f"the training of {model.name}")


class LoraRun(_NetworkRun):
    """A model that sees pictures, with adapters for each culture's labels."""

    kind: Literal["lora"]
    lora: LoraSettings


AnyRun = TrainingRun | FineTuningRun | LoraRun
KINDS: dict[str, type[AnyRun]] = {
    "baselines": TrainingRun,
    "finetuning": FineTuningRun,
    "lora": LoraRun,
}
"""By `kind` of a run file, what it holds."""


def _checked_names(models: tuple[ModelSettings, ...] | tuple[NetworkSettings, ...]) -> list[str]:
    names = [model.name for model in models]
    if len(set(names)) < len(names):
        raise ValueError("two models have the same name")
    return names


def shipped_runs() -> tuple[str, ...]:
    """Return the names of the shipped runs."""
    return shipped_names(SHIPPED)


def read_run(run: str | Path) -> AnyRun:
    """Return a run of a file with its paths made absolute.

    Paths of a shipped run, which is found by its name, are relative to the current folder. Raise
    InputError if there is none, it is of no kind of training, or a setting is wrong.
    """
    path = shipped_file(str(run), SHIPPED, "run")
    folder = Path() if path.parent == SHIPPED else path.parent
    values = read_toml(path)
    rename_settings(values)
    kind = KINDS.get(str(values.get("kind", "baselines")))
    if kind is None:
        message = f"is a run of another kind, {values['kind']!r:.60}; training has"
        raise InputError(f"{message} {', '.join(KINDS)}", file=path)
    checked = validate(kind, values, "the run", file=path)
    changed: dict[str, Any] = {"dataset": absolute(checked.dataset, folder)}
    if isinstance(checked, TrainingRun):
        changed["features"] = {
            name: feature.model_copy(update={"model": _local(feature.model, folder, "onnx:")})
            for name, feature in checked.features.items()
        }
    elif isinstance(checked, FineTuningRun):
        changed["models"] = tuple(
            model.model_copy(
                update={name: _local(getattr(model, name), folder) for name in ("text", "picture")}
            )
            for model in checked.models
        )
    else:
        model = _local(checked.lora.model, folder)
        changed["lora"] = checked.lora.model_copy(update={"model": model})
    return checked.model_copy(update=changed)


def absolute(data: DatasetSettings, folder: Path) -> DatasetSettings:
    """Return settings whose paths were relative to a folder."""
    paths = {name: getattr(data, name) for name in ("path", "pictures")}
    return data.model_copy(
        update={name: str(folder / path) for name, path in paths.items() if path}
    )


def _local(model: str, folder: Path, kind: str = "") -> str:
    """Return a model beside the run file by its whole path, any other one by its name."""
    path = folder / model.removeprefix(kind)
    is_there = path.is_file() if kind else path.is_dir()
    return (
        f"{kind}{path.resolve()}"
        if model.startswith(kind) and model != kind and is_there
        else model
    )
