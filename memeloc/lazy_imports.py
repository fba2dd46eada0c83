"""Lazy imports. In: where a package's names are defined. Out: hooks that import on first use."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any


def lazy_package(
    package: str, homes: Mapping[str, Sequence[str]], packages: Sequence[str] = ()
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """A package's `__getattr__` and `__dir__` (PEP 562), so that importing it costs nothing.

    Args:
        package: its name.
        homes: the modules that define what it offers, and which names each of them defines.
        packages: below it that are offered whole.
    """
    home_of = {name: module for module, names in homes.items() for name in names}

    def get(name: str) -> Any:
        if name not in home_of and name not in packages:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        if name in packages:
            value: Any = import_module(f"{package}.{name}")
        else:
            value = getattr(import_module(home_of[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *home_of, *packages})

    return get, names
