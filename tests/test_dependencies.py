"""What is imported is declared, and what is declared is imported or carries a font."""

from __future__ import annotations

import importlib.util
import re
import sys
import tomllib
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

from packaging.utils import canonicalize_name

from memeloc.fonts import FontLibrary
from tests.each import each

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = [
    *("collect", "ocr", "filters", "models", "embeddings", "translate", "offline", "postgresql"),
    *("google-forms", "prolific", "crowd", "studio", "copies", "analyze", "training"),
    "cluster",
    *("knowledge", "knowledge-check"),
    "cloud",
    "providers",
]
OWN = {"memeloc", "tests", "tools", "bench", "examples"}


def _declared(*extras: str) -> set[str]:
    lines = [*PROJECT["dependencies"]]
    for extra in extras:
        lines += PROJECT["optional-dependencies"][extra]
    return {canonicalize_name(re.match(r"[\w.-]+", line)[0]) for line in lines}  # type: ignore[index]


_NOT_INSTALLED = {"sentence_transformers": "sentence-transformers"}
"""Modules of packages that tests do without, and their packages."""


_IMPORT = re.compile(r"^\s*(?:from (\w[\w.]*) import |import (\w+))", re.MULTILINE)


@cache
def _imported(folder: str) -> set[str]:
    """Top-level modules that the files of a folder import, anywhere in them, but not their own."""
    modules = set()
    for path in (ROOT / folder).rglob("*.py"):
        own = OWN | {beside.stem for beside in path.parent.glob("*.py")}
        for package, module in _IMPORT.findall(path.read_text(encoding="utf-8")):
            modules |= {package.partition(".")[0] or module} - own
    return modules - set(sys.stdlib_module_names)


@cache
def _providers() -> dict[str, list[str]]:
    """The packages that bring a module; reading what all of them say of themselves takes long."""
    installed = {name: list(packages) for name, packages in packages_distributions().items()}
    return {name: [package] for name, package in _NOT_INSTALLED.items()} | installed


@each(
    ("folder", "extras"),
    [
        ("memeloc", [*EXTRAS, "torch-models", "torch"]),
        ("examples", ["small-model"]),
        ("tools", ["test", "tools"]),
        ("tests", [*EXTRAS, "torch-models", "torch", "test"]),
    ],
)
def test_every_import_is_of_a_declared_package(folder: str, extras: list[str]) -> None:
    declared = _declared(*extras)
    undeclared = {
        module
        for module in _imported(folder)
        if not declared & {canonicalize_name(name) for name in _providers().get(module, [module])}
    }
    assert not undeclared


def test_every_dependency_is_used() -> None:
    used = {
        canonicalize_name(name)
        for module in _imported("memeloc")
        for name in _providers().get(module, [module])
    }
    families = FontLibrary().families.values()
    carriers = {canonicalize_name(family.package) for family in families if family.package}
    # openpyxl parses worksheets by defusedxml wherever that is installed.
    assert _declared("ocr") - used - carriers == {"defusedxml"}


def test_what_is_installed_is_listed_with_a_licence_that_suits() -> None:
    path = ROOT / "tools" / "list_licences.py"
    spec = importlib.util.spec_from_file_location("list_licences", path)
    assert spec is not None
    assert spec.loader is not None
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    listed = (ROOT / "THIRD_PARTY.md").read_text(encoding="utf-8")
    brought = tool.needed_by(*tool.USERS_EXTRAS)
    assert [name for name in brought if not tool.may_be_used(name)] == []
    direct = {re.match(r"[\w.-]+", line)[0] for line in PROJECT["dependencies"]}  # type: ignore[index]
    assert [name for name in direct if f"\n| {canonicalize_name(name)} |" not in listed] == []
    assert [name for name in direct if "pkg-" not in name and name not in tool.PURPOSES] == []
    assert not {*tool.PURPOSES} - {*map(canonicalize_name, direct)}
