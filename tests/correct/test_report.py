"""Who changed what, how far and how often."""

from __future__ import annotations

from lxml import html

from memeloc.correct.model import Answer
from memeloc.correct.report import make_report, report_page
from memeloc.locales import default


def test_the_page_shows_hostile_text_as_text() -> None:
    evil = '<img src=x onerror="alert(1)"></bdi><script>alert(2)</script>'
    arabic = default().get("ar")
    answer = Answer(
        meme_id="m1", status="corrected", round=1, person=evil, base=("مرحبا",), parts=(evil,)
    )
    page = report_page(make_report([(arabic, [answer])]), {"ar": arabic})
    tree = html.fromstring(page.encode())
    assert not tree.xpath("//script | //img | //@onerror")
    assert tree.xpath("//bdi[@lang='ar'][@dir='rtl']")
    assert evil in tree.text_content()
    assert "default-src 'none'" in page
