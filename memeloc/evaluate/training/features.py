"""Features. In: a dataset. Out: `Features`: for each kind a matrix, a row an example.

What does not depend on what is trained on is computed once: counts of words and characters, and
vectors. What does (which words are frequent enough, idf, means) is fitted to the rows of training:
`fit_block`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from memeloc.embedding.models import create, library
from memeloc.errors import InputError
from memeloc.evaluate.training.examples import Example, Rows
from memeloc.evaluate.training.settings import FeatureSettings
from memeloc.evaluate.training.vectors import OnProgress, VectorStore
from memeloc.locales.words import plain_text, plain_words

EXTRA = "training"
VECTORS = "vectors.sqlite"
"""The file of vectors in the folder of a run."""
Modality = Literal["text", "picture"]


@dataclass(frozen=True, eq=False)
class Block:
    """One kind of features of all examples.

    Attributes:
        name: in the run file.
        modality: of what it is.
        settings: as in the run file.
        matrix: a row an example: sparse counts, or vectors (float32).
        terms: of counts: what each column counts, in order; None for vectors.
        present: by example whether it has a text, or a picture.
    """

    name: str
    modality: Modality
    settings: FeatureSettings
    matrix: Any
    terms: NDArray[np.object_] | None = field(repr=False)
    present: NDArray[np.bool_] = field(repr=False)


@dataclass(frozen=True, eq=False)
class Features:
    """All features of a dataset's examples, by name."""

    blocks: Mapping[str, Block]
    examples: int

    def present(self, names: tuple[str, ...]) -> NDArray[np.bool_]:
        """By example whether it has any of these features; all examples for no names."""
        if not names:
            return np.ones(self.examples, dtype=bool)
        present = np.stack([self.blocks[name].present for name in names])
        return np.asarray(present.any(axis=0), dtype=bool)


def compute_features(
    examples: Sequence[Example],
    settings: Mapping[str, FeatureSettings],
    folder: Path,
    on_progress: OnProgress = lambda what, more, total: None,
) -> Features:
    """Compute all features of examples, whose labels nobody looks at.

    Args:
        folder: where vectors are kept.

    Raises:
        InputError: a picture cannot be read, or a model's settings are wrong.
        MissingError: scikit-learn, or what an embedding model needs, is not installed.
    """
    blocks = {}
    for name, each in settings.items():
        if each.kind in ("words", "characters"):
            blocks[name] = _counts(name, each, examples)
        else:
            blocks[name] = _vectors(name, each, examples, folder / VECTORS, on_progress)
    return Features(blocks, len(examples))


def document(text: str, language: str, kind: str) -> str:
    """A text as its words or characters are counted: words between single spaces, small letters."""
    if kind == "words":
        return " ".join(plain_words(text, language))
    return " ".join(plain_text(text, language).casefold().split())


def _counts(name: str, settings: FeatureSettings, examples: Sequence[Example]) -> Block:
    text_features = library("sklearn.feature_extraction.text", EXTRA)
    documents = [document(each.text, each.language, settings.kind) for each in examples]
    vectorizer = text_features.CountVectorizer(
        # Characters in a row within a word, with the space at each of its ends.
        analyzer="word" if settings.kind == "words" else "char_wb",
        token_pattern=r"\S+" if settings.kind == "words" else None,
        lowercase=False,
        ngram_range=settings.lengths,
        dtype=np.float32,
    )
    present = np.array([bool(each) for each in documents])
    try:
        matrix = vectorizer.fit_transform(documents)
        terms = np.asarray(vectorizer.get_feature_names_out(), dtype=object)
    except ValueError as error:
        raise InputError(f"No text of these examples has {settings.kind} to count.") from error
    return Block(name, "text", settings, matrix.tocsr(), terms, present)


def _vectors(
    name: str,
    settings: FeatureSettings,
    examples: Sequence[Example],
    path: Path,
    on_progress: OnProgress,
) -> Block:
    is_picture = settings.kind == "pictures"
    things: list[Any] = [each.picture if is_picture else each.text for each in examples]
    present = np.array([bool(thing) for thing in things])
    if not present.any():
        raise InputError(f"The feature {name} needs {settings.kind}, and no example has any.")
    embedder = create("images" if is_picture else "texts", settings.model, settings.settings)
    vectors = VectorStore(path).embed(embedder, [each for each in things if each], on_progress)
    matrix = np.zeros((len(things), vectors.shape[1]), dtype=np.float32)
    matrix[present] = vectors
    return Block(name, "picture" if is_picture else "text", settings, matrix, None, present)


