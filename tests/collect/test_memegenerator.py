"""Sites of the memegenerator kind and encyclopaedias, over HTTP, whole and broken."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from examples.sites.serve import Running, serving
from memeloc.collect.sources.encyclopaedia import EncyclopaediaSource
from memeloc.collect.sources.memegenerator import MemegeneratorSource, votes_of
from memeloc.errors import InputError, ServiceError
from memeloc.items import Year
from tests.collect.example_sites import collected, statuses
from tests.each import each


@pytest.fixture(scope="module")
def site() -> Iterator[Running]:
    with serving() as running:
        yield running


def test_a_caption_has_text_votes_and_its_language(site: Running) -> None:
    address = f"{site.address}/memegenerator/German-Shepherd-At-The-Gate"
    result = collected(MemegeneratorSource(address), site)
    assert len(result.templates) == 1
    by_top = {caption.parts[0]: caption for caption in result.captions}
    caption = by_top["the parcel is for the neighbour"]
    assert caption.parts == ("the parcel is for the neighbour", "I still need to see some papers")
    assert (caption.votes, caption.language) == (1769, "en")
    # The page is in English, which says nothing of a caption.
    german = by_top["der Zaun ist neu"]
    assert (german.language, german.details["page_language"]) == ("", "en")
    assert {caption.votes for caption in result.captions if caption.votes is None} == set()


def test_any_page_of_a_template_gives_it_the_same_key(
    site: Running,
) -> None:
    address = f"{site.address}/memegenerator/Indian-Tea-Elephant"
    whole = collected(MemegeneratorSource(address), site)
    middle = collected(MemegeneratorSource(f"{address}/images/popular/alltime/page/2"), site)
    assert middle.templates[0].origin.key == whole.templates[0].origin.key
    assert {caption.origin.key for caption in middle.captions} < {
        caption.origin.key for caption in whole.captions
    }


@pytest.mark.parametrize("options", [{"limit": -1}, {"captions": -1}, {"pages": 0}])
def test_options_out_of_range_are_refused(options: dict[str, int]) -> None:
    with pytest.raises(InputError, match="1 or more"):
        MemegeneratorSource("https://example.org", **options)


def broken(site: Running, fault: str) -> str:
    return f"{site.address}/broken/memegenerator/{fault}"


@pytest.mark.parametrize("fault", ["too-many", "unavailable", "doubled"])
def test_busy_servers_and_doubled_pages_lose_nothing(fault: str) -> None:
    with serving() as site:
        result = collected(MemegeneratorSource(broken(site, fault)), site)
        assert (result.refusals, len(result.captions)) == ([], 17)
        start = [line for line in site.requests if line.split()[1].endswith(fault)]
        expected = {"too-many": [429, 200], "unavailable": [503, 503, 200], "doubled": [200]}
        assert statuses(start) == expected[fault]


def test_a_list_whose_pages_are_all_unknown_is_left_early() -> None:
    with serving() as site:
        result = collected(MemegeneratorSource(broken(site, "half-renamed")), site)
        assert result.reasons == ["unknown layout"] * 4
        assert "--selectors" in result.refusals[-1].sentence
        assert len(site.requests) <= 6


def test_renamed_classes_are_a_setting(site: Running, tmp_path: Path) -> None:
    import re

    from examples.sites import broken as faults

    page = collected(MemegeneratorSource(broken(site, "renamed")), site)
    assert page.reasons == ["unknown layout"]
    names = {
        name: f"x{faults.hash_of(name) % 1000}-{name[::-1]}"
        for name in ("optimized-instance", "bigger-img", "score", "char-img")
    }
    assert all(re.fullmatch(r"x\d+-[a-z-]+", name) for name in names.values())
    own = tmp_path / "sites.toml"
    own.write_text(
        "[memegenerator]\n"
        f'card = ".{names["char-img"]}"\n'
        f'text_top = [".{names["optimized-instance"]}-text0"]\n'
        f'text_bottom = [".{names["optimized-instance"]}-text1"]\n'
        f'picture = ["img.{names["bigger-img"]}"]\n'
        f'votes = [".{names["score"]}"]\n'
    )
    result = collected(MemegeneratorSource(broken(site, "renamed"), selectors=own), site)
    assert result.refusals == []
    assert len(result.captions) == 17
    assert result.captions[1].votes == 1769


@pytest.mark.parametrize(
    ("text", "votes"),
    [
        ("1,234", 1234),
        ("12 345 голосов", 12345),
        ("\u22127", -7),
        ("3.4k", 3400),
        ("2M", 2_000_000),
        ("votes: 0", 0),
        ("", None),
        ("none yet", None),
    ],
)
def test_votes(text: str, votes: int | None) -> None:
    assert votes_of(text) == votes


@each(
    ("fault", "reason", "captions"),
    [
        ("renamed", "unknown layout", 0),
        ("empty", "empty page", 0),
        ("wall", "login wall", 0),
        ("wall-page", "login wall", 0),
        ("robot-check", "robot check", 0),
        ("no-picture", "no picture", 17),
        ("gone-picture", "not found", 17),
        ("page-as-picture", "not a picture", 17),
        ("endless", "endless pages", 15),
        ("endless-new", "page limit", 35),
        ("elsewhere", "another host", 8),
    ],
)
def test_a_broken_page_is_one_refusal(
    site: Running, fault: str, reason: str, captions: int
) -> None:
    result = collected(MemegeneratorSource(broken(site, fault), pages=7), site)
    assert (result.reasons, len(result.captions)) == ([reason], captions)
    assert len(result.templates) == bool(captions)
    if captions == 15:
        assert result.refusals[0].url.endswith("/page/4")
    elif not captions:
        assert result.refusals[0].url == broken(site, fault)


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
