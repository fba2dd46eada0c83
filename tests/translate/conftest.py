"""What the tests of translation share: locales, the starter set, quick waits, local servers."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memeloc.locales import default
from memeloc.model import Caption
from memeloc.request_pool import Backoff
from memeloc.templates import load_templates
from memeloc.translate import TranslationItem
from tests.translate.google_server import GoogleServer, serve_rest

STARTER = Path(__file__).parents[2] / "examples" / "starter" / "captions.csv"


@pytest.fixture
def quick() -> Backoff:
    """Waits of milliseconds, the same each time."""
    return Backoff(attempts=14, first=0.004, longest=0.3, seed=3)


@pytest.fixture
def item() -> Callable[..., TranslationItem]:
    """An item by its source text and target: `item("a // b", "de")`."""
    count = 0

    def make(text: str, target: str = "de", *, meme_id: str = "", source: str = "en", **more):  # type: ignore[no-untyped-def]
        nonlocal count
        count += 1
        languages = default()
        return TranslationItem(
            meme_id or f"m{count}",
            Caption.parse(text),
            languages.get(source),
            languages.get(target),
            **more,
        )

    return make


@pytest.fixture(scope="session")
def starter() -> list[TranslationItem]:
    """The starter set's English captions, to be translated into four languages."""
    templates, problems = load_templates()
    assert not problems
    languages = default()
    with STARTER.open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.DictReader(stream))
    return [
        TranslationItem(
            row["meme_id"],
            Caption.parse(row["en"]),
            languages.get("en"),
            languages.get(tag),
            templates[row["template"]],
        )
        for tag in ("de", "es", "hi", "zh")
        for row in rows
    ]


@pytest.fixture
def google() -> Iterator[GoogleServer]:
    """A local server that speaks Google's v3 protocol."""
    with serve_rest() as server:
        yield server
