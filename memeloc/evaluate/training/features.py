"""Features. In: a table of examples. Out: a column a feature, and what learns numbers from it.

What does not depend on what is trained on is computed once, as a column of the table: words and
characters as they are counted, and vectors of embedding models, kept in a file. What does (which
words are frequent enough, idf, means) is learned by `Feature`, a transformer of scikit-learn.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from memeloc.embedding.models import Embedder, create
from memeloc.errors import InputError
from memeloc.evaluate.training.run_file import FeatureSettings
from memeloc.files import file_sha256
from memeloc.locales.words import plain_text, plain_words

OnProgress = Callable[[str, int, int], None]
"""Is given what is counted, how many more are done, and how many there are."""
EXTRA = "training"

_BATCH = 32
"""Texts or pictures that are embedded at a time, and lost at most when a run is killed."""
_KEYS = 500
"""Keys of a query; SQLite takes no more than 999 parameters everywhere."""
NGRAMS = {"words": (1, 2), "characters": (2, 4)}


def column_of(feature: str) -> str:
    """Return the column of a feature in a table of examples."""
    return f"feature: {feature}"


def compute_features(
    frame: pd.DataFrame,
    features: Mapping[str, FeatureSettings],
    folder: Path,
    on_progress: OnProgress = lambda what, more, total: None,
) -> None:
    """Add a column a feature to a table of examples, None where an example has none.

    One that is there is not computed again. Raise InputError if no example has a feature, a picture
    cannot be read, or a model's settings are wrong, MissingError if an embedding model needs what
    is not installed.

    Args:
        frame: of `frame_of`, or of a dataset.
        folder: where vectors are kept, in `vectors.sqlite`.
    """
    for name, each in features.items():
        if column_of(name) in frame:
            continue
        values: list[Any]
        if each.model:
            things = frame["picture" if each.kind == "pictures" else "text"]
            present = things.dropna()
            if not len(present):
                raise InputError(f"The feature {name} needs {each.kind}, and no example has any.")
            embedder = create(
                "images" if each.kind == "pictures" else "texts", each.model, each.settings
            )
            store = VectorStore(folder / "vectors.sqlite")
            vectors = iter(store.embed(embedder, list(present), on_progress))
            values = [next(vectors) if here else None for here in things.notna()]
        else:
            rows = zip(frame["text"].fillna(""), frame["language"], strict=True)
            if each.kind == "words":
                values = [" ".join(plain_words(text, tag)) or None for text, tag in rows]
            else:
                folded = (plain_text(text, tag).casefold().split() for text, tag in rows)
                values = [" ".join(words) or None for words in folded]
            if not any(values):
                raise InputError(f"No text of these examples has {each.kind} to count.")
        frame[column_of(name)] = pd.Series(values, index=frame.index, dtype=object)


class VectorStore:
    """Vectors in an SQLite file, by the embedder's name and the SHA-256 of what they are of.

    They are written batch by batch: a run that was stopped goes on where it was.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with closing(sqlite3.connect(path, timeout=60)) as database, database:
                database.execute(
                    "CREATE TABLE IF NOT EXISTS vectors "
                    "(embedder TEXT, sha256 TEXT, vector BLOB, PRIMARY KEY (embedder, sha256)) "
                    "WITHOUT ROWID"
                )
        except sqlite3.Error as error:
            raise InputError(
                f"holds no vectors of memeloc ({error}); move it away", file=path
            ) from error

    def embed(
        self,
        embedder: Embedder,
        things: Sequence[str] | Sequence[Path],
        on_progress: OnProgress = lambda what, more, total: None,
    ) -> NDArray[np.float32]:
        """Return a vector a text or picture file, as rows in their order. Raise InputError if a
        picture cannot be read, or the model cannot be used on it."""
        keys = [_key(thing) for thing in things]
        first = dict(zip(reversed(keys), reversed(things), strict=True))
        wanted = list(first)
        vectors: dict[str, Any] = {}
        with closing(sqlite3.connect(self._path, timeout=60)) as database:
            for start in range(0, len(wanted), _KEYS):
                some = wanted[start : start + _KEYS]
                marks = ", ".join("?" * len(some))
                rows = database.execute(
                    f"SELECT sha256, vector FROM vectors WHERE embedder = ? AND sha256 IN ({marks})",  # noqa: S608, E501 - only question marks
                    (embedder.name, *some),
                )
                vectors |= {key: np.frombuffer(content, dtype="<f4") for key, content in rows}
            missing = [key for key in dict.fromkeys(keys) if key not in vectors]
            on_progress("vectors", len(first) - len(missing), len(first))
            for start in range(0, len(missing), _BATCH):
                batch = missing[start : start + _BATCH]
                asked: Any = [first[key] for key in batch]
                computed = np.asarray(embedder.embed(asked), dtype="<f4")
                new = dict(zip(batch, computed, strict=True))
                with database:
                    database.executemany(
                        "INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)",
                        [(embedder.name, key, vector.tobytes()) for key, vector in new.items()],
                    )
                vectors |= new
                on_progress("vectors", len(batch), len(first))
        return np.stack([vectors[key] for key in keys]) if keys else np.zeros((0, 0), np.float32)


def _key(thing: str | Path) -> str:
    if isinstance(thing, str):
        return hashlib.sha256(thing.encode("utf-8", "surrogatepass")).hexdigest()
    try:
        return file_sha256(thing)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=thing) from error
