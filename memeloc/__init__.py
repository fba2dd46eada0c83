"""memeloc: parallel, multilingual meme datasets that can be published."""

from __future__ import annotations

__version__ = "0.1.0"
