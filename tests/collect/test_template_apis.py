"""The APIs of memegen.link and Imgflip, spoken with a server on this machine."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pytest

from memeloc.collect.fetching.fetch import Fetcher, FetchSettings
from memeloc.collect.sources.template_apis import ImgflipSource, MemegenSource
from memeloc.errors import MissingError
from memeloc.items import FoundCaption, FoundTemplate, Refusal
from tests.collect.memegen_samples import drawing
from tests.collect.small_server import Answer, Site, as_json, serving


def png() -> Answer:
    stream = io.BytesIO()
    drawing((120, 90)).save(stream, "PNG")
    return Answer(stream.getvalue(), "image/png")


def fetcher_for(site: Site, cache: Path) -> Fetcher:
    settings = FetchSettings(delay=0.0, retries=0, allow_hosts=frozenset({site.host}))
    return Fetcher(cache, settings)


def collected(
    source: Any, site: Site, cache: Path
) -> tuple[list[FoundTemplate], list[FoundCaption], list[Refusal]]:
    with fetcher_for(site, cache) as fetcher:
        result = list(source.collect(fetcher))
    return (
        [item for item in result if isinstance(item, FoundTemplate)],
        [item for item in result if isinstance(item, FoundCaption)],
        [item for item in result if isinstance(item, Refusal)],
    )


OWL = {
    "id": "owl",
    "name": "Owl",
    "lines": 2,
    "blank": "{address}/images/owl.png",
    "example": {"text": ["who", "else"]},
}


def test_memegen_some_templates(tmp_path: Path) -> None:
    answers = {"/templates/owl": as_json(OWL), "/images/owl.png": png()}
    with serving(answers) as site:
        source = MemegenSource(site.address, ids=("owl", "missing"))
        templates, captions, refusals = collected(source, site, tmp_path)
    assert [template.origin.key for template in templates] == ["owl"]
    assert len(captions) == 1
    assert [refusal.url for refusal in refusals] == [f"{site.address}/templates/missing"]


def test_imgflip_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    memes = [{"id": "9", "name": "Found", "url": "{address}/9.png", "box_count": 2}]
    answers = {
        "/search_memes": as_json({"success": True, "data": {"memes": memes}}),
        "/9.png": png(),
    }
    monkeypatch.delenv("MEMELOC_IMGFLIP_USERNAME", raising=False)
    with serving(answers) as site:
        source = ImgflipSource(site.address, search=("late train", "owl"))
        with pytest.raises(MissingError, match="MEMELOC_IMGFLIP_PASSWORD"):
            collected(source, site, tmp_path)
        monkeypatch.setenv("MEMELOC_IMGFLIP_USERNAME", "somebody")
        monkeypatch.setenv("MEMELOC_IMGFLIP_PASSWORD", "a secret & more")
        templates, _, refusals = collected(source, site, tmp_path)
        assert [template.details["query"] for template in templates] == ["late train"]
        assert refusals == []
        assert [parse_qs(form)["query"] for form in site.posted] == [["late train"], ["owl"]]
        assert parse_qs(site.posted[0])["password"] == ["a secret & more"]
        assert not any("secret" in path for path in site.asked)
        site.answers["/search_memes"] = Answer(b"", "text/plain", 403)
        _, _, refusals = collected(source, site, tmp_path)
        assert [refusal.reason for refusal in refusals] == ["forbidden", "forbidden"]
    elsewhere = ImgflipSource("http://imgflip.example.org", search=("owl",))
    _, _, refusals = collected(elsewhere, site, tmp_path)
    assert [refusal.reason for refusal in refusals] == ["not https"]
    assert "secret" not in refusals[0].sentence


WRONG = [
    Answer(b"<html>maintenance</html>", "text/html"),
    Answer(b"{", "application/json"),
    Answer(b"[" * 100_000, "application/json"),
    as_json([]),
    as_json({}),
    as_json(None),
    as_json({"success": False, "error_message": "No API for you"}),
    as_json({"success": True, "data": {"memes": "none"}}),
    as_json({"success": True, "data": []}),
    Answer(b"", "application/json", 500),
    Answer(b"slow down", "text/plain", 429),
]


@pytest.mark.parametrize("answer", WRONG)
def test_wrong_answers_are_refusals(tmp_path: Path, answer: Answer) -> None:
    with serving({"/get_memes": answer, "/templates/": answer}) as site:
        for source in (ImgflipSource(site.address), MemegenSource(site.address)):
            templates, captions, refusals = collected(source, site, tmp_path / source.name)
            assert (templates, captions) == ([], [])
            assert all(refusal.sentence and refusal.reason for refusal in refusals)
            if answer.body != b"[]":
                assert len(refusals) == 1
