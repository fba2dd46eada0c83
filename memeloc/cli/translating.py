"""Joining translators with the workspace. In: what lacks a translation. Out: stored as it comes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal

from memeloc.cli.output import progress

if TYPE_CHECKING:
    from memeloc.model import Locale
    from memeloc.store import CaptionVersion, Kind, Workspace
    from memeloc.translate import RunSummary, Translation, TranslationItem, Translator


class Jobs:
    """What is to be translated, and where each answer belongs.

    Args:
        workspace: whose texts.
        languages: to translate into.
        only: see `memeloc translate --only`.
        replaced: translators whose work is made anew.
        source: the language to translate from.
        kind: of the texts.
        texts: ids of those that are wanted; None is all of the kind.
    """

    def __init__(
        self,
        workspace: Workspace,
        languages: list[Locale],
        only: Literal["new", "changed"] | None,
        replaced: set[str],
        source: Locale,
        *,
        kind: Kind = "caption",
        texts: set[str] | None = None,
    ) -> None:
        from memeloc.cli.room import room
        from memeloc.translate import TranslationItem

        self._workspace = workspace
        self._kind = kind
        self._texts = texts
        self._source = source
        self._sources: dict[tuple[str, str], int] = {}
        self._anew: set[tuple[str, str]] = set()
        self.items: list[TranslationItem] = []
        rooms: dict[tuple[str, str], tuple[int, ...]] = {}
        for locale in languages:
            for meme_id, template_name, version, anew in self._wanted(locale, only, replaced):
                template = workspace.templates.get(template_name)
                key = (template_name, locale.tag)
                if key not in rooms:
                    rooms[key] = room(template, locale) if template else ()
                self._sources[meme_id, locale.tag] = version.id
                if anew:
                    self._anew.add((meme_id, locale.tag))
                self.items.append(
                    TranslationItem(
                        meme_id,
                        version.caption,
                        source,
                        locale,
                        template,
                        rooms[key],
                        kind,
                    )
                )

    def _wanted(
        self, locale: Locale, only: Literal["new", "changed"] | None, replaced: set[str]
    ) -> Iterator[tuple[str, str, CaptionVersion, bool]]:
        """Memes to translate: id, template, source, and whether there is something to replace."""
        seen = set()
        for item in self._workspace.to_translate(locale.tag, only, self._texts, self._kind):
            seen.add(item.meme_id)
            yield item.meme_id, item.template, item.source, False
        if only == "changed":
            return
        made = {
            meme_id: version
            for meme_id, version in self._workspace.current(locale.tag, kind=self._kind).items()
            if version.stage == "translated"
            and version.translator in replaced
            and meme_id not in seen
            and (self._texts is None or meme_id in self._texts)
        }
        if not made:
            return
        memes = self._workspace.table("memes")
        templates = dict(zip(memes["meme_id"], memes["template"], strict=True))
        sources = self._workspace.current(self._source.tag, list(made))
        for meme_id in made:
            yield meme_id, templates.get(meme_id, ""), sources[meme_id], True

    def run(
        self, translator: Translator, memory: Any, *, fuzzy: float | None, budget: float | None
    ) -> RunSummary:
        """Translate, and store each answer as it comes."""
        from memeloc.translate import mended, run

        items = {(item.meme_id, item.target.tag): item for item in self.items}
        with progress("Translating", len(self.items), unit="captions") as bar:

            def store(answer: Translation) -> None:
                key = (answer.meme_id, answer.language)
                if self._kind == "survey":  # the memory, too, can bring another placeholder
                    answer = mended(items[key], answer)
                self._workspace.add_translation(
                    *key,
                    answer.caption,
                    source_id=self._sources[key],
                    translator=answer.translator,
                    marks=answer.marks,
                    characters=answer.characters,
                    cost=answer.cost,
                    currency=translator.currency if answer.cost else "",
                    replace=key in self._anew,
                )
                bar.advance()

            return run(
                self.items,
                translator,
                memory,
                fuzzy=fuzzy,
                budget=budget,
                on_answer=store,
                on_failure=lambda _: bar.advance(),
            )
