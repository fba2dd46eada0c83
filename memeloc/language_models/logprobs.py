"""How likely a model held each option. In: its tokens' logprobs. Out: those of the options."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

MOST_TOKENS = 16
"""Tokens of an answer whose logprobs are kept: options stand at its begin."""

_AROUND = " \t\r\n()[]{}.,:;*_`'\"▁Ġ"
"""What stands around an option's letter in a token, with the marks of spaces of tokenizers."""


@dataclass(frozen=True, slots=True)
class Token:
    """One token that a model wrote.

    Attributes:
        text: of the token.
        logprob: the natural logarithm of its probability.
        top: the likeliest tokens at this place with theirs, this one among them as a rule.
    """

    text: str
    logprob: float
    top: tuple[tuple[str, float], ...] = ()


def option_logprobs(tokens: Sequence[Token], options: Sequence[str]) -> dict[str, float]:
    """The logprob of each option, such as a letter, at the first place where some option stands.

    The probabilities of tokens that differ in case, spaces and brackets only are added up. An
    option that is not among the likeliest tokens is left out; so are all, where none is anywhere.

    >>> top = (("a", math.log(0.5)), (" A", math.log(0.25)), ("(b", math.log(0.25)))
    >>> options = option_logprobs([Token("a", math.log(0.5), top)], ["a", "b"])
    >>> round(math.exp(options["a"]), 2), round(math.exp(options["b"]), 2)
    (0.75, 0.25)
    """
    names = {option.strip(_AROUND).casefold(): option for option in options}
    for token in tokens:
        likely: dict[str, float] = {}
        for text, logprob in token.top or ((token.text, token.logprob),):
            option = names.get(text.strip(_AROUND).casefold())
            if option is not None:
                likely[option] = likely.get(option, 0.0) + math.exp(logprob)
        if likely:
            return {name: math.log(share) for name, share in likely.items() if share > 0}
    return {}
