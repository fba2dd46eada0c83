"""Answers that were collected without a sheet of ours. In: a table. Out: a survey with them in it.

A survey that is not there yet is made of the answers: of each culture one sheet that asks about
everything, of which nothing more is to come. It is checked and settled like any other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from memeloc.errors import InputError
from memeloc.locales import default
from memeloc.survey.design.build import Design, to_sheets
from memeloc.survey.model import Batch, Slot
from memeloc.survey.plain_answers import (
    Columns,
    PlainAnswer,
    PlainAnswers,
    raw_records,
    read_answers,
)
from memeloc.survey.targets.protocol import SurveyPack
from memeloc.survey.targets.resolver import resolve
from memeloc.survey.targets.vocabulary import own_words
from memeloc.survey.texts import SurveyTexts, TaxonomyTexts, survey_texts
from memeloc.tables import folded
from memeloc.taxonomy import SOURCE, Taxonomy, load_taxonomy, taxonomy_names
from memeloc.workspace.folder import WorkspaceFolder
from memeloc.workspace.surveys.building import check_name, read_cultures
from memeloc.workspace.surveys.importing import Importing, ImportResult, import_result
from memeloc.workspace.surveys.stored import CLOSED, NO_PICTURE, StoredSurvey, design_values

KIND = "answers"
"""What such a table is called where a target's name stands."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a survey asks of whom; `values` is the design of one that is not stored yet."""

    design: Design
    taxonomy: Taxonomy
    batches: Sequence[Batch]
    memes: Mapping[str, str]
    values: Mapping[str, Any] | None = None

    def pack(self, name: str) -> SurveyPack:
        sheets = to_sheets(
            self.batches,
            self.design,
            lambda _meme, _culture: NO_PICTURE,
            lambda _meme, _culture: "",
            lambda _example, _culture: NO_PICTURE,
            templates=self.memes,
        )
        locales = {culture.locale.tag: culture.locale for culture in self.design.cultures}
        texts = {
            tag: survey_texts(locale, taxonomy=self.taxonomy) for tag, locale in locales.items()
        }
        return SurveyPack(name, sheets, self.taxonomy, texts)


class ImportingAnswers:
    def __init__(self, workspace: WorkspaceFolder) -> None:
        self._workspace = workspace

    def import_answers(
        self,
        name: str,
        file: str | Path,
        columns: Columns,
        *,
        taxonomy: str | Path = "",
        labels: Mapping[str, str] | None = None,
        countries: Mapping[str, str] | None = None,
        answers: int = 5,
        dry_run: bool = False,
    ) -> ImportResult:
        """Take in a table with a row an answer; of no survey of that name one is made.

        Args:
            columns: which columns hold what; all others are left alone.
            taxonomy: of a new survey: a shipped label set's name, multi3hate if empty, or the
                .toml file of one.
            labels: ids of labels by what the answers' column has, beside labels' ids and their
                names in English and in the culture's language.
            countries: codes by what the cultures' column has, beside codes and countries' names.
            answers: of a new survey, how many an item and culture should have.
            dry_run: whether nothing is stored.

        Raises:
            InputError: the file cannot be read, has no such column or no answer, or a label that
                is named is unknown.
        """
        path, workspace = Path(file), self._workspace
        culture = columns.culture or workspace.source.country
        read = read_answers(path, replace(columns, culture=culture), countries or {})
        surveys = workspace.store.surveys
        if name in surveys.names():
            asked = _stored(StoredSurvey(workspace, name), taxonomy)
        elif read.answers:
            check_name(name, surveys.names())
            asked = _new(workspace, name, read, taxonomy or "multi3hate", answers)
        else:
            reason = f": {read.rejected[0].message}" if read.rejected else ""
            raise InputError(f"has no row that is an answer{reason}", file=path)
        pack = asked.pack(name)
        _check_questions(asked.taxonomy, columns.further)
        records = raw_records(read.answers, _sheets(pack), _labels(pack, labels or {}))
        imported = resolve([*read.rejected, *records], pack, source=KIND, file=path.name)
        if dry_run:
            return import_result(name, [(path, KIND, imported, {})])
        if asked.values is not None:
            surveys.add(name, asked.values, asked.batches)
            surveys.put_state(name, CLOSED, "round", 1)
        (stored,) = Importing(workspace, name).add([(path, KIND, imported)], own_words([pack]))
        return import_result(name, [(path, KIND, imported, stored)])


