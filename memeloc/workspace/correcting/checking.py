"""Warnings about captions. In: texts in a language. Out: what they should be looked at for.

The checks are those of `memeloc.correct.checks`, with the renderer's sizes and the fonts' letters,
of `memeloc.correct.consistency`, and by the team's glossary.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from memeloc.correct.checks import CaptionWarning, Checked, check
from memeloc.correct.consistency import check_together
from memeloc.correct.glossary import check_terms
from memeloc.glossary import Term
from memeloc.model import Caption, Locale, Template
from memeloc.render.typesetting.breaks import clusters
from memeloc.store.captions.comparisons import SourceAndText
from memeloc.store.records import CaptionVersion, Kind
from memeloc.store.surveys.survey_texts import ENGLISH, survey_text_key
from memeloc.workspace.folder import WorkspaceFolder


def settled_warnings(
    workspace: WorkspaceFolder, versions: Iterable[CaptionVersion]
) -> list[CaptionWarning]:
    """Check the texts that cases were settled on, as all texts are checked."""
    texts: dict[str, dict[str, tuple[str, ...]]] = {}
    for version in versions:
        if version.parts:  # empty is a picture without text
            texts.setdefault(version.language, {})[version.meme_id] = version.parts
    return [
        warning
        for tag, given in texts.items()
        for language in _languages(workspace, workspace.locale(tag), given)
        for row in language.rows(given)
        for warning in language.check(row)
    ]


def caption_warnings(
    workspace: WorkspaceFolder, texts: Iterable[tuple[str, tuple[str, ...]]], locale: Locale
) -> list[CaptionWarning]:
    """Check captions and the texts of surveys, which have neither box nor font, by meme.

    They are checked as if they stood already, each by itself and beside the others of the language.
    """
    given = dict(texts)
    warnings: list[CaptionWarning] = []
    for language in _languages(workspace, locale, given):
        rows = list(language.rows(given))
        warnings += [warning for row in rows for warning in language.check(row)]
        if rows:
            warnings += check_together(language.captions, [*map(language.plain, rows)])
    return warnings


def language_warnings(
    workspace: WorkspaceFolder, locale: Locale, kind: Kind
) -> tuple[int, list[CaptionWarning]]:
    """How many texts of a kind a language has, and what they should be looked at for.

    Transcripts, and captions whose template is not there, have nothing to be checked against.
    """
    language = _Language(workspace, locale, kind)
    total, warnings = 0, list[CaptionWarning]()
    for row in language.rows():
        total += 1
        warnings += [] if kind == "transcript" else language.check(row)
    if kind != "transcript":
        warnings += check_together(language.captions)
    return total, warnings


def _languages(
    workspace: WorkspaceFolder, locale: Locale, given: Mapping[str, tuple[str, ...]]
) -> list[_Language]:
    """The language for each kind that given texts, by meme, are of."""
    kinds: set[Kind] = {"survey" if survey_text_key(key) else "caption" for key in given}
    return [_Language(workspace, locale, kind, given) for kind in sorted(kinds)]


@dataclass(frozen=True)
class _Language:
    """A language's texts of a kind, as they stand but for those that are given, by meme."""

    workspace: WorkspaceFolder
    locale: Locale
    kind: Kind
    given: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def rows(self, meme_ids: Collection[str] | None = None) -> Iterator[SourceAndText]:
        """All texts, or those of some memes."""
        texts = self.workspace.store.comparisons.texts(self.locale.tag, self.kind, meme_ids)
        return (row._replace(parts=self.given.get(row.meme_id, row.parts)) for row in texts)

    def captions(self) -> Iterator[Checked]:
        """All texts, as the checks of many together need them."""
        return map(self.plain, self.rows())

    @cached_property
    def terms(self) -> Sequence[Term]:
        """What the team's glossary has for the language."""
        return self.workspace.glossary.terms(self.locale)

    @property
    def source(self) -> Locale:
        """The language that the texts are translated from."""
        is_survey = self.kind == "survey"
        return self.workspace.locale(ENGLISH) if is_survey else self.workspace.source

    def check(self, row: SourceAndText) -> list[CaptionWarning]:
        """Check a text by itself, with the sizes and fonts that it gets in its template."""
        caption = self.plain(row)
        if self.kind == "caption":
            template = self.workspace.templates.get(row.template)
            if template is None:
                return []
            drawn = Caption(row.parts[: len(template.boxes)])
            caption = replace(
                caption,
                sizes=self.workspace.renderer.sizes(template, drawn, self.locale, exact=False),
                lacking=_lacking(self.workspace, template, self.locale),
            )
        return [*check(caption), *check_terms(caption, self.terms, self.source)]

    def plain(self, row: SourceAndText) -> Checked:
        """A text for the checks, as it has neither box nor font."""
        return Checked(
            meme_id=row.meme_id,
            locale=self.locale,
            source=row.source,
            parts=row.parts,
            source_language=self.source.tag,
        )


def _lacking(
    workspace: WorkspaceFolder, template: Template, locale: Locale
) -> Callable[[str], Sequence[str]]:
    """Gives the grapheme clusters of a text that a font of the template's boxes lacks."""
    fonts = workspace.renderer.fonts
    stacks = {fonts.stack(locale, box.style.face) for box in template.boxes}

    def lacking(text: str) -> list[str]:
        ends = clusters(text)
        pieces = {text[a:b] for a, b in zip([0, *ends], ends, strict=False)}
        return [
            piece
            for piece in pieces
            if piece.strip() and not all(stack.font_for(piece) for stack in stacks)
        ]

    return lacking
