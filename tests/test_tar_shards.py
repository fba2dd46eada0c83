"""Tar files of samples, byte for byte as Python's tarfile writes them."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memeloc.tar_shards import Sample, ShardWriter

CHARACTERS = st.characters(exclude_characters="\0", exclude_categories=["Cs"])


@given(st.text(CHARACTERS, min_size=1, max_size=300), st.binary(max_size=2000))
def test_a_file_stands_as_tarfile_writes_it(
    tmp_path_factory: pytest.TempPathFactory, key: str, content: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "shard.tar"
    with ShardWriter(path) as writer:
        writer.add(Sample(key, {"jpg": content}))
    expected = io.BytesIO()
    member = tarfile.TarInfo(f"{key}.jpg")
    member.size = len(content)
    with tarfile.open(fileobj=expected, mode="w", format=tarfile.PAX_FORMAT) as tar:
        tar.addfile(member, io.BytesIO(content))
    written = path.read_bytes()
    assert expected.getvalue().startswith(written)
    assert not expected.getvalue()[len(written) :].strip(b"\0")


@pytest.mark.parametrize("length", [95, 96, 97])
def test_names_are_as_long_as_a_header_has_room_for(tmp_path: Path, length: int) -> None:
    with ShardWriter(tmp_path / "shard.tar") as writer:
        writer.add(Sample("k" * length, {"jpg": b"x"}))
    with tarfile.open(tmp_path / "shard.tar") as tar:
        assert tar.getnames() == ["k" * length + ".jpg"]
