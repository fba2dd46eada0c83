"""A balanced set, multi3hate A.5. In: a pre-annotation's answers. Out: memes to go on with.

40 % hate, 40 % not, 20 % on which the two answers of a meme differ, 300 in all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Literal

from memeloc.errors import InputError
from memeloc.survey.design.build import chance, shuffled
from memeloc.taxonomy import Taxonomy

Outcome = Literal["harmful", "harmless", "tied", "open"]
"""More votes for harmful labels, for harmless ones, as many for both, or too few votes."""
Balance = Mapping[Outcome, int]
"""How many memes of each of `KINDS` are chosen."""
KINDS: tuple[Outcome, ...] = ("harmful", "harmless", "tied")


def outcomes(
    answers: Iterable[tuple[str, str]],
    memes: Iterable[str],
    taxonomy: Taxonomy,
    *,
    fewest_votes: int = 1,
) -> dict[str, Outcome]:
    """Return what few answers (meme and label id) say of each of the memes.

    Labels that are worse than harmless (severity over 0) count together; "I don't know" is no vote.
    With fewer than `fewest_votes` a meme is open; with 1 a vote beside an "I don't know" decides,
    as a majority of the votes does in the survey.
    """
    harmful = {label.id: label.severity > 0 for label in taxonomy.of_role("vote")}
    votes = Counter((meme, harmful[label]) for meme, label in answers if label in harmful)
    by_meme: dict[str, Outcome] = {}
    for meme in sorted(memes):
        bad, good = votes[meme, True], votes[meme, False]
        if bad + good < max(1, fewest_votes):
            by_meme[meme] = "open"
        else:
            by_meme[meme] = "tied" if bad == good else "harmful" if bad > good else "harmless"
    return by_meme


def balance(
    total: int = 300, harmful: float = 0.4, harmless: float = 0.4, tied: float = 0.2
) -> Balance:
    """Return how many memes of each outcome shares of a total are (A.5: 120, 120 and 60); what
    rounding leaves goes to the largest remainders. Raise InputError if the shares do not sum to 1,
    or one is below 0."""
    shares = (harmful, harmless, tied)
    if not (min(shares) >= -1e-9 and abs(sum(shares) - 1) <= 1e-9):
        raise InputError(f"shares are from 0 on and sum to 1, not {harmful}, {harmless}, {tied}")
    # Rounded: 0.4 * 300 must not be a hair below 120.
    exact = {
        kind: max(0.0, round(share * total, 9)) for kind, share in zip(KINDS, shares, strict=True)
    }
    counts = {kind: int(part) for kind, part in exact.items()}
    by_remainder = sorted(KINDS, key=lambda kind: counts[kind] - exact[kind])
    for kind in by_remainder[: total - sum(counts.values())]:
        counts[kind] += 1
    return counts


def choose(
    by_meme: Mapping[str, Outcome], templates: Mapping[str, str], wanted: Balance, *, seed: int
) -> tuple[str, ...]:
    """Choose so many memes of each outcome, templates as evenly as each outcome has them.

    Within an outcome each template's first meme comes before any template's second, and so on; of
    equals, that of the template with the fewest chosen so far; then chance decides. Outcomes and
    templates are by meme id; the ids that are returned are sorted. Raise InputError if there are
    not enough; the sentence says how many there are and what would do.
    """
    counts = Counter(by_meme.values())
    if short := [kind for kind in KINDS if counts[kind] < wanted[kind]]:
        missing = " and ".join(f"{wanted[kind] - counts[kind]} {kind}" for kind in short)
        names = ", ".join(f"{counts[kind]} of {wanted[kind]} {kind}" for kind in KINDS)
        still = f" {counts['open']} have too few votes to count." if counts["open"] else ""
        most = largest(counts, wanted)
        instead = f"choose {most} in all, which these proportions allow, " if most else ""
        raise InputError(
            f"There are not enough memes for a set of {sum(wanted.values())}: there are {names}; "
            f"{missing} are missing.{still} Pre-annotate more memes, {instead}or set other counts."
        )
    random = chance(seed, "balance")
    chosen: list[str] = []
    overall: Counter[str] = Counter()
    # The scarcest outcome first: it has the least choice of templates.
    for kind in sorted(KINDS, key=lambda kind: counts[kind] - wanted[kind]):
        chosen_of: Counter[str] = Counter()
        ranked: list[tuple[int, int, int, str]] = []
        for meme in shuffled([meme for meme in sorted(by_meme) if by_meme[meme] == kind], random):
            template = templates[meme]
            ranked.append((chosen_of[template], overall[template], len(ranked), meme))
            chosen_of[template] += 1
        taken = [meme for *_, meme in sorted(ranked)[: wanted[kind]]]
        overall.update(templates[meme] for meme in taken)
        chosen += taken
    return tuple(sorted(chosen))


def largest(counts: Mapping[Outcome, int], wanted: Balance) -> int:
    """Return how many memes can be chosen at the most in the proportions of `wanted`."""
    whole = sum(wanted.values())
    for total in range(whole, 0, -1):
        part = balance(total, *(wanted[kind] / whole for kind in KINDS))
        if all(counts.get(kind, 0) >= part[kind] for kind in KINDS):
            return total
    return 0
