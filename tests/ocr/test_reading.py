"""Pictures read by the machines of a cluster."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from memeloc.engine import ShardResult
from memeloc.errors import MissingError
from memeloc.locales import default
from memeloc.model import Locale
from memeloc.ocr import readers
from memeloc.ocr.reading import ReadPicture, ToRead, read_pictures


class _Reader:
    name = "kettle"
    version = "5.3"
    lacking = ""

    def lacks(self, locale: Locale) -> str:
        return self.lacking

    def read(self, pictures: Sequence[Image.Image], locale: Locale) -> list[list[Any]]:
        return [[] for _ in pictures]


@pytest.mark.parametrize("there", [{}, {"version": "5.5"}, {"lacking": "no model"}])
def test_a_machine_with_another_reader_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, there: dict[str, str]
) -> None:
    kettle = _Reader()
    monkeypatch.setattr(readers, "reader", lambda name: kettle)
    Image.new("RGB", (40, 40)).save(tmp_path / "m.png")
    read: list[ReadPicture] = []

    def elsewhere(
        function: Callable[[Any], Any], shards: Iterable[Any], *, jobs: int, on_done: Any
    ) -> None:
        vars(kettle).update(there)
        function = pickle.loads(pickle.dumps(function))
        for index, shard in enumerate(shards):
            on_done(ShardResult(index, shard, function(shard)))

    pictures = [ToRead("m", tmp_path / "m.png", default().get("de"), "kettle")]
    if not there:
        read_pictures(pictures, jobs=1, on_read=read.extend, shard_map=elsewhere)
        assert [picture.failure for picture in read] == [""]
        return
    with pytest.raises(MissingError, match=r"the same kettle for German \(5.*there, 5.* here\)"):
        read_pictures(pictures, jobs=1, on_read=read.extend, shard_map=elsewhere)
