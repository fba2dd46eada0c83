"""Warnings about captions. In: texts in a language. Out: what they should be looked at for.

The checks are those of `memeloc.correct.checks`, with the renderer's sizes and the fonts' letters,
of `memeloc.correct.consistency`, and by the team's glossary.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from memeloc.correct.checks import CaptionWarning, Checked, check
from memeloc.correct.consistency import check_together
from memeloc.correct.glossary import check_terms
from memeloc.model import Caption, Locale, Template
from memeloc.render.breaks import clusters
from memeloc.store.comparisons import SourceAndText
from memeloc.store.records import CaptionVersion, Kind
from memeloc.store.survey_texts import ENGLISH, survey_text_key
from memeloc.workspace.folder import WorkspaceFolder


def settled_warnings(
    workspace: WorkspaceFolder, versions: Iterable[CaptionVersion]
) -> list[CaptionWarning]:
    """Check the texts that cases were settled on, as all texts are checked."""
    texts: dict[str, list[tuple[str, tuple[str, ...]]]] = {}
    for version in versions:
        if version.parts:  # empty is a picture without text
            texts.setdefault(version.language, []).append((version.meme_id, version.parts))
    return [
        warning
        for tag, pairs in texts.items()
        for warning in caption_warnings(workspace, pairs, workspace.locale(tag))
    ]


def caption_warnings(
    workspace: WorkspaceFolder, texts: Iterable[tuple[str, tuple[str, ...]]], locale: Locale
) -> list[CaptionWarning]:
    """Check captions and the texts of surveys, which have neither box nor font, by meme.

    They are checked as if they stood already, each by itself and beside the others of the language.
    """
    given = dict(texts)
    kinds: set[Kind] = {"survey" if survey_text_key(key) else "caption" for key in given}
    return [
        warning
        for kind in sorted(kinds)
        for warning in _warnings(_Language(workspace, locale, kind, given))
    ]


def language_warnings(
    workspace: WorkspaceFolder, locale: Locale, kind: Kind
) -> tuple[int, list[CaptionWarning]]:
    """How many texts of a kind a language has, and what they should be looked at for.

    Transcripts, and captions whose template is not there, have nothing to be checked against.
    """
    language = _Language(workspace, locale, kind)
    total = sum(1 for _ in workspace.store.comparisons.texts(locale.tag, kind))
    return total, [] if kind == "transcript" else list(_warnings(language))


def _warnings(language: _Language) -> Iterator[CaptionWarning]:
    asked = language.given.keys() or None
    workspace = language.workspace
    terms = workspace.glossary.terms(language.locale)
    for row in language.rows():
        if asked is None or row.meme_id in asked:
            template = workspace.templates.get(row.template)
            if template is not None or language.kind == "survey":
                caption = language.checked(row, template)
                yield from check(caption)
                yield from check_terms(caption, terms, language.source)
    yield from check_together(lambda: map(language.checked, language.rows()), asked)


@dataclass(frozen=True, slots=True)
class _Language:
    """A language's texts of a kind, as they stand but for those that are given, by meme."""

    workspace: WorkspaceFolder
    locale: Locale
    kind: Kind
    given: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def rows(self) -> Iterator[SourceAndText]:
        for row in self.workspace.store.comparisons.texts(self.locale.tag, self.kind):
            yield row._replace(parts=self.given.get(row.meme_id, row.parts))

    @property
    def source(self) -> Locale:
        """The language that the texts are translated from."""
        is_survey = self.kind == "survey"
        return self.workspace.locale(ENGLISH) if is_survey else self.workspace.source

    def checked(self, row: SourceAndText, template: Template | None = None) -> Checked:
        """A text for the checks, with the sizes and fonts that it gets in a template."""
        plain = Checked(
            meme_id=row.meme_id,
            locale=self.locale,
            source=row.source,
            parts=row.parts,
            source_language=self.source.tag,
        )
        if template is None:
            return plain
        caption = Caption(row.parts[: len(template.boxes)])
        return replace(
            plain,
            sizes=self.workspace.renderer.sizes(template, caption, self.locale),
            lacking=_lacking(self.workspace, template, self.locale),
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
            if piece.strip() and not all(stack.covers(piece) for stack in stacks)
        ]

    return lacking
