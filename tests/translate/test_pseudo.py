"""Pseudolocalised text: readable, longer, bracketed or mirrored, and what must stay stays."""

from __future__ import annotations

from memeloc.locales import default
from memeloc.translate.pseudo import pseudolocalise


def test_placeholders_addresses_numbers_and_lines_stay() -> None:
    text = "Hi {name}, %d of 3 at https://a.org/b #MondayMood @me 😀\n<b>now</b>"
    written = pseudolocalise(text, default().get("es"))
    for kept in ("{name}", "%d", "3", "https://a.org/b", "#MondayMood", "@me", "😀\n<b>", "</b>"):
        assert kept in written
