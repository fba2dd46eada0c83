"""Filters, measured. In: sentences in many languages, made items. Out: accuracy, rates, times."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import mean, median

import numpy as np
from PIL import Image

from bench import language_id
from bench.figures import Bound, Figure
from memeloc.curate.filters.identification import Classifier, LangDetect, Method, identifier
from memeloc.curate.protocol import FilterContext, create, run_filter
from memeloc.engine import usable_cpus
from memeloc.items import Item, Origin
from memeloc.locales import default
from memeloc.locales.breaking import uppercase

_GROUP = "filters"
_CAPTIONS = 100_000
_TEMPLATES = 2_000
_LANGDETECT = 100
"""Sentences of each language that langdetect is given: it is slow."""

_ROUNDS = 5
_ENOUGH = 100
"""Sentences that a language beyond those must have to be told of."""
_METHODS: tuple[Method, ...] = ("both",)


def measure(*, say: Callable[[str], None]) -> tuple[list[Figure], list[str]]:
    """Accuracy and rate of language identification, and 100,000 captions through the filters."""
    with tempfile.TemporaryDirectory(prefix="memeloc-sentences-") as folder:
        say("sentences in many languages")
        all_texts = language_id.sentences(Path(folder))
        figures: list[Figure] = []
        notes: list[str] = []
        if all_texts:
            figures += _identification(all_texts, say)
        else:
            notes.append(
                "Language identification was not measured: no sentences. Set "
                "MEMELOC_BENCH_SENTENCES, or let apt-get fetch "
                f"{', '.join(language_id.PACKAGES)}."
            )
        figures += _starter(say)
        texts = [
            text for captions in (all_texts or language_id.starter()).values() for text in captions
        ]
        figures += _throughput(texts, Path(folder), say)
    return figures, notes


def _identification(
    all_texts: Mapping[str, Sequence[str]], say: Callable[[str], None]
) -> list[Figure]:
    chosen = _most(all_texts)
    bases = {tag.partition("-")[0] for tag in chosen}
    name = f"{len(bases)} languages, dialogue of Wesnoth"
    figures: list[Figure] = []
    for method in _METHODS:
        say(f"language identification: {method}")
        method_identifier = identifier(method, default(), tuple(chosen))
        bound = Bound("at least", 97.0) if method == "both" else None
        for capitals in (False, True):
            by, rate = _accuracy(method_identifier, chosen, capitals=capitals, rounds=_ROUNDS)
            worst = ", ".join(
                f"{t} {100 * v:.0f}" for t, v in sorted(by.items(), key=lambda o: o[1])[:4]
            )
            figures.append(
                Figure(
                    _GROUP,
                    f"macro accuracy, {method}{', capitals' if capitals else ''}",
                    100 * mean(by.values()),
                    "%",
                    bound,
                    f"{name}; {sum(map(len, chosen.values())):,} sentences among 58 candidates; "
                    f"least: {worst}",
                )
            )
            if method == "both" and not capitals:
                bound_rate = Bound("at least", 10_000)
                note = f"one process, median of {_ROUNDS} rounds"
                figures.append(Figure(_GROUP, "captions identified", rate, "/s", bound_rate, note))
    everything = {tag: texts for tag, texts in all_texts.items() if len(texts) >= _ENOUGH}
    by, _ = _accuracy(identifier("both", default(), tuple(everything)), everything)
    worst = ", ".join(
        f"{t} {100 * v:.0f}" for t, v in sorted(by.items(), key=lambda share: share[1])[:4]
    )
    figures.append(
        Figure(
            _GROUP,
            "macro accuracy, both, all of ours there",
            100 * mean(by.values()),
            "%",
            None,
            f"{len(by)} languages with {_ENOUGH} sentences and more; least: {worst}",
        )
    )
    say("language identification: langdetect")
    few = {tag: texts[:_LANGDETECT] for tag, texts in chosen.items()}
    by_langdetect = identifier("langdetect", default())
    for capitals in (False, True):
        by, rate = _accuracy(by_langdetect, few, capitals=capitals)
        figures.append(
            Figure(
                _GROUP,
                f"macro accuracy, langdetect{', capitals' if capitals else ''}",
                100 * mean(by.values()),
                "%",
                None,
                f"the same languages, {_LANGDETECT} sentences each, {rate:,.0f} a second",
            )
        )
    return figures


def _starter(say: Callable[[str], None]) -> list[Figure]:
    say("language identification: starter set")
    texts = language_id.starter()
    both = identifier("both", default(), tuple(texts))
    return [
        Figure(
            _GROUP,
            f"macro accuracy, starter set{', capitals' if capitals else ''}",
            100 * mean(_accuracy(both, texts, capitals=capitals)[0].values()),
            "%",
            None,
            f"{len(texts)} languages in {sum(map(len, texts.values())):,} captions of our own",
        )
        for capitals in (False, True)
    ]


def _throughput(texts: Sequence[str], folder: Path, say: Callable[[str], None]) -> list[Figure]:
    """100,000 captions, on as many templates with pictures as they may have, through three."""
    say(f"{_CAPTIONS:,} captions through language, quality and topics")
    captions, templates = make_items(texts, folder)
    context = FilterContext(
        templates={item.id: item for item in templates},
        languages=("en", "de", "es", "hi", "zh-Hans"),
        jobs=usable_cpus(),
    )
    total = 0.0
    parts: list[str] = []
    for name in ("language", "quality", "topics"):
        begin = time.monotonic()
        tally = run_filter(
            create(name, {}, context), [*templates, *captions], {}, lambda some: None
        )
        total += time.monotonic() - begin
        parts.append(f"{name} {time.monotonic() - begin:.1f} s for {tally['judged']:,}")
    figures = [
        Figure(
            _GROUP,
            f"{_CAPTIONS:,} captions filtered",
            total,
            "s",
            Bound("at most", 120),
            f"{usable_cpus()} processes; {', '.join(parts)}",
        )
    ]
    say("code-mixing")
    begin = time.monotonic()
    some = captions[: _CAPTIONS // 10]
    run_filter(create("mixing", {}, context), some, {}, lambda verdicts: None)
    rate = len(some) / (time.monotonic() - begin)
    figures.append(Figure(_GROUP, "captions looked at for code-mixing", rate, "/s"))
    return figures


def make_items(texts: Sequence[str], folder: Path) -> tuple[list[Item], list[Item]]:
    """Captions of the texts, in order and over again, and templates with noise for pictures."""
    random = np.random.default_rng(4)
    words = ("German", "Police", "Chinese", "Cat", "Feminist", "Black", "Sunday", "Keyboard")
    templates: list[Item] = []
    for number in range(_TEMPLATES):
        path = folder / f"{number}.jpg"
        coarse = random.integers(0, 256, (40, 50, 3), dtype=np.uint8)
        Image.fromarray(coarse).resize((500, 400)).save(path, quality=85)
        templates.append(
            Item(
                f"template-{number}",
                "template",
                Origin("bench", str(number)),
                name=f"{words[number % len(words)]} {number}",
                picture=f"{number:064x}",
                path=path,
                width=500,
                height=400,
            )
        )
    captions = [
        Item(
            f"caption-{number}",
            "caption",
            Origin("bench", f"c{number}"),
            parent=templates[number % _TEMPLATES].id,
            parts=(texts[number % len(texts)],),
        )
        for number in range(_CAPTIONS)
    ]
    return captions, templates


def _most(all_texts: Mapping[str, Sequence[str]]) -> dict[str, Sequence[str]]:
    """The languages with most sentences; of one language in two scripts, both."""
    most: dict[str, Sequence[str]] = {}
    for tag, texts in all_texts.items():
        if len({other.partition("-")[0] for other in (*most, tag)}) > language_id.LANGUAGES:
            break
        most[tag] = texts
    return most


def _accuracy(
    method: Classifier | LangDetect,
    texts: Mapping[str, Sequence[str]],
    *,
    capitals: bool = False,
    rounds: int = 1,
) -> tuple[dict[str, float], float]:
    """Share identified rightly, by language (its scripts together), and texts a second."""
    locales = default()
    shown: list[tuple[str, str]] = []
    for tag, captions in texts.items():
        locale = locales.get(tag)
        for text in captions:
            shown.append((tag, uppercase(text, locale) if capitals else text))
    method.identify([text for _, text in shown[:50]])
    seconds: list[float] = []
    for _ in range(rounds):
        begin = time.perf_counter()
        answers = method.identify([text for _, text in shown])
        seconds.append(time.perf_counter() - begin)
    right: dict[str, list[bool]] = {}
    for (tag, _), answer in zip(shown, answers, strict=True):
        base = tag.partition("-")[0]
        right.setdefault(base, []).append(answer.language.partition("-")[0] == base)
    return {tag: mean(captions) for tag, captions in right.items()}, len(shown) / median(seconds)
