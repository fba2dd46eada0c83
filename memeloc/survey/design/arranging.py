"""Order by chance. In: a seed, memes of templates, checks. Out: even parts, an order of each.

Only `Random.random` is used: of all its methods Python promises the same numbers for it alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import groupby, pairwise
from random import Random
from typing import TypeVar

from memeloc.survey.model import Slot

T = TypeVar("T")


def chance(seed: int, *purpose: object) -> Random:
    """Return a source of draws for one purpose; another purpose draws others by the same seed."""
    return Random("\n".join(map(str, (seed, *purpose))))


def shuffled(values: Sequence[T], random: Random) -> list[T]:
    return sorted(values, key=lambda _: random.random())


def one_of(values: Sequence[T], random: Random) -> T:
    return values[int(random.random() * len(values))]


def evenly(values: Sequence[T], parts: int) -> list[list[T]]:
    """Return the values in order, cut into parts whose lengths differ by one at the most."""
    ends = [part * len(values) // max(parts, 1) for part in range(parts + 1)]
    return [list(values[start:end]) for start, end in pairwise(ends)]


def sampled(memes: Mapping[str, str], count: int, seed: int) -> dict[str, str]:
    """Return so many memes (template by id), drawn by the seed; all where there are fewer, or for a
    count of 0."""
    drawn = shuffled(sorted(memes), chance(seed, "sample"))[: count or None]
    return {meme: memes[meme] for meme in sorted(drawn)}


def assigned(templates: Mapping[str, str], parts: int, random: Random) -> list[list[str]]:
    """Return memes (templates by id) in parts whose sizes differ by one at the most, in all and for
    each template: a template's memes go one each to the parts that have the fewest so far."""
    by_template: dict[str, list[str]] = defaultdict(list)
    for meme in sorted(templates):
        by_template[templates[meme]].append(meme)
    shares: list[list[str]] = [[] for _ in range(parts)]
    for name in shuffled(sorted(by_template), random):
        memes = shuffled(by_template[name], random)
        for start in range(0, len(memes), parts):
            fewest = sorted(shuffled(range(parts), random), key=lambda part: len(shares[part]))
            for part, meme in zip(fewest, memes[start : start + parts], strict=False):
                shares[part].append(meme)
    return shares


def arranged(memes: Sequence[str], templates: Mapping[str, str], random: Random) -> list[str]:
    """Return an order in which each template is spread evenly, none beside itself.

    Each meme is due at an even distance from the template's last, and the one that is due first
    comes next, among those after which the rest can still be arranged. Where a template has more
    than half (rounded up) of the memes, all others go one by one between even runs of it.
    """
    waiting: dict[str, list[str]] = defaultdict(list)
    for meme in shuffled(sorted(memes), random):
        waiting[templates[meme]].append(meme)
    names = sorted(waiting, key=lambda name: (len(waiting[name]), name))
    if names and len(waiting[most := names[-1]]) > (len(memes) + 1) // 2:
        others = shuffled([meme for meme in memes if templates[meme] != most], random)
        runs = evenly(waiting[most], len(others) + 1)
        return [meme for run, part in enumerate(runs) for meme in (*part, *others[run : run + 1])]
    due = {}
    for count, group in groupby(names, key=lambda name: len(waiting[name])):
        # Templates of one count begin evenly one after the other: no time is more crowded.
        beginning = shuffled(list(group), random)
        for number, name in enumerate(beginning):
            start = (number + random.random()) / len(beginning)
            # Latest first, as both lists are taken from their ends.
            due[name] = [(place + start) / count for place in reversed(range(count))]
    order: list[str] = []
    last = ""
    for left in range(len(memes), 0, -1):
        possible = [name for name in due if due[name] and name != last]
        # One that fills more than half of what is left cannot wait: two of it would come in a row.
        # With it taken first, all others can wait, and it never is the last one again.
        urgent = [name for name in possible if len(due[name]) * 2 > left]
        last = min(urgent or possible, key=lambda name: due[name][-1])
        due[last].pop()
        order.append(waiting[last].pop())
    return order


def with_checks(
    memes: Sequence[str],
    checks: Sequence[Slot],
    templates: Mapping[str, str],
    examples: Mapping[str, str],
    random: Random,
) -> tuple[Slot, ...]:
    """Put checks, in their order, between memes: never first or last (but beside a single meme),
    and never two in a row if places suffice.

    They are spread over the batch, one to each of as many stretches. Two memes of one template that
    are neighbours are parted first; an example (templates by its id) comes beside memes of its
    template (by meme id) only where its stretch has no other place.
    """
    # Gap number n is before the meme number n.
    gaps = list(range(1, len(memes))) or [0, 1]
    beside = {gap: {templates[meme] for meme in memes[max(gap - 1, 0) : gap + 1]} for gap in gaps}
    crowded = [gap for gap in gaps if len(memes) > 1 and len(beside[gap]) == 1]
    rounds, more = divmod(len(checks), len(gaps))
    parting = min(more, len(crowded))
    stretches = [[gap] for gap in gaps] * rounds
    stretches += evenly(crowded, parting)
    stretches += evenly([gap for gap in gaps if gap not in crowded], more - parting)
    places: dict[int, list[Slot]] = defaultdict(list)
    for check, stretch in zip(checks, sorted(stretches), strict=True):
        template = examples.get(check.example)
        apart = [gap for gap in stretch if template not in beside[gap]]
        places[one_of(apart or stretch, random)].append(check)
    slots: list[Slot] = []
    for gap, meme_id in enumerate(memes):
        slots += [*places[gap], Slot(meme_id=meme_id)]
    return (*slots, *places[len(memes)])
