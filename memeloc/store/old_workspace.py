"""The former workspace, until its last caller is converted. In: any tag. Out: what `Store` has."""

# ruff: noqa: D102
from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memeloc.correct.placing import SentItem
from memeloc.curate.judgement import Judgement
from memeloc.curate.pairs import Pair
from memeloc.curate.verdict import Verdict
from memeloc.errors import InputError
from memeloc.items import Found, Item, ItemKind, Refusal
from memeloc.model import Caption
from memeloc.ocr.transcript import Transcript
from memeloc.store.caption_import import Columns
from memeloc.store.computed import ModelAnswers
from memeloc.store.corrections import Decide
from memeloc.store.database import Database
from memeloc.store.files import sha256_of
from memeloc.store.items import AddedItems
from memeloc.store.records import (
    AddedAnswers,
    CaptionVersion,
    CaseRecord,
    CorrectionRecord,
    FileRecord,
    ImportSummary,
    Kind,
    LanguageStatus,
    Need,
    SheetRecord,
    ToCorrect,
    ToTranslate,
)
from memeloc.store.selections import Selection
from memeloc.store.sheets import Only
from memeloc.store.submissions import AddedSubmissions
from memeloc.survey.model import Batch, Participant, Submission
from memeloc.translate.memory import MemoryUnit
from memeloc.workspace.folder import WorkspaceFolder

if TYPE_CHECKING:
    import pandas as pd

    from memeloc.captions import CaptionProblem
    from memeloc.survey.targets.protocol import Imported
    from memeloc.translate.memory import MemoryUnit

_EXAMPLES = 100


