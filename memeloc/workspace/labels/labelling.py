"""A labelling as it is stored. In: a workspace, a taxonomy's and a model's name. Out: `Labelling`.

What was chosen for a run is stored with each answer, so that everything after it (status, people,
audit) goes on from there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, ClassVar

from pydantic import Field

from memeloc.errors import InputError
from memeloc.label.prompts import BUILT
from memeloc.label.rounds import Equal, Outcome, RoundLabel, outcomes
from memeloc.label.scheme import Scheme
from memeloc.language_models.meme_inputs import MemeInput
from memeloc.store.model_answers import Labelled
from memeloc.survey.recipes import leave_out, load_recipe, recipe_names
from memeloc.survey.texts import catalogue
from memeloc.taxonomy import Taxonomy, load_taxonomy
from memeloc.workspace.folder import WorkspaceFolder
from memeloc.workspace.model_inputs import InputSettings, meme_inputs

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


def labels_of(name: str) -> tuple[Taxonomy, Scheme]:
    """The label set that models and people have in common, and what models may answer.

    What the recipe of that name leaves out for people, such as "I don't know", models have not
    either.

    Raises:
        InputError: there is no such taxonomy, or none that models can label by.
    """
    taxonomy = load_taxonomy(name)
    if taxonomy.name in recipe_names():
        recipe = load_recipe(taxonomy.name)
        if recipe.taxonomy == taxonomy.name:
            taxonomy = leave_out(taxonomy, recipe.leave_out)
    return taxonomy, Scheme.of(taxonomy, catalogue(taxonomy))


@dataclass(frozen=True)
class Labelling:
    """What a model labelled by a taxonomy and a prompt.

    Attributes:
        settings: of its newest run.
    """

    workspace: WorkspaceFolder
    labelled: Labelled
    settings: LabelSettings

    @cached_property
    def scheme(self) -> Scheme:
        """What the model may answer."""
        return labels_of(self.settings.taxonomy)[1]

    @cached_property
    def items(self) -> list[MemeInput]:
        """The memes as they are now."""
        return meme_inputs(self.workspace, self.settings)

    @cached_property
    def answers(self) -> list[RoundLabel]:
        """The answers about the memes as they are now, of all rounds."""
        return self._current("label", self.labelled.prompt)

    @cached_property
    def topics(self) -> list[RoundLabel]:
        """What the model answered about topics last."""
        newest = {answer.item: answer for answer in self._current("topics", None)}
        return list(newest.values())

    def outcomes(self) -> list[Outcome]:
        """What became of each meme."""
        return self._outcomes

    @cached_property
    def _outcomes(self) -> list[Outcome]:
        ids = [item.id for item in self.items]
        return outcomes(ids, self.answers, self.scheme, self.settings.rounds, self.settings.equal)

    def with_equal(self, equal: str) -> Labelling:
        """The same by another meaning of equal; empty for its own."""
        if not equal:
            return self
        settings = LabelSettings.model_validate({**self.settings.model_dump(), "equal": equal})
        return replace(self, settings=settings)

    def _current(self, question: str, prompt: str | None) -> list[RoundLabel]:
        content = {item.id: item.content for item in self.items}
        found = self.workspace.store.model_labels.find(
            taxonomy=self.labelled.taxonomy,
            model=self.labelled.model,
            prompt=prompt,
            question=question,
        )
        return [answer for answer in found if content.get(answer.item) == answer.content]


def labellings(
    workspace: WorkspaceFolder, taxonomy: str = "", model: str = "", prompt: str = ""
) -> list[Labelling]:
    """All labellings of a taxonomy (or any) by a model (or any), the newest last.

    Raises:
        InputError: there is none.
    """
    chosen = [
        each
        for each in workspace.store.model_labels.labellings()
        if taxonomy in ("", each.taxonomy)
        and model in ("", each.model)
        and prompt in ("", each.prompt)
    ]
    if not chosen:
        raise InputError(
            "No model has labelled anything yet; memeloc label --model NAME asks one."
            if not (taxonomy or model)
            else f"No model {model[:60]} has labelled anything by {taxonomy[:60] or 'a taxonomy'}."
        )
    return [
        Labelling(workspace, each, LabelSettings.model_validate(each.settings.get("run", {})))
        for each in chosen
    ]


def newest_labelling(
    workspace: WorkspaceFolder, taxonomy: str = "", model: str = "", prompt: str = ""
) -> Labelling:
    """The labelling that was run last; see `labellings`."""
    return labellings(workspace, taxonomy, model, prompt)[-1]


def accepted_labels(all_outcomes: Sequence[Outcome]) -> dict[str, str]:
    """By meme the label that all rounds agree on."""
    return {each.item: each.label for each in all_outcomes if each.state == "accepted"}
