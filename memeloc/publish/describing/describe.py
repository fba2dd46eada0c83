"""What stands beside the data. In: a `Release`, a folder that a writer filled. Out: five files.

README.md (the card), croissant.json, CITATION.cff, TERMS.md where there are terms, and
provenance.json.
"""

from __future__ import annotations

import json
from pathlib import Path

from memeloc.publish.describing.card import CARD, card
from memeloc.publish.describing.citation import CITATION, citation
from memeloc.publish.describing.croissant import CROISSANT, croissant
from memeloc.publish.describing.layout import find_data
from memeloc.publish.describing.summary import summarise
from memeloc.publish.release import Release

TERMS = "TERMS.md"
PROVENANCE = "provenance.json"


def describe(release: Release, folder: Path, layout: str = "") -> tuple[Path, ...]:
    """Write the card and the files for catalogues into a folder that has the data already.

    Args:
        layout: of the data; what is there is looked up, so that any writer's folder is described.

    Returns:
        The files that were written.
    """
    data = find_data(release, folder)
    summary = summarise(release)
    texts = {
        CARD: card(release, summary, data),
        CROISSANT: croissant(release, summary, data, folder),
        CITATION: citation(release),
        TERMS: release.about.terms,
        PROVENANCE: json.dumps(
            release.provenance, ensure_ascii=False, indent=1, sort_keys=True, default=str
        )
        if release.provenance
        else "",
    }
    written = []
    for name, text in texts.items():
        if text:
            path = folder / name
            path.write_text(f"{text.rstrip()}\n", encoding="utf-8")
            written.append(path)
    return tuple(written)
