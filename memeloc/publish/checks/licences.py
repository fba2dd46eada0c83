"""The dataset's licence. In: what a team says of its release. Out: that it lacks one."""

from __future__ import annotations

from collections.abc import Iterator

from memeloc.publish.checks.finding import SETTINGS, Finding, Private
from memeloc.publish.describing.licences import is_address, is_known
from memeloc.publish.release import Release

RULE = "licences"


def find(release: Release, private: Private) -> Iterator[Finding]:
    """No licence at all, or one that catalogues do not know."""
    licence = release.about.licence
    if not licence:
        yield Finding(
            RULE,
            "refused",
            "[release] names no licence, so nobody may use the dataset; add a line such as "
            'licence = "CC-BY-4.0".',
            SETTINGS,
            column="licence",
        )
    elif not (is_known(licence) or is_address(licence)):
        yield Finding(
            RULE,
            "warning",
            f"Hugging Face and CITATION.cff do not know the licence {licence[:60]!r}; better is an "
            "identifier of spdx.org/licenses, or the address of its text.",
            SETTINGS,
            column="licence",
        )
