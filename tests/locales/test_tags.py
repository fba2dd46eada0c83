"""Which locale a tag finds (RFC 4647 lookup, CLDR's aliases and likely scripts)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memeloc.errors import InputError
from memeloc.locales import default
from memeloc.locales.tags import canonical
from tests.each import each


@each(
    ("asked", "found"),
    [
        ("de", "de"),
        ("DE-at", "de"),
        ("de_AT", "de"),
        ("de-AT-1996", "de"),
        ("de-Latn-DE-x-private", "de"),
        ("de-DE-u-co-phonebk", "de"),
        ("de_DE.UTF-8", "de"),
        (" de ", "de"),
        ("deu", "de"),
        ("ger", "de"),
        ("zh", "zh-Hans"),
        ("zh-CN", "zh-Hans"),
        ("zh_SG", "zh-Hans"),
        ("zh-TW", "zh-Hant"),
        ("zh-hk", "zh-Hant"),
        ("zh-MO", "zh-Hant"),
        ("zh-Hant-HK", "zh-Hant"),
        ("zh-Hans-TW", "zh-Hans"),
        ("cmn", "zh-Hans"),
        ("zho_Hant", "zh-Hant"),
        ("iw", "he"),
        ("in", "id"),
        ("tl", "fil"),
        ("no", "nb"),
        ("prs", "fa"),
        ("npi_Deva", "ne"),
        ("pt-PT", "pt"),
        ("en-GB", "en"),
        ("es-419", "es"),
        ("sr-Cyrl-BA", "sr"),
        ("ko-Hang", "ko"),
        ("ja-Hira", "ja"),
        ("ur-Aran", "ur"),
        ("pa-IN", "pa"),
    ],
)
def test_a_tag_finds_its_locale(asked: str, found: str) -> None:
    assert default().get(asked).tag == found
    assert asked in default()


@each(
    "asked",
    [
        "sr-Latn",
        "sr-ME",
        "sh",
        "pa-PK",
        "az-IR",
        "en-Shaw",
        "de-Cyrl",
        "zh-Latn",
        "kk-CN",
        "hi-Latn",
    ],
)
def test_a_tag_never_finds_a_locale_of_another_script(asked: str) -> None:
    assert asked not in default()
    with pytest.raises(InputError, match="there is no locale"):
        default().get(asked)


@each(
    ("asked", "suggested"),
    [
        ("germn", "de (German, Latn)"),
        ("deutsch", "de (German, Latn)"),
        ("German", "de (German, Latn)"),
        ("Português", "pt (Portuguese, Latn)"),
        ("japanese", "ja (Japanese, Jpan)"),
        ("日本", "ja (Japanese, Jpan)"),
        ("chinese", "zh-Hans (Chinese (Simplified), Hans)"),
        ("sr-Latn", "sr (Serbian, Cyrl)"),
        ("हिन्दि", "hi (Hindi, Deva)"),
    ],
)
def test_an_unknown_tag_is_an_error_that_names_near_ones(asked: str, suggested: str) -> None:
    with pytest.raises(InputError) as caught:
        default().get(asked)
    assert repr(asked) in str(caught.value)
    assert suggested in str(caught.value)


@each("asked", ["", "xyzzy-nowhere", "123", "//", "\ud800", "a" * 10_000])
def test_nonsense_is_an_error_that_says_where_to_look(asked: str) -> None:
    with pytest.raises(InputError, match="memeloc locales show"):
        default().get(asked)


@given(st.text(max_size=30))
def test_any_text_either_finds_a_locale_or_is_an_input_error(text: str) -> None:
    try:
        found = default().get(text)
    except InputError:
        assert text not in default()
    else:
        assert text in default()
        assert canonical(text).lower().startswith(found.tag.split("-")[0])
