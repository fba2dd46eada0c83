"""Records that a workspace hands out and takes. In: `memeloc.model`. Out: frozen rows of its
tables.

Texts are tuples of parts in the order of the template's boxes; languages are the registry's tags;
times are aware and in UTC.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from difflib import get_close_matches
from typing import Literal

from memeloc.counts import counted, listed, sentence
from memeloc.model import Caption

Kind = Literal["caption", "transcript", "survey"]
"""What a text is: the caption of a meme, what was read in a picture, or a text of a survey."""

Stage = Literal["imported", "collected", "read", "shipped", "translated", "corrected", "settled"]
"""How a version of a caption came to be; the texts of surveys are `shipped` with memeloc."""

Need = Literal["new", "changed"]
"""Why a caption is to be translated: there is none, or its source has changed since."""

CaptionState = Literal[
    "given", "machine", "corrected", "accepted", "disputed", "outdated", "dropped"
]
"""How far a caption is; `memeloc.store.captions.states` says which is in which state."""

Translations = Literal["given", "machine"]
"""What the other languages' columns of a table are: given by people as they are, or a machine's."""

Accept = Literal["accepted", "corrected", "any"]
"""Which captions something takes: those that are settled, also those that people have corrected, or
all that there are (but for what was dropped)."""

ROUNDS = 2
"""Rounds of correction where a workspace does not say otherwise (multi3hate 3.2)."""

ACCEPTING = ("placed", "replaced")
"""Outcomes of an answer (see memeloc.correct.placing) that make it the caption."""
OPENING = ("case", "stray")
"""Outcomes that open a case."""
STANDING = (*ACCEPTING, "case")
"""Outcomes after which an answer is its person's until she gives another."""
SUPERSEDING = (*STANDING, "skipped")
"""Outcomes that take the place of what the same person answered before."""

DROPPING = DROP, DROP_ALL = "drop", "drop all"
"""Decisions that give a meme up: in the case's language, or in all of them."""


_NAMED = 10
"""Templates that memes wait for, that a sentence names."""


@dataclass(frozen=True, slots=True)
class CaptionVersion:
    """One version of one caption.

    Versions count 1, 2, ... of a meme and language, the highest is the current one; rounds are of
    correction, 0 before any. `person` typed it, or `translator` made it; `origin` is the table,
    sheet or case it came from, `source_id` the version of the source caption that it translates
    (None for a source caption), `marks` are what the translator noted.
    """

    id: int
    meme_id: str
    language: str
    version: int
    parts: tuple[str, ...]
    stage: Stage
    round: int
    person: str
    origin: str
    translator: str
    source_id: int | None
    marks: tuple[str, ...]
    created_at: datetime

    @property
    def caption(self) -> Caption:
        return Caption(self.parts)


@dataclass(frozen=True, slots=True)
class CaptionStatus:
    """The state of a caption, see `memeloc.store.captions.states`; `round` is that of its current
    version, 0 before any; `people` have answered a corrected one."""

    meme_id: str
    language: str
    state: CaptionState
    round: int
    people: int


@dataclass(slots=True)
class ImportRecord:
    """Counts of an import of a captions table: counts by language, or by column for `empty` cells,
    which are still to translate.

    `outdated` are people's texts whose source the table has changed, which stand until somebody has
    looked at them; `not_taken` are machine translations where a person's text stands; `waiting`
    memes by a template that is not there yet. `problems` are counted by kind, `left_out` has the
    first hundred as sentences, `notes` what was passed over otherwise.
    """

    memes: int = 0
    added: Counter[str] = field(default_factory=Counter)
    changed: Counter[str] = field(default_factory=Counter)
    unchanged: int = 0
    outdated: Counter[str] = field(default_factory=Counter)
    empty: Counter[str] = field(default_factory=Counter)
    problems: Counter[str] = field(default_factory=Counter)
    left_out: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    waiting: Counter[str] = field(default_factory=Counter)
    not_taken: Counter[str] = field(default_factory=Counter)

    def what_follows(self, templates: Collection[str]) -> Iterator[str]:
        """Yield sentences on what was not taken, is outdated or waits after an import; a template
        that is waited for is named with the one of `templates` that is near."""
        not_taken, outdated = (
            listed(dict(sorted(each.items()))) for each in (self.not_taken, self.outdated)
        )
        if count := self.not_taken.total():
            texts = counted(count, "machine translation was", "machine translations were")
            yield f"{texts} not taken, for people's texts stand there ({not_taken})."
        if count := self.outdated.total():
            texts = counted(count, "text that people wrote is", "texts that people wrote are")
            yield (
                f"{texts} outdated now, for the source has changed ({outdated}), and in use until "
                "somebody has looked: memeloc correct export --langs TAGS --only changed, which "
                "shows a machine's suggestion beside each if `memeloc translate` comes first."
            )
        if self.waiting:
            names = []
            for name, count in self.waiting.most_common(_NAMED):
                near = get_close_matches(name, templates, 1, 0.8)
                names.append(f"{name} ({count:,}{f'; did you mean {near[0]}?' if near else ''})")
            if len(self.waiting) > _NAMED:
                names.append(f"and {len(self.waiting) - _NAMED:,} more")
            yield sentence(
                "{0:meme waits|memes wait} for {1:template}: {2}. They are left out of pictures "
                "until the templates are there.",
                *(self.waiting.total(), len(self.waiting), ", ".join(names)),
            )


@dataclass(frozen=True, slots=True)
class ToTranslate:
    """A caption that is to be translated: its source, and what is there in the target language, the
    caption and suggestions beside it, oldest first."""

    meme_id: str
    template: str
    language: str
    need: Need
    source: CaptionVersion
    versions: Sequence[CaptionVersion]


@dataclass(frozen=True, slots=True)
class FileRecord:
    """A file that was imported: its kind, such as `captions`, `answers` or `memory`, and how many
    rows were taken from it; `id` is 0 before it is stored."""

    kind: str
    name: str
    sha256: str
    rows: int = 0
    created_at: datetime | None = None
    id: int = 0


@dataclass(frozen=True, slots=True)
class DropRecord:
    """A meme that is dropped in a language, or (empty) in all: who dropped it, when and why."""

    meme_id: str
    language: str
    person: str
    comment: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Spent:
    """The cost of a translator or language model over all runs, in an ISO 4217 `currency`, and for
    how many texts."""

    name: str
    currency: str
    cost: float
    texts: int
