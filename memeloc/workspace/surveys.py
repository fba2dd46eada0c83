"""The surveys of a workspace. In: its folder. Out: `Surveys`: build one, list them, plan one."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from memeloc.errors import InputError
from memeloc.locales import default
from memeloc.survey.design.arranging import sampled
from memeloc.survey.design.build import Assigned, Design, build, build_given, build_shared, split
from memeloc.survey.design.planning import plan, read_rates
from memeloc.survey.design.settings import (
    RecipeDesign,
    SurveySettings,
    read_survey_settings,
)
from memeloc.survey.design.tables import Team, read_batches, read_differing, read_team
from memeloc.survey.model import Culture
from memeloc.survey.recipes import Recipe, leave_out, load_recipe
from memeloc.survey.targets.protocol import disagree
from memeloc.taxonomy import load_taxonomy, taxonomy_names, with_demographics
from memeloc.workspace.forgetting import forget
from memeloc.workspace.own_folders import FILE, workspace_folder
from memeloc.workspace.plain_answers import ImportingAnswers
from memeloc.workspace.settings import read_settings
from memeloc.workspace.stored_survey import (
    Agree,
    StoredSurvey,
    design_numbers,
    design_values,
    recruiter,
)
from memeloc.workspace.survey_building import (
    BuildResult,
    build_result,
    check_name,
    read_cultures,
)
from memeloc.workspace.survey_memes import (
    Wanted,
    asked_about,
    collected_memes,
    memes_with_captions,
    read_item_texts,
)
from memeloc.workspace.survey_teams import note_team


class Surveys(ImportingAnswers):
    """The surveys of a workspace."""

    def names(self) -> tuple[str, ...]:
        return tuple(self._workspace.store.surveys.names())

    def only(self) -> str:
        """Return the name of the workspace's only survey.

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
        surveys = [StoredSurvey(self._workspace, name) for name in self.names()]
        return {
            "surveys": [
                {
                    "survey": survey.name,
                    "taxonomy": survey.taxonomy.name,
                    "cultures": ",".join(culture.code for culture in survey.design.cultures),
                    "memes": len(survey.memes),
                    "batches": len(batches := survey.batches),
                    "rounds": len({batch.round for batch in batches}),
                    "submissions": len(survey.submissions),
                }
                for survey in surveys
            ]
        }

    def build(self, name: str, cultures: str, **settings: Any) -> BuildResult:
        """Assign memes to batches with attention checks, the same for every culture.

        A survey is never changed once it is built; the same again makes nothing new.

        Args:
            cultures: who is asked: countries, as `US,DE,MX=es`; `=TAG` names the language where
                the workspace has none, or several, of that country.
            settings: of `memeloc.survey.design.settings.SurveySettings`. Those of a recipe come
                first; without one it is multi3hate's design with memeloc.toml's rules.

        Raises:
            InputError: a name, setting, culture or meme cannot be, or there is another survey of
                that name.
        """
        workspace = self._workspace
        check_name(name, workspace.store.surveys.names())
        chosen = read_survey_settings(settings)
        scheme = load_recipe(chosen.recipe, chosen.mode) if chosen.recipe else None
        numbers = chosen.over(scheme.design if scheme else RecipeDesign())
        team = _team(scheme, numbers, chosen.people)
        asked = chosen.taxonomy or (scheme.taxonomy if scheme else "multi3hate")
        labels = leave_out(load_taxonomy(asked), scheme.leave_out if scheme else ())
        labels = with_demographics(labels, chosen.demographics)
        of = read_cultures(workspace, cultures, chosen.relaxed)
        if team is not None and len(of) > 1:
            raise InputError("A named team annotates in one culture; build a survey for each")
        wanted = _wanted(chosen, of, drawn=bool(numbers.sample or team))
        finished, remarks = asked_about(workspace, scheme, settings.get("collected"))
        memes = (
            collected_memes(workspace, finished, wanted, of)
            if finished
            else memes_with_captions(workspace, of, wanted, chosen.captions)
        )
        templates = sampled(memes.templates, numbers.sample, chosen.seed)
        design = Design(name, labels.name, of, **design_numbers(vars(numbers)), seed=chosen.seed)
        assigned: Assigned = {}
        if team is not None:
            made, assigned = build_shared(templates, design, labels, team, numbers.sharing)
            remarks += team.remarks(numbers.sharing, numbers.groups, numbers.people)
        elif wanted.given:
            made = build_given(wanted.given, templates, design, labels)
        else:
            made = (split if chosen.preannotate else build)(templates, design, labels)
        is_shipped = asked in taxonomy_names()
        # Of batches that a team gave there is a hash: another table is another design.
        tables = json.dumps([[batch.id, batch.memes, batch.cultures] for batch in made])
        values = design_values(
            design,
            templates,
            None if is_shipped else Path(asked).read_text(encoding="utf-8-sig"),
            demographics=list(labels.demographics),
            item_texts=dict(sorted(read_item_texts(chosen.items, labels, templates).items())),
            collected=finished,
            pictures={meme: memes.pictures[meme] for meme in sorted(templates) if memes.pictures},
            given=hashlib.sha256(tables.encode()).hexdigest() if wanted.given else "",
            recipe=scheme
            and {
                "name": scheme.name,
                "mode": scheme.mode,
                "leave_out": list(scheme.leave_out),
                "check": dict(scheme.check),
                "settle": dict(scheme.settle),
            },
        )
        new = workspace.store.surveys.add(name, values, made)
        survey = StoredSurvey(workspace, name)
        if team is not None:
            note_team(survey, team, assigned)
        return build_result(
            survey,
            made,
            templates,
            new,
            left_out=memes.left_out,
            remarks=(*remarks, *memes.remarks),
            acceptance=memes.acceptance,
        )

    def forget(
        self, people: Sequence[str], *, exported: Sequence[str | Path] = (), agree: Agree = disagree
    ) -> dict[str, Any]:
        """Erase people; see `memeloc.workspace.forgetting.forget`."""
        return forget(self._workspace, people, exported=exported, agree=agree)


