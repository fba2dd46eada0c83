"""The same memes in two languages. In: `MemeKnowledge` of both versions. Out: what they share.

Statements of a dimension are paired one to one so that their similarity is greatest in all; pairs
below a threshold are none. What similarity means is the embedder's: sequences of letters compare
how texts are written, a language model's vectors what they say.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Literal

from memeloc.counts import counted
from memeloc.errors import InputError
from memeloc.knowledge.graphs.names import library
from memeloc.knowledge.statements import MemeKnowledge, Statement
from memeloc.reports.sections import Bars, Report, Section, Table

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from memeloc.embedding.models import Embedder

THRESHOLD = 0.6
"""Cosine from which two statements are counterparts."""

State = Literal["both", "first", "second"]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two statements that are counterparts, or one that has none (`state` says whose it is)."""

    meme: str
    dimension: str
    first: str
    second: str
    state: State
    first_text: str = ""
    second_text: str = ""
    similarity: float | None = None


@dataclass(frozen=True, slots=True)
class DimensionComparison:
    """A dimension in two versions: statements of each, and how many have a counterpart.

    Attributes:
        memes: of which both versions have an answer.
        share: of all statements the share with a counterpart; None without statements.
    """

    dimension: str
    first: str
    second: str
    memes: int
    first_statements: int
    second_statements: int
    counterparts: int
    share: float | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """What versions of memes share.

    Attributes:
        language: of the statements, a tag; empty where versions have their own.
        memes: in at least two of the versions; `alone`, in one of them only.
        model: name of the embedder; `threshold`, its cosine from which statements are counterparts.
        pairs: by meme and dimension.
    """

    versions: tuple[str, ...]
    language: str
    memes: int
    alone: int
    model: str
    threshold: float
    dimensions: tuple[DimensionComparison, ...]
    pairs: tuple[Pair, ...]


def compare(
    memes: Iterable[MemeKnowledge],
    versions: Sequence[str],
    embedder: Embedder,
    *,
    language: str = "",
    threshold: float = THRESHOLD,
) -> Comparison:
    """Compare versions of the same memes, each two of them.

    Args:
        memes: of one recipe and model.
        versions: tags of at least two.
        language: of the statements that are compared; the one that all versions have by default.

    Raises:
        InputError: no meme has statements of one language in two versions.
        MissingError: scipy is not installed.
    """
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
    pairs: list[Pair] = []
    memes_of: Counter[tuple[str, str, str]] = Counter()
    for meme, found in sorted(compared.items()):
        for first, second in combinations([each for each in versions if each in found], 2):
            for dimension, statements, others in _answered(found[first], found[second]):
                memes_of[dimension, first, second] += 1
                pairs += [
                    Pair(meme, dimension, first, second, *rest)
                    for rest in _paired(statements, others, embedder, threshold)
                ]
    states = Counter((each.dimension, each.first, each.second, each.state) for each in pairs)
    return Comparison(
        tuple(versions),
        language,
        len(compared),
        len(by_meme) - len(compared),
        embedder.name,
        threshold,
        tuple(_dimension(key, count, states) for key, count in memes_of.items()),
        tuple(pairs),
    )


