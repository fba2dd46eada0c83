"""Emoji: which clusters are, what they lose in one colour, and the font that draws them."""

from __future__ import annotations

import pytest

from memeloc.fonts import FontLibrary
from memeloc.fonts.faces import is_emoji, loses
from memeloc.locales import default
from tests.each import each

FONTS = FontLibrary()
COLOUR = FONTS.families["colour-emoji"]
needs_colour = pytest.mark.skipif(not COLOUR.found, reason="no colour emoji font on this system")


@each("cluster", ["😀", "☕", "⭐", "❤\ufe0f", "1\ufe0f\u20e3", "🇩🇪", "👩🏽‍💻", "🏴󠁧󠁢󠁳󠁣󠁴󠁿"])
def test_what_is_drawn_as_emoji(cluster: str) -> None:
    assert is_emoji(cluster)


@each("cluster", ["a", "1", "#", "©", "❤", "☺", "→", "☕\ufe0e", "漢", "ক্ষি"])
def test_what_is_drawn_as_text(cluster: str) -> None:
    assert not is_emoji(cluster)


@each(
    ("cluster", "lost"),
    [
        ("🇩🇪", True),
        ("👍🏽", True),
        ("💙", True),
        ("🖤", True),
        ("🏳️‍🌈", True),
        ("🟢", True),
        ("😀", False),
        ("☕", False),
        ("❤\ufe0f", True),  # red, though its name is "heavy black heart"
        ("1\ufe0f\u20e3", False),
    ],
)
def test_one_colour_loses_flags_tones_and_colours(cluster: str, lost: bool) -> None:
    assert loses(cluster, FONTS.face("noto-emoji", "poster")) is lost


@needs_colour
@each("cluster", ["🇩🇪", "👍🏽", "💙", "👨‍👩‍👧‍👦", "👩🏽‍💻", "1\ufe0f\u20e3"])
def test_a_colour_font_keeps_them(cluster: str) -> None:
    face = FONTS.stack(default().get("ar"), "plain").font_for(cluster)
    assert face is not None
    assert face.colour
    assert not loses(cluster, face)
