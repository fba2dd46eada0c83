"""The surveys of a workspace. In: its folder. Out: `Surveys` builds, lists, plans; `Survey` is one.

    survey = workspace.survey("pilot")
    survey.sheets.export("html", contact="lab@university.example", options={"codes": False})
    survey.answers.import_files(["answers/"])
    survey.answers.check()
    survey.labels.settle().table                                  # a DataFrame

A survey may also be made of answers that were collected without a sheet of ours: of each culture
one sheet that asks about everything, of which nothing more is to come.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from memeloc.counts import counted
from memeloc.errors import InputError
from memeloc.locales import default
from memeloc.store.surveys.erasures import NOTHING_COMPUTED, files_naming
from memeloc.survey.design import tables
from memeloc.survey.design.build import (
    Assigned,
    Design,
    build,
    build_given,
    build_shared,
    design_numbers,
    design_values,
    sampled,
    split,
)
from memeloc.survey.design.planning import plan, read_rates
from memeloc.survey.design.settings import (
    RELAXED,
    RecipeDesign,
    check_name,
    read_cultures,
    read_survey_settings,
)
from memeloc.survey.labels.checked import costs, progress
from memeloc.survey.labels.settling import STATES
from memeloc.survey.model import Batch, Culture, Slot
from memeloc.survey.plain_answers import label_reader, raw_records, read_answers
from memeloc.survey.quality.rules import read_rules
from memeloc.survey.recipes import Recipe, leave_out, load_recipe
from memeloc.survey.targets import returned
from memeloc.survey.targets.places import owned_id
from memeloc.survey.targets.protocol import disagree
from memeloc.survey.targets.resolver import make_target, resolve
from memeloc.tables.column_map import ColumnMap, read_map
from memeloc.tables.rows import Frame
from memeloc.taxonomy import load_taxonomy, taxonomy_names, with_demographics
from memeloc.workspace import survey_answers
from memeloc.workspace.analyzing import SurveyAnalysis
from memeloc.workspace.folder import WorkspaceFolder
from memeloc.workspace.own_folders import FILE, workspace_folder
from memeloc.workspace.settings import read_settings
from memeloc.workspace.settling import SurveyLabels
from memeloc.workspace.stored_survey import (
    CLOSED,
    RENDERED,
    Agree,
    StoredSurvey,
    collected_memes,
    memes_with_captions,
    offering,
    recruiter,
)
from memeloc.workspace.survey_sheets import SurveySheets

_ANSWERS = "answers"
"""What a table of answers is called where a target's name stands."""


class Survey(StoredSurvey):
    """A survey of the workspace, by its name, with the parts that do something with it.

    Attributes:
        sheets: sheets out: plan, export, serve, push.
        answers: answers in, and their quality control.
        labels: labels of the retained answers, and what people decide about them.
        people: decisions, bonuses and messages, and named teams.
        analysis: the report, and the reasons and codes of multi3hate 4.3.
    """

    def __init__(self, workspace: WorkspaceFolder, name: str) -> None:
        super().__init__(workspace, name)
        self.sheets = SurveySheets(self)
        self.answers = survey_answers.SurveyAnswers(self)
        self.labels = SurveyLabels(self)
        self.people = survey_answers.SurveyPeople(self)
        self.analysis = SurveyAnalysis(self)

    def status(self, *, wage: str = "") -> dict[str, Any]:
        """Return how far the survey is.

        That is what `progress` returns; `labels`, by culture code how many items are in each of
        `STATES`; `aside`, by rule how many submissions it excludes; `money` (see `costs`; None
        where no reward is known) in `currency`, counted from what the service's export says of each
        submission, at the `wage` an hour or memeloc.toml's; the sheets that took longer than
        promised (`shortfalls`); `agreement`, how far those who are retained agree, by culture and
        question; `changed`, the finished memes whose picture is another one since the survey was
        built; and the `cause` why nothing is retained of what came.
        """
        checked, closed, minutes = self.answers.checked(), self.closed_round, self.minutes
        rates = self.rates({"wage": wage})
        is_closed = {sheet.id for sheet in checked.sheets if sheet.round <= closed}
        parts = progress(checked.sheets, checked.report, is_closed)
        money = None
        if minutes:
            longest = max(minutes.values())
            rewards = {
                sheet.id: rates.reward(minutes.get(sheet.batch, longest))
                for sheet in checked.sheets
            }
            places = {row["name"]: row["places"] for row in parts["sheets"]}
            people = self.store.participants(self.name)
            money = costs(places, checked.report, people, rewards, rates.fee)
        settled = self.labels.settled(checked)
        states = Counter((row["culture"], row["state"]) for row in settled.rows)
        return {
            **parts,
            "labels": {
                row["name"]: {state: states[row["name"], state] for state in STATES}
                for row in parts["cultures"]
            },
            "aside": checked.report.counts(),
            "money": money,
            "survey": self.name,
            "currency": rates.currency,
            "shortfalls": self.people.shortfalls(checked),
            "agreement": checked.agreement,
            "changed": self.changed_pictures(),
            "cause": checked.why_none(),
        }


