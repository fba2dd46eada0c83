"""Pages of a workspace's memes. In: an extraction. Out: a folder of HTML, with pictures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from memeloc.errors import InputError
from memeloc.knowledge.pages import write_pages
from memeloc.knowledge.statements import MemeKnowledge
from memeloc.language_models.prompts import MemeInput
from memeloc.workspace.knowledge.settings import KnowledgeSettings
from memeloc.workspace.knowledge.stored import StoredKnowledge
from memeloc.workspace.model_inputs import meme_inputs
from memeloc.workspace.survey_memes import RENDERED


def stored_pages(
    stored: StoredKnowledge, out: Path, pictures: str, on_progress: Callable[[int, int], None]
) -> dict[str, Any]:
    """Write a page of each meme of an extraction.

    Args:
        pictures: the folder of rendered captions; empty for that of the extraction.
    """
    memes = list(stored.memes())
    settings = stored.settings
    if pictures:
        settings = settings.model_copy(update={"pictures": pictures})
    return write_pages(
        memes,
        out,
        inputs=_inputs(stored, settings, memes),
        dimensions=stored.recipe.by_id,
        on_progress=lambda more: on_progress(more, len(memes)),
    )


def _inputs(
    stored: StoredKnowledge, settings: KnowledgeSettings, memes: Sequence[MemeKnowledge]
) -> dict[tuple[str, str], MemeInput]:
    """By meme and version its picture and text, where they are still there."""
    own = settings.collected == RENDERED
    found: dict[tuple[str, str], MemeInput] = {}
    for version in sorted({each.version for each in memes}) if own else [""]:
        for given in ("both", "text"):
            changed = {"input": given, "language": version}
            try:
                inputs = meme_inputs(stored.workspace, settings.model_copy(update=changed))
            except InputError:
                continue  # pictures, or the memes themselves, are not there any more
            found |= {(each.id, version if own else each.version): each for each in inputs}
            break
    return found
