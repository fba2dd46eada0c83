"""Encyclopaedias of both kinds, over HTTP, whole and broken."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from examples.sites.serve import Running, serving
from memeloc.collect.sources.encyclopaedia import EncyclopaediaSource
from memeloc.errors import ServiceError
from memeloc.items import Year
from tests.collect.example_sites import collected


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


def entry(site: Running, fault: str, **options: str) -> EncyclopaediaSource:
    return EncyclopaediaSource(f"{site.address}/broken/entry/{fault}", **options)


def test_a_page_in_windows_1251_that_does_not_say_so(site: Running) -> None:
    result = collected(entry(site, "windows-1251"), site)
    assert result.refusals == []
    assert result.templates[0].name == "Кот и чайник"
    assert result.templates[0].year is None


@pytest.mark.parametrize("fault", ["cut-json-ld", "deep-json-ld"])
def test_json_ld_that_cannot_be_read_costs_nothing_else(site: Running, fault: str) -> None:
    result = collected(entry(site, fault), site)
    assert result.refusals == []
    assert result.templates[0].year == Year(2012, "data", "table Year: 2012")
    assert len(result.pictures) == 3


def test_pictures_that_are_gone_are_refusals_and_the_entry_stays(site: Running) -> None:
    result = collected(entry(site, "gone-pictures"), site)
    assert result.reasons == ["not found"] * 4
    assert [template.picture for template in result.templates] == [None]
    assert result.templates[0].description


@pytest.mark.parametrize(
    ("fault", "reason"), [("renamed", "unknown layout"), ("json", "not a page")]
)
def test_a_page_with_nothing_expected_is_a_refusal(site: Running, fault: str, reason: str) -> None:
    result = collected(entry(site, fault), site)
    assert result.reasons == [reason]
    assert (result.templates, result.pictures) == ([], [])


def test_an_entry_without_its_text_says_so(site: Running) -> None:
    result = collected(entry(site, "no-text"), site)
    assert result.reasons == ["no text"]
    assert result.templates[0].year == Year(2012, "data", "table Year: 2012")


def test_a_login_wall(site: Running) -> None:
    result = collected(EncyclopaediaSource(f"{site.address}/broken/login"), site)
    assert result.reasons == ["login wall"]


def test_an_entry_of_the_other_kind_is_unknown(site: Running) -> None:
    address = f"{site.address}/memepedia/kot-i-chajnik/"
    result = collected(EncyclopaediaSource(address, site="know-your-meme"), site)
    assert result.reasons == ["unknown layout"]
