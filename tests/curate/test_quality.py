"""Quality of pictures: what is measured, once, and what people's answers decide."""

from __future__ import annotations

import csv
import tomllib
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw, ImageFilter

from memeloc.curate import hints as package
from memeloc.curate.filters.models import WordplayFilter
from memeloc.curate.filters.quality import FEATURE, QualityFilter, measure
from memeloc.curate.hints import MOST, hint_line, hints, in_words
from memeloc.curate.protocol import FilterContext
from memeloc.curate.verdict import Judgement
from memeloc.ocr.transcript import NO_TEXT, UNSURE
from tests.curate.items import picture
from tests.curate.judging import caption, filter_context, template


def _scene(width=500, height=400):
    """Shapes in many sizes: edges as a photograph has them."""
    random = np.random.default_rng(2)
    scene = Image.new("RGB", (width, height), "#88a0b0")
    pen = ImageDraw.Draw(scene)
    for _ in range(300):
        x, y = random.integers(0, width), random.integers(0, height)
        size = int(random.integers(4, 60))
        colour = tuple(int(value) for value in random.integers(0, 256, 3))
        pen.ellipse((x, y, x + size, y + size), fill=colour)
    return scene


@pytest.fixture
def save(tmp_path):
    def saved(image, name="scene.png"):
        path = tmp_path / name
        image.save(path)
        return path

    return saved


def test_blur_depends_on_sharpness_and_not_on_size(save):
    scene = _scene()
    sharp = measure(save(scene))["blur"]
    blurs = [
        measure(save(scene.filter(ImageFilter.GaussianBlur(radius)), f"{radius}.png"))["blur"]
        for radius in (1, 2, 5, 10)
    ]
    assert [sharp, *blurs] == sorted([sharp, *blurs], reverse=True)
    assert sharp > 500
    assert blurs[2] < 40
    assert blurs[3] < 15
    double = measure(save(scene.resize((1000, 800), Image.Resampling.LANCZOS), "double.png"))
    assert double["blur"] == pytest.approx(sharp, rel=0.25)


def test_the_laplacian_is_the_four_neighbours(save):
    dot = Image.new("L", (9, 9), 0)
    dot.putpixel((4, 4), 255)
    # One pixel of -4 * 255 and four of 255 among 81: their mean is 0, so the variance is this.
    expected = (16 + 4) * 255**2 / 81
    assert measure(save(dot))["blur"] == pytest.approx(expected, abs=0.01)


def _judge(path, *parts, settings=None, context=None, kind="picture", name="p"):
    filter_ = QualityFilter(settings or {}, context or FilterContext())
    (verdict,) = filter_.judge([picture(name, path, *parts, kind=kind)])
    return verdict.verdict, verdict.reason


def test_a_picture_is_measured_once(save):
    path = save(_scene())
    stored: dict[str, dict[str, object]] = {}
    context = FilterContext(
        features=lambda name, shas: {
            sha: value for sha, value in stored.get(name, {}).items() if sha in shas
        },
        add_features=lambda name, values: stored.setdefault(name, {}).update(values),
    )
    first = _judge(path, "text", context=context)
    assert set(stored[FEATURE]) == {"p"}
    path.unlink()
    assert _judge(path, "text", context=context) == first


def test_many_pictures_are_measured_by_several_processes(save):
    path = save(_scene(160, 160), "many.jpg")
    items = [picture(f"p{number}", path, "text") for number in range(210)]
    alone = {v.item: v for v in QualityFilter({}, FilterContext()).judge(items)}
    together = {v.item: v for v in QualityFilter({}, FilterContext(jobs=2)).judge(items)}
    assert alone == together
    assert len(alone) == 210


def test_text_is_only_looked_at_where_it_may_reject(save):
    path = save(_scene())
    assert _judge(path, "") == ("ask", "not read yet")
    assert _judge(path, "", settings={"reject": ("irrelevant",)}) == ("keep", "")


@dataclass(frozen=True)
class Read:
    """A transcript, as the workspace hands it out."""

    marks: tuple[str, ...]
    person: str = ""


