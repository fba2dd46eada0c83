"""Ending early. In: a sheet's checks, the labels given so far. Out: whether they can be passed."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from memeloc.survey.model import Check, Sheet, entry_id
from memeloc.survey.quality.rules import Attention


def cannot_pass(
    sheet: Sheet, given: Mapping[str, str], rule: Attention, not_shown: Collection[str] = ()
) -> bool:
    """Whether the checks of a sheet are failed, whatever is still answered.

    Args:
        given: the labels so far, by the entry's id; `not_shown` are entries that have none.
        rule: how many may be missed (multi3hate A.6); one that is off is never failed.
    """
    if not rule.on:
        return False
    shown = [entry for entry in sheet.entries if entry_id(entry) not in not_shown]
    checks = [entry for entry in shown if isinstance(entry, Check)]
    wrong = [check for check in checks if given.get(check.id, check.expected) != check.expected]
    explicit = sum(check.kind == "explicit" for check in wrong)
    implicit = sum(check.kind == "implicit" for check in checks)
    missed = len(wrong) - explicit
    return explicit > rule.explicit_missed or missed > implicit - min(
        rule.implicit_passed, implicit
    )
