"""Translating. In: a workspace, a translator. Out: plans, translations, the memory in and out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from time import sleep
from typing import Any, Literal

from memeloc.errors import InputError, MemelocError
from memeloc.files import file_sha256
from memeloc.glossary import terms_in
from memeloc.model import Locale
from memeloc.sheets import write_sheet
from memeloc.store.captions.versions import MACHINE
from memeloc.store.records import FileRecord, Kind, ToTranslate
from memeloc.store.store import Store
from memeloc.store.surveys.survey_texts import ENGLISH
from memeloc.templates.capacity import capacity
from memeloc.translate import (
    MemoryUnit,
    RunSummary,
    Translation,
    TranslationFailure,
    TranslationItem,
    TranslationMemory,
    Translator,
    create,
    failure,
    plan,
    run,
)
from memeloc.workspace.folder import Part
from memeloc.workspace.stored_survey import store_shipped_texts

WAIT_SECONDS = 0.5
"""Between two looks at whether another program is done."""
_Wanted = dict[tuple[str, str], tuple[TranslationItem, ToTranslate]]
"""What is to be translated, by meme and language: as translators take it, and as the store has
it."""


@dataclass(slots=True)
class TranslationJob:
    """Captions to translate, and the translator; nobody is asked before `run`. `plan` has what
    there is to do, and what it costs, see `memeloc.translate.plan`; `budget` what a run may cost,
    in the translator's currency, None for any sum."""

    plan: dict[str, Any]
    budget: float | None
    _store: Store
    _find: Callable[[], _Wanted]
    _wanted: _Wanted
    _last: int
    _translator: Translator
    _memory: TranslationMemory
    _fuzzy: float | None

    @property
    def suggestions(self) -> int:
        stages = (each.stage for _, wanted in self._wanted.values() for each in wanted.versions)
        return sum(stage not in MACHINE for stage in stages)

    def run(
        self,
        *,
        on_progress: Callable[[int, int], None] | None = None,
        on_wait: Callable[[int], None] | None = None,
    ) -> RunSummary:
        """Translate, and store each answer as it comes: a second run asks nothing twice. One
        program at a time translates a workspace. Where another does, it is waited for: `on_wait`
        gets how many captions are to do, once, and what it has done is left out."""
        total, name, currency = len(self._wanted), self._translator.name, self._translator.currency

        def advance(more: int = 1) -> None:
            if on_progress is not None and more:
                on_progress(more, total)

        def store(answer: Translation) -> None:
            item, about = self._wanted[answer.meme_id, answer.language]
            version = self._store.captions.add_translation(
                answer.meme_id,
                answer.language,
                answer.caption,
                source_id=about.source.id,
                translator=answer.translator,
                marks=answer.marks,
                characters=answer.characters,
                cost=answer.cost,
                currency=currency if answer.cost else "",
                provenance=answer.provenance,
                replace=about.need == "new" and bool(about.versions),
            )
            if version is None:
                late = MemelocError("It was translated or corrected meanwhile, or says the same.")
                book(failure(item, late, answer.cost, answer.characters))
            else:
                advance()

        def book(failed: TranslationFailure) -> None:
            if failed.cost or failed.characters:
                self._store.captions.add_failure(failed, name, currency)
            advance()

        with ExitStack() as stack:
            while True:
                try:
                    stack.enter_context(self._store.database.lock("translate"))
                    break
                except InputError:
                    if on_wait is not None:
                        on_wait(len(self._wanted))
                    on_wait = None
                    sleep(WAIT_SECONDS)
            if self._store.captions.last() != self._last:  # what has another version is done
                found = self._find()
                self._wanted = {
                    key: found[key]
                    for key, (_, before) in self._wanted.items()
                    if key in found and found[key][1].versions == before.versions
                }
            advance(elsewhere := total - len(self._wanted))
            summary = run(
                [item for item, _ in self._wanted.values()],
                self._translator,
                self._memory,
                fuzzy=self._fuzzy,
                budget=self.budget,
                on_answer=store,
                on_failure=book,
            )
        summary.elsewhere = elsewhere
        return summary


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
        only: Literal["new", "changed"] | None = None,
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
        """
        settings = self._workspace.settings.translate
        name = translator or settings.translator
        if not name:
            raise InputError("name a translator, or set `with` in [translate] of memeloc.toml")
        budget = settings.budget if budget is None else budget
        chosen = self._translator(name, options or {})
        if budget is not None and hasattr(chosen, "require_prices"):
            chosen.require_prices()
        is_survey = kind == "survey"
        source = self._workspace.locale(ENGLISH) if is_survey else self._workspace.source
        locales = self._targets(languages, source)
        texts = set(store_shipped_texts(self._store, locales, taxonomy)) if is_survey else None
        replaced = ({"pseudo"} - {name}) | ({again} - {""})
        memory = TranslationMemory(self._units(locales, source, kind))

        def find() -> _Wanted:
            find_in = self._store.captions.to_translate
            lacking = [
                (locale, each)
                for locale in locales
                for each in find_in(locale.tag, only, texts, kind, replaced)
            ]
            items = self._items(lacking, source, kind, memory, fuzzy, chosen)
            return {item.key: (item, each) for item, (_, each) in zip(items, lacking, strict=True)}

        last, wanted = self._store.captions.last(), find()
        expected = plan([item for item, _ in wanted.values()], chosen, memory, fuzzy=fuzzy)
        return TranslationJob(
            expected, budget, self._store, find, wanted, last, chosen, memory, fuzzy
        )

    def import_memory(self, file: str | Path) -> dict[str, Any]:
        """Add the units of a TMX file from the workspace's source into languages of memeloc; return
        its `units`, how many were `new`, and those `skipped`, by reason."""
        from memeloc.translate.memory import read_tmx

        path, skipped = Path(file), Counter[str]()
        source, locales = self._workspace.source.tag, self._workspace.locales
        units = list(read_tmx(path, source_language=source, locales=locales, skipped=skipped))
        record = FileRecord("memory", path.name, file_sha256(path), len(units))
        new = self._store.memory.add(units, record)
        return {"units": len(units), "new": new, "skipped": skipped}

    def export_memory(
        self, file: str | Path, languages: Sequence[str] | None = None
    ) -> dict[str, Any]:
        """Write the translation memory of some languages as TMX 1.4; return how many `units` there
        are, and the `file`."""
        from memeloc.translate.memory import write_tmx

        source = self._workspace.source
        units = self._units(self._targets(languages, source), source, "caption")
        path, count = write_sheet(
            Path(file), lambda draft: write_tmx(units, draft, source_language=source.tag)
        )
        return {"units": count, "file": path}

    def _translator(self, name: str, options: Mapping[str, Any]) -> Translator:
        settings = self._workspace.settings.translator(name) | dict(options)
        root = self._workspace.root or Path()
        if name == "ctranslate2" and "models" not in options:
            settings["models"] = str(root / settings.get("models", "models"))
        if name == "openai":
            if "endpoint" in options:
                settings["base_url"] = settings.pop("endpoint")
            # The house's instructions are a text, or the file that one line names.
            text = settings.get("instructions", self._workspace.settings.translate.instructions)
            if "\n" not in text and text.endswith((".md", ".txt")):
                try:
                    text = (root / text).read_text(encoding="utf-8-sig")
                except (OSError, UnicodeDecodeError) as error:
                    sentence = "the instructions for translators cannot be read as UTF-8"
                    raise InputError(sentence, file=root / text) from error
            settings["instructions"] = text
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

    def _items(
        self,
        lacking: Sequence[tuple[Locale, ToTranslate]],
        source: Locale,
        kind: Kind,
        memory: TranslationMemory,
        fuzzy: float | None,
        translator: Translator,
    ) -> Iterator[TranslationItem]:
        """Yield what translators take, with what this one asks to see beside it. The picture is the
        template's, or that of the item of the meme's name. What the memory fills needs no examples.
        """
        glossary, templates = self._workspace.glossary, self._workspace.templates
        terms = {locale.tag: glossary.terms(locale) for locale, _ in lacking}
        count, sees = getattr(translator, "examples", 0), getattr(translator, "pictures", False)
        bare = {each.meme_id for _, each in lacking if sees and each.template not in templates}
        found = self._store.items.find(ids=bare) if bare else ()
        pictures = {each.id: each.path for each in found}
        for locale, each in lacking:
            template = templates.get(each.template)
            picture = template.image_for(source) if template else pictures.get(each.meme_id)
            item = TranslationItem(
                each.meme_id,
                each.source.caption,
                source,
                locale,
                template,
                capacity(template, locale),
                kind,
                terms_in(terms[locale.tag], each.source.parts, source),
                glossary.sha256,
                picture=picture if sees else None,
            )
            if count and memory.find(item, fuzzy) is None:
                units = [match.unit for match in memory.nearest(item, most=count) if match.unit]
                item = replace(item, examples=tuple((one.source, one.target) for one in units))
            yield item
