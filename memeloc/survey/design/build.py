"""Batches and sheets. In: memes and a design. Out: batches, the same for every culture, as sheets.

multi3hate A.6: fixed random batches, parallel over all cultures, with four attention checks each.
What is drawn depends on the seed, the round and the memes' ids, and on nothing else. Whoever is
asked, memes come in shares (`Share`): all of them for everybody, a culture's part of a
pre-annotation, a group's part, or what is still open for some people; `_batches` deals each.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, groupby, pairwise, product, zip_longest
from pathlib import Path
from random import Random
from typing import Any, NamedTuple, TypeVar

from memeloc.errors import InputError
from memeloc.model import Locale
from memeloc.survey.design.settings import Order, Sharing
from memeloc.survey.design.tables import GivenBatch, Team
from memeloc.survey.model import Batch, Check, Culture, Entry, MemeEntry, PersonEntry, Sheet, Slot
from memeloc.taxonomy import Taxonomy

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
    for size, group in groupby(names, key=lambda name: len(waiting[name])):
        # Templates of one count begin evenly one after the other: no time is more crowded.
        beginning = shuffled(list(group), random)
        for number, name in enumerate(beginning):
            start = (number + random.random()) / len(beginning)
            # Latest first, as both lists are taken from their ends.
            due[name] = [(place + start) / size for place in reversed(range(size))]
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


Needs = Mapping[tuple[str, str], int]
"""By meme id and culture code, how many more answers."""
Assigned = Mapping[str, tuple[str, ...]]
"""By batch id the people of a team who label it, by their places."""

PREANNOTATION = 0
"""The round of pre-annotation; 1 is the survey, from 2 on what was left open."""
_RESERVED = re.compile(r"check-\d+|person")


@dataclass(frozen=True, slots=True)
class Design:
    """The design of a survey; numbers and order as in `memeloc.survey.design.settings`. `taxonomy`
    is the name of the label set. Raises InputError if there is no culture, or one twice."""

    name: str
    taxonomy: str
    cultures: tuple[Culture, ...]
    size: int = 20
    answers: int = 5
    explicit: int = 1
    implicit: int = 3
    seed: int = 0
    order: Order = "fixed"

    def __post_init__(self) -> None:
        codes = Counter(culture.code for culture in self.cultures)
        if not codes:
            raise InputError("a survey needs a culture at least, such as DE")
        code, count = codes.most_common(1)[0]
        if count > 1:
            raise InputError(f"the culture {code} is there twice")

    def culture(self, code: str) -> Culture:
        for culture in self.cultures:
            if culture.code == code:
                return culture
        codes = ", ".join(culture.code for culture in self.cultures)
        raise InputError(f"{self.name} has no culture {code[:40]!r}; it has {codes}")


class Share(NamedTuple):
    """Memes for so many annotators: of `cultures` (all by default), and of a team those who stand
    at `places`, in turns where these are more."""

    memes: Iterable[str]
    answers: int
    cultures: tuple[str, ...] = ()
    places: tuple[str, ...] = ()


def build(memes: Mapping[str, str], design: Design, taxonomy: Taxonomy) -> tuple[Batch, ...]:
    """Assign memes (template by id) to batches for all cultures; raise InputError if a meme has the
    name of a check, or there are not enough examples.

    Each template is spread evenly over the batches (no two differ by more than one meme of it) and
    within each. No two memes of one template come in a row, where that is possible: where one has
    more than half of a batch, as few as can be do, with checks between them; see `notes`.
    """
    return _batches([Share(memes, design.answers)], memes, design, taxonomy)[0]


def build_given(
    tables: Iterable[GivenBatch], memes: Mapping[str, str], design: Design, taxonomy: Taxonomy
) -> tuple[Batch, ...]:
    """Return a table's batches as `r1-NAME`, with checks at drawn places; raises as `build`."""
    _check(memes, design, taxonomy)
    batches = []
    for name, rows, codes in tables:
        random = chance(design.seed, "given", name, *codes)
        slots = _slots(list(rows), memes, design, taxonomy, random)
        batches.append(Batch(f"r1-{name}", 1, slots, codes, design.answers))
    return tuple(batches)


def split(
    memes: Mapping[str, str], design: Design, taxonomy: Taxonomy, *, answers: int = 2
) -> tuple[Batch, ...]:
    """Return a pre-annotation: batches in which each meme is asked about in one culture only, for
    so many annotators (A.5: two), templates spread evenly over the cultures."""
    parts = assigned(memes, len(design.cultures), chance(design.seed, "preannotation"))
    shares = (
        Share(part, answers, (culture.code,))
        for culture, part in zip(design.cultures, parts, strict=True)
    )
    return _batches(shares, memes, design, taxonomy, PREANNOTATION)[0]


