"""Readers, on real pictures: all keep one contract, and each reads its languages."""

from __future__ import annotations

import socket
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from memeloc.errors import MissingError
from memeloc.locales import default
from memeloc.ocr import rapid, readers
from memeloc.ocr.blocks import arrange
from memeloc.ocr.error_rate import error_rate
from memeloc.ocr.masks import WORK, cut_line, find_letters
from memeloc.ocr.readers import MEASURED, choose, reader
from memeloc.ocr.tesseract import LINE, join_words, read_words
from tests.ocr.pictures import meme, needs


@pytest.fixture(params=["rapidocr", "tesseract"])
def name(request: pytest.FixtureRequest) -> str:
    needs("eng")
    return str(request.param)


def _text(name: str, picture: Image.Image, tag: str) -> str:
    locale = default().get(tag)
    (lines,) = reader(name).read([picture], locale)
    return "\n".join(part.text for part in arrange(lines, locale))


def test_readers_give_a_list_a_picture_with_boxes_within_it(name: str) -> None:
    drawn = meme("cloud-monday", "Monday forecast // the same but wet", "en", scale=0.7)
    plain = Image.new("RGB", (300, 200), "#88aacc")
    lines = reader(name).read([drawn, plain], default().get("en"))
    assert len(lines) == 2
    assert lines[1] == []
    assert lines[0]
    for line in lines[0]:
        left, top, right, bottom = line.box
        assert 0 <= left < right <= drawn.width
        assert 0 <= top < bottom <= drawn.height
        assert 0 < line.confidence <= 1
    top, bottom = sorted(lines[0], key=lambda line: line.box[1])
    assert error_rate("Monday forecast", top.text) == 0
    assert error_rate("the same but wet", bottom.text) == 0


def test_a_text_that_was_not_read_is_still_seen() -> None:
    drawn = meme("cloud-monday", "Monday forecast // the same but wet", "en")
    top, bottom = sorted(
        reader("rapidocr").read([drawn], default().get("en"))[0], key=lambda line: line.box[1]
    )
    (unread,) = rapid.unread_lines(drawn, [top])
    assert (unread.text, unread.confidence) == ("", 0.0)
    assert np.allclose(unread.box, bottom.box)
    assert rapid.unread_lines(drawn, [top, bottom]) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "size",
    [(1, 1), *(pytest.param(size, marks=pytest.mark.slow) for size in ((3, 900), (2000, 4)))],
)
def test_every_reader_takes_pictures_of_any_shape(name: str, size: tuple[int, int]) -> None:
    assert reader(name).read([Image.new("RGB", size)], default().get("en")) == [[]]


@pytest.mark.slow
@pytest.mark.slow
def test_every_reader_finds_no_letters_in_noise(name: str) -> None:
    noise = np.random.default_rng(1).integers(0, 256, (300, 300, 3), dtype=np.uint8)
    assert len(_text(name, Image.fromarray(noise), "en")) < 12


@pytest.mark.slow
def test_plain_tesseract_reads_a_whole_page_line_by_line() -> None:
    needs("eng")
    page = Image.new("RGB", (500, 160), "white")
    draw = ImageDraw.Draw(page)
    for top, text in ((20, "Monday forecast"), (100, "the same but wet")):
        draw.text((30, top), text, "black", ImageFont.load_default(36))
    tiny, lines = reader("tesseract-plain").read(
        [Image.new("RGB", (1, 1)), page], default().get("en")
    )
    assert tiny == []
    assert [line.text for line in lines] == ["Monday forecast", "the same but wet"]
    assert all(line.confidence > 0.8 and line.box[2] > 300 for line in lines)


@pytest.mark.slow
def test_plain_tesseract_reads_less_of_a_meme_than_masks_do() -> None:
    needs("eng")
    drawn = meme("cloud-monday", "Monday forecast // the same but wet", "en")
    rate = error_rate("Monday forecast\nthe same but wet", _text("tesseract-plain", drawn, "en"))
    assert rate is None or rate > 0.3


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "tag", "text"),
    [
        ("rapidocr", "zh", "星期一…… // 000"),
        pytest.param("tesseract", "hi", "सोमवार ...... // फिर से मैं", marks=pytest.mark.slow),
    ],
)
def test_dots_are_dots_and_zeros_are_zeros(name: str, tag: str, text: str) -> None:
    needs("hin")
    read = _text(name, meme("robot-chef", text, tag), tag)
    assert "...." in read
    assert ("000" in read) == ("000" in text)


@pytest.mark.slow
def test_a_lost_word_makes_a_line_doubtful() -> None:
    """Under dots that cover half of it, Tesseract reads nothing of the first of three words."""
    needs("hin")
    clean = meme("cloud-monday", "सोमवार का मौसम", "hi")
    (lines,) = reader("tesseract").read([clean], default().get("hi"))
    assert lines
    assert not any(line.doubtful for line in lines)
    left, top, right, bottom = map(int, lines[0].box)
    left += int(0.6 * (right - left))
    dots = np.random.default_rng(1)
    covered = dots.random((bottom - top, right - left)) < 0.6
    pixels = np.array(clean.convert("RGB"))
    pixels[top:bottom, left:right][covered] = 255 * dots.integers(0, 2, (covered.sum(), 1))
    (lines,) = reader("tesseract").read([Image.fromarray(pixels)], default().get("hi"))
    assert any(line.doubtful for line in lines)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("tag", "text", "most"),
    [
        ("en", "one does not simply // leave at five", 0.05),
        pytest.param(*("de", "Wenn der Drucker // endlich geht", 0.05), marks=pytest.mark.slow),
        ("zh", "星期一的我 // 还是我，但是湿了", 0.15),
        pytest.param(*("ja", "月曜日の天気 // わたしだけ雨", 0.15), marks=pytest.mark.slow),
    ],
)
def test_rapidocr_reads_latin_chinese_and_japanese(tag: str, text: str, most: float) -> None:
    drawn = meme("robot-chef", text, tag, scale=0.9, quality=70)
    rate = error_rate(text.upper().replace(" // ", "\n"), _text("rapidocr", drawn, tag))
    assert rate is not None
    assert rate <= most


