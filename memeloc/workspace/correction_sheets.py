"""Sheets for correctors. In: captions to correct. Out: a sheet with small pictures and a guide.

The pictures are JPEG files in the workspace's images/, each under a hash of what it shows, so that
no picture is made twice.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from itertools import repeat
from pathlib import Path

from PIL import Image

from memeloc.correct.model import Match, Sheet, SheetItem, text_key
from memeloc.correct.sheet_form import given_up_lines
from memeloc.errors import InputError
from memeloc.files import replacing
from memeloc.glossary import Term, terms_in
from memeloc.model import SEPARATOR, Caption, Locale, Template
from memeloc.placeholders import placeholders
from memeloc.resources import folder
from memeloc.store.records import Kind
from memeloc.store.surveys.survey_texts import ENGLISH
from memeloc.templates.pictures import open_picture
from memeloc.translate import TranslationItem, TranslationMemory
from memeloc.translate.protocol import merged
from memeloc.workspace.capacity import capacity
from memeloc.workspace.folder import WorkspaceFolder

_GUIDES = {"transcript": "transcripts.md", "survey": "survey-texts.md"}
PICTURE_SIDE = 320
"""Longer side of the pictures on a sheet, in pixels."""
_QUALITY = 80


def make_sheet(
    workspace: WorkspaceFolder,
    items: Sequence[SheetItem],
    locale: Locale,
    round_: int,
    person: str,
    kind: Kind,
    *,
    pictures: bool = True,
    on_progress: Callable[[int, int], None] | None = None,
) -> Sheet:
    """Return a sheet with the room that boxes have and, if wanted, a picture of each caption.

    Transcripts have the picture they were read in; the texts of surveys have none, and say which
    placeholders they keep.
    """
    transcript = kind == "transcript"
    source = locale if transcript else workspace.source
    if kind == "survey":
        source = workspace.locale(ENGLISH)
    references = _references(workspace, source, locale, kind)
    drawn = _pictures(workspace, items, locale, kind) if pictures else repeat(None)
    templates = {item.template: workspace.templates.get(item.template) for item in items}
    sizes_of = {name: capacity(template, locale) for name, template in templates.items()}
    made = []
    for item, picture in zip(items, drawn, strict=False):
        template, count = templates[item.template], len(item.source)
        matches, terms = references(item)
        boxes = template.boxes if template else ()
        made.append(
            replace(
                item,
                boxes=tuple(
                    boxes[index].name if template else str(index + 1) for index in range(count)
                ),
                capacities=tuple(sizes_of[item.template][:count]),
                picture=picture,
                note="; ".join(_notes(item, kind, locale.tag)),
                before=_in_parts(item.before, count),
                suggestion=_in_parts(item.suggestion, count),
                matches=matches,
                terms=terms,
            )
        )
        if on_progress is not None:
            on_progress(1, len(items))
    created = datetime.now(UTC).replace(microsecond=0)
    facts = [locale.tag, str(round_), person, created.isoformat()]
    facts += [f"{item.meme_id}:{item.source_key}:{item.base_key}" for item in made]
    return Sheet(
        id=hashlib.sha256("|".join(facts).encode()).hexdigest()[:12],
        language=locale,
        source_language=source,
        round=round_,
        person=person,
        created=created,
        guide=guide_for(locale, kind),
        items=tuple(made),
        kind=kind,
    )


def _in_parts(texts: tuple[str, ...], count: int) -> tuple[str, ...]:
    """Return the parts of a text beside a caption; all of it in the first where they are others."""
    return texts if len(texts) in (0, count) else (SEPARATOR.join(texts),)


def guide_for(locale: Locale, kind: Kind = "caption") -> str:
    """Return the guide for who corrects, as Markdown, in the language or else in English."""
    if kind != "caption":
        return (folder("guides") / _GUIDES[kind]).read_text(encoding="utf-8")
    guides = folder("guides") / "translation"
    files = [guides / f"{tag}.md" for tag in (locale.tag, locale.tag.split("-")[0], "en")]
    return next(file for file in files if file.is_file()).read_text(encoding="utf-8")


def _notes(item: SheetItem, kind: Kind, tag: str) -> Iterator[str]:
    if item.open_case:
        yield "waits to be settled"
    if item.before:
        yield "outdated: the source has changed since"
    yield from given_up_lines(item.history, tag)
    names = placeholders(" ".join(item.source)) if kind == "survey" else ()
    if names:
        yield f"keep as it is: {' '.join(names)}"


def _pictures(
    workspace: WorkspaceFolder, items: Sequence[SheetItem], locale: Locale, kind: Kind
) -> Iterator[Path | None]:
    """Yield the picture of each item; a transcript's is the one that it was read in."""
    transcripts = [item.meme_id for item in items] if kind == "transcript" else []
    read_in = workspace.store.transcripts.pictures(transcripts)
    for item in items:
        template = workspace.templates.get(item.template)
        if template is None:
            yield small_picture(workspace, read_in.get(item.meme_id))
            continue
        shows = f"{workspace.renderer.fingerprint(template, locale)}|{PICTURE_SIDE}"
        draw = partial(_drawn, workspace, template, item.base, locale)
        yield _kept(workspace, f"{shows}|{text_key(item.base)}", PICTURE_SIDE, draw)


def _drawn(
    workspace: WorkspaceFolder, template: Template, parts: tuple[str, ...], locale: Locale
) -> Image.Image:
    return workspace.renderer.render(template, Caption(parts), locale).image


def small_picture(
    workspace: WorkspaceFolder, picture: Path | None, side: int = PICTURE_SIDE
) -> Path | None:
    """Return a picture as a sheet shows it, its longer side at most `side` pixels.

    None when there is no picture, or it cannot be opened.
    """
    if picture is None:
        return None
    try:
        return _kept(
            workspace, f"{picture.stem}|{side}|small", side, partial(open_picture, picture)
        )
    except InputError:
        return None


def _kept(
    workspace: WorkspaceFolder, shows: str, side: int, draw: Callable[[], Image.Image]
) -> Path:
    """Return the file of a small picture, which is drawn where it is not there yet."""
    name = hashlib.sha256(shows.encode()).hexdigest()[:32]
    path = (workspace.root or Path()) / "images" / name[:2] / f"{name}.jpg"
    if not path.is_file():
        small = draw().convert("RGB")
        small.thumbnail((side, side), Image.Resampling.LANCZOS)
        with replacing(path) as temporary:
            small.save(temporary, "JPEG", quality=_QUALITY, dpi=(96, 96))
    return path


def _references(
    workspace: WorkspaceFolder, source: Locale, target: Locale, kind: Kind
) -> Callable[[SheetItem], tuple[tuple[Match, ...], tuple[Term, ...]]]:
    """Return a function: what was translated before and is similar to an item's source, best first,
    and the glossary's terms in it; a transcript has neither."""
    if kind == "transcript":
        return lambda item: ((), ())
    glossary = workspace.glossary.terms(target)
    memory = TranslationMemory(workspace.store.memory.find(source.tag, target.tag, kind))

    def references(item: SheetItem) -> tuple[tuple[Match, ...], tuple[Term, ...]]:
        asked = TranslationItem(item.meme_id, Caption(item.source), source, target)
        matches = (
            Match(
                percent=match.percent,
                source=merged(asked, match.unit.source).parts,
                text=merged(asked, match.texts).parts,
                origin=match.unit.origin,
            )
            for match in (memory.nearest(asked) if memory else ())
            if match.unit is not None
        )
        terms = terms_in(glossary, item.source, source)
        return tuple(matches), tuple(term for term in terms if term.names)

    return references
