"""Translations of a table of localised memes. In: the folder, a translator. Out: filled cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from memeloc.localise.writing import TEMPLATES, State, column_of, fill_captions, read_captions_table
from memeloc.model import Caption, Locale
from memeloc.templates import load_templates
from memeloc.translate import Translation, TranslationItem, create, run
from memeloc.workspace.capacity import capacity


def translate_captions(
    out: Path,
    source: Locale,
    targets: Sequence[Locale],
    translator: str,
    settings: Mapping[str, Any],
    state: State,
    templates: Sequence[Path],
) -> tuple[int, list[str]]:
    """Translate the captions that lack a translation; how many, and what failed.

    Raises:
        InputError: there is no such translator, or a setting is wrong.
        MissingError: what it needs is not installed.
    """
    known = load_templates([*templates, out / TEMPLATES])[0]
    items = []
    for meme_id, row in read_captions_table(out).items():
        template = known.get(row.get("template", ""))
        counts = [len(template.boxes)] if template else []
        caption = Caption.parse(row.get(source.tag, ""), *counts)
        if not any(caption.parts):
            continue
        for target in targets:
            if state.lacks(row, source.tag, column_of(target.tag, row)):
                budgets = capacity(template, target)
                items.append(TranslationItem(meme_id, caption, source, target, template, budgets))
    done: dict[tuple[str, str], str] = {}

    def keep(answer: Translation) -> None:
        done[answer.meme_id, answer.language] = str(answer.caption)

    summary = run(items, create(translator, settings), on_answer=keep)
    fill_captions(out, done, source.tag, state)
    failed = [f"{each.meme_id}, {each.language}: {each.error}" for each in summary.failures]
    if summary.stopped is not None:
        failed.append(str(summary.stopped))
    return len(done), failed
