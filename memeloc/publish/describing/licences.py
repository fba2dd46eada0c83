"""Licences of datasets. In: an SPDX identifier, or an address. Out: what catalogues call it.

Hugging Face has names of its own (https://huggingface.co/docs/hub/repositories-licenses), and
CITATION.cff takes SPDX identifiers (https://spdx.org/licenses/). The list holds what both know and
data go out under; another licence is named and linked as the team gives it.
"""

from __future__ import annotations

_SAME = (
    *("CC0-1.0", "CC-BY-2.0", "CC-BY-2.5", "CC-BY-3.0", "CC-BY-4.0"),
    *("CC-BY-SA-3.0", "CC-BY-SA-4.0", "CC-BY-ND-4.0"),
    *("CC-BY-NC-2.0", "CC-BY-NC-3.0", "CC-BY-NC-4.0", "CC-BY-NC-ND-3.0", "CC-BY-NC-ND-4.0"),
    *("CC-BY-NC-SA-2.0", "CC-BY-NC-SA-3.0", "CC-BY-NC-SA-4.0"),
    *("CDLA-Sharing-1.0", "CDLA-Permissive-1.0", "CDLA-Permissive-2.0"),
    *("Apache-2.0", "MIT", "BSD-3-Clause", "Unlicense"),
)
_HUB_NAMES = {
    **{identifier: identifier.lower() for identifier in _SAME},
    "ODbL-1.0": "odbl",
    "ODC-By-1.0": "odc-by",
    "PDDL-1.0": "pddl",
}
_NEWER_THAN_CITATION = {"CDLA-Permissive-2.0"}
"""What the list of May 2021, which CITATION.cff 1.2.0 goes by, does not have."""


def is_address(licence: str) -> bool:
    return licence.startswith(("https://", "http://")) and not any(map(str.isspace, licence))


def is_known(licence: str) -> bool:
    return licence in _HUB_NAMES


def is_citable(licence: str) -> bool:
    return is_known(licence) and licence not in _NEWER_THAN_CITATION


def hub_name(licence: str) -> str:
    """What Hugging Face calls it: `other` if it has no name for it, `unknown` if there is none.

    >>> hub_name("CC-BY-4.0"), hub_name("ODbL-1.0"), hub_name("LicenseRef-ours"), hub_name("")
    ('cc-by-4.0', 'odbl', 'other', 'unknown')
    """
    return _HUB_NAMES.get(licence, "other") if licence else "unknown"


def address(licence: str) -> str:
    """Where its text is; the licence itself where that is not known."""
    return f"https://spdx.org/licenses/{licence}.html" if is_known(licence) else licence
