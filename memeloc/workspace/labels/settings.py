"""How a model labels. In: options of a run. Out: `LabelSettings`, which is stored with answers."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from memeloc.label.prompts import BUILT
from memeloc.label.rounds import Equal
from memeloc.workspace.model_inputs import InputSettings

_Temperature = Annotated[float, Field(ge=0, le=2, allow_inf_nan=False)]


class LabelSettings(InputSettings):
    """A labelling by a model; its defaults are CHARMemes', where the paper states them.

    Attributes:
        taxonomy: a shipped label set, or the TOML of your own.
        rounds: how often each meme is labelled (CHARMemes 4.1: three times).
        equal: rounds are equal where their most severe category is the same; `exact`, where its
            subcategories are the same, too.
        temperature: of all rounds; at 0 most models answer the same in each.
        seed: of the first round; each further one has the next.
        prompt: one that ships, see `memeloc.label.prompts`, or a TOML file.
        topics: a table of known topics; empty where no topics are asked for.
    """

    taxonomy: str = "charmemes"
    rounds: Annotated[int, Field(ge=1, le=20)] = 3
    equal: Equal = "severe"
    temperature: _Temperature = 1.0
    seed: int = 0
    prompt: str = BUILT
    topics: str = ""

    paths: ClassVar[tuple[str, ...]] = ("topics", "pictures", "taxonomy", "prompt")
