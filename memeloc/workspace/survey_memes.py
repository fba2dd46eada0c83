"""The memes that a survey is made of. In: what is asked for. Out: their templates, their texts.

They are the workspace's memes, which are rendered in each culture's language, or finished memes
that were collected, see `memeloc.workspace.finished_memes`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from memeloc.counts import counted
from memeloc.errors import InputError
from memeloc.model import Acceptance
from memeloc.store.captions.states import acceptance, taken_states
from memeloc.store.records import Accept, CaptionState
from memeloc.survey.design.given import GivenBatch
from memeloc.survey.model import Culture
from memeloc.tables import read_table
from memeloc.taxonomy import LABEL, Taxonomy
from memeloc.workspace.acceptance import nothing_taken
from memeloc.workspace.folder import WorkspaceFolder


@dataclass(frozen=True, slots=True)
class Wanted:
    """The memes that somebody asks for: ids with their rows in `file`; `rows` is None for all."""

    rows: Mapping[str, int | None] | None = None
    file: Path | None = None
    given: tuple[GivenBatch, ...] = ()

    @classmethod
    def of(cls, chosen: Path | Sequence[str] | None) -> Wanted:
        if isinstance(chosen, Path):
            return cls(_read_ids(chosen), chosen)
        return cls() if chosen is None else cls(dict.fromkeys(chosen))

    @classmethod
    def of_batches(cls, given: tuple[GivenBatch, ...], file: Path) -> Wanted:
        rows = {meme: row for batch in reversed(given) for meme, row in batch.rows.items()}
        return cls(rows, file, given)

    def among(self, known: Mapping[str, object], where: str) -> list[str]:
        """The ids, all of them `known`.

        Raises:
            InputError: one is not; `where` it was looked for.
        """
        if self.rows is None:
            return list(known)
        unknown = [meme for meme in self.rows if meme not in known]
        if unknown:
            more = f" ({len(unknown) - 1:,} more are not there)" if len(unknown) > 1 else ""
            raise InputError(
                f"{where} has no meme {unknown[0][:80]!r}{more}.",
                file=self.file,
                row=self.rows[unknown[0]],
                column="meme_id" if self.given else None,
            )
        return list(self.rows)


@dataclass(frozen=True, slots=True)
class SurveyMemes:
    """Memes, and why others are left out.

    Attributes:
        templates: by id.
        left_out: by language, the memes without a caption in it.
        acceptance: which captions were taken, and left out by their states.
        remarks: what else was left out, as sentences.
        pictures: of finished memes the SHA-256 of the picture, by id.
    """

    templates: Mapping[str, str]
    left_out: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()
    acceptance: Acceptance | None = None
    pictures: Mapping[str, str] = field(default_factory=dict)


def memes_with_captions(
    workspace: WorkspaceFolder, cultures: Sequence[Culture], wanted: Wanted, which: Accept
) -> SurveyMemes:
    """The memes that have a caption in every culture's language; of given batches, in their own.

    Raises:
        InputError: there is no such meme, none has all captions, or one of a given batch lacks one.
    """
    stored = workspace.store.captions
    ids = wanted.among(stored.current(workspace.source.tag), "The workspace")
    templates = stored.templates()
    states, taken = _states(workspace, cultures), taken_states(which)
    if wanted.given:
        _check_captions(wanted, cultures, states, taken)
        return SurveyMemes({meme: templates[meme] for meme in ids})
    lacking = {
        tag: missing
        for tag, by_meme in states.items()
        if (missing := tuple(meme for meme in ids if meme not in by_meme))
    }
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
    if not chosen and result.left_out:
        raise InputError(nothing_taken(result))
    if not chosen:
        raise InputError(
            "No meme has a caption in the language of every culture; translate first: "
            f"memeloc translate --langs {','.join(lacking) or 'TAGS'}"
        )
    return SurveyMemes(chosen, lacking, acceptance=result)


def _states(
    workspace: WorkspaceFolder, cultures: Sequence[Culture]
) -> dict[str, dict[str, CaptionState]]:
    """By language and meme the states of captions in the cultures' languages."""
    tags = list(dict.fromkeys(culture.locale.tag for culture in cultures))
    states: dict[str, dict[str, CaptionState]] = {tag: {} for tag in tags}
    rounds = workspace.settings.correction.rounds
    for caption in workspace.store.captions.states(tags, rounds=rounds):
        states[caption.language][caption.meme_id] = caption.state
    return states


def _check_captions(
    wanted: Wanted,
    cultures: Sequence[Culture],
    states: Mapping[str, Mapping[str, CaptionState]],
    taken: Collection[CaptionState],
) -> None:
    tags = {culture.code: culture.locale.tag for culture in cultures}
    for batch in wanted.given:
        for tag in dict.fromkeys(tags[code] for code in batch.cultures):
            for meme, row in batch.rows.items():
                state = states[tag].get(meme)
                if state not in taken:
                    raise InputError(
                        f"{meme[:80]!r} has no caption in {tag}; translate it first: "
                        f"memeloc translate --langs {tag}"
                        if state is None
                        else f"The caption of {meme[:80]!r} in {tag} is {state}; have it corrected "
                        f"and accepted, or take it as it is with --captions any",
                        file=wanted.file,
                        row=row,
                        column="meme_id",
                    )


def _read_ids(path: Path) -> dict[str, int | None]:
    """The ids in a table's first column, with their rows; a heading `meme_id` is none."""
    table = read_table(path)
    first = table.columns[0]
    ids: dict[str, int | None] = {} if first == "meme_id" else {first: 1}
    for row in table.rows:
        if meme := row[first]:
            ids.setdefault(meme, row.number)
    if not ids:
        raise InputError("has no ids in it; write one a line", file=path)
    return ids


def read_item_texts(
    path: Path | None, taxonomy: Taxonomy, memes: Collection[str]
) -> dict[str, dict[str, str]]:
    """By meme and question id, the texts that questions have of their own; empty ones left out.

    Raises:
        InputError: the taxonomy has such questions and there is no table, or the other way round;
            a column or a meme is missing, or is there twice; or a meme is asked about nothing.
    """
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
    for name in ("meme_id", *columns):
        if name not in table.columns:
            raise InputError(
                "has no such column; its headings are the questions' ids", file=path, column=name
            )
    own = [name for name in (*columns, *drafts) if name in table.columns]
    texts: dict[str, dict[str, str]] = {}
    for row in table.rows:
        meme = row["meme_id"]
        if meme in texts:
            raise InputError(f"The meme {meme[:80]!r} is there twice.", file=path, row=row.number)
        texts[meme] = {name: row[name] for name in own if row[name]}
        if taxonomy.item_text and meme in memes and not row[LABEL]:
            raise InputError(
                f"The meme {meme[:80]!r} has no text to be asked about.",
                file=path,
                row=row.number,
                column=LABEL,
            )
    if missing := [meme for meme in memes if meme not in texts]:
        raise InputError(
            f"has no row for {len(missing):,} of {counted(len(memes), 'meme')}, "
            f"{missing[0][:80]!r} the "
            "first; leave cells empty where there is no text",
            file=path,
        )
    return {meme: texts[meme] for meme in memes}
