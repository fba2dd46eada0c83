"""Survey targets. In: a survey's sheets, or a file that came back. Out: what a target is.

A target is a subclass of `Target` in a file or folder of its own, registered by name (`registry.py`
for memeloc's own, the entry point group `memeloc.targets` for other packages'). Its constructor's
keyword arguments are its options: `--set KEY=VALUE` and `[survey.NAME]` in memeloc.toml set
them. One that writes each sheet by itself has `export` from `instructions.SheetFiles`.

A reader says only what stands in the file: it yields raw records, passes on as text what it cannot
make sense of, and decides nothing. `resolver.import_file` makes submissions of a person's records:
`RawSubmission` where the file has what one person sent for one sheet in one piece, `RawAnswer` for
one answer by itself, `Participant` for what a recruitment service reports of a person, and
`RejectedRow` (its `file` may be left empty) for what is no such record at all.

Services have some of `Target`'s optional methods, too; `offers` says which, so no command knows a
target by name. What they remember goes into a `State`, which the workspace keeps by the target's
name, and which is in `SheetsToSend.made`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, get_args

from memeloc.errors import InputError
from memeloc.survey.model import (
    CompletionCodes,
    Culture,
    Participant,
    RejectedRow,
    Sheet,
    Submission,
    entry_id,
)
from memeloc.survey.targets.places import Places, item_key
from memeloc.survey.texts import SurveyTexts
from memeloc.tables import folded
from memeloc.taxonomy import Kind, Taxonomy

if TYPE_CHECKING:
    from memeloc.survey.quality.decisions import Decision

ALL_KINDS: frozenset[Kind] = frozenset(get_args(Kind))
"""Every kind of question there is."""
_LEGACY = {
    "ar": "cp1256", "fa": "cp1256", "ur": "cp1256", "he": "cp1255", "el": "cp1253",
    "tr": "cp1254", "ru": "cp1251", "uk": "cp1251", "bg": "cp1251", "sr": "cp1251",
    "pl": "cp1250", "cs": "cp1250", "hu": "cp1250", "ro": "cp1250", "hr": "cp1250",
    "vi": "cp1258", "th": "cp874", "ja": "cp932", "ko": "cp949", "zh": "gb18030",
}  # fmt: skip
"""The encoding of Excel's plain CSV by language, where it is not Windows-1252."""


class Prelabels(NamedTuple):
    """Answers of a model about memes, to be shown to annotators beforehand. `labels` has, by meme
    and label, the share of the model's rounds that gave it, 0 to 1."""

    model: str
    labels: Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, eq=False)
class SheetsToSend:
    """A survey as targets need it; two are equal if they are the same object.

    Attributes:
        texts: by locale tag, all texts that annotators read.
        codes: by sheet id, what it shows at its end; a sheet without codes shows none.
        examples: by culture code and example id, the pictures of the taxonomy's examples.
        contact: whom annotators may ask, as they read it.
        minutes: that a sheet takes, as annotators read; 0 if nobody measured it.
        made: by target name, what its `push` remembered of this survey.
        root: the workspace's folder, where targets keep files of their own; None without one.
        prelabels: what a model answered, where annotators are to see it; None hides it.
        has_team: whether its people stand in a list of the survey's own, by whatever name.
        order: of the answers of choices: fixed, turned (round for every second person) or drawn
            (for each person).
    """

    name: str
    sheets: tuple[Sheet, ...]
    taxonomy: Taxonomy
    texts: Mapping[str, SurveyTexts]
    codes: Mapping[str, CompletionCodes] = field(default_factory=dict)
    examples: Mapping[tuple[str, str], Path] = field(default_factory=dict)
    contact: str = ""
    minutes: int = 0
    made: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    root: Path | None = None
    prelabels: Prelabels | None = None
    has_team: bool = False
    order: Literal["fixed", "turned", "drawn"] = "fixed"

    @cached_property
    def places(self) -> Places:
        """Return sheets, entries and labels by what files call them; made once for all files."""
        return Places(self.name, self.sheets, self.taxonomy, self.texts)

    @cached_property
    def words(self) -> frozenset[str]:
        """Return all ids and texts of a survey that a file may have, folded; made for all files.
        Whatever else stands in a file was typed by somebody, and may say who they are."""
        words = {self.name}
        for sheet in self.sheets:
            words |= {sheet.id, sheet.batch, sheet.culture.code}
            for entry in map(entry_id, sheet.entries):
                words |= {entry, item_key(self.name, sheet.id, entry)}
        words.update(part for key in self.taxonomy.keys() for part in key.split("."))  # noqa: SIM118
        for texts in self.texts.values():
            words.update(map(texts.get, texts.keys()))
        return frozenset(map(folded, words))