class Surveys:
    """The surveys of a workspace."""

    def __init__(self, workspace: WorkspaceFolder) -> None:
        self._workspace = workspace

    def names(self) -> tuple[str, ...]:
        return tuple(self._workspace.store.surveys.names())

    def only(self) -> str:
        """Return the name of the workspace's only survey; raise InputError if there is none, or
        there are others."""
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
                    "batches": len(survey.batches),
                    "rounds": len(survey.rounds),
                    "submissions": len(survey.submissions),
                }
                for survey in surveys
            ]
        }

    def build(self, name: str, cultures: str, **settings: Any) -> dict[str, Any]:
        """Assign memes to batches with attention checks, the same for every culture.

        A survey is never changed once it is built; the same again makes nothing new.

        Args:
            cultures: who is asked: countries, as `US,DE,MX=es`; `=TAG` names the language where
                the workspace has none, or several, of that country.
            settings: of `memeloc.survey.design.settings.SurveySettings`. Those of a recipe come
                first; without one it is multi3hate's design with memeloc.toml's rules.
        """
        workspace = self._workspace
        check_name(name, self.names())
        chosen = read_survey_settings(settings)
        recipe = load_recipe(chosen.recipe, chosen.mode) if chosen.recipe else None
        numbers = chosen.over(recipe.design if recipe else RecipeDesign())
        team = tables.named_team(recipe.name if recipe else "", numbers.sharing, chosen.people)
        asked = chosen.taxonomy or (recipe.taxonomy if recipe else "multi3hate")
        labels = leave_out(load_taxonomy(asked), recipe.leave_out if recipe else ())
        labels = with_demographics(labels, chosen.demographics)
        people = cultures_of(workspace, cultures, chosen.relaxed)
        if team is not None and len(people) > 1:
            raise InputError("A named team annotates in one culture; build a survey for each")
        choice = tables.chosen_memes(chosen, [culture.code for culture in people], numbers, team)
        finished, remarks = self._collected(recipe, settings.get("collected"))
        found = (
            collected_memes(workspace, finished, choice, people)
            if finished
            else memes_with_captions(workspace, people, choice, chosen.captions)
        )
        templates = sampled(found.templates, numbers.sample, chosen.seed)
        sizes = design_numbers(vars(numbers))
        design = Design(name, labels.name, people, **sizes, seed=chosen.seed)
        assigned: Assigned = {}
        if team is not None:
            batches, assigned = build_shared(templates, design, labels, team, numbers.sharing)
            remarks += team.remarks(numbers.sharing, numbers.groups, numbers.people)
        elif choice.batches:
            batches = build_given(choice.batches, templates, design, labels)
        else:
            batches = (split if chosen.preannotate else build)(templates, design, labels)
        # Of batches that a team gave there is a hash: another table is another design.
        rows = json.dumps([[batch.id, batch.memes, batch.cultures] for batch in batches])
        values = design_values(
            design,
            templates,
            None if asked in taxonomy_names() else Path(asked).read_text(encoding="utf-8-sig"),
            demographics=list(labels.demographics),
            item_texts=tables.read_item_texts(chosen.items, labels, templates),
            collected=finished,
            **found.of_collected(sorted(templates)),
            given=hashlib.sha256(rows.encode()).hexdigest() if chosen.batches else "",
            recipe=recipe
            and {
                "name": recipe.name,
                "mode": recipe.mode,
                "leave_out": list(recipe.leave_out),
                "check": dict(recipe.check),
                "settle": dict(recipe.settle),
            },
        )
        new = workspace.store.surveys.add(name, values, batches)
        survey = StoredSurvey(workspace, name)
        if team is not None:
            survey.note_team(team, assigned)
        about = {"left_out": found.left_out, "acceptance": found.acceptance}
        return survey.built(batches, templates, new, remarks=(*remarks, *found.remarks), **about)

    def _collected(
        self, recipe: Recipe | None, collected: str | None
    ) -> tuple[str, tuple[str, ...]]:
        """Return which finished memes a survey is of, empty for rendered ones, and a remark, if
        any: what somebody names, or else what the recipe says; where nothing of that kind was ever
        collected, a recipe goes with the workspace's own memes."""
        if collected is not None:
            return "" if collected == RENDERED else collected, ()
        if recipe is None or not recipe.design.collected:
            return "", ()
        if any("picture" in key for key in self._workspace.store.items.count()):
            return recipe.design.collected, ()
        return "", (
            f"{recipe.name} asks about finished memes; none were collected, so it asks about the "
            "workspace's own, rendered.",
        )

    def import_answers(
        self,
        name: str,
        table: str | Path | Frame,
        mapping: ColumnMap | Mapping[str, Any] | str | Path | None = None,
        *,
        taxonomy: str | Path = "",
        answers: int = 5,
        ids: str = "",
        dry_run: bool = False,
        **columns: Any,
    ) -> returned.ImportResult:
        """Take in a table with a row an answer; of no survey of that name one is made.

        Args:
            mapping: what columns, labels and cultures mean, or the TOML file that has it; labels
                are ids of the survey's, or their names in English or in the culture's language.
            taxonomy: of a new survey: a shipped label set's name, multi3hate if empty, or the
                .toml file of one.
            answers: of a new survey, how many an item and culture should have.
            ids: whose people's numbers are (`culture`, `file` or `everybody`); kept from then on.
            columns: further settings of the map, which go before its own: columns by role (see
                `memeloc.survey.plain_answers.ROLES`), `labels`, `cultures`, ...
        """
        path = Path(table) if isinstance(table, str | Path) else Path("a data frame")
        workspace, column_map = self._workspace, read_map(mapping, **columns)
        read, rejected = read_answers(table, column_map, workspace.source.country)
        values: dict[str, Any] | None = None
        batches: tuple[Batch, ...] = ()
        if name in self.names():
            survey = StoredSurvey(workspace, name)
            if taxonomy and load_taxonomy(taxonomy).name != survey.taxonomy.name:
                raise InputError(
                    f"{name} is there already and asks by {survey.taxonomy.name}; leave out "
                    "--taxonomy, or give another name"
                )
        elif read.empty:
            reason = f": {rejected[0].message}" if rejected else ""
            raise InputError(f"has no row that is an answer{reason}", file=path)
        else:
            check_name(name, self.names())
            values, batches = self._answered_design(name, taxonomy, read, answers)
            survey = StoredSurvey(workspace, name, values, batches)
        label_of = label_reader(column_map, survey.taxonomy, read.columns)
        if ids := survey_answers.owner_of_ids(survey, ids):
            whose = zip(read["annotator"], read["culture"], strict=True)
            read["annotator"] = [owned_id(who, ids, code, path.stem) for who, code in whose]
        to_send = survey.as_sent()[0]
        sheet_of: dict[tuple[str, str], str] = {}
        for sheet in to_send.sheets:
            for meme in sheet.memes:
                key = (sheet.culture.code, meme)
                sheet_of[key] = "" if key in sheet_of else sheet.id  # where several ask about it
        records = raw_records(read, sheet_of, label_of)
        imported = resolve([*rejected, *records], to_send, source=_ANSWERS, file=path.name)
        stored = survey.submissions
        if ids:
            returned.refuse_known(imported, {sent.participant for sent in stored}, survey.hashed)
        else:
            returned.ask_whose_ids([(path.name, imported)], to_send.sheets, stored, survey.hashed)
        added: Mapping[str, Any] = {}
        if not dry_run:
            if values is not None:
                survey.store.add(name, values, batches)
                survey.put_state(CLOSED, "round", 1)
            survey.put_state("import", "ids", ids)
            (added,) = survey_answers.add_files(survey, [(path, _ANSWERS, imported)], to_send.words)
        return returned.import_result(name, [((path, _ANSWERS, imported), added)])

    def _answered_design(
        self, name: str, taxonomy: str | Path, read: Any, answers: int
    ) -> tuple[dict[str, Any], tuple[Batch, ...]]:
        """Return the design of a survey of answers: a batch without checks, which went to every
        culture that answered, each asked in the workspace's language there, else any, else its
        source's."""
        workspace = self._workspace
        labels = load_taxonomy(taxonomy or "multi3hate")
        codes = sorted(read["culture"].unique())
        locales = [*workspace.languages, workspace.source, *workspace.locales]
        by_country = {locale.country: locale.tag for locale in reversed(locales)}
        asked = ",".join(f"{code}={by_country.get(code, workspace.source.tag)}" for code in codes)
        people = cultures_of(workspace, asked)
        design = Design(name, labels.name, people, answers=answers, explicit=0, implicit=0)
        templates = workspace.store.captions.templates()
        memes = {item: templates.get(item, item) for item in read["item"].unique()}
        slots = tuple(Slot(meme_id=item) for item in memes)
        is_file = taxonomy and taxonomy not in taxonomy_names()
        text = Path(taxonomy).read_text("utf-8-sig") if is_file else None
        batch = Batch("r1-answers", 1, slots, tuple(codes), answers)
        return design_values(design, memes, text), (batch,)

    def forget(
        self, people: Sequence[str], *, exported: Sequence[str | Path] = (), agree: Agree = disagree
    ) -> dict[str, Any]:
        """Erase people from all surveys, and compute anew what was computed of them.

        Return how many `people` were asked for, the `surveys` that they had taken part in, the
        `counts` of rows that were deleted by table, by survey the labels that are `reopened`, and
        `files` in the workspace's folder that still name them, for their owner to delete.

        Args:
            people: ids as their source has them, or as the workspace stores them.
            exported: a recruitment service's exports; who revoked consent by them is erased, too.
            agree: is given a sentence that says what is erased; only True goes on.
        """
        ids = {participant.strip() for participant in people}
        for path in map(Path, exported):
            if not path.exists():
                raise InputError("There is no such file.", file=path)
            for name in offering("revoked"):
                ids |= {participant.strip() for participant in make_target(name).revoked(path)}
        ids.discard("")
        if not ids and not exported:
            message = "Name the participants to erase, or an export that says who they are."
            raise InputError(message)
        whom = counted(len(ids), "person", "people")
        takes = (
            f"This erases {whom} from every survey of the workspace for good: answers, what "
            "services reported of them, and what was computed of both. It cannot be taken back."
        )
        if not ids or agree(takes) is not True:
            return {"people": 0, "surveys": (), "counts": {}, "reopened": {}, "files": ()}
        workspace, store = self._workspace, self._workspace.store.surveys
        before = {
            name: (store.result(name, "check"), store.result(name, "labels"))
            for name in store.names()
        }
        hashes = {store.hash_participant(participant) for participant in ids}
        for name in before:
            for pair in store.same_people(name).items():
                if not (ids | hashes).isdisjoint(pair):
                    ids |= set(pair)  # of one person, whose id was typed otherwise
        erasure = workspace.store.erasures.erase(ids)
        reopened = {}
        for name, (check, labels) in before.items():
            is_computed = check is None or check[1] != NOTHING_COMPUTED["check"]
            if name not in erasure["surveys"] and is_computed:
                continue
            survey = Survey(workspace, name)
            if check is not None:
                survey.answers.checked(read_rules(check[0]))
            if labels is not None:
                now = _settled(survey.labels.settle(labels[0]).labels)
                if count := len(_settled(labels[1]) - now):
                    reopened[name] = count
        files = tuple(files_naming(workspace.root, ids | hashes)) if workspace.root else ()
        return {**erasure, "reopened": reopened, "files": files}


def cultures_of(
    workspace: WorkspaceFolder, text: str, relaxed: str = RELAXED
) -> tuple[Culture, ...]:
    """Return cultures, with the workspace's languages; see `read_cultures`."""
    languages = (workspace.source, *workspace.languages)
    return read_cultures(text, languages, workspace.locale, relaxed)


def _settled(rows: Sequence[Any]) -> set[tuple[str, str]]:
    return {(row["item"], row["culture"]) for row in rows if row["state"] == "settled"}


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
    pre-annotation of `preannotated` ones; see `Survey.sheets.plan` for the others."""
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
