"""The rules, in their order. In: an answer and its options. Out: which option, by which rule.

| rule | an answer that it reads |
| --- | --- |
| `empty` | nothing but spaces and punctuation: invalid |
| `whole answer` | `b`, `(b)`, `**b: Non-hate**`, `not hateful`: an option and nothing else |
| `json` | `{"answer": "b", ...}` |
| `marked` | `\\boxed{b}`, `<answer>b</answer>` |
| `answer` | `the answer is b`, `उत्तर: ख`: behind words for an answer; the last one counts |
| `first` | `b. The meme ...`, `Non-hate, because ...`: an option, then punctuation and reasons |
| `last line` | reasons, and a last line or sentence that is an option |
| `chosen` | `I would choose b`, `option b`, `it is b` |
| `emphasis` | one option in `**`, quotes, brackets |
| `refused` | says that it cannot or will not answer: invalid and refused |
| `in spite of a refusal` | "I cannot be sure, but it is not hateful" |
| `yes or no` | `Yes, ...` where the prompt asks a question of yes or no |
| `conclusion` | names one option in a last sentence that begins with "therefore" |
| `named` | names one option, and no other, anywhere |
| `apology` | an apology that names no option: invalid and refused |

What two rules could read is read by the first. Invalid are also: `contradiction`, a marker beside
the name of another option (`b: Hate` where b is Non-hate: nobody can know which one was meant);
`both options`, where several are chosen; and `none`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from memeloc.evaluate.choices.asserting import (
    Context,
    asserted,
    is_doubted,
    is_refusal,
    is_wondered,
    searchable,
)
from memeloc.evaluate.choices.folding import Folded, is_word
from memeloc.evaluate.choices.languages import (
    any_of,
    apologies,
    choosing,
    concluding,
    gather,
    languages_for,
    leads,
    ordinals,
    places,
    refusals,
    turns,
    yes_no,
)
from memeloc.evaluate.choices.options import Options, negation
from memeloc.evaluate.choices.places import (
    BOTH,
    CONTRADICTION,
    Hit,
    because,
    option_alone,
    option_at,
    single,
)
from memeloc.evaluate.choices.structured import json_answer, json_reasons, marked_answer

_INVALID = {BOTH: "both options", CONTRADICTION: "contradiction"}


@dataclass(frozen=True, slots=True)
class Reading:
    """An option's place (None for none), the rule, and what else the answer has."""

    option: int | None
    rule: str
    is_refused: bool = False
    explanation: str = ""


def read(context: Context) -> Reading:
    """What an answer chooses, by the first rule that reads it."""
    if not any(map(is_word, context.text)):
        return Reading(None, "empty")
    for name, rule in RULES:
        hit = rule(context)
        if hit is not None:
            option, start, end = hit
            if option < 0:
                return Reading(None, _INVALID[option], explanation=context.whole.original.strip())
            reasons = _besides(context.whole, start, end)
            if name == "json":
                reasons = json_reasons(context.whole.original, context.options)
            return Reading(option, name, explanation=reasons)
        if name == _BEFORE_REFUSALS and refusals().search(context.text):
            in_spite = _in_spite(context)
            whole = context.whole.original.strip()
            if in_spite is not None:
                return Reading(in_spite, "in spite of a refusal", explanation=whole)
            return Reading(None, "refused", True, whole)
    everything = context.whole.original.strip()
    if apologies().search(context.text):
        return Reading(None, "apology", True, everything)
    mentioned = {mention.option for mention in asserted(context)}
    return Reading(None, "both options" if len(mentioned) > 1 else "none", explanation=everything)


def _besides(whole: Folded, start: int, end: int) -> str:
    """The original without the letters from `start` to `end` and the punctuation around them."""
    before, after = whole.rest(0, start) if start else "", whole.rest(end)
    parts = (part.strip(" \t\r\n*_`'\"“”„«»「」.:;,()[]{}-–—।。：") for part in (before, after))
    return " ".join(part for part in parts if any(map(is_word, part)))


