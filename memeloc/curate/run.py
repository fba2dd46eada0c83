"""Running filters over items. In: a filter, items, earlier verdicts. Out: verdicts, as they come.

An item that a filter judged before under the same settings, versions and content is passed over, so
a run that was interrupted goes on where it stopped, and a second run does nothing.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from memeloc.curate.protocol import Filter
from memeloc.curate.verdict import Verdict, Verdicts
from memeloc.errors import MemelocError
from memeloc.items import Item

_BATCH = 1_000
"""Items that a filter is given at once."""
_STORED = 5_000
"""Verdicts that wait to be stored together, at most ..."""
_SECONDS = 5.0
"""... and for how long."""


@dataclass(slots=True)
class Tally:
    """How one filter's run went.

    Attributes:
        judged, skipped: how many items it judged now, and had judged before.
        outcomes: how many items, judged now or before, by verdict and reason.
        failure: why it stopped before the end, a sentence; empty when it did not.
    """

    filter: str
    judged: int = 0
    skipped: int = 0
    outcomes: Counter[tuple[str, str]] = field(default_factory=Counter)
    failure: str = ""

    def count(self, verdict: str) -> int:
        """How many items got a verdict (`keep`, `drop` or `ask`)."""
        return sum(count for (key, _), count in self.outcomes.items() if key == verdict)


def to_judge(filter_: Filter, items: Sequence[Item], earlier: Verdicts) -> list[Item]:
    """The items of a filter's kinds that it has not judged as they and its settings are now."""
    todo = []
    for item in items:
        if item.kind in filter_.kinds:
            before = earlier.get(item.id, {}).get(filter_.name)
            if before is None or before.settings != filter_.cache_key(item):
                todo.append(item)
    return todo


def run_filter(
    filter_: Filter,
    items: Sequence[Item],
    earlier: Verdicts,
    store: Callable[[Sequence[Verdict]], object],
    *,
    again: bool = False,
    on_done: Callable[[int], None] = lambda count: None,
) -> Tally:
    """Judge the items of a filter's kinds, and store verdicts as they come.

    What was judged before, by `earlier`, is passed over unless `again`. What is stored stands if
    the run ends early. An error that would fail for every further item ends the run and is the
    tally's `failure`, so that other filters can go on. `on_done` gets how many more items are done.
    """
    tally = Tally(filter_.name)
    waiting: list[Verdict] = []
    stored = time.monotonic()
    try:
        todo = to_judge(filter_, items, {} if again else earlier)
        open_ = {item.id for item in todo}
        for item in items:
            if item.kind in filter_.kinds and item.id not in open_:
                before = earlier[item.id][filter_.name]
                tally.skipped += 1
                tally.outcomes[before.verdict, before.reason] += 1
        on_done(tally.skipped)
        for start in range(0, len(todo), _BATCH):
            for verdict in filter_.judge(todo[start : start + _BATCH]):
                waiting.append(verdict)
                tally.judged += 1
                tally.outcomes[verdict.verdict, verdict.reason] += 1
                on_done(1)
                if len(waiting) >= _STORED or time.monotonic() - stored > _SECONDS:
                    store(waiting)
                    waiting, stored = [], time.monotonic()
    except MemelocError as error:
        tally.failure = str(error)
    finally:
        if waiting:
            store(waiting)
    return tally
