"""The memes that a survey is made of. In: what is asked for. Out: their templates, pictures, texts.

They are the workspace's memes, which are rendered in each culture's language, or finished memes
that were collected: these have their text in the picture, so people of every culture are shown the
same, and a survey keeps each picture's SHA-256; what is collected later changes nothing of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from memeloc.counts import counted
from memeloc.errors import InputError
from memeloc.items import Item
from memeloc.model import SEPARATOR, Acceptance
from memeloc.store.captions.states import acceptance, taken_states
from memeloc.store.records import Accept, CaptionState
from memeloc.survey.design.tables import GivenBatch
from memeloc.survey.model import Culture
from memeloc.survey.recipes import Recipe
from memeloc.tables import read_table
from memeloc.taxonomy import LABEL, Taxonomy
from memeloc.workspace.acceptance import nothing_taken
from memeloc.workspace.folder import WorkspaceFolder
from memeloc.workspace.stored_survey import CAPTIONS, StoredSurvey

SELECTED = "selected"
"""Stands for the finished memes that were selected, where a source's name may stand."""
RENDERED = "none"
"""Stands for no finished memes, where a recipe asks about some."""
SHOWN = (".jpg", ".png", ".gif", ".webp", ".avif")
"""Kinds of pictures that browsers and survey programs show."""


class MemeChoice(NamedTuple):
    """The memes that somebody asks for: ids with their rows in `file`; `rows` is None for all."""

    rows: Mapping[str, int | None] | None = None
    file: Path | None = None
    batches: tuple[GivenBatch, ...] = ()

    @classmethod
    def of(cls, memes: Path | Sequence[str] | None) -> MemeChoice:
        """Return the memes of ids, or of a table's first column; a heading `meme_id` is none."""
        if memes is None or not isinstance(memes, Path):
            return cls() if memes is None else cls(dict.fromkeys(memes))
        table = read_table(memes)
        first = table.columns[0]
        ids: dict[str, int | None] = {} if first == "meme_id" else {first: 1}
        for row in table.rows:
            ids.setdefault(row[first], row.number)
        ids.pop("", None)
        if not ids:
            raise InputError("has no ids in it; write one a line", file=memes)
        return cls(ids, memes)

    @classmethod
    def of_batches(cls, batches: tuple[GivenBatch, ...], file: Path) -> MemeChoice:
        rows = {meme: row for batch in reversed(batches) for meme, row in batch.rows.items()}
        return cls(rows, file, batches)

    def among(self, existing: Mapping[str, object], where: str) -> list[str]:
        """Return the ids; raise InputError if one does not exist, `where` it was looked for."""
        ids = list(existing if self.rows is None else self.rows)
        if unknown := [meme for meme in ids if meme not in existing]:
            more = f" ({len(unknown) - 1:,} more are not there)" if len(unknown) > 1 else ""
            raise self.wrong(unknown[0], f"{where} has no meme {unknown[0][:80]!r}{more}.")
        return ids

    def wrong(self, meme: str, message: str, row: int | None = None) -> InputError:
        column = "meme_id" if self.batches else None
        row = row or (self.rows or {}).get(meme)
        return InputError(message, file=self.file, row=row, column=column)


class SurveyMemes(NamedTuple):
    """Templates of memes by id; by language the memes that are `left_out` without a caption in it,
    and as `remarks` what else is; which captions were taken (`acceptance`); and by id the SHA-256
    of finished memes' `pictures`."""

    templates: Mapping[str, str]
    left_out: Mapping[str, tuple[str, ...]] = {}
    remarks: tuple[str, ...] = ()
    acceptance: Acceptance | None = None
    pictures: Mapping[str, str] = {}


