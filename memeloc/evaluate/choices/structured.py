"""Answers in JSON, in LaTeX and in tags. In: a folded answer. Out: the option that it has there."""

from __future__ import annotations

import json
import re
from functools import lru_cache

from memeloc.evaluate.choices.folding import folded
from memeloc.evaluate.choices.languages import any_of, gather
from memeloc.evaluate.choices.options import Options
from memeloc.evaluate.choices.places import Hit, option_alone, single


def json_answer(text: str, options: Options) -> Hit | None:
    """The value of a key that means the answer, in an object that may be broken or cut off."""
    if "{" not in text:
        return None
    values = {}
    for match in _pairs().finditer(text.replace("_", " ")):
        hit = option_alone(match.group(2), options)
        if hit is not None:
            values[hit[0]] = match.span()
    return single(values)


def json_reasons(original: str, options: Options) -> str:
    """The texts of an object that are not the answer itself."""
    try:
        content = json.loads(original[original.index("{") : original.rindex("}") + 1])
    except (ValueError, RecursionError):
        return ""
    texts = (value for value in content.values() if isinstance(value, str))
    return " ".join(text for text in texts if option_alone(folded(text), options) is None)


@lru_cache(maxsize=1)
def _pairs() -> re.Pattern[str]:
    words = any_of({*gather("answer"), *gather("option"), "result", "selected", "final"})
    return re.compile(
        rf"[\"'“](?:final|selected|correct)?[\s-]?{words}[\s-]?(?:id|letter|number|label|option)?"
        r"[\"'”]\s*[:：]\s*(?:\[\s*)?([\"'“]?)(.*?)(?:\1\s*[,}\]\n]|\1\s*\Z|\Z)"
    )


_MARKED = re.compile(
    r"\\{1,2}(?:boxed|fbox)\s*\{((?:[^{}]|\{[^{}]*\})*)\}"
    r"|<(answer|final_answer|choice|option|label)>(.*?)(?:</\2>|\Z)|\[\[(.{1,40}?)\]\]"
    r"|<\|begin_of_box\|>(.*?)<\|end_of_box\|>",
    re.DOTALL,
)


def marked_answer(text: str, options: Options) -> Hit | None:
    r"""The option in `\boxed{}`, a tag or double brackets; of several the last one."""
    last = None
    for match in _MARKED.finditer(text):
        inner = next(filter(None, (match.group(number) for number in (1, 3, 4, 5))), "")
        plain = re.sub(r"\\{1,2}(?:text|mathrm|mathbf|textbf|rm)\s*|[{}$\\]", " ", inner)
        hit = option_alone(plain, options)
        if hit is not None:
            last = (hit[0], match.start(), match.end())
    return last
