"""Decisions for a recruitment service. In: a quality control. Out: a `Decision` a submission.

Prolific's rules, as its help pages for researchers have them:

- Only a fair attention check can fail a person: one whose own question says what to choose, and
  which asks neither for memory nor for knowledge. The explicit checks are of that kind. The
  implicit ones show again what the introduction explained; whoever misses only those has
  understood it otherwise, and is paid.
- One failed check is enough in studies shorter than five minutes, two are needed in longer ones.
- Being fast is a reason only for statistical outliers, three standard deviations below the mean.
- Whoever left before the end, and answers of theirs arrived, is to be paid for the part that they
  did, as a bonus; who answered all is approved.
- Of whom something could not be read, nothing is decided: a person is to look. So it is with who
  entered the code of a sheet's end, and no answers are theirs: the id may be typed otherwise.
- Whoever does not fit the screening, withdrew or did not agree is asked to return, never rejected.

Whatever else excludes answers (straight lines, a second sheet) is the survey's own concern: the
work was done, and is paid. Nothing is sent from here.
"""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from decimal import ROUND_UP, Decimal
from typing import Any, Literal

from memeloc.errors import InputError
from memeloc.locales import default
from memeloc.survey.model import Sheet
from memeloc.survey.quality import checking
from memeloc.survey.texts import SurveyTexts, survey_texts

Action = Literal["approve", "return", "reject", "pay part", "look"]
SENT: tuple[Action, ...] = ("approve", "return", "reject")
"""Actions that are sent to the service; the others are for a person to take."""

READ = frozenset(
    {
        "ambiguous time", "comment", "doubled row", "encoding", "no consent", "not answered",
        "not asked", "preview", "skipped", "superseded", "unknown time",
    }
)  # fmt: skip
"""Reasons for which something is kept apart whose person is known to have answered no more."""

CODE_ENTERED = "completion code"
"""The evidence of who entered the code of a sheet's end; `perhaps` has people of that sheet whom
the service does not know, by their stored ids."""

SHORT_STUDY = 5.0
"""Minutes from which on two failed checks are needed."""
OUTLIER = 3.0
"""Standard deviations below the mean from which on a time is exceptionally fast."""

# The text that a person reads by the status of a submission: these withdrew, or never took part.
_STATUS_REASONS = {
    "no consent": "no-consent",
    "consent revoked": "revoked",
    "screened out": "screened-out",
}


@dataclass(frozen=True, slots=True)
class Decision:
    """An action about a submission at the service: approve, ask to return it, or reject it.

    `pay part` is for who left before the end, `look` for who has rows that could not be read.

    Attributes:
        participant, service: ids of the person and of the submission there, as they were stored.
        study: the service's name of the study; empty when unknown, as `service` is.
        sheet, submission: which answers it is about; empty when there are none.
        category: a `rejection_category` of Prolific's API for a rejection, else empty.
        message: what the person reads, in the language of the sheet; empty for an approval.
        rules: those that exclude the answers; they can, and the work be paid.
        evidence: the numbers that the action rests on.
        earned: of the reward, the share that was answered, rounded up; None but to pay a part.
    """

    action: Action
    participant: str
    service: str = ""
    study: str = ""
    sheet: str = ""
    submission: str = ""
    category: str = ""
    message: str = ""
    rules: tuple[str, ...] = ()
    evidence: Mapping[str, Any] = field(default_factory=dict)
    earned: Decimal | None = None

    def body(self) -> tuple[str, dict[str, Any]]:
        """Return the path below `/api/v1/submissions/ID/` and the body that say it to Prolific."""
        if self.action == "return":
            return "request-return/", {"request_return_reasons": [self.message]}
        if self.action == "approve":
            return "transition/", {"action": "APPROVE"}
        reason = {"message": self.message, "rejection_category": self.category}
        return "transition/", {"action": "REJECT", **reason}


