"""The APIs of memegen.link and Imgflip, spoken with a server on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pytest

from memeloc.collect.sources.template_apis import ImgflipSource, MemegenSource
from memeloc.errors import MissingError
from memeloc.items import FoundCaption, FoundTemplate, Refusal
from tests.collect.local_site import Site, serving
from tests.curate.drawn import as_png, draw_picture
from tests.local_server import Reply, json_reply

PNG = Reply(as_png(draw_picture(1, 120, 90)))


def collected(
    source: Any, site: Site, cache: Path
) -> tuple[list[FoundTemplate], list[FoundCaption], list[Refusal]]:
    result = site.collect(source, cache)
    return (
        [item for item in result if isinstance(item, FoundTemplate)],
        [item for item in result if isinstance(item, FoundCaption)],
        [item for item in result if isinstance(item, Refusal)],
    )


OWL = {"id": "owl", "name": "Owl", "lines": 2, "blank": "{address}/images/owl.png"}
OWL |= {"example": {"text": ["who", "else"]}}


def test_memegen_some_templates(tmp_path: Path) -> None:
    answers = {"/templates/owl": json_reply(OWL), "/images/owl.png": PNG}
    with serving(answers) as site:
        source = MemegenSource(site.url, ids=("owl", "missing"))
        templates, captions, refusals = collected(source, site, tmp_path)
    assert [template.origin.key for template in templates] == ["owl"]
    assert len(captions) == 1
    assert [refusal.url for refusal in refusals] == [f"{site.url}/templates/missing"]


def test_imgflip_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    memes = [{"id": "9", "name": "Found", "url": "{address}/9.png", "box_count": 2}]
    answers = {
        "/search_memes": json_reply({"success": True, "data": {"memes": memes}}),
        "/9.png": PNG,
    }
    monkeypatch.delenv("MEMELOC_IMGFLIP_USERNAME", raising=False)
    with serving(answers) as site:
        source = ImgflipSource(site.url, search=("late train", "owl"))
        with pytest.raises(MissingError, match="MEMELOC_IMGFLIP_PASSWORD"):
            collected(source, site, tmp_path)
        monkeypatch.setenv("MEMELOC_IMGFLIP_USERNAME", "somebody")
        monkeypatch.setenv("MEMELOC_IMGFLIP_PASSWORD", "a secret & more")
        templates, _, refusals = collected(source, site, tmp_path)
        assert [template.details["query"] for template in templates] == ["late train"]
        assert refusals == []
        forms = [parse_qs(request.body.decode()) for request in site.log if request.body]
        assert [form["query"] for form in forms] == [["late train"], ["owl"]]
        assert forms[0]["password"] == ["a secret & more"]
        assert not any("secret" in path for path in site.paths())
        site.replies["/search_memes"] = Reply(b"", 403)
        _, _, refusals = collected(source, site, tmp_path)
        assert [refusal.reason for refusal in refusals] == ["forbidden", "forbidden"]
    elsewhere = ImgflipSource("http://imgflip.example.org", search=("owl",))
    _, _, refusals = collected(elsewhere, site, tmp_path)
    assert [refusal.reason for refusal in refusals] == ["not https"]
    assert "secret" not in refusals[0].sentence


WRONG = [
    Reply(b"<html>maintenance</html>"),
    Reply(b"{"),
    Reply(b"[" * 100_000),
    json_reply([]),
    json_reply({}),
    json_reply(None),
    json_reply({"success": False, "error_message": "No API for you"}),
    json_reply({"success": True, "data": {"memes": "none"}}),
    json_reply({"success": True, "data": []}),
    Reply(b"", 500),
    Reply(b"slow down", 429),
]


@pytest.mark.parametrize("answer", WRONG)
def test_wrong_answers_are_refusals(tmp_path: Path, answer: Reply) -> None:
    with serving({"/get_memes": answer, "/templates/": answer}) as site:
        for source in (ImgflipSource(site.url), MemegenSource(site.url)):
            templates, captions, refusals = collected(source, site, tmp_path / source.name)
            assert (templates, captions) == ([], [])
            assert all(refusal.sentence and refusal.reason for refusal in refusals)
            if answer.body != b"[]":
                assert len(refusals) == 1
