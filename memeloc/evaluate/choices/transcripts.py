"""The answer within what was stored. In: a transcript, with prompt and roles. Out: the answer.

What is stored as an answer is often more: the whole chat as a template of the model writes it, the
prompt or its first part and then the answer, reasoning in tags. Everything before the answer is
left out here, by these rules in this order; what is left is read by `choice`.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import NamedTuple

from memeloc.evaluate.choices.languages import Folded, fold, has_words
from memeloc.evaluate.choices.options import Options, option_at, shown_options

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
    own = [(match.start(), match.end(), True) for match in _ASSISTANT.finditer(stored, begin)]
    others = [(match.start(), match.end(), False) for match in _OTHER.finditer(stored, begin)]
    turns = sorted([*own, *others, (len(stored), len(stored), False)])
    first, _, is_own = turns[0]
    head = _first_part(stored, begin, first)
    is_answer = begin or not own or (not is_known and head[1] - head[0] < 2000)
    if not is_own and is_answer and has_words(stored[head[0] : head[1]]):
        return head
    for (_, start, is_own), (end, _, _) in pairwise(turns):
        part = _first_part(stored, start, end)
        if is_own and has_words(stored[part[0] : part[1]]):
            return part
    return (len(stored), len(stored)) if own else head


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