def _whole(context: Context) -> Hit | None:
    """An option and nothing else."""
    return option_alone(context.text, context.options)


def _json(context: Context) -> Hit | None:
    return json_answer(context.text, context.options)


def _marked(context: Context) -> Hit | None:
    return marked_answer(context.text, context.options)


def _answer(context: Context) -> Hit | None:
    """Behind words for an answer; the last one counts, for reasons come before it."""
    last: Hit | None = None
    text = searchable(context)
    words, *between = leads()
    for match in words.finditer(text):
        for lead in between:
            led = lead.match(text, match.end())
            hit = _behind(text, led.end(), context.options) if led else None
            if hit is not None and not is_wondered(text, match.end(), hit):
                last = hit
                break
    return last


def _chosen(context: Context) -> Hit | None:
    text = searchable(context)
    values: dict[int, tuple[int, int]] = {}
    for match in choosing().finditer(text):
        at = match.start()
        if negation(text, at, at, 0)[0] < at:
            continue  # "not classified as hate": names are read with all that stands before them
        hit = _behind(text, match.end(), context.options)
        if hit is not None and not is_doubted(text, at):
            values.setdefault(hit[0], (hit[1], hit[2]))
    return single(values) or _ordinal(text, context.options)


def _behind(text: str, at: int, options: Options) -> Hit | None:
    clause = re.split(r"\n\s*\n", text[at : at + 200])[0]
    hit = option_at(clause, options)
    if hit is None:
        return None
    return hit[0], at + hit[1], at + hit[2]


def _ordinal(text: str, options: Options) -> Hit | None:
    values = {}
    for match in ordinals().finditer(text):
        place = places()[match.group("ordinal")]
        if place < len(options):
            values[place] = match.span()
    return single(values)


def _first(context: Context) -> Hit | None:
    text = searchable(context)
    hit = option_at(text, context.options)
    if hit is None:
        return None
    option, _, end = hit
    letter = text[:end].strip(" \n\t([*'\"`")
    if letter.isdecimal() and letter not in context.options.by_marker:
        return None  # `1.` of a list of reasons
    if option >= 0 and _is_enumeration(text[end:], context.options, option):
        return None
    rest = text[end:]
    if not re.match(r"[ \t]*(?:[.:;,!)\]}*\"'»」”_/|\n>=(-]|\W*$)", rest) and not because(
        False
    ).match(rest):
        marker = context.options.marker_pattern.fullmatch(letter)
        if marker is None or context.options.is_article(letter):
            return None
    start = len(text) - len(text.lstrip())
    verdict = yes_no("").fullmatch(rest.strip()) if re.match(r"\s*[:?]", rest) else None
    if verdict is not None and letter not in context.options.by_marker:  # `Hate speech: no`
        concept, positive = context.options.sides[option]
        side = concept, positive if verdict.group("yes") else not positive
        return context.options.by_side.get(side, BOTH), start, len(text)
    return option, start, end


def _is_enumeration(rest: str, options: Options, option: int) -> bool:
    """Whether further lines begin with the other markers: a list of what each option would mean."""
    others = [re.escape(marker) for marker, place in options.by_marker.items() if place != option]
    return bool(others) and bool(re.search(rf"\n\s*[(*]*(?:{'|'.join(others)})[.):]", rest))


def _last(context: Context) -> Hit | None:
    text = searchable(context).rstrip()
    for pattern in (r"\n", r"[.!?。！？।]\s+|[。！？।]", r"[:;,>]\s+|[:：，；]|\s-\s+"):
        ends = [match.end() for match in re.finditer(pattern, text) if match.end() < len(text)]
        if ends:
            hit = option_alone(text[ends[-1] :], context.options)
            joined = re.search(r"(?:^|\W)\w[\s,]*$", text[: ends[-1]]) if ":" in pattern else None
            if hit is not None and not joined:
                return hit[0], ends[-1], len(text)
    return None


