"""A meme without its text, and what people decided about it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from memeloc.errors import InputError
from memeloc.localise.localise import (
    LocalisedMeme,
    Restoring,
    localise,
    open_meme,
    text_key,
)
from memeloc.localise.protocol import (
    CleanPicture,
    CleanPictureSource,
    FinishedMeme,
    Mask,
    Pixels,
)
from memeloc.localise.restoring import Auto
from memeloc.localise.texts import find_texts
from memeloc.localise.writing import (
    Provenance,
    State,
    column_of,
    fill_captions,
    read_captions_table,
    write_captions,
    write_meme_template,
)
from memeloc.model import Template
from memeloc.templates import load_template
from tests.localise.drawn import EN, Drawn, box, drawn, gradient

TEXT = "two melons // no onion"


class Known:
    """A source that knows a template's own picture."""

    def __init__(self, template: Template) -> None:
        self.template = template

    def find(self, meme: FinishedMeme, mask: Mask) -> CleanPicture | None:
        pixels = np.asarray(Image.open(self.template.image))
        return CleanPicture(pixels, "template", self.template.name, self.template)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Drawn, Path]:
    folder = tmp_path_factory.mktemp("memes")
    meme = drawn(gradient(), TEXT, folder=folder)
    path = folder / "onion.png"
    Image.fromarray(meme.meme).save(path)
    return meme, path


def localised(
    finished: tuple[Drawn, Path],
    *sources: CleanPictureSource,
    keep: int = 0,
) -> LocalisedMeme:
    made, path = finished
    meme = open_meme(path, "onion")
    texts = find_texts(meme.pixels, made.lines, EN)
    decisions = {text_key(meme, text): "keep" for text in texts if text.number == keep}
    return localise(meme, texts, EN, [*sources, Restoring(Auto())], decisions)  # type: ignore[arg-type]


class Nothing:
    """A restorer that leaves all as it was."""

    name = "nothing"

    def restore(self, picture: Pixels, mask: Mask) -> Pixels:
        return picture.copy()


@pytest.mark.parametrize(
    ("restorer", "missed", "taken", "asked"),
    [(Auto(), False, (1, 2), ()), (Auto(), True, (1, 2), ()), (Nothing(), False, (), (1, 2))],
    ids=["clean", "outline missed", "still seen"],
)
def test_a_second_look_takes_more_out_once_and_else_asks(
    finished: tuple[Drawn, Path],
    restorer: Auto | Nothing,
    missed: bool,
    taken: tuple[int, ...],
    asked: tuple[int, ...],
) -> None:
    made, path = finished
    meme = open_meme(path, "onion")
    texts = find_texts(meme.pixels, made.lines, EN)
    if missed:
        texts = tuple(
            replace(text, strokes=replace(text.strokes, mask=text.strokes.letters))
            for text in texts
            if text.strokes is not None
        )
    ways = [Restoring(restorer)]
    first = localise(meme, texts, EN, ways)
    result = localise(meme, texts, EN, ways, read=lambda _: [])
    assert (result.taken, result.open) == (taken, asked)
    assert (result.mask.sum() > first.mask.sum()) == missed
    if missed:
        assert result.clean is not None
        assert first.clean is not None
        error, before = (
            np.abs(picture.pixels.astype(int) - made.clean)[made.letters].mean()
            for picture in (result.clean, first.clean)
        )
        assert error < before / 4
    for text in result.texts:
        assert bool(text.doubts) == (text.number in asked)


@pytest.mark.parametrize("has_it", [False, True])
def test_a_known_template_without_a_text_that_is_kept_is_not_taken(
    finished: tuple[Drawn, Path], tmp_path: Path, has_it: bool
) -> None:
    path = tmp_path / "ground.png"
    picture = Image.open(finished[1]) if has_it else gradient()
    picture.resize((300, 300)).save(path)
    result = localised(finished, Known(Template("onions", path, (box(0.02),))), keep=2)
    assert result.clean is not None
    assert result.clean.how == ("template" if has_it else "restored")
    assert result.parts == ("TWO MELONS",)


