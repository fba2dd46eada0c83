"""Translating. In: a workspace, a translator. Out: plans, translations, the memory in and out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

from memeloc.errors import InputError, MemelocError
from memeloc.files import file_sha256
from memeloc.glossary import terms_in
from memeloc.model import Locale
from memeloc.sheets import write_sheet
from memeloc.store.captions.translations import CaptionKey
from memeloc.store.captions.versions import MACHINE
from memeloc.store.records import FileRecord, Kind, ToTranslate
from memeloc.store.store import Store
from memeloc.store.surveys.survey_texts import ENGLISH
from memeloc.translate import (
    FreeTranslator,
    MemoryUnit,
    Plan,
    ProtectingTranslator,
    RunSummary,
    Translation,
    TranslationFailure,
    TranslationItem,
    TranslationMemory,
    Translator,
    create,
    failure,
    mended,
    plan,
    run,
)
from memeloc.workspace.capacity import capacity
from memeloc.workspace.claiming import Claims
from memeloc.workspace.part import Part
from memeloc.workspace.survey_texts import store_shipped_texts

_PSEUDO = "pseudo"
_Only = Literal["new", "changed"] | None


@dataclass(frozen=True, slots=True)
class MemoryImport:
    """What became of a TMX file: its units, how many were new, and those left out, by reason."""

    units: int
    new: int
    skipped: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class MemoryExport:
    """The translation memory as a file."""

    units: int
    file: Path


class _Wanted(NamedTuple):
    """A caption to translate: as translators take it, and as the store knows it."""

    item: TranslationItem
    lacking: ToTranslate

    @property
    def key(self) -> CaptionKey:
        return (self.item.meme_id, self.item.target.tag)

    @property
    def newest(self) -> int | None:
        return max((each.version for each in self.lacking.versions), default=None)


@dataclass(frozen=True, slots=True)
class TranslationJob:
    """What is to be translated, and by whom; nobody is asked before `run`.

    Attributes:
        plan: what there is to do, and what it costs.
        budget: what a run may cost at the most, in the translator's currency; None is any sum.
        suggestions: how many will be suggestions beside people's texts, whose source has changed.
    """

    plan: Plan
    budget: float | None
    _store: Store
    _wanted: Sequence[_Wanted]
    _translator: Translator
    _memory: TranslationMemory
    _fuzzy: float | None
    _free: bool

    @property
    def suggestions(self) -> int:
        people = (v.stage not in MACHINE for each in self._wanted for v in each.lacking.versions)
        return sum(people)

    def run(
        self,
        *,
        on_progress: Callable[[int, int], None] | None = None,
        on_wait: Callable[[int], None] | None = None,
    ) -> RunSummary:
        """Translate, and store each answer as it comes: a second run asks nothing twice.

        Nor does another program that runs at the same time: where it works on captions that are
        left, `on_wait` gets how many, and they are waited for.
        """
        wanted = {each.key: each for each in self._wanted}
        if self._free:
            return self._run(wanted, None, on_progress, on_wait)
        expected = {key: each.newest for key, each in wanted.items()}
        with Claims(self._store.translations, expected) as claims:
            return self._run(wanted, claims, on_progress, on_wait)

    def _run(
        self,
        wanted: Mapping[CaptionKey, _Wanted],
        claims: Claims | None,
        on_progress: Callable[[int, int], None] | None,
        on_wait: Callable[[int], None] | None,
    ) -> RunSummary:
        currency = self._translator.currency

        def advance() -> None:
            if on_progress is not None:
                on_progress(1, len(wanted))

        def store(answer: Translation) -> None:
            about = wanted[answer.meme_id, answer.language]
            if about.item.kind == "survey":  # the memory, too, can bring another placeholder
                answer = mended(about.item, answer)
            version = self._store.captions.add_translation(
                answer.meme_id,
                answer.language,
                answer.caption,
                source_id=about.lacking.source.id,
                translator=answer.translator,
                marks=answer.marks,
                characters=answer.characters,
                cost=answer.cost,
                currency=currency if answer.cost else "",
                provenance=answer.provenance,
                replace=about.lacking.need == "new" and about.newest is not None,
            )
            if version is None:
                late = MemelocError("It was translated or corrected meanwhile, or says the same.")
                pay(failure(about.item, late, answer.cost, answer.characters))
            advance()

        def pay(failed: TranslationFailure) -> None:
            if failed.cost or failed.characters:
                name = self._translator.name
                self._store.translations.add_failure(failed, name, currency)

        def book(failed: TranslationFailure) -> None:
            pay(failed)
            if claims is not None:
                claims.give_up((failed.meme_id, failed.language))
            advance()

        return run(
            [each.item for each in self._wanted],
            self._translator,
            self._memory,
            fuzzy=self._fuzzy,
            budget=self.budget,
            on_answer=store,
            on_failure=book,
            claim=claims.claim if claims is not None else None,
            on_wait=on_wait,
        )


class Translating(Part):
    """Translating the captions, and the translation memory."""

    def prepare(
        self,
        languages: Sequence[str] | None = None,
        *,
        translator: str = "",
        options: Mapping[str, Any] | None = None,
        budget: float | None = None,
        kind: Literal["caption", "survey"] = "caption",
        taxonomy: str = "",
        only: _Only = None,
        again: str = "",
        fuzzy: float | None = None,
    ) -> TranslationJob:
        """Find what is to be translated, and what it costs.

        Args:
            translator: its name; empty is the one in memeloc.toml.
            options: settings of the translator over those of memeloc.toml.
            budget: the most that a run may cost; None is the one in memeloc.toml.
            taxonomy: of the texts of surveys, only this one's and those of every survey.
            only: captions without a translation (`new`), or those whose source has `changed`; a
                translation of the latter stands as a suggestion beside what a person wrote.
            again: a translator whose work is made anew where nobody has corrected it; that of
                `pseudo` always is, by another.
            fuzzy: the least similarity of a text that the memory may fill; None is exact ones only.

        Raises:
            InputError: there is no translator or no language, a setting is wrong, or there is a
                budget and the translator's prices are not known.
        """
        settings = self._workspace.settings.translate
        name = translator or settings.translator
        if not name:
            raise InputError("name a translator, or set `with` in [translate] of memeloc.toml")
        budget = settings.budget if budget is None else budget
        chosen = self._translator(name, options or {})
        if budget is not None:
            from memeloc.translate.openai import OpenAITranslator

            if isinstance(chosen, OpenAITranslator):
                chosen.settings.require_prices()
        is_free = isinstance(chosen, FreeTranslator)
        is_survey = kind == "survey"
        source = self._workspace.locale(ENGLISH) if is_survey else self._workspace.source
        locales = self._targets(languages, source)
        texts = None
        if is_survey:
            chosen = ProtectingTranslator(chosen)
            texts = set(store_shipped_texts(self._store, locales, taxonomy))
        replaced = ({_PSEUDO} - {name}) | ({again} - {""})
        wanted = [
            each
            for locale in locales
            for each in self._wanted(locale, source, kind, texts, only, replaced)
        ]
        memory = TranslationMemory(self._units(locales, source, kind))
        expected = plan([each.item for each in wanted], chosen, memory, fuzzy=fuzzy)
        return TranslationJob(
            expected, budget, self._store, wanted, chosen, memory, fuzzy, _free=is_free
        )

    def import_memory(self, file: str | Path) -> MemoryImport:
        """Add the units of a TMX file from the workspace's source into languages of memeloc.

        Raises:
            InputError: it is not TMX.
        """
        from memeloc.translate.tmx import Imported, read_tmx

        path, outcome = Path(file), Imported()
        source, locales = self._workspace.source.tag, self._workspace.locales
        units = list(read_tmx(path, source_language=source, locales=locales, outcome=outcome))
        record = FileRecord("memory", path.name, file_sha256(path), len(units))
        new = self._store.memory.add(units, record)
        return MemoryImport(outcome.units, new, outcome.skipped)

    def export_memory(
        self, file: str | Path, languages: Sequence[str] | None = None
    ) -> MemoryExport:
        """Write the translation memory of some languages as TMX 1.4; see `memeloc.sheets`."""
        from memeloc.translate.tmx import write_tmx

        source = self._workspace.source
        units = self._units(self._targets(languages, source), source, "caption")
        path, count = write_sheet(
            Path(file), lambda draft: write_tmx(units, draft, source_language=source.tag)
        )
        return MemoryExport(count, path)

    def _translator(self, name: str, options: Mapping[str, Any]) -> Translator:
        settings = dict(self._workspace.settings.translator(name))
        for key, value in options.items():
            settings["base_url" if (name, key) == ("openai", "endpoint") else key] = value
        root = self._workspace.root
        if name == "ctranslate2" and root is not None and "models" not in options:
            settings["models"] = str(root / settings.get("models", "models"))
        return create(name, settings)

    def _targets(self, languages: Sequence[str] | None, source: Locale) -> list[Locale]:
        locales = self._workspace.locales_of(languages or None)
        targets = [locale for locale in locales if locale.tag != source.tag]
        if not targets:
            raise InputError(
                "there is no language to translate into: give --langs de,es, or set languages in "
                "memeloc.toml"
            )
        return targets

    def _units(self, locales: Sequence[Locale], source: Locale, kind: Kind) -> Iterator[MemoryUnit]:
        for locale in locales:
            yield from self._store.memory.find(source.tag, locale.tag, kind)

    def _wanted(
        self,
        locale: Locale,
        source: Locale,
        kind: Kind,
        texts: set[str] | None,
        only: _Only,
        again: set[str],
    ) -> Iterator[_Wanted]:
        terms = self._workspace.glossary.terms(locale)
        for lacking in self._store.captions.to_translate(locale.tag, only, texts, kind, again):
            template = self._workspace.templates.get(lacking.template)
            item = TranslationItem(
                lacking.meme_id,
                lacking.source.caption,
                source,
                locale,
                template,
                capacity(template, locale),
                kind,
                terms_in(terms, lacking.source.parts, source),
                self._workspace.glossary.sha256,
            )
            yield _Wanted(item, lacking)
