"""Localising finished memes. In: pictures, languages. Out: templates, a captions table, a page.

The folder that it writes is one to go on with: `memeloc import DIR/captions.csv --templates
DIR/templates`, or `memeloc render` of the same. A second run keeps what people decided, corrected
and translated there, and reads no picture again.

The sheet of questions is one of a review (`memeloc.curate.review`). Answers are appended to a file
as they come, the newest counts, and the next sheet has them again.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from PIL import Image
from pydantic import TypeAdapter

from memeloc.curate.review import (
    ANSWER,
    BURNED_TEXT,
    HINT,
    UNSURE,
    find_question,
    read_review,
    write_review,
)
from memeloc.curate.verdict import Judgement
from memeloc.errors import InputError
from memeloc.files import locked, replacing
from memeloc.items import Item
from memeloc.locales import Registry, default
from memeloc.localise.localise import (
    Decision,
    LocalisedMeme,
    localise,
    open_meme,
    text_key,
    text_name,
)
from memeloc.localise.page import PAGE, write_page, write_pictures
from memeloc.localise.protocol import FinishedMeme, Pixels
from memeloc.localise.restoring import make_restorer
from memeloc.localise.texts import Text, find_texts, read_lines
from memeloc.localise.writing import (
    CAPTIONS,
    STATE,
    TEMPLATES,
    Provenance,
    State,
    check_owner,
    column_of,
    fill_captions,
    read_captions_table,
    write_captions,
    write_meme_template,
)
from memeloc.model import Caption, Locale
from memeloc.ocr.protocol import Line, Reader
from memeloc.ocr.readers import choose
from memeloc.ocr.watermarks import repeated
from memeloc.render.sets.parallel_set import render_table
from memeloc.templates import load_templates
from memeloc.templates.capacity import capacity
from memeloc.templates.names import name_from
from memeloc.templates.pictures import picture_notes
from memeloc.translate import Translation, TranslationItem, create, run
from memeloc.workspace.clean_pictures import clean_picture_sources
from memeloc.workspace.folder import Part

RENDERED = "rendered"
"""The folder of the pictures with the new text, in that of localised memes."""
SHEET, ANSWERS = "review.xlsx", ".memeloc/answers.jsonl"
"""The sheet, of which a filled-in one stays and the next gets a number, and all answers that were
ever given."""

_KEPT = ("subject", "answer", "content", "comment", "person")
_CROPS, _CROP_SIDE = ".memeloc/texts", 320
_READINGS, _READ = ".memeloc/readings", 2
"""Where readings are kept; the number rises when the same picture is to be read anew."""
_LINES = TypeAdapter(list[Line])


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
    """A picture and what became of it.

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
    """A run's outcome.

    Attributes:
        pictures: what became of each.
        problems: by picture, why it was left out.
        captions, page: the files; sheet is None where nobody is asked anything.
        asked: texts that wait for a person.
        translated: captions that were translated in this run.
        failures: captions that were not, and why.
        notes: what was left as people had changed it.
        left_out: each meme without a picture in a language that was asked for, and why.
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
    left_out: list[str]
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
    watermarks: Literal["keep", "remove"] = "keep",
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
        watermarks: sites' names and handles stay in the picture, or are painted over.
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
    paths = [each.path for each in pictures]
    ways = clean_picture_sources(paths, templates, make_restorer(inpaint), alone=alone)
    lock = (out / STATE).with_name("lock")
    for folder in (lock.parent, out / TEMPLATES):  # the latter is named by the next commands
        folder.mkdir(parents=True, exist_ok=True)
    with locked(lock, out):
        answers, wrong = _take_answers(out, exclude)
        state, memes, notes = State.read(out), list[LocalisedMeme](), [str(each) for each in wrong]
        problems: dict[str, str] = {}
        questions: list[dict[str, Any]] = []
        names: dict[str, str] = {}
        read: dict[str, tuple[ToLocalise, int, list[Line]]] = {}
        # All are read before one is localised: what many have at an edge is no caption.
        for each in pictures:
            try:
                meme = open_meme(each.path, each.name or name_from(each.path, otherwise="meme"))
                name = state.name(meme, out)
                if name not in read:  # else the same picture once more
                    lines = lines_of(meme, by, locale, out)
                    read[name] = each, meme.pixels.shape[0], lines
            except InputError as error:
                problems[str(each.path)] = error.message
                if on_progress is not None:
                    on_progress(1, len(pictures))
        often = repeated((height, lines) for _, height, lines in read.values())
        for name, (each, _, lines) in read.items():
            try:
                meme = open_meme(each.path, name)
                notes += [f"{each.path.parent}/{note}" for note in picture_notes(each.path)]
                texts = find_texts(meme.pixels, lines, locale, often)
                decided = _decisions(answers, meme, texts)
                unmarked = watermarks == "remove"

                def read_again(pixels: Pixels, meme: FinishedMeme = meme) -> list[Line]:
                    digest = hashlib.sha256(pixels.tobytes()).hexdigest()
                    restored = replace(meme, sha256=digest, pixels=pixels)
                    return lines_of(restored, by, locale, out, once=True)

                localised = localise(
                    meme, texts, locale, ways, decided, unmarked=unmarked, read=read_again
                )
                if localised.clean is not None:
                    provenance = each.provenance or Provenance(each.path.name)
                    names[name], note = write_meme_template(localised, provenance, out, state)
                    notes += [note] if note else []
                write_pictures(localised, out)
                questions += _review_rows(localised, answers, out)
            except InputError as error:
                problems[str(each.path)] = error.message
            else:
                memes.append(localised.without_pixels())
            if on_progress is not None:
                on_progress(1, len(pictures))
        listed = [text_name(each.meme, text) for each in memes for text in each.texts]
        notes += [
            f"there is no text {name!r} to exclude; there are {', '.join(listed) or 'none'}"
            for name in exclude
            if name not in listed
        ]
        rows = {
            meme.meme.name: (names[meme.meme.name], meme.parts)
            for meme in memes
            if meme.meme.name in names
        }
        changed = write_captions(rows, locale.tag, out, state)
        if changed:
            notes.append(f"What was changed by hand in {CAPTIONS} stays: {', '.join(changed)}")
        translated, failures = 0, list[str]()
        if translator and targets and rows:
            translated, failures = _translate(
                out, locale, targets, translator, settings or {}, state, templates
            )
        drawn = _render(out, targets, templates, fonts, rows)
        if wrong:
            sheet = Path(str(wrong[0].file))
            notes.append(f"{sheet} stays as it is until that is mended")
        elif questions or _sheets(out):
            sheet = write_review(find_question(BURNED_TEXT), questions, out / SHEET, "")
        else:
            sheet = out / SHEET
        page = write_page(
            memes, drawn, out, sheet=sheet.name, table=CAPTIONS, templates=f"{TEMPLATES}/"
        )
        return LocaliseResult(
            [
                LocalisedPicture(
                    str(meme.meme.path),
                    meme.meme.name,
                    names.get(meme.meme.name, ""),
                    meme.clean.how if meme.clean is not None else "",
                    len(meme.texts),
                    len(meme.taken),
                    len(meme.open),
                )
                for meme in memes
            ],
            problems,
            out / CAPTIONS,
            out / TEMPLATES,
            page,
            sheet if questions else None,
            sum(len(meme.open) for meme in memes),
            translated,
            failures,
            notes,
            list(_left_out(memes, targets, drawn, out)),
            sum(map(len, drawn.values())),
        )


class Localising(Part):
    """Localising of the finished memes that were collected."""

    def localise(
        self,
        out: Path,
        *,
        items: Sequence[str] = (),
        languages: Sequence[str] | None = None,
        translator: str = "",
        **options: Any,
    ) -> LocaliseResult:
        """Call `localise_pictures` with the workspace's memes, languages and settings. Raise
        InputError if no picture was collected, or as `localise_pictures`.

        Args:
            items: their ids; without any, all that filters and people keep.
            languages: None is all of the workspace's.
            translator: its name; empty is the one in memeloc.toml, if any.
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


