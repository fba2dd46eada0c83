"""Batches and sheets. In: memes and a design. Out: batches, the same for every culture, as sheets.

multi3hate A.6: fixed random batches, parallel over all cultures, with four attention checks each.
What is drawn depends on the seed, the round and the memes' ids, and on nothing else.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from memeloc.errors import InputError
from memeloc.survey.design.arranging import arranged, dealt, with_checks
from memeloc.survey.design.chance import chance, one_of, shuffled
from memeloc.survey.model import Batch, Check, Culture, Entry, Question, Sheet, Slot
from memeloc.survey.taxonomy import Taxonomy

_MOST_IN_A_BATCH = 500
_CODE = re.compile(r"[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*")
_CHECK_ID = re.compile(r"check-\d+")


@dataclass(frozen=True, slots=True)
class Design:
    """How a survey is made.

    Attributes:
        name: of the survey.
        taxonomy: the name of the label set.
        cultures: who annotates; their codes differ.
        size: memes a batch, at the most; all batches have this many or one less where memes do not
            divide evenly.
        answers: annotators a sheet, so answers an item and culture (multi3hate 3.3: five).
        explicit: explicit attention checks a sheet (A.6: one).
        implicit: implicit attention checks a sheet (A.6: three).
        seed: another one draws other batches.

    Raises:
        InputError: something of it cannot be.
    """

    name: str
    taxonomy: str
    cultures: tuple[Culture, ...]
    size: int = 20
    answers: int = 5
    explicit: int = 1
    implicit: int = 3
    seed: int = 0

    def __post_init__(self) -> None:
        if not self.name.strip():
            raise InputError("a survey needs a name")
        if not self.cultures:
            raise InputError("a survey needs a culture at least, such as DE")
        for what, value, least, most in (
            ("size", self.size, 1, _MOST_IN_A_BATCH),
            ("answers", self.answers, 1, 1000),
            ("explicit", self.explicit, 0, 50),
            ("implicit", self.implicit, 0, 50),
        ):
            if not least <= value <= most:
                raise InputError(f"{what} is from {least} to {most}, not {value}")
        codes = [culture.code for culture in self.cultures]
        for code in codes:
            if not _CODE.fullmatch(code):
                raise InputError(f"a culture's code is a country such as DE, not {code[:40]!r}")
            if codes.count(code) > 1:
                raise InputError(f"the culture {code} is there twice")

    def culture(self, code: str) -> Culture:
        """The culture of that code.

        Raises:
            InputError: there is none.
        """
        for culture in self.cultures:
            if culture.code == code:
                return culture
        codes = ", ".join(culture.code for culture in self.cultures)
        raise InputError(f"{self.name} has no culture {code[:40]!r}; it has {codes}")


def build(
    memes: Sequence[tuple[str, str]],
    design: Design,
    taxonomy: Taxonomy,
    *,
    round: int = 1,
    cultures: Sequence[str] | None = None,
    answers: int | None = None,
    first: int = 1,
) -> tuple[Batch, ...]:
    """Deal memes into batches.

    Each template is spread evenly over the batches (no two differ by more than one meme of it) and
    within each. No two memes of one template come in a row, where that is possible: where one has
    more than half of a batch, as few as can be do, with checks between them; see `notes`.

    Args:
        memes: ids with their templates' names, in any order.
        design: of the survey.
        taxonomy: implicit checks are drawn from its examples, labels of explicit ones from its
            labels, so that nobody passes who always gives the same answer.
        round: 0 is pre-annotation, 1 the survey, from 2 on what was left open.
        cultures: codes of those that the batches go to; all by default.
        answers: annotators a sheet; the design's by default.
        first: the number of the first batch.

    Raises:
        InputError: a meme is there twice or bears a check's name, or there are not enough examples.
    """
    codes = tuple(cultures if cultures is not None else (one.code for one in design.cultures))
    for code in codes:
        design.culture(code)
    templates = checked_memes(memes)
    if design.implicit > len(taxonomy.examples):
        raise InputError(
            f"{taxonomy.name} has {len(taxonomy.examples)} examples, too few for {design.implicit} "
            f"implicit checks; ask for {len(taxonomy.examples)} at the most, or add examples"
        )
    count = -(-len(templates) // design.size)
    batches = []
    for number, part in enumerate(
        dealt(templates, count, chance(design.seed, "deal", round, first, *codes)), first
    ):
        random = chance(design.seed, "batch", round, number, *codes)
        order = arranged(part, templates, random)
        checks = shuffled(_checks(design, taxonomy, random), random)
        shown = {example.id: Path(example.template).name for example in taxonomy.examples}
        slots = with_checks(order, checks, templates, shown, random)
        batches.append(
            Batch(
                f"r{round}-b{number:02d}",
                round,
                slots,
                codes,
                design.answers if answers is None else answers,
            )
        )
    return tuple(batches)


def build_next(
    needs: Mapping[tuple[str, str], int],
    memes: Sequence[tuple[str, str]],
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
        memes: all memes of the survey with their templates.
        design: of the survey.
        taxonomy: as in `build`.
        round: 2 or more.

    Raises:
        InputError: a meme or culture is not of the survey; else as `build`.
    """
    templates = checked_memes(memes)
    wanted: dict[str, dict[str, int]] = defaultdict(dict)
    for (meme_id, code), more in sorted(needs.items()):
        design.culture(code)
        if meme_id not in templates:
            raise InputError(f"the survey has no meme {meme_id[:80]!r}")
        if more > 0:
            wanted[code][meme_id] = more
    alike: dict[tuple[tuple[str, int], ...], list[str]] = defaultdict(list)
    for culture in design.cultures:
        if culture.code in wanted:
            alike[tuple(sorted(wanted[culture.code].items()))].append(culture.code)
    batches: list[Batch] = []
    for items, codes in alike.items():
        by_need = sorted(items, key=lambda item: (-item[1], item[0]))
        count = -(-len(by_need) // design.size)
        for place in range(count):
            part = by_need[place * len(by_need) // count : (place + 1) * len(by_need) // count]
            batches += build(
                [(meme_id, templates[meme_id]) for meme_id, _ in part],
                design,
                taxonomy,
                round=round,
                cultures=codes,
                answers=max(more for _, more in part),
                first=len(batches) + 1,
            )
    return tuple(batches)


def notes(batches: Sequence[Batch], memes: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """What could not be held, a sentence a batch: memes of one template in a row, checks at an end.

    Args:
        batches: of `build`.
        memes: their ids and templates.
    """
    templates = dict(memes)
    remarks = []
    for batch in batches:
        counts = Counter(templates[one] for one in batch.memes)
        rows = sum(
            bool(one.meme_id and other.meme_id)
            and templates[one.meme_id] == templates[other.meme_id]
            for one, other in zip(batch.slots, batch.slots[1:], strict=False)
        )
        if rows:
            template, most = counts.most_common(1)[0]
            remarks.append(
                f"{batch.id}: {most} of {len(batch.memes)} memes are of the template {template}, "
                f"so {rows} times two of one template come in a row."
            )
        if batch.slots and (batch.slots[0].check or batch.slots[-1].check):
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
) -> tuple[Sheet, ...]:
    """A sheet a batch and culture, in the order of the batches and then of the design's cultures.

    Args:
        batches: of any round.
        design: of the survey.
        picture: the rendered picture of a meme in a culture's language.
        caption: its text there, parts joined by ` // `.
        example_picture: the picture of one of the taxonomy's examples there.
        templates: by meme id, its template's name.
    """
    sheets = []
    for batch in batches:
        for culture in design.cultures:
            if culture.code not in batch.cultures:
                continue
            entries: list[Entry] = []
            checks = 0
            for slot in batch.slots:
                if slot.check is None:
                    meme_id = slot.meme_id
                    entries.append(
                        Question(
                            meme_id,
                            templates[meme_id],
                            picture(meme_id, culture),
                            caption(meme_id, culture),
                        )
                    )
                    continue
                checks += 1
                shown = example_picture(slot.example, culture) if slot.example else None
                entries.append(
                    Check(f"check-{checks}", slot.check, slot.expected, slot.example, shown)
                )
            sheets.append(
                Sheet(
                    f"{batch.id}-{culture.code}",
                    design.name,
                    batch.id,
                    batch.round,
                    culture,
                    design.taxonomy,
                    tuple(entries),
                    batch.answers,
                )
            )
    return tuple(sheets)


def checked_memes(memes: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Templates by meme id, sorted by id.

    Raises:
        InputError: an id is empty, is there twice, or is a check's.
    """
    templates: dict[str, str] = {}
    for meme_id, template in sorted(memes):
        if not meme_id or _CHECK_ID.fullmatch(meme_id):
            raise InputError(
                f"a meme cannot be called {meme_id!r}: attention checks are called so"
                if meme_id
                else "a meme needs an id"
            )
        if meme_id in templates:
            raise InputError(f"the meme {meme_id[:80]!r} is there twice")
        templates[meme_id] = template
    return templates


def _checks(design: Design, taxonomy: Taxonomy, random: Random) -> list[Slot]:
    """Checks that whoever gives one answer throughout does not pass, as far as labels allow."""
    by_label: dict[str, list[str]] = defaultdict(list)
    for example in shuffled(taxonomy.examples, random):
        by_label[example.label].append(example.id)
    order = shuffled(sorted(by_label), random)
    drawn: list[tuple[str, str]] = []
    while len(drawn) < design.implicit:
        for label in order:
            if by_label[label] and len(drawn) < design.implicit:
                drawn.append((label, by_label[label].pop()))
    slots = [Slot(check="implicit", example=one, expected=label) for label, one in drawn]
    often = Counter(label for label, _ in drawn)
    labels = [label.id for label in taxonomy.labels]
    rare = [label for label in labels if often[label] < max(often.values(), default=1)]
    slots += [
        Slot(check="explicit", expected=one_of(rare or labels, random))
        for _ in range(design.explicit)
    ]
    return slots