def memes_with_captions(
    workspace: WorkspaceFolder, cultures: Sequence[Culture], choice: MemeChoice, which: Accept
) -> SurveyMemes:
    """Return memes that have a caption in every culture's language; of given batches, in their own.
    Raise InputError if there is no such meme, none has all captions, or one of a given batch lacks
    one."""
    stored, taken = workspace.store.captions, taken_states(which)
    ids = choice.among(stored.current(workspace.source.tag), "The workspace")
    templates = stored.templates()
    tags = {culture.code: culture.locale.tag for culture in cultures}
    states: dict[str, dict[str, CaptionState]] = {tag: {} for tag in tags.values()}
    for caption in stored.states(list(states), rounds=workspace.settings.correction.rounds):
        states[caption.language][caption.meme_id] = caption.state
    for _, rows, codes in choice.batches:
        for tag in dict.fromkeys(tags[code] for code in codes):
            for meme, row in rows.items():
                state = states[tag].get(meme)
                if state is None:
                    message = (
                        f"{meme[:80]!r} has no caption in {tag}; translate it first: "
                        f"memeloc translate --langs {tag}"
                    )
                    raise choice.wrong(meme, message, row)
                if state not in taken:
                    message = (
                        f"The caption of {meme[:80]!r} in {tag} is {state}; have it corrected "
                        "and accepted, or take it as it is with --captions any"
                    )
                    raise choice.wrong(meme, message, row)
    if choice.batches:
        return SurveyMemes({meme: templates[meme] for meme in ids})
    missing = {tag: tuple(m for m in ids if m not in by_meme) for tag, by_meme in states.items()}
    lacking = {tag: memes for tag, memes in missing.items() if memes}
    chosen = {
        meme: templates[meme]
        for meme in ids
        if all(by_meme.get(meme) in taken for by_meme in states.values())
    }
    counts = Counter(
        (tag, state)
        for tag, by_meme in states.items()
        for meme in ids
        if (state := by_meme.get(meme)) and (meme in chosen or state not in taken)
    )
    result = acceptance(which, [(*key, count) for key, count in counts.items()])
    if not chosen:
        raise InputError(
            nothing_taken(result)
            if result.left_out
            else "No meme has a caption in the language of every culture; translate first: "
            f"memeloc translate --langs {','.join(lacking) or 'TAGS'}"
        )
    return SurveyMemes(chosen, lacking, acceptance=result)


def read_item_texts(
    path: Path | None, taxonomy: Taxonomy, memes: Collection[str]
) -> dict[str, dict[str, str]]:
    """Return by meme and question id the texts that questions have of their own, but for empty
    ones. Raise InputError if the taxonomy has such questions and there is no table, or the other
    way round; a column or meme is missing, or is there twice; or a meme is asked about nothing."""
    columns, drafts = taxonomy.item_columns, taxonomy.draft_columns
    if path is None:
        if columns:
            raise InputError(
                f"{taxonomy.name} asks about texts of each item's own: give a table with the "
                f"columns meme_id, {', '.join(columns)} by --items"
            )
        return {}
    if not columns and not drafts:
        raise InputError(f"{taxonomy.name} has no question with a text of an item's own", file=path)
    table = read_table(path)
    if absent := [name for name in ("meme_id", *columns) if name not in table.columns]:
        message = "has no such column; its headings are the questions' ids"
        raise InputError(message, file=path, column=absent[0])
    texts: dict[str, dict[str, str]] = {}
    for row in table.rows:
        meme = row["meme_id"]
        if meme in texts:
            raise InputError(f"The meme {meme[:80]!r} is there twice.", file=path, row=row.number)
        cells = {name: row[name] for name in (*columns, *drafts) if name in table.columns}
        texts[meme] = {name: text for name, text in cells.items() if text}
        if taxonomy.item_text and meme in memes and not row[LABEL]:
            message = f"The meme {meme[:80]!r} has no text to be asked about."
            raise InputError(message, file=path, row=row.number, column=LABEL)
    if missing := [meme for meme in memes if meme not in texts]:
        raise InputError(
            f"has no row for {len(missing):,} of {counted(len(memes), 'meme')}, "
            f"{missing[0][:80]!r} the first; leave cells empty where there is no text",
            file=path,
        )
    return {meme: texts[meme] for meme in sorted(memes)}


def asked_about(
    workspace: WorkspaceFolder, recipe: Recipe | None, collected: str | None
) -> tuple[str, tuple[str, ...]]:
    """Return which finished memes a survey is of, empty for rendered ones; and a remark, if any.

    It is what somebody names, or else what the recipe says; where nothing of that kind was ever
    collected, a recipe goes with the workspace's own memes.
    """
    if collected is not None:
        return "" if collected == RENDERED else collected, ()
    if recipe is None or not recipe.design.collected:
        return "", ()
    if any("picture" in key for key in workspace.store.items.count()):
        return recipe.design.collected, ()
    return "", (
        f"{recipe.name} asks about finished memes; none were collected, so it asks about the "
        "workspace's own, rendered.",
    )


