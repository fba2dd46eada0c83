"""The surveys of a workspace. In: its folder. Out: `Surveys`: build one, list them, plan one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from memeloc.errors import InputError
from memeloc.locales import default
from memeloc.survey.design import preannotation
from memeloc.survey.design.build import Design, build
from memeloc.survey.design.given import build_given, read_batches
from memeloc.survey.design.pay import read_rates
from memeloc.survey.design.planning import SurveyPlan, plan
from memeloc.survey.model import Culture
from memeloc.survey.taxonomy import load_taxonomy, taxonomy_names
from memeloc.workspace.folder import workspace_folder
from memeloc.workspace.settings import FILE, read_settings
from memeloc.workspace.surveys.building import (
    RELAXED,
    BuildResult,
    build_result,
    check_name,
    read_cultures,
)
from memeloc.workspace.surveys.forgetting import ForgetResult, forget
from memeloc.workspace.surveys.item_texts import read_item_texts
from memeloc.workspace.surveys.memes import Wanted, collected_memes, memes_with_captions
from memeloc.workspace.surveys.plain_answers import ImportingAnswers
from memeloc.workspace.surveys.stored import (
    Agree,
    StoredSurvey,
    design_values,
    disagree,
    recruiter,
)


@dataclass(frozen=True, slots=True)
class SurveySummary:
    """A survey, in numbers."""

    survey: str
    taxonomy: str
    cultures: str
    memes: int
    batches: int
    rounds: int
    submissions: int


@dataclass(frozen=True, slots=True)
class SurveyList:
    """The surveys there are, oldest first."""

    surveys: tuple[SurveySummary, ...]


class Surveys(ImportingAnswers):
    """The surveys of a workspace."""

    def names(self) -> tuple[str, ...]:
        """The surveys' names, oldest first."""
        return tuple(self._workspace.store.surveys.names())

    def summaries(self) -> SurveyList:
        """What surveys there are."""
        summaries = []
        for name in self.names():
            survey = StoredSurvey(self._workspace, name)
            batches = survey.batches
            summaries.append(
                SurveySummary(
                    name,
                    survey.taxonomy.name,
                    ",".join(culture.code for culture in survey.design.cultures),
                    len(survey.memes),
                    len(batches),
                    len({batch.round for batch in batches}),
                    len(survey.submissions),
                )
            )
        return SurveyList(tuple(summaries))

    def build(
        self,
        name: str,
        cultures: str,
        *,
        taxonomy: str | Path = "multi3hate",
        size: int = 20,
        answers: int = 5,
        explicit: int = 1,
        implicit: int = 3,
        seed: int = 0,
        memes: Path | Sequence[str] | None = None,
        relaxed: str = RELAXED,
        preannotate: bool = False,
        batches: Path | None = None,
        collected: str = "",
        items: Path | None = None,
    ) -> BuildResult:
        """Assign memes to batches with attention checks, the same for every culture.

        A survey is never changed once it is built; the same again makes nothing new.

        Args:
            cultures: who is asked: countries, as `US,DE,MX=es`; `=TAG` names the language where
                the workspace has none, or several, of that country.
            taxonomy: a shipped label set's name, or the .toml file of one.
            size: memes a batch; `answers`: annotators a sheet.
            explicit, implicit: attention checks a sheet.
            seed: another one draws other batches.
            memes: only these: ids, or a file with one a line.
            relaxed: cultures whose people may live elsewhere, with commas between.
            preannotate: whether each meme is first asked about twice, in one culture.
            batches: a table with the batches, instead of drawn ones; see
                `memeloc.survey.design.given`.
            collected: the name of a source: its finished memes, as they are, are asked about.
            items: a table with `meme_id` and, for each question with a text of the item's own, a
                column of the question's id; see `Question.item_text`.

        Raises:
            InputError: a name, culture or meme cannot be, or there is another survey of that name.
        """
        workspace = self._workspace
        check_name(name, workspace.store.surveys.names())
        labels = load_taxonomy(taxonomy)
        people = read_cultures(workspace, cultures, relaxed)
        if batches is not None and (preannotate or memes is not None):
            raise InputError(
                "A table of batches says itself which memes are asked about where; leave "
                "out --memes and --preannotate"
            )
        wanted = Wanted.of(memes)
        if batches is not None:
            given = read_batches(batches, [culture.code for culture in people])
            wanted = Wanted.of_batches(given, batches)
        chosen = (
            collected_memes(workspace, collected, wanted)
            if collected
            else memes_with_captions(workspace, people, wanted)
        )
        design = Design(name, labels.name, people, size, answers, explicit, implicit, seed)
        templates = chosen.templates
        made = (
            build_given(wanted.given, templates, design, labels)
            if wanted.given
            else (preannotation.split if preannotate else build)(templates, design, labels)
        )
        is_shipped = taxonomy in taxonomy_names()
        own = None if is_shipped else Path(taxonomy).read_text(encoding="utf-8-sig")
        values = design_values(
            design,
            templates,
            own,
            item_texts=read_item_texts(items, labels, templates),
            collected=collected,
            given=made if wanted.given else (),
        )
        new = workspace.store.surveys.add(name, values, made)
        return build_result(
            name, made, templates, new, left_out=chosen.left_out, remarks=chosen.remarks
        )

    def forget(
        self,
        people: Sequence[str],
        *,
        exported: Sequence[str | Path] = (),
        agree: Agree = disagree,
    ) -> ForgetResult:
        """Erase people from all surveys; see `forgetting.forget`."""
        return forget(self._workspace, people, exported=exported, agree=agree)


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
        (*early, *batches),
        design,
        read_rates(settings, rates or {}),
        seconds=seconds,
        loss=loss,
    )
