"""Protocols of trained models. In: a run file. Out: what its paper analyses, as rows of figures.

1. `run_file` adds to a run of trained models the analyses it names; `shipped` has runs by paper.
2. `analyses` makes them: `error_analysis`, `explaining`, and those that train anew: `targets`, whom
   harmful items harm (harmeme), and `shifting`, over time and to other datasets (charmemes).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memeloc.lazy_imports import lazy_package

if TYPE_CHECKING:
    from memeloc.evaluate.protocols.analyses import analyze as analyze
    from memeloc.evaluate.protocols.run_file import ProtocolRun as ProtocolRun
    from memeloc.evaluate.protocols.run_file import protocol_names as protocol_names
    from memeloc.evaluate.protocols.run_file import read_protocol as read_protocol

__all__, __getattr__, __dir__ = lazy_package(__name__, __file__)
