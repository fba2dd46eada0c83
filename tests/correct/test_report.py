"""Who changed what, how far and how often."""

from __future__ import annotations

from lxml import html

from memeloc.correct.model import Status
from memeloc.correct.report import CommonEdit, Judgement, PostEdit, make_report, report_page
from memeloc.locales import default

DE, AR = (default().get(tag) for tag in ("de", "ar"))


def judged(
    meme: str, status: Status, before: str, after: str, *, person: str = "anna", tag: str = "de"
) -> Judgement:
    locale = default().get(tag)
    return Judgement(meme, locale, 1, person, status, (before,), (after,) if after else ())


def test_a_report_counts_by_language_round_and_person() -> None:
    report = make_report(
        [
            judged("m1", "corrected", "gut so", "gut", person="ben"),
            judged("m1", "correct", "gut so", "gut so"),
            judged("m2", "corrected", "ich bin da", "ich war da"),
            judged("m3", "corrected", "du bin da", "du war da"),
            judged("m4", "wordplay", "Wortwitz", ""),
        ]
    )
    anna, ben = report.rows
    assert (anna.seen, anna.untouched, anna.corrected) == (4, 1, 2)
    assert anna.given_up == {"wordplay": 1}
    assert anna.wordplay == ["m4"]
    assert anna.commonest[0] == CommonEdit("bin", "war", 2)
    assert ben.seen == 1
    (pair,) = report.agreements
    assert (pair.language, pair.round, pair.both, pair.equal) == ("de", 1, 1, 0)


def test_two_who_give_the_same_agree_wholly() -> None:
    answers = [judged("m1", "corrected", "x", "y", person=person) for person in ("a", "b")]
    (pair,) = make_report(answers).agreements
    assert (pair.both, pair.equal, pair.chrf) == (1, 1, 100.0)


def test_what_came_of_machine_texts_is_by_language() -> None:
    edits = [
        PostEdit(DE, ("ich bin", "da"), ("ich war", "da")),
        PostEdit(DE, ("gut",), ("gut",)),
        PostEdit(AR, ("مرحبا",), ("مرحبا",)),
    ]
    german, arabic = make_report([], edits).overall
    assert (german.language, german.captions, german.changed, german.hter) == ("de", 2, 1, 25.0)
    assert (arabic.captions, arabic.changed, arabic.hter, arabic.chrf) == (1, 0, 0.0, 100.0)


def test_the_page_has_the_way_from_machine_to_last_text() -> None:
    report = make_report([], [PostEdit(DE, ("ich bin da",), ("ich war da",))])
    text = html.fromstring(report_page(report, {"de": DE}).encode()).text_content()
    assert "From the machine’s text" in text
    assert "33.3" in text


def test_the_page_shows_hostile_text_as_text() -> None:
    evil = '<img src=x onerror="alert(1)"></bdi><script>alert(2)</script>'
    report = make_report([judged("m1", "corrected", "مرحبا", evil, person=evil, tag="ar")])
    page = report_page(report, {"ar": AR})
    tree = html.fromstring(page.encode())
    assert not tree.xpath("//script | //img | //@onerror")
    assert tree.xpath("//bdi[@lang='ar'][@dir='rtl']")
    assert evil in tree.text_content()
    assert "default-src 'none'" in page
