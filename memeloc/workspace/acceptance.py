"""What was taken and left out by its state, in words. In: an `Acceptance`. Out: sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from memeloc.model import Acceptance


def counts_in_words(counts: Mapping[str, Mapping[str, int]]) -> str:
    """Counts by language and state.

    >>> counts_in_words({"de": {"machine": 12, "disputed": 1}, "hi": {"machine": 3}})
    'de 12 machine, 1 disputed; hi 3 machine'
    """
    return "; ".join(
        f"{language} " + ", ".join(f"{count:,} {state}" for state, count in states.items())
        for language, states in counts.items()
    )


def acceptance_sentences(acceptance: Acceptance | None) -> Iterator[str]:
    """What was left out and why, and what was taken that nobody has accepted."""
    if acceptance is None:
        return
    total = _total(acceptance.left_out)
    if total:
        undropped = any(set(states) - {"dropped"} for states in acceptance.left_out.values())
        also = "; --captions any takes all but what was dropped" if undropped else ""
        captions = "caption is" if total == 1 else "captions are"
        yield f"{total:,} {captions} left out ({counts_in_words(acceptance.left_out)}){also}"
    if total := _total(acceptance.unaccepted):
        yield (
            f"nobody has accepted {total:,} of the captions "
            f"({counts_in_words(acceptance.unaccepted)}); --captions accepted leaves them out"
        )


def nothing_taken(acceptance: Acceptance) -> str:
    """What to do where every caption is left out."""
    which = {"accepted": "accepted", "corrected": "accepted or corrected"}
    return (
        f"Only {which.get(acceptance.captions, 'undropped')} captions are taken, and none is left: "
        f"left out are {counts_in_words(acceptance.left_out)}. Have people correct them (memeloc "
        "correct export --langs TAG --to NAME) and settle what is disputed (memeloc correct "
        "settle), or take them as they are with --captions any."
    )


def _total(counts: Mapping[str, Mapping[str, int]]) -> int:
    return sum(sum(states.values()) for states in counts.values())
