"""What a team says of its release. In: the section [release] of memeloc.toml. Out: settings."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from memeloc.publish.release import About

Share = Annotated[float, Field(gt=0, le=1)]
SPLITS = {"train": 0.8, "validation": 0.1, "test": 0.1}
"""The shares of the splits by default, under the names that `datasets` knows."""


class ReleaseSettings(About):
    """All of [release]: the description of the dataset, and what of the workspace goes out.

    Attributes:
        captions: which captions go out: `accepted`, `corrected` (these also) or `any` (also what a
            machine translated and nobody read; the card says how many).
        surveys: names of the surveys whose answers and labels go out; None is all.
        demographics: what may be published of annotators: ids of questions about the person, and
            facts of recruitment services, the most important first.
        smallest_cell: an annotator's demographics go out only where so many people of the culture
            have the same ones.
        free_text: whether answers that people typed freely go out.
        splits: shares of the splits by name; they are made to sum up to 1.
        seed: another one draws other splits.
        model_labels: tables of what models answered: `meme_id`, `model`, `label`, and optionally
            `culture`, as `memeloc analyze --models` takes them.
        files: further files and folders of the workspace that go out, such as knowledge graphs.
    """

    captions: Literal["accepted", "corrected", "any"] = "any"
    surveys: tuple[str, ...] | None = None
    demographics: tuple[str, ...] = ()
    smallest_cell: int = Field(default=5, ge=1)
    free_text: bool = False
    splits: dict[Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,29}$")], Share] = Field(
        default=SPLITS, min_length=1
    )
    seed: int = 0
    model_labels: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
