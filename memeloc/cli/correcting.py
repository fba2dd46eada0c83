"""Joining correction with the workspace and the renderer. In: both. Out: sheets, placements.

What several of the `memeloc correct` commands need; it prints nothing.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from memeloc.correct.checks import Checked, Warning, check
from memeloc.correct.model import Sheet, SheetAnswers, SheetItem, SheetPart, text_key
from memeloc.correct.placing import (
    EarlierAnswer,
    KnownMeme,
    Placement,
    SentItem,
    SentSheet,
    identify,
    place,
)
from memeloc.errors import InputError
from memeloc.model import Caption, Locale, Template
from memeloc.placeholders import placeholders
from memeloc.resources import folder
from memeloc.store import (
    AddedAnswers,
    FileRecord,
    Kind,
    KnownSheet,
    PlacedAnswer,
    SentText,
    SheetRecord,
    ToCorrect,
    Workspace,
    check_parts,
)
from memeloc.store.survey_texts import ENGLISH
from memeloc.store.transcripts import transcript_id

if TYPE_CHECKING:
    from PIL import Image

    from memeloc.render import Renderer

PICTURE_SIDE = 320
"""Longer side of the pictures on a sheet, in pixels."""

_QUALITY = 80
_NOTHING_READ = "(nothing was read)"
"""Stands for the source of a transcript's empty part: XLIFF and PO leave a unit without one out."""

_GUIDES = {"transcript": "transcripts.md", "survey": "survey-texts.md"}


def guide_for(locale: Locale, kind: Kind = "caption") -> str:
    """The translator's guide in a language, in English where there is none in it.

    Of transcripts and of the texts of surveys, the guide for who corrects them, which is in
    English.
    """
    if kind != "caption":
        return (folder("guides") / _GUIDES[kind]).read_text(encoding="utf-8")
    guides = folder("guides") / "translation"
    for tag in (locale.tag, locale.tag.split("-")[0], "en"):
        path = guides / f"{tag}.md"
        if path.is_file():
            return path.read_text(encoding="utf-8")
    return ""


def make_sheet(
    workspace: Workspace,
    items: Sequence[ToCorrect],
    locale: Locale,
    round_: int,
    person: str,
    on_picture: Callable[[], None],
    *,
    kind: Kind = "caption",
) -> Sheet:
    """Make a sheet of captions to correct, with a picture and the room for each.

    Args:
        workspace: where templates and pictures are.
        items: the captions.
        locale: of the text to be corrected.
        round_: of correction.
        person: who gets it.
        on_picture: is called after each picture.
        kind: of the items: captions are rendered, for transcripts the picture is the one they were
            read in; the texts of surveys have none, and say which placeholders they keep.
    """
    from memeloc.cli.room import room

    pictures = Pictures(workspace)
    templates = workspace.templates
    rooms = cache(lambda name: room(templates[name], locale))
    created = datetime.now(UTC).replace(microsecond=0)
    read_in = (
        pictures.of_transcripts(item.meme_id for item in items) if kind == "transcript" else {}
    )
    made = []
    for item in items:
        template = templates.get(item.template)
        known = rooms(item.template) if template else ()
        parts = tuple(
            SheetPart(
                name=template.boxes[index].name if template else str(index + 1),
                source=source or (_NOTHING_READ if kind == "transcript" else ""),
                machine=item.base.parts[index] if index < len(item.base.parts) else "",
                room=known[index] if index < len(known) else 0,
            )
            for index, source in enumerate(item.source.parts)
        )
        made.append(
            SheetItem(
                meme_id=item.meme_id,
                template=item.template,
                parts=parts,
                picture=pictures.of(template, item.base.parts, locale)
                if template
                else pictures.small(read_in.get(item.meme_id)),
                source_key=text_key(item.source.parts),
                base_key=text_key(item.base.parts),
                marks=item.base.marks,
                note="; ".join(_notes(item, kind)),
            )
        )
        on_picture()
    said = "|".join(
        [locale.tag, str(round_), person, created.isoformat()]
        + [f"{item.meme_id}:{item.source_key}:{item.base_key}" for item in made]
    )
    return Sheet(
        id=hashlib.sha256(said.encode()).hexdigest()[:12],
        language=locale,
        source_language=_source_language(workspace, locale, kind),
        round=round_,
        person=person,
        created=created,
        guide=guide_for(locale, kind),
        items=tuple(made),
        kind=kind,
    )


