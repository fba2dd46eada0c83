"""The transcript of a picture. In: nothing of memeloc. Out: `Transcript`, as it is stored."""

from __future__ import annotations

from dataclasses import dataclass

NO_TEXT = "no text extracted"
"""The mark of a picture that no text was read in; a person confirms it (question `no-text`)."""

UNSURE = "reader unsure"
"""The mark of a text that its reader itself is not sure of."""

WORDS = "words may be lost or out of order"
"""The mark of a text whose words do not stand where its letters do, see `Line.doubtful`."""


@dataclass(frozen=True, slots=True)
class Transcript:
    """The text that a reader found in the picture of an item, by its id.

    Attributes:
        parts: one string a block of text, in reading order, its lines joined; empty when nothing
            was read.
        language: tag of the locale it was read in.
        reader: its name and version, such as `rapidocr 3.4.2`.
        confidence: as the reader states it, from 0 to 1, the mean over the characters; 0 when
            nothing was read.
        marks: what a person should look at: `NO_TEXT` and why (see `memeloc.ocr.failing`), or
            `UNSURE`; and `WORDS`; empty for most.
        picture: SHA-256 of what it was read in, in hex; empty where it is the item's picture now.
    """

    item: str
    parts: tuple[str, ...]
    language: str
    reader: str
    confidence: float
    marks: tuple[str, ...] = ()
    picture: str = ""

    @property
    def text(self) -> str:
        """All parts, one below the other."""
        return "\n".join(self.parts)
