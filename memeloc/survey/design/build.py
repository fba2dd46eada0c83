"""Batches and sheets. In: memes and a design. Out: batches, the same for every culture, as sheets.

multi3hate A.6: fixed random batches, parallel over all cultures, with four attention checks each.
What is drawn depends on the seed, the round and the memes' ids, and on nothing else.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, pairwise, zip_longest
from pathlib import Path
from random import Random

from memeloc.errors import InputError
from memeloc.survey.design.arranging import (
    arranged,
    assigned,
    chance,
    evenly,
    one_of,
    shuffled,
    with_checks,
)
from memeloc.survey.design.settings import LARGEST, Order
from memeloc.survey.model import Batch, Check, Culture, Entry, MemeEntry, PersonEntry, Sheet, Slot
from memeloc.taxonomy import Taxonomy

_LIMITS = {"size": (1, LARGEST), "answers": (1, 1000), "explicit": (0, 50), "implicit": (0, 50)}
_RESERVED = re.compile(r"check-\d+|person")


@dataclass(frozen=True, slots=True)
class Design:
    """How a survey is made.

    Attributes:
        taxonomy: the name of the label set.
        cultures: who annotates; their codes differ.
        size: memes a batch, at the most; where memes do not divide evenly, some have one less.
        answers: annotators a sheet, so answers an item and culture (multi3hate 3.3: five).
        explicit, implicit: attention checks a sheet (A.6: one and three).
        seed: another one draws other batches.
        order: in which people see the answers of choices: as the taxonomy lists them, turned round
            for every second person, or drawn by the seed for each.

    Raises:
        InputError: a number is out of its range, or a culture is there twice, or none.
    """

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
        for name, (least, most) in _LIMITS.items():
            if not least <= getattr(self, name) <= most:
                raise InputError(f"{name} is from {least} to {most}, not {getattr(self, name)}")
        codes = [culture.code for culture in self.cultures]
        if not codes:
            raise InputError("a survey needs a culture at least, such as DE")
        for code in codes:
            if codes.count(code) > 1:
                raise InputError(f"the culture {code} is there twice")

    def culture(self, code: str) -> Culture:
        for culture in self.cultures:
            if culture.code == code:
                return culture
        codes = ", ".join(culture.code for culture in self.cultures)
        raise InputError(f"{self.name} has no culture {code[:40]!r}; it has {codes}")


def build(
    memes: Mapping[str, str],
    design: Design,
    taxonomy: Taxonomy,
    *,
    round: int = 1,
    cultures: Sequence[str] | None = None,
    answers: int | None = None,
    first: int = 1,
) -> tuple[Batch, ...]:
    """Assign memes to batches.

    Each template is spread evenly over the batches (no two differ by more than one meme of it) and
    within each. No two memes of one template come in a row, where that is possible: where one has
    more than half of a batch, as few as can be do, with checks between them; see `notes`.

    Args:
        memes: template by id.
        taxonomy: implicit checks are drawn from its examples, labels of explicit ones from its
            labels, so that nobody passes who always gives the same answer.
        round: 0 is pre-annotation, 1 the survey, from 2 on what was left open.
        cultures: codes of those that the batches go to; all by default.
        answers: annotators a sheet; the design's by default.
        first: the number of the first batch.

    Raises:
        InputError: a meme has the name of a check, or there are not enough examples.
    """
    codes = tuple(cultures or (culture.code for culture in design.cultures))
    check_memes(memes, design, taxonomy)
    random = chance(design.seed, "deal", round, first, *codes)
    parts = assigned(memes, -(-len(memes) // design.size), random)
    batches = []
    for number, part in enumerate(parts, first):
        random = chance(design.seed, "batch", round, number, *codes)
        batches.append(
            batch_of(
                f"r{round}-b{number:02d}",
                arranged(part, memes, random),
                memes,
                design,
                taxonomy,
                random,
                round=round,
                cultures=codes,
                answers=answers,
            )
        )
    return tuple(batches)


def check_memes(memes: Iterable[str], design: Design, taxonomy: Taxonomy) -> None:
    """Refuse memes with the name of a check, and more checks than there are examples for."""
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


def batch_of(
    batch_id: str,
    order: Sequence[str],
    memes: Mapping[str, str],
    design: Design,
    taxonomy: Taxonomy,
    random: Random,
    *,
    round: int = 1,
    cultures: tuple[str, ...],
    answers: int | None = None,
) -> Batch:
    """A batch of memes in their order, with the checks of the design at drawn places.

    `memes` are templates by id; `answers` are the design's by default.
    """
    examples = {example.id: example.template for example in taxonomy.examples}
    checks = shuffled(_checks(design, taxonomy, random), random)
    slots = with_checks(order, checks, memes, examples, random)
    return Batch(batch_id, round, slots, cultures, answers or design.answers)


def build_next(
    needs: Mapping[tuple[str, str], int],
    memes: Mapping[str, str],
    design: Design,
    taxonomy: Taxonomy,
    *,
    round: int,
) -> tuple[Batch, ...]:
    """Batches for what is short or tied (A.6).

    Cultures that need the same share their batches. Items that need more answers go first, so that
    a batch asks few more than are needed: it has as many annotators as its neediest item.

    Args:
        needs: by meme id and culture code, how many more answers.
        memes: template by id of all memes of the survey.
        round: 2 or more.
    """
    by_needs: dict[tuple[tuple[str, int], ...], list[str]] = defaultdict(list)
    for culture in design.cultures:
        own = [(meme, more) for (meme, code), more in needs.items() if code == culture.code if more]
        by_needs[tuple(sorted(own, key=lambda need: (-need[1], need[0])))].append(culture.code)
    batches: list[Batch] = []
    for items, codes in by_needs.items():
        for part in evenly(items, -(-len(items) // design.size)):
            batches += build(
                {meme: memes[meme] for meme, _ in part},
                design,
                taxonomy,
                round=round,
                cultures=codes,
                answers=part[0][1],
                first=len(batches) + 1,
            )
    return tuple(batches)


def notes(batches: Sequence[Batch], memes: Mapping[str, str]) -> tuple[str, ...]:
    """What could not be kept to, a sentence a batch: memes (template by id) of one template in a
    row, checks that come last."""
    remarks = []
    for batch in batches:
        rows = sum(
            memes.get(slot.meme_id, "") == memes.get(following.meme_id)
            for slot, following in pairwise(batch.slots)
        )
        if rows:
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
    picture: Callable[[str, Culture], Path],
    caption: Callable[[str, Culture], str],
    example_picture: Callable[[str, Culture], Path],
    *,
    templates: Mapping[str, str],
    texts: Mapping[str, Mapping[str, str]] | None = None,
    person: bool = False,
) -> tuple[Sheet, ...]:
    """A sheet a batch and culture, in the order of the batches and then of the design's cultures.

    Args:
        picture: the rendered picture of a meme in a culture's language.
        caption: its text there, parts joined by ` // `.
        example_picture: the picture of one of the taxonomy's examples there.
        templates: by meme id.
        texts: by meme id, its own texts by question id.
        person: whether each sheet ends with the questions about the person.
    """
    own_texts = texts or {}
    at_end = (PersonEntry(),) if person else ()

    def entry(slot: Slot, culture: Culture, numbers: count[int]) -> Entry:
        if slot.check is None:
            meme = slot.meme_id
            shown, text = picture(meme, culture), caption(meme, culture)
            return MemeEntry(meme, templates[meme], shown, text, own_texts.get(meme, {}))
        example = example_picture(slot.example, culture) if slot.example else None
        return Check(f"check-{next(numbers)}", slot.check, slot.expected, slot.example, example)

    sheets = []
    for batch in batches:
        for culture in design.cultures:
            if culture.code in batch.cultures:
                numbers = count(1)
                sheets.append(
                    Sheet(
                        f"{batch.id}-{culture.code}",
                        design.name,
                        batch.id,
                        batch.round,
                        culture,
                        design.taxonomy,
                        (*(entry(slot, culture, numbers) for slot in batch.slots), *at_end),
                        batch.answers,
                    )
                )
    return tuple(sheets)


def _checks(design: Design, taxonomy: Taxonomy, random: Random) -> list[Slot]:
    """Checks that whoever gives one answer throughout does not pass, as far as labels allow."""
    by_label: dict[str, list[Slot]] = defaultdict(list)
    for example in shuffled(taxonomy.examples, random):
        slot = Slot(check="implicit", example=example.id, expected=example.label)
        by_label[example.label].append(slot)
    order = shuffled(sorted(by_label), random)
    turns = zip_longest(*(reversed(by_label[label]) for label in order))
    slots = [slot for turn in turns for slot in turn if slot][: design.implicit]
    often = Counter(slot.expected for slot in slots)
    labels = [label.id for label in taxonomy.of_role("vote", "abstain")]
    rare = [label for label in labels if often[label] < max(often.values(), default=1)]
    slots += [
        Slot(check="explicit", expected=one_of(rare or labels, random))
        for _ in range(design.explicit)
    ]
    return slots
