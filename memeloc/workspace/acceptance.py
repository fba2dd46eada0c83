"""What was taken and left out by its state, in words. In: an `Acceptance`. Out: sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from memeloc.counts import counted
from memeloc.model import Acceptance


def acceptance_sentences(acceptance: Acceptance | None) -> Iterator[str]:
    """Yield what was left out and why, and what was taken that nobody has accepted."""
    if acceptance is None:
        return
    if count := _total(acceptance.left_out):
        undropped = any(set(states) - {"dropped"} for states in acceptance.left_out.values())
        also = "; --captions any takes all but what was dropped" if undropped else ""
        captions = counted(count, "caption is", "captions are")
        yield f"{captions} left out ({_states(acceptance.left_out)}){also}"
    if count := _total(acceptance.unaccepted):
        yield (
            f"nobody has accepted {count:,} of the captions ({_states(acceptance.unaccepted)}); "
            "--captions accepted leaves them out"
        )


def nothing_taken(acceptance: Acceptance) -> str:
    """Return what to do where every caption is left out."""
    which = {"accepted": "accepted", "corrected": "accepted or corrected"}
    return (
        f"Only {which.get(acceptance.captions, 'undropped')} captions are taken, and none is left: "
        f"left out are {_states(acceptance.left_out)}. Have people correct them (memeloc correct "
        "export --langs TAG --to NAME) and settle what is disputed (memeloc correct settle), or "
        "take them as they are with --captions any."
    )


def _states(counts: Mapping[str, Mapping[str, int]]) -> str:
    """Return counts by language and state: `de 12 machine, 1 disputed; hi 3 machine`."""
    return "; ".join(
        f"{language} " + ", ".join(f"{count:,} {state}" for state, count in states.items())
        for language, states in counts.items()
    )


def _total(counts: Mapping[str, Mapping[str, int]]) -> int:
    return sum(sum(states.values()) for states in counts.values())
