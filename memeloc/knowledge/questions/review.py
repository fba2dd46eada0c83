"""What a set of questions gives away. In: `MemeQuestion`s, captions. Out: a `Section`.

Rules that know neither picture nor question answer a good set no better than chance: the longest
option, the one that shares most words with the question or with the caption.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from memeloc.counts import counted
from memeloc.knowledge.questions.question import MemeQuestion
from memeloc.locales.words import plain_words
from memeloc.reports.sections import Bars, Intervals, Section, Table
from memeloc.statistics.guessing import CHANCE, overlap, right_by_rules
from memeloc.statistics.intervals import percent_with_interval, wilson
from memeloc.statistics.significance import p_text, scipy_stats

LETTERS = "ABCD"
_CONFIDENCE = 0.95
_OPTIONS = ("correct", "plausible", "implausible", "none")
_FAR_LONGER = 2.0
"""A right option so many times as long as the next one gives itself away."""
_ALONE = "without the picture"

_Chosen = Mapping[str, Mapping[str, str]]
"""By model and question's id the option that it chose, given the question alone."""

_RULES = {
    "chosen by": "a rule that reads nothing, or a model that was given the question alone",
    "questions": "so many",
    "right": "of them, that are answered rightly",
    "share": "right / questions, 0 to 1; chance is 0.25",
    "low": "lower end of Wilson's interval, 95 %",
    "high": "its upper end",
}
_PLACES = {"place": "letter of the option", "questions": "whose right option stands there"}
_OVERLAPS = {
    "option": "what the option is",
    "length": "mean characters",
    "with the question": "mean share of its words that the question has, too, 0 to 1",
    "with the caption": "the same with the caption, of memes that have one; empty without any",
}
_NOTED = {
    "item": "meme and dimension",
    "question": "the question",
    "correct": "its right option",
    "noted": "what is to be looked at",
}
_DIMENSIONS = {
    "dimension": "its id",
    "questions": "that there are",
    "without statements": "of them, made of the definition and the picture alone",
    "statements": "mean number that a question was made of",
}


def review(
    questions: Sequence[MemeQuestion],
    captions: Mapping[str, str],
    without_picture: _Chosen | None = None,
    *,
    seed: int = 0,
) -> Section:
    """How far options give themselves away, and which questions are to be looked at.

    Args:
        questions: of one language.
        captions: texts of the memes, by id; a meme without one may be missing.
        without_picture: by model and question's id the option that it chose, given the question
            alone.
        seed: by which options are shuffled.
    """
    if not questions:
        return Section("questions", "The questions", gaps=("There are no questions yet.",))
    placed = [(each, each.options(seed)) for each in questions]
    models = without_picture or {}
    rules = [*_rules(placed, captions), *_models(questions, models)]
    places = Counter(options.index(each.correct) for each, options in placed)
    counts = [places[place] for place in range(len(LETTERS))]
    p = float(scipy_stats().chisquare(counts).pvalue)
    noted = list(_noted(questions, captions, models))
    return Section(
        "questions",
        "The questions",
        (
            Table.of("question_rules", "Without the meme", rules, _RULES, _RULES_METHOD),
            Table.of("question_places", "Place of the right option",
                   list(zip(LETTERS, counts, strict=True)), _PLACES, _PLACES_METHOD),
            Table.of("question_options", "Options by what they are", _overlaps(questions, captions),
                   _OVERLAPS, "Words as readers of the language cut them, in small letters."),
            Table.of("question_dimensions", "Dimensions", _dimensions(questions), _DIMENSIONS,
                   "A dimension without statements has a question all the same, of its definition "
                   "and the picture."),
            Table.of("questions_noted", "Questions to look at", noted, _NOTED, _NOTED_METHOD,
                   captions=("question", "correct")),
        ),
        (_rules_plot(rules), _places_plot(counts)),
        tuple(_sentences(questions, rules, counts, p, noted)),
        {
            "questions": len(questions),
            "rules": {row[0]: row[3] for row in rules},
            "places": counts,
            "places_p": p,
            "noted": len(noted),
            "without_statements": sum(not each.statements for each in questions),
        }
    )  # fmt: skip


_RULES_METHOD = (
    "Each rule answers every question; of options that are equal by it, it takes any. A model that "
    "is given the question alone is right by chance, and where the question or common knowledge "
    "gives the answer away. Of the three options that a model writes the longest is the right one "
    "by chance in a third; the fourth is hardly ever the longest."
)
_PLACES_METHOD = "Options are shuffled by the seed; Pearson's chi-squared test of equal shares."
_NOTED_METHOD = (
    "Questions whose words are the same, with their right options; right options at least twice as "
    "long as every other; right options that alone share words with the caption; "
    "questions that a model answers rightly without the picture."
)


