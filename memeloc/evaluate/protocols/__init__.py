"""Protocols of trained models. In: a run file. Out: what its paper analyses, as sections.

1. `run_file` adds to a run of trained models the analyses it names; `shipped` has runs by paper.
2. `analyses` makes them: `error_analysis`, `explaining`, and those that train anew:
3. `target_task` (harmeme), `over_time` and `transferring` (charmemes), by `fitting`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memeloc.lazy_imports import lazy_package

if TYPE_CHECKING:
    from memeloc.evaluate.protocols.analyses import Analyses, analyze
    from memeloc.evaluate.protocols.run_file import (
        ProtocolRun,
        protocol_names,
        read_protocol,
    )

__all__ = ["Analyses", "ProtocolRun", "analyze", "protocol_names", "read_protocol"]

_HERE = "memeloc.evaluate.protocols"

__getattr__, __dir__ = lazy_package(
    __name__,
    {
        f"{_HERE}.analyses": ["Analyses", "analyze"],
        f"{_HERE}.run_file": ["ProtocolRun", "protocol_names", "read_protocol"],
    },
)
