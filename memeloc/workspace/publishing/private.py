"""What only the workspace knows. In: a workspace. Out: `Private`, by which a release is checked."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path

from memeloc.curate.duplicates.hashing import as_array, hash_picture
from memeloc.curate.duplicates.near import group_hashes, near_pairs
from memeloc.errors import InputError
from memeloc.publish.checks import Private
from memeloc.workspace.folder import WorkspaceFolder

_DISTANCE = 5
"""Bits of 64 in which hashes of near pictures differ at most (charmemes, 4.3)."""


def private_of(workspace: WorkspaceFolder) -> Private:
    """Tests whether a text names a person of the workspace, and the search for near pictures.

    Raises:
        InputError: people were erased, and the key by which they are recognised is missing.
    """
    store = workspace.store
    people = store.erasures.everybody()

    def is_participant(text: str) -> bool:
        return bool(people) and (text in people or store.surveys.hash_participant(text) in people)

    return Private(is_participant, store.erasures.recogniser(), near_pictures)


def near_pictures(pictures: Sequence[Path]) -> Iterator[tuple[int, int]]:
    """Pairs of pictures whose hashes differ in few bits: equal ones, then the others.

    A file that cannot be read is near to none.
    """
    numbers, hashes = [], []
    for number, path in enumerate(pictures):
        try:
            hashes.append(hash_picture(path))
        except InputError:
            continue
        numbers.append(number)
    groups = group_hashes(as_array(hashes))

    def members(group: int) -> list[int]:
        places = groups.order[groups.starts[group] : groups.starts[group + 1]]
        return [numbers[place] for place in places.tolist()]

    for group in range(len(groups.values)):
        yield from itertools.combinations(members(group), 2)
    for near in near_pairs(groups.values, _DISTANCE):
        for first, second in zip(near.first.tolist(), near.second.tolist(), strict=True):
            yield from itertools.product(members(first), members(second))
