"""Topics: what a keyword matches, and what a file of topics may say."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memeloc.curate.filters.topics import BUILT_IN, Topic, TopicFilter, TopicMatcher, read_topics
from memeloc.curate.protocol import FilterContext
from memeloc.errors import InputError
from tests.curate.items import template


def test_the_papers_topics_are_shipped():
    topics = read_topics()
    by_category: dict[str, list[str]] = {}
    for topic in topics:
        by_category.setdefault(topic.category, []).append(topic.name)
    assert {name: len(names) for name, names in by_category.items()} == {
        "Religion": 3,
        "Nationality": 5,
        "Ethnicity": 4,
        "LGBTQ+": 1,
        "Political Issues": 2,
    }
    assert len(topics) == 15


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
        ("", []),
    ],
)
def test_keywords_match_whole_words(name, topics):
    matches = TopicMatcher(read_topics()).match(name)
    assert sorted(match.topic.name for match in matches) == topics


def test_the_longest_keyword_comes_first():
    animals = (Topic("A", "Pets", ("cat",)), Topic("A", "Cafes", ("cat cafe",)))
    matches = TopicMatcher(animals).match("Cat Café owners")
    assert [(match.topic.name, match.keyword) for match in matches] == [
        ("Cafes", "cat cafe"),
        ("Pets", "cat"),
    ]


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
    matcher = TopicMatcher((Topic("A", "T", (keyword,)),))
    assert bool(matcher.match(name)) is matches


@given(st.text(max_size=60))
def test_any_name_is_matched_or_not(name):
    matcher = TopicMatcher(read_topics())
    assert len(matcher.match(name)) <= 15
    assert "Germany" in [match.topic.name for match in matcher.match(f"{name} german")]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[[category]]\nname = 1", "category"),
        ("not toml at all", "is not TOML"),
        ("", "category"),
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


def test_no_file(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        read_topics(tmp_path / "none.toml")


def test_the_filter_keeps_templates_on_a_topic(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text(
        '[[category]]\nname="Animals"\n[[category.topic]]\nname="Cats"\nkeywords=["cat"]\n'
        '[[category.topic]]\nname="Dogs"\nkeywords=["dog"]\n',
        encoding="utf-8",
    )
    context = FilterContext(folder=tmp_path)
    filter_ = TopicFilter({"file": "mine.toml", "several": "ask"}, context)
    items = [template("a", "Cats"), template("b", "Cat and dog"), template("c", "Fish")]
    verdicts = {verdict.item: verdict for verdict in filter_.judge(items)}
    assert [(verdicts[key].verdict, verdicts[key].reason) for key in "abc"] == [
        ("keep", ""),
        ("ask", "several topics"),
        ("drop", "no topic"),
    ]
    assert verdicts["a"].evidence == {
        "topics": [{"category": "Animals", "topic": "Cats", "keyword": "cat"}]
    }
    first = filter_.cache_key(items[0])
    file.write_text(file.read_text(encoding="utf-8").replace("dog", "hound"), encoding="utf-8")
    assert (
        TopicFilter({"file": "mine.toml", "several": "ask"}, context).cache_key(items[0]) != first
    )
    assert BUILT_IN.is_file()


def test_keywords_of_a_template_count_where_asked():
    item = template("a", "Sunday", keywords=("german", "baker"))
    assert next(iter(TopicFilter({}, FilterContext()).judge([item]))).verdict == "drop"
    wide = TopicFilter({"match": "name and keywords"}, FilterContext())
    assert next(iter(wide.judge([item]))).verdict == "keep"