def decisions(
    report: checking.CheckReport,
    minutes: Mapping[str, float],
    texts: Mapping[str, SurveyTexts] | None = None,
    *,
    rewards: Mapping[str, Decimal] | None = None,
    unread: Mapping[str, Mapping[str, int]] | None = None,
    implicit_count: bool = False,
    reject_fast: bool = False,
) -> list[Decision]:
    """Return a decision for every submission that waits for one, sorted by sheet and submission.

    Args:
        minutes: by sheet id, that a study takes, as annotators read it.
        texts: by sheet id; messages about other sheets are in English.
        rewards: by sheet id, what a person gets for all of it.
        unread: by person, how many rows could not be read for which reason; under an empty id
            those that do not say whose they are, so that nobody is returned for what may be there.
        implicit_count: whether implicit checks count as failed ones beside a failed explicit one.
            Prolific calls no check fair that asks for memory, so by default such a person is asked
            to return instead. They never count alone.
        reject_fast: whether who is exceptionally fast is rejected; by default they are paid.
    """
    fast = _fast(report) if reject_fast else {}
    english = survey_texts(default().get("en"))
    texts, unread = texts or {}, unread or {}
    decided = []
    for judged in report.judged:
        reasons = dict(sorted(judged.reasons.items()))
        # A further sheet of a person of which the service knows nothing has nothing to decide.
        stray = "person" in reasons and not judged.service and not judged.status
        part, status = reasons.get("status", {}), judged.status.upper()
        is_part = part.get("status") == checking.TIMED_OUT
        left_alone = checking.UNDECIDABLE - checking.ENDED if is_part else checking.UNDECIDABLE
        if status in left_alone or "superseded" in reasons or stray:
            continue
        if is_part and part["answers"] >= part["asked"] and status not in checking.ENDED:
            del reasons["status"]  # all was answered, and only the last page is not sent
        needed = 1 if minutes.get(judged.sheet, SHORT_STUDY) < SHORT_STUDY else 2
        wording = texts.get(judged.sheet, english)
        decision = Decision(
            *("approve", judged.participant, judged.service, judged.study),
            *(judged.sheet, judged.submission),
            rules=tuple(reasons),
        )
        change = _against(judged, reasons, needed, implicit_count, wording)
        if is_part and "status" in reasons:
            reward = (rewards or {}).get(judged.sheet)
            share = reward and reward * part["answers"] / max(part["asked"], 1)
            earned = share and share.quantize(Decimal("0.01"), ROUND_UP)
            change |= {"action": "pay part", "message": "", "earned": earned}
        if "action" not in change and judged.key in fast:
            evidence = fast[judged.key]
            change = {
                "action": "reject",
                "category": "TOO_QUICKLY",
                "message": wording.get(
                    "decision.fast",
                    seconds=round(evidence["seconds"]),
                    mean=round(evidence["mean"]),
                    deviation=round(evidence["standard_deviation"]),
                ),
                "evidence": evidence,
            }
        decided.append(replace(decision, **change))
    for row in report.absent:
        if row.status.upper() in checking.UNDECIDABLE:
            continue
        sheets, person = checking.words_of(row.study), (row.participant, row.service, row.study)
        if row.ended in ("done", "failed_checks"):  # a form ended, under whichever id
            unknown = {
                each.participant
                for each in report.judged
                if each.sheet in sheets and not (each.service or each.status)
            }
            asked = {CODE_ENTERED: row.ended, "perhaps": sorted(unknown)}
            decided.append(Decision("look", *person, evidence=asked))
        else:
            wording = texts.get(min(sheets & texts.keys(), default=""), english)
            decided.append(Decision("return", *person, message=wording.get("decision.no-answers")))
    # Who has rows that could not be read is looked at, not returned or rejected; who withdrew is
    # asked to return all the same.
    for number, decision in enumerate(decided):
        status = decision.evidence.get("status", "")
        problems = unread.get(decision.participant, {})
        if not problems and (status or not decision.submission):
            problems = unread.get("", {})
        if problems and decision.action in ("return", "reject") and status not in _STATUS_REASONS:
            look: dict[str, Any] = {"action": "look", "category": "", "message": ""}
            decided[number] = replace(decision, **look, evidence=dict(problems))
    people: tuple[checking.Judged | checking.Absent, ...] = (*report.judged, *report.absent)
    named = {row.participant for row in people if row.status.upper() not in checking.ENDED}
    named |= {"", *(decision.participant for decision in decided)}
    decided += [Decision("look", who, evidence=unread[who]) for who in unread.keys() - named]
    return sorted(
        decided, key=lambda row: (row.sheet, row.submission, row.participant, row.service)
    )


