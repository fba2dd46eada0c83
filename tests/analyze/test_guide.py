"""guides/analysis.md: its sections are those that there are."""

from __future__ import annotations

import re

from memeloc.analyze.analysis import SECTIONS
from memeloc.resources import folder

TEXT = (folder("guides") / "analysis.md").read_text(encoding="utf-8")


def test_the_guide_names_every_section_in_order() -> None:
    named = re.findall(r"^\| (`[a-z`, -]+`) \|", TEXT.partition("## The sections")[2], re.MULTILINE)
    listed = [name for cell in named for name in re.findall(r"`([a-z-]+)`", cell)]
    sections = [path.partition(":")[2].replace("_", "-") for path in SECTIONS]
    assert [name for name in listed if name != "codebook"] == sections  # that is a survey's own
