"""guides/analysis.md: its analyses are those that there are."""

from __future__ import annotations

import re

from memeloc.analyze.analysis import ANALYSES
from memeloc.resources import folder

TEXT = (folder("guides") / "analysis.md").read_text(encoding="utf-8")


def test_the_guide_names_every_analysis_in_order() -> None:
    named = re.findall(r"^\| (`[a-z`, -]+`) \|", TEXT.partition("## The analyses")[2], re.MULTILINE)
    listed = [name for cell in named for name in re.findall(r"`([a-z-]+)`", cell)]
    assert [name for name in listed if name != "codebook"] == list(ANALYSES)  # a survey's own