@pytest.mark.parametrize(
    ("read", "parts", "judgements", "outcome"),
    [
        (None, (), (), ("ask", "not read yet")),
        (None, ("text of the source",), (), ("keep", "")),
        (Read(()), ("text",), (), ("keep", "")),
        (Read((NO_TEXT,)), (), (), ("ask", "no text")),
        (Read((NO_TEXT,)), (), (Judgement("p", "no-text", "ana", "yes"),), ("drop", "no text")),
        (Read((UNSURE,)), ("txt",), (), ("ask", "unreadable text")),
        (Read((UNSURE,), "ana"), ("text",), (), ("keep", "")),
        (Read((UNSURE,), "ana"), (), (), ("drop", "no text")),
    ],
)
def test_text_in_the_picture(save, read, parts, judgements, outcome):
    context = replace(filter_context(judgements), transcripts={"p": read} if read else {})
    assert _judge(save(_scene()), *parts, context=context) == outcome


def test_answers_and_marks_change_the_stamp(save):
    item = picture("p", save(_scene()), "text")
    plain = QualityFilter({}, FilterContext()).cache_key(item)
    assert QualityFilter({}, FilterContext()).cache_key(item) == plain
    said = Judgement("p", "cartoon", "a", "no")
    assert QualityFilter({}, filter_context([said])).cache_key(item) != plain
    marked = FilterContext(transcripts={"p": Read((UNSURE,))})
    assert QualityFilter({}, marked).cache_key(item) != plain


def test_sizes_and_shapes(save):
    scene = _scene()
    assert _judge(save(scene), "text") == ("keep", "")
    assert _judge(save(scene), kind="template") == ("keep", "")
    assert _judge(save(scene.resize((149, 400))), "text") == ("drop", "too small")
    assert _judge(save(scene.resize((900, 200))), "text") == ("drop", "stretched")
    assert _judge(save(Image.new("RGB", (300, 300), "grey")), "text") == ("drop", "blank")
    soft = scene.filter(ImageFilter.GaussianBlur(12))
    assert _judge(save(soft), "text") == ("drop", "blurred")
    assert _judge(save(soft), "text", settings={"blurred": 0}) == ("ask", "blurred")
    off = {"blurred": 0, "doubtful": 0}
    assert _judge(save(soft), "text", settings=off) == ("keep", "")


def _judged(*answers: str) -> list[Judgement]:
    return [Judgement("c1", "wordplay", f"person {n}", answer) for n, answer in enumerate(answers)]


@pytest.mark.parametrize(
    ("answers", "settings", "verdict", "reason"),
    [
        (("no", "no"), {}, "keep", ""),
        (("No ", "NO", "no"), {}, "keep", ""),
        (("yes", "yes"), {}, "drop", "wordplay"),
        (("yes", "no"), {}, "drop", "wordplay"),
        (("yes", "no"), {"disagreement": "ask"}, "ask", "people differ"),
        (("yes",), {"disagreement": "ask"}, "drop", "wordplay"),
        (("no",), {}, "ask", "answers missing"),
        (("no",), {"people": 1}, "keep", ""),
        (("no", ""), {}, "ask", "answers missing"),
        (("no", "no", "unsure"), {}, "ask", "unsure"),
        (("maybe",), {}, "ask", "unsure"),
        ((), {}, "ask", "answers missing"),
    ],
)
def test_only_what_two_people_agree_on_is_kept(
    answers: tuple[str, ...], settings: dict[str, object], verdict: str, reason: str
) -> None:
    judge = WordplayFilter(settings, filter_context(_judged(*answers)))
    item = caption("seas the day")
    (got,) = judge.judge([item])
    assert (got.verdict, got.reason, got.settings) == (verdict, reason, judge.cache_key(item))
    assert ("seize the day" in got.evidence.get("hints", "")) is (verdict == "ask")
    assert len(got.evidence["people"]) == len([answer for answer in answers if answer])


def test_a_hint_is_never_a_verdict_and_sees_the_picture() -> None:
    there = {"t1": template("Confession Bear")}
    item = caption("bare with me")
    kept, opened = (
        WordplayFilter({}, filter_context(judgements, templates=there))
        for judgements in (_judged("no", "no"), [])
    )
    assert next(kept.judge([item])).verdict == "keep"
    (got,) = opened.judge([item])
    assert got.evidence["hints"] == 'homophone: "bare" sounds like "Bear" of the picture'
    (got,) = WordplayFilter({"hints": False}, filter_context(templates=there)).judge([item])
    assert got.evidence["hints"] == ""


