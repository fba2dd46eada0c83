"""Completion codes: the same again, different from each other, nothing to guess them from."""

from __future__ import annotations

from dataclasses import astuple

from memeloc.survey.model import LENGTH, LETTERS, codes

SECRET = bytes(range(32))


def test_same_secret_same_codes_and_other_secret_none_of_them() -> None:
    first, again = codes("pilot", "r1-b01-DE", SECRET), codes("pilot", "r1-b01-DE", SECRET)
    assert first == again
    other = codes("pilot", "r1-b01-DE", SECRET[::-1])
    assert not set(astuple(first)) & set(astuple(other))


def test_all_codes_of_a_survey_differ_and_are_easily_typed() -> None:
    result = [
        code
        for survey in ("pilot", "main")
        for batch in range(50)
        for culture in ("DE", "IN", "US", "CN", "MX")
        for code in astuple(codes(survey, f"r1-b{batch:02d}-{culture}", SECRET))
    ]
    assert len(set(result)) == len(result) == 2000
    assert all(len(code) == LENGTH and set(code) <= set(LETTERS) for code in result)
    assert not set("AEIOUYL01") & set(LETTERS)
