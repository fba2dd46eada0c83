"""Sharing work out. In: memes, people, and who has which already. Out: a person for each meme."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence


def share(
    meme_ids: Iterable[str], people: Sequence[str], holders: Mapping[str, str]
) -> dict[str, str]:
    """Return who of `people` gets each meme: whoever has it on a sheet of that round already
    (`holders`), else who has the fewest.

    So shares are even, and stay as they are when more memes come. What somebody else has is left
    out.

    >>> share(["m1", "m2", "m3"], ["anna", "ben"], {"m1": "ben"})
    {'m1': 'ben', 'm2': 'anna', 'm3': 'anna'}
    """
    shares, new = {}, []
    for meme_id in meme_ids:
        if holders.get(meme_id) in people:
            shares[meme_id] = holders[meme_id]
        elif meme_id not in holders:
            new.append(meme_id)
    counts = Counter(shares.values())
    for meme_id in new:
        shares[meme_id] = min(people, key=lambda person: counts[person])
        counts[shares[meme_id]] += 1
    return shares