def _source_language(workspace: Workspace, locale: Locale, kind: Kind) -> Locale:
    if kind == "survey":
        return workspace.locale(ENGLISH)
    return locale if kind == "transcript" else workspace.source


def _notes(item: ToCorrect, kind: Kind) -> Iterator[str]:
    """What the person who corrects should know."""
    if item.open_case:
        yield "waits to be settled"
    kept = placeholders(" ".join(item.source.parts)) if kind == "survey" else ()
    if kept:
        yield f"keep as it is: {' '.join(kept)}"


class Pictures:
    """Small pictures of captions for sheets, kept in the workspace's images/ by what they show."""

    def __init__(self, workspace: Workspace) -> None:
        root = workspace.root if workspace.root is not None else Path.cwd()
        self._folder = root / "images"
        self._workspace = workspace

    def of(self, template: Template, parts: Sequence[str], locale: Locale) -> Path:
        """The picture of a caption; made when it is not there yet."""
        renderer = renderer_of(self._workspace)
        shows = f"{renderer.fingerprint(template, locale)}|{PICTURE_SIDE}|{text_key(parts)}"
        name = hashlib.sha256(shows.encode()).hexdigest()[:32]
        path = self._folder / name[:2] / f"{name}.jpg"
        if path.is_file():
            return path
        self._save_small(renderer.render(template, Caption(tuple(parts)), locale).image, path)
        return path

    def of_transcripts(self, meme_ids: Iterable[str]) -> dict[str, Path]:
        """The pictures that transcripts were read in."""
        by_item = {meme_id.removeprefix(transcript_id("")): meme_id for meme_id in meme_ids}
        items = self._workspace.items("picture", ids=list(by_item))
        return {by_item[item.id]: item.path for item in items if item.path is not None}

    def small(self, picture: Path | None, side: int = PICTURE_SIDE) -> Path | None:
        """A picture as a sheet shows it; None when there is none, or it cannot be opened.

        Args:
            picture: a file.
            side: pixels of the longer side of the small one, at most.
        """
        from memeloc.errors import InputError
        from memeloc.templates.pictures import open_picture

        if picture is None:
            return None
        name = hashlib.sha256(f"{picture.stem}|{side}|small".encode()).hexdigest()[:32]
        path = self._folder / name[:2] / f"{name}.jpg"
        if path.is_file():
            return path
        try:
            image = open_picture(picture)
        except InputError:
            return None
        self._save_small(image, path, side)
        return path

    def _save_small(self, image: Image.Image, path: Path, side: int = PICTURE_SIDE) -> None:
        from PIL import Image

        path.parent.mkdir(parents=True, exist_ok=True)
        scale = min(1.0, side / max(image.size))
        size = (max(1, round(image.width * scale)), max(1, round(image.height * scale)))
        small = image.convert("RGB").resize(size, Image.Resampling.LANCZOS)
        temporary = path.with_name(f".{path.stem}.{os.getpid()}")
        small.save(temporary, "JPEG", quality=_QUALITY, dpi=(96, 96))
        temporary.replace(path)


_RENDERERS: dict[int, Renderer] = {}


def renderer_of(workspace: Workspace) -> Renderer:
    """The renderer with a workspace's fonts and locales; the same each time."""
    known = _RENDERERS.get(id(workspace))
    if known is None:
        from memeloc.fonts import FontLibrary
        from memeloc.render import Renderer

        fonts = FontLibrary(workspace.font_files)
        known = _RENDERERS[id(workspace)] = Renderer(fonts, locales=workspace.locales)
    return known


def take(
    workspace: Workspace,
    answers: SheetAnswers,
    *,
    language: str,
    round_: int,
    person: str,
    dry_run: bool,
) -> AddedAnswers:
    """Place the answers of a sheet that came back, and store them in one transaction.

    Args:
        workspace: where the sheet came from.
        answers: what was read.
        language, round_, person: what the command says of it, where the file does not.
        dry_run: decides and stores nothing.

    Raises:
        InputError: it is not clear which sheet it is.
    """
    ids = {answer.meme_id for answer in answers.answers}
    sheet = identify(
        answers, _sent(workspace, answers.sheet), language=language, round_=round_, person=person
    )

    def decide(known: KnownSheet) -> list[PlacedAnswer]:
        placed = place(
            answers, _with_items(known.sheet, known.items), _memes(known, ids), person=person
        )
        return [_placed(placement) for placement in placed]

    record = FileRecord("answers", answers.file.name, answers.sha256, len(answers.answers))
    if dry_run:
        from collections import Counter

        seen = workspace.file("answers", answers.sha256) is not None
        decided = [] if seen else decide(workspace.known_sheet(sheet.id, ids))
        return AddedAnswers(record, seen, decided, Counter(one.outcome for one in decided), ())
    return workspace.add_answers(record, sheet.id, decide, also=ids)