def encodings_of(survey: SheetsToSend) -> list[str]:
    """Return what Excel may have saved plain CSV of a survey in, the likeliest first."""
    languages = sorted({sheet.culture.locale.tag.split("-")[0] for sheet in survey.sheets})
    return list(dict.fromkeys([*(_LEGACY.get(each, "cp1252") for each in languages), "cp1252"]))


@dataclass(frozen=True, slots=True)
class RawAnswer:
    """An answer to one item, as the file has it.

    Attributes:
        item: an `item_key`, or the entry's id with `sheet` set; or `places.CONSENT`.
        values: by question id (`LABEL` among them) what was answered, by id or name, or the text;
            several names may stand in one text. A scale is as `3`, a span as `12-20`.
        participant, sheet: where the file says them with each answer; an `item_key` says the sheet.
        submitted: when it was answered, a text in ISO 8601, in UTC where it names no zone; of two
            answers to an item the later one is taken.
        order: which is later where the time does not say it, such as a growing number.
        content: what is kept when it is rejected, as JSON values; by default item and values.
        shown, took: as of `Answer`.
    """

    item: str
    values: Mapping[str, Sequence[str]]
    participant: str = ""
    sheet: str = ""
    started: datetime | str | None = None
    submitted: datetime | str | None = None
    order: int = 0
    row: int = 0
    content: Mapping[str, Any] = field(default_factory=dict)
    shown: int | None = None
    took: int | None = None

    @property
    def is_empty(self) -> bool:
        return not any(self.values.values())


@dataclass(frozen=True, slots=True)
class RawSubmission:
    """A submission of one person, as the file has it.

    Attributes:
        answers: of their fields item, values, shown, took, row and content count.
        sheet: its id; empty where the answers' item keys say it. Answers to several sheets
            become a submission each, unless it has an id.
        id: of the submission at its source; empty makes one of its content.
        status: as of `Submission`; empty is `complete` when all entries are answered and `finished`
            is not False, else `returned`.
        finished: whether the person reached the sheet's end, which shows the completion code.
        consent: True, False, or the text of the answer (empty: nothing is taken); None, as for
            `finished`, if the file does not say it.
        comments: what the person wrote beside the answers; it is kept among the rejected rows.
        presented: as of `Submission`.
        content: what is kept when it is rejected, as JSON values.
    """

    participant: str
    answers: Sequence[RawAnswer]
    sheet: str = ""
    id: str = ""
    status: str = ""
    finished: bool | None = None
    consent: bool | str | None = None
    started: datetime | str | None = None
    submitted: datetime | str | None = None
    code: str = ""
    comments: str = ""
    presented: Mapping[str, Any] = field(default_factory=dict)
    row: int = 0
    content: Mapping[str, Any] = field(default_factory=dict)


RawRecord = RawSubmission | RawAnswer | Participant | RejectedRow


@dataclass(frozen=True, slots=True)
class Imported:
    """A file, resolved: its records in its order, and what could not be read or resolved."""

    submissions: tuple[Submission, ...] = ()
    participants: tuple[Participant, ...] = ()
    rejected: tuple[RejectedRow, ...] = ()


def no_progress() -> None:
    """Report nothing."""


class State(Protocol):
    """A target's memory of a survey between runs, as JSON values; the workspace keeps it."""

    def get(self, key: str) -> Any:
        """Return the value that was put under a key; None if there is none."""

    def put(self, key: str, value: Any) -> None:
        """Remember a value; it is stored when this returns."""


def disagree(_: str) -> bool:
    """Return False: nothing that costs money or cannot be taken back is agreed to."""
    return False


