"""Settings of fine-tuning. In: tables of a run file. Out: pydantic models."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, model_validator

from memeloc.evaluate.training.settings import Name, Settings

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
