"""Pictures similar in picture and text, by embeddings. In: vectors. Out: pairs, in a `Grouping`.

charmemes 4.3: a cosine of 0.95 of both embeddings makes a duplicate, 0.85 of both goes to a person.
By the rule `text` the texts must be equal besides: "can" and "can't" are similar to any model.
The search is exact: by products of matrices, block by block.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from memeloc.counts import counted
from memeloc.curate.duplicates.grouping import Grouping
from memeloc.curate.duplicates.plain_text import plain_text
from memeloc.errors import InputError

if TYPE_CHECKING:
    from memeloc.curate.duplicates.settings import DedupSettings

Vectors = NDArray[np.float32]

_BLOCK = 1024
"""Vectors that are compared with as many others at a time: 4 MB of cosines."""
_MOST = 5_000_000
"""Pairs above the lower threshold that a usable model gives at most."""


@dataclass(frozen=True, slots=True)
class Embedded:
    """Embeddings of pictures by SHA-256, and of texts by `raw_text`."""

    pictures: Mapping[str, Vectors] = field(repr=False)
    texts: Mapping[str, Vectors] = field(repr=False)


def unit_vectors(rows: Vectors) -> Vectors:
    """Vectors of length 1; one without a direction (0, no number) stays 0, similar to none."""
    clean = np.where(np.isfinite(rows), rows, 0).astype(np.float32)
    lengths = np.linalg.norm(clean, axis=1, keepdims=True)
    return np.asarray(clean / np.where(lengths > 0, lengths, 1), dtype=np.float32)


def similar_vectors(rows: Vectors, least: float) -> Iterator[tuple[int, int, float]]:
    """All pairs of unit vectors whose cosine is at least `least`, the lesser place first."""
    for start in range(0, len(rows), _BLOCK):
        block = rows[start : start + _BLOCK]
        for across in range(start, len(rows), _BLOCK):
            table = block @ rows[across : across + _BLOCK].T
            for one, other in np.argwhere(table >= least).tolist():
                if across + other > start + one:
                    yield start + one, across + other, float(min(1.0, table[one, other]))


def raw_text(parts: tuple[str, ...]) -> str:
    """A text as an embedding model is given it."""
    return " ".join(" ".join(parts).split())


def group_similar(grouping: Grouping, embedded: Embedded, settings: DedupSettings) -> None:
    """Unite what is similar in both, and ask about what may be.

    A pair of which one text is not known goes to a person when the pictures are similar by the
    upper threshold.

    Raises:
        InputError: the model finds nearly everything similar.
    """
    places = [at for at in grouping.left() if grouping.items[at].picture in embedded.pictures]
    if len(places) < 2:
        return
    items = [grouping.items[at] for at in places]
    pictures = unit_vectors(np.stack([embedded.pictures[item.picture] for item in items]))
    raw_texts = [raw_text(item.parts) for item in items]
    plain = [plain_text(item.parts) for item in items]
    has_text = [text in embedded.texts for text in raw_texts]
    empty = np.zeros_like(next(iter(embedded.texts.values()), np.zeros(1, dtype=np.float32)))
    texts = unit_vectors(np.stack([embedded.texts.get(text, empty) for text in raw_texts]))
    pairs = similar_vectors(pictures, settings.ask_likeness)
    for number, (one, other, picture) in enumerate(pairs):
        if number >= _MOST:
            raise InputError(
                f"By this model over {_MOST:,} pairs of "
                f"{counted(len(places), 'picture is', 'pictures are')} similar by "
                f"{settings.ask_likeness:g}; it does not tell pictures apart. Use another, or "
                "raise ask_likeness in [curate.dedup]."
            )
        pair = places[one], places[other]
        scores = {"picture_likeness": round(picture, 4)}
        if not (has_text[one] and has_text[other]):
            if picture >= settings.same_likeness:
                reason = f"The pictures are similar ({picture:.3f}); a text is not known."
                grouping.ask(*pair, "likeness", scores, reason)
            continue
        text = float(min(1.0, texts[one] @ texts[other]))
        if text < settings.ask_likeness:
            continue
        scores["text_likeness"] = round(text, 4)
        reason = f"Pictures ({picture:.3f}) and texts ({text:.3f}) are similar."
        alike = min(picture, text) >= settings.same_likeness
        equal = settings.rule == "paper" or plain[one] == plain[other]
        report = grouping.same if alike and equal else grouping.ask
        report(*pair, "likeness", scores, reason)
