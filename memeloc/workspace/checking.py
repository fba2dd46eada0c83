"""Warnings about captions. In: texts in a language. Out: what they should be looked at for.

The checks are those of `memeloc.correct.checks`, with the renderer's sizes and the fonts' letters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from memeloc.correct.checks import CaptionWarning, Checked, check
from memeloc.model import Caption, Locale, Template
from memeloc.render.breaks import clusters
from memeloc.store.records import CaptionVersion
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
    workspace: WorkspaceFolder, texts: Sequence[tuple[str, tuple[str, ...]]], locale: Locale
) -> list[CaptionWarning]:
    """Check captions and the texts of surveys, which have neither box nor font, by meme.

    Transcripts, and captions whose template is not there, have nothing to be checked against.
    """
    captions, ids = workspace.store.captions, [meme_id for meme_id, _ in texts]
    survey_texts = captions.current(ENGLISH, [key for key in ids if survey_text_key(key)])
    sources = captions.current(workspace.source.tag, ids)
    names = captions.templates() if sources.keys() - survey_texts.keys() else {}
    warnings = []
    for meme_id, parts in texts:
        if meme_id in survey_texts:
            item = Checked(meme_id, locale, survey_texts[meme_id].parts, parts)
        else:
            template = workspace.templates.get(names.get(meme_id, ""))
            if template is None or meme_id not in sources:
                continue
            item = Checked(
                meme_id,
                locale,
                sources[meme_id].parts,
                parts,
                sizes=workspace.renderer.sizes(
                    template, Caption(parts[: len(template.boxes)]), locale
                ),
                lacking=_lacking(workspace, template, locale),
            )
        warnings += check(item)
    return warnings


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
