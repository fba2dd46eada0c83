"""A survey that is being served, whole. In: see `Survey.serve`. Out: `ServedSurvey`."""

from __future__ import annotations

from memeloc.store.tables.types import now
from memeloc.workspace.surveys.serving.answering import Answering
from memeloc.workspace.surveys.serving.joining import Joining
from memeloc.workspace.surveys.serving.watching import Watching


class ServedSurvey(Joining, Answering, Watching):
    """A survey that is being served."""

    def free(self) -> int:
        """Forget places whose time is over and where nothing was answered; how many."""
        return self._places.free(self.name, now())