def collected_memes(
    workspace: WorkspaceFolder, source: str, choice: MemeChoice, cultures: Sequence[Culture]
) -> SurveyMemes:
    """Return finished memes, each a template of its own: of a source, or those that were selected.

    Of a source, those that a filter dropped are left out; what people answered about a filter
    counts before its verdict. Raises InputError if there are none, or not the one asked for.
    """
    store = workspace.store.items
    if source == SELECTED:
        where = "What was selected"
        selection = workspace.store.curation.selection()
        found = list(store.find("picture", selection.pictures if selection else ()))
        problem = (
            "No finished meme was selected: run memeloc select, or name a source by --collected; "
            f"--collected {RENDERED} asks about the workspace's own memes, rendered."
        )
    else:
        where = f"What was collected from {source}"
        found = list(store.find("picture", source=source))
        found = found or list(store.find("picture", dataset=source))
        sources = ", ".join(name for name, kind in store.count() if kind == "picture")
        problem = (
            f"Nothing that was collected from {source[:60]!r} is a finished meme; there are such "
            f"of {sources or 'no source'}."
        )
    if not found:
        raise InputError(problem)
    items = {item.id: item for item in found}
    dropped = set() if source == SELECTED else _dropped(workspace, items)
    unshown = {id for id, item in items.items() if item.path and item.path.suffix not in SHOWN}
    ids, remarks = choice.among(items, where), []
    if choice.rows is None:
        ids = [meme for meme in ids if meme not in dropped | unshown]
        left_out = "finished memes are left out, as"
        if dropped:
            remarks.append(f"{len(dropped):,} {left_out} filters dropped them.")
        if unshown:
            remarks.append(
                f"{len(unshown):,} {left_out} browsers do not show their kind of picture: "
                f"{min(unshown)} the first."
            )
    elif hidden := [meme for meme in ids if meme in unshown]:
        kind = f"of no kind that browsers show: {items[hidden[0]].path}"
        raise choice.wrong(hidden[0], f"The picture of {hidden[0]} is {kind}")
    if not ids:
        raise InputError(f"{where} has no finished meme that filters keep and browsers show.")
    shown = {(items[meme].language or workspace.source.tag).split("-")[0] for meme in ids}
    others = [
        culture.code
        for culture in cultures
        if shown - {tag.tag.split("-")[0] for tag in (culture.locale, culture.second) if tag}
    ]
    if others:  # people are shown texts in another language than theirs
        remarks.append(
            f"People of {', '.join(others)} see texts in {', '.join(sorted(shown))}, which their "
            "sheets are not in: ask people who read them, and leave out labels for memes in "
            "another language (leave_out of a recipe of your own)."
        )
    return SurveyMemes(
        {meme: meme for meme in ids},
        remarks=tuple(remarks),
        pictures={meme: items[meme].picture for meme in ids},
    )


def _dropped(workspace: WorkspaceFolder, items: Collection[str]) -> set[str]:
    from memeloc.curate.selection import answers_of

    curation = workspace.store.curation
    people, verdicts = answers_of(curation.judgements()), curation.verdicts()
    return {
        meme
        for meme in items
        for name, verdict in verdicts.get(meme, {}).items()
        if people.get((meme, name), verdict.verdict) == "drop"
    }


def collected_pictures(survey: StoredSurvey, memes: Collection[str]) -> dict[str, tuple[Path, str]]:
    """Return the pictures that a survey was built of, with what stands in them, by meme; raise
    InputError if one is not in the workspace."""
    store = survey.workspace.store
    items = list(store.items.find("picture", memes))
    hashes = {item.id: survey.pictures.get(item.id, item.picture) for item in items}
    files = store.items.picture_files(list(hashes.values()))
    for meme in sorted(memes):
        if hashes.get(meme) not in files:
            raise InputError(f"The picture of {meme} is not in this workspace's folder of images.")
    texts = collected_texts(survey, items)
    return {meme: (files[hashes[meme]], texts[meme]) for meme in memes}


def changed_pictures(survey: StoredSurvey) -> tuple[str, ...]:
    """Return the finished memes whose picture is another one since the survey was built."""
    if not survey.pictures:
        return ()
    items = survey.workspace.store.items.find("picture", list(survey.pictures))
    return tuple(item.id for item in items if item.picture != survey.pictures[item.id])


def collected_texts(survey: StoredSurvey, items: Iterable[Item] | None = None) -> dict[str, str]:
    """Return what stands in the survey's pictures, by meme: transcripts as they are now, parts
    joined by ` // `; of a picture that is another one by now what went out, or nothing."""
    noted = {meme: text for by in survey.state(CAPTIONS).values() for meme, text in by.items()}
    if items is None:
        items = survey.workspace.store.items.find("picture", list(survey.memes))
    return {
        item.id: SEPARATOR.join(item.parts)
        if item.picture == survey.pictures.get(item.id, item.picture)
        else noted.get(item.id, "")
        for item in items
    }
