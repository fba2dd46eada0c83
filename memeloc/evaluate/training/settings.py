"""Settings of trained models. In: tables of a run file. Out: pydantic models."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

FeatureKind = Literal["words", "characters", "texts", "pictures"]
ClassifierName = Literal["logistic", "boosting", "xgboost", "majority", "random"]
WITHOUT_FEATURES = ("majority", "random")
"""Classifiers that look at no item."""
Name = Annotated[str, Field(min_length=1, max_length=60)]


class Settings(BaseModel):
    """Settings that are all known, and do not change."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class FeatureSettings(Settings):
    """What is known of an item: tf-idf of its text, or the vector of a model."""

    kind: FeatureKind = Field(
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
    settings: dict[str, Any] = Field(default_factory=dict, description="of the model of vectors")

    @model_validator(mode="after")
    def _check(self) -> FeatureSettings:
        if (self.kind in ("texts", "pictures")) != bool(self.model):
            raise ValueError("texts and pictures need a model, words and characters have none")
        if self.ngrams and not 1 <= self.ngrams[0] <= self.ngrams[1] <= 8:
            raise ValueError("ngrams are two numbers from 1 to 8, the smaller one first")
        return self

    @property
    def lengths(self) -> tuple[int, int]:
        """Of tf-idf: the fewest and most words or characters in a row."""
        return self.ngrams or ((1, 2) if self.kind == "words" else (2, 4))


class ModelSettings(Settings):
    """A classifier on features."""

    name: Name = Field(description="of the model, in every table")
    features: tuple[Name, ...] = Field(default=(), description="names of [features.NAME]")
    classifier: ClassifierName = Field(
        default="logistic", description="logistic, boosting, xgboost, majority or random"
    )
    fusion: Literal["concat", "score"] = Field(
        default="concat",
        description="features joined, or the scores of one classifier each averaged",
    )
    components: int | None = Field(
        default=None, ge=0, le=2000,
        description="to how many numbers each feature is reduced (truncated SVD), 0 for none"
    )  # fmt: skip
    settings: dict[str, Any] = Field(
        default_factory=dict, description="parameters of scikit-learn's or XGBoost's class"
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

    @property
    def most_components(self) -> int:
        """To how many numbers each feature is reduced; 0 for none.

        scikit-learn's gradient boosting takes no sparse features, and a tree looks at each number:
        it gets 50 of each feature unless the run names another count.
        """
        if self.components is not None:
            return self.components
        return 50 if self.classifier == "boosting" else 0
