"""What quality control found. In: nothing. Out: `CheckReport`, as it is stored and read again."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

Key = tuple[str, str]
"""Sheet and submission: no two valid submissions have the same."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A submission, and what its judgement rests on; texts are empty when unknown.

    Attributes:
        service, study, status: of the submission at the recruitment service: its id, the name of
            its study, its status.
        answers: how many entries were answered, checks among them.
        explicit, implicit: how many checks were shown, how many of them were answered otherwise
            than asked, and how many not at all.
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
        return (self.sheet, self.submission)


@dataclass(frozen=True, slots=True)
class Exclusion:
    """A rule that a submission fails; one that fails several has one of these each.

    Attributes:
        rule: `status`, `attention`, `speed`, `straight`, `person`, `again`, `screening`, `outlier`,
            `superseded` or `unknown sheet`.
        evidence: the numbers that it rests on, as JSON values.
    """

    sheet: str
    submission: str
    rule: str
    evidence: Mapping[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> Key:
        return (self.sheet, self.submission)


@dataclass(frozen=True, slots=True)
class Remark:
    """What a person should look at; nobody is excluded for it.

    Attributes:
        rule: `identical`, `outlier`, `unclear fact`, `missing fact`, `no participant`, `not shown`
            (pictures that did not load), `two cultures`, `not assigned` (the sheet of others of a
            named team) or `same id` (two that differ; the one sent last counts).
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
    """Somebody at the recruitment service without answers; fields are those of `Judged`."""

    participant: str
    service: str
    study: str
    status: str


@dataclass(frozen=True)
class CheckReport:
    """Who is retained, who is excluded for what, and what else was seen.

    Attributes:
        judged: every submission, sorted by sheet and id.
        set_aside: what excludes submissions, sorted by sheet, id and rule.
        warnings: sorted by rule and sheet.
        absent: sorted by participant.
    """

    judged: tuple[Judged, ...]
    set_aside: tuple[Exclusion, ...]
    warnings: tuple[Remark, ...] = ()
    absent: tuple[Absent, ...] = ()

    @cached_property
    def reasons(self) -> Mapping[Key, tuple[Exclusion, ...]]:
        by_key: dict[Key, tuple[Exclusion, ...]] = defaultdict(tuple)
        for exclusion in self.set_aside:
            by_key[exclusion.key] += (exclusion,)
        return dict(by_key)

    @cached_property
    def retained(self) -> tuple[Key, ...]:
        """Sheet and id of the submissions that pass every rule."""
        return tuple(judged.key for judged in self.judged if judged.key not in self.reasons)

    def counts(self) -> dict[str, int]:
        return dict(sorted(Counter(exclusion.rule for exclusion in self.set_aside).items()))

    def as_json(self) -> dict[str, Any]:
        return asdict(self)
