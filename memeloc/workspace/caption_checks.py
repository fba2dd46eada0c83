"""Checks of captions with what the workspace knows. In: texts of a language. Out: warnings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from memeloc.correct.checks import CaptionWarning, Checked, check
from memeloc.fonts import FontStack
from memeloc.model import Caption, Locale
from memeloc.render.breaks import clusters
from memeloc.store.survey_texts import ENGLISH
from memeloc.workspace.folder import WorkspaceFolder


def warnings_of(
    workspace: WorkspaceFolder, texts: Iterable[tuple[str, tuple[str, ...]]], locale: Locale
) -> Iterator[CaptionWarning]:
    """Check texts of one language, with the renderer's sizes and the fonts' letters.

    Those of surveys have no box and no font of ours.
    """
    renderer = workspace.renderer
    sources = workspace.store.captions.current(workspace.source.tag)
    survey_texts = workspace.store.captions.current(ENGLISH, kind="survey")
    names = workspace.store.captions.templates()
    for meme_id, parts in texts:
        if meme_id in survey_texts:
            yield from check(Checked(meme_id, locale, survey_texts[meme_id].parts, parts))
            continue
        template = workspace.templates.get(names.get(meme_id, ""))
        source = sources.get(meme_id)
        if template is None or source is None:
            continue
        boxes = template.boxes
        sizes = renderer.sizes(template, Caption(parts[: len(boxes)]), locale)
        stacks = {renderer.fonts.stack(locale, box.style.face) for box in boxes}

        def lacking(text: str, stacks: set[FontStack] = stacks) -> list[str]:
            ends = clusters(text)
            pieces = {text[a:b] for a, b in zip([0, *ends], ends, strict=False)}
            return [
                piece
                for piece in pieces
                if piece.strip() and not all(stack.covers(piece) for stack in stacks)
            ]

        yield from check(
            Checked(meme_id, locale, source.parts, parts, sizes=sizes, lacking=lacking)
        )