STARTER = Path(__file__).parents[2] / "examples" / "starter" / "captions.csv"


@pytest.mark.parametrize(
    ("text", "name", "hint"),
    [
        ("SEAS THE DAY", "", 'idiom: "SEAS THE DAY" plays on "seize the day"'),
        ("a piece of steak", "", 'idiom: "a piece of steak" plays on "a piece of cake"'),
        ("He kicked the bucket", "", 'idiom: "kicked the bucket" is an idiom'),
        ("she was spilling the beans", "", 'idiom: "spilling the beans" is an idiom'),
        ("hold your // horses", "", 'idiom: "hold your horses" is an idiom'),
        ("it made Tom’s day", "", 'idiom: "made Tom’s day" is an idiom'),
        ("the best fairy tail", "", 'idiom: "fairy tail" plays on "fairy tale"'),
        ("Olive you", "", 'idiom: "Olive you" plays on "i love you"'),
        ("You're one in a melon", "", "plays on"),
        ("flower // needs flour", "", 'homophone: "flower" and "flour" sound the same'),
        ("what a long knight", "Night Owl", 'homophone: "knight" sounds like "Night" of the'),
        ("it is purr-fect", "", 'homophone: "purr-fect" may be heard as "perfect"'),
        ("more thyme please", "", 'homophone: "thyme" may be heard as "time"'),
    ],
)
def test_what_the_lists_see(text: str, name: str, hint: str) -> None:
    assert hint in in_words(hints(caption(text), template(name)))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("I can't work today // the internet is down", "Success Kid"),
        ("Two cats are too many to feed", "Two Cats"),
        ("I will ask, will you?", ""),
        ("The bill is here", ""),
        ("Will it rain?", ""),
        ("the bears are bearing it", "Bear"),
        ("seeing the sea", ""),
        ("me // be", ""),
        ("night night", "night"),
        ("the same surname", ""),
        ("wait for it // wait", ""),
        ("I love you and happy birthday", ""),
        ("a meeting that cannot wait", ""),
        ("so definately tired of wardrobes", ""),
        ("the colour of the neighbour's sofa", ""),
        ("hahahaha sooooo tired", ""),
        ("", ""),
        ("🐈 // !!! // 42", "42"),
    ],
)
def test_what_the_lists_leave_alone(text: str, name: str) -> None:
    assert hints(caption(text), template(name)) == []


def test_plain_captions_get_few_hints() -> None:
    with STARTER.open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.DictReader(stream))
    all_hints = [hints(caption(row["en"]), template(row["template"])) for row in rows]
    hinted = [in_words(row_hints) for row_hints in all_hints if row_hints]
    assert len(rows) > 50
    assert len(hinted) <= len(rows) // 20, hinted


def test_lists_are_for_english_and_unknown_languages() -> None:
    assert hints(caption("seas the day", language="de")) == []
    for language in ("", "en", "en-GB", "EN_us"):
        assert "seize the day" in in_words(hints(caption("seas the day", language=language)))


def test_other_languages_say_that_there_are_no_hints() -> None:
    line = hint_line(caption("Tee im Büro", language="de"))
    assert line == "no hints: there are no lists for de, only for English"
    assert hint_line(caption("seas the day"), None).startswith("idiom")


def test_every_idiom_is_found_in_itself_whole() -> None:
    filled = {"one's": "my", "someone": "Tom", "oneself": "yourself"}
    lists = tomllib.loads((Path(package.__file__).parent / "idioms.en.toml").read_text("utf-8"))
    idioms = lists["idioms"].split("\n")[1:-1]
    missed = []
    for idiom in idioms:
        text = " ".join(filled.get(word, word) for word in idiom.replace(",", "").split())
        if f'"{text}" is an idiom' not in [hint.evidence for hint in hints(caption(text))]:
            missed.append(text)
    assert len(idioms) > 300
    assert missed == []


@given(st.lists(st.text(max_size=60), max_size=4), st.text(max_size=40))
def test_hints_take_any_text(parts: list[str], name: str) -> None:
    given_hints = hints(caption(" // ".join(parts)), template(name, description=name[::-1]))
    assert len(given_hints) <= MOST
    assert len(set(given_hints)) == len(given_hints)
