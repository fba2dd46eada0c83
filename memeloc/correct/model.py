"""Sheets and answers of the correction round trip. In: `memeloc.model`. Out: frozen records.

A sheet is what one person gets for one language and one round; answers are what they return. In
multi3hate machine translation is corrected in two rounds, each by a native speaker who is fluent
in English (section 3.2, appendix A.4); the second round sees the first's result.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from memeloc.glossary import Term
from memeloc.model import Locale

STATUSES: dict[str, tuple[str, ...]] = {
    "caption": ("correct", "corrected", "wordplay", "culture", "other", "harmful", "skip"),
    "transcript": ("correct", "corrected", "no-text", "harmful", "skip"),
    "survey": ("correct", "corrected", "culture", "other", "skip"),
}
"""What people pick, by the kind of sheet.

`correct` as it stands; `corrected` by the person's text; cannot be translated because of
`wordplay`, of `culture` or for an `other` reason; `harmful` to read, or skipped (`skip`) for any
reason. Of a transcript: there is no text in the picture (`no-text`). Where there is a comment and
nothing else, the status is `comment`, which decides nothing.
"""
GIVEN_UP = frozenset(("wordplay", "culture", "other", "harmful", "skip", "no-text"))
WITHOUT_TEXT = GIVEN_UP | {"comment"}
NO_PART = "-"
"""What a person writes for a part of a transcript that is no text, such as a drawing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One person's answer for one caption, from the file to the history.

    In a history it is also what came before any answer (no status), and what was decided about
    answers (`settled`, `dropped`).

    Attributes:
        status: as picked; when it was left empty beside a text, `corrected` where the text differs
            from what was to be corrected and else `correct`.
        round: of correction; 0 of a text before any.
        person: or the translator, of a machine's text.
        parts: the text it stands for; for `correct` what the sheet showed, for a status of
            WITHOUT_TEXT empty.
        typed: the parts as they stand in the file; those of rows that contradict them follow.
        row, rows: where it stands in the file, and each of its parts, as the file's program counts.
        source_key: as the sheet had it; empty when it was lost.
        unclear: why it cannot be understood, as a sentence; somebody has to look at it.
        near: of a row that belongs to no caption of its sheet, the meme whose rows it stands with.
        outcome, reason, message: what became of it, see `memeloc.correct.placing`; the message is a
            sentence for people, empty when it was simply placed.
        base: the parts that its sheet showed to be corrected.
        sheet, sheet_created: the id of its sheet, and when that was made.
        id: its number, 0 before it is stored.
        caption_id: the version it made, None when it made none.
        standing: whether it is her last word of that round on the source that is asked for.
        created: when it was stored, in UTC.
    """

    meme_id: str
    status: str
    language: str = ""
    round: int = 0
    person: str = ""
    parts: tuple[str, ...] = ()
    typed: tuple[str, ...] = ()
    comment: str = ""
    row: int = 0
    rows: tuple[int, ...] = ()
    source_key: str = ""
    unclear: str = ""
    near: str = ""
    outcome: str = ""
    reason: str = ""
    message: str = ""
    base: tuple[str, ...] = ()
    sheet: str = ""
    sheet_created: datetime | None = None
    id: int = 0
    caption_id: int | None = None
    standing: bool = True
    created: datetime | None = None

    @property
    def who(self) -> str:
        """Return who and when: `anna, round 1, 2026-11-22`; `machine`; `at first`, of an import."""
        if not self.round:
            return "machine" if self.person else "at first"
        return f"{self.person or 'somebody'}, round {self.round}, {self.created:%Y-%m-%d}"

    @property
    def decides(self) -> bool:
        """Return whether it is an answer, and not only a comment or what was decided about
        answers."""
        return self.status not in ("", "comment", "settled", "dropped")


@dataclass(frozen=True, slots=True)
class Case:
    """Something to settle, for a `reason` in short and as a sentence (`message`).

    Attributes:
        source, source_id: the source caption as it is now, and its version.
        now: the caption as it stands, None where there is none.
        answers: all to that caption, the one that opened it first, then oldest first.
        comments: all about that caption, oldest first.
        decision: accept, type, keep, drop or drop all; empty while it is open.
    """

    id: int
    meme_id: str
    language: str
    round: int
    reason: str
    message: str
    source: tuple[str, ...]
    source_id: int
    now: tuple[str, ...] | None
    answers: tuple[Answer, ...]
    comments: tuple[Answer, ...]
    decision: str = ""


@dataclass(frozen=True, slots=True)
class Match:
    """A translation of a similar source (a fuzzy match), by part of the caption; `percent` 100 is
    the same source. `origin` is `corrected`, `settled`, `imported`, or a translation memory's file.
    """

    percent: int
    source: tuple[str, ...]
    text: tuple[str, ...]
    origin: str = ""


@dataclass(frozen=True, slots=True)
class SheetItem:
    """One caption on a sheet, its parts in the order of the template's boxes.

    Attributes:
        base: what is to be corrected: the machine translation, or the round before's result.
        source_id, base_id: the versions that source and base are of.
        boxes: the names of the text boxes.
        capacities: characters each box can hold at a comfortable size, 0 when unknown.
        picture: the meme rendered with the text to be corrected, or None.
        marks: the translator's, such as `separator lost`.
        note: for the person who corrects.
        before: the source that the text to be corrected was written for, where it has changed
            since; else empty.
        suggestion: what a machine made of the source as it is now, or empty.
        matches: from the translation memory, the most similar first.
        terms: of the glossary that occur in its source.
        history: what others have made of it before, and comments, oldest first; the machine's
            text is the first.
        open_case: whether something about it waits to be settled.
        own_rounds: other rounds in which the person whose sheet it is has answered it.
    """

    meme_id: str
    source: tuple[str, ...]
    base: tuple[str, ...]
    source_id: int = 0
    base_id: int = 0
    template: str = ""
    boxes: tuple[str, ...] = ()
    capacities: tuple[int, ...] = ()
    picture: Path | None = None
    marks: tuple[str, ...] = ()
    note: str = ""
    before: tuple[str, ...] = ()
    suggestion: tuple[str, ...] = ()
    matches: tuple[Match, ...] = ()
    terms: tuple[Term, ...] = ()
    history: tuple[Answer, ...] = ()
    open_case: bool = False
    own_rounds: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Sheet:
    """The captions that one person gets to correct in a round: 1, 2, ...

    Attributes:
        id: letters and digits.
        language: of the text to be corrected.
        person: may be empty.
        created: when, in UTC.
        format, name: of its file.
        guide: the translator's guide in the person's language, as Markdown.
        kind: `caption`; `transcript`, which is in one language: its source is what was read in the
            picture; or `survey`, whose texts keep their placeholders.
    """

    id: str
    language: Locale
    source_language: Locale
    round: int
    person: str
    created: datetime
    guide: str = ""
    items: tuple[SheetItem, ...] = ()
    kind: str = "caption"
    format: str = ""
    name: str = ""

    @property
    def by_meme(self) -> dict[str, SheetItem]:
        """Return its items by meme, in its order."""
        return {item.meme_id: item for item in self.items}


def text_key(parts: Sequence[str]) -> str:
    """Return a short key of a caption's text, which changes when any part does.

    >>> text_key(("a", "b")) == text_key(("a", "b")), text_key(("a b",)) == text_key(("a", "b"))
    (True, False)
    """
    return hashlib.sha256("\x1f".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:12]
