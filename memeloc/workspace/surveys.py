"""The surveys of a workspace. In: its folder. Out: `Surveys`: build one, list them, plan one.

A survey may also be made of answers that were collected without a sheet of ours: of each culture
one sheet that asks about everything, of which nothing more is to come. It is checked and settled
like any other.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from memeloc.errors import InputError
from memeloc.locales import default
from memeloc.model import Locale
from memeloc.survey.design.arranging import sampled
from memeloc.survey.design.build import Assigned, Design, build, build_given, build_shared, split
from memeloc.survey.design.planning import plan, read_rates
from memeloc.survey.design.settings import RELAXED, RecipeDesign, read_survey_settings
from memeloc.survey.design.tables import Team, read_batches, read_differing, read_team
from memeloc.survey.model import Batch, Culture, Slot
from memeloc.survey.plain_answers import raw_records, read_answers
from memeloc.survey.recipes import Recipe, leave_out, load_recipe
from memeloc.survey.targets.places import owned_id
from memeloc.survey.targets.protocol import disagree
from memeloc.survey.targets.resolver import resolve
from memeloc.survey.texts import TaxonomyTexts, survey_texts
from memeloc.tables import folded
from memeloc.tables.column_map import ColumnMap, read_map
from memeloc.tables.frames import Frame
from memeloc.taxonomy import SOURCE, load_taxonomy, taxonomy_names, with_demographics
from memeloc.workspace.folder import WorkspaceFolder
from memeloc.workspace.forgetting import forget
from memeloc.workspace.own_folders import FILE, workspace_folder
from memeloc.workspace.settings import read_settings
from memeloc.workspace.stored_survey import (
    CLOSED,
    Agree,
    StoredSurvey,
    design_numbers,
    design_values,
    recruiter,
)
from memeloc.workspace.survey_imports import (
    ImportResult,
    add_files,
    ask_whose_ids,
    import_result,
    owner_of_ids,
    refuse_known,
)
from memeloc.workspace.survey_memes import (
    MemeChoice,
    asked_about,
    collected_memes,
    memes_with_captions,
    read_item_texts,
)
from memeloc.workspace.survey_teams import note_team

_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,58}[A-Za-z0-9_-])?")
_RESERVED = {"CON", "PRN", "AUX", "NUL"} | {
    f"{device}{number}" for device in ("COM", "LPT") for number in range(10)
}
"""Names that no file of Windows can have."""
_CODE = re.compile("[A-Z]{2}(-[A-Z]{2})?")
_ANSWERS = "answers"
"""What a table of answers is called where a target's name stands."""


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

        Raises:
            InputError: a name, setting, culture or meme cannot be, or there is another survey of
                that name.
        """
        workspace = self._workspace
        self._check_name(name)
        chosen = read_survey_settings(settings)
        recipe = load_recipe(chosen.recipe, chosen.mode) if chosen.recipe else None
        numbers = chosen.over(recipe.design if recipe else RecipeDesign())
        team = _read_team(recipe, numbers, chosen.people)
        asked = chosen.taxonomy or (recipe.taxonomy if recipe else "multi3hate")
        labels = leave_out(load_taxonomy(asked), recipe.leave_out if recipe else ())
        labels = with_demographics(labels, chosen.demographics)
        people = read_cultures(workspace, cultures, chosen.relaxed)
        if team is not None and len(people) > 1:
            raise InputError("A named team annotates in one culture; build a survey for each")
        memes, differing, table = chosen.memes, chosen.differing, chosen.batches
        if table and (
            chosen.preannotate or memes is not None or differing or numbers.sample or team
        ):
            raise InputError(
                "A table of batches says itself which memes are asked about where; leave "
                "out --memes, --differing, --preannotate, samples and teams"
            )
        if differing and memes is not None:
            raise InputError("Both --memes and --differing say which memes; leave one out")
        if table:
            batches_given = read_batches(table, [culture.code for culture in people])
            choice = MemeChoice.of_batches(batches_given, table)
        else:
            choice = MemeChoice.of(read_differing(differing) if differing else memes)
        finished, remarks = asked_about(workspace, recipe, settings.get("collected"))
        found = (
            collected_memes(workspace, finished, choice, people)
            if finished
            else memes_with_captions(workspace, people, choice, chosen.captions)
        )
        templates = sampled(found.templates, numbers.sample, chosen.seed)
        design = Design(
            name, labels.name, people, **design_numbers(vars(numbers)), seed=chosen.seed
        )
        assigned: Assigned = {}
        if team is not None:
            batches, assigned = build_shared(templates, design, labels, team, numbers.sharing)
            remarks += team.remarks(numbers.sharing, numbers.groups, numbers.people)
        elif choice.batches:
            batches = build_given(choice.batches, templates, design, labels)
        else:
            batches = (split if chosen.preannotate else build)(templates, design, labels)
        is_shipped = asked in taxonomy_names()
        # Of batches that a team gave there is a hash: another table is another design.
        rows = json.dumps([[batch.id, batch.memes, batch.cultures] for batch in batches])
        pictures = {meme: found.pictures[meme] for meme in sorted(templates) if found.pictures}
        values = design_values(
            design,
            templates,
            None if is_shipped else Path(asked).read_text(encoding="utf-8-sig"),
            demographics=list(labels.demographics),
            item_texts=read_item_texts(chosen.items, labels, templates),
            collected=finished,
            pictures=pictures,
            given=hashlib.sha256(rows.encode()).hexdigest() if table else "",
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
            note_team(survey, team, assigned)
        return survey.built(
            batches,
            templates,
            new,
            left_out=found.left_out,
            remarks=(*remarks, *found.remarks),
            acceptance=found.acceptance,
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
    ) -> ImportResult:
        """Take in a table with a row an answer; of no survey of that name one is made.

        Args:
            table: a file, or a data frame.
            mapping: what columns, labels and cultures mean, or the TOML file that has it; labels
                are ids of the survey's, or their names in English or in the culture's language.
            taxonomy: of a new survey: a shipped label set's name, multi3hate if empty, or the
                .toml file of one.
            answers: of a new survey, how many an item and culture should have.
            ids: whose people's numbers are (`culture`, `file` or `everybody`); kept from then on.
            dry_run: whether nothing is stored.
            columns: further settings of the map, which go before its own: columns by role (see
                `memeloc.survey.plain_answers.ROLES`), `labels`, `cultures`, ...

        Raises:
            InputError: the file cannot be read, has no such column or no answer, or a label that
                is named is unknown.
        """
        path = Path(table) if isinstance(table, str | Path) else Path("a data frame")
        workspace, column_map = self._workspace, read_map(mapping, **columns)
        read, rejected = read_answers(table, column_map, workspace.source.country)
        store, values, batches = workspace.store.surveys, None, None
        if name in store.names():
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
            self._check_name(name)
            # One batch without checks, which went to every culture that answered.
            labels = load_taxonomy(taxonomy or "multi3hate")
            codes = sorted(read["culture"].unique())
            people = read_cultures(workspace, ",".join(self._with_language(codes)))
            design = Design(name, labels.name, people, answers=answers, explicit=0, implicit=0)
            templates = workspace.store.captions.templates()
            memes = {item: templates.get(item, item) for item in read["item"].unique()}
            slots = tuple(Slot(meme_id=item) for item in memes)
            batches = (Batch("r1-answers", 1, slots, tuple(codes), answers),)
            is_file = taxonomy and taxonomy not in taxonomy_names()
            text = Path(taxonomy).read_text("utf-8-sig") if is_file else None
            values = design_values(design, memes, text)
            survey = StoredSurvey(workspace, name, values, batches)
        labels = survey.taxonomy
        english = TaxonomyTexts(survey_texts(default().get(SOURCE), taxonomy=labels), labels).labels
        by_name = {folded(text): label for label, text in english.items()}
        by_name |= {folded(label.id): label.id for label in labels.labels}

        def label_of(answer: str) -> str:
            label = column_map.label_of(answer)
            return by_name.get(folded(label), label)

        named = [by_name.get(folded(each), each) for each in column_map.labels.values() if each]
        roles = [str(column).partition("question: ") for column in read]
        for option, words, entries in (
            ("--label", named, labels.labels),
            ("--question", [word for _, found, word in roles if found], labels.questions),
        ):
            allowed = [each.id for each in entries]
            for word in words:
                if word not in allowed:
                    has = ", ".join(allowed) or "none"
                    raise InputError(f"{option} {word[:40]}: {labels.name} has only {has}")
        if ids := owner_of_ids(survey, ids):
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
            refuse_known(imported, {sent.participant for sent in stored}, survey.hashed)
        else:
            ask_whose_ids([(path.name, imported)], to_send.sheets, stored, survey.hashed)
        if dry_run:
            return import_result(name, [((path, _ANSWERS, imported), {})])
        if values is not None:
            store.add(name, values, batches or ())
            survey.put_state(CLOSED, "round", 1)
        survey.put_state("import", "ids", ids)
        (added,) = add_files(survey, [(path, _ANSWERS, imported)], to_send.words)
        return import_result(name, [((path, _ANSWERS, imported), added)])

    def forget(
        self, people: Sequence[str], *, exported: Sequence[str | Path] = (), agree: Agree = disagree
    ) -> dict[str, Any]:
        """Erase people; see `memeloc.workspace.forgetting.forget`."""
        return forget(self._workspace, people, exported=exported, agree=agree)

    def _with_language(self, codes: Sequence[str]) -> list[str]:
        """Return countries as `CODE=TAG`: the workspace's language there, else any, else its
        source's."""
        workspace = self._workspace
        locales = [*workspace.languages, workspace.source, *workspace.locales]
        by_country = {locale.country: locale.tag for locale in reversed(locales)}
        return [f"{code}={by_country.get(code, workspace.source.tag)}" for code in codes]

    def _check_name(self, name: str) -> None:
        """Refuse a survey's name that cannot be a folder's everywhere, nor stand in ids."""
        if name.split(".")[0].upper() in _RESERVED:
            raise InputError(f"A survey cannot be called {name[:80]!r}: no folder on Windows can.")
        if not _NAME.fullmatch(name):
            raise InputError(
                f"A survey cannot be called {name[:80]!r}: 1 to 60 of a to z, A to Z, digits, '.', "
                "'-' and '_', a letter or digit first, no '.' last."
            )
        for other in self.names():
            if other != name and other.casefold() == name.casefold():
                raise InputError(
                    f"There is a survey {other!r}; some systems keep both in one folder, so give "
                    f"this one another name than {name!r}."
                )


