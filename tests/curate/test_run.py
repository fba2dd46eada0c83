"""Running filters: what was judged is not judged again, and what breaks keeps what was done."""

from __future__ import annotations

from memeloc.curate.protocol import cache_key_of, run_filter
from memeloc.curate.verdict import Verdict
from memeloc.errors import MissingError
from tests.curate.items import caption, template


class Longest:
    """Keeps texts of up to so many letters; breaks at the item that it is told to."""

    name = "longest"
    summary = "length"
    kinds = ("caption",)

    def __init__(self, most=10, breaks_at=""):
        self._most = most
        self._breaks_at = breaks_at
        self.seen: list[str] = []

    def cache_key(self, item):
        return cache_key_of(self._most, item.parts)

    def judge(self, items):
        for item in items:
            if item.id == self._breaks_at:
                raise MissingError("the ruler is missing: pip install ruler")
            self.seen.append(item.id)
            good = len(item.parts[0]) <= self._most
            yield Verdict(
                item.id,
                self.name,
                "keep" if good else "drop",
                None,
                "" if good else "long",
                {},
                self.cache_key(item),
            )


class Store:
    """Verdicts as a workspace keeps them."""

    def __init__(self):
        self.known: dict[str, dict[str, Verdict]] = {}

    def __call__(self, verdicts):
        for verdict in verdicts:
            self.known.setdefault(verdict.item, {})[verdict.filter] = verdict


ITEMS = [caption(f"c{number}", "x" * number) for number in range(30)] + [template("t")]


def test_a_run_that_breaks_goes_on_where_it_was():
    store, done = Store(), []
    broken = run_filter(Longest(breaks_at="c20"), ITEMS, store.known, store, on_done=done.append)
    assert broken["failure"] == "the ruler is missing: pip install ruler"
    assert broken["judged"] == len(store.known) == sum(done) == 20
    rest = Longest()
    tally = run_filter(rest, ITEMS, store.known, store)
    assert rest.seen == [f"c{number}" for number in range(20, 30)]
    assert (tally["judged"], tally["skipped"], tally["failure"]) == (10, 20, "")


def test_an_interruption_keeps_what_was_judged():
    class Interrupted(Longest):
        def judge(self, items):
            for number, verdict in enumerate(super().judge(items)):
                if number == 7:
                    raise KeyboardInterrupt
                yield verdict

    store = Store()
    try:
        run_filter(Interrupted(), ITEMS, store.known, store)
    except KeyboardInterrupt:
        assert len(store.known) == 7
    else:
        raise AssertionError("nothing was interrupted")
