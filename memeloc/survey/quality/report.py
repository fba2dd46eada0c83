"""What quality control found. In: nothing. Out: `CheckReport`, as it is stored and read again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

Key = tuple[str, str]
"""Sheet and submission: no two submissions that hold have the same."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A submission, and what its judgement rests on.

    Attributes:
        sheet: its sheet's id.
        submission: its own id.
        participant: whose it is; empty when unknown.
        service: id of the submission at the recruitment service; empty when unknown.
        study: the service's name of the study; empty when unknown.
        status: of the submission at the service; empty when unknown.
        seconds: time taken, if known.
        answers: how many entries were answered, checks among them.
        explicit: how many explicit checks there are, how many of them were answered otherwise than
            asked, and how many not at all.
        implicit: the same of the implicit ones.
    """

    sheet: str
    submission: str
    participant: str = ""
    service: str = ""
    study: str = ""
    status: str = ""
    seconds: float | None = None
    answers: int = 0
    explicit: tuple[int, int, int] = (0, 0, 0)
    implicit: tuple[int, int, int] = (0, 0, 0)

    @property
    def key(self) -> Key:
        """What the report knows it by."""
        return (self.sheet, self.submission)


@dataclass(frozen=True, slots=True)
class SetAside:
    """A rule that a submission fails; one that fails several has one of these each.

    Attributes:
        sheet: the sheet's id.
        submission: the submission's.
        rule: `status`, `attention`, `speed`, `straight`, `person`, `screening`, `superseded` or
            `unknown sheet`.
        evidence: the numbers that it rests on, as JSON values.
    """

    sheet: str
    submission: str
    rule: str
    evidence: Mapping[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> Key:
        """What the report knows the submission by."""
        return (self.sheet, self.submission)


@dataclass(frozen=True, slots=True)
class Warned:
    """What a person should look at; nobody is set aside for it.

    Attributes:
        rule: `identical`, `unclear fact`, `missing fact`, `no participant`, `two cultures` or
            `same id` (two that differ; the one sent last holds).
        sheet: whose it is; empty when it is no sheet's.
        submissions: the ids of those it is about.
        evidence: what it rests on, as JSON values.
    """

    rule: str
    sheet: str
    submissions: tuple[str, ...]
    evidence: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Absent:
    """Somebody at the recruitment service of whom there are no answers.

    Attributes:
        participant, service, study, status: as in `Judged`.
    """

    participant: str
    service: str
    study: str
    status: str


@dataclass(frozen=True)
class CheckReport:
    """Who is retained, who is set aside for what, and what else was seen.

    Attributes:
        judged: every submission, sorted by sheet and id.
        set_aside: sorted by sheet, id and rule.
        warnings: sorted by rule and sheet.
        absent: sorted by participant.
    """

    judged: tuple[Judged, ...]
    set_aside: tuple[SetAside, ...]
    warnings: tuple[Warned, ...] = ()
    absent: tuple[Absent, ...] = ()

    @cached_property
    def reasons(self) -> Mapping[Key, tuple[SetAside, ...]]:
        """By submission the rules that it fails; one that is retained is not there."""
        by_key: dict[Key, list[SetAside]] = defaultdict(list)
        for one in self.set_aside:
            by_key[one.key].append(one)
        return {key: tuple(reasons) for key, reasons in by_key.items()}

    @cached_property
    def retained(self) -> tuple[Key, ...]:
        """Sheet and id of the submissions that pass every rule."""
        return tuple(one.key for one in self.judged if one.key not in self.reasons)

    def counts(self) -> dict[str, int]:
        """How many submissions each rule set aside; one that fails several counts for each."""
        counts: dict[str, int] = {}
        for one in self.set_aside:
            counts[one.rule] = counts.get(one.rule, 0) + 1
        return dict(sorted(counts.items()))

    def as_json(self) -> dict[str, Any]:
        """All of it as JSON values."""
        return {
            "judged": _plain(self.judged),
            "set_aside": _plain(self.set_aside),
            "warnings": _plain(self.warnings),
            "absent": _plain(self.absent),
        }


def _plain(records: Sequence[Any]) -> list[dict[str, Any]]:
    """Each as a mapping of its fields; `asdict` would copy every value of thousands."""
    names = [one.name for one in fields(records[0])] if records else []
    return [{name: getattr(one, name) for name in names} for one in records]