@pytest.mark.slow
@pytest.mark.parametrize(
    ("tag", "model", "text", "most"),
    [
        pytest.param(
            *("ru", "rus", "Прогноз на понедельник // это снова я", 0.1), marks=pytest.mark.slow
        ),
        ("ar", "ara", "طقس يوم الاثنين // أنا مرة أخرى", 0.2),
        pytest.param(*("he", "heb", "התחזית ליום שני // שוב אני", 0.1), marks=pytest.mark.slow),
        pytest.param(*("hi", "hin", "सोमवार का मौसम // फिर से मैं", 0.2), marks=pytest.mark.slow),
        pytest.param(*("ko", "kor", "월요일 날씨 // 다시 나", 0.2), marks=pytest.mark.slow),
        pytest.param(*("th", "tha", "พยากรณ์อากาศ // ฉันเอง", 0.2), marks=pytest.mark.slow),
    ],
)
def test_tesseract_reads_outlined_text_of_other_scripts(
    tag: str, model: str, text: str, most: float
) -> None:
    needs(model)
    drawn = meme("night-owl", text, tag, quality=75)
    rate = error_rate(text.replace(" // ", "\n"), _text("tesseract", drawn, tag))
    assert rate is not None
    assert rate <= most


@pytest.mark.slow
@pytest.mark.parametrize(
    "template", ["cat-and-plant", pytest.param("chat-with-fridge", marks=pytest.mark.slow)]
)
def test_tesseract_reads_dark_text_in_bubbles(template: str) -> None:
    needs("rus")
    drawn = meme(template, "Что на ужин? // Ничего нет", "ru")
    assert error_rate("Что на ужин?\nНичего нет", _text("tesseract", drawn, "ru")) == 0


@pytest.mark.slow
def test_tesseract_reads_light_text_on_a_black_bar() -> None:
    needs("rus")
    drawn = meme("black-bar-llama", "Лама входит в большой офис", "ru")
    assert error_rate("Лама входит в большой офис", _text("tesseract", drawn, "ru")) == 0


@pytest.mark.slow
def test_a_latin_line_in_another_script_is_read() -> None:
    needs("ara")
    drawn = meme("robot-chef", "حفظت مرة // ctrl+s", "ar")
    assert "ctrl+s" in _text("tesseract", drawn, "ar")


@pytest.mark.slow
def test_masks_read_what_the_picture_as_it_is_hides(tmp_path: Path) -> None:
    """An outlined line before stripes: Tesseract reads its mask, and not the line itself."""
    needs("eng")
    drawn = meme("busy-market", "buy onions and bread // come back", "en")
    region = min(rapid.find_text(drawn, read=False), key=lambda line: line.quad[:, 1].min())
    line = cut_line(drawn, region.quad)
    assert line is not None
    assert line.height == round(1.4 * WORK)
    mask = find_letters(line)[0]
    text, confidence = join_words(read_words([mask], "eng", LINE)[0])
    assert error_rate("buy onions and bread", text) == 0
    assert confidence > 0.8


def test_auto_takes_the_reader_that_was_measured_to_err_less() -> None:
    needs("ara", "rus", "tur")
    assert {
        tag: choose(default().get(tag)).name for tag in ("en", "zh", "ja", "ar", "ru", "tr")
    } == {
        "en": "rapidocr",
        "zh": "rapidocr",
        "ja": "rapidocr",
        "ar": "tesseract",
        "ru": "tesseract",
        "tr": "tesseract",
    }
    assert all(default().get(tag).tag == tag for tag in MEASURED)


def test_rapidocr_takes_unmeasured_languages_whose_letters_it_has() -> None:
    assert choose(default().get("sv")).name == "rapidocr"
    assert reader("rapidocr").lacks(default().get("sv")) == ""
    assert "does not know" in reader("rapidocr").lacks(default().get("uk"))


def test_missing_data_of_tesseract_is_named_with_its_package() -> None:
    needs("eng")
    if "khm" in readers.reader("tesseract")._models:  # type: ignore[attr-defined]
        pytest.skip("Khmer is installed here")
    with pytest.raises(MissingError, match="apt install tesseract-ocr-khm"):
        choose(default().get("km"))


def test_a_package_without_its_models_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "rapidocr"
    package.mkdir()
    (package / "__init__.py").write_text("raise AssertionError('it was imported')")
    monkeypatch.setattr(
        "memeloc.ocr.rapid.find_spec",
        lambda name: type("Spec", (), {"origin": str(package / "__init__.py")})(),
    )
    with pytest.raises(MissingError, match=r"without its models.*pip install 'rapidocr>="):
        rapid.RapidReader()


def test_reading_opens_no_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("it went out")

    rapid._engine.cache_clear()
    monkeypatch.setattr(socket.socket, "connect", refuse)
    drawn = meme("cloud-monday", "Monday // again", "en")
    assert error_rate("Monday again", _text("rapidocr", drawn, "en")) == 0


def test_without_the_package_the_pip_line_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memeloc.ocr.rapid.find_spec", lambda name: None)
    with pytest.raises(MissingError, match=r"pip install 'memeloc\[ocr\]'"):
        rapid.RapidReader()
