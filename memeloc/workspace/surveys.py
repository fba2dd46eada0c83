"""The surveys of a workspace. In: its folder. Out: `Surveys`: build one, list them, plan one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from memeloc.errors import InputError
from memeloc.locales import default
from memeloc.store.records import Accept
from memeloc.survey.design import preannotation
from memeloc.survey.design.build import Design, build
from memeloc.survey.design.given import build_given, read_batches
from memeloc.survey.design.pay import read_rates
from memeloc.survey.design.planning import SurveyPlan, plan
from memeloc.survey.design.sampling import read_differing, sampled
from memeloc.survey.design.team import Assigned, Team, build_shared, read_team, team_remarks
from memeloc.survey.model import Batch, Culture
from memeloc.survey.recipes import Recipe, RecipeDesign, leave_out, load_recipe
from memeloc.taxonomy import load_taxonomy, taxonomy_names, with_demographics
from memeloc.workspace.finished_memes import asked_about, collected_memes
from memeloc.workspace.forgetting import forget
from memeloc.workspace.own_folders import FILE, workspace_folder
from memeloc.workspace.plain_answers import ImportingAnswers
from memeloc.workspace.settings import read_settings
from memeloc.workspace.stored_survey import Agree, StoredSurvey, design_values, disagree, recruiter
from memeloc.workspace.survey_building import (
    RELAXED,
    BuildResult,
    build_result,
    check_name,
    read_cultures,
)
from memeloc.workspace.survey_memes import Wanted, memes_with_captions, read_item_texts
from memeloc.workspace.survey_teams import note_team


class Surveys(ImportingAnswers):
    """The surveys of a workspace."""

    def names(self) -> tuple[str, ...]:
        return tuple(self._workspace.store.surveys.names())

    def only(self) -> str:
        """The name of the workspace's only survey.

        Raises:
            InputError: there is none, or there are others.
        """
        names = self.names()
        if len(names) != 1:
            raise InputError(
                f"Name a survey: there are {', '.join(names)}."
                if names
                else "There is no survey yet; memeloc survey build makes one."
            )
        return names[0]

    def summaries(self) -> dict[str, list[dict[str, Any]]]:
        """Return what each of the `surveys` is called, what it asks whom, and how far it is."""
        summaries = []
        for name in self.names():
            survey = StoredSurvey(self._workspace, name)
            batches = survey.batches
            summaries.append(
                {
                    "survey": name,
                    "taxonomy": survey.taxonomy.name,
                    "cultures": ",".join(culture.code for culture in survey.design.cultures),
                    "memes": len(survey.memes),
                    "batches": len(batches),
                    "rounds": len({batch.round for batch in batches}),
                    "submissions": len(survey.submissions),
                }
            )
        return {"surveys": summaries}

    def build(
        self,
        name: str,
        cultures: str,
        *,
        recipe: str | Path = "",
        mode: str = "",
        people: Path | None = None,
        taxonomy: str | Path = "",
        size: int | None = None,
        answers: int | None = None,
        explicit: int | None = None,
        implicit: int | None = None,
        sample: int | None = None,
        seed: int = 0,
        memes: Path | Sequence[str] | None = None,
        relaxed: str = RELAXED,
        preannotate: bool = False,
        batches: Path | None = None,
        collected: str | None = None,
        items: Path | None = None,
        differing: Path | None = None,
        demographics: Sequence[str] = (),
        captions: Accept = "accepted",
    ) -> BuildResult:
        """Assign memes to batches with attention checks, the same for every culture.

        A survey is never changed once it is built; the same again makes nothing new.

        Args:
            cultures: who is asked: countries, as `US,DE,MX=es`; `=TAG` names the language where
                the workspace has none, or several, of that country.
            recipe: a published scheme's name, or the .toml file of one; what follows replaces
                single settings of it. Without one, multi3hate's design with memeloc.toml's rules.
            mode: of the recipe; the main one by default.
            people: a table of the people who annotate, for recipes with a named team: see
                `memeloc.survey.design.team.read_team`.
            taxonomy: a shipped label set's name, or the .toml file of one.
            size: memes a batch; `answers`: annotators a sheet.
            explicit, implicit: attention checks a sheet.
            sample: so many memes, drawn by the seed; 0 for all.
            seed: another one draws other batches.
            memes: only these: ids, or a file with one a line.
            relaxed: cultures whose people may live elsewhere, with commas between.
            preannotate: whether each meme is first asked about twice, in one culture.
            batches: a table with the batches, instead of drawn ones; see
                `memeloc.survey.design.given`.
            collected: which finished memes are asked about, as they are: `selected`, or those of
                the source or dataset of that name; `none` for the workspace's own, which are
                rendered. None is what the recipe says, else `none`.
            items: a table with `meme_id` and, for each question with a text of the item's own, a
                column of the question's id; see `Question.item_text`.
            differing: a table of a model's rounds: only memes on which they differ; see
                `memeloc.survey.design.sampling.read_differing`.
            demographics: shipped questions about the person, asked at the end of each sheet: ids
                of `memeloc.taxonomy.demographic_questions`.
            captions: which of the workspace's are asked about: `accepted`, `corrected` (these also)
                or `any`; see `memeloc.store.captions.states`. The result counts the others.

        Raises:
            InputError: a name, culture or meme cannot be, or there is another survey of that name.
        """
        workspace = self._workspace
        check_name(name, workspace.store.surveys.names())
        scheme = load_recipe(recipe, mode) if recipe else None
        numbers = _numbers(
            scheme, size=size, answers=answers, explicit=explicit, implicit=implicit, sample=sample
        )
        team = _team(scheme, numbers, people)
        asked = taxonomy or (scheme.taxonomy if scheme else "multi3hate")
        labels = leave_out(load_taxonomy(asked), scheme.leave_out if scheme else ())
        labels = with_demographics(labels, demographics)
        of = read_cultures(workspace, cultures, relaxed)
        if team is not None and len(of) > 1:
            raise InputError("A named team annotates in one culture; build a survey for each")
        drawn = numbers.sample or team is not None
        if batches is not None and (preannotate or memes is not None or differing or drawn):
            raise InputError(
                "A table of batches says itself which memes are asked about where; leave "
                "out --memes, --differing, --preannotate, samples and teams"
            )
        if differing is not None and memes is not None:
            raise InputError("Both --memes and --differing say which memes; leave one out")
        wanted = Wanted.of(read_differing(differing) if differing else memes)
        if batches is not None:
            given = read_batches(batches, [culture.code for culture in of])
            wanted = Wanted.of_batches(given, batches)
        finished, remarks = asked_about(workspace, scheme, collected)
        chosen = (
            collected_memes(workspace, finished, wanted, of)
            if finished
            else memes_with_captions(workspace, of, wanted, captions)
        )
        templates = sampled(chosen.templates, numbers.sample, seed)
        design = Design(name, labels.name, of, *_design_numbers(numbers), seed)
        assigned: Assigned = {}
        made: tuple[Batch, ...]
        if team is not None:
            made, assigned = build_shared(templates, design, labels, team, numbers.sharing)
        elif wanted.given:
            made = build_given(wanted.given, templates, design, labels)
        else:
            made = (preannotation.split if preannotate else build)(templates, design, labels)
        is_shipped = asked in taxonomy_names()
        own = None if is_shipped else Path(asked).read_text(encoding="utf-8-sig")
        values = design_values(
            design,
            templates,
            own,
            demographics=labels.demographics,
            item_texts=read_item_texts(items, labels, templates),
            collected=finished,
            pictures=chosen.pictures and {meme: chosen.pictures[meme] for meme in templates},
            given=made if wanted.given else (),
            recipe=scheme,
        )
        new = workspace.store.surveys.add(name, values, made)
        remarks += chosen.remarks
        if team is not None:
            note_team(StoredSurvey(workspace, name), team, assigned)
            remarks += team_remarks(team, numbers.sharing, numbers.groups, numbers.people)
        return build_result(
            name,
            made,
            templates,
            new,
            left_out=chosen.left_out,
            remarks=remarks,
            acceptance=chosen.acceptance,
        )

    def forget(
        self, people: Sequence[str], *, exported: Sequence[str | Path] = (), agree: Agree = disagree
    ) -> dict[str, Any]:
        return forget(self._workspace, people, exported=exported, agree=agree)


def _numbers(recipe: Recipe | None, **changed: int | None) -> RecipeDesign:
    design = recipe.design if recipe else RecipeDesign()
    return design.model_copy(
        update={name: value for name, value in changed.items() if value is not None}
    )


def _design_numbers(design: RecipeDesign) -> tuple[int, int, int, int]:
    return design.size, design.answers, design.explicit, design.implicit


def _team(recipe: Recipe | None, design: RecipeDesign, people: Path | None) -> Team | None:
    """The people who are named in a table; None where whoever comes is asked.

    Raises:
        InputError: the recipe is for a named team and there is no table, or the other way round.
    """
    if recipe is not None and design.sharing != "open":
        if people is None:
            raise InputError(
                f"{recipe.name} is for people known by name: list them in a table with a column "
                "participant (and group), and give it by --people"
            )
        return read_team(people)
    if people is not None:
        raise InputError("--people goes with a recipe for a named team, such as harmeme")
    return None


def plan_survey(
    memes: int,
    cultures: str,
    *,
    size: int = 20,
    answers: int = 5,
    preannotated: int = 0,
    rates: Mapping[str, object] | None = None,
    seconds: float | None = None,
    loss: float = 0.1,
) -> SurveyPlan:
    """What a survey would take; it needs no workspace, but pays as memeloc.toml of one says.

    `memes` of the survey are asked about in `cultures` (countries, with commas between), after a
    pre-annotation of `preannotated` ones; see `Surveys.build` and `Survey.plan` for the others.
    """
    settings: Mapping[str, object] = {}
    try:
        file = workspace_folder() / FILE
    except InputError:
        pass  # a plan needs no workspace
    else:
        settings = read_settings(file).survey.get(recruiter(), {})
    english = default().get("en")  # no language matters for counting
    codes = [word.partition("=")[0].strip().upper() for word in cultures.split(",")]
    people = tuple(Culture(code, english) for code in codes if code)
    design = Design("plan", "multi3hate", people, size, answers)
    labels = load_taxonomy(design.taxonomy)
    early, batches = (
        make({f"m{number}": f"t{number}" for number in range(count)}, design, labels)
        for make, count in ((preannotation.split, preannotated), (build, memes))
    )
    return plan(
        (*early, *batches), design, read_rates(settings, rates or {}), seconds=seconds, loss=loss
    )
