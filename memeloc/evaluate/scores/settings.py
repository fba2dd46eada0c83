"""Settings of scores. In: seed, resamples, what models are. Out: `ScoreSettings`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


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
