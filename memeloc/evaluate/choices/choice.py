"""The option that an answer chooses. In: an answer, the options in the order shown. Out: a
`Choice`.

| rule | an answer that it reads |
| --- | --- |
| `empty`, `only the prompt` | nothing but spaces and punctuation, or the prompt: invalid |
| `whole answer` | `b`, `(b)`, `**b: Non-hate**`, `not hateful`: an option and nothing else |
| `json` | `{"answer": "b", ...}` |
| `marked` | `\\boxed{b}`, `<answer>b</answer>` |
| `answer` | `the answer is b`, `उत्तर: ख`: behind words for an answer; the last one counts |
| `first` | `b. The meme ...`, `Non-hate, because ...`: an option, then punctuation and reasons |
| `last line` | reasons, and a last line or sentence that is an option |
| `chosen` | `I would choose b`, `option b`, `it is b` |
| `refused` | says that it cannot or will not answer, or is an apology: invalid and refused |
| `emphasis` | an option in `**` |
| `yes or no` | `Yes, ...` where the prompt asks a question of yes or no |
| `named` | names one option, and no other, anywhere |

What two rules could read is read by the first. Invalid are also: `contradiction`, a marker beside
the name of another option (`b: Hate` where b is Non-hate: nobody can know which one was meant);
`both options`, where several are chosen; and `none`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

from memeloc.evaluate.choices.languages import (
    WORD,
    Folded,
    any_of,
    fold,
    folded,
    has_words,
    initials,
    phrases,
    refusals,
    words_of,
)
from memeloc.evaluate.choices.options import (
    ARTICLES,
    BOTH,
    CLAUSE,
    CONTRADICTION,
    Hit,
    Options,
    known_options,
    negation,
    option_alone,
    option_at,
    shown_options,
)

_ASSISTANT = re.compile(
    r"<\|im_start\|>\s*assistant\b[ \t]*\n?|<start_of_turn>\s*model\b[ \t]*\n?"
    r"|<\|start_header_id\|>\s*assistant\s*<\|end_header_id\|>"
    r"|<\|header_start\|>\s*assistant\s*<\|header_end\|>"
    r"|<\|start_of_role\|>\s*assistant\s*<\|end_of_role\|>|<\|channel\|>final[^<]*<\|message\|>"
    r"|<\|assistant\|>|<｜Assistant｜>|<\|Assistant\|>|<assistant>|<\|CHATBOT_TOKEN\|>|<\|bot\|>"
    r"|\[/INST\]|<\|end_of_instruction\|>"
    r"|^[#*\s]{0,8}(?:Assistant|ASSISTANT|Response|AI|GPT|GPT-4o|Bot|Model|Chatbot|Gemini|Claude"
    r"|assistant|model)[*\s]{0,4}[:：]"
    r"|ASSISTANT[:：]|(?<=\S)\s?Assistant:"
    r"|(?<! )(?<!\t)assistant[ \t]*\n|^model[ \t]*\n",
    re.MULTILINE,
)
"""Where a turn of the model begins: tokens of chat templates, and what is left of them without
special tokens (`assistant` behind the prompt's last word, or on a line of its own)."""

_OTHER = re.compile(
    r"<\|im_start\|>\s*(?:user|system)\b|<start_of_turn>\s*user\b"
    r"|<\|start_header_id\|>\s*(?:user|system)\s*<\|end_header_id\|>"
    r"|<\|start_of_role\|>\s*(?:user|system)\s*<\|end_of_role\|>|<\|(?:user|system|User)\|>"
    r"|<｜User｜>|<\|USER_TOKEN\|>|\[INST\]"
    r"|^[#*\s]{0,8}(?:User|USER|Human|HUMAN|Instruction|SYSTEM|System)[*\s]{0,4}[:：]"
    r"|(?<![^\n])(?:user|system)[ \t]*\n|\A(?:user|system|USER:|User:) ",
    re.MULTILINE,
)
"""Where a turn of somebody else begins."""

_END = re.compile(
    r"<\|im_end\|>|<end_of_turn>|<\|eot_id\|>|<\|eot\|>|</s>|<\|endoftext\|>|<\|end\|>|<\|return\|>"
    r"|<｜end▁of▁sentence｜>|<\|end_of_text\|>|<\|END_OF_TURN_TOKEN\|>|<eos>|<\|endofchunk\|>"
)
"""Where a turn ends."""

_THINKING = re.compile(
    r"<(think|thinking|thought|reasoning|analysis|scratchpad|reflection)>(.*?)(</\1>|\Z)"
    r"|◁think▷(.*?)(◁/think▷|\Z)|\[THINK\](.*?)(\[/THINK\]|\Z)"
    r"|<\|channel\|>(?:analysis|thought)(?:<\|message\|>)?(.*?)(<\|end\|>|<channel\|>|\Z)",
    re.DOTALL | re.IGNORECASE,
)
_THOUGHT = re.compile(r"</(?:think|thinking|thought|reasoning|analysis)>|◁/think▷|\[/THINK\]", re.I)

_HTML = re.compile(r"<(b|i|u|em|strong|p|span|div|code)>(.*?)</\1>", re.DOTALL | re.I)
_LATEX = re.compile(r"\\(?:text(?:bf|it|rm)?|math(?:bf|rm|sf)|rm|bf)\s*\{([^{}]*)\}|\\[()\[\]]")
_TOKEN = re.compile(r"</?(?:pad|bos|eos|unk|s|image|img)>|<\|(?:begin|end)_of_text\|>")

_SHORTEST_ECHO = 16
"""Letters and digits of the prompt that an answer must repeat to be taken for an echo."""


_SHORTEST_PROMPT = 60
"""Letters before a list of options that make it the end of a prompt."""


class Answer(NamedTuple):
    """An answer of a model's transcript.

    Attributes:
        text: behind the prompt, roles and reasoning.
        reasoning: what stood in tags of reasoning.
        shown: what stood before the answer: the prompt, as far as it was repeated.
        is_unfinished: whether the reasoning goes on to the end, with no answer behind it.
    """

    text: str
    reasoning: str
    shown: str
    is_unfinished: bool


def answer_in(stored: str, prompt: str = "") -> Answer:
    """Return the answer in what was stored, whatever its options are."""
    begin = _end_of_prompt(stored, prompt)
    begin, end = _own_turn(stored, begin, is_known=bool(prompt))
    text, shown = stored[begin:end], stored[:begin]
    parts = [match.groups("") for match in _THINKING.finditer(text)]
    reasoning = ["".join(part[1::2]).strip() for part in parts]
    rest = _THINKING.sub("\n", text)
    is_unfinished = bool(parts) and not any(parts[-1][2::2]) and not rest.strip()
    *thoughts, rest = _THOUGHT.split(rest)  # the template put the opening tag into the prompt
    reasoning += [thought.strip() for thought in thoughts]
    rest = _HTML.sub(r"\2", _TOKEN.sub(" ", rest))
    if "\\" in rest:
        rest = _LATEX.sub(lambda match: match.group(1) or " ", rest)
    return Answer(rest, "\n".join(filter(None, reasoning)), shown, is_unfinished)


def _own_turn(stored: str, begin: int, *, is_known: bool) -> tuple[int, int]:
    """Return from where to where the model's first turn goes that is not empty."""
    model_turns = [
        (match.start(), match.end(), True) for match in _ASSISTANT.finditer(stored, begin)
    ]
    others = [(match.start(), match.end(), False) for match in _OTHER.finditer(stored, begin)]
    turns = sorted([*model_turns, *others, (len(stored), len(stored), False)])
    first, _, is_own = turns[0]
    head = _first_part(stored, begin, first)
    is_answer = begin or not model_turns or (not is_known and head[1] - head[0] < 2000)
    if not is_own and is_answer and has_words(stored[head[0] : head[1]]):
        return head
    for (_, start, is_own), (end, _, _) in pairwise(turns):
        part = _first_part(stored, start, end)
        if is_own and has_words(stored[part[0] : part[1]]):
            return part
    return (len(stored), len(stored)) if model_turns else head


def _first_part(stored: str, start: int, end: int) -> tuple[int, int]:
    """Return the first part with something in it, up to a token that ends a turn."""
    for match in _END.finditer(stored, start, end):
        if has_words(stored[start : match.start()]):
            return start, match.start()
        start = match.end()
    return start, end


def _end_of_prompt(stored: str, prompt: str) -> int:
    """Return where the prompt ends that is repeated at the beginning; 0 where it is not.

    It may be cut at its beginning or end, its spaces may differ, and something (a caption, the
    mark of a picture) may stand between its lines. The options themselves are not looked for: an
    answer may consist of one of them.
    """
    if len(prompt) < _SHORTEST_ECHO or len(stored) < _SHORTEST_ECHO:
        return 0
    whole = fold(stored)
    letters, places = whole.squeezed()
    wanted, _ = fold(prompt).squeezed()
    end = letters.find(wanted, 0, len(wanted) + 400) + len(wanted)
    if end < len(wanted):
        end = 0
        for piece in prompt_pieces(prompt):
            at = letters.find(piece, end, end + len(piece) + (300 if end else 60))
            if at >= 0:
                end = at + len(piece)
            elif len(letters) - end >= _SHORTEST_ECHO and piece.startswith(letters[end:]):
                end = len(letters)  # cut at its end
    # `fold` composes first: of a text in NFD the places are others.
    return whole.origins[places[end - 1]] + 1 if end and whole.original == stored else 0


def prompt_pieces(prompt: str) -> list[str]:
    """Return lines and sentences of a prompt that are long enough, but its options, squeezed."""
    names = {fold(f"{marker}{name}").squeezed()[0] for marker, name in shown_options(prompt)}
    parts = (
        fold(part).squeezed()[0]
        for line in prompt.splitlines()
        if fold(line).squeezed()[0] not in names
        for part in re.split(r"(?<=[.?!。？！।])\s*", line)
    )
    return [part for part in parts if len(part) >= _SHORTEST_ECHO // 2]


def behind_options(text: Folded, options: Options) -> Folded:
    """Return what stands behind the last list of all options, or before it where nothing does.

    `Choose: a: Hate b: Non-hate` chooses nothing. A model that goes on after its answer, with
    another question and its options, has answered in its first line.
    """
    lists = [match.span() for match in options.lists.finditer(text.text)]
    for start in (0, *(end for _, end in lists)) if lists else ():
        line = re.compile(r"\S.*").search(text.text, start)
        following = next((begin for begin, _ in lists if begin >= start), len(text.text))
        if line is not None and (start or line.end() < following):
            hit = option_at(line.group(), options)
            if hit is not None and not has_words(line.group(), hit.end):
                return fold(text.rest(line.start(), line.end()))
    if lists and not has_words(text.text, lists[-1][1]):
        begin, end = lists.pop()
        if "\n" in text.text[begin:end] and begin >= _SHORTEST_PROMPT:
            return fold("")  # nothing behind a text of some length that ends with the options
        lists = [span for span in lists if has_words(text.text, span[1])]
    return fold(text.rest(lists[-1][1])) if lists else text


_LONGEST = 100_000, 6_000
"""Letters of what was stored, and of the answer in it, that are read: half of them at its beginning
and half at its end."""
_REFUSED, _NONE = -3, -4  # beside the places of options, as BOTH and CONTRADICTION
_INVALID = {BOTH: "both options", CONTRADICTION: "contradiction", _REFUSED: "refused"}


@dataclass(frozen=True, slots=True)
class Choice:
    """The option that an answer chooses.

    Attributes:
        name: of the option; empty when there is none.
        invalid: whether it chooses none of the options, or several.
        refused: whether the model would not answer; such an answer is invalid too.
        rule: name of the rule that decided.
        explanation: what the answer says besides, empty when it says nothing.
    """

    name: str
    invalid: bool
    refused: bool
    rule: str
    explanation: str = ""

    def cells(self, names: Sequence[str], labels: Sequence[str] = ()) -> dict[str, Any]:
        """Return the columns of an answer that say what it chooses: of options of these names, in
        the order shown, which are those `labels` or the names."""
        cells = asdict(self)
        place = names.index(name) if (name := cells.pop("name")) else -1
        return {"choice": (labels or names)[place] if name else "", "position": place + 1, **cells}


def read_choice(
    answer: str, options: Sequence[tuple[str, str]], *, language: str = "en", prompt: str = ""
) -> Choice:
    """Return the option that an answer in words chooses.

    >>> options = [("a", "Hate"), ("b", "Non-hate")]
    >>> read_choice("The answer is (b), for it is friendly.", options).name
    'Non-hate'
    >>> read_choice("I'm sorry, I can't help with that.", options).refused
    True

    Args:
        answer: as the model wrote it, or as it was stored: with the prompt before it, the roles of
            a chat template, reasoning in tags.
        options: marker and name of each, in the order shown: `[("a", "Hate"), ("b", "Non-hate")]`.
            A marker may be empty.
        language: of the prompt, a BCP-47 tag: its words for yes and no are read, and English ones.
            Everything else is read in all languages that there are rules of.
        prompt: what was asked; an answer that repeats it is read from behind it, and only where it
            asks a question of yes or no are these answers.
    """
    shown = known_options(tuple((str(marker), str(name)) for marker, name in options))
    stored = answer_in(_bounded(answer, _LONGEST[0]), prompt)
    if stored.is_unfinished:
        return Choice("", True, False, "unfinished reasoning", stored.reasoning)
    text = fold(_bounded(stored.text, _LONGEST[1]))
    whole = behind_options(text, shown)
    if not has_words(whole.text):
        rule = "only the prompt" if has_words(answer) else "empty"
        return Choice("", True, False, rule, stored.reasoning)
    listed = text.original.removesuffix(whole.original)
    asked = folded("\n".join((prompt, stored.shown, listed)))
    # A list of all options chooses none of them.
    searched = shown.lists.sub(_blank, whole.text)
    context = _Context(whole.text, searched, shown, language, asked)
    hits = ((name, rule(context)) for name, rule in _RULES.items())
    rule, hit = next(((name, hit) for name, hit in hits if hit), ("", Hit(_NONE, 0, 0)))
    if hit.option < 0:
        rule = _INVALID.get(hit.option, "none")
        return Choice("", True, hit.option == _REFUSED, rule, whole.original.strip())
    parts: Iterable[str] = (whole.rest(0, hit.start) if hit.start else "", whole.rest(hit.end))
    if rule == "json":
        with suppress(ValueError, RecursionError, AttributeError):
            values = json.loads(re.sub(r"^[^{]*|[^}]*$", "", whole.original)).values()
            texts = [value for value in values if isinstance(value, str)]
            parts = [each for each in texts if option_alone(folded(each), shown) is None]
    else:
        parts = (part.strip(" \t\r\n*_`'\"“”„«»「」.:;,()[]{}-–—।。：") for part in parts)
    reasons = " ".join(filter(has_words, parts)) or stored.reasoning
    return Choice(shown.labels[hit.option], False, False, rule, reasons)


def _bounded(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest // 2]}\n{text[-longest // 2 :]}"


def _blank(match: re.Match[str]) -> str:
    return " " * len(match.group())


class _Context(NamedTuple):
    """An answer that is read, folded; `searched` without lists of options; and what was asked."""

    text: str
    searched: str
    options: Options
    language: str
    asked: str


def _only(hits: Iterable[Hit]) -> Hit | None:
    """Return the first of hits, or that they are of several options."""
    every = list(hits)
    if len({hit.option for hit in every}) > 1:
        return every[0]._replace(option=BOTH)
    return every[0] if every else None


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    words = {name: any_of(name) for name in ("answer", "doubt", "is", "sorry")}
    is_, mark = words["is"], r"[\s*_'\"“”「(\[`<#:：=>-]*"
    keys = words_of([*phrases("answer"), *phrases("option"), "result", "selected", "final"])
    patterns = words | {
        # What makes a question of an option, behind it: "hate or not".
        "question": rf"\s?{any_of('doubt_after')}|[^.!\n]{{0,40}}\?",
        # What may stand between words for an answer and it, and the same behind other words.
        "lead": rf"{mark}(?:{is_}{mark}){{0,2}}",
        "far lead": rf"(?:[\s*_]+[{WORD}']+){{1,7}}?[\s*_]*(?:{is_}|[:：=]){mark}(?:{is_}{mark})?",
        "choosing": (
            rf"(?:{any_of('choose', 'but')}[\s*_'\"“”「(\[`<#:：,]*|(?={any_of('option')}))"
        ),
        "pair": (
            rf"[\"'“](?:final|selected|correct)?[\s-]?{keys}"
            r"[\s-]?(?:id|letter|number|label|option)?[\"'”]\s*[:：]\s*(?:\[\s*)?([\"'“]?)"
            r"(.*?)(?:\1\s*[,}\]\n]|\1\s*\Z|\Z)"
        ),
    }
    return {name: re.compile(pattern) for name, pattern in patterns.items()}


_QUOTED = re.compile(
    r"[\"“„«「](?:[^\"”“»」\n]*\s){3}[^\"”“»」\n]*[\"”“»」]|(?<!\w)'(?:[^'\n]*\s){3}[^'\n]*'(?!\w)"
)
"""Quotations of four words and more: captions, not answers."""
_MARKED = re.compile(
    r"\\{1,2}(?:boxed|fbox)\s*\{((?:[^{}]|\{[^{}]*\})*)\}"
    r"|<(answer|final_answer|choice|option|label)>(.*?)(?:</\2>|\Z)|\[\[(.{1,40}?)\]\]"
    r"|<\|begin_of_box\|>(.*?)<\|end_of_box\|>",
    re.DOTALL,
)
_BOLD = re.compile(r"\*\*(.+?)\*\*|__(.+?)__|\*([^*\n]+?)\*")


def _is_doubted(text: str, at: int) -> bool:
    """Return whether the clause around a place only wonders."""
    start = max([at - 70, *(text.rfind(mark, 0, at) + 1 for mark in CLAUSE)])
    return bool(_patterns()["doubt"].search(text, start, at))


def _json(context: _Context) -> Hit | None:
    """Return the value of a key that means the answer, in an object that may be broken."""
    text = context.text.replace("_", " ") if "{" in context.text else ""
    matches = _patterns()["pair"].finditer(text)
    hits = ((match, option_alone(match.group(2), context.options)) for match in matches)
    return _only(Hit(hit.option, *match.span()) for match, hit in hits if hit)


def _marked(context: _Context, marks: re.Pattern[str] = _MARKED) -> Hit | None:
    r"""Return the option in `\boxed{}`, a tag or double brackets; of several the last one."""
    last = None
    for match in marks.finditer(context.searched):
        inner = match[match.lastindex or 0]
        plain = re.sub(r"\\{1,2}(?:text|mathrm|mathbf|textbf|rm)\s*|[{}$\\]", " ", inner)
        hit = option_alone(plain, context.options)
        last = Hit(hit.option, *match.span()) if hit else last
    return last


def _answer(context: _Context) -> Hit | None:
    """Return what stands behind words for an answer; the last one, for reasons come before it."""
    last: Hit | None = None
    text, patterns = context.searched, _patterns()
    for match in patterns["answer"].finditer(text):
        for lead in (patterns[name].match(text, match.end()) for name in ("lead", "far lead")):
            hit = _behind(context, lead.end()) if lead else None
            if hit and not patterns["doubt"].search(text, match.end(), hit.start):
                last = hit
                break
    return last


def _behind(context: _Context, at: int) -> Hit | None:
    clause = re.split(r"\n\s*\n", context.searched[at : at + 200])[0]
    hit = option_at(clause, context.options)
    return hit and Hit(hit.option, at + hit.start, at + hit.end)


def _first(context: _Context) -> Hit | None:
    text, options = context.searched, context.options
    hit = option_at(text, options)
    if hit is None:
        return None
    letter, rest = text[: hit.end].strip(" \n\t([*'\"`"), text[hit.end :]
    if letter.isdecimal() and letter not in options.markers:
        return None  # `1.` of a list of reasons
    others = "|".join(re.escape(each) for each in options.markers if each != letter)
    if others and re.search(rf"\n\s*[(*]*(?:{others})[.):]", rest):
        return None  # a list of what each option would mean
    is_marker = letter in options.letters.keys() - ARTICLES
    closed = re.match(r"[ \t]*(?:[.:;,!)\]}*\"'»」”_/|\n>=(-]|\W*$)", rest)
    begins_reasons = re.match(rf"[^{WORD}]*{any_of('because')}", rest)
    if not (closed or is_marker or begins_reasons):
        return None
    start = len(text) - len(text.lstrip())
    verdict = _yes_no("").fullmatch(rest.strip()) if rest.lstrip()[:1] in ":?" else None
    if verdict is not None:  # `Hate speech: no`
        concept, is_meant = next(side for side, place in options.sides.items() if place == hit[0])
        place = options.sides.get((concept, is_meant == bool(verdict["yes"])), BOTH)
        return Hit(place, start, len(text))
    return Hit(hit.option, start, hit.end)


def _last(context: _Context) -> Hit | None:
    text = context.searched.rstrip()
    for pattern in (r"\n", r"[.!?。！？।]\s+|[。！？।]", r"[:;,>]\s+|[:：，；]|\s-\s+"):
        ends = [match.end() for match in re.finditer(pattern, text) if match.end() < len(text)]
        hit = option_alone(text[ends[-1] :], context.options) if ends else None
        if hit is not None:
            return Hit(hit.option, ends[-1], len(text))
    return None


def _chosen(context: _Context) -> Hit | None:
    text = context.searched
    hits = (
        _behind(context, match.end())
        for match in _patterns()["choosing"].finditer(text)
        # "not classified as hate": names are read with all that stands before them
        if negation(text, match.start(), match.start(), 0)[0] == match.start()
        and not _is_doubted(text, match.start())
    )
    return _only(filter(None, hits))


@cache
def _yes_no(language: str) -> re.Pattern[str]:
    """Return yes or no and nothing else; in a language, or in any where it is empty."""
    yes, no = any_of("yes", language=language), any_of("no", language=language)
    return re.compile(rf"[^{WORD}]*(?:(?P<no>{no})|(?P<yes>{yes}))[^{WORD}]*")


def _yes_or_no(context: _Context) -> Hit | None:
    """Return the answer to a question of yes or no; one of several options is none."""
    options = context.options
    asks = re.compile(any_of("asks", language=context.language))
    is_asked = any(
        asks.search(sentence) and len({hit.option for hit in options.mentions(sentence)}) < 2
        for sentence in re.findall(r"[^.!?。？！।\n:]*[?？]", context.asked)
    )
    places = {is_meant: place for (_, is_meant), place in reversed(options.sides.items())}
    is_asked = is_asked or ("names.yes", True) in options.sides
    if not is_asked or len(places) < 2 or len(options.names) != 2:
        return None
    # A whole answer may be the yes of another language, or one letter of the prompt's.
    whole = context.text.strip()
    letter = re.sub(rf"[^{WORD}]+", "", whole)
    for is_yes, name in ((True, "yes"), (False, "no")):
        if letter in initials(name, context.language):
            return Hit(places[is_yes], 0, len(context.text))
    match = _yes_no(context.language).match(context.text) or _yes_no("").fullmatch(whole)
    return Hit(places[bool(match["yes"])], *match.span()) if match else None


def _named(context: _Context) -> Hit | None:
    """Return the one option that is named, but in quotations and where the text only wonders."""
    text, end = _QUOTED.sub(_blank, context.searched), len(context.text)
    hit = _only(
        hit
        for hit in context.options.mentions(text)
        if not _is_doubted(text, hit.start) and not _patterns()["question"].match(text, hit.end)
    )
    if (hit is None or hit.option < 0) and _patterns()["sorry"].search(context.text):
        return Hit(_REFUSED, 0, 0)
    return hit and Hit(hit.option, end, end)


_RULES: dict[str, Callable[[_Context], Hit | None]] = {
    "whole answer": lambda context: option_alone(context.text, context.options),
    "json": _json,
    "marked": _marked,
    "answer": _answer,
    "first": _first,
    "last line": _last,
    "chosen": _chosen,
    "refused": lambda each: Hit(_REFUSED, 0, 0) if refusals().search(each.text) else None,
    "emphasis": lambda context: _marked(context, _BOLD),
    "yes or no": _yes_or_no,
    "named": _named,
}
