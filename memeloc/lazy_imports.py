"""Lazy imports. In: a package's own `__init__.py`. Out: hooks that import on first use."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any


def lazy_package(
    package: str, file: str
) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """Return a package's `__all__`, `__getattr__` and `__dir__` (PEP 562); importing it costs
    nothing.

    What it offers is what its `if TYPE_CHECKING:` block imports, each `name as name`, which type
    checkers read as a re-export: names stand in one place only.

    Args:
        package: its name.
        file: its `__init__.py`.
    """
    home_of = {
        alias.name: line.module or ""
        for statement in ast.parse(Path(file).read_bytes()).body
        if isinstance(statement, ast.If)
        for line in statement.body
        if isinstance(line, ast.ImportFrom)
        for alias in line.names
    }

    def get(name: str) -> Any:
        if name not in home_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        if home_of[name] == package:
            value: Any = import_module(f"{package}.{name}")
        else:
            value = getattr(import_module(home_of[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *home_of})

    return sorted(home_of), get, names
