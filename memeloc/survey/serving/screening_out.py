"""Ending early. In: a sheet's checks, the labels given so far. Out: whether they can be passed."""

from __future__ import annotations

from collections.abc import Mapping

from memeloc.survey.model import Check, Sheet
from memeloc.survey.quality.rules import Attention


def cannot_pass(sheet: Sheet, given: Mapping[str, str], rule: Attention) -> bool:
    """Whether the checks of a sheet are failed, whatever is still answered.

    Args:
        given: the labels so far, by the entry's id.
        rule: how many may be missed (multi3hate A.6); one that is off is never failed.
    """
    if not rule.on:
        return False
    checks = [entry for entry in sheet.entries if isinstance(entry, Check)]
    wrong = [check for check in checks if given.get(check.id, check.expected) != check.expected]
    explicit = sum(check.kind == "explicit" for check in wrong)
    implicit = sum(check.kind == "implicit" for check in checks)
    missed = len(wrong) - explicit
    return explicit > rule.explicit_missed or missed > implicit - min(
        rule.implicit_passed, implicit
    )
