"""Text and template in, picture and proof out."""

from __future__ import annotations

from memeloc.render.proof import PROBLEMS, PartProof, Proof
from memeloc.render.renderer import Rendered, Renderer

__all__ = ["PROBLEMS", "PartProof", "Proof", "Rendered", "Renderer"]