def record_of(sheet: Sheet, format_name: str, path: Path) -> SheetRecord:
    """What the workspace keeps of a sheet that goes out."""
    return SheetRecord(
        id=sheet.id,
        language=sheet.language.tag,
        source_language=sheet.source_language.tag,
        round=sheet.round,
        person=sheet.person,
        created=sheet.created,
        format=format_name,
        name=path.name,
        kind=sheet.kind,
    )


def _sent(workspace: Workspace, wanted: str) -> Mapping[str, SentSheet]:
    """The sheet of the id wanted, or else all that went out, with their items."""
    records = {record.id: record for record in workspace.sheets()}
    if wanted in records:
        records = {wanted: records[wanted]}
    return {
        record.id: _with_items(record, workspace.sheet_items(record.id))
        for record in records.values()
    }


def _with_items(record: SheetRecord, items: Mapping[str, SentText]) -> SentSheet:
    shown = {
        meme_id: SentItem(sent.source.parts, sent.base.parts) for meme_id, sent in items.items()
    }
    return SentSheet(
        record.id,
        record.language,
        record.round,
        record.person,
        record.created,
        shown,
        record.kind,
    )


def _memes(known: KnownSheet, ids: Iterable[str]) -> dict[str, KnownMeme]:
    found = {}
    for meme_id in ids:
        meme = known.memes.get(meme_id)
        if meme is not None:
            earlier = [
                EarlierAnswer(
                    round=answer.round,
                    person=answer.person,
                    parts=answer.parts,
                    status=answer.status,  # type: ignore[arg-type]
                    sheet_created=answer.sheet_created,
                    standing=answer.standing,
                )
                for answer in meme.answers
            ]
            current = meme.current.parts if meme.current else ()
            found[meme_id] = KnownMeme(meme.source.parts, current, earlier)
    return found


def _placed(placement: Placement) -> PlacedAnswer:
    answer = placement.answer
    outcome, reason, message = placement.outcome, placement.reason, placement.message
    if placement.parts:
        try:
            check_parts(placement.parts)
        except InputError as error:
            outcome, reason, message = "refused", "", str(error)
    return PlacedAnswer(
        meme_id=answer.meme_id,
        round=placement.round,
        person=placement.person,
        parts=placement.parts,
        typed=answer.parts,
        status=answer.status,
        comment=answer.comment,
        row=answer.row,
        outcome=outcome,
        reason=reason,
        message=message,
    )


def warnings_for(
    workspace: Workspace, texts: Iterable[tuple[str, tuple[str, ...]]], locale: Locale
) -> list[Warning]:
    """Check captions of one language, with the renderer's sizes and the fonts' letters.

    Args:
        workspace: where memes and templates are.
        texts: (meme, parts) of each; those of surveys have no box and no font of ours.
        locale: of the texts.
    """
    from memeloc.render.breaks import clusters

    renderer = renderer_of(workspace)
    sources = workspace.current(workspace.source.tag)
    said = workspace.current(ENGLISH, kind="survey")
    names = workspace.templates_of_memes()
    found: list[Warning] = []
    for meme_id, parts in texts:
        if meme_id in said:
            found += check(Checked(meme_id, locale, said[meme_id].parts, tuple(parts)))
            continue
        template = workspace.templates.get(names.get(meme_id, ""))
        source = sources.get(meme_id)
        if template is None or source is None:
            continue

        def size_of(index: int, text: str, template: Template = template) -> float:
            if index >= len(template.boxes):
                return 0.0
            alone = Caption((*("",) * index, text))
            return renderer.sizes(template, alone, locale)[index]

        def lacking(text: str, template: Template = template) -> list[str]:
            stacks = {renderer.fonts.stack(locale, box.style.face) for box in template.boxes}
            ends = clusters(text)
            pieces = {text[a:b] for a, b in zip([0, *ends], ends, strict=False)}
            return [
                piece
                for piece in pieces
                if piece.strip() and not all(stack.covers(piece) for stack in stacks)
            ]

        found += check(
            Checked(meme_id, locale, source.parts, tuple(parts), size_of=size_of, lacking=lacking)
        )
    return found