def build_shared(
    memes: Mapping[str, str], design: Design, taxonomy: Taxonomy, team: Team, sharing: Sharing
) -> tuple[tuple[Batch, ...], Assigned]:
    """Return batches for a team, and who labels which.

    `all` has everybody label everything (araharmeme 3.5, the validation of charmemes 4.2), `groups`
    each group its own part (harmeme 4.3: five groups of three), and in `turns` each item goes to as
    many people as it needs answers (charmemes 4.2: two or more; m-quest: one judge a meme). Raises
    InputError if the team has too few people for `design.answers` of each item.
    """
    groups, parts = [team.places], [list(memes)]
    if sharing == "groups":
        groups = list(team.groups.values())
        parts = assigned(memes, len(groups), chance(design.seed, "groups"))
    for places in groups:
        if len(places) < design.answers:
            raise InputError(
                f"Each item is to have {design.answers} answers, and {len(places)} people are in "
                f"{places[0].rpartition('-')[0]!r}; name more of them, or set --answers"
            )
    shares = (
        Share(part, design.answers if sharing == "turns" else len(places), (), places)
        for places, part in zip(groups, parts, strict=True)
        if part
    )
    return _batches(shares, memes, design, taxonomy)


def build_next(
    needs: Needs,
    memes: Mapping[str, str],
    design: Design,
    taxonomy: Taxonomy,
    *,
    round: int,
    team: Team | None = None,
    asked: Mapping[str, Iterable[str]] | None = None,
) -> tuple[tuple[Batch, ...], Assigned]:
    """Return batches of what is short or tied (A.6), and who of a team labels which.

    Cultures that need the same share their batches. Of a `team`, people get what they have not been
    `asked` about (places by meme id); items of which everybody has been asked are in no batch: they
    are for a discussion.
    """
    shares = _to_anybody(needs, design) if team is None else _to_team(needs, design, team, asked)
    return _batches(shares, memes, design, taxonomy, round)


