"""Topics: what a keyword matches, and what a file of topics may say."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
from tests.curate.items import template


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
