"""Who changed what, how far and how often."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.ter import TER

from memeloc.correct.compare import Edit, chrf, edits, hter, words
from memeloc.correct.model import Status
from memeloc.correct.report import CommonEdit, Judgement, make_report, report_page
from memeloc.locales import default

DE, ZH, AR = (default().get(tag) for tag in ("de", "zh", "ar"))


def judged(
    meme: str, status: Status, before: str, after: str, *, person: str = "anna", tag: str = "de"
) -> Judgement:
    locale = default().get(tag)
    return Judgement(meme, locale, 1, person, status, (before,), (after,) if after else ())


def test_one_word_of_four_is_a_rate_of_25_percent() -> None:
    assert hter(["der Kater schläft hier"], ["der Kater schnarcht hier"], DE) == 25.0
    assert hter(["gleich"], ["gleich"], DE) == 0.0


def test_the_rate_is_over_all_texts_together() -> None:
    machine, person = ["a b c d", "e"], ["a b c x", "f"]
    assert hter(machine, person, DE) == pytest.approx(100 * 2 / 5)
    assert (
        hter(machine, person, DE) == TER(case_sensitive=True).corpus_score(machine, [person]).score
    )


def test_chinese_counts_characters_where_german_counts_words() -> None:
    machine, person = "我今天不想开会", "我今天不想上班"
    assert hter([machine], [person], ZH) == pytest.approx(100 * 2 / 7)
    assert hter([machine], [person], DE) == 100.0


def test_chrf_is_sacrebleus() -> None:
    machine, person = ["Heute endet in vier Minuten"], ["Heute endet es in vier Minuten"]
    assert chrf(machine, person) == CHRF().corpus_score(machine, [person]).score
    assert chrf(person, person) == 100.0


def test_an_edit_is_of_words_also_where_there_are_no_spaces() -> None:
    assert edits("ich bin da", "ich war da", DE) == [Edit("bin", "war")]
    assert edits("我们今天开会", "我们明天开会", ZH) == [Edit("今天", "明天")]
    assert edits("same", "same", DE) == []


@given(st.text(max_size=40), st.sampled_from([DE, ZH, AR]))
def test_words_together_are_the_text(text: str, locale: object) -> None:
    assert "".join(words(text, locale)) == text  # type: ignore[arg-type]


@given(st.text(max_size=30), st.text(max_size=30))
def test_edits_turn_the_one_text_into_the_other(before: str, after: str) -> None:
    changes = edits(before, after, DE)
    assert (not changes) == (before == after)
    for edit in changes:
        assert edit.before in before
        assert edit.after in after


def test_a_report_counts_by_language_round_and_person() -> None:
    report = make_report(
        [
            judged("m1", "correct", "gut so", "gut so"),
            judged("m2", "corrected", "ich bin da", "ich war da"),
            judged("m3", "corrected", "du bin da", "du war da"),
            judged("m4", "wordplay", "Wortwitz", ""),
            judged("m1", "corrected", "gut so", "gut", person="ben"),
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


def test_the_page_shows_hostile_text_as_text() -> None:
    evil = '<img src=x onerror="alert(1)"></bdi><script>alert(2)</script>'
    report = make_report([judged("m1", "corrected", "مرحبا", evil, person=evil, tag="ar")])
    page = report_page(report, {"ar": AR})
    tree = html.fromstring(page.encode())
    assert not tree.xpath("//script | //img | //@onerror")
    assert tree.xpath("//bdi[@lang='ar'][@dir='rtl']")
    assert evil in tree.text_content()
    assert "default-src 'none'" in page
