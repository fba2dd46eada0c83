"""The option that an answer chooses. In: a model's words, the options as shown. Out: a `Choice`."""

from __future__ import annotations

from memeloc.evaluate.choices.choice import Choice, read_choice

__all__ = ["Choice", "read_choice"]
