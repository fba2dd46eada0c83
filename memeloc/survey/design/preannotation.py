"""Pre-annotation, multi3hate A.5. In: a set too large, few answers. Out: batches, a balanced set.

The set is split evenly over the cultures, each meme is asked about twice in one of them, and of
what comes back a balanced choice goes to the survey: 40 % hate, 40 % not, 20 % on which the two
differ, 300 in all.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from memeloc.errors import InputError
from memeloc.survey.design.arranging import dealt
from memeloc.survey.design.build import Design, build, checked_memes
from memeloc.survey.design.chance import chance, shuffled
from memeloc.survey.model import Batch
from memeloc.survey.taxonomy import Taxonomy

Outcome = Literal["harmful", "harmless", "tied", "open"]
"""More votes for harmful labels, for harmless ones, as many for both, or too few votes."""

KINDS: tuple[Outcome, ...] = ("harmful", "harmless", "tied")
"""The outcomes that are chosen from."""

ROUND = 0
"""The round of pre-annotation."""


def split(
    memes: Sequence[tuple[str, str]], design: Design, taxonomy: Taxonomy, *, answers: int = 2
) -> tuple[Batch, ...]:
    """Batches in which each meme is asked about in one culture only.

    Cultures get equal parts, templates spread evenly over them.

    Args:
        memes: ids with their templates' names.
        design: of the survey.
        taxonomy: see `build`.
        answers: annotators a batch (A.5: two).

    Raises:
        InputError: as `build`.
    """
    templates = checked_memes(memes)
    parts = dealt(templates, len(design.cultures), chance(design.seed, "preannotation"))
    # The first cultures get what does not divide evenly, as `planning` expects.
    parts.sort(key=len, reverse=True)
    batches: list[Batch] = []
    for culture, part in zip(design.cultures, parts, strict=True):
        batches += build(
            [(meme_id, templates[meme_id]) for meme_id in part],
            design,
            taxonomy,
            round=ROUND,
            cultures=(culture.code,),
            answers=answers,
            first=len(batches) + 1,
        )
    return tuple(batches)


def outcomes(
    answers: Iterable[tuple[str, str]],
    memes: Iterable[str],
    taxonomy: Taxonomy,
    *,
    fewest_votes: int = 1,
) -> dict[str, Outcome]:
    """What few answers say of each meme.

    Labels that are worse than harmless (severity over 0) count together; "I don't know" is no vote.

    Args:
        answers: meme id and label id, of retained submissions.
        memes: all ids; a meme without answers is open.
        taxonomy: whose labels they are.
        fewest_votes: with fewer a meme is open. With 1, the default, a vote beside an "I don't
            know" decides, as a majority of the votes does in the survey.

    Raises:
        InputError: a label is not the taxonomy's.
    """
    severities = {one.id: one.severity for one in taxonomy.labels}
    voting = {one.id for one in taxonomy.labels if not one.abstain}
    votes: dict[str, Counter[bool]] = defaultdict(Counter)
    for meme_id, label in answers:
        if label and label not in severities:
            raise InputError(f"{taxonomy.name} has no label {label[:60]!r}")
        if label in voting:
            votes[meme_id][severities[label] > 0] += 1
    by_meme: dict[str, Outcome] = {}
    for meme_id in sorted(set(memes)):
        bad, good = votes[meme_id][True], votes[meme_id][False]
        if bad + good < max(1, fewest_votes):
            by_meme[meme_id] = "open"
        else:
            by_meme[meme_id] = "tied" if bad == good else "harmful" if bad > good else "harmless"
    return by_meme


@dataclass(frozen=True, slots=True)
class Balance:
    """How many memes of each outcome are chosen.

    Attributes:
        harmful: A.5: 40 % of 300.
        harmless: 40 %.
        tied: 20 %.
    """

    harmful: int = 120
    harmless: int = 120
    tied: int = 60

    def __post_init__(self) -> None:
        if min(self.harmful, self.harmless, self.tied) < 0:
            raise InputError("a balance has counts from 0 on")

    @classmethod
    def of(
        cls, total: int, harmful: float = 0.4, harmless: float = 0.4, tied: float = 0.2
    ) -> Balance:
        """Counts of shares; what rounding leaves goes to the largest remainders.

        Raises:
            InputError: the shares do not sum to 1, or one is below 0.
        """
        shares = (harmful, harmless, tied)
        if min(shares) < -1e-9 or abs(sum(shares) - 1) > 1e-9:
            raise InputError(
                f"shares are from 0 on and sum to 1, not {harmful}, {harmless}, {tied}"
            )
        # Rounded: 0.4 * 300 must not be a hair below 120.
        exact = [max(0.0, round(share * total, 9)) for share in shares]
        counts = [int(one) for one in exact]
        order = sorted(range(3), key=lambda place: (counts[place] - exact[place], place))
        for place in order[: total - sum(counts)]:
            counts[place] += 1
        return cls(*counts)

    @property
    def total(self) -> int:
        """All together."""
        return self.harmful + self.harmless + self.tied

    def wanted(self) -> dict[Outcome, int]:
        """Counts by outcome."""
        return {"harmful": self.harmful, "harmless": self.harmless, "tied": self.tied}


@dataclass(frozen=True, slots=True)
class Chosen:
    """A balanced choice.

    Attributes:
        memes: ids, sorted.
        there: by outcome, how many memes had it.
        taken: by outcome, how many were chosen.
        templates: by template, how many were chosen.
    """

    memes: tuple[str, ...]
    there: Mapping[Outcome, int]
    taken: Mapping[Outcome, int]
    templates: Mapping[str, int]


def choose(
    by_meme: Mapping[str, Outcome],
    templates: Mapping[str, str],
    balance: Balance | None = None,
    *,
    seed: int,
) -> Chosen:
    """Choose so many memes of each outcome, templates as evenly as each outcome has them.

    Within an outcome one meme after the other is drawn from the template that has the fewest so
    far: there, then in all; chance decides between equals.

    Args:
        by_meme: outcomes by meme id.
        templates: by meme id.
        balance: how many of each.
        seed: another one draws others.

    Raises:
        InputError: there are not enough; the sentence says how many are there and what would do.
    """
    balance = balance or Balance()
    there = Counter(by_meme.values())
    wanted = balance.wanted()
    if any(there[kind] < count for kind, count in wanted.items()):
        raise InputError(_shortage(there, balance))
    random = chance(seed, "balance")
    taken: list[str] = []
    overall: Counter[str] = Counter()
    # The scarcest outcome first: it has the least choice of templates.
    for kind in sorted(KINDS, key=lambda one: (there[one] - wanted[one], one)):
        waiting: dict[str, list[str]] = defaultdict(list)
        for meme_id in shuffled(sorted(one for one in by_meme if by_meme[one] == kind), random):
            waiting[templates[meme_id]].append(meme_id)
        own: Counter[str] = Counter()
        ties = {template: random.random() for template in sorted(waiting)}
        for _ in range(wanted[kind]):
            template = min(
                (one for one in waiting if waiting[one]),
                key=lambda one: (own[one], overall[one], ties[one]),
            )
            taken.append(waiting[template].pop())
            own[template] += 1
            overall[template] += 1
    return Chosen(
        tuple(sorted(taken)),
        {kind: there[kind] for kind in (*KINDS, "open")},
        wanted,
        dict(sorted(overall.items())),
    )


def largest(by_meme: Mapping[str, Outcome], balance: Balance) -> int:
    """How many memes can be chosen at the most in these proportions."""
    there, total = Counter(by_meme.values()), 0
    for size in range(balance.total, 0, -1):
        part = _scaled(balance, size)
        if all(there[kind] >= count for kind, count in part.wanted().items()):
            total = size
            break
    return total


def _scaled(balance: Balance, total: int) -> Balance:
    whole = balance.total
    return Balance.of(
        total, balance.harmful / whole, balance.harmless / whole, balance.tied / whole
    )


def _shortage(there: Counter[Outcome], balance: Balance) -> str:
    """A sentence that says what is there, what is missing, and what could be done."""
    wanted = balance.wanted()
    missing = [
        f"{wanted[kind] - there[kind]} {kind}" for kind in KINDS if there[kind] < wanted[kind]
    ]
    names = ", ".join(f"{there[kind]} of {wanted[kind]} {kind}" for kind in KINDS)
    most = largest({f"{kind} {n}": kind for kind in KINDS for n in range(there[kind])}, balance)
    still = f" {there['open']} have too few votes to count." if there["open"] else ""
    instead = f"choose {most} in all, which these proportions allow, " if most else ""
    return (
        f"There are not enough memes for a set of {balance.total}: there are {names}; "
        f"{' and '.join(missing)} are missing.{still} Pre-annotate more memes, {instead}"
        "or set other counts."
    )
