"""Tar files of samples, byte for byte as Python's tarfile writes them."""

from __future__ import annotations

import io
import tarfile
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memeloc.errors import InputError
from memeloc.picture_writers import LARGEST_SAMPLE, Sample, TarWriter, read_shard

CHARACTERS = st.characters(exclude_characters="\0", exclude_categories=["Cs"])


@given(st.text(CHARACTERS, min_size=1, max_size=300), st.binary(max_size=2000))
def test_a_file_stands_as_tarfile_writes_it(
    tmp_path_factory: pytest.TempPathFactory, key: str, content: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "shard.tar"
    with closing(TarWriter(path)) as writer:
        writer.add_sample(key, {"jpg": content})
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
    with closing(TarWriter(tmp_path / "shard.tar")) as writer:
        writer.add_sample("k" * length, {"jpg": b"x"})
    with tarfile.open(tmp_path / "shard.tar") as tar:
        assert tar.getnames() == ["k" * length + ".jpg"]


def test_a_sample_too_large_is_refused(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "a.tar", "w") as tar:
        member = tarfile.TarInfo("a.jpg")
        member.size = LARGEST_SAMPLE + 1
        tar.addfile(member, io.BytesIO(bytes(member.size)))
    with pytest.raises(InputError, match="'a' in it has more than 64 MB"):
        list(read_shard(tmp_path / "a.tar"))


def test_links_and_folders_in_a_shard_are_passed_over(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "a.tar", "w") as tar:
        for name, kind in (("a.jpg", tarfile.SYMTYPE), ("b", tarfile.DIRTYPE)):
            member = tarfile.TarInfo(name)
            member.type, member.linkname = kind, "/etc/hostname"
            tar.addfile(member)
        member = tarfile.TarInfo("c.txt")
        member.size = 3
        tar.addfile(member, io.BytesIO(b"tea"))
    assert list(read_shard(tmp_path / "a.tar")) == [Sample("c", {"txt": b"tea"})]


def test_what_is_no_tar_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "a.tar").write_bytes(b"tea" * 1000)
    with pytest.raises(InputError, match="cannot be read as a tar file"):
        list(read_shard(tmp_path / "a.tar"))
