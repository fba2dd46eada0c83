"""All rules, one after the other. In: a `Release`, `Private`. Out: findings, or an error."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from memeloc.counts import counted
from memeloc.errors import InputError
from memeloc.publish.checks import people, picture_metadata, sources, splits, statements
from memeloc.publish.checks.finding import Finding, Private
from memeloc.publish.checks.further_files import private_files
from memeloc.publish.release import Release

Rule = Callable[[Release, Private], Iterator[Finding]]

RULES: dict[str, Rule] = {
    "private files": private_files,
    "participant ids": people.participant_ids,
    "contact details": people.contact_details,
    "erased people": people.erased_people,
    "small cells": people.few_people,
    "picture metadata": picture_metadata.find,
    "licences": statements.licences,
    "sources": sources.find,
    "splits": splits.find,
    "not read": statements.not_read,
    "statements": statements.statements,
}
"""The rules by name, in their order."""

_LISTED = 20


def check(release: Release, private: Private | None = None) -> tuple[Finding, ...]:
    """What the rules find: what is refused comes first, each in the order of the rules."""
    known = private or Private()
    findings: list[Finding] = []
    for rule in RULES.values():
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
