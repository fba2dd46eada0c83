from __future__ import annotations

import sys
from pathlib import Path

import pytest

from memeloc.errors import InputError, MissingError
from memeloc.plugins import Registry

REGISTRY: Registry[object] = Registry(
    "memeloc.tests",
    {"path": "pathlib:Path", "one": "tests_plugin:One", "gone": "no_such_package:X"},
    "thing",
    extra="things",
)


class One:
    def __init__(self, size: int = 0) -> None:
        self.size = size


@pytest.fixture
def outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package that another one installed."""
    info = tmp_path / "other-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: other\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[memeloc.tests]\npath = os:sep\nlist = builtins:list\nlost = no_such_package:X\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setitem(sys.modules, "tests_plugin", sys.modules[__name__])


@pytest.mark.usefixtures("outside")
def test_own_plugins_come_first_then_those_of_packages() -> None:
    assert REGISTRY.names() == ("path", "one", "gone", "list", "lost")
    assert REGISTRY.load("path") is Path
    assert REGISTRY.make("list") == []
    made = REGISTRY.make("one", {"size": 3})
    assert isinstance(made, One)
    assert made.size == 3


@pytest.mark.usefixtures("outside")
def test_what_is_wrong_with_a_plugin_is_a_sentence() -> None:
    with pytest.raises(InputError, match=r"no thing 'pathh'\. Did you mean 'path'\?"):
        REGISTRY.load("pathh")
    with pytest.raises(InputError, match="The thing one has no option 'colour'; it has size"):
        REGISTRY.make("one", {"colour": 1})
    with pytest.raises(MissingError, match=r"pip install 'memeloc\[things\]'"):
        REGISTRY.load("gone")
    with pytest.raises(MissingError, match="'lost' cannot be loaded"):
        REGISTRY.load("lost")