def comparison_section(result: Comparison) -> Section:
    """The comparison as a part of a report: counts by dimension, and all statements in pairs."""
    import pandas as pd

    method = (
        f"Statements in {result.language} about the same meme are paired one to one within a "
        "dimension so that the sum of their cosine similarities is greatest (Jonker and Volgenant "
        f"1987, scipy); a pair of {result.threshold:g} or more is counterparts. Vectors: "
        f"{result.model}. {counted(result.memes, 'meme')}."
    )
    short = f"Cosines of {result.model}; counterparts from {result.threshold:g}."
    dimensions = pd.DataFrame(
        list(result.dimensions), columns=list(DimensionComparison.__dataclass_fields__)
    )
    columns = {
        "dimension": "id of the dimension",
        "first": "language of one version",
        "second": "language of the other",
        "memes": "memes with an answer in both versions",
        "first_statements": "statements about the first version",
        "second_statements": "statements about the second version",
        "counterparts": "pairs of statements that are counterparts",
        "share": "share of all statements that have a counterpart, 0 to 1",
    }
    pairs = pd.DataFrame(list(result.pairs), columns=list(Pair.__dataclass_fields__))
    texts = {
        **{name: columns[name] for name in ("dimension", "first", "second")},
        "meme": "id of the meme",
        "state": "both: counterparts; else which version alone has it",
        "first_text": "statement about the first version",
        "second_text": "statement about the second version",
        "similarity": "cosine of the two, -1 to 1",
    }
    shown = pairs.assign(order=pairs["state"].eq("both")).sort_values(
        ["order", "meme"], kind="stable"
    )
    return Section(
        "comparison",
        "Meaning across languages",
        (
            Table("comparison_dimensions", "By dimension", dimensions, columns, short),
            Table(
                *("comparison_statements", "Statements, those without a counterpart first"),
                shown.drop(columns="order")[list(texts)],
                texts,
                short,
                ("first_text", "second_text"),
            ),
        ),
        (
            Bars(
                *("comparison_shares", "Statements that have a counterpart"),
                _shares(dimensions),
                *("share of statements", short),
            ),
        ),
        (method,),
        {
            "memes": result.memes,
            "alone": result.alone,
            "counterparts": int(dimensions["counterparts"].sum()),
        },
    )


def comparison_report(result: Comparison) -> Report:
    """The comparison as a report of its own, to be written by `memeloc.reports.write_report`."""
    section = comparison_section(result)
    facts = {
        "Versions": ", ".join(result.versions),
        "Statements in": result.language,
        "Memes": f"{result.memes:,} (in one version only: {result.alone:,})",
        "Vectors": f"{result.model}, counterparts from {result.threshold:g}",
    }
    title = f"Meaning in {', '.join(result.versions)}"
    return Report("comparison", title, title, facts, (section,), methods=section.sentences)


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
    """The dimensions that both have an answer of, with the statements of each."""
    answered = {each.dimension: each for each in second.dimensions if each.state != "missing"}
    for each in first.dimensions:
        if each.state != "missing" and each.dimension in answered:
            yield each.dimension, each.statements, answered[each.dimension].statements


def _paired(
    first: Sequence[Statement], second: Sequence[Statement], embedder: Embedder, threshold: float
) -> Iterator[tuple[State, str, str, float | None]]:
    """State, texts and similarity: counterparts first, then what has none."""
    left, right = set(range(len(first))), set(range(len(second)))
    if first and second:
        assign = library("scipy.optimize").linear_sum_assignment
        similarities = _similarities(first, second, embedder)
        for row, column in zip(*assign(similarities, maximize=True), strict=True):
            similarity = float(similarities[row, column])
            if similarity >= threshold:
                left.remove(int(row))
                right.remove(int(column))
                yield "both", first[row].text, second[column].text, round(similarity, 4)
    for place in sorted(left):
        yield "first", first[place].text, "", None
    for place in sorted(right):
        yield "second", "", second[place].text, None


def _similarities(
    first: Sequence[Statement], second: Sequence[Statement], embedder: Embedder
) -> np.ndarray:
    """Cosines, a row a statement of the first; a vector of zeros is similar to none."""
    import numpy as np

    vectors = embedder.embed([each.text for each in (*first, *second)]).astype(float)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    return np.asarray(vectors[: len(first)] @ vectors[len(first) :].T)


def _dimension(
    key: tuple[str, str, str], memes: int, states: Mapping[tuple[str, str, str, State], int]
) -> DimensionComparison:
    both = states[*key, "both"]
    first, second = both + states[*key, "first"], both + states[*key, "second"]
    share = 2 * both / (first + second) if first + second else None
    return DimensionComparison(*key, memes, first, second, both, share)


def _shares(dimensions: pd.DataFrame) -> pd.DataFrame:
    """Shares with a bar a dimension and a series each two versions."""
    series = dimensions["first"] + " and " + dimensions["second"]
    frame = dimensions.assign(series=series, share=dimensions["share"].astype(float))
    table = frame.pivot_table(index="dimension", columns="series", values="share", sort=False)
    table.index.name = table.columns.name = None
    return table