def _to_anybody(needs: Needs, design: Design) -> Iterator[Share]:
    cultures: dict[tuple[tuple[int, str], ...], list[str]] = defaultdict(list)
    for culture in design.cultures:
        lacking = [(-more, meme) for (meme, code), more in needs.items() if code == culture.code]
        cultures[tuple(sorted(need for need in lacking if need[0]))].append(culture.code)
    for items, codes in cultures.items():
        # The neediest go first: a batch has as many annotators as its first item needs.
        for part in evenly(items, -(-len(items) // design.size)):
            yield Share([meme for _, meme in part], -part[0][0], tuple(codes))


def _to_team(
    needs: Needs, design: Design, team: Team, asked: Mapping[str, Iterable[str]] | None
) -> Iterator[Share]:
    asked = asked or {}
    load = Counter(place for places in asked.values() for place in places)
    items: dict[tuple[tuple[str, ...], int], list[str]] = defaultdict(list)
    for (meme, _), more in sorted(needs.items()):
        others = tuple(place for place in team.places if place not in set(asked.get(meme, ())))
        if others and more:
            items[others, min(more, len(others))].append(meme)
    for (others, more), memes in items.items():
        for part in evenly(memes, -(-len(memes) // design.size)):
            # Those with the fewest memes so far, of several by the order of the team.
            places = tuple(sorted(others, key=lambda place: load[place])[:more])
            load.update({place: len(part) for place in places})
            yield Share(part, len(places), (), places)


def _batches(
    shares: Iterable[Share],
    memes: Mapping[str, str],
    design: Design,
    taxonomy: Taxonomy,
    round: int = 1,
) -> tuple[tuple[Batch, ...], dict[str, tuple[str, ...]]]:
    batches: list[Batch] = []
    people: dict[str, tuple[str, ...]] = {}
    everybody = tuple(culture.code for culture in design.cultures)
    for share in shares:
        share_memes = {meme: memes[meme] for meme in share.memes}
        _check(share_memes, design, taxonomy)
        codes = share.cultures or everybody
        random = chance(design.seed, "deal", round, len(batches) + 1, *codes)
        for turn, part in enumerate(
            assigned(share_memes, -(-len(share_memes) // design.size), random)
        ):
            number = len(batches) + 1
            random = chance(design.seed, "batch", round, number, *codes)
            slots = _slots(
                arranged(part, share_memes, random), share_memes, design, taxonomy, random
            )
            batch = Batch(f"r{round}-b{number:02d}", round, slots, codes, share.answers)
            batches.append(batch)
            if count := len(share.places):
                turns = range(turn * share.answers, (turn + 1) * share.answers)
                people[batch.id] = tuple(share.places[each % count] for each in turns)
    return tuple(batches), people


def _check(memes: Iterable[str], design: Design, taxonomy: Taxonomy) -> None:
    if reserved := list(filter(_RESERVED.fullmatch, memes)):
        raise InputError(f"a meme cannot be called {reserved[0]!r}: other entries are called so")
    if taxonomy.item_text and design.implicit:
        raise InputError(
            f"{taxonomy.name} asks about texts of each item's own, which examples have not; ask "
            "for 0 implicit checks"
        )
    if design.implicit > len(taxonomy.examples):
        raise InputError(
            f"{taxonomy.name} has {len(taxonomy.examples)} examples, too few for {design.implicit} "
            f"implicit checks; ask for {len(taxonomy.examples)} at the most, or add examples"
        )


def _slots(
    order: Sequence[str],
    memes: Mapping[str, str],
    design: Design,
    taxonomy: Taxonomy,
    random: Random,
) -> tuple[Slot, ...]:
    """Return memes in their order with checks, which whoever gives one answer throughout does not
    pass, as far as labels allow."""
    by_label: dict[str, list[Slot]] = defaultdict(list)
    for example in shuffled(taxonomy.examples, random):
        slot = Slot(check="implicit", example=example.id, expected=example.label)
        by_label[example.label].append(slot)
    turns = zip_longest(
        *(reversed(by_label[label]) for label in shuffled(sorted(by_label), random))
    )
    checks = [slot for turn in turns for slot in turn if slot][: design.implicit]
    often = Counter(slot.expected for slot in checks)
    labels = [label.id for label in taxonomy.of_role("vote", "abstain")]
    rare = [label for label in labels if often[label] < max(often.values(), default=1)]
    checks += [
        Slot(check="explicit", expected=one_of(rare or labels, random))
        for _ in range(design.explicit)
    ]
    examples = {example.id: example.template for example in taxonomy.examples}
    return with_checks(order, shuffled(checks, random), memes, examples, random)


def notes(batches: Sequence[Batch], memes: Mapping[str, str]) -> tuple[str, ...]:
    """Return what could not be kept to, a sentence a batch: memes (template by id) of one template
    in a row, checks that come last."""
    remarks = []
    for batch in batches:
        shown = [memes.get(slot.meme_id) for slot in batch.slots]
        if rows := sum(one is not None and one == other for one, other in pairwise(shown)):
            template, most = Counter(memes[meme] for meme in batch.memes).most_common(1)[0]
            remarks.append(
                f"{batch.id}: {most} of {len(batch.memes)} memes are of the template {template}, "
                f"so {rows} times two of one template come in a row."
            )
        if batch.slots[0].check or batch.slots[-1].check:
            remarks.append(f"{batch.id}: it has a single meme, so checks come first and last.")
    return tuple(remarks)


def to_sheets(
    batches: Sequence[Batch],
    design: Design,
    show: Callable[[str, Culture], tuple[Path, str]],
    example: Callable[[str, Culture], Path],
    *,
    templates: Mapping[str, str],
    texts: Mapping[str, Mapping[str, str]] | None = None,
    person: bool = False,
) -> tuple[Sheet, ...]:
    """Return a sheet a batch and culture, in the order of the batches, then of the cultures.

    `show` gives a meme's picture in a culture's language, and its caption (parts joined by ` // `),
    `example` the picture of one of the taxonomy's examples; `templates` are by meme id, and so are
    `texts` of its own by question id. Of a `person`, each sheet ends with the questions about them.
    """
    sheets = []
    for batch, culture in product(batches, design.cultures):
        if culture.code not in batch.cultures:
            continue
        entries: list[Entry] = []
        checks = count(1)
        for slot in batch.slots:
            if slot.check is None:
                meme = slot.meme_id
                meme_texts = (texts or {}).get(meme, {})
                entry = MemeEntry(meme, templates[meme], *show(meme, culture), meme_texts)
                entries.append(entry)
                continue
            picture = example(slot.example, culture) if slot.example else None
            name = f"check-{next(checks)}"
            entries.append(Check(name, slot.check, slot.expected, slot.example, picture))
        if person:
            entries.append(PersonEntry())
        about = (f"{batch.id}-{culture.code}", design.name, batch.id, batch.round, culture)
        sheets.append(Sheet(*about, design.taxonomy, tuple(entries), batch.answers))
    return tuple(sheets)


_NUMBERS = ("size", "answers", "explicit", "implicit")


def design_numbers(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return what `Design` has of settings, or of a stored design, where `order` may be missing."""
    return {name: values[name] for name in (*_NUMBERS, "order") if name in values}


def design_values(
    design: Design, memes: Mapping[str, str], taxonomy_toml: str | None, **more: Any
) -> dict[str, Any]:
    """Return a design as JSON values: with the template by meme id, and a taxonomy that does not
    ship. What is empty of `more` is left out: `collected`, `pictures`, `item_texts`, `recipe`."""
    more["order"] = "" if design.order == "fixed" else design.order
    return {
        "taxonomy": design.taxonomy,
        "taxonomy_toml": taxonomy_toml,
        "cultures": [
            {
                "code": culture.code,
                "locale": culture.locale.tag,
                "resident": culture.resident,
                **({"second": culture.second.tag} if culture.second else {}),
            }
            for culture in design.cultures
        ],
        **{key: getattr(design, key) for key in (*_NUMBERS, "seed")},
        "memes": [list(pair) for pair in sorted(memes.items())],
        **{key: value for key, value in more.items() if value},
    }


def read_design(name: str, values: Mapping[str, Any], locale: Callable[[str], Locale]) -> Design:
    """Return a design of its JSON values; `locale` gives that of a tag."""
    cultures = [
        Culture(
            culture["code"],
            locale(culture["locale"]),
            culture["resident"],
            locale(culture["second"]) if culture.get("second") else None,
        )
        for culture in values["cultures"]
    ]
    numbers = design_numbers(values)
    return Design(name, values["taxonomy"], tuple(cultures), **numbers, seed=values["seed"])