def _rules(
    placed: Sequence[tuple[MemeQuestion, tuple[str, ...]]], captions: Mapping[str, str]
) -> Iterator[tuple[Any, ...]]:
    shares: dict[str, list[float]] = defaultdict(list)
    for each, options in placed:
        texts = each.language, each.question, captions.get(each.meme, "")
        for name, share in right_by_rules(options, options.index(each.correct), *texts).items():
            shares[name].append(share)
    for name, right in shares.items():
        yield share_row(name, sum(right), len(right))


def _models(questions: Sequence[MemeQuestion], models: _Chosen) -> Iterator[tuple[Any, ...]]:
    for model, chosen in models.items():
        right = [chosen[each.id] == each.correct for each in questions if each.id in chosen]
        yield share_row(f"{model} {_ALONE}", sum(right), len(right))


def share_row(name: str, right: float, total: int) -> tuple[Any, ...]:
    """A name, a count of so many, its share and Wilson's interval."""
    low, high = wilson(right, total, _CONFIDENCE)
    return name, total, right, right / total if total else float("nan"), float(low), float(high)


def _overlaps(
    questions: Sequence[MemeQuestion], captions: Mapping[str, str]
) -> Iterator[tuple[Any, ...]]:
    for name in _OPTIONS:
        texts = [(each, str(getattr(each, name))) for each in questions]
        with_question = [overlap(text, each.question, each.language) for each, text in texts]
        with_caption = [
            overlap(text, captions[each.meme], each.language)
            for each, text in texts
            if captions.get(each.meme)
        ]
        yield (
            name,
            _mean([len(text) for _, text in texts]),
            _mean(with_question),
            _mean(with_caption),
        )


def _dimensions(questions: Sequence[MemeQuestion]) -> Iterator[tuple[Any, ...]]:
    by_dimension: dict[str, list[MemeQuestion]] = defaultdict(list)
    for each in questions:
        by_dimension[each.dimension].append(each)
    for dimension, those in by_dimension.items():
        without = sum(not each.statements for each in those)
        yield dimension, len(those), without, _mean([len(each.statements) for each in those])


def _noted(
    questions: Sequence[MemeQuestion], captions: Mapping[str, str], models: _Chosen
) -> Iterator[tuple[str, ...]]:
    words = {each.id: _words(each) for each in questions}
    often = Counter(words.values())
    for each in questions:
        others = (each.plausible, each.implausible, each.none)
        about: list[str] = []
        if often[words[each.id]] > 1:
            about.append(f"{often[words[each.id]]:,} questions are the same, with their answer")
        if len(each.correct) >= _FAR_LONGER * max(map(len, others)):
            about.append("the right option is far longer than all others")
        caption = captions.get(each.meme, "")
        if overlap(each.correct, caption, each.language) and not any(
            overlap(other, caption, each.language) for other in others
        ):
            about.append("only the right option has words of the caption")
        alone = [name for name, chosen in models.items() if chosen.get(each.id) == each.correct]
        about += [f"{name} answers it {_ALONE}" for name in alone]
        if about:
            yield each.id, each.question, each.correct, "; ".join(about)


def _words(each: MemeQuestion) -> tuple[str, ...]:
    """The words of a question and its right answer."""
    return tuple(plain_words(f"{each.question} {each.correct}", each.language))


def _sentences(
    questions: Sequence[MemeQuestion],
    rules: Sequence[tuple[Any, ...]],
    counts: Sequence[int],
    p: float,
    noted: Sequence[object],
) -> Iterator[str]:
    without = sum(not each.statements for each in questions)
    yield (
        f"There are {counted(len(questions), 'question')} of "
        f"{counted(len({each.meme for each in questions}), 'meme')}, {without:,} of them made "
        "without statements."
    )
    for name, total, _right, *share in rules:
        if name == CHANCE:
            continue
        interval = percent_with_interval(*share)
        yield f"{name} is right in {interval} of {counted(total, 'question')}; chance is 25 %."
    places = ", ".join(f"{letter} {n:,}" for letter, n in zip(LETTERS, counts, strict=True))
    yield f"Places of the right option: {places}; chi-squared test of equal shares: {p_text(p)}."
    yield f"{counted(len(noted), 'question is', 'questions are')} to be looked at."


def _rules_plot(rules: Sequence[tuple[Any, ...]]) -> Intervals:
    import pandas as pd

    rows = [(name, share, low, high) for name, _total, _right, share, low, high in rules]
    frame = pd.DataFrame(rows, columns=["label", "value", "low", "high"])
    title = "Questions answered rightly without the meme"
    return Intervals("question_rules", title, frame, "share", _RULES_METHOD)


def _places_plot(counts: Sequence[int]) -> Bars:
    import pandas as pd

    frame = pd.DataFrame({"questions": counts}, index=list(LETTERS))
    return Bars("question_places", "Place of the right option", frame, "questions", _PLACES_METHOD)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else float("nan")
