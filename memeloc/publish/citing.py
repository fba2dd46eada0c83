"""How a release is cited and licensed. In: what a team says of it. Out: CITATION.cff, BibTeX.

Hugging Face has names of licences of its own (https://huggingface.co/docs/hub/repositories-licenses),
and CITATION.cff takes SPDX identifiers (https://spdx.org/licenses/). The list holds what both know
and data go out under; another licence is named and linked as the team gives it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from memeloc.publish.release import About, Release

CITATION = "CITATION.cff"
_SAME = (
    *("CC0-1.0", "CC-BY-2.0", "CC-BY-2.5", "CC-BY-3.0", "CC-BY-4.0"),
    *("CC-BY-SA-3.0", "CC-BY-SA-4.0", "CC-BY-ND-4.0"),
    *("CC-BY-NC-2.0", "CC-BY-NC-3.0", "CC-BY-NC-4.0", "CC-BY-NC-ND-3.0", "CC-BY-NC-ND-4.0"),
    *("CC-BY-NC-SA-2.0", "CC-BY-NC-SA-3.0", "CC-BY-NC-SA-4.0"),
    *("CDLA-Sharing-1.0", "CDLA-Permissive-1.0", "CDLA-Permissive-2.0"),
    *("Apache-2.0", "MIT", "BSD-3-Clause", "Unlicense"),
)
HUB_NAMES = {
    **{identifier: identifier.lower() for identifier in _SAME},
    "ODbL-1.0": "odbl",
    "ODC-By-1.0": "odc-by",
    "PDDL-1.0": "pddl",
}
_NEWER_THAN_CITATION = {"CDLA-Permissive-2.0"}
"""What the list of May 2021, which CITATION.cff 1.2.0 goes by, does not have."""


def is_address(licence: str) -> bool:
    return licence.startswith(("https://", "http://")) and not any(map(str.isspace, licence))


def licence_address(licence: str) -> str:
    """Return where a licence's text is; the licence itself where that is not known."""
    return f"https://spdx.org/licenses/{licence}.html" if licence in HUB_NAMES else licence


def title(about: About) -> str:
    return about.title or about.name or "Untitled dataset"


def person(name: str) -> tuple[str, str] | None:
    """Return the family name and the given name of a person; None of a group."""
    family, comma, first = (part.strip() for part in name.partition(","))
    return (family, first) if comma and family and first else None


def citation(release: Release) -> str:
    """Return the text of CITATION.cff, version 1.2.0 (https://citation-file-format.github.io).

    A licence that the format does not know is left out, for the file would be invalid with it.
    """
    about = release.about
    is_citable = about.licence in HUB_NAMES.keys() - _NEWER_THAN_CITATION
    authors = [
        {"family-names": names[0], "given-names": names[1]}
        if (names := person(author))
        else {"name": author.strip(" ,") or "Not stated"}
        for author in about.authors
    ]
    values: dict[str, Any] = {
        "cff-version": "1.2.0",
        "message": "If you use this dataset, please cite it as below.",
        "type": "dataset",
        "title": title(about),
        "version": about.version,
        "authors": authors or [{"name": "Not stated"}],
        "abstract": about.description,
        "date-released": about.date,
        "doi": about.doi,
        "url": about.homepage if is_address(about.homepage) else "",
        "license": about.licence if is_citable else "",
        "license-url": about.licence if is_address(about.licence) else "",
        "keywords": ["memes", "multilingual dataset"],
    }
    return write_yaml({key: value for key, value in values.items() if value})


def bibtex(about: About) -> str:
    """Return the release as a BibTeX entry.

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


def _plain(text: str) -> str:
    return " ".join(re.sub(r"[{}\\]", " ", text).split())


class OneLine(list[Any]):
    """A list that `write_yaml` puts on a line."""


def write_yaml(values: Mapping[str, Any], *, compact: bool = False) -> str:
    """Return a mapping as YAML, keys in their order, texts in their own script.

    `compact` puts the innermost lists and mappings on a line each.
    """
    import yaml

    class Dumper(yaml.SafeDumper):
        pass

    def one_line(dumper: Any, line: OneLine) -> Any:
        return dumper.represent_sequence("tag:yaml.org,2002:seq", line, flow_style=True)

    Dumper.add_representer(OneLine, one_line)
    return yaml.dump(
        dict(values),
        Dumper=Dumper,
        sort_keys=False,
        allow_unicode=True,
        width=10**6 if compact else 100,
        default_flow_style=None if compact else False,
    )
