import re

import pytest
from lxml import html

from memeloc.analyze.report import report_of
from memeloc.reports.sections_page import fill_report


@pytest.fixture(scope="module")
def page(analysis):
    return fill_report(report_of(analysis), {"agreement": b"<svg/>"})


def test_everything_that_is_shown_is_escaped(page):
    assert "<b>not a label</b>" not in page
    assert "&lt;b&gt;not a label&lt;/b&gt;" in page
    assert "Everything &lt;there&gt; is" in page


def test_the_page_needs_no_network(page):
    assert "default-src 'none'" in page
    assert set(re.findall(r'(?:src|href)="([^:"]*)[:"]', page)) - {"data"} == {
        "#methods",
        "#everything",
        "#nothing",
    }


def test_a_gap_is_named_and_the_rest_is_there(page):
    text = html.fromstring(page).text_content()
    assert "Nothing could not be computed: one annotator only" in text
    assert "\u2068مصر\u2069: one annotator only." in text  # reorders nothing
    assert "Of 72 answers." in text


def test_every_column_says_what_it_is(page):
    terms = [each.text_content() for each in html.fromstring(page).findall(".//details//dd")]
    assert terms == ["its code", "0 to 1", "how many", "caption"]


def test_items_are_shown_with_their_pictures_and_votes(page):
    shown = html.fromstring(page).findall(".//article")
    assert [each.find("h3/bdi").text for each in shown] == ["m-1", "m-0"]
    assert len(shown[0].findall(".//img")) == 2
    assert all(each.get("src").startswith("data:image/jpeg") for each in shown[0].iter("img"))
    assert [cell.text_content() for cell in shown[1].find(".//tbody/tr")] == ["DE", "2", "2", "tie"]
