"""What becomes of what was collected; topics of templates. In: a workspace. Out: `Curating`."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

from memeloc.curate.filters.topics import Mode, TopicMatcher, TopicSettings, nearest_topics
from memeloc.curate.selection import TOPICS
from memeloc.settings import validate
from memeloc.workspace.curating.deduplicating import Deduplicating
from memeloc.workspace.curating.describing import Describing
from memeloc.workspace.curating.filtering import Filtering
from memeloc.workspace.curating.matching import Matching
from memeloc.workspace.curating.reviewing import Reviewing
from memeloc.workspace.curating.selecting import Selecting
from memeloc.workspace.folder import Part


class Topics(Part):
    """What templates are about."""

    def without_topic(
        self, *, file: str | None = None, keyword: Mode | None = None, most: int = 3
    ) -> dict[str, Any]:
        """Return the templates in whose name no keyword matches, with their `nearest` topics.

        They are `without` a topic, those with most captions first; `templates` counts all.

        Args:
            file, keyword: as the filter's settings of these names; None as memeloc.toml has them.
            most: topics of a template.
        """
        given = {"file": file, "keyword": keyword}
        changed = {name: value for name, value in given.items() if value is not None}
        configured = self._workspace.settings.curate.get(TOPICS, {})
        settings = validate(TopicSettings, {**configured, **changed}, "the filter topics")
        matcher = TopicMatcher(settings.topics(self._workspace.root or Path()))
        templates = list(self._store.items.find("template"))
        without = [item for item in templates if not matcher.match(settings.text(item))]
        captions: dict[str, list[str]] = defaultdict(list)
        for caption in self._store.items.find("caption"):
            captions[caption.parent].append(" ".join(caption.parts))
        rows: list[dict[str, Any]] = [
            {
                "item": item.id,
                "name": item.name,
                "captions": len(captions[item.id]),
                "nearest": nearest_topics(item.name, captions[item.id], matcher, most),
            }
            for item in without
        ]
        rows.sort(key=lambda row: -row["captions"])
        return {"templates": len(templates), "without": rows}


class Curating(Deduplicating, Matching, Filtering, Reviewing, Selecting, Topics, Describing):
    """Deduplicating, filtering, reviewing, selecting and describing what was collected.

    Nothing is deleted: each step stores verdicts, pairs and answers, and the same step with other
    settings takes the place of what it said before. Settings of memeloc.toml (the table `curate`)
    hold where none are given.
    """
