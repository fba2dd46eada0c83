"""The text of a page, whatever it says of its encoding."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memeloc.collect.fetching.encodings import decode

RUSSIAN = "Кот смотрит в окно и думает о рыбе, а рыба думает о море и о хорошей погоде."


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (RUSSIAN.encode(), ""),
        (RUSSIAN.encode("utf-8-sig"), "text/html; charset=koi8-r"),
        (RUSSIAN.encode("utf-16"), "text/html"),
        (RUSSIAN.encode("cp1251"), "text/html; charset=windows-1251"),
        (RUSSIAN.encode("cp1251"), 'text/html; charset="Windows-1251"'),
        (b'<meta charset="windows-1251">' + RUSSIAN.encode("cp1251"), "text/html"),
        (RUSSIAN.encode("cp1251") * 5, "text/html"),
        (RUSSIAN.encode("cp1251") * 5, "text/html; charset=utf-8000"),
    ],
)
def test_russian_is_read(body: bytes, content_type: str) -> None:
    assert RUSSIAN in decode(body, content_type)


def test_latin_1_is_read_as_browsers_read_it() -> None:
    text = decode("it\u2019s".encode("cp1252"), "text/html; charset=iso-8859-1")
    assert text == "it\u2019s"


@given(st.binary(max_size=400), st.text(max_size=60))
def test_any_bytes_are_text(body: bytes, content_type: str) -> None:
    assert isinstance(decode(body, content_type), str)


@given(st.text(st.characters(codec="utf-8"), max_size=200))
def test_utf_8_that_says_so_is_itself(text: str) -> None:
    if not text.startswith("\ufeff"):
        assert decode(text.encode(), "text/html; charset=utf-8") == text
