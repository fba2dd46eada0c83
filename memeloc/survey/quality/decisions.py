"""What to tell a recruitment service. In: a quality control. Out: approve, return or reject.

Prolific's rules, as its help pages for researchers have them:

- Only a fair attention check can fail a person: one whose own question says what to choose, and
  which asks neither for memory nor for knowledge. The explicit checks are of that kind. The
  implicit ones show again what the introduction explained; whoever misses only those has
  understood it otherwise, and is paid.
- One failed check is enough in studies shorter than five minutes, two are needed in longer ones.
- Being fast is a reason only for statistical outliers, three standard deviations below the mean.
- Whoever does not fit the screening, withdrew or did not agree is asked to return, never rejected.

Whatever else sets answers aside (straight lines, a second sheet) is the survey's own concern: the
work was done, and is paid. Nothing is sent from here.
"""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from memeloc.survey.model import Check, Sheet
from memeloc.survey.quality.report import CheckReport, Judged, SetAside
from memeloc.survey.quality.statuses import UNDECIDABLE

Action = Literal["approve", "return", "reject"]

CATEGORIES = (
    "TOO_QUICKLY", "TOO_SLOWLY", "FAILED_INSTRUCTIONS", "INCOMP_LONGITUDINAL", "FAILED_CHECK",
    "LOW_EFFORT", "MALINGERING", "NO_CODE", "BAD_CODE", "NO_DATA", "UNSUPP_DEVICE", "OTHER",
)  # fmt: skip
"""The values of `rejection_category` in Prolific's API."""

SHORT_STUDY = 5.0
"""Minutes from which on two failed checks are needed."""

OUTLIER = 3.0
"""Standard deviations below the mean from which on a time is exceptionally fast."""

SHORTEST_MESSAGE = 100
"""Characters that a rejection's message has at the least."""

_STATUS_REASONS = {
    "no consent": "You did not agree to take part.",
    "consent revoked": "Withdrew consent.",
    "returned": "Did not finish the study.",
    "timed out": "Did not finish the study.",
    "screened out": "You are not one of those whom this study is for.",
}


@dataclass(frozen=True, slots=True)
class Decision:
    """What to do about a submission at the service.

    Attributes:
        action: approve; ask the person to return it; or reject it.
        participant: the person's id, as it was stored.
        service: id of the submission at the service, as it was stored; empty when unknown.
        study: the service's name of the study; empty when unknown.
        sheet, submission: which answers it is about; empty when there are none.
        category: one of `CATEGORIES` for a rejection, else empty.
        message: what the person is told; empty for an approval.
        rules: those that set the answers aside; answers can be, and the work be paid.
        evidence: the numbers that the action rests on.
    """

    action: Action
    participant: str
    service: str
    study: str
    sheet: str
    submission: str
    category: str = ""
    message: str = ""
    rules: tuple[str, ...] = ()
    evidence: Mapping[str, Any] = field(default_factory=dict)

    def body(self) -> tuple[str, dict[str, Any]]:
        """The path below `/api/v1/submissions/ID/` and the body that say it to Prolific's API."""
        if self.action == "return":
            return "request-return/", {"request_return_reasons": [self.message]}
        if self.action == "approve":
            return "transition/", {"action": "APPROVE"}
        return "transition/", {
            "action": "REJECT",
            "message": self.message,
            "rejection_category": self.category,
        }


def decisions(
    report: CheckReport,
    sheets: Sequence[Sheet],
    minutes: float | Mapping[str, float],
    *,
    implicit_count: bool = False,
    reject_fast: bool = False,
) -> list[Decision]:
    """A decision for every submission that waits for one, sorted by sheet and submission.

    Args:
        report: of the quality control.
        sheets: those of the survey.
        minutes: that a study takes, as annotators are told; or by sheet id, where rounds differ.
        implicit_count: whether implicit checks count as failed ones beside a failed explicit one.
            Prolific calls no check fair that asks for memory, so by default such a person is asked
            to return instead. They never count alone.
        reject_fast: whether who is exceptionally fast is rejected; by default they are paid.
    """
    for taken in minutes.values() if isinstance(minutes, Mapping) else (minutes,):
        if taken <= 0:
            raise ValueError(f"a study takes more than {taken} minutes")
    by_id = {sheet.id: sheet for sheet in sheets}
    fast = _outliers(report.judged) if reject_fast else {}
    decided = []
    for judged in report.judged:
        reasons = report.reasons.get(judged.key, ())
        rules = tuple(one.rule for one in reasons)
        # A further sheet of a person of which the service knows nothing has nothing to decide.
        stray = "person" in rules and not judged.service and not judged.status
        if judged.status.upper() in UNDECIDABLE or "superseded" in rules or stray:
            continue
        taken = minutes.get(judged.sheet, SHORT_STUDY) if isinstance(minutes, Mapping) else minutes
        needed = 1 if taken < SHORT_STUDY else 2
        action, category, message, evidence = _decide(
            judged, reasons, by_id.get(judged.sheet), needed, implicit_count, fast
        )
        decided.append(
            Decision(
                action,
                judged.participant,
                judged.service,
                judged.study,
                judged.sheet,
                judged.submission,
                category,
                message,
                rules,
                evidence,
            )
        )
    for absent in report.absent:
        if absent.status.upper() not in UNDECIDABLE:
            message = "No answers of yours arrived; please write to us if you did send them."
            decided.append(
                Decision(
                    "return", absent.participant, absent.service, absent.study, "", "", "", message
                )
            )
    return sorted(
        decided, key=lambda one: (one.sheet, one.submission, one.participant, one.service)
    )


