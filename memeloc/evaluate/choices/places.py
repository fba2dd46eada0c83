"""An option at a place. In: a folded text, where to look. Out: the option that stands there."""

from __future__ import annotations

import re
from functools import lru_cache

from memeloc.evaluate.choices.folding import WORD, is_word
from memeloc.evaluate.choices.languages import any_of, gather, languages_for, refusals
from memeloc.evaluate.choices.options import Options

BOTH, CONTRADICTION = -1, -2
"""In the place of an option: several are chosen; a marker contradicts the name beside it."""

Hit = tuple[int, int, int]
"""An option's place, and from where to where it was read."""

_CLOSED = re.compile(
    r"(?!\.\w\.)['\"’”»」*`_]*\s*[.:;,!?)\]}|/=>。，：；）、！？-]|[*`\"”»」_]|\s*\n|\W*$"
)
"""What follows a marker that stands for itself."""


def option_at(text: str, options: Options) -> Hit | None:
    """The option at the beginning of a folded text: a marker, a name, or both.

    A marker counts where something other than a further word follows: "a meme" has none.
    """
    opening = _opening().match(text)
    at = opening.end() if opening else 0
    match = options.marker_pattern.match(text, at)
    name = _name_at(text, options, at, is_strict=match is not None)
    if name is not None and (match is None or name[1] > match.end() + 3):
        return _unless_both(text, options, (name[0], at, name[1]))
    if match is None:
        return None
    letter, end = match.group(), match.end()
    place = options.by_marker.get(letter, options.by_equal.get(letter, 0))
    if _lists_more(text, end, options, place):
        return BOTH, at, end
    beside_at = end
    while beside_at < len(text) and not is_word(text[beside_at]):
        beside_at += 1
    beside = _name_at(text, options, beside_at, is_strict=True)
    is_led = opening is not None and any(map(is_word, opening.group()))
    is_article = options.is_article(letter) and not is_led  # `class 2 is`, but not `2 cats`
    if beside is not None:
        if is_article and not letter.isdecimal() and text[end:beside_at].isspace():
            return beside[0], at, beside[1]
        return (place if beside[0] == place else CONTRADICTION), at, beside[1]
    rest = text[end:]
    if _wrong().match(rest):
        return None
    if _CLOSED.match(rest) or is_end(rest) or because(is_article).match(rest):
        return place, at, end
    if not is_article and re.match(r"\s+\w\w", rest):
        return place, at, end
    return None


def option_alone(text: str, options: Options) -> Hit | None:
    """The option that a folded text consists of."""
    bare = text.strip()
    marked = re.match(r"a\s*:\s*(\w+)\W*$|\W*(?:\d{1,2}[.)]\s+)?(\w+)(?:\W+\2)*\W*$", bare)
    if marked is not None:  # `A: b` and `1) b` number the answer; `b b` repeats it
        place = options.by_marker.get(marked.group(1) or marked.group(2), -1)
        if place >= 0 and (
            marked.group(1) or not bare[0].isdecimal() or "1" not in options.markers
        ):
            return place, 0, len(text)
    for place, (marker, name) in enumerate(zip(options.markers, options.names, strict=True)):
        if bare and bare in (marker, name):
            return place, 0, len(text)
    hit = option_at(text, options)
    if hit is None:
        return None
    rest = text[hit[2] :]
    return (hit[0], 0, len(text)) if not any(map(is_word, rest)) or is_end(rest) else None


def single(values: dict[int, tuple[int, int]]) -> Hit | None:
    """The only option that was read, with the place of it; or that there are several."""
    if not values:
        return None
    option, (start, end) = next(iter(values.items()))
    return (option if len(values) == 1 else BOTH), start, end


def _name_at(text: str, options: Options, at: int, *, is_strict: bool) -> tuple[int, int] | None:
    """The option that is named at a place of a text, and where its name ends."""
    head = text[at : at + 400]
    for mention in options.mentions(head):
        before = head[: mention.start]
        if any(map(is_word, before)) and (is_strict or not _FILL.fullmatch(before)):
            break
        if refusals().search(head[: mention.end]):
            break
        return mention.option, at + mention.end
    return _cut_name(text[at:], options, at)


_FILL = re.compile(r"\W*(?:a|an|the|eine?|das|un|una|uno|le|la|el|it is|this is|es|ist|yes|no)?\W*")
"""What may stand before a name at the beginning."""


def _cut_name(text: str, options: Options, at: int) -> tuple[int, int] | None:
    """Of a long name its first letters alone: an answer that was cut off."""
    start = text.strip(" .\"'*…")
    if len(start) < 12:
        return None
    places = [place for place, name in enumerate(options.names) if name.startswith(start)]
    return (places[0], at + len(text)) if len(places) == 1 else None


def _unless_both(text: str, options: Options, hit: Hit) -> Hit:
    joined = _joined().match(text, hit[2])
    other = _name_at(text, options, joined.end(), is_strict=True) if joined else None
    return hit if other is None or other[0] == hit[0] else (BOTH, hit[1], other[1])


def _lists_more(text: str, end: int, options: Options, place: int) -> bool:
    """Whether a marker is followed by another one: `a and b`, `a/b`, `a, b`, or alone on a line."""
    match = _joined().match(text, end)
    if match is None:
        return False
    other = options.marker_pattern.match(text, match.end())
    if other is None or options.by_marker.get(other.group(), place) == place:
        return False
    is_line = "\n" in match.group()
    follows = text[other.end() :]
    return not (re.match(r"\s*\w", follows) if is_line else re.match(r"\s+\w\w+\s+\w", follows))


@lru_cache(maxsize=1)
def _opening() -> re.Pattern[str]:
    return re.compile(rf"[^{WORD}]*(?:{any_of(gather('option'))}[^{WORD}]*)?")


@lru_cache(maxsize=1)
def _joined() -> re.Pattern[str]:
    return re.compile(rf"[\s*'\")\].]*(?:{any_of(gather('and_'))}|[,/&|+、，\n])[\s*'\"(\[]*")


@lru_cache(maxsize=2)
def because(is_article: bool) -> re.Pattern[str]:
    """How reasons begin; after a letter that is also a word only the English words are read."""
    among = languages_for("en") if is_article else None
    return re.compile(rf"[^{WORD}]*{any_of(gather('because', among))}")


@lru_cache(maxsize=1)
def _wrong() -> re.Pattern[str]:
    return re.compile(rf"[^{WORD}]*{any_of(gather('wrong'))}")


@lru_cache(maxsize=1)
def _ends() -> re.Pattern[str]:
    ends = "|".join(re.escape(end) for end in gather("ends"))
    return re.compile(rf"[^{WORD}]*(?:{ends})[^{WORD}]*")


def is_end(rest: str) -> bool:
    """Whether nothing but the end of a sentence follows: `bです`."""
    return _ends().fullmatch(rest) is not None
