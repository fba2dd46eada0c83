"""When a meme appeared: structured data before rules, in many languages."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from memeloc.collect.years import year_of_data

NOTHING = LexborHTMLParser("")


def test_no_year_lies_in_the_future() -> None:
    assert year_of_data([], NOTHING, {"Year": "2031"}, latest=2026) is None


@pytest.mark.parametrize(
    ("value", "year"),
    [
        ({"@type": "Article", "datePublished": "2020", "dateCreated": "2019"}, None),
        ({"@type": ["Thing", "WebPage"], "dateCreated": "2019"}, None),
        ({"@type": "CreativeWork", "dateCreated": "2011-02-03"}, 2011),
        ({"@type": "Article", "temporalCoverage": "2013/2014"}, 2013),
        ({"@type": "Article", "about": {"@type": "Thing", "startDate": 2012}}, 2012),
        (
            {"@graph": [{"@type": "WebSite"}, {"@type": "VisualArtwork", "copyrightYear": 2010}]},
            2010,
        ),
        ([[{"dateCreated": None}, {"dateCreated": "long ago"}, {"dateCreated": "2008"}]], 2008),
        ({"@type": "Person", "startDate": "1999"}, None),
        ("2011", None),
        (None, None),
    ],
)
def test_json_ld(value: object, year: int | None) -> None:
    found = year_of_data([value], NOTHING, {}, latest=2026)
    assert (found and found.year) == year
    assert found is None or (found.by == "data" and found.evidence.startswith("JSON-LD"))


def test_structured_data_of_all_kinds_come_in_their_order() -> None:
    work = {"@type": "CreativeWork", "dateCreated": "2001"}
    tree = LexborHTMLParser('<meta name="year" content="2002">')
    facts = {"Year": "2003"}
    years = [
        year_of_data([work], tree, facts, latest=2026),
        year_of_data([], tree, facts, latest=2026),
        year_of_data([], NOTHING, facts, latest=2026),
    ]
    assert [year and year.year for year in years] == [2001, 2002, 2003]


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["@type", "dateCreated", "temporalCoverage", "about", "@graph"]), inner
        )
    ),
    max_leaves=20,
)


@given(VALUES)
def test_no_json_raises(value: object) -> None:
    found = year_of_data([json.loads(json.dumps(value))], NOTHING, {}, latest=2026)
    assert found is None or 1900 <= found.year <= 2026