def _wanted(settings: SurveySettings, cultures: Sequence[Culture], *, drawn: bool) -> Wanted:
    """Return the memes that the settings name."""
    memes, differing, batches = settings.memes, settings.differing, settings.batches
    if batches is not None:
        if settings.preannotate or memes is not None or differing or drawn:
            raise InputError(
                "A table of batches says itself which memes are asked about where; leave "
                "out --memes, --differing, --preannotate, samples and teams"
            )
        given = read_batches(batches, [culture.code for culture in cultures])
        return Wanted.of_batches(given, batches)
    if differing is not None and memes is not None:
        raise InputError("Both --memes and --differing say which memes; leave one out")
    return Wanted.of(read_differing(differing) if differing else memes)


def _team(recipe: Recipe | None, design: RecipeDesign, people: Path | None) -> Team | None:
    """Return the people who are named in a table; None where whoever comes is asked."""
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
) -> dict[str, Any]:
    """Return what a survey would take; it needs no workspace, but pays as memeloc.toml of one says.

    `memes` of the survey are asked about in `cultures` (countries, with commas between), after a
    pre-annotation of `preannotated` ones; see `Survey.sheets.plan` for the others.
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
    numbers = read_survey_settings({"size": size, "answers": answers})
    design = Design("plan", "multi3hate", people, numbers.size, numbers.answers)
    labels = load_taxonomy(design.taxonomy)
    early, batches = (
        make({f"m{number}": f"t{number}" for number in range(count)}, design, labels)
        for make, count in ((split, preannotated), (build, memes))
    )
    return plan(
        (*early, *batches), design, read_rates(settings, rates or {}), seconds=seconds, loss=loss
    )
