"""Running filters over items. In: a filter, items, earlier verdicts. Out: verdicts, as they come.

An item that a filter judged before under the same settings, versions and content is passed over, so
a run that was interrupted goes on where it stopped, and a second run does nothing.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from memeloc.curate.protocol import Filter
from memeloc.curate.verdict import Verdict, Verdicts
from memeloc.errors import MemelocError
from memeloc.items import Item, content_hash

_BATCH = 1_000
"""Items that a filter is given at once."""
_STORED = 5_000
"""Verdicts that wait to be stored together, at most ..."""
_SECONDS = 5.0
"""... and for how long."""


def to_judge(filter_: Filter[Any], items: Sequence[Item], earlier: Verdicts) -> list[Item]:
    """Return the items of a filter's kinds that it has not judged as they and its settings are."""

    def is_judged(item: Item) -> bool:
        before = earlier.get(item.id, {}).get(filter_.name)
        return before is not None and before.settings == filter_.cache_key(item)

    return [item for item in items if item.kind in filter_.kinds and not is_judged(item)]


def run_filter(
    filter_: Filter[Any],
    items: Sequence[Item],
    earlier: Verdicts,
    store: Callable[[Sequence[Verdict]], object],
    *,
    again: bool = False,
    on_done: Callable[[int], None] = lambda count: None,
) -> dict[str, Any]:
    """Judge the items of a filter's kinds, and store verdicts as they come.

    What was judged before, by `earlier`, is passed over unless `again`. What is stored stands if
    the run ends early. `on_done` gets how many more items are done.

    Returns:
        `filter`; how many items were `judged` now and `skipped`, as they were judged before; how
        many have each verdict (`keep`, `drop`, `ask`), now or before, and by `reasons` (`verdict`,
        `reason`, `items`); `failure`: a sentence why it stopped before the end, or empty.
    """
    concerned = [item for item in items if item.kind in filter_.kinds]
    outcomes: Counter[tuple[str, str]] = Counter()
    waiting: list[Verdict] = []
    stored, failure, judged, skipped = time.monotonic(), "", 0, 0

    def take(verdict: Verdict) -> None:
        nonlocal judged, waiting, stored
        # What is stored says what was judged, whatever the item is by then.
        waiting.append(replace(verdict, content=content_hash(todo[verdict.item])))
        judged += 1
        outcomes[verdict.verdict, verdict.reason] += 1
        on_done(1)
        if len(waiting) >= _STORED or time.monotonic() - stored > _SECONDS:
            store(waiting)
            waiting, stored = [], time.monotonic()

    try:
        todo = {item.id: item for item in to_judge(filter_, items, {} if again else earlier)}
        before = (earlier[item.id][filter_.name] for item in concerned if item.id not in todo)
        outcomes.update((verdict.verdict, verdict.reason) for verdict in before)
        skipped = len(concerned) - len(todo)
        on_done(skipped)
        ask = getattr(filter_, "ask", None)
        if ask and todo:
            ask(list(todo.values()), take)
        batches = iter([] if ask else todo.values())
        while batch := list(islice(batches, _BATCH)):
            for verdict in filter_.judge(batch):
                take(verdict)
    except MemelocError as error:
        failure = str(error)  # so that other filters can go on
    finally:
        if waiting:
            store(waiting)
    by_verdict = Counter[str]()
    for (verdict_, _), count in outcomes.items():
        by_verdict[verdict_] += count
    return {
        "filter": filter_.name,
        "judged": judged,
        "skipped": skipped,
        **{verdict: by_verdict[verdict] for verdict in ("keep", "drop", "ask")},
        "reasons": [
            {"verdict": verdict, "reason": reason, "items": count}
            for (verdict, reason), count in sorted(outcomes.items())
        ],
        "failure": failure,
    }
