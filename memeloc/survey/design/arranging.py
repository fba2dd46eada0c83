"""Who comes after whom. In: memes of templates, checks. Out: even parts, and an order of each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from random import Random

from memeloc.survey.design.chance import one_of, shuffled
from memeloc.survey.model import Slot


def dealt(templates: Mapping[str, str], parts: int, random: Random) -> list[list[str]]:
    """Deal memes into parts whose sizes differ by one at the most, in all and for each template.

    A template's memes go one each to the parts that have the fewest so far, chance deciding
    between equals: so no part is ever more than one ahead of another.

    Args:
        templates: by meme id.
        parts: how many, at least one unless there are no memes.
        random: draws.
    """
    by_template: dict[str, list[str]] = defaultdict(list)
    for meme_id in sorted(templates):
        by_template[templates[meme_id]].append(meme_id)
    shares: list[list[str]] = [[] for _ in range(parts)]
    for template in shuffled(sorted(by_template), random):
        memes = shuffled(by_template[template], random)
        for start in range(0, len(memes), parts):
            some = memes[start : start + parts]
            order = sorted(shuffled(range(parts), random), key=lambda part: len(shares[part]))
            for part, meme_id in zip(order, some, strict=False):
                shares[part].append(meme_id)
    return shares


def arranged(memes: Sequence[str], templates: Mapping[str, str], random: Random) -> list[str]:
    """An order in which each template is spread evenly and no two of one template are neighbours.

    Each meme is due at an even distance from the template's last, and the one that is due first
    comes next, among those after which the rest can still be arranged. Where a template has more
    than half (rounded up) of the memes, all others go between its own, evenly.

    Args:
        memes: ids.
        templates: by meme id.
        random: draws.
    """
    waiting: dict[str, list[str]] = defaultdict(list)
    for meme_id in shuffled(sorted(memes), random):
        waiting[templates[meme_id]].append(meme_id)
    crowd = max(sorted(waiting), key=lambda one: len(waiting[one]), default="")
    if crowd and len(waiting[crowd]) > (len(memes) + 1) // 2:
        return _crowded(waiting.pop(crowd), waiting, random)
    due: dict[str, list[float]] = {}
    by_count: dict[int, list[str]] = defaultdict(list)
    for template in sorted(waiting):
        by_count[len(waiting[template])].append(template)
    for count, templates_of_count in sorted(by_count.items()):
        # Templates of one count begin evenly one after the other: no time is more crowded.
        for number, template in enumerate(shuffled(templates_of_count, random)):
            start = (number + random.random()) / len(templates_of_count)
            # Latest first, as both lists are taken from their ends.
            due[template] = [(place + start) / count for place in range(count)][::-1]
    order: list[str] = []
    last = ""
    for left in range(len(memes), 0, -1):
        open_ones = [one for one in due if due[one] and one != last]
        # One that fills more than half of what is left cannot wait: two of it would come in a row.
        # With it taken first, all others can wait, and it never is the last one again.
        urgent = [one for one in open_ones if len(due[one]) * 2 > left]
        last = min(urgent or open_ones, key=lambda one: due[one][-1])
        due[last].pop()
        order.append(waiting[last].pop())
    return order


def _crowded(
    crowd: Sequence[str], others: Mapping[str, Sequence[str]], random: Random
) -> list[str]:
    """All others one by one between runs of the crowd, whose lengths differ by one at the most."""
    between = shuffled([one for template in sorted(others) for one in others[template]], random)
    each, more = divmod(len(crowd), len(between) + 1)
    longer = set(shuffled(range(len(between) + 1), random)[:more])
    order: list[str] = []
    start = 0
    for run in range(len(between) + 1):
        end = start + each + (run in longer)
        order += [*crowd[start:end], *between[run : run + 1]]
        start = end
    return order


def with_checks(
    memes: Sequence[str],
    checks: Sequence[Slot],
    templates: Mapping[str, str],
    shown: Mapping[str, str],
    random: Random,
) -> tuple[Slot, ...]:
    """Put checks between memes: never first or last, and never two in a row if places suffice.

    They are spread over the batch, one to each of as many stretches. Two memes of one template that
    are neighbours are parted first; an example comes beside memes of its own template only where
    its stretch has no other place.

    Args:
        memes: ids in order; a single one stands in the middle of its checks.
        checks: in the order in which they come.
        templates: by meme id.
        shown: by example id, its template.
        random: draws.
    """
    gaps = list(range(1, len(memes))) or [0, 1]
    alike = [
        gap
        for gap in gaps
        if 0 < gap < len(memes) and templates[memes[gap - 1]] == templates[memes[gap]]
    ]
    places: dict[int, list[Slot]] = defaultdict(list)
    for check, stretch in zip(checks, _stretches(gaps, alike, len(checks)), strict=True):
        own = shown.get(check.example, "")
        apart = [
            gap
            for gap in stretch
            if own not in {templates[one] for one in memes[max(gap - 1, 0) : gap + 1]}
        ]
        places[one_of(apart or stretch, random)].append(check)
    slots: list[Slot] = []
    for gap in range(len(memes) + 1):
        slots += places[gap]
        slots += [Slot(meme_id=one) for one in memes[gap : gap + 1]]
    return tuple(slots)


def _stretches(gaps: Sequence[int], alike: Sequence[int], count: int) -> list[list[int]]:
    """The gaps that each of `count` checks may choose from, in order; shared by none if it can be.

    Args:
        gaps: all, in order.
        alike: those between two memes of one template, which come first.
        count: of checks.
    """
    rounds, more = divmod(count, len(gaps))
    stretches = [[gap] for gap in gaps] * rounds
    if len(alike) >= more:
        stretches += _cut(alike, more)
    else:
        stretches += [[gap] for gap in alike]
        stretches += _cut([gap for gap in gaps if gap not in alike], more - len(alike))
    return sorted(stretches)


def _cut(gaps: Sequence[int], parts: int) -> list[list[int]]:
    return [
        list(gaps[part * len(gaps) // parts : (part + 1) * len(gaps) // parts])
        for part in range(parts)
    ]
