"""Rounds: which are equal in which meaning, and what becomes of a meme."""

from __future__ import annotations

import json

import pytest

from memeloc.label.rounds import Equal, Outcome, RoundLabel, Status, count, outcomes
from memeloc.label.scheme import GivenLabel, Scheme, label_form, printed_form, topics_form
from memeloc.language_models.answers import read_form
from memeloc.workspace.labels import labels_of
from tests.each import each

SCHEME = labels_of("charmemes")[1]


def answer(number: int, *labels: str, status: Status = "answered") -> RoundLabel:
    given = tuple(GivenLabel(*label.split("/")) for label in labels)
    return RoundLabel(
        "m", "c", "label", "charmemes", "tiny", "p", number, number, status, labels=given
    )


def rounds(*labels: str) -> list[RoundLabel]:
    return [answer(number, *filter(None, text.split())) for number, text in enumerate(labels, 1)]


def outcome(answers: list[RoundLabel], equal: Equal = "severe", scheme: Scheme = SCHEME) -> Outcome:
    (result,) = outcomes(["m"], answers, scheme, 3, equal)
    return result


@each(
    ("given", "severe", "exact"),
    [
        (("safe", "safe", "safe"), True, True),
        # Table 6 of CHARMemes: two of three rounds agree.
        (("illegal-content/drugs-gambling",) * 2 + ("nsfw/adult-humour",), False, False),
        # The most severe wins in each round, whatever stands beside it.
        (("offensive/shock safe", "safe offensive/shock", "offensive/shock"), True, True),
        (("hate-speech/sexism", "hate-speech/ableism", "hate-speech/sexism"), True, False),
        (("hate-speech/sexism hate-speech/ableism",) * 3, True, True),
        (
            ("hate-speech/sexism offensive/shock", "hate-speech/sexism", "offensive/shock"),
            False,
            False,
        ),
    ],
)
def test_rounds_are_equal_by_most_severe_or_exactly(
    given: tuple[str, ...], severe: bool, exact: bool
) -> None:
    severely, exactly = outcome(rounds(*given)), outcome(rounds(*given), "exact")
    assert (severely.severe, severely.exact) == (severe, exact)
    assert (severely.state == "accepted", exactly.state == "accepted") == (severe, exact)


def test_a_refused_round_is_for_people_and_a_missing_one_is_open() -> None:
    refused = [*rounds("safe", "safe"), answer(3, status="refused")]
    assert outcome(refused).state == "no answer"
    assert outcome(rounds("safe", "safe")).state == "missing"
    counts = count([outcome(refused)])
    assert (counts["items"], counts["no_answer"], counts["severe"]) == (1, 1, 0)


@each(
    ("labels", "problem"),
    [
        ('[{"category": "rude"}]', "'rude' is no category; use sexual-exploitation, violence"),
        ('[{"category": "offensive", "subcategory": "sexism"}]', "has no subcategory 'sexism'"),
        ('[{"category": "offensive"}]', "offensive has no subcategory ''; it has vulgarity"),
        ('[{"category": "safe", "subcategory": "shock"}]', "safe has no subcategories"),
        ("[]", "at least 1 item"),
    ],
)
def test_what_the_taxonomy_lacks_is_sent_back_in_words(labels: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        read_form(label_form(SCHEME, caption=False), f'{{"labels": {labels}}}')


@each(
    ("category", "subcategory", "label"),
    [
        ("Hate Speech", "2.1 Racism & Xenophobia", "hate-speech/racism-xenophobia"),
        ("Offensive", "3.1 Vulgarity & Profanity", "offensive/vulgarity"),
        ("offensive", "Shock Content & Gore", "offensive/shock"),
        ("2. HATE SPEECH", "Targeted Hostility", "hate-speech/targeted-hostility"),
        ("Safe / None", "", "safe"),
        ("Safe/None", "None", "safe"),
        ("Self-Harm", "something else", "self-harm"),
        ("NSFW", "Relationship Jokes", "nsfw/relationship-jokes"),
    ],
)
def test_names_of_the_printed_prompt_are_read(category: str, subcategory: str, label: str) -> None:
    named = {"category": category, "subcategory": subcategory}
    text = json.dumps({"caption": "", "labels": [named]})
    assert [str(each) for each in read_form(printed_form(SCHEME), text).given()] == [label]


def test_topics_are_known_ones_or_new_ones() -> None:
    form = topics_form(("cats", "tea"))
    text = (
        '{"topics": [{"kind": "known", "topic_id": "tea"}, {"kind": "new", "new_topic": '
        '{"proposed_id": "rain_walks", "name": "Walks in the rain", "definition": "Wet."}}]}'
    )
    assert read_form(form, text).given() == (
        {"id": "tea"},
        {"id": "rain_walks", "name": "Walks in the rain", "definition": "Wet."},
    )
    for wrong in ('{"kind": "known", "topic_id": "dogs"}', *[",".join(["{}"] * 4)]):
        with pytest.raises(ValueError, match="does not fit"):
            read_form(form, f'{{"topics": [{wrong}]}}')
