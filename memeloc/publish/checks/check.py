"""All rules, one after the other. In: a `Release`, `Private`. Out: findings, or an error."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from importlib import import_module

from memeloc.counts import counted
from memeloc.errors import InputError
from memeloc.publish.checks.finding import Finding, Private
from memeloc.publish.release import Release

Rule = Callable[[Release, Private], Iterator[Finding]]

RULES = {
    "participant ids": "participant_ids",
    "erased people": "erased_people",
    "small cells": "small_cells",
    "picture metadata": "picture_metadata",
    "licences": "licences",
    "sources": "sources",
    "splits": "splits",
    "not read": "not_read",
    "statements": "statements",
}
"""By name the module of each rule, whose function `find` it is."""

_LISTED = 20


def check(release: Release, private: Private | None = None) -> tuple[Finding, ...]:
    """What the rules find: what is refused comes first, each in the order of the rules."""
    known = private or Private()
    findings: list[Finding] = []
    for module in RULES.values():
        rule: Rule = import_module(f"memeloc.publish.checks.{module}").find
        findings += rule(release, known)
    return tuple(sorted(findings, key=lambda finding: finding.severity != "refused"))


def refuse(findings: Sequence[Finding]) -> None:
    """End where something must not go out.

    Raises:
        InputError: with the first places.
    """
    refused = [finding for finding in findings if finding.severity == "refused"]
    if not refused:
        return
    listed = [f"- {finding}" for finding in refused[:_LISTED]]
    if len(refused) > _LISTED:
        listed.append(f"- and {counted(len(refused) - _LISTED, 'more place')}")
    raise InputError(
        f"This must not go out: {counted(len(refused), 'finding')}, and nothing was written.\n"
        + "\n".join(listed)
    )
