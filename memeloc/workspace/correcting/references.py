"""What people are shown beside a caption. In: a workspace, captions. Out: matches, and terms."""

from __future__ import annotations

from functools import cached_property

from memeloc.correct.model import Match
from memeloc.glossary import Term, terms_in
from memeloc.model import Locale
from memeloc.store.records import Kind, ToCorrect
from memeloc.translate import TranslationItem, TranslationMemory
from memeloc.translate.protocol import merged
from memeloc.workspace.folder import WorkspaceFolder
from memeloc.workspace.part import Part


class References(Part):
    """The translation memory and the glossary of a pair of languages, for the texts of a kind."""

    def __init__(
        self, workspace: WorkspaceFolder, source: Locale, target: Locale, kind: Kind
    ) -> None:
        super().__init__(workspace)
        self._source, self._target, self._kind = source, target, kind

    def matches(self, item: ToCorrect) -> tuple[Match, ...]:
        """What was translated before and is similar, best first; nothing for a transcript."""
        if self._kind == "transcript" or not self._memory:
            return ()
        asked = TranslationItem(item.meme_id, item.source.caption, self._source, self._target)
        return tuple(
            Match(
                percent=match.percent,
                source=merged(asked, match.unit.source).parts,
                text=merged(asked, match.texts).parts,
                origin=match.unit.origin,
            )
            for match in self._memory.nearest(asked)
            if match.unit is not None
        )

    def terms(self, item: ToCorrect) -> tuple[Term, ...]:
        """The glossary's terms that occur in the source; none for a transcript."""
        if self._kind == "transcript":
            return ()
        terms = terms_in(self._terms, item.source.parts, self._source)
        return tuple(term for term in terms if term.names)

    @cached_property
    def _terms(self) -> tuple[Term, ...]:
        return self._workspace.glossary.terms(self._target)

    @cached_property
    def _memory(self) -> TranslationMemory:
        tags = (self._source.tag, self._target.tag)
        return TranslationMemory(self._store.memory.find(*tags, self._kind))