def lines_of(
    meme: FinishedMeme, by: Reader, locale: Locale, out: Path, *, once: bool = False
) -> list[Line]:
    """Return what was read in a picture, now or in an earlier run by the same reader.

    Read `once`, as for the look at a picture without its text, it takes a third of the time.
    """
    kind = f"{by.name}-{by.version}-{_READ}-{locale.tag}{'-once' if once else ''}"
    version = re.sub(r"[^\w.]+", "-", kind)
    path = out / _READINGS / f"{meme.sha256}-{version}.json"
    try:
        return _LINES.validate_json(path.read_bytes())
    except (OSError, ValueError):  # not read yet, or damaged
        image = Image.fromarray(meme.pixels)
        lines = by.read([image], locale)[0] if once else read_lines(image, by, locale)
        with replacing(path) as temporary:
            temporary.write_bytes(_LINES.dump_json(lines))
        return lines


def _left_out(
    memes: Iterable[LocalisedMeme],
    targets: Sequence[Locale],
    drawn: Mapping[str, Mapping[str, Path]],
    out: Path,
) -> Iterator[str]:
    """Yield each meme that has no picture in a language that was asked for, and why."""
    table = read_captions_table(out)
    for meme in memes:
        name, row = meme.meme.name, table.get(meme.meme.name, {})
        for target in targets:
            column = column_of(target.tag, row)
            if column in drawn.get(name, {}):
                continue
            if not meme.texts:
                why = "no text was found in it"
            elif meme.clean is None:
                why = "its text waits for a person" if meme.open else "all its text stays"
            elif not row.get(column):
                why = f"{CAPTIONS} has no text in the column {column}"
            else:
                why = "it could not be rendered"
            yield f"{name}, {target.tag}: {why}"


def _translate(
    out: Path,
    source: Locale,
    targets: Sequence[Locale],
    translator: str,
    settings: Mapping[str, Any],
    state: State,
    templates: Sequence[Path],
) -> tuple[int, list[str]]:
    """Translate the captions that lack a translation; return how many, and what failed."""
    loaded = load_templates([*templates, out / TEMPLATES])[0]
    items = []
    for meme_id, row in read_captions_table(out).items():
        template = loaded.get(row.get("template", ""))
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
    return len(done), failed + ([str(summary.stopped)] if summary.stopped is not None else [])


