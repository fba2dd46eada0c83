import re
from dataclasses import replace
from io import BytesIO

import pandas as pd
import pytest
from lxml import html
from PIL import Image

from memeloc.reports import write_report
from memeloc.reports.drawing import draw
from memeloc.reports.figures import joined, tidy


@pytest.fixture(scope="module")
def page(files):
    return html.fromstring(files.page.read_text("utf-8"))


def text(element):
    return " ".join(element.text_content().split())


def test_untrusted_text_stays_text(files):
    source = files.page.read_text("utf-8")
    for hostile in ("<b>not a label", "<b>FR", "<b>States", "120 <answers>", "Agreement <of>"):
        assert hostile not in source
        assert hostile.replace("<", "&lt;", 1).split(">")[0] in source


def test_the_page_needs_no_network(files):
    source = files.page.read_text("utf-8")
    assert "default-src 'none'" in source
    addresses = re.findall(r'(?:src|href)="([^"]*)"', source)
    assert {address.split(":")[0] for address in addresses if address[0] != "#"} == {"data"}


def test_the_page_opens_with_question_numbers_plot_and_memes(page):
    assert text(page.find(".//h1")) == "What 120 <answers> show"
    assert [text(each) for each in page.find_class("question")] == ["Do cultures agree?"]
    assert [text(each) for each in page.find_class("numbers")[0]] == [
        "items on which two cultures agree65.0 %[60.0, 70.0]",
        "alpha in Germany0.500[0.400, 0.700]",
    ]
    (lead,) = page.find_class("lead")
    assert lead.find(".//img").get("alt").startswith("Agreement of each two cultures. share of")
    first, *rest = page.iter("section")
    assert [text(each) for each in first.iter("h2")] == ["Memes that divide most"]
    assert len(first.findall(".//article")) == 12
    assert not any(section.findall(".//article") for section in rest)


def test_a_card_has_pictures_names_and_votes_by_label(page):
    card = page.find(".//article")
    assert [img.get("alt") for img in card.iter("img")] == ["Montags\nich", "الإثنين"]
    germany = card.find(".//dl/dd")
    assert text(card.find(".//dl/dt")) == "Germany"
    assert germany.get("aria-label") == "Germany: 4 hate 1 a_b & c"
    assert [text(span) for span in germany] == ["4", "1"]


def test_tables_are_folded_with_the_meaning_of_their_columns(page):
    (folded,) = page.get_element_by_id("between").iter("details")
    assert folded.get("open") is None
    assert "0.700 [0.600, 0.800]" in text(folded)
    assert "share of items with the same label, 0 to 1" in text(folded)
    assert "Wilson 1927" in text(folded)


def opened(browser, path, width, scheme="light"):
    tab = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    tab.goto(path.as_uri())
    return tab


@pytest.fixture(scope="module")
def long_report(report, tmp_path_factory):
    """A report with as many analyses, plots and gaps as a whole study of three cultures has."""
    toml = report.texts.read_text("utf-8")
    own = toml[toml.index("[within]") : toml.index("[empty]")]
    alpha = report.figures[report.figures["analysis"] == "within"]
    extra = [alpha.assign(analysis=f"within-{number}") for number in range(10)]
    path = tmp_path_factory.mktemp("long") / "texts.toml"
    copies = (
        own.replace("[within", f"[within-{number}").replace('"alpha"', f'"alpha-{number}"', 1)
        for number in range(10)
    )
    path.write_text("\n".join([toml, *copies]), encoding="utf-8")
    people = tidy("people", pd.DataFrame({"item": map(str, range(60)), "answers": 12}))
    figures = joined([report.figures, *extra, people])
    drawn = {}

    def draw_once(drawing):  # the plots of the copies are equal
        if drawing.title not in drawn:
            drawn[drawing.title] = draw(drawing)
        return drawn[drawing.title]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("memeloc.reports.folder.draw", draw_once)
        return write_report(replace(report, texts=path, figures=figures), path.parent / "report")


def test_twelve_memes_and_three_cultures_fit_8000_pixels(browser, long_report):
    tab = opened(browser, long_report.page, 1280)
    assert tab.evaluate("document.documentElement.scrollHeight") <= 8_000


def test_a_phone_scrolls_downwards_only(browser, long_report):
    tab = opened(browser, long_report.page, 390)
    tab.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    assert tab.evaluate("document.documentElement.scrollWidth") == 390


def test_in_the_dark_page_and_plots_are_dark(browser, files):
    tab = opened(browser, files.page, 1280, "dark")
    picture = tab.locator(".lead img").screenshot()
    pixels = Image.open(BytesIO(picture)).convert("L").histogram()
    assert sum(pixels[:64]) > 0.8 * sum(pixels)  # a dark ground
    assert sum(pixels[192:]) > 100  # and letters to read on it
