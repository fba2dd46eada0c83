"""What makes two texts the same or similar, held by comparing all, and topics of texts."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz import fuzz

from bench.texts import as_captions, as_pictures, as_similar, contrast_pairs
from memeloc.curate.duplicates.dedup import Deduplicated
from memeloc.curate.duplicates.texts import (
    contained_texts,
    near_texts,
    plain_text,
    plain_words,
)
from memeloc.curate.filters.topics import (
    SHIPPED,
    Keyword,
    Topic,
    TopicFilter,
    TopicMatcher,
    nearest_topics,
    read_topics,
)
from memeloc.curate.protocol import FilterContext
from memeloc.errors import InputError
from memeloc.splits import similar_texts
from tests.curate.items import template


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (("When it is", "Monday"), ("WHEN IT IS MONDAY!!!",)),
        (("Straße",), ("STRAẞE",)),
        (("don’t — panic",), ("Don't panic",)),
        (("ﬁne ＯＫ",), ("fine ok",)),
        (("مـــرحبا",), ("مرحبا",)),
        (("a\u200bb\u00ad c",), ("ab c",)),
        (("我 爱，猫！",), ("我爱猫",)),
        (("wait...what",), ("Wait, what?",)),
        (("covid–19",), ("covid 19",)),
        (("नमस्ते दुनिया।",), ("नमस्ते, दुनिया",)),
        (("Monday :-((",), ("Monday :(",)),
        (("-5 °C",), ("−5°C",)),
        (("❤️ cats",), ("❤ Cats",)),
        (("न\u200dमस्ते",), ("नमस्ते",)),
    ],
)
def test_the_same_but_for_how_it_is_written(
    first: tuple[str, ...], second: tuple[str, ...]
) -> None:
    assert plain_text(first) == plain_text(second)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("😂 lol", "😭 lol"),
        ("???", "!!!"),
        ("कि", "की"),
        ("C", "C++"),
        ("2019", "2020"),
        ("only .5 left", "only 5 left"),
        ("1½", "11/2"),
        ("🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f", "🏴"),
        ("5 * 3", "53"),
    ],
)
def test_what_makes_a_difference(first: str, second: str) -> None:
    assert plain_text([first]) != plain_text([second])


@pytest.mark.parametrize("run", [as_captions, as_pictures, as_similar])
def test_no_contrast_pair_is_joined(
    run: Callable[[list[dict[str, str]]], Deduplicated],
) -> None:
    done = run(contrast_pairs())
    assert [verdict.item for verdict in done.verdicts if verdict.verdict == "drop"] == []
    assert any(pair.outcome == "ask" for pair in done.pairs), "they were compared"


def contained(first: str, second: str) -> bool:
    return bool(contained_texts([plain_text([first]), plain_text([second])]))


@pytest.mark.parametrize(
    ("whole", "part"),
    [
        ("imgflip.com When it is Monday", "When it is Monday"),
        ("When it is Monday made with mematic", "When it is Monday"),
        ("When it is @cats_of_office Monday", "When it is Monday"),
        ("我爱猫 微博@猫咪日记", "我爱猫"),
        ("There is no tea", "There is tea"),
    ],
)
def test_a_text_with_a_watermark_contains_the_other(whole: str, part: str) -> None:
    assert contained(whole, part)
    assert contained(part, whole)


def test_a_long_rest_or_words_in_two_places_are_not_contained() -> None:
    assert not contained("tea " + "and more " * 7, "tea")
    assert not contained("a big cat and a dog", "a cat and dog")
    assert not contained("cats", "cat")


@given(st.lists(st.text("ab ", min_size=1, max_size=9), max_size=30))
def test_every_contained_pair_is_found(texts: list[str]) -> None:
    plain = list(dict.fromkeys(plain_text([text]) for text in texts))

    def contains(whole: Sequence[str], part: Sequence[str]) -> bool:
        more = len(whole) - len(part)
        starts = range(len(part) + 1)
        return bool(part) and more > 0 and any(
            [*whole[:start], *whole[start + more :]] == list(part) for start in starts
        )  # fmt: skip

    words = [plain_words(text) for text in plain]
    expected = {
        (one, other)
        for one, other in itertools.combinations(range(len(plain)), 2)
        if contains(words[one], words[other]) or contains(words[other], words[one])
    }
    assert contained_texts(plain) == expected


def test_near_texts_are_similar_or_contained_the_most_similar_first() -> None:
    texts = ["i can do it", "i can't do it", "we", "we have one cat and no dog", "tea"]
    near = near_texts(texts, 0.9)
    assert [(pair.first, pair.second, pair.contained) for pair in near] == [
        (0, 1, False),
        (2, 3, True),
    ]
    assert "similar (92%)" in near[0].reason
    assert "contains the other" in near[1].reason


@given(
    st.lists(st.text("abc", max_size=12), unique=True, max_size=40),
    st.sampled_from([0.3, 0.5, 0.8, 0.92, 1.0]),
    st.integers(1, 9),
)
def test_every_similar_pair_is_found_once(texts: list[str], least: float, block: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("memeloc.splits._BLOCK", block)
        scores = {(first, second): score for first, second, score in similar_texts(texts, least)}
        assert len(scores) == len(list(similar_texts(texts, least)))
    expected = {
        (first, second): score
        for first, second in itertools.combinations(range(len(texts)), 2)
        if (score := fuzz.ratio(texts[first], texts[second]) / 100) >= least - 1e-9
    }
    assert set(scores) == set(expected)
    for pair, score in expected.items():
        assert scores[pair] == pytest.approx(score, abs=1e-5)


@pytest.mark.parametrize(
    ("name", "topics"),
    [
        ("German Shepherd", ["Germany"]),
        ("The Germans are coming", ["Germany"]),
        ("Germany's best baker", ["Germany"]),
        ("GERMAN engineer", ["Germany"]),
        ("germane remark", []),
        ("Middle-Eastern tea house", ["Middle Eastern"]),
        ("Middle of the eastern road", []),
        ("Blackboard teacher", []),
        ("Transport hub", []),
        ("Trans-Siberian railway", ["Transgender"]),
        ("Caucasian carpet", []),
        ("Asian cook with a Caucasian friend", ["Asian"]),
        ("Policemen at the bakery", ["Law Enforcement"]),
        ("police_car", ["Law Enforcement"]),
        ("Indian and Chinese tea", ["China", "India"]),
        ("richarabclap", ["Middle Eastern"]),
        ("thepolicedog", ["Law Enforcement"]),
        ("Pizza rabbit", []),
        ("", []),
    ],
)
def test_keywords_match_whole_words(name, topics):
    matches = TopicMatcher(read_topics()).match(name)
    assert sorted(match["topic"] for match in matches) == topics


def test_the_longest_keyword_comes_first():
    animals = (Topic("A", "Pets", (Keyword("cat"),)), Topic("A", "Cafes", (Keyword("cat cafe"),)))
    matches = TopicMatcher(animals).match("Cat Café owners")
    assert [(match["topic"], match["keyword"]) for match in matches] == [
        ("Cafes", "cat cafe"),
        ("Pets", "cat"),
    ]


@pytest.mark.parametrize(
    ("written", "name", "words"),
    [
        ("cat", "bobcat and catfish", None),
        ("cat*", "bobcat and catfish", "catfish"),
        ("*cat*", "Two bobcats", "bobcats"),
        ("*tea house*", "greenteahouses", "greenteahouses"),
        ("tea house*", "Green tea house", "tea house"),
        ("tea+house", "Green tea-house", "tea house"),
        ("*猫*", "白猫和茶", "白猫和茶"),
    ],
)
def test_a_mark_says_how_a_keyword_matches(written, name, words):
    matcher = TopicMatcher((Topic("A", "T", (Keyword.read(written, "word"),)),))
    assert [match["words"] for match in matcher.match(name)] == ([words] if words else [])


def test_the_papers_list_is_shipped_as_printed():
    topics = {topic.name: topic for topic in read_topics(SHIPPED["multi3hate"])}
    assert len(topics) == 24
    assert {"Hinduism", "Folk Religion", "Latine", "Immigration"} < set(topics)
    keywords = {name: [keyword.text for keyword in topics[name].keywords] for name in topics}
    assert keywords["Mexico"] == ["mexico", "mexcian"]
    assert keywords["Middle Eastern"] == ["middle+eastern", "arab"]
    assert {keyword.mode for topic in topics.values() for keyword in topic.keywords} == {"inside"}


def test_captions_tell_what_a_name_does_not():
    captions = ["german bread again", "more bread", "German tea", "Germans"]
    (near,) = nearest_topics("Cook", captions, TopicMatcher(read_topics()), most=1)
    assert (near.topic, near.nearness, near.captions) == ("Germany", 0.75, 3)


@pytest.mark.parametrize(
    ("keyword", "name", "matches"),
    [
        ("party", "Two parties", True),
        ("boy", "Boys at sea", True),
        ("boss", "Bosses", True),
        ("man", "Men at work", True),
        ("über", "Uber den Wolken", True),
        ("кошка", "Рыжая КОШКА", True),
        ("猫", "猫", True),
        ("cat", "bobcat", False),
    ],
)
def test_plurals_accents_and_other_scripts(keyword, name, matches):
    matcher = TopicMatcher((Topic("A", "T", (Keyword(keyword),)),))
    assert bool(matcher.match(name)) is matches


@given(st.text(max_size=60))
def test_any_name_is_matched_or_not(name):
    matcher = TopicMatcher(read_topics())
    assert len(matcher.match(name)) <= 15
    assert "Germany" in [match["topic"] for match in matcher.match(f"{name} german")]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[[category]]\nname = 1", "category"),
        ("not toml at all", "is not TOML"),
        ("", "category"),
        ('keyword = "regex"\n', "word"),
        ('[[category]]\nname="A"\n[[category.topic]]\nname="T"\nkeywords=[]', "keywords"),
        ('[[category]]\nname="A"\n[[category.topic]]\nname="T"\nkeywords=["!"]', "no letters"),
        (
            '[[category]]\nname="A"\n[[category.topic]]\nname="T"\nkeywords=["a"]\n'
            '[[category.topic]]\nname="t"\nkeywords=["b"]',
            "twice",
        ),
        (
            '[[category]]\nname="A"\n[[category.topic]]\nname="T"\nkeywords=["a"]\n'
            '[[category.topic]]\nname="U"\nkeywords=["A"]',
            "gives the keyword",
        ),
        ('[[category]]\nname="A"\nextra=1\n[[category.topic]]\nname="T"\nkeywords=["a"]', "extra"),
    ],
)
def test_a_wrong_file_says_what_is_wrong(tmp_path, content, message):
    path = tmp_path / "topics.toml"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=message) as error:
        read_topics(path)
    assert str(path) in str(error.value)


def test_keywords_of_a_template_count_where_asked():
    item = template("a", "Sunday", keywords=("german", "baker"))
    assert next(iter(TopicFilter({}, FilterContext()).judge([item]))).verdict == "drop"
    wide = TopicFilter({"match": "name and keywords"}, FilterContext())
    assert next(iter(wide.judge([item]))).verdict == "keep"