class Target(ABC):
    """A program or service that a survey goes to and comes back from.

    A service also has some of the methods from `missing` on; `offers` says which.

    Attributes:
        summary: one line.
        kinds: of questions that it can show; a survey with others is refused.
        shows_prelabels: whether it shows what a model answered, where `SheetsToSend` has it.
    """

    name: str
    summary: str
    kinds: frozenset[Kind]
    shows_prelabels = False

    @abstractmethod
    def export(
        self, survey: SheetsToSend, folder: Path, *, on_sheet: Callable[[], None] = no_progress
    ) -> Sequence[Path]:
        """Write everything into `folder`, atomically; the same survey gives the same bytes.
        `on_sheet` is called after each sheet. Returns those files that a person opens or uploads
        first. Raises InputError if a sheet cannot be expressed, or a picture is missing."""

    @abstractmethod
    def recognises(self, path: Path) -> bool:
        """Return whether a file or folder that came back is of this target, by its content."""

    @abstractmethod
    def read(self, path: Path, survey: SheetsToSend) -> Iterable[RawRecord]:
        """Return a file's raw records, in its order; raise InputError if it cannot be read."""

    @classmethod
    def offers(cls, method: str) -> bool:
        """Return whether a target has an optional method, such as `push`, of its own."""
        return getattr(cls, method) is not getattr(Target, method)

    def missing(self, survey: SheetsToSend) -> Sequence[str]:
        """Return what sheets lack before people can be sent to them, each with its command."""
        return ()

    def push(
        self,
        survey: SheetsToSend,
        state: State,
        *,
        dry_run: bool = False,
        publish: bool = False,
        agree: Callable[[str], bool] = disagree,
    ) -> Sequence[Mapping[str, Any]]:
        """Make the sheets at the service: what is not there yet, so a second run makes nothing.

        A dry run reports what would be made, and asks the service nothing. `publish` also publishes
        what costs money: `agree` is given a sentence with the sum before, and only True goes on.
        Returns a row a sheet with the same keys each, `sheet` the first. Raises InputError if
        something is missing or differs from what was made; MissingError; ServiceError.
        """
        raise InputError(f"{self.name} makes nothing at a service")

    def read_made(self, path: Path, survey: SheetsToSend) -> Mapping[str, Mapping[str, Any]]:
        """Return by sheet id what a script made, as `State` has it; empty for another file. Raises
        InputError for a list of other sheets, or one that differs from what was made."""
        return {}

    def decide(
        self,
        decisions: Sequence[Decision],
        ids: Mapping[str, str],
        state: State,
        *,
        agree: Callable[[str], bool] = disagree,
    ) -> Mapping[str, int]:
        """Send what was decided, each once; how many came to which outcome (`sent`: it was taken).
        `ids` gives the service's own id by `Decision.service`, which may be stored as a hash.
        `agree` is given a sentence with the counts before; only True goes on. Raises as `push`."""
        raise InputError(f"{self.name} takes no decisions")

    def look_up(
        self, cultures: Sequence[Culture], root: Path, out: Path | None = None
    ) -> Mapping[str, Any]:
        """Write what an export needs of the service to `out`, or where it is found in `root`.

        Returns the `file`, the `count` of things in it, and as `problems` what has to be filled in.
        """
        raise InputError(f"{self.name} has nothing to look up")

    def revoked(self, path: Path) -> Sequence[str]:
        """Return the ids of people who revoked consent by a file; raise InputError as `read`."""
        return ()


def refuse_prelabels(what: str, survey: str, prelabels: Prelabels | None) -> None:
    """Raise InputError if annotators are to see what a model answered, which `what` cannot show."""
    if prelabels is not None:
        raise InputError(
            f"{survey} shows people what {prelabels.model} answered, and {what} cannot; "
            "label-studio and csv can. A survey built without --show hides it."
        )


def refuse_other_kinds(target: Target, taxonomy: Taxonomy) -> None:
    """Raise InputError if a taxonomy has a question of a kind that a target cannot show."""
    for question in taxonomy.questions:
        if question.kind not in target.kinds:
            raise InputError(
                f"{target.name} cannot show {question.id!r} of {taxonomy.name}, a question of the "
                f"kind {question.kind}; it shows {', '.join(sorted(target.kinds))}. The target "
                "html shows all kinds."
            )
