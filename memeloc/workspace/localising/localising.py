"""Localising finished memes. In: pictures, languages. Out: templates, a captions table, a page.

The folder that it writes is one to go on with: `memeloc import DIR/captions.csv --templates
DIR/templates`, or `memeloc render` of the same. A second run keeps what people decided, corrected
and translated there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from PIL import Image

from memeloc.errors import InputError
from memeloc.files import locked
from memeloc.items import Item
from memeloc.locales import Registry, default
from memeloc.localise.localise import LocalisedMeme, localise, open_meme
from memeloc.localise.page import PAGE, write_page, write_pictures
from memeloc.localise.restoring import make_restorer
from memeloc.localise.texts import find_texts
from memeloc.localise.writing import (
    CAPTIONS,
    STATE,
    TEMPLATES,
    Provenance,
    State,
    check_owner,
    column_of,
    read_captions_table,
    write_captions,
    write_meme_template,
)
from memeloc.model import Locale
from memeloc.ocr.rapid import unread_lines
from memeloc.ocr.readers import choose
from memeloc.render.sets.parallel_set import render_table
from memeloc.templates.names import name_from
from memeloc.templates.pictures import picture_notes
from memeloc.workspace.localising.asking import (
    SHEET,
    decisions,
    review_rows,
    take_answers,
    unknown_texts,
    write_sheet,
)
from memeloc.workspace.localising.sources import clean_picture_sources
from memeloc.workspace.localising.translations import translate_captions
from memeloc.workspace.part import Part

RENDERED = "rendered"
"""The folder of the pictures with the new text, in that of localised memes."""


@dataclass(frozen=True, slots=True)
class ToLocalise:
    """A picture to localise.

    Attributes:
        name: for tables and folders; empty for that of its file.
        provenance: what is known of where it is from; None for its file's name.
    """

    path: Path
    name: str = ""
    provenance: Provenance | None = None


@dataclass(frozen=True, slots=True)
class LocalisedPicture:
    """What became of a picture.

    Attributes:
        file: what it was made of.
        picture: its name in tables and folders.
        template: the name of its template; empty where nothing of it is translated.
        how: where the clean picture is from: `template`, `recovered` or `restored`.
        texts, taken, asked: how many texts were found, are translated, wait for a person.
    """

    file: str
    picture: str
    template: str
    how: str
    texts: int
    taken: int
    asked: int


@dataclass(frozen=True, slots=True)
class LocaliseResult:
    """What a run came to.

    Attributes:
        pictures: what became of each.
        problems: by picture, why it was left out.
        captions, page: the files; sheet is None where nobody is asked anything.
        asked: texts that wait for a person.
        translated: captions that were translated in this run.
        failures: captions that were not, and why.
        notes: what was left as people had changed it.
        rendered: how many pictures have new text, made now or before.
    """

    pictures: list[LocalisedPicture]
    problems: dict[str, str]
    captions: Path
    templates: Path
    page: Path
    sheet: Path | None
    asked: int
    translated: int
    failures: list[str]
    notes: list[str]
    rendered: int


def localise_pictures(
    pictures: Sequence[ToLocalise],
    out: Path,
    *,
    source: str = "en",
    languages: Sequence[str] = (),
    reader: str = "auto",
    inpaint: str = "auto",
    exclude: Sequence[str] = (),
    translator: str = "",
    settings: Mapping[str, Any] | None = None,
    templates: Sequence[Path] = (),
    fonts: Sequence[str | Path] = (),
    locales: Registry | None = None,
    alone: bool = False,
    on_progress: Callable[[int, int], None] | None = None,
) -> LocaliseResult:
    """Take the text out of finished memes, and set it again in other languages.

    Args:
        pictures: of two with one name the second gets a number, and keeps it in later runs.
        out: the folder; it is made. It gets templates, the captions table, a page, and a sheet of
            questions where something is doubtful.
        source: tag of the language that the text is in.
        languages: tags to render, and with a translator to translate into.
        reader: of `memeloc.ocr.readers`; `auto` is the one that was measured to err less.
        inpaint: a restorer, or an ONNX model's file; see `memeloc.localise.restoring`.
        exclude: texts that stay in the picture, as `cat.2`; they stay so in later runs.
        translator: its name; without one, only what stands in the table is rendered.
        templates, fonts: folders and files for rendering, besides memeloc's own.
        alone: each picture is painted over, though its template may be known, or other pictures
            may show what stood behind its text.
        on_progress: gets how many pictures were done, and of how many.

    Raises:
        InputError: a name, tag, setting or file of the folder is wrong, or another run is at work
            in it, or it has files of somebody's own under names that a run writes.
        MissingError: what is needed is not installed.
    """
    check_owner(out, [PAGE, SHEET])
    registry = locales or default()
    locale = registry.get(source)
    targets = [each for each in map(registry.get, languages) if each.tag != locale.tag]
    by = choose(locale, reader)
    restorer = make_restorer(inpaint)
    paths = [each.path for each in pictures]
    ways = clean_picture_sources(paths, templates, restorer, alone=alone)
    lock = (out / STATE).with_name("lock")
    for folder in (lock.parent, out / TEMPLATES):  # the latter is named by the next commands
        folder.mkdir(parents=True, exist_ok=True)
    with locked(lock, out):
        answers, wrong = take_answers(out, exclude)
        state, memes, notes = State.read(out), list[LocalisedMeme](), [str(each) for each in wrong]
        problems: dict[str, str] = {}
        questions: list[dict[str, Any]] = []
        done = set[str]()
        names: dict[str, str] = {}
        for each in pictures:
            try:
                meme = open_meme(each.path, each.name or name_from(each.path, otherwise="meme"))
                meme = replace(meme, name=state.name(meme, out))
                if meme.name in done:  # the same picture once more
                    continue
                done.add(meme.name)
                notes += [f"{each.path.parent}/{note}" for note in picture_notes(each.path)]
                image = Image.fromarray(meme.pixels)
                lines = by.read([image], locale)[0]
                lines += unread_lines(image, lines)
                texts = find_texts(meme.pixels, lines, locale)
                localised = localise(meme, texts, locale, ways, decisions(answers, meme, texts))
                if localised.clean is not None:
                    provenance = each.provenance or Provenance(each.path.name)
                    name, note = write_meme_template(localised, provenance, out, state)
                    names[meme.name] = name
                    notes += [note] if note else []
                write_pictures(localised, out)
                questions += review_rows(localised, answers, out)
            except InputError as error:
                problems[str(each.path)] = error.message
            else:
                memes.append(localised.without_pixels())
            if on_progress is not None:
                on_progress(1, len(pictures))
        notes += unknown_texts(exclude, memes)
        rows = {
            meme.meme.name: (names[meme.meme.name], meme.parts)
            for meme in memes
            if meme.meme.name in names
        }
        kept = write_captions(rows, locale.tag, out, state)
        if kept:
            notes.append(f"What was changed by hand in {CAPTIONS} stays: {', '.join(kept)}")
        translated, failures = 0, list[str]()
        if translator and targets and rows:
            translated, failures = translate_captions(
                out, locale, targets, translator, settings or {}, state, templates
            )
        drawn = _render(out, [*targets], templates, fonts, rows)
        if wrong:
            sheet = Path(str(wrong[0].file))
            notes.append(f"{sheet} stays as it is until that is mended")
        else:
            sheet = write_sheet(questions, out) or out / SHEET
        page = write_page(
            memes, drawn, out, sheet=sheet.name, table=CAPTIONS, templates=f"{TEMPLATES}/"
        )
        waiting = sum(len(meme.open) for meme in memes)
        return LocaliseResult(
            [_result(meme, names) for meme in memes],
            problems,
            out / CAPTIONS,
            out / TEMPLATES,
            page,
            sheet if questions else None,
            waiting,
            translated,
            failures,
            notes,
            sum(map(len, drawn.values())),
        )


class Localising(Part):
    """Localising the finished memes that were collected."""

    def localise(
        self,
        out: Path,
        *,
        items: Sequence[str] = (),
        languages: Sequence[str] | None = None,
        translator: str = "",
        **options: Any,
    ) -> LocaliseResult:
        """`localise_pictures` with the workspace's collected memes, languages and settings.

        Args:
            items: their ids; without any, all that filters and people keep.
            languages: None is all of the workspace's.
            translator: its name; empty is the one in memeloc.toml, if any.

        Raises:
            InputError: no picture was collected, or as `localise_pictures`.
        """
        workspace = self._workspace
        found = list(self._store.items.find("picture", ids=list(items) if items else None))
        if not items:
            dropped = self._dropped()
            found = [item for item in found if item.id not in dropped]
        pictures = [_to_localise(item) for item in found if item.path is not None]
        if not pictures:
            raise InputError("no finished meme was collected: `memeloc collect` brings some")
        chosen = translator or workspace.settings.translate.translator or ""
        return localise_pictures(
            pictures,
            out,
            source=workspace.source.tag,
            languages=[locale.tag for locale in workspace.locales_of(languages)],
            translator=chosen,
            settings=workspace.settings.translator(chosen) if chosen else {},
            templates=workspace.folders("templates"),
            fonts=workspace.asked_fonts,
            locales=workspace.locales,
            **options,
        )

    def _dropped(self) -> set[str]:
        from memeloc.curate.selection import answers_of

        curation = self._store.curation
        people = answers_of(curation.judgements())
        return {
            item
            for item, verdicts in curation.verdicts().items()
            if any(
                people.get((item, name), verdict.verdict) == "drop"
                for name, verdict in verdicts.items()
            )
        }


def _to_localise(item: Item) -> ToLocalise:
    assert item.path is not None
    return ToLocalise(
        item.path, item.id, Provenance(item.origin.url or item.origin.source, item.origin.terms)
    )


def _render(
    out: Path,
    targets: Sequence[Locale],
    templates: Sequence[Path],
    fonts: Sequence[str | Path],
    rows: Mapping[str, tuple[str, Sequence[str]]],
) -> dict[str, dict[str, Path]]:
    """The pictures of memes in new languages, by meme and language; those that have captions."""
    if not rows:
        return {}
    table = read_captions_table(out)
    names = list(next(iter(table.values()), {}))
    columns = [column_of(each.tag, names) for each in targets]
    tags = [column for column in columns if any(row.get(column) for row in table.values())]
    if not tags:
        return {}
    render_table(
        out / CAPTIONS,
        out / RENDERED,
        languages=tags,
        templates=[*templates, out / TEMPLATES],
        fonts=fonts,
    )
    drawn: dict[str, dict[str, Path]] = {}
    for name, (template, _) in rows.items():
        for tag in tags:
            path = out / RENDERED / tag / template / f"{name}.jpg"
            if path.is_file():
                drawn.setdefault(name, {})[tag] = path
    return drawn


def _result(meme: LocalisedMeme, names: Mapping[str, str]) -> LocalisedPicture:
    return LocalisedPicture(
        str(meme.meme.path),
        meme.meme.name,
        names.get(meme.meme.name, ""),
        meme.clean.how if meme.clean is not None else "",
        len(meme.texts),
        len(meme.taken),
        len(meme.open),
    )
