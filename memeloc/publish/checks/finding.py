"""What a rule reports, and what it may ask. In: values. Out: `Finding`, `Private`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Severity = Literal["refused", "warning"]

SETTINGS = "memeloc.toml"
"""The file of what a team says of its release."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that should not go out, or that the team should know.

    Attributes:
        rule: the rule's name.
        message: what is wrong and what to do; never a person's id.
        file: a table (`tables/answers`), a picture, a file of the release, or `SETTINGS`.
        row: as the user counts it: a table's header is row 1.
        count: how often, where only the first place is given.
    """

    rule: str
    severity: Severity
    message: str
    file: str = ""
    row: int | None = None
    column: str = ""
    count: int = 1

    def __str__(self) -> str:
        place = [self.file] if self.file else []
        if self.row is not None:
            place.append(f"row {self.row}")
        if self.column:
            place.append(f"column {self.column}")
        more = f" ({self.count:,} times)" if self.count > 1 else ""
        return f"{', '.join(place)}: {self.message}{more}" if place else f"{self.message}{more}"


@dataclass(frozen=True, slots=True)
class Private:
    """What only the workspace knows, and the release must not hold.

    Attributes:
        is_participant: whether a text is the id of somebody who takes part, as a service or as the
            workspace has it.
        is_erased: whether it is that of somebody who was erased.
        near_pictures: pairs of pictures, by their numbers, that are nearly the same.
        is_private: what of the workspace's own a file is, such as its settings; empty for nothing.
    """

    is_participant: Callable[[str], bool] = lambda text: False
    is_erased: Callable[[str], bool] = lambda text: False
    near_pictures: Callable[[Sequence[Path]], Iterable[tuple[int, int]]] = lambda pictures: ()
    is_private: Callable[[Path], str] = lambda path: ""
