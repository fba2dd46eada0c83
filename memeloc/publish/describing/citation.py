"""How a release is cited. In: what a team says of it. Out: CITATION.cff, BibTeX."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from memeloc.publish.describing.licences import is_address, is_citable
from memeloc.publish.release import About, Release

CITATION = "CITATION.cff"
MESSAGE = "If you use this dataset, please cite it as below."


def citation(release: Release) -> str:
    """The text of CITATION.cff, version 1.2.0 (https://citation-file-format.github.io).

    A licence that the format does not know is left out, for the file would be invalid with it.
    """
    about = release.about
    values: dict[str, Any] = {
        "cff-version": "1.2.0",
        "message": MESSAGE,
        "type": "dataset",
        "title": title(about),
        "version": about.version,
        "authors": [_author(name) for name in about.authors] or [{"name": "Not stated"}],
        "abstract": about.description,
        "date-released": about.date,
        "doi": about.doi,
        "url": about.homepage if is_address(about.homepage) else "",
        "license": about.licence if is_citable(about.licence) else "",
        "license-url": about.licence if is_address(about.licence) else "",
        "keywords": ["memes", "multilingual dataset"],
    }
    return write_yaml({key: value for key, value in values.items() if value})


def bibtex(about: About) -> str:
    """The release as a BibTeX entry.

    >>> about = About(name="tea", title="Tea memes", authors=("Lee, Ann",), date="2026-11-23")
    >>> print(bibtex(about))
    @misc{tea,
      title = {Tea memes},
      author = {Lee, Ann},
      year = {2026},
      version = {1.0.0}
    }
    """
    authors = [name if "," in name else f"{{{name}}}" for name in map(_plain, about.authors)]
    fields = {
        "title": _plain(title(about)),
        "author": " and ".join(authors),
        "year": about.date[:4],
        "version": _plain(about.version),
        "doi": about.doi,
        "url": _plain(about.homepage),
    }
    key = re.sub(r"[^a-z0-9-]+", "-", (about.name or "dataset").lower()).strip("-") or "dataset"
    lines = [f"  {name} = {{{value}}}" for name, value in fields.items() if value]
    return f"@misc{{{key},\n" + ",\n".join(lines) + "\n}"


def title(about: About) -> str:
    return about.title or about.name or "Untitled dataset"


def _author(name: str) -> dict[str, str]:
    family, comma, given = (part.strip() for part in name.partition(","))
    if comma and family and given:
        return {"family-names": family, "given-names": given}
    return {"name": name.strip(" ,") or "Not stated"}


def _plain(text: str) -> str:
    return " ".join(re.sub(r"[{}\\]", " ", text).split())


def write_yaml(values: Mapping[str, Any]) -> str:
    """A mapping as YAML, keys in their order, texts in their own script."""
    import yaml

    return yaml.safe_dump(
        dict(values), sort_keys=False, allow_unicode=True, width=100, default_flow_style=False
    )
