"""The same memes in two languages. In: `MemeKnowledge` of both versions. Out: what they share.

Statements of a dimension are paired one to one so that their similarity is greatest in all; pairs
below a threshold are none. What similarity means is the embedder's: sequences of letters compare
how texts are written, a language model's vectors what they say.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

from memeloc.errors import InputError
from memeloc.knowledge import TEXTS
from memeloc.knowledge.graphs import library
from memeloc.knowledge.statements import MemeKnowledge, Statement
from memeloc.reports import Report
from memeloc.reports.figures import BETWEEN, joined, tidy

if TYPE_CHECKING:
    import numpy as np

    from memeloc.embedding.models import Embedder

THRESHOLD = 0.6
"""Cosine from which two statements are counterparts."""


def compare(
    memes: Iterable[MemeKnowledge],
    versions: Sequence[str],
    embedder: Embedder,
    *,
    language: str = "",
    threshold: float = THRESHOLD,
) -> Report:
    """Compare versions of the same memes, each two of them.

    Args:
        memes: of one recipe and model.
        versions: tags of at least two.
        language: of the statements that are compared; the one that all versions have by default.

    Returns:
        Figures of the analyses `comparison` (all in all), `comparison-dimensions` (a group each two
        versions, an item each dimension) and `comparison-statements`, whose item is the meme and
        two counterparts, or a statement that has none and so no similarity.

    Raises:
        InputError: no meme has statements of one language in two versions.
        MissingError: scipy is not installed.
    """
    import pandas as pd

    by_meme: dict[str, dict[str, MemeKnowledge]] = defaultdict(dict)
    known = [each for each in memes if each.version in versions]
    language = language or _common_language(known, versions)
    for knowledge in known:
        if knowledge.language == language:
            by_meme[knowledge.meme][knowledge.version] = knowledge
    compared = {meme: found for meme, found in by_meme.items() if len(found) > 1}
    if not compared:
        raise InputError(
            f"No meme has statements in {language} in two of the versions {', '.join(versions)}; "
            "memeloc knowledge status shows what there is."
        )
    counts: list[tuple[str, str, int, int, int, int]] = []
    statements: list[tuple[str, str, float | None]] = []
    for meme, found in sorted(compared.items()):
        for first, second in combinations([each for each in versions if each in found], 2):
            group = BETWEEN.join((first, second))
            for dimension, own, others in _answered(found[first], found[second]):
                pairs = list(_paired(own, others, embedder, threshold))
                both = len(own) + len(others) - len(pairs)
                counts.append((group, dimension, 1, len(own), len(others), both))
                for text, other, similarity in pairs:
                    texts = {first: text, second: other}
                    said = [f"{version}: {words}" for version, words in texts.items() if words]
                    item = " | ".join([f"{meme}, {dimension}", *said])
                    statements.append((group, item, similarity))
    names = ["memes", "first_statements", "second_statements", "counterparts"]
    table = pd.DataFrame(counts, columns=["group", "item", *names])
    dimensions = table.groupby(["item", "group"], sort=False).sum().reset_index()
    of_both = dimensions["first_statements"] + dimensions["second_statements"]
    dimensions["share"] = 2 * dimensions["counterparts"] / of_both  # 0 / 0 is NaN
    totals = {
        "memes": [len(compared)],
        "alone": [len(by_meme) - len(compared)],
        "counterparts": [dimensions["counterparts"].sum()],
    }
    pairs_frame = pd.DataFrame(statements, columns=["group", "item", "similarity"])
    pairs_frame = pairs_frame.sort_values("similarity", na_position="first", kind="stable")
    title = f"Meaning in {', '.join(versions)}"
    return Report(
        "comparison",
        title,
        joined(
            [
                tidy("comparison", pd.DataFrame(totals)),
                tidy("comparison-dimensions", dimensions),
                tidy("comparison-statements", pairs_frame, f"cosine of {embedder.name}"),
            ]
        ),
        TEXTS,
        settings={"language": language, "model": embedder.name, "threshold": threshold},
    )


def _common_language(memes: Sequence[MemeKnowledge], versions: Sequence[str]) -> str:
    languages = [{m.language for m in memes if m.version == version} for version in versions]
    for version, found in zip(versions, languages, strict=True):
        if not found:
            raise InputError(
                f"Nothing was extracted of versions in {version}; memeloc knowledge extract "
                f"--lang {version} asks a model."
            )
    common = set.intersection(*languages)
    if not common:
        raise InputError(
            "The versions have no statements in the same language, so they cannot be compared: "
            "run memeloc knowledge extract for each with --statements-language en."
        )
    return "en" if "en" in common else min(common)


def _answered(
    first: MemeKnowledge, second: MemeKnowledge
) -> Iterator[tuple[str, tuple[Statement, ...], tuple[Statement, ...]]]:
    """Yield the dimensions that both have an answer of, with the statements of each."""
    answered = {each.dimension: each for each in second.dimensions if each.state != "missing"}
    for each in first.dimensions:
        if each.state != "missing" and each.dimension in answered:
            yield each.dimension, each.statements, answered[each.dimension].statements


def _paired(
    first: Sequence[Statement], second: Sequence[Statement], embedder: Embedder, threshold: float
) -> Iterator[tuple[str, str, float | None]]:
    """Yield the texts and the similarity of counterparts, then each statement that has none."""
    left, right = set(range(len(first))), set(range(len(second)))
    if first and second:
        assign = library("scipy.optimize").linear_sum_assignment
        similarities = _similarities(first, second, embedder)
        for row, column in zip(*assign(similarities, maximize=True), strict=True):
            similarity = float(similarities[row, column])
            if similarity >= threshold:
                left.remove(int(row))
                right.remove(int(column))
                yield first[row].text, second[column].text, round(similarity, 4)
    for place in sorted(left):
        yield first[place].text, "", None
    for place in sorted(right):
        yield "", second[place].text, None


def _similarities(
    first: Sequence[Statement], second: Sequence[Statement], embedder: Embedder
) -> np.ndarray:
    """Return cosines, a row a statement of the first; a vector of zeros is similar to none."""
    import numpy as np

    vectors = embedder.embed([each.text for each in (*first, *second)]).astype(float)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    return np.asarray(vectors[: len(first)] @ vectors[len(first) :].T)