def _decide(
    judged: Judged,
    reasons: Sequence[SetAside],
    sheet: Sheet | None,
    needed: int,
    implicit_count: bool,
    fast: Mapping[tuple[str, str], Mapping[str, Any]],
) -> tuple[Action, str, str, Mapping[str, Any]]:
    by_rule = {one.rule: one.evidence for one in reasons}
    if "status" in by_rule:
        status = str(by_rule["status"].get("status", ""))
        message = _STATUS_REASONS.get(status, "Did not finish the study.")
        return "return", "", message, by_rule["status"]
    if "screening" in by_rule:
        differing = by_rule["screening"].get("differing", {})
        if differing:
            names = ", ".join(str(one).replace("_", " ") for one in differing)
            message = f"This study is for people of another {names} than your profile has."
            return "return", "", message, by_rule["screening"]
    explicit, implicit = judged.explicit[1], judged.implicit[1]
    counted = implicit if implicit_count else 0
    evidence = {
        "explicit_missed": explicit,
        "implicit_missed": implicit,
        "needed": needed,
    }
    if "attention" in by_rule and explicit:
        if explicit + counted >= needed:
            message = _checks_message(judged, sheet, needed, counted)
            return "reject", "FAILED_CHECK", message, evidence
        if explicit + implicit >= needed:
            message = "Some questions that check attention were answered otherwise than asked for."
            return "return", "", message, evidence
    if judged.key in fast:
        return "reject", "TOO_QUICKLY", _fast_message(fast[judged.key]), fast[judged.key]
    return "approve", "", "", {}


def _outliers(judged: Sequence[Judged]) -> dict[tuple[str, str], dict[str, float]]:
    """Who is three standard deviations below the mean time of their study."""
    times: dict[str, list[Judged]] = defaultdict(list)
    for one in judged:
        if one.seconds is not None:
            times[one.study or one.sheet].append(one)
    outliers = {}
    for group in times.values():
        seconds = [one.seconds or 0.0 for one in group]
        if len(seconds) < 2:
            continue
        mean, deviation = statistics.fmean(seconds), statistics.stdev(seconds)
        for one, taken in zip(group, seconds, strict=True):
            if taken < mean - OUTLIER * deviation:
                outliers[one.key] = {
                    "seconds": round(taken, 3),
                    "mean": round(mean, 3),
                    "standard_deviation": round(deviation, 3),
                    "submissions": float(len(seconds)),
                }
    return outliers


def _checks_message(judged: Judged, sheet: Sheet | None, needed: int, implicit: int) -> str:
    explicit = judged.explicit[1]
    checks = judged.explicit[0] if sheet is None else _checks_in(sheet)
    also = f" {implicit} that the introduction had explained were answered otherwise too."
    return (
        "Thank you for your time. Some questions of this study say themselves which answer to "
        f"choose, to show that they are read. You gave another answer to {explicit} of them."
        f"{also if implicit else ''} There were {checks} checks of attention in all; in a study of "
        f"this length a submission can be rejected from {needed} on that are not passed. If you "
        "think that this is our mistake, please write to us."
    )


def _checks_in(sheet: Sheet) -> int:
    return sum(isinstance(one, Check) for one in sheet.entries)


def _fast_message(evidence: Mapping[str, Any]) -> str:
    return (
        f"Thank you for your time. You finished in {evidence['seconds']:.0f} seconds; people took "
        f"{evidence['mean']:.0f} on average, with a standard deviation of "
        f"{evidence['standard_deviation']:.0f}. That is more than three standard deviations below, "
        "too fast to see the memes. If you think that this is our mistake, please write to us."
    )
