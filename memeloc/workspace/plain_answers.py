"""Answers that were collected without a sheet of ours. In: a table. Out: a survey with them in it.

A survey that is not there yet is made of the answers: of each culture one sheet that asks about
everything, of which nothing more is to come. It is checked and settled like any other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from memeloc.errors import InputError
from memeloc.locales import default
from memeloc.survey.design.build import Design, to_sheets
from memeloc.survey.model import Batch, Slot
from memeloc.survey.plain_answers import raw_records, read_answers
from memeloc.survey.targets.places import owned_id
from memeloc.survey.targets.protocol import SheetsToSend
from memeloc.survey.targets.resolver import resolve
from memeloc.survey.texts import TaxonomyTexts, survey_texts
from memeloc.tables import folded
from memeloc.tables.column_map import ColumnMap, read_map
from memeloc.tables.frames import Frame
from memeloc.taxonomy import SOURCE, Taxonomy, load_taxonomy, taxonomy_names
from memeloc.workspace.folder import WorkspaceFolder
from memeloc.workspace.stored_survey import CLOSED, NO_PICTURE, StoredSurvey, design_values
from memeloc.workspace.survey_building import check_name, read_cultures
from memeloc.workspace.survey_imports import (
    ImportResult,
    add_files,
    ask_whose_ids,
    import_result,
    owner_of_ids,
    refuse_known,
)

KIND = "answers"
"""What such a table is called where a target's name stands."""


class ImportingAnswers:
    def __init__(self, workspace: WorkspaceFolder) -> None:
        self._workspace = workspace

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
        surveys = workspace.store.surveys
        values = None
        if name in surveys.names():
            survey = StoredSurvey(workspace, name)
            if taxonomy and load_taxonomy(taxonomy).name != survey.taxonomy.name:
                raise InputError(
                    f"{name} is there already and asks by {survey.taxonomy.name}; leave out "
                    "--taxonomy, or give another name"
                )
            labels, batches = survey.taxonomy, survey.batches
            to_send = _to_send(survey.design, labels, batches, survey.memes)
        elif read.empty:
            reason = f": {rejected[0].message}" if rejected else ""
            raise InputError(f"has no row that is an answer{reason}", file=path)
        else:
            check_name(name, surveys.names())
            # One batch without checks, which went to every culture that answered.
            labels = load_taxonomy(taxonomy or "multi3hate")
            codes = sorted(read["culture"].unique())
            cultures = read_cultures(workspace, ",".join(_with_language(workspace, codes)))
            design = Design(name, labels.name, cultures, answers=answers, explicit=0, implicit=0)
            templates = workspace.store.captions.templates()
            memes = {item: templates.get(item, item) for item in read["item"].unique()}
            slots = tuple(Slot(meme_id=item) for item in memes)
            batches = (Batch("r1-answers", 1, slots, tuple(codes), answers),)
            own = taxonomy and taxonomy not in taxonomy_names()
            text = Path(taxonomy).read_text("utf-8-sig") if own else None
            values = design_values(design, memes, text)
            to_send = _to_send(design, labels, batches, memes)
        by_name = _ids(labels)
        named = [by_name.get(folded(each), each) for each in column_map.labels.values()]
        _check(labels, named, read)
        is_new = values is not None
        ids = owner_of_ids(None if is_new else StoredSurvey(workspace, name), ids)

        def label_of(answer: str) -> str:
            label = column_map.label_of(answer)
            return by_name.get(folded(label), label)

        owned = zip(read["annotator"], read["culture"], strict=True)
        if ids:
            read["annotator"] = [owned_id(who, ids, culture, path.stem) for who, culture in owned]
        records = raw_records(read, _sheets(to_send), label_of)
        imported = resolve([*rejected, *records], to_send, source=KIND, file=path.name)
        stored = [] if is_new else surveys.submissions(name)
        if ids:
            people = {sent.participant for sent in stored}
            refuse_known(imported, people, surveys.hash_participant)
        else:
            ask_whose_ids([(path.name, imported)], to_send.sheets, stored, surveys.hash_participant)
        if dry_run:
            return import_result(name, [(path, KIND, imported, {})])
        if values is not None:
            surveys.add(name, values, batches)
            surveys.put_state(name, CLOSED, "round", 1)
        survey = StoredSurvey(workspace, name)
        survey.put_state("import", "ids", ids)
        (added,) = add_files(survey, [(path, KIND, imported)], to_send.words)
        return import_result(name, [(path, KIND, imported, added)])


def _to_send(
    design: Design, taxonomy: Taxonomy, batches: Sequence[Batch], memes: Mapping[str, str]
) -> SheetsToSend:
    """What a survey asks of whom, without pictures."""
    sheets = to_sheets(
        batches,
        design,
        lambda _meme, _culture: NO_PICTURE,
        lambda _meme, _culture: "",
        lambda _example, _culture: NO_PICTURE,
        templates=memes,
    )
    locales = {culture.locale.tag: culture.locale for culture in design.cultures}
    texts = {tag: survey_texts(locale, taxonomy=taxonomy) for tag, locale in locales.items()}
    return SheetsToSend(design.name, sheets, taxonomy, texts)


def _with_language(workspace: WorkspaceFolder, codes: Sequence[str]) -> list[str]:
    """Countries as `CODE=TAG`: the workspace's language there, else any, else its source's."""
    locales = [*workspace.languages, workspace.source, *workspace.locales]
    by_country = {locale.country: locale.tag for locale in reversed(locales)}
    return [f"{code}={by_country.get(code, workspace.source.tag)}" for code in sorted(codes)]


def _sheets(to_send: SheetsToSend) -> dict[tuple[str, str], str]:
    """By culture and meme the id of the sheet that asks about it; empty where several do."""
    sheets: dict[tuple[str, str], str] = {}
    for sheet in to_send.sheets:
        for meme in sheet.memes:
            key = (sheet.culture.code, meme)
            sheets[key] = "" if key in sheets else sheet.id
    return sheets


def _ids(taxonomy: Taxonomy) -> dict[str, str]:
    """Labels' ids by themselves and by their English names; other languages' are known later."""
    names = TaxonomyTexts(survey_texts(default().get(SOURCE), taxonomy=taxonomy), taxonomy).labels
    ids = {folded(label.id): label.id for label in taxonomy.labels}
    return {folded(text): label for label, text in names.items()} | ids


def _check(taxonomy: Taxonomy, labels: Iterable[str], read: pd.DataFrame) -> None:
    """Raise InputError if a label of the map, or a further question, is none of the survey's."""
    questions = [name.removeprefix("question: ") for name in map(str, read) if "question: " in name]
    for option, names, known in (
        ("--label", filter(None, labels), taxonomy.labels),
        ("--question", questions, taxonomy.questions),
    ):
        ids = [each.id for each in known]
        for name in names:
            if name not in ids:
                has = ", ".join(ids) or "none"
                raise InputError(f"{option} {name[:40]}: {taxonomy.name} has only {has}")
