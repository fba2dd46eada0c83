"""What becomes of collected items. In: a workspace. Out: `Curating`."""

from __future__ import annotations

from memeloc.workspace.curating.deduplicating import Deduplicating
from memeloc.workspace.curating.describing import Describing
from memeloc.workspace.curating.filtering import Filtering
from memeloc.workspace.curating.matching import Matching
from memeloc.workspace.curating.reviewing import Reviewing
from memeloc.workspace.curating.selecting import Selecting
from memeloc.workspace.curating.topics import Topics


class Curating(Deduplicating, Matching, Filtering, Reviewing, Selecting, Topics, Describing):
    """Deduplicating, filtering, reviewing, selecting and describing what was collected.

    Nothing is deleted: each step stores verdicts, pairs and answers, and the same step with other
    settings takes the place of what it said before. Settings of memeloc.toml (the table `curate`)
    hold where none are given.
    """
