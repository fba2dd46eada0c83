"""Practice before the first meme. In: a sheet and the taxonomy. Out: its training items.

Training items are examples of the taxonomy, whose right label and reason are known. They are asked
as implicit checks are, so they look like memes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count, islice

from memeloc.survey.model import Check, Sheet, entry_id
from memeloc.survey.targets.protocol import SurveyPack


def training_items(pack: SurveyPack, sheet: Sheet, number: int) -> tuple[Check, ...]:
    """The first examples of the taxonomy as items; they have ids that no entry has.

    An example's label differs from the one before where that is possible, so that nobody learns
    the order.
    """
    taken = {entry_id(entry) for entry in sheet.entries}
    names = (name for each in count(1) if (name := f"training-{each}") not in taken)
    by_label: dict[str, list[str]] = {}
    for example in pack.taxonomy.examples:
        by_label.setdefault(example.label, []).append(example.id)
    order = sorted(pack.taxonomy.examples, key=lambda each: by_label[each.label].index(each.id))
    code = sheet.culture.code
    return tuple(
        Check(name, "implicit", each.label, each.id, pack.examples.get((code, each.id)))
        for name, each in zip(names, islice(order, number), strict=False)
    )


def right_at_once(items: Sequence[Check], first: Mapping[str, str]) -> int:
    """How many training items were answered right the first time; `first` has labels by id."""
    return sum(first.get(item.id) == item.expected for item in items)
