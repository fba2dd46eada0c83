"""Who is written to, and in which language."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memeloc.errors import InputError
from memeloc.survey.messages import Message, write_messages
from memeloc.survey.quality.checking import check
from tests.survey.annotators import fill, person, sheet

US, DE = sheet("US"), sheet("DE")
SENT = [fill(US, "ann"), fill(DE, "bob", wrong=("check-1",)), fill(DE, "cem")]
PEOPLE = [person("ann", US), person("bob", DE), person("cem", DE), person("dora", DE)]
REPORT = check(SENT, [US, DE], PEOPLE)
TEXTS = {"de": "Hallo!", "": "Hello!"}


@pytest.mark.parametrize(
    ("to", "people"),
    [
        ("retained", ["ann", "cem"]),
        ("excluded", ["bob"]),
        ("attention", ["bob"]),
        ("absent", ["dora"]),
        ("everybody", ["ann", "bob", "cem", "dora"]),
    ],
)
def test_a_group_is_written_to(to: str, people: list[str]) -> None:
    written = write_messages(REPORT, [US, DE], TEXTS, to)
    assert sorted(message.participant for message in written) == people


def test_each_person_reads_the_language_of_the_sheet() -> None:
    written = write_messages(REPORT, [US, DE], TEXTS, "everybody")
    texts = {message.participant: message.text for message in written}
    assert texts == {"ann": "Hello!", "bob": "Hallo!", "cem": "Hallo!", "dora": "Hallo!"}


def test_only_some_cultures_are_written_to() -> None:
    written = write_messages(REPORT, [US, DE], TEXTS, "everybody", ["US"])
    assert written == [Message("ann", f"s-ann-{US.id}", US.id, "Hello!")]


def test_a_language_without_a_text_is_named() -> None:
    with pytest.raises(InputError, match="people who read en"):
        write_messages(REPORT, [US, DE], {"de": "Hallo!"}, "everybody")


def test_an_unknown_group_is_reported_with_those_there_are() -> None:
    with pytest.raises(InputError, match="retained, excluded, absent, everybody, attention"):
        write_messages(REPORT, [US, DE], TEXTS, "friends")


def test_who_came_twice_is_written_to_once() -> None:
    again = [fill(sheet("US", 2), "ann", after=9000), *SENT]
    known = [*PEOPLE, replace(person("ann", sheet("US", 2)))]
    report = check(again, [US, DE, sheet("US", 2)], known)
    written = write_messages(report, [US, DE, sheet("US", 2)], TEXTS, "everybody")
    assert [message.participant for message in written].count("ann") == 1