def _stored(survey: StoredSurvey, taxonomy: str | Path) -> _Asked:
    if taxonomy and load_taxonomy(taxonomy).name != survey.taxonomy.name:
        raise InputError(
            f"{survey.name} is there already and asks by {survey.taxonomy.name}; leave out "
            "--taxonomy, or give another name"
        )
    return _Asked(survey.design, survey.taxonomy, survey.batches, survey.memes)


def _check_questions(taxonomy: Taxonomy, further: Iterable[str]) -> None:
    known = [question.id for question in taxonomy.questions]
    for name in further:
        if name not in known:
            raise InputError(
                f"--question {name[:40]}: {taxonomy.name} has no such further question; it has "
                f"{', '.join(known) or 'none'}"
            )


def _new(
    workspace: WorkspaceFolder, name: str, read: PlainAnswers, taxonomy: str | Path, answers: int
) -> _Asked:
    """A survey of one batch without checks, which went to every culture that answered."""
    labels = load_taxonomy(taxonomy)
    own = None if taxonomy in taxonomy_names() else Path(taxonomy).read_text("utf-8-sig")
    cultures = read_cultures(workspace, ",".join(_with_language(workspace, read.cultures)))
    design = Design(name, labels.name, cultures, answers=answers, explicit=0, implicit=0)
    templates = workspace.store.captions.templates()
    memes = {item: templates.get(item, item) for item in read.items}
    slots = tuple(Slot(meme_id=item) for item in read.items)
    batch = Batch("r1-answers", 1, slots, tuple(culture.code for culture in cultures), answers)
    return _Asked(design, labels, (batch,), memes, design_values(design, memes, own))


def _with_language(workspace: WorkspaceFolder, codes: Sequence[str]) -> list[str]:
    """Countries as `CODE=TAG`: the workspace's language there, else any, else its source's."""
    locales = [*workspace.languages, workspace.source, *workspace.locales, workspace.source]
    by_country: dict[str, str] = {}
    for locale in locales:
        by_country.setdefault(locale.country, locale.tag)
    return [f"{code}={by_country.get(code, workspace.source.tag)}" for code in sorted(codes)]


def _sheets(pack: SurveyPack) -> dict[tuple[str, str], str]:
    """By culture and meme the id of the sheet that asks about it; empty where several do."""
    sheets: dict[tuple[str, str], str] = {}
    for sheet in pack.sheets:
        for meme in sheet.memes:
            key = (sheet.culture.code, meme)
            sheets[key] = "" if key in sheets else sheet.id
    return sheets


def _labels(pack: SurveyPack, given: Mapping[str, str]) -> Callable[[PlainAnswer], str]:
    """What finds the label's id of an answer; without one the answer stays as it is.

    Raises:
        InputError: `given` names a label that there is not.
    """

    def names(texts: SurveyTexts) -> Mapping[str, str]:
        return TaxonomyTexts(texts, pack.taxonomy).labels

    ids = [label.id for label in pack.taxonomy.labels]
    for text, label in given.items():
        if label not in ids:
            raise InputError(
                f"--label {text[:40]}={label[:40]}: {pack.taxonomy.name} has no such label; it "
                f"has {', '.join(ids)}"
            )
    english = survey_texts(default().get(SOURCE), taxonomy=pack.taxonomy)
    own = {sheet.culture.code: pack.texts[sheet.culture.locale.tag] for sheet in pack.sheets}
    by_culture = {
        code: {
            **{folded(text): label for label, text in names(english).items()},
            **{folded(text): label for label, text in names(texts).items()},
            **{folded(label): label for label in ids},
            **{folded(text): label for text, label in given.items()},
        }
        for code, texts in own.items()
    }
    return lambda answer: by_culture[answer.culture].get(folded(answer.answer), answer.answer)