_EMPHASISED = re.compile(
    r"\*\*(.+?)\*\*|__(.+?)__|\*([^*\n]+?)\*|`+([^`\n]+?)`+|\"([^\"\n]+?)\"|“([^”\n]+?)”|„([^“”\n]+?)[“”]"
    r"|«([^»\n]+?)»|「([^」\n]+?)」|(?<!\w)'([^'\n]{1,40}?)'(?!\w)|\(([^()\n]{1,40})\)|\[([^\[\]\n]{1,40})\]"
)


def _emphasis(context: Context) -> Hit | None:
    """One option in marks; in bold first, then in quotes or brackets."""
    text = searchable(context)
    if is_refusal(context):
        return None
    for groups in (range(1, 4), range(4, 13)):
        values: dict[int, tuple[int, int]] = {}
        for match in _EMPHASISED.finditer(text):
            inner = match.group(match.lastindex or 0)
            hit = option_alone(inner, context.options) if match.lastindex in groups else None
            if hit is not None and hit[0] >= 0 and not is_doubted(text, match.start()):
                values.setdefault(hit[0], match.span())
        if len(values) == 1:
            ((option, (start, end)),) = values.items()
            named = {mention.option for mention in asserted(context)}
            return (option, start, end) if not named - {option} or groups.start == 1 else None
    return None


def _in_spite(context: Context) -> int | None:
    """The option that is named behind a refusal and a "but"; what it adds must not refuse too."""
    text = searchable(context)
    last = None
    for match in refusals().finditer(text):
        last = match
    turn = turns().search(text, last.end()) if last else None
    if turn is None:
        return None
    places = {mention.option for mention in asserted(context, text[turn.end() :])}
    return places.pop() if len(places) == 1 else None


def _yes_or_no(context: Context) -> Hit | None:
    if not _asks_yes_or_no(context):
        return None
    yes = next(
        (place for (_, positive), place in context.options.by_side.items() if positive), None
    )
    no = next(
        (place for (_, positive), place in context.options.by_side.items() if not positive), None
    )
    if yes is None or no is None or len(context.options) != 2:
        return None
    match = yes_no(context.language).match(context.text)
    if match is None:  # a whole answer may be the yes of another language
        match = yes_no("").fullmatch(context.text.strip())
    if match is None:
        return None
    return (yes if match.group("yes") else no), match.start(), match.end()


def _asks_yes_or_no(context: Context) -> bool:
    """Whether the prompt asks a question that yes or no answers, by the words of its language.

    A question that names several options ("hate or non-hate?") is none.
    """
    asks = re.compile(any_of(gather("asks", languages_for(context.language))))
    return any(
        asks.search(sentence)
        and len({each.option for each in context.options.mentions(sentence)}) < 2
        for sentence in re.findall(r"[^.!?。？！।\n:]*[?？]", context.prompt)
    )


def _conclusion(context: Context) -> Hit | None:
    sentences = list(re.finditer(r"[^.!?\n。！？।]+", searchable(context)))
    for sentence in reversed(sentences):
        if concluding().match(sentence.group().strip()):
            named = asserted(context, sentence.group())
            if len({mention.option for mention in named}) == 1:
                return named[0].option, sentence.start(), sentence.end()
    return None


def _named(context: Context) -> Hit | None:
    named = asserted(context)
    if len({mention.option for mention in named}) != 1:
        return None
    return named[0].option, len(context.text), len(context.text)


Rule = Callable[[Context], Hit | None]
RULES: Sequence[tuple[str, Rule]] = (
    ("whole answer", _whole),
    ("json", _json),
    ("marked", _marked),
    ("answer", _answer),
    ("first", _first),
    ("last line", _last),
    ("chosen", _chosen),
    ("emphasis", _emphasis),
    ("yes or no", _yes_or_no),
    ("conclusion", _conclusion),
    ("named", _named),
)
_BEFORE_REFUSALS = "emphasis"
