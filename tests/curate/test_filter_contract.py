"""Every filter keeps the promises of memeloc.curate.protocol.Filter."""

from __future__ import annotations

import json
from functools import partial
from importlib.metadata import EntryPoint

import pytest
from PIL import Image

from memeloc import plugins
from memeloc.curate import protocol as registry
from memeloc.curate.protocol import FilterContext, filter
from memeloc.curate.verdict import Verdict
from memeloc.errors import InputError, MissingError
from tests.curate.items import caption, picture, template

pytest.importorskip("py3langid", reason="needs pip install 'memeloc[filters]'")
pytest.importorskip("fasttext", reason="needs pip install 'memeloc[filters]'")


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
