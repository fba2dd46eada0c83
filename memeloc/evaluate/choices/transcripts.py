"""The answer within what was stored. In: a transcript, with prompt and roles. Out: the answer.

What is stored as an answer is often more: the whole chat as a template of the model writes it, the
prompt or its first part and then the answer, reasoning in tags. Everything before the answer is
left out here, by these rules in this order; what is left is read by `rules`.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass

from memeloc.evaluate.choices.folding import Folded, fold, is_word, squeezed
from memeloc.evaluate.choices.options import Options, shown_options
from memeloc.evaluate.choices.places import option_at

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


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model answered.

    Attributes:
        text: behind the prompt, roles and reasoning.
        reasoning: what stood in tags of reasoning.
        shown: what stood before the answer: the prompt, as far as it was repeated.
        is_unfinished: whether the reasoning goes on to the end, with no answer behind it.
    """

    text: str
    reasoning: str = ""
    shown: str = ""
    is_unfinished: bool = False


def answer_in(stored: str, prompt: str = "") -> Answer:
    """The answer in what was stored, whatever its options are."""
    text, shown = _own_turn(stored, prompt)
    text, reasoning, is_unfinished = _without_reasoning(text)
    # Behind a prompt that stands there whole, a second one is what the model goes on with.
    is_behind = bool(_end_of_prompt(stored, prompt))
    text, echo = (text, "") if is_behind else _without_echo(text, prompt)
    return Answer(_plain(text), reasoning, shown + echo, is_unfinished)


def _plain(text: str) -> str:
    """Without marks of HTML and LaTeX and tokens of models, whose names are letters too."""
    text = _HTML.sub(r"\2", _TOKEN.sub(" ", text))
    return _LATEX.sub(lambda match: match.group(1) or " ", text) if "\\" in text else text


def _own_turn(stored: str, prompt: str) -> tuple[str, str]:
    """The model's first turn that is not empty, and what stands before it."""
    begin = _end_of_prompt(stored, prompt)
    turns = list(_ASSISTANT.finditer(stored, begin))
    other = _OTHER.search(stored, begin)
    first = turns[0].start() if turns else len(stored)
    if other is not None and other.start() < first and any(map(is_word, stored[: other.start()])):
        head = _END.split(stored[begin : other.start()])[0]
        if begin == 0 and not _OTHER.match(stored) and len(head) < 2000 and not prompt:
            return head, ""
    begins = sorted(
        [each.start() for each in turns]
        + [each.start() for each in _OTHER.finditer(stored, begin)]
        + [len(stored)]
    )
    for turn in turns:
        text = stored[turn.end() : begins[bisect_left(begins, turn.end())]]
        if any(map(is_word, _END.split(text)[0])):
            return _first_turn(text), stored[: turn.start()]
    if turns:
        return "", stored[: turns[-1].start()]
    if begin and other is not None and other.start() > begin:
        return _first_turn(stored[begin : other.start()]), stored[:begin]
    return _first_turn(stored[begin:]), stored[:begin]


def _first_turn(text: str) -> str:
    """Up to the first token that ends a turn with something in it."""
    parts = _END.split(text)
    return next((part for part in parts if any(map(is_word, part))), parts[0])


def _end_of_prompt(stored: str, prompt: str) -> int:
    """Where the prompt ends that was repeated whole, whatever its spaces; 0 where it was not."""
    if len(prompt) < _SHORTEST_ECHO or len(stored) < len(prompt) // 2:
        return 0
    whole = fold(stored)
    letters, places = squeezed(whole)
    wanted, _ = squeezed(fold(prompt))
    at = letters.find(wanted) if len(wanted) >= _SHORTEST_ECHO else -1
    if at < 0 or at > 400:
        return 0
    last = places[at + len(wanted) - 1]
    # `fold` composes first; a text in NFD is composed here too, so that places are the same.
    return whole.origins[last] + 1 if whole.original == stored else 0


def _without_reasoning(text: str) -> tuple[str, str, bool]:
    reasoning: list[str] = []
    is_unfinished = False
    for match in _THINKING.finditer(text):
        inner, end = next(
            (
                (match.group(number), match.group(number + 1))
                for number in (2, 4, 6, 8)
                if match.group(number) is not None
            ),
            ("", ""),
        )
        reasoning.append(inner.strip())
        is_unfinished = not end
    rest = _THINKING.sub("\n", text)
    closings = list(_THOUGHT.finditer(rest))
    if closings:  # the template put the opening tag into the prompt
        reasoning.append(rest[: closings[-1].start()].strip())
        rest = rest[closings[-1].end() :]
    return rest, "\n".join(filter(None, reasoning)), is_unfinished and not rest.strip()


