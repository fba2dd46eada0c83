"""Encyclopaedias of both kinds, over HTTP, whole and broken."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from examples.sites.serve import Running, serving
from memeloc.collect.sources.encyclopaedia import EncyclopaediaSource
from memeloc.errors import ServiceError
from memeloc.items import Year
from tests.collect.example_sites import collected
from tests.each import each


@pytest.fixture(scope="module")
def site() -> Iterator[Running]:
    with serving() as running:
        yield running


def test_a_gallery_is_a_list_of_finished_memes(site: Running) -> None:
    result = collected(EncyclopaediaSource(f"{site.address}/know-your-meme/photos"), site)
    assert result.refusals == []
    assert result.templates == []
    assert len(result.pictures) == 11, "three pages of four"
    first = result.pictures[0]
    entries = collected(EncyclopaediaSource(f"{site.address}/know-your-meme/memes/all"), site)
    assert first.template == entries.templates[0].origin.key
    assert first.year == entries.templates[0].year
    assert first.name == "Cat at the Keyboard - I closed your forty tabs"
    assert first.created == "2021-03-01T10:00:00Z"
    assert first.picture[:2] == b"\xff\xd8"
    assert first.origin.url.endswith("/photos/cat-at-the-keyboard-1")


def test_a_model_is_asked_only_where_facts_are_silent(site: Running) -> None:
    asked = []

    def model(text: str) -> Year | None:
        asked.append(text)
        return Year(2015, "model", 'a calendar that says "2015"')

    source = EncyclopaediaSource(
        f"{site.address}/know-your-meme/memes/all", examples=1, year_by_model=model
    )
    result = collected(source, site)
    assert [template.year.by for template in result.templates if template.year] == [
        "data", "model", "model", "model", "model",
    ]  # fmt: skip
    (*_, last) = asked
    assert last.startswith("Left Sock\nLeft Sock is a drawing")
    assert 'a calendar that says "2015"' in last


def test_a_model_that_fails_leaves_the_entry_without_a_year(site: Running) -> None:
    def model(text: str) -> Year | None:
        raise ServiceError("model", "is not there", retryable=False)

    source = EncyclopaediaSource(
        f"{site.address}/know-your-meme/memes/left-sock", year_by_model=model
    )
    result = collected(source, site)
    assert result.reasons == ["year not read"]
    assert [template.year for template in result.templates] == [None]
    assert len(result.pictures) == 1


@each(
    ("path", "reasons", "name", "year", "pictures"),
    [
        ("broken/entry/windows-1251", [], "Кот и чайник", 0, 2),
        ("broken/entry/cut-json-ld", [], "Cat at the Keyboard", 2012, 3),
        ("broken/entry/deep-json-ld", [], "Cat at the Keyboard", 2012, 3),
        ("broken/entry/gone-pictures", ["not found"] * 4, "Cat at the Keyboard", 2012, 0),
        ("broken/entry/no-text", ["no text"], "Cat at the Keyboard", 2012, 0),
        ("broken/entry/renamed", ["unknown layout"], "", 0, 0),
        ("broken/entry/json", ["not a page"], "", 0, 0),
        ("broken/login", ["login wall"], "", 0, 0),
        ("memepedia/kot-i-chajnik/", ["unknown layout"], "", 0, 0),
    ],
)
def test_a_broken_page_loses_what_is_broken_alone(
    site: Running, path: str, reasons: list[str], name: str, year: int, pictures: int
) -> None:
    kind = "know-your-meme" if path.startswith("memepedia") else ""
    result = collected(EncyclopaediaSource(f"{site.address}/{path}", site=kind), site)
    assert (result.reasons, len(result.pictures)) == (reasons, pictures)
    assert [each.name for each in result.templates] == ([name] if name else [])
    assert [each.year.year if each.year else 0 for each in result.templates] == [year] * bool(name)
