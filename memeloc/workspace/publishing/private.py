"""What only the workspace knows. In: a workspace. Out: `Private`, by which a release is checked."""

from __future__ import annotations

import itertools
import json
import os
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache, partial
from pathlib import Path

from memeloc.curate.duplicates.hashing import as_array, group_hashes, hash_picture, near_pairs
from memeloc.curate.duplicates.texts import plain_text, similar_texts
from memeloc.errors import InputError
from memeloc.publish.checks import Private
from memeloc.publish.private_files import is_text, text_content
from memeloc.store.dumps import is_own
from memeloc.store.surveys.participant_ids import hash_id
from memeloc.store.tables import metadata
from memeloc.survey.targets.resolver import recognise
from memeloc.tables.archives import is_workbook
from memeloc.workspace.folder import WorkspaceFolder
from memeloc.workspace.settings import Settings

_DISTANCE = 5
"""Bits of 64 in which hashes of near pictures differ at most (charmemes, 4.3)."""
_NEAR_TEXT = 0.9
"""Similarity of captions that are nearly the same, as deduplication has it."""
_LONG_TEXT = 20
"""Characters from which on a similar text is a version of another: of short ones a word is much."""
_MOST_TEXTS = 50_000
"""Texts of which all pairs are compared: some thirty seconds."""
_SHORTEST_KEY = 8
"""Bytes of a key that is looked for: a shorter one is in any file."""


def private_of(workspace: WorkspaceFolder) -> Private:
    """Return what the workspace knows of people, of its own files and of near pictures.

    Where people were erased, and the key by which they are recognised is missing, `is_erased`
    raises InputError.
    """
    store = workspace.store
    people = store.erasures.everybody()
    recogniser = cache(store.erasures.recogniser)
    key = cache(lambda: store.surveys.key)  # a file, which is not to be read for every word

    def is_participant(text: str) -> bool:
        return bool(people) and (text in people or hash_id(key(), text) in people)

    return Private(
        is_participant,
        lambda text: recogniser()(text),
        near_pictures,
        partial(_own_file, workspace.root),
    )


def _own_file(root: Path | None, path: Path) -> str:
    """Return what a file is of the workspace or of its people, whatever its name; else empty."""
    if is_own(path.name):
        return "the workspace's database or key"
    if root and path.is_relative_to(root.resolve() / "surveys"):
        return "a sheet of a survey"
    keys = [file.read_bytes().strip() for file in root.glob("*.key")] if root else []
    keys += [os.environ.get(f"MEMELOC_{name}_KEY", "").encode() for name in ("SURVEY", "ERASURE")]
    content = text_content(path)
    if any(len(key) >= _SHORTEST_KEY and key in content for key in keys):
        return "a file with the workspace's key"
    if not (is_text(content) or is_workbook(content)):
        return ""
    text = content.decode("utf-8", "replace")
    with suppress(tomllib.TOMLDecodeError):
        if (values := tomllib.loads(text)) and values.keys() <= Settings.model_fields.keys():
            return "the settings of a workspace"
    with suppress(ValueError, AttributeError):
        columns = json.loads(text.partition("\n")[0]).keys()
        if any(columns == set(table.columns.keys()) for table in metadata.sorted_tables):
            return "a table of a workspace's dump"
    with suppress(InputError):
        return f"a file of people's answers ({recognise(path).name})"
    return ""


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


def near_captions(memes: Iterable[tuple[str, Sequence[str]]]) -> Iterator[Sequence[str]]:
    """Yield memes with the same text, and pairs with nearly the same, in any of their languages.

    Takes each meme with the parts of its texts. Longer texts alone are compared for nearness, and
    only among so many as take seconds: of more, equal ones are enough.
    """
    by_text: dict[str, list[str]] = {}
    for meme, parts in memes:
        if text := plain_text(parts):
            by_text.setdefault(text, []).append(meme)
    yield from by_text.values()
    long = [text for text in by_text if len(text) >= _LONG_TEXT]
    if len(long) <= _MOST_TEXTS:
        for one, other, _ in similar_texts(long, _NEAR_TEXT):
            yield by_text[long[one]][0], by_text[long[other]][0]