def test_a_template_that_was_changed_stays(finished: tuple[Drawn, Path], tmp_path: Path) -> None:
    result, state = localised(finished), State()
    write_meme_template(result, Provenance(), tmp_path, state)
    file = tmp_path / "templates" / "onion" / "template.toml"
    typed = file.read_text() + "\n# mine\n"
    file.write_text(typed)
    _, note = write_meme_template(localised(finished, keep=2), Provenance(), tmp_path, state)
    assert "changed by hand" in note
    assert file.read_text() == typed


def test_a_template_that_an_interrupted_run_made_is_made_anew(
    finished: tuple[Drawn, Path], tmp_path: Path
) -> None:
    write_meme_template(localised(finished), Provenance(), tmp_path, State())
    state = State.read(tmp_path)
    assert write_meme_template(localised(finished, keep=2), Provenance(), tmp_path, state)[1] == ""
    assert len(load_template(tmp_path / "templates" / "onion").boxes) == 1


def test_a_picture_keeps_its_name_by_its_content_or_its_place(tmp_path: Path) -> None:
    def name(content: str, place: str, wished: str = "cat") -> str:
        state = State.read(tmp_path / "o")
        meme = FinishedMeme(wished, tmp_path / place, content, np.zeros((0, 0, 3), np.uint8))
        chosen = state.name(meme, tmp_path / "o")
        state.write(tmp_path / "o")
        return chosen

    assert name("A", "a/cat.jpg") == "cat"
    assert name("B", "b/cat.jpg") == "cat-2"
    assert name("C", "c/cat.jpg", "Cat") == "Cat-3"
    assert name("B", "moved/cat.jpg") == "cat-2"
    assert name("A, mended", "a/cat.jpg") == "cat"
    assert name("A", "d/cat.jpg") == "cat-4"
    assert name("A", "a copy.jpg", "a-copy") == "a-copy"


def test_a_machines_translation_of_another_text_goes(tmp_path: Path) -> None:
    state = State()
    write_captions({"a": ("t", ["one"])}, "en", tmp_path, state)
    fill_captions(tmp_path, {("a", "de"): "eins"}, "en", state)
    assert write_captions({"a": ("t", ["two"])}, "en", tmp_path, state) == ()
    assert read_captions_table(tmp_path)["a"] == {
        "meme_id": "a",
        "template": "t",
        "en": "two",
        "de": "",
    }


def test_a_machines_translation_follows_a_corrected_text_and_a_persons_does_not(
    tmp_path: Path,
) -> None:
    state = State()
    write_captions({name: ("t", ["one"]) for name in "ab"}, "en", tmp_path, state)
    fill_captions(tmp_path, {(name, "de"): "eins" for name in "ab"}, "en", state)
    path = tmp_path / "captions.csv"
    typed = (
        path.read_text("utf-8-sig").replace("one", "two").replace("b,t,two,eins", "b,t,two,EINS")
    )
    path.write_text(typed)
    state = State.read(tmp_path)
    rows = read_captions_table(tmp_path)
    assert [state.lacks(rows[name], "en", "de") for name in "ab"] == [True, False]
    fill_captions(tmp_path, {(name, "de"): "zwei" for name in "ab"}, "en", state)
    rows = read_captions_table(tmp_path)
    assert [rows[name]["de"] for name in "ab"] == ["zwei", "EINS"]
    assert not any(State.read(tmp_path).lacks(rows[name], "en", "de") for name in "ab")


def test_a_table_with_a_doubled_row_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "captions.csv"
    path.write_text("meme_id,template,en\na,t,one\na,t,two\n")
    with pytest.raises(InputError, match="meme_id of its own"):
        write_captions({"a": ("t", ["one"])}, "en", tmp_path, State())
    assert path.read_text() == "meme_id,template,en\na,t,one\na,t,two\n"


@pytest.mark.parametrize(
    ("tag", "columns", "column"),
    [
        ("zh-Hans", ["meme_id", "en", "zh"], "zh"),
        ("zh-Hans", ["zh", "zh-Hans"], "zh-Hans"),
        ("de", ["meme_id", "template", "en", "notes"], "de"),
    ],
)
def test_column_of_a_language_may_have_a_shorter_tag(
    tag: str, columns: list[str], column: str
) -> None:
    assert column_of(tag, columns) == column
