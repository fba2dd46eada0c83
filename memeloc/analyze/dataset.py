"""Statistics of a dataset. In: a table of memes. Out: rows: counts, lengths of captions, words.

The counts of charmemes A, harmeme 4.1 and araharmeme C and 3.3, the lengths and words of harmeme
4.4.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from memeloc.analyze.answers import Answers, Settings
from memeloc.arrays import NO_LABEL
from memeloc.counts import counted
from memeloc.errors import InputError, MissingError
from memeloc.locales.tags import count_scripts
from memeloc.locales.words import plain_words
from memeloc.model import SEPARATOR
from memeloc.reports.figures import joined, tidy

_LABELS = "labels (of an item in a culture)"


@dataclass(frozen=True, slots=True)
class Step:
    """A stage: how many there are `of` something (a plural), and why there are no more.

    `why` counts by reason those that were left out; one may have several reasons.
    """

    of: str
    stage: str
    count: int
    why: Mapping[str, int] = field(default_factory=dict)


def funnel(answers: Answers, settings: Settings, earlier: Sequence[Step] = ()) -> pd.DataFrame:
    """Return the stages before there were answers, and from answers to votes and labels.

    By what is counted and stage `count`, `share` of the first stage, and `out`: how many fewer
    there are than at the stage before, and, with the item `STAGE: REASON`, how many of them have a
    reason.
    """
    labels = answers.table["label"]
    is_labelled = labels.isin(answers.labels)
    no_votes = {
        str(label): int(out) for label, out in sorted(labels[~is_labelled].value_counts().items())
    }
    votes = answers.votes.sum(axis=2) > 0
    labelled = answers.majority != NO_LABEL
    cells, most = int(votes.sum()), int(labelled.sum())
    cultures = counted(len(answers.cultures), "culture")
    steps = [
        *earlier,
        Step("answers", "given", len(labels)),
        Step("answers", "that vote", int(is_labelled.sum()), no_votes),
        Step("items", "answered", len(answers.names)),
        Step("items", "with a vote in a culture", int(votes.any(axis=1).sum())),
        Step("items", f"with a vote in each of {cultures}", int(votes.all(axis=1).sum())),
        Step("items", f"with a label in each of {cultures}", int(labelled.all(axis=1).sum())),
        Step(_LABELS, "with votes", cells),
        Step(_LABELS, "with a majority", most, {"tie": cells - most} if cells > most else {}),
    ]
    nan = float("nan")
    rows: list[tuple[str, str, float, float]] = []
    for step in steps:
        rows.append((step.of, step.stage, step.count, nan))
        rows += [(step.of, f"{step.stage}: {why}", nan, out) for why, out in step.why.items()]
    frame = pd.DataFrame(rows, columns=["group", "item", "count", "out"])
    stages = frame["count"].dropna().groupby(frame["group"])
    frame.insert(3, "share", frame["count"] / stages.transform("first").clip(lower=1))
    frame["out"] = frame["out"].fillna(-stages.diff())
    figures = tidy("funnel", frame, "counted at each stage")
    return figures[figures["value"].notna()]


MEME_COLUMNS = {
    "meme": "id; a meme in several languages has a row for each",
    "text": "caption or transcript, its parts joined by ` // `; empty for none",
    "language": "BCP 47 tag; empty where it is not known",
    "dialect": "as the source or annotators name it; never guessed",
    "label": "one class of one question; empty for none",
    "source": "where it was collected",
    "keyword": "what it was found by",
    "split": "the part of a published dataset that it is of, such as `train`",
    "format": "of the picture's file, such as `jpg`",
    "time": "when it was made: a year, or ISO 8601",
    "reading": "why no text was read in the picture; empty where text was read",
}
"""Columns of a table of memes; only `meme` must be there."""

NO_TEXT = "no text"
UNKNOWN = "not known"
OTHERS = "all others"
_MOST = 30
"""Names of a kind, such as sources, that are counted each; the rarer ones are `OTHERS`."""
_SHOWN_WORDS = 10
"""Words a class; harmeme shows five."""
_FEWEST_TEXTS = 2
"""Texts that a word must stand in: a word of one text tells that text."""


def dataset(answers: Answers, settings: Settings) -> pd.DataFrame:
    """Return `describe` of what was asked about, each item as each culture saw it.

    The label of such a version is the culture's majority label. Raise InputError if the texts of
    the items are not known.
    """
    versions = answers.versions
    if not len(versions):
        raise InputError("the texts of the items are not known")
    # The last name is that of NO_LABEL, -1.
    labels = np.array([*answers.labels, ""], dtype=object)[answers.majority]
    by_cell = pd.DataFrame(labels, list(answers.names), list(answers.cultures)).stack()
    cells = pd.MultiIndex.from_frame(versions[["item", "culture"]])
    label = by_cell.reindex(cells, fill_value="").to_numpy()
    return describe(versions[["text", "language"]].assign(meme=versions["item"], label=label))


def describe(table: pd.DataFrame) -> pd.DataFrame:
    """Return the counts of a table of memes, the lengths of its captions, and words of classes.

    `dataset` has by kind (`language`, `script`, `source` and the like) and name how many memes, and
    the share of each class among those that have one; `caption-lengths` by language and class words
    and characters; `class-words` by language and class the words that tell it. Raise InputError if
    it has no column `meme`, or no rows.

    Args:
        table: with those columns of `MEME_COLUMNS` that are known.
    """
    if "meme" not in table.columns:
        columns = ", ".join(MEME_COLUMNS)
        raise InputError(f"a table of memes has the columns {columns}", column="meme")
    if not len(table):
        raise InputError("the table of memes has no rows")
    memes = table.reset_index(drop=True).reindex(columns=list(MEME_COLUMNS)).astype(object)
    memes = memes.where(memes.notna(), "").astype(str).apply(lambda cells: cells.str.strip())
    has_memes = (memes != "").any()
    kinds = {
        kind: memes[kind].replace("", UNKNOWN)
        for kind in ("language", "dialect", "source", "keyword", "split", "format")
        if has_memes[kind]
    }
    whole = pd.DataFrame([{"memes": memes["meme"].nunique(), "rows": len(memes)}])
    parts = [tidy("dataset", whole, "counted")]
    if has_memes["text"]:
        if has_memes["language"]:
            kinds["language"] = kinds["language"].where(memes["text"] != "", NO_TEXT)
        # The script that most letters have (ISO 15924).
        scripts = memes["text"].str.normalize("NFC").map(count_scripts)
        most = scripts.map(lambda counts: counts.most_common(1)[0][0] if counts else UNKNOWN)
        kinds["script"] = most.where(memes["text"] != "", NO_TEXT)
        mixed = scripts.map(len).gt(1).groupby(kinds["script"]).sum().rename_axis("item")
        frame = mixed.reset_index(name="mixed").assign(group="script")
        parts.append(tidy("dataset", frame, "counted"))
    if has_memes["time"]:
        kinds["year"] = memes["time"].str.extract(r"^(\d{4})", expand=False).fillna(UNKNOWN)
    if has_memes["reading"]:
        kinds["reading"] = memes["reading"].replace("", "text was read")
    parts += [_counts(kind, names, memes["label"]) for kind, names in kinds.items()]
    if has_memes["text"]:
        parts.append(_lengths(memes[memes["text"] != ""]))
    if has_memes["text"] and has_memes["label"]:
        parts.append(_class_words(memes[(memes["text"] != "") & (memes["label"] != "")]))
    return joined(parts)


def _counts(kind: str, names: pd.Series[str], labels: pd.Series[str]) -> pd.DataFrame:
    """Return how often each name came, most first, years in their order, the rarest as one."""
    counts = names.value_counts().sort_index().sort_values(ascending=False, kind="stable")
    if kind == "year":
        counts = counts.sort_index()
    elif len(counts) > _MOST:
        names = names.where(names.isin(counts.index[: _MOST - 1]), OTHERS)
        counts = pd.concat([counts[: _MOST - 1], names[names == OTHERS].value_counts()])
    classes = pd.crosstab(names[labels != ""], labels[labels != ""]).reindex(counts.index)
    total = classes.sum(axis=1)
    shares = classes.div(total, axis="index").add_prefix("share: ")
    sizes = pd.DataFrame({f"{name}_n": total for name in shares}, counts.index)
    frame = pd.DataFrame({"group": kind, "item": counts.index, "memes": counts}, counts.index)
    frame = frame.assign(share=frame["memes"] / len(names), share_n=len(names))
    return tidy("dataset", pd.concat([frame, shares, sizes], axis=1), "counted")


def _lengths(texts: pd.DataFrame) -> pd.DataFrame:
    """Return words and characters of the texts there are, by language and class.

    Words are those of UAX #29 in the language's own segmentation (ICU), without marks; characters
    are code points in Unicode's form NFC.
    """
    rows = texts[["language", "label"]].assign(whole=False)
    pairs = zip(texts["text"], texts["language"], strict=True)
    rows["words"] = [len(plain_words(text, tag)) for text, tag in pairs]
    one_line = texts["text"].str.replace(SEPARATOR, " ", regex=False)
    rows["characters"] = one_line.str.normalize("NFC").str.len()
    rows["label"] = rows["label"].replace("", "no label")
    several = rows[rows.groupby("language")["label"].transform("nunique") > 1]
    parts = [rows.assign(language="", label=""), several, rows.assign(label="all", whole=True)]
    groups = pd.concat(parts).groupby(["language", "whole", "label"])
    # count, mean, std, min, 25%, 50%, 75%, max
    frame = groups["words"].describe().drop(columns="min")
    quartiles = ["first_quartile", "median", "third_quartile"]
    frame = frame.set_axis(["n", "words", "sd", *quartiles, "longest"], axis="columns")
    frame["characters"] = groups["characters"].mean()
    frame["median_characters"] = groups["characters"].median()
    frame = frame.reset_index().drop(columns="whole")
    frame = frame.rename(columns={"language": "group", "label": "item"})
    return tidy("caption-lengths", frame, "UAX #29 (ICU), NFC")


def _class_words(texts: pd.DataFrame) -> pd.DataFrame:
    """Return by language and class the words whose mean tf-idf is furthest above that of the rest.

    harmeme (Table 3) gives no formula; it is scikit-learn's: the count of a word times ln((1 + n) /
    (1 + df)) + 1, each text scaled to length 1. What also stands in other classes' texts tells
    nothing of a class, in any language and without a list of stop words: so words are ranked by the
    mean in the class minus that in the rest. Raise MissingError if scikit-learn is not installed.
    """
    try:
        from sklearn.feature_extraction.text import TfidfVectorizer
    except ImportError as error:
        message = "Words that tell a class need scikit-learn: pip install 'memeloc[analyze]'"
        raise MissingError(message) from error

    frames = []
    for tag, of_language in texts.groupby("language"):
        words = [plain_words(text, str(tag)) for text in of_language["text"]]
        counts = pd.Series([word for text in words for word in set(text)]).value_counts()
        if of_language["label"].nunique() < 2 or not (counts >= _FEWEST_TEXTS).any():
            continue
        vectorizer = TfidfVectorizer(analyzer=list, min_df=_FEWEST_TEXTS)
        weights = vectorizer.fit_transform(words)
        vocabulary = vectorizer.get_feature_names_out()
        for label in sorted(set(of_language["label"])):
            inside = (of_language["label"] == label).to_numpy()
            score, rest = (np.asarray(weights[side].mean(axis=0))[0] for side in (inside, ~inside))
            texts_with = np.asarray((weights[inside] > 0).sum(axis=0))[0]
            table = {"item": vocabulary, "n": texts_with, "tf_idf": score, "rest": rest}
            # Ties are in the order of the vocabulary, which is sorted.
            frame = pd.DataFrame(table).iloc[np.argsort(rest - score, kind="stable")]
            frame = frame[frame["tf_idf"] > frame["rest"]].head(_SHOWN_WORDS)
            frames.append(frame.assign(group=f"{tag} · {label}"))
    method = "tf-idf of scikit-learn; harmeme 4.4"
    return joined(tidy("class-words", frame, method) for frame in frames)