@dataclass(frozen=True, eq=False)
class FittedBlock:
    """What was learned of a block on rows of training.

    Attributes:
        name: of the block.
        terms: of counts: those taken, in the order of their columns; None for vectors.
        scaling: scikit-learn's TfidfTransformer, or StandardScaler.
        reduction: scikit-learn's TruncatedSVD, or None.
    """

    name: str
    terms: NDArray[np.object_] | None = field(repr=False)
    scaling: Any
    reduction: Any = None

    def apply(self, features: Features, rows: Rows) -> Any:
        """The features of rows, as a classifier takes them; zeros where an example has none.

        Raises:
            InputError: the features were made with other settings.
        """
        block = features.blocks.get(self.name)
        if block is None or (block.terms is None) != (self.terms is None):
            raise InputError(f"The model needs the feature {self.name!r}, as it was trained with.")
        matrix = block.matrix[rows]
        if self.terms is not None:
            matrix = self.scaling.transform(_columns(matrix, block.terms, self.terms))
        else:
            if matrix.shape[1] != self.scaling.n_features_in_:
                raise InputError(f"The feature {self.name!r} is of another embedding model.")
            matrix = self.scaling.transform(matrix)
            matrix[~block.present[rows]] = 0
        return matrix if self.reduction is None else self.reduction.transform(matrix)


def fit_block(block: Block, rows: Rows, *, components: int = 0, seed: int = 0) -> FittedBlock:
    """What is learned of a block on some rows: the terms and their idf, or means and scales.

    Texts get tf-idf of length 1 (1 + ln of the count, smooth idf), as by scikit-learn's
    TfidfVectorizer with `sublinear_tf`; numbers of vectors are standardised and divided by the root
    of their count. Either kind has a row's length near 1, so joined features weigh alike.

    Args:
        rows: of training; those that lack the feature are left out.
        components: see `ModelSettings.most_components`; a block with fewer columns is not reduced.
        seed: of the reduction.

    Raises:
        InputError: no row has the feature, or no term stands in enough texts.
    """
    own = rows[block.present[rows]]
    if not len(own):
        raise InputError(f"No example of training has the feature {block.name}.")
    matrix = block.matrix[own]
    terms = None
    if block.terms is not None:
        columns = _frequent(matrix, block)
        terms, matrix = block.terms[columns], matrix[:, columns]
        extraction = library("sklearn.feature_extraction.text", EXTRA)
        scaling = extraction.TfidfTransformer(sublinear_tf=True).fit(matrix)
    else:
        scaling = library("sklearn.preprocessing", EXTRA).StandardScaler().fit(matrix)
        scaling.scale_ = scaling.scale_ * np.sqrt(matrix.shape[1])
    reduction = None
    if 0 < components < min(matrix.shape):
        decomposition = library("sklearn.decomposition", EXTRA)
        reduction = decomposition.TruncatedSVD(components, random_state=seed)
        reduction.fit(scaling.transform(matrix))
    return FittedBlock(block.name, terms, scaling, reduction)


def _frequent(matrix: Any, block: Block) -> Rows:
    """The columns of the terms that stand in enough texts, in order."""
    texts = np.diff(matrix.tocsc().indptr)
    columns = np.flatnonzero(texts >= block.settings.fewest)
    if not len(columns):
        raise InputError(
            f"No term of {block.name} stands in {block.settings.fewest} texts of training; "
            "set fewest = 1."
        )
    if len(columns) > block.settings.most:
        # The sort is stable: of equals the first in the order of the alphabet.
        kept = np.argsort(-texts[columns], kind="stable")[: block.settings.most]
        columns = np.sort(columns[kept])
    return np.asarray(columns, dtype=np.int64)


def _columns(matrix: Any, own: Any, wanted: Any) -> Any:
    """A matrix with the columns of other terms; terms that it lacks are columns of zeros."""
    from scipy.sparse import csr_matrix

    at = np.minimum(np.searchsorted(own, wanted), len(own) - 1)
    known = np.flatnonzero(own[at] == wanted)
    selection = csr_matrix(
        (np.ones(len(known), dtype=np.float32), (at[known], known)), shape=(len(own), len(wanted))
    )
    return matrix @ selection
