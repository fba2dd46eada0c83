"""What an exporter and an importer are. In: the stage's nouns. Out: the two protocols.

A target (Google Forms, Label Studio, ...) is one file for the way out and one for the way back. A
package outside adds one through the entry points `memeloc.exporters` and `memeloc.importers`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from memeloc.survey.model import CompletionCodes, Participant, RejectedRow, Sheet, Submission

if TYPE_CHECKING:
    from memeloc.survey.taxonomy import Taxonomy
    from memeloc.survey.texts import SurveyTexts


@dataclass(frozen=True, slots=True)
class SurveyPack:
    """All that an exporter needs.

    Attributes:
        name: the survey's.
        sheets: what goes out.
        taxonomy: what is asked by.
        texts: by locale tag, all words that annotators read.
        codes: by sheet id, what it shows at its end; a sheet without codes shows none.
        examples: by culture code and example id, the pictures of the taxonomy's examples.
        contact: whom annotators may ask, as they read it.
        minutes: that a sheet takes, as annotators are told; 0 where nobody measured or said it.
    """

    name: str
    sheets: tuple[Sheet, ...]
    taxonomy: Taxonomy
    texts: Mapping[str, SurveyTexts]
    codes: Mapping[str, CompletionCodes] = field(default_factory=dict)
    examples: Mapping[tuple[str, str], Path] = field(default_factory=dict)
    contact: str = ""
    minutes: int = 0


class Exporter(Protocol):
    """Writes sheets for one target.

    Attributes:
        name: on the command line.
        summary: one line for people.
    """

    name: str
    summary: str

    def export(self, pack: SurveyPack, folder: Path) -> Sequence[Path]:
        """Write everything for the target into `folder`; the same pack gives the same bytes.

        Files are written atomically; returns those that a person opens or uploads first.

        Raises:
            InputError: a sheet cannot be said in the target's terms.
        """
        ...


@dataclass(frozen=True, slots=True)
class Imported:
    """What a file holds.

    Attributes:
        submissions: in the file's order.
        participants: what it says of people.
        rejected: what could not be read or placed.
    """

    submissions: tuple[Submission, ...] = ()
    participants: tuple[Participant, ...] = ()
    rejected: tuple[RejectedRow, ...] = ()


class Importer(Protocol):
    """Reads what came back from one target.

    Attributes:
        name: as the exporter's.
    """

    name: str

    def recognises(self, path: Path) -> bool:
        """Whether a file is of this kind, by its content."""
        ...

    def read(self, path: Path, pack: SurveyPack) -> Imported:
        """Read a file; what cannot be placed is told, never lost.

        Raises:
            InputError: the file cannot be read at all.
        """
        ...