def read_cultures(
    workspace: WorkspaceFolder, text: str, relaxed: str = RELAXED
) -> tuple[Culture, ...]:
    """Return cultures of `DE,MX=es,IN=hi`: countries, each with its language if that is not plain.

    A country without a language takes the workspace's language that is spoken there, by the
    locales' own countries. `IN-US=hi+en` are bicultural people, who were born in the one country,
    live in the other, and speak both languages; their sheets are in the first.

    Raises:
        InputError: it is not a country, or has no language, or several.
    """
    languages = {locale.tag: locale for locale in (workspace.source, *workspace.languages)}

    def spoken(country: str, tag: str) -> Locale:
        locales = [locale for locale in languages.values() if locale.country == country]
        if not tag and len(locales) != 1:
            raise InputError(
                f"Which language is {country} asked in? "
                + ("Several are" if locales else "None of the workspace's is")
                + f" of that country; write {country}=TAG, with one of {', '.join(languages)} or "
                "another."
            )
        return workspace.locale(tag) if tag else locales[0]

    free = {code.strip().upper() for code in relaxed.split(",") if code.strip()}
    cultures = []
    for word in filter(None, map(str.strip, text.split(","))):
        code, _, tags = (part.strip() for part in word.partition("="))
        code, (first, _, other) = code.upper(), tags.partition("+")
        if not _CODE.fullmatch(code) or code[:2] == code[3:]:
            raise InputError(
                f"--cultures: {code[:20]!r} is not a country; write two letters each, with commas "
                "between, as US,DE,MX=es; for bicultural people two countries, as IN-US=hi+en"
            )
        if "UK" in code.split("-"):
            raise InputError("--cultures: the United Kingdom's code is GB (ISO 3166), not UK")
        if other and "-" not in code:
            raise InputError(
                f"--cultures: {word[:30]!r} has two languages and one country; bicultural people "
                "have two, as IN-US=hi+en"
            )
        locale = spoken(code[:2], first.strip())
        second = spoken(code[3:], other.strip()) if "-" in code else None
        cultures.append(Culture(code, locale, code not in free, second))
    codes = [culture.code for culture in cultures]
    unknown = free.difference(codes, {"NONE"})
    if unknown and relaxed != RELAXED:
        raise InputError(
            f"--relaxed: {min(unknown)[:20]!r} is not one of the cultures; name some of "
            f"{','.join(codes)}, or none"
        )
    return tuple(cultures)


def _read_team(recipe: Recipe | None, design: RecipeDesign, people: Path | None) -> Team | None:
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