def _without_echo(text: str, prompt: str) -> tuple[str, str]:
    """Without the lines and sentences of the prompt that the answer repeats first.

    Also where the prompt is cut at its beginning or end, its spaces differ, or something (a
    caption, the mark of a picture) stands between its lines. The options themselves are not
    looked for here: an answer may consist of one of them.
    """
    if len(prompt) < _SHORTEST_ECHO or len(text) < _SHORTEST_ECHO:
        return text, ""
    whole = fold(text)
    letters, places = squeezed(whole)
    pieces = _pieces(prompt)
    wanted = "".join(pieces)
    end, reached = _common(letters, wanted)
    begin = 0
    for piece in pieces:
        begin += len(piece)
        if begin <= reached:
            continue
        at = letters.find(piece, end, end + len(piece) + 300 if end else len(piece) + 60)
        if at >= 0:
            end = at + len(piece)
    if not end:
        return text, ""
    start = places[end - 1] + 1
    return whole.rest(start), whole.rest(0, start)


def _pieces(prompt: str) -> list[str]:
    """Lines and sentences of a prompt that are long enough to be recognised, but its options."""
    names = {squeezed(fold(f"{marker}{name}"))[0] for marker, name in shown_options(prompt)}
    parts = (
        squeezed(fold(part))[0]
        for line in prompt.splitlines()
        if squeezed(fold(line))[0] not in names
        for part in re.split(r"(?<=[.?!。？！।])\s*", line)
    )
    return [part for part in parts if len(part) >= _SHORTEST_ECHO // 2]


def _common(letters: str, wanted: str) -> tuple[int, int]:
    """How many of the first letters are those of the prompt, from anywhere in it; and to where."""
    probe = letters[:_SHORTEST_ECHO]
    longest, reached, at = 0, 0, wanted.find(probe)
    while at >= 0 and len(probe) == _SHORTEST_ECHO:
        length = len(probe)
        while (
            length < len(letters)
            and at + length < len(wanted)
            and letters[length] == wanted[at + length]
        ):
            length += 1
        if length > longest:
            longest, reached = length, at + length
        at = wanted.find(probe, at + 1)
    return longest, reached


def behind_options(text: Folded, options: Options) -> Folded:
    """What stands behind the last list of all options, or before it where nothing does.

    `Choose: a: Hate b: Non-hate` chooses nothing. A model that goes on after its answer, with
    another question and its options, has answered in its first line.
    """
    lists = list(_lists(options).finditer(text.text))
    if not lists:
        return text
    for start in (0, *(each.end() for each in lists)):
        line = re.compile(r"\S.*").search(text.text, start)
        following = next((each.start() for each in lists if each.start() >= start), len(text.text))
        if line is not None and (start or line.end() < following):
            hit = option_at(line.group(), options)
            if hit is not None and not any(map(is_word, line.group()[hit[2] :])):
                return fold(text.rest(line.start(), line.end()))
    last = lists[-1]
    if any(map(is_word, text.text[last.end() :])):
        return fold(text.rest(last.end()))
    if "\n" in last.group() and last.start() >= _SHORTEST_PROMPT:
        return fold("")  # nothing behind a text of some length that ends with the options
    ends = [each.end() for each in lists[:-1] if any(map(is_word, text.text[each.end() :]))]
    return fold(text.rest(ends[-1])) if ends else text


def without_lists(text: str, options: Options) -> str:
    """A folded text in which lists of all options, or markers, are blank."""
    return _lists(options).sub(lambda match: " " * len(match.group()), text)


def _lists(options: Options) -> re.Pattern[str]:
    rows = [
        re.escape(marker) + r"\W{0,4}" + re.escape(name).replace(r"\ ", r"\s+")
        for marker, name in zip(options.markers, options.names, strict=True)
    ]
    listed = r"(?:\W{0,8}|\W{1,4}(?:\w{1,4}|oder|atau|veya|または|또는)\W{1,4})".join(rows)
    return re.compile(rf"(?<!\w)\W?{listed}(?!\w)|(?!)")
