"""What packages export has docstrings, and the examples in docstrings are true."""

from __future__ import annotations

import doctest
import inspect
from importlib import import_module
from pathlib import Path

from tests.each import each

ROOT = Path(__file__).parents[1]
MODULES = [
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for path in sorted((ROOT / "memeloc").rglob("*.py"))
    if ">>>" in path.read_text(encoding="utf-8")
]
PACKAGES = [
    ".".join(path.parent.relative_to(ROOT).parts)
    for path in sorted((ROOT / "memeloc").rglob("__init__.py"))
]


@each("package", PACKAGES)
def test_what_a_package_exports_has_a_docstring(package: str) -> None:
    module = import_module(package)
    exported = {name: getattr(module, name) for name in getattr(module, "__all__", ())}
    public = {n: v for n, v in exported.items() if inspect.isclass(v) or inspect.isroutine(v)}
    assert [name for name, value in public.items() if not value.__doc__] == []


@each("module", MODULES)
def test_examples_are_true(module: str) -> None:
    result = doctest.testmod(import_module(module))
    assert result.attempted
    assert not result.failed
