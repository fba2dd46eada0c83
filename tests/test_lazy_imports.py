"""What packages offer is there, and is imported only when it is asked for."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import pytest

PACKAGES = ("memeloc", "memeloc.templates")


@pytest.mark.parametrize("name", PACKAGES)
def test_all_that_is_offered_is_there(name: str) -> None:
    package = import_module(name)
    for offered in package.__all__:
        assert getattr(package, offered) is not None
    assert set(package.__all__) <= set(dir(package))


@pytest.mark.parametrize("name", PACKAGES)
def test_an_unknown_name_is_an_attribute_error(name: str) -> None:
    with pytest.raises(AttributeError, match=f"module '{name}' has no attribute 'colour'"):
        import_module(name).colour  # noqa: B018


def test_opening_templates_imports_nothing_that_makes_them() -> None:
    script = (
        "import sys; from memeloc.templates import load_templates; load_templates(); "
        "made = [n for n in sys.modules if n.startswith('memeloc.templates.')]; print(sorted(made))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    expected = [
        f"memeloc.templates.{name}" for name in ("definition", "loading", "names", "pictures")
    ]
    assert done.stdout.strip() == repr(expected)


@pytest.mark.parametrize("words", [["--help"], ["-h"], ["--version"]])
def test_help_imports_nothing_heavy(words: list[str]) -> None:
    command = [sys.executable, "-X", "importtime", "-m", "memeloc", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    heavy = {"numpy", "pandas", "pyarrow", "sqlalchemy", "pydantic", "PIL", "markdown_it", "attr"}
    assert "memeloc.cli" in imported
    assert not imported & heavy
