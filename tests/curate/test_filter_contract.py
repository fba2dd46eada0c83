"""Filters keep their promises, and run once: what breaks keeps what was done."""

from __future__ import annotations

import json
from functools import partial
from importlib.metadata import EntryPoint

import pytest
from PIL import Image

from memeloc import plugins
from memeloc.curate import protocol as registry
from memeloc.curate.protocol import FilterContext, cache_key_of, filter, run_filter
from memeloc.curate.verdict import Verdict
from memeloc.errors import InputError, MissingError
from tests.curate.items import caption, picture, template

pytest.importorskip("py3langid", reason="needs pip install 'memeloc[filters]'")
pytest.importorskip("fasttext", reason="needs pip install 'memeloc[filters]'")


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


GROUP = registry.FILTERS.group


@filter("short", kinds=("caption", "picture"))
def short(item):
    "texts of at most ten letters"
    length = len("".join(item.parts))
    if not length:
        return Verdict(item.id, "", "ask", reason="no text", score=0)
    return ("drop", "too long") if length > 10 else "keep"


FILTERS = {name: partial(registry.create, name) for name in registry.FILTERS.names()} | {
    "short": lambda settings, context: short(settings, context)
}


@pytest.fixture
def items(tmp_path):
    path = tmp_path / "grey.png"
    Image.effect_noise((300, 200), 80).save(path)
    bad = tmp_path / "bad.png"
    bad.write_bytes(b"no picture")
    return [
        template("t1", "German baker"),
        picture("t2", path, kind="template"),
        caption("c1", "When you realise", "that it is only Tuesday", template="t1"),
        caption("c2", template="t1"),
        caption("c3", "\ud800", "", template="none"),
        picture("p1", path, "some words in the picture"),
        picture("p2", path),
        picture("p3", bad, "x"),
    ]


@pytest.mark.parametrize("name", FILTERS)
def test_contract(name, items):
    context = FilterContext(templates={item.id: item for item in items if item.kind == "template"})
    filter_ = FILTERS[name]({}, context)
    assert filter_.name == name
    assert filter_.summary
    mine = [item for item in items if item.kind in filter_.kinds]
    assert mine
    verdicts = list(filter_.judge(mine))
    assert sorted(verdict.item for verdict in verdicts) == sorted(item.id for item in mine)
    keys = {item.id: filter_.cache_key(item) for item in mine}
    for verdict in verdicts:
        assert verdict.filter == name
        assert verdict.verdict in ("keep", "drop", "ask")
        assert (verdict.reason == "") == (verdict.verdict == "keep")
        assert verdict.settings == keys[verdict.item]
        json.dumps(dict(verdict.evidence))
    again = FILTERS[name]({}, context)
    assert {item.id: again.cache_key(item) for item in mine} == keys
    assert list(filter_.judge([])) == []


def test_a_function_is_a_filter(monkeypatch):
    entry = EntryPoint("short", "tests.curate.test_filter_contract:short", GROUP)
    monkeypatch.setattr(plugins, "entry_points", lambda *, group, name=None: [entry])
    assert "short" in registry.FILTERS.names()
    verdicts = registry.create("short").judge([caption("a", "x" * 11), caption("b", "x")])
    assert [(verdict.verdict, verdict.reason) for verdict in verdicts] == [
        ("drop", "too long"),
        ("keep", ""),
    ]
    assert registry.info("short")["summary"] == "texts of at most ten letters"
    with pytest.raises(InputError, match="no setting 'most'"):
        registry.create("short", {"most": 3})


def test_a_filter_of_another_package_that_is_missing(monkeypatch):
    broken = EntryPoint("broken", "no.such.module:thing", GROUP)
    monkeypatch.setattr(plugins, "entry_points", lambda *, group, name=None: [broken])
    with pytest.raises(MissingError, match="No module named"):
        registry.create("broken")
    assert "cannot be loaded" in registry.info("broken")["missing"]
