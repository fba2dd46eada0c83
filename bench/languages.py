"""Languages of hard texts, measured. In: captions, short parts of dialogue. Out: accuracy.

The captions of bench/language_sets were written after the weights of the classifier of romanised
texts, and nothing was set on them since. The parts of three words or fewer are a game's dialogue,
see `bench.language_id`.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import mean

from bench import language_id
from bench.figures import Bound, Figure
from bench.scenes import ROOT
from memeloc.curate.filters.identification import CLASSES, identifier
from memeloc.curate.filters.language import LanguageFilter, MixingFilter
from memeloc.curate.protocol import FilterContext
from memeloc.curate.verdict import Verdict
from memeloc.items import Item, Origin
from memeloc.locales import default

_GROUP = "languages"
_SETS = ROOT / "bench" / "language_sets"
_RIGHT = Bound("at least", 85.0)
_SHORT = Bound("at least", 88.0)
_BESIDE = 10
"""Longer captions of the same template, in the language of the short ones, and as many in another:
a template is rarely in one language alone."""


def measure(*, say: Callable[[str], None]) -> tuple[list[Figure], list[str]]:
    """Accuracy of romanised and code-mixed captions, and of parts of three words or fewer."""
    say("romanised captions")
    figures = [*_romanised(), *_mixed()]
    notes: list[str] = []
    with tempfile.TemporaryDirectory(prefix="memeloc-sentences-") as folder:
        say("short parts in many languages")
        texts = language_id.sentences(Path(folder))
        short = language_id.short_parts(Path(folder))
    if texts:
        figures += [*_short(texts, short), _false_alarms(texts)]
    else:
        notes.append("Short parts were not measured: no sentences, see `bench.language_id`.")
    return figures, notes


def captions(name: str) -> list[tuple[str, str]]:
    """The captions of a set, each with its class; it is empty where the set has none."""
    lines = (_SETS / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    rows = [line.rpartition("\t") for line in lines if line and not line.startswith("#")]
    return [(label, text) for label, _, text in rows]


def _romanised() -> list[Figure]:
    by: dict[str, list[str]] = {name: [] for name in CLASSES}
    by["ar-Latn"] = [text for _, text in captions("arabizi")]
    for label, text in captions("romanised"):
        by[label].append(text)
    known = identifier("both", default(), ("en",))
    figures = []
    for name, texts in by.items():
        answers = Counter(answer.language for answer in known.identify(texts))
        others = ", ".join(f"{tag} {n}" for tag, n in answers.most_common(5) if tag != name)
        note = f"{len(texts)} captions, identified among all languages; else {others}"
        share = 100 * answers[name] / len(texts)
        figures.append(Figure(_GROUP, f"recognised as {name}", share, "%", _RIGHT, note))
    return figures


def _mixed() -> list[Figure]:
    mixed = _verdicts(MixingFilter({}, FilterContext()), [text for _, text in captions("mixed")])
    rows = captions("unmixed")
    kept = 0
    for language in {label for label, _ in rows}:
        context = FilterContext(source_language=language, languages=(language,))
        texts = [text for label, text in rows if label == language]
        verdicts = _verdicts(MixingFilter({}, context), texts)
        kept += sum(verdict.verdict == "keep" for verdict in verdicts)
    outcomes = Counter(verdict.verdict for verdict in mixed)
    share = 100 * (outcomes["drop"] + outcomes["ask"]) / len(mixed)
    note = f"{len(mixed)} captions: {outcomes['drop']} dropped, {outcomes['ask']} asked"
    return [
        Figure(_GROUP, "code-mixed captions seen", share, "%", _RIGHT, note),
        Figure(
            _GROUP, "unmixed captions kept", 100 * kept / len(rows), "%", _RIGHT,
            f"{len(rows)} captions with names and borrowed words",
        ),
    ]  # fmt: skip


def _short(texts: Mapping[str, Sequence[str]], short: Mapping[str, Sequence[str]]) -> list[Figure]:
    tags = list(short)
    alone: dict[str, float] = {}
    related: dict[str, float] = {}
    lost = 0
    for tag, parts in short.items():
        other = "en" if tag != "en" else "de"
        longer = [*texts[tag][:_BESIDE], *texts[other][:_BESIDE]]
        collected = [_caption(f"longer-{n}", text) for n, text in enumerate(longer)]
        for shares, items in ((alone, []), (related, collected)):
            context = FilterContext(languages=tuple(tags), collected=items)
            verdicts = _verdicts(LanguageFilter({"languages": (tag,)}, context), parts)
            shares[tag] = mean(_is_in(verdict, tag) for verdict in verdicts)
        lost += sum(verdict.verdict == "drop" for verdict in verdicts)
    total = sum(map(len, short.values()))
    name = f"{len({tag.partition('-')[0] for tag in tags})} languages, {total:,} parts"
    return [
        Figure(_GROUP, "three words or fewer, alone", 100 * mean(alone.values()), "%", None,
               f"{name}; least: {_least(alone)}"),
        Figure(_GROUP, "three words or fewer, beside others", 100 * mean(related.values()), "%",
               _SHORT, f"{_BESIDE} longer captions in the language, {_BESIDE} in another; "
               f"least: {_least(related)}"),
        Figure(_GROUP, "three words or fewer, dropped wrongly", 100 * lost / total, "%",
               Bound("at most", 2.0), "in the language wanted, beside others"),
    ]  # fmt: skip


def _false_alarms(texts: Mapping[str, Sequence[str]]) -> Figure:
    latin = {tag: rows for tag, rows in texts.items() if default().get(tag).script == "Latn"}
    known = identifier("both", default(), tuple(latin))
    shares = {
        tag: mean(answer.language in CLASSES for answer in known.identify(list(rows)))
        for tag, rows in latin.items()
    }
    worst = max(shares, key=lambda tag: shares[tag])
    note = f"{len(latin)} languages in Latin letters, dialogue; most: {worst}"
    share = 100 * mean(shares.values())
    return Figure(_GROUP, "taken for romanised wrongly", share, "%", Bound("at most", 1.0), note)


def _verdicts(judge: LanguageFilter | MixingFilter, texts: Sequence[str]) -> list[Verdict]:
    return list(judge.judge([_caption(str(n), text) for n, text in enumerate(texts)]))


def _caption(name: str, text: str) -> Item:
    return Item(name, "caption", Origin("bench", name), parent="t", parts=tuple(text.split(" // ")))


def _is_in(verdict: Verdict, tag: str) -> bool:
    language = str(verdict.evidence.get("language", ""))
    return language.partition("-")[0] == tag.partition("-")[0]


def _least(shares: Mapping[str, float]) -> str:
    ordered = sorted(shares.items(), key=lambda share: share[1])[:4]
    return ", ".join(f"{tag} {100 * share:.0f}" for tag, share in ordered)
