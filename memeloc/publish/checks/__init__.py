"""What should not go out. In: a `Release`, what only the workspace knows. Out: `Finding`s.

A rule is a function `(Release, Private) -> Iterator[Finding]`; `check` runs them all.
What is refused must not go out; a warning is for the team to weigh, and the card reports it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memeloc.lazy_imports import lazy_package

if TYPE_CHECKING:
    from memeloc.publish.checks.check import RULES as RULES
    from memeloc.publish.checks.check import check as check
    from memeloc.publish.checks.check import refuse as refuse
    from memeloc.publish.checks.finding import Finding as Finding
    from memeloc.publish.checks.finding import Private as Private

__all__, __getattr__, __dir__ = lazy_package(__name__, __file__)
