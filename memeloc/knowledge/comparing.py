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

    of_versions = [each for each in memes if each.version in versions]
    language = language or _common_language(of_versions, versions)
    by_meme: dict[str, dict[str, MemeKnowledge]] = defaultdict(dict)
    for knowledge in of_versions:
        if knowledge.language == language:
            by_meme[knowledge.meme][knowledge.version] = knowledge
    compared = {meme: found for meme, found in by_meme.items() if len(found) > 1}
    if not compared:
        raise InputError(
            f"No meme has statements in {language} in two of the versions {', '.join(versions)}; "
            "memeloc knowledge status shows what there is."
        )
    counts, statements = [], []
    for meme, found in sorted(compared.items()):
        for first, second in combinations([each for each in versions if each in found], 2):
            group = BETWEEN.join((first, second))
            answered = {d.dimension: d for d in found[second].dimensions if d.state != "missing"}
            for part in found[first].dimensions:
                if part.state == "missing" or part.dimension not in answered:
                    continue
                mine, others = part.statements, answered[part.dimension].statements
                pairs = list(_paired(mine, others, embedder, threshold))
                both = len(mine) + len(others) - len(pairs)
                counts.append((group, part.dimension, 1, len(mine), len(others), both))
                for *texts, similarity in pairs:
                    named = zip((first, second), texts, strict=True)
                    said = [f"{version}: {text}" for version, text in named if text]
                    item = " | ".join([f"{meme}, {part.dimension}", *said])
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
    frame = pd.DataFrame(statements, columns=["group", "item", "similarity"])
    frame = frame.sort_values("similarity", na_position="first", kind="stable")
    figures = [
        tidy("comparison", pd.DataFrame(totals)),
        tidy("comparison-dimensions", dimensions),
        tidy("comparison-statements", frame, f"cosine of {embedder.name}"),
    ]
    settings = {"language": language, "model": embedder.name, "threshold": threshold}
    title = f"Meaning in {', '.join(versions)}"
    return Report("comparison", title, joined(figures), TEXTS, settings=settings)


def _common_language(memes: Sequence[MemeKnowledge], versions: Sequence[str]) -> str:
    languages = {v: {each.language for each in memes if each.version == v} for v in versions}
    for version, found in languages.items():
        if not found:
            raise InputError(
                f"Nothing was extracted of versions in {version}; memeloc knowledge extract "
                f"--lang {version} asks a model."
            )
    common = set.intersection(*languages.values())
    if not common:
        raise InputError(
            "The versions have no statements in the same language, so they cannot be compared: "
            "run memeloc knowledge extract for each with --statements-language en."
        )
    return "en" if "en" in common else min(common)


def _paired(
    first: Sequence[Statement], second: Sequence[Statement], embedder: Embedder, threshold: float
) -> Iterator[tuple[str, str, float | None]]:
    """Yield the texts and the similarity of counterparts, then each statement that has none."""
    import numpy as np

    left, right = set(range(len(first))), set(range(len(second)))
    if first and second:
        assign = library("scipy.optimize").linear_sum_assignment
        vectors = embedder.embed([each.text for each in (*first, *second)]).astype(float)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        # A vector of zeros is similar to none.
        vectors = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
        similarities = vectors[: len(first)] @ vectors[len(first) :].T
        for row, column in zip(*assign(similarities, maximize=True), strict=True):
            similarity = float(similarities[row, column])
            if similarity >= threshold:
                left.remove(int(row))
                right.remove(int(column))
                yield first[row].text, second[column].text, round(similarity, 4)
    yield from ((first[place].text, "", None) for place in sorted(left))
    yield from (("", second[place].text, None) for place in sorted(right))
