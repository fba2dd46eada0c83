"""Pictures are scaled and encoded once, and shared by the questions that show them."""

from __future__ import annotations

import base64
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from threading import Thread

import pytest
from PIL import Image

from memeloc.errors import InputError
from memeloc.language_models import EncodedPictures, LanguageModel, Message, Picture, picture_of
from tests.chat_server import ChatServer

Connect = Callable[..., LanguageModel]


def _opened(picture: Picture) -> Image.Image:
    return Image.open(BytesIO(base64.b64decode(picture.data_url().partition(",")[2])))


def test_a_file_is_shown_as_a_small_jpeg(tmp_path: Path) -> None:
    path = tmp_path / "tea.png"
    Image.new("RGBA", (900, 300), (200, 30, 30, 255)).save(path)
    assert _opened(picture_of(path)).size == (512, 171)
    assert _opened(picture_of(path, 1024)).size == (900, 300)
    assert _opened(picture_of(path, 64, shape="square")).size == (64, 64)
    assert _opened(picture_of(path)).format == "JPEG"


def test_its_key_follows_its_content_size_and_shape(tmp_path: Path) -> None:
    path, copy = tmp_path / "tea.png", tmp_path / "copy.png"
    Image.new("RGB", (20, 20)).save(path)
    copy.write_bytes(path.read_bytes())
    keys = {picture_of(path).key, picture_of(copy).key}
    assert len(keys) == 1
    keys |= {picture_of(path, 64).key, picture_of(path, shape="square").key}
    assert len(keys) == 3
    assert picture_of(path, sha256="abc").key.startswith("abc ")
    with pytest.raises(InputError, match="cannot be read"):
        picture_of(tmp_path / "gone.png")


def test_the_prompts_of_an_item_share_one_picture(chat: ChatServer, connect: Connect) -> None:
    reads: list[int] = []

    def read() -> bytes:
        reads.append(1)
        return b"tea"

    model = connect()
    for wording in "abc":
        model.ask([Message("user", wording, (Picture("tea", read),))])
    assert (len(reads), len(chat.bodies)) == (1, 3)


def test_threads_wait_for_the_one_that_encodes() -> None:
    reads: list[int] = []
    encoded = EncodedPictures()
    picture = Picture("tea", lambda: reads.append(1) or b"tea" * 100_000)  # type: ignore[func-returns-value]
    threads = [Thread(target=encoded.data_url, args=(picture,)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert reads == [1]


def test_no_more_is_kept_than_there_is_room() -> None:
    encoded = EncodedPictures(most=1000)
    reads: list[str] = []

    def picture(name: str, size: int = 300) -> Picture:
        return Picture(name, lambda: reads.append(name) or bytes(size))  # type: ignore[func-returns-value]

    for name in ("a", "b", "a", "c", "a", "b"):
        encoded.data_url(picture(name))
    assert reads == ["a", "b", "c", "b"]
    assert len(encoded.data_url(picture("huge", 3000))) > 3000
    assert encoded._size <= 1000


def test_a_picture_that_does_not_open_is_tried_again() -> None:
    encoded = EncodedPictures()

    def read() -> bytes:
        raise InputError("is no picture")

    for _ in range(2):
        with pytest.raises(InputError):
            encoded.data_url(Picture("broken", read))