def _against(
    judged: checking.Judged,
    reasons: Mapping[str, Mapping[str, Any]],
    needed: int,
    implicit_count: bool,
    texts: SurveyTexts,
) -> dict[str, Any]:
    """Return how a decision differs from an approval."""
    if "status" in reasons:
        status = str(reasons["status"].get("status", ""))
        message = texts.get(f"decision.{_STATUS_REASONS.get(status, 'unfinished')}")
        return {"action": "return", "message": message, "evidence": reasons["status"]}
    if differing := reasons.get("screening", {}).get("differing"):
        # A fact that only this survey asks for is called by its own name.
        keys = {fact: f"decision.fact.{fact}" for fact in differing}
        facts = " · ".join(
            texts.get(key) if texts.has(key) else fact.replace("_", " ")
            for fact, key in keys.items()
        )
        message = texts.get("decision.profile", facts=facts)
        return {"action": "return", "message": message, "evidence": reasons["screening"]}
    explicit, implicit = judged.counts("explicit")[1], judged.counts("implicit")[1]
    if "attention" not in reasons or not explicit or explicit + implicit < needed:
        return {}
    counted = implicit if implicit_count else 0
    evidence = {"explicit_missed": explicit, "implicit_missed": implicit, "needed": needed}
    if explicit + counted < needed:
        message = texts.get("decision.checks")
        return {"action": "return", "message": message, "evidence": evidence}
    checks = len(judged.checks)
    message = texts.get("decision.failed", missed=explicit, checks=checks, needed=needed)
    if counted:
        message += f" {texts.get('decision.explained', missed=counted)}"
    category = {"action": "reject", "category": "FAILED_CHECK"}
    return {**category, "message": message, "evidence": evidence}


def _fast(report: checking.CheckReport) -> dict[checking.Key, dict[str, float]]:
    """Return who is three standard deviations below the mean time of their study."""
    times: dict[str, dict[checking.Key, float]] = defaultdict(dict)
    for row in report.judged:
        if row.seconds is not None:
            times[row.study or row.sheet][row.key] = row.seconds
    outliers = {}
    for group in times.values():
        mean = statistics.fmean(group.values())
        deviation = statistics.stdev(group.values()) if len(group) > 1 else 0.0
        numbers = {"mean": round(mean, 3), "standard_deviation": round(deviation, 3)}
        for key, seconds in group.items():
            if seconds < mean - OUTLIER * deviation:
                measured = {"seconds": round(seconds, 3), **numbers}
                outliers[key] = {**measured, "submissions": float(len(group))}
    return outliers


_GROUPS = ("retained", "excluded", "absent", "everybody")


def message_rows(
    report: checking.CheckReport,
    sheets: Iterable[Sheet],
    texts: Mapping[str, str],
    to: str,
    cultures: Collection[str] = (),
) -> list[dict[str, str]]:
    """Return `participant`, `service` and `sheet` as they are stored, and a `text`, for each person
    of a group who has a submission at the service. Raise InputError if there is no such group or
    rule, or no text in a person's language.

    Args:
        texts: by language tag; the one under an empty tag is for all other languages.
        to: retained, excluded, absent (the service has them, and no answers came), everybody, or a
            rule's name.
        cultures: codes; all when empty.
    """
    by_id = {sheet.id: sheet for sheet in sheets}
    rules = report.counts()
    if to not in _GROUPS and to not in rules:
        raise InputError(f"Nobody is {to[:40]!r}; messages go to {', '.join((*_GROUPS, *rules))}.")
    people = []
    for row in report.judged:
        if to in ("everybody", "excluded" if row.reasons else "retained", *row.reasons):
            people.append((row.participant, row.service, row.sheet))
    for absent in report.absent if to in ("absent", "everybody") else ():
        sheet_id = min(checking.words_of(absent.study) & by_id.keys(), default="")
        people.append((absent.participant, absent.service, sheet_id))
    rows: dict[str, dict[str, str]] = {}
    for participant, service, sheet_id in people:
        sheet = by_id.get(sheet_id)
        is_asked = not cultures or (sheet is not None and sheet.culture.code in cultures)
        if not service or participant in rows or not is_asked:
            continue
        tag = "" if sheet is None else sheet.culture.locale.tag
        text = texts.get(tag) or texts.get("")
        if not text:
            raise InputError(
                f"There is no text for people who read {tag or 'an unknown language'}; add it to "
                "the file of texts, by the language's tag, or name the cultures."
            )
        about = {"participant": participant, "service": service, "sheet": sheet_id}
        rows[participant] = {**about, "text": text}
    return list(rows.values())


def bonus_rows(
    report: checking.CheckReport,
    short: Iterable[Mapping[str, Any]],
    each: Decimal | None,
    reason: str = "",
) -> list[dict[str, Any]]:
    """Return the `amount` of each bonus, in the currency of the reward, and its `reason`, a word
    that tells one bonus of a submission from another. Whose work is paid, or waits to be, gets what
    the sheet is `short` of; or `each` retained person gets the same."""
    due = {row["sheet"]: row["due"] for row in short}
    return [
        {
            "participant": row.participant,
            "service": row.service,
            "sheet": row.sheet,
            "amount": each or due[row.sheet],
            "reason": reason or ("thanks" if each else "time"),
        }
        for row in report.judged
        if row.service
        and (
            not row.reasons
            if each
            else row.sheet in due and row.status.upper() in checking.PAID | checking.WAITING
        )
    ]
