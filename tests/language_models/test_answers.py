"""Reading what a model wrote: what counts as its answer, and that nothing breaks us."""

from __future__ import annotations

import json
from functools import partial

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import BaseModel

from memeloc.language_models.answers import read_form, read_json, refuses
from tests.each import each


class Weather(BaseModel):
    warm: bool
    note: str = ""


@each(
    "text",
    [
        '{"warm": true}',
        '  \ufeff{"warm": true}\n',
        '```json\n{"warm": true}\n```',
        '```\n{"warm": true}```',
        '<think>{"warm": false}? No.</think>{"warm": true}',
        '<think>hm</think>\n```json\n{"warm": true}\n```',
        'Sure, here you are:\n{"warm": true}\nAnything else?',
        'Sure: ```json\n{"warm": true}\n``` And again: {"warm": true}',
        'In {braces} and {"broken": then {"warm": true}',
        'NaN: {"warm": true}',
        '{"warm": true}\n-Infinity',
    ],
)
def test_one_object_is_found_whatever_stands_around_it(text: str) -> None:
    assert read_json(text) == {"warm": True}


@each(
    ("text", "wrong"),
    [
        ("", "it is not JSON"),
        ("yes", "it is not JSON"),
        ('{"warm": true', "it is not JSON: it breaks off before its end"),
        ('Sure: {"days": [{"warm": true}, {"warm": false}, {"wa', "breaks off before its end"),
        ('{"warm": true} or {"warm": false}', "several different"),
        ('{"warm": NaN}', "NaN, an infinite number"),
        ('{"warm": -1e999}', "NaN, an infinite number"),
        ('{"warm": "\\ud800"}', "lone surrogate"),
        ('{"\\udfff": 1}', "lone surrogate"),
        ("[" * 100_000, "it is not JSON"),
        ('{"a":' * 30_000, "it is not JSON"),
        ('{"a": ' + "9" * 5000 + "}", "it is not JSON"),
        ("{" * 4_000_000, "it is not JSON"),
    ],
)
def test_what_is_no_answer_says_what_is_wrong(text: str, wrong: str) -> None:
    with pytest.raises(ValueError, match=wrong):
        read_json(text)


_pieces = st.lists(
    st.one_of(
        st.text(max_size=12),
        st.sampled_from(
            ["{", "}", "[", "]", '"', ":", ",", "```json\n", "```", "<think>", "</think>", "\\",
             "\\ud800", "1e999", "NaN", "Infinity", "null", '{"warm": true}', "\ud83d", "\x00"]
        ),
        st.recursive(
            st.none() | st.booleans() | st.floats() | st.text(max_size=5) | st.integers(),
            lambda inner: st.lists(inner, max_size=3)
            | st.dictionaries(st.text(max_size=5), inner, max_size=3),
            max_leaves=6,
        ).map(json.dumps),
    ),
    max_size=12,
).map("".join)  # fmt: skip


@given(_pieces)
@example('{"warm": ' * 3000)
def test_reading_raises_nothing_but_value_error(text: str) -> None:
    refuses(text)
    for read in (read_json, partial(read_form, Weather)):
        try:
            value = read(text)
        except ValueError as error:
            assert str(error)  # noqa: PT017
        else:
            if isinstance(value, Weather):
                assert isinstance(value.warm, bool)
                value.note.encode()
            else:
                json.dumps(value, allow_nan=False, ensure_ascii=False).encode()


@given(
    st.dictionaries(st.text(st.characters(codec="utf-8")), st.integers() | st.booleans()),
    st.text(st.characters(codec="utf-8", exclude_characters="{}`<")),
)
def test_an_object_survives_fences_and_words(value: dict[str, object], words: str) -> None:
    written = json.dumps(value)
    assert read_json(written) == value
    assert read_json(f"```json\n{written}\n```") == value
    assert read_json(f"{words}: {written}\n{words}") == value


@each(
    "text",
    ["I cannot help with that.", "I'm sorry, but no.", "I’m unable to judge this.", "I can't.",
     "Sorry, I can’t do that", "As an AI, I do not judge.", "<think>no</think> I won't answer",
     "Unfortunately, this is something that I cannot answer."],
)  # fmt: skip
def test_refusals_are_known(text: str) -> None:
    assert refuses(text)
