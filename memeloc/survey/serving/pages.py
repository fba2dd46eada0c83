"""What a sheet's page shows when it is served. In: a pack, a sheet. Out: its texts.

Training items stand before the first meme: examples of the taxonomy, whose right label and reason
are known. They are asked as implicit checks are, so they look like memes, and are not explained in
the introduction.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from itertools import count, islice

from memeloc.survey.model import Check, Entry, Sheet, entry_id
from memeloc.survey.targets.instructions import SheetTexts
from memeloc.survey.targets.places import item_key
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


class ServedSheet(SheetTexts):
    """A sheet with `number` training items, and its texts.

    Attributes:
        own: the sheet as it is, without them.
        training: the training items, in order.
    """

    def __init__(self, pack: SurveyPack, sheet: Sheet, number: int) -> None:
        self.own, self.training = sheet, training_items(pack, sheet, number)
        super().__init__(pack, replace(sheet, entries=(*self.training, *sheet.entries)))
        trained = {item.example for item in self.training}
        kept = tuple(each for each in pack.taxonomy.examples if each.id not in trained)
        self.pack = replace(pack, taxonomy=replace(pack.taxonomy, examples=kept))

    def introduction(self) -> str:
        """As of every sheet, and how many training items there are."""
        text = super().introduction()
        if not self.training:
            return text
        between = "" if text.endswith("。") else " "
        return f"{text}{between}{self.get('serve.practice', count=len(self.training))}"

    @cached_property
    def entries(self) -> dict[str, Entry]:
        """The entries by the keys that the page names them by, in order."""
        return {self.key(entry): entry for entry in self.sheet.entries}

    def id_of(self, key: str) -> str:
        """The id of the entry that has a key; the key itself where none has it."""
        entry = self.entries.get(key)
        return key if entry is None else entry_id(entry)

    def key(self, entry: Entry) -> str:
        """What the page names an entry by."""
        return item_key(self.pack.name, self.sheet.id, entry_id(entry))

    def feedback(self, item: Check, label: str) -> dict[str, object]:
        """The feedback on an answer to a training item."""
        is_right = label == item.expected
        text = "serve.right" if is_right else "serve.wrong"
        values = {"why": self.reasons[item.example], "label": self.labels[item.expected]}
        return {"correct": is_right, "text": self.get(text, **values)}