def _render(
    out: Path,
    targets: Sequence[Locale],
    templates: Sequence[Path],
    fonts: Sequence[str | Path],
    rows: Mapping[str, tuple[str, Sequence[str]]],
) -> dict[str, dict[str, Path]]:
    """Draw memes in new languages; return the pictures of those that have captions."""
    table = read_captions_table(out) if rows else {}
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


def _take_answers(out: Path, excluded: Iterable[str]) -> tuple[list[Judgement], list[InputError]]:
    """Return all answers of a folder, the oldest first, with new ones and what is excluded now.

    Their content is the `text_key` of what was asked about; empty where the sheet lost it, and for
    `--exclude`, where the text's name says which is meant.
    """
    path, earlier = out / ANSWERS, list[Judgement]()
    text = path.read_text("utf-8") if path.is_file() else ""
    for number, line in enumerate(text.splitlines(), 1):
        try:
            values: dict[str, Any] = {name: str(cell) for name, cell in json.loads(line).items()}
            earlier.append(Judgement(question=BURNED_TEXT, **{"person": "", **values}))
        except (ValueError, TypeError, AttributeError):
            raise InputError(
                "this line is not an answer; delete it, and what it decided is asked again",
                file=path,
                row=number,
            ) from None
    read, problems = dict[str, Judgement](), list[InputError]()
    for sheet in _sheets(out):
        filled, answers = read_review(sheet)
        if (question := filled.facts["question"]) != BURNED_TEXT:
            raise InputError(f"is a review of {question}, not of {BURNED_TEXT}", file=sheet)
        read |= {
            answer.subject + answer.content: replace(answer, row=0)
            for answer in answers
            if answer.answer != UNSURE or answer.comment
        }
        problems += filled.problems
    new = [*read.values(), *(Judgement(name, BURNED_TEXT, "", "keep") for name in excluded)]
    latest = {answer.subject + answer.content: answer for answer in earlier}
    new = [answer for answer in new if latest.get(answer.subject + answer.content) != answer]
    if new:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            for answer in new:
                cells = {name: getattr(answer, name) for name in _KEPT}
                file.write(json.dumps(cells, ensure_ascii=False) + "\n")
    return earlier + new, problems


def _sheets(out: Path) -> list[Path]:
    """Return the sheet and those with a number, the one that was changed last at the end."""
    names = re.compile(rf"{Path(SHEET).stem}(-\d+)?\.xlsx")
    paths = [path for path in out.glob("*.xlsx") if names.fullmatch(path.name) and path.is_file()]
    return sorted(paths, key=lambda path: path.stat().st_mtime_ns)


def _answer_to(answers: Sequence[Judgement], meme: FinishedMeme, text: Text) -> Judgement | None:
    """Return the newest answer about a text: what was shown counts before what it was called."""
    key, name = text_key(meme, text), text_name(meme, text)
    return next(
        (
            answer
            for answer in reversed(answers)
            if answer.content == key or (not answer.content and answer.subject == name)
        ),
        None,
    )


def _decisions(
    answers: Sequence[Judgement], meme: FinishedMeme, texts: Sequence[Text]
) -> dict[str, Decision]:
    decided: dict[str, Decision] = {}
    for text in texts:
        answer = _answer_to(answers, meme, text)
        if answer is not None and answer.answer in ("text", "keep"):
            decided[text_key(meme, text)] = "text" if answer.answer == "text" else "keep"
    return decided


def _review_rows(
    localised: LocalisedMeme, answers: Sequence[Judgement], out: Path
) -> list[dict[str, Any]]:
    """Return what a sheet asks about a meme, with earlier answers; write its small pictures."""
    rows, meme = [], localised.meme
    for text in localised.texts:
        answer = _answer_to(answers, meme, text)
        if text.number not in localised.open and answer is None:
            continue
        x, y, width, height = text.region.box
        tall, wide = meme.pixels.shape[:2]
        left, top = int((x - width / 2) * wide), int((y - height) * tall)
        right, bottom = int((x + 1.5 * width) * wide) + 1, int((y + 2 * height) * tall) + 1
        crop = Image.fromarray(meme.pixels).crop(
            (max(left, 0), max(top, 0), min(right, wide), min(bottom, tall))
        )
        crop.thumbnail((_CROP_SIDE, _CROP_SIDE))
        path = out / _CROPS / f"{text_name(meme, text)}.jpg"
        with replacing(path) as temporary:
            crop.save(temporary, "JPEG", quality=85)
        rows.append(
            {
                "picture": path,
                "text": text.region.text,
                "about": meme.name,
                HINT: "; ".join(text.doubts),
                ANSWER: answer.answer if answer is not None else "",
                "comment": answer.comment if answer is not None else "",
                "subject": text_name(meme, text),
                "content": text_key(meme, text),
            }
        )
    return rows