class Workspace(WorkspaceFolder):
    """See `memeloc.workspace.Workspace`, which takes its place."""

    @property
    def database(self) -> Database:
        """Where the data are."""
        return self.store.database

    def _tag(self, language: str | None) -> str | None:
        return None if language is None else self.locale(language).tag

    def import_captions(
        self,
        path: str | Path,
        *,
        languages: Sequence[str] | None = None,
        templates: Sequence[Path] = (),
        strict: bool = False,
        on_progress: Callable[[int, int], None] | None = None,
    ) -> ImportSummary:
        from memeloc.captions import read_captions
        from memeloc.templates import load_templates

        path = Path(path)
        known, wrong = self.templates, list(self.template_problems)
        if templates:
            known, wrong = load_templates((*self.folders("templates"), *templates))
        if languages is not None:
            languages = [self.source.tag, *languages]
        table = read_captions(path, known, languages, source=self.source.tag, locales=self.locales)
        if strict:
            table.check()
        summary = ImportSummary(notes=[*wrong, *table.ignored])

        def note(problem: CaptionProblem) -> None:
            column = problem.error.column
            if problem.kind == "empty caption" and column and column != table.source.name:
                summary.empty[column] += 1
                return
            summary.problems[problem.kind] += 1
            if len(summary.examples) < _EXAMPLES:
                summary.examples.append(problem)

        tags = {column.name: column.locale.tag for column in table.languages}
        rows = table.count() // len(table.languages)
        self.store.captions.import_rows(
            table.rows(note),
            Columns(tags, table.source.locale.tag),
            FileRecord("captions", path.name, sha256_of(path), rows),
            summary,
            lambda more: on_progress(more, rows) if on_progress else None,
        )
        return summary

    def current(
        self, language: str, meme_ids: Collection[str] | None = None, kind: Kind = "caption"
    ) -> dict[str, CaptionVersion]:
        return self.store.captions.current(self.locale(language).tag, meme_ids, kind)

    def to_translate(
        self,
        language: str,
        only: Need | None = None,
        meme_ids: Collection[str] | None = None,
        kind: Kind = "caption",
    ) -> list[ToTranslate]:
        return self.store.captions.to_translate(self.locale(language).tag, only, meme_ids, kind)

    def add_translation(
        self,
        meme_id: str,
        language: str,
        caption: Caption,
        *,
        source_id: int,
        translator: str,
        marks: Sequence[str] = (),
        characters: int = 0,
        cost: float = 0.0,
        currency: str = "",
        replace: bool = False,
    ) -> int | None:
        return self.store.captions.add_translation(
            meme_id,
            self.locale(language).tag,
            caption,
            source_id=source_id,
            translator=translator,
            marks=marks,
            characters=characters,
            cost=cost,
            currency=currency,
            replace=replace,
        )

    def items_to_correct(
        self,
        language: str,
        round_: int,
        person: str = "",
        *,
        only: Only = "new",
        meme_ids: Collection[str] | None = None,
        kind: Kind = "caption",
    ) -> list[ToCorrect]:
        return self.store.sheets.to_correct(
            self.locale(language).tag, round_, person, only=only, meme_ids=meme_ids, kind=kind
        )

    def record_sheet(self, sheet: SheetRecord, items: Sequence[tuple[str, int, int]]) -> bool:
        return self.store.sheets.add(sheet, items)

    def sheets(self, language: str | None = None, *, kind: Kind | None = None) -> list[SheetRecord]:
        return self.store.sheets.find(self._tag(language), kind)

    def sheet_items(self, sheet_id: str) -> dict[str, SentItem]:
        return self.store.sheets.texts(sheet_id)

    def file(self, kind: str, sha256: str) -> FileRecord | None:
        return self.store.files.find(kind, sha256)

    def add_answers(
        self, file: FileRecord, sheet_id: str, decide: Decide, also: Collection[str] = ()
    ) -> AddedAnswers:
        return self.store.corrections.add(file, sheet_id, decide, also)

    def corrections(
        self,
        language: str | None = None,
        meme_ids: Collection[str] | None = None,
        *,
        kind: Kind | None = None,
    ) -> list[CorrectionRecord]:
        return self.store.corrections.find(self._tag(language), meme_ids, kind)

    def cases(
        self,
        language: str | None = None,
        *,
        decided: bool | None = False,
        kind: Kind | None = None,
    ) -> list[CaseRecord]:
        return self.store.cases.find(self._tag(language), decided, kind)

    def decide(
        self,
        case_id: int,
        *,
        person: str,
        accept: int | None = None,
        parts: Sequence[str] | None = None,
        comment: str = "",
    ) -> int | None:
        return self.store.cases.decide(
            case_id, person=person, accept=accept, parts=parts, comment=comment
        )

    def memory(
        self, language: str, source_language: str | None = None, kind: Kind = "caption"
    ) -> list[MemoryUnit]:
        source = self._tag(source_language) or self.source.tag
        return self.store.memory.find(source, self.locale(language).tag, kind)

    def add_memory(self, units: Sequence[MemoryUnit], file: FileRecord | None = None) -> int:
        return self.store.memory.add(units, file)

    def status(self, kind: Kind = "caption") -> list[LanguageStatus]:
        tags = [locale.tag for locale in self.languages] if kind != "transcript" else []
        return self.store.captions.status(tags, kind)

    def _tags(self) -> list[str]:
        return [self.source.tag, *(locale.tag for locale in self.languages)]

    def table(self, name: str) -> pd.DataFrame:
        return self.store.exports.frame(name, self._tags())

    def export(self, name: str, path: str | Path) -> int:
        return self.store.exports.write(name, Path(path), self._tags())

    @contextmanager
    def captions_file(self) -> Iterator[Path]:
        import tempfile

        with tempfile.TemporaryDirectory(prefix="memeloc-") as folder:
            path = Path(folder) / "captions.parquet"
            if not self.export("captions", path):
                raise InputError(
                    "The workspace has no captions yet; `memeloc import TABLE` brings some.",
                    file=self.root,
                )
            yield path

    def templates_of_memes(self) -> dict[str, str]:
        return self.store.captions.templates()

    def count_memes(self) -> int:
        return self.store.captions.count()

    def add_found(self, found: Sequence[Found]) -> AddedItems:
        return self.store.items.add(found)

    def add_refusals(self, refused: Sequence[Refusal]) -> int:
        return self.store.items.add_refusals(refused)

    def refusals(self) -> list[Refusal]:
        return self.store.items.refusals()

    def items(
        self,
        kind: ItemKind | None = None,
        *,
        ids: Collection[str] | None = None,
        source: str | None = None,
    ) -> Iterator[Item]:
        return self.store.items.find(kind, ids, source)

    def count_items(self) -> dict[tuple[str, str], int]:
        return self.store.items.count()

    @property
    def cache_folder(self) -> Path:
        return self.store.cache_folder

    def add_transcripts(self, transcripts: Sequence[Transcript]) -> int:
        return self.store.transcripts.add(transcripts)

    def transcripts(self) -> dict[str, CaptionVersion]:
        return self.store.transcripts.all()

    def features(self, name: str, shas: Collection[str]) -> dict[str, Any]:
        return self.store.computed.features(name, shas)

    def add_features(self, name: str, values: Mapping[str, Any]) -> None:
        self.store.computed.add_features(name, values)

    def add_verdicts(self, new: Sequence[Verdict]) -> int:
        return self.store.curation.add_verdicts(new)

    def verdicts(self, filter: str | None = None) -> dict[str, dict[str, Verdict]]:
        return self.store.curation.verdicts(filter)

    def add_pairs(self, new: Iterable[Pair], settings: Mapping[str, Any] | None = None) -> int:
        return self.store.curation.add_pairs(new, settings)

    def pairs(self, stage: str | None = None) -> list[Pair]:
        return self.store.curation.pairs(stage)

    def add_judgements(self, file: FileRecord, new: Sequence[Judgement]) -> int:
        return self.store.curation.add_judgements(file, new)

    def judgements(self, question: str | None = None) -> list[Judgement]:
        return self.store.curation.judgements(question)

    @property
    def model_cache(self) -> ModelAnswers:
        return self.store.computed.model_answers

    def store_selection(
        self,
        settings: Mapping[str, Any],
        funnel: Sequence[Mapping[str, Any]],
        chosen: Collection[str],
    ) -> Selection:
        return self.store.curation.add_selection(settings, funnel, chosen, self.source.tag)

    def selection(self) -> Selection | None:
        return self.store.curation.selection()

    def add_survey(self, name: str, design: Mapping[str, Any], batches: Sequence[Batch]) -> int:
        return self.store.surveys.add(name, design, batches)

    def add_batches(self, survey: str, batches: Sequence[Batch]) -> int:
        return self.store.surveys.add_batches(survey, batches)

    def surveys(self) -> list[str]:
        return self.store.surveys.names()

    def survey_design(self, survey: str) -> dict[str, Any]:
        return self.store.surveys.design(survey)

    def survey_batches(self, survey: str) -> list[Batch]:
        return self.store.surveys.batches(survey)

    def survey_state(self, survey: str, target: str) -> dict[str, Any]:
        return self.store.surveys.state(survey, target)

    def put_survey_state(self, survey: str, target: str, key: str, value: Any) -> None:
        self.store.surveys.put_state(survey, target, key, value)

    def add_submissions(
        self, survey: str, file: FileRecord, imported: Imported, *, hashed: bool = True
    ) -> AddedSubmissions:
        return self.store.surveys.add_submissions(survey, file, imported, hashed=hashed)

    def submissions(self, survey: str) -> list[Submission]:
        return self.store.surveys.submissions(survey)

    def survey_participants(self, survey: str) -> list[Participant]:
        return self.store.surveys.participants(survey)

    def add_survey_check(
        self, survey: str, rules: Mapping[str, Any], report: Mapping[str, Any]
    ) -> int:
        return self.store.surveys.add_check(survey, rules, report)

    def survey_check(self, survey: str) -> tuple[dict[str, Any], Any] | None:
        return self.store.surveys.check(survey)

    def add_survey_labels(
        self, survey: str, settings: Mapping[str, Any], labels: Sequence[Any]
    ) -> int:
        return self.store.surveys.add_labels(survey, settings, labels)

    def survey_labels(self, survey: str) -> tuple[dict[str, Any], Any] | None:
        return self.store.surveys.labels(survey)

    def hash_participant(self, participant: str) -> str:
        return self.store.surveys.hash_participant(participant)

    @property
    def survey_key(self) -> bytes:
        return self.store.surveys.key

    def add_survey_texts(
        self,
        english: Mapping[str, str],
        language: str = "en",
        texts: Mapping[str, str] | None = None,
    ) -> int:
        return self.store.survey_texts.add(english, self.locale(language).tag, texts)

    def survey_corrections(
        self, language: str, english: Mapping[str, str] | None = None
    ) -> dict[str, str]:
        return self.store.survey_texts.corrections(self.locale(language).tag, english)
