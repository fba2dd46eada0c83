"""What should not go out. In: a `Release`, what only the workspace knows. Out: `Finding`s.

A rule a module, each a function `(Release, Private) -> Iterator[Finding]`; `check` runs them all.
What is refused must not go out; a warning is for the team to weigh, and the card reports it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memeloc.lazy_imports import lazy_package

if TYPE_CHECKING:
    from memeloc.publish.checks.check import RULES, check, refuse
    from memeloc.publish.checks.finding import Finding, Private

__all__ = ["RULES", "Finding", "Private", "check", "refuse"]

__getattr__, __dir__ = lazy_package(
    __name__,
    {
        "memeloc.publish.checks.check": ["RULES", "check", "refuse"],
        "memeloc.publish.checks.finding": ["Finding", "Private"],
    },
)
