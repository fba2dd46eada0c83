"""Who changed what, how far and how often."""

from __future__ import annotations

from lxml import html

from memeloc.correct.model import Status
from memeloc.correct.report import Judgement, make_report, report_page
from memeloc.locales import default

DE, AR = (default().get(tag) for tag in ("de", "ar"))


def judged(
    meme: str, status: Status, before: str, after: str, *, person: str = "anna", tag: str = "de"
) -> Judgement:
    locale = default().get(tag)
    return Judgement(meme, locale, 1, person, status, (before,), (after,) if after else ())


def test_the_page_shows_hostile_text_as_text() -> None:
    evil = '<img src=x onerror="alert(1)"></bdi><script>alert(2)</script>'
    report = make_report([judged("m1", "corrected", "مرحبا", evil, person=evil, tag="ar")])
    page = report_page(report, {"ar": AR})
    tree = html.fromstring(page.encode())
    assert not tree.xpath("//script | //img | //@onerror")
    assert tree.xpath("//bdi[@lang='ar'][@dir='rtl']")
    assert evil in tree.text_content()
    assert "default-src 'none'" in page
