"""The plugins of CONTRIBUTING.md, as they stand there, doing what they are for."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from memeloc.collect.fetching.fetch import Fetcher
from memeloc.collect.protocol import options_of
from memeloc.curate.protocol import FilterContext
from memeloc.items import FoundCaption, Item, Origin, Refusal
from memeloc.locales import default
from memeloc.model import Caption
from memeloc.survey.targets.resolver import import_file
from memeloc.translate.protocol import TranslationItem
from tests.publish.releases import small_release
from tests.survey.packs import pack

PAGE = Path(__file__).parents[1] / "CONTRIBUTING.md"


@pytest.fixture(scope="module")
def page() -> dict[str, Any]:
    """What the page's blocks of Python define."""
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text("utf-8"), re.M | re.S)
    names: dict[str, Any] = {"__name__": "page"}
    exec(compile("\n".join(blocks), str(PAGE), "exec"), names)
    return names


def test_the_source_yields_captions_and_refusals(page: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / "press.jsonl"
    file.write_text('{"template": "bookmark", "text": "up // down"}\nnot JSON\n', "utf-8")
    with Fetcher(None) as fetcher:
        caption, refusal = page["PressSource"](file).collect(fetcher)
    assert isinstance(caption, FoundCaption)
    assert (caption.template, caption.parts, caption.language) == ("bookmark", ("up", "down"), "en")
    assert isinstance(refusal, Refusal)
    options = {option.name: option.help for option in options_of(page["PressSource"])}
    assert options == {"path": "the file.", "language": "tag of the language that they are in."}


def test_the_filter_gives_a_verdict_with_its_reason(page: dict[str, Any]) -> None:
    judge = page["short"]({}, FilterContext())
    items = [Item(name, "caption", Origin("press", name), parts=(text,))
             for name, text in (("a", "brief"), ("b", "long " * 60))]  # fmt: skip
    verdicts = {verdict.item: (verdict.verdict, verdict.reason) for verdict in judge.judge(items)}
    assert verdicts == {"a": ("keep", ""), "b": ("drop", "too long")}
    assert (judge.name, judge.summary) == ("short", "Captions of at most 200 letters.")


def test_the_translator_answers_every_item(page: dict[str, Any]) -> None:
    english, german = default().get("en"), default().get("de")
    shout = page["build_shout"]({})
    item = TranslationItem("m1", Caption(("hi", "", "there")), english, german)
    assert shout.estimate([item]).strings == 2
    (answer,) = shout.translate([item])
    assert (answer.language, answer.caption.parts) == ("de", ("HI", "", "THERE"))


def test_the_embedder_gives_a_vector_a_picture(page: dict[str, Any], tmp_path: Path) -> None:
    paths = []
    for width in (30, 50):
        paths.append(tmp_path / f"{width}.png")
        Image.new("RGB", (width, 20)).save(paths[-1])
    vectors = page["build_sizes"]("images", "", {}).embed(paths)
    assert vectors.tolist() == [[30.0, 20.0], [50.0, 20.0]]


def test_the_target_writes_sheets_and_reads_answers(page: dict[str, Any], tmp_path: Path) -> None:
    notes, survey = page["NotesTarget"](), pack(tmp_path / "pictures")
    (sheet,) = survey.sheets
    (path,) = notes.export(survey, tmp_path / "out")
    entries = path.read_text("utf-8").split("\n")
    answers = tmp_path / "ann.notes"
    labels = dict.fromkeys(entries, "hate")
    answers.write_text(f"{json.dumps(['ann', sheet.id, labels])}\nwhat is this?\n", "utf-8")
    assert notes.recognises(answers)
    imported = import_file(notes, answers, survey)
    (submission,) = imported.submissions
    assert (submission.participant, submission.status) == ("ann", "complete")
    assert [answer.entry for answer in submission.answers] == entries
    assert [(row.row, row.reason) for row in imported.rejected] == [(2, "not an answer")]


def test_the_layout_writes_every_picture(page: dict[str, Any], tmp_path: Path) -> None:
    release = small_release(tmp_path / "made")
    (tmp_path / "out").mkdir()
    page["write_list"](release, tmp_path / "out", lambda *_: None)
    written = {
        path.relative_to(tmp_path / "out").as_posix() for path in (tmp_path / "out").rglob("*.*")
    }
    assert written == {"captions.txt", *(picture.path for picture in release.pictures())}
