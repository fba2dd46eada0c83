"""The cost of asking. In: texts, prices, the server's own counts. Out: estimates, a budget, a line.

Before a question is sent its tokens are estimated: four bytes of UTF-8 a token, which holds for
English and is near enough elsewhere. At the most every byte is a token and the answer is as long as
allowed. While a request is under way, what its tokens will likely cost is held back of the budget,
by the server's own counts of those that were answered: so a budget is used up, and passed at the
most by what was in flight.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Condition, Lock
from typing import Any

from memeloc.counts import counted
from memeloc.errors import MemelocError
from memeloc.language_models.answers import schema_text
from memeloc.language_models.questions import Question
from memeloc.language_models.settings import ModelSettings

OVERHEAD = 32
"""Tokens that a server's chat template may add to a message, at the most."""
MOST_PICTURE = 3
"""How many times the estimate a picture may come to."""
WRONG = 400
"""Bytes of what is reported to be wrong with an answer, at the most."""
FEW = 5
"""Answers before which sizes are not taken for smaller than estimated."""
MARGIN = 1.3
"""How many times its likely size is held back for a request: of the starter set's captions in
German, Spanish, Hindi and Chinese, 95 % have at most 1.22 to 1.30 times the mean's bytes for a byte
of their source."""


class OverBudgetError(MemelocError):
    """No further question fits the budget."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """Tokens of one request and its answer, expected and at the most.

    `most` is the money that a question may come to when it is asked as often as allowed.
    """

    tokens_in: int
    tokens_out: int
    most_in: int
    most_out: int
    most: float


def estimate(question: Question[Any], settings: ModelSettings) -> Estimate:
    """Return the tokens of asking once, and what asking may cost."""
    schema = len(schema_text(question.form)) if question.form else 0
    sizes = [len(message.words.encode()) for message in question.messages]
    # What the model itself wrote has no more tokens than it was allowed to write.
    most = sum(
        min(size, settings.max_tokens) if message.role == "assistant" else size
        for message, size in zip(question.messages, sizes, strict=True)
    )
    pictures = settings.picture_tokens * sum(len(each.pictures) for each in question.messages)
    most_in = schema + most + OVERHEAD * len(question.messages) + MOST_PICTURE * pictures
    asks = settings.asks if question.form else 1
    # From the second time on, the wrong answer and what is wrong with it come on top.
    again = settings.max_tokens + WRONG + 100 + 2 * OVERHEAD
    return Estimate(
        -(-(schema + sum(sizes)) // 4) + pictures,
        min(question.expected, settings.max_tokens),
        most_in,
        settings.max_tokens,
        settings.price(asks * most_in + again * (asks - 1), asks * settings.max_tokens),
    )


class Budget:
    """Money that may be spent, shared by all threads that ask.

    Its limit is in the currency of the prices; None is no limit.
    """

    def __init__(self, limit: float | None = None) -> None:
        self.limit = limit
        self.spent = 0.0
        self._held: list[float] = []
        self._changed = Condition()

    @contextmanager
    def hold(self, likely: float) -> Iterator[Callable[[float], None]]:
        """Hold back money for one request; what is given is called with what it came to.

        Waits while what others hold back may still come free. Raise OverBudgetError if it does not
        fit.
        """
        with self._changed:
            while self.limit is not None and self.spent + sum(self._held) + likely > self.limit:
                if not self._held:
                    raise OverBudgetError(
                        f"the budget of {self.limit:g} is used up as far as it goes: "
                        f"{self.spent:.4f} is spent, and the next question may cost {likely:.4f}; "
                        "what was answered is kept, and a run with a larger budget goes on from it"
                    )
                self._changed.wait()
            self._held.append(likely)
        costs: list[float] = []
        try:
            yield costs.append
        finally:
            with self._changed:
                self._held.remove(likely)
                self.spent += sum(costs)
                self._changed.notify_all()


@dataclass(slots=True)
class Spending:
    """Counts of what was asked so far, and its cost; shared by all threads that ask.

    Attributes:
        answered: questions with a right answer, `cached` of them without asking.
        refused, failed: questions that the model would not answer, or got no right answer, now or
            in an earlier run.
        requests: answers that were paid for, wrong ones too; tokens are the server's count, and
            those of `guessed` requests are estimated.
        estimated_in, estimated_out: tokens of the same requests as they were estimated before.
        unanswered: requests without a whole answer, as after a time-out; `cost` has the most that
            each can have cost.
    """

    currency: str = "USD"
    answered: int = 0
    cached: int = 0
    refused: int = 0
    failed: int = 0
    requests: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    estimated_in: int = 0
    estimated_out: int = 0
    cost: float = 0.0
    guessed: int = 0
    unanswered: int = 0
    _lock: Lock = field(default_factory=Lock, repr=False)

    def add(self, **more: float) -> None:
        """Add to the counts by name."""
        with self._lock:
            for name, value in more.items():
                setattr(self, name, getattr(self, name) + value)

    def likely(self, about: Estimate) -> tuple[float, float]:
        """Return the tokens of a question and its answer to hold back, with a margin: as many times
        the estimate as those of before came to."""
        with self._lock:
            least = 1.0 if self.requests < FEW else 0.0
            ratios = [
                MARGIN * max(least, count / estimated if estimated else 1.0)
                for count, estimated in (
                    (self.tokens_in, self.estimated_in),
                    (self.tokens_out, self.estimated_out),
                )
            ]
        return (
            min(about.most_in, about.tokens_in * ratios[0]),
            min(about.most_out, about.tokens_out * ratios[1]),
        )

    def line(self) -> str:
        """Return the cost line that ends a run."""
        about = "about " if self.guessed or self.unanswered else ""
        parts = [
            f"{self.answered:,} answered ({self.cached:,} from the cache)",
            f"{self.refused:,} refused by the model" if self.refused else "",
            f"{self.failed:,} without a right answer" if self.failed else "",
            f"{counted(self.requests, 'request')}, {about}{self.tokens_in:,} + "
            f"{counted(self.tokens_out, 'token')}",
            f"{counted(self.unanswered, 'request')} without an answer, counted at the most "
            "that may be billed"
            if self.unanswered
            else "",
            f"{about}{self.cost:.4f} {self.currency}",
        ]
        return "; ".join(filter(None, parts))


@dataclass(frozen=True, slots=True)
class Plan:
    """The questions that would be asked: the answer to `--dry-run`.

    Of the questions `cached` were answered before. Tokens are of those still to ask; `expected` and
    `most` are money in `currency`, `most` with every question asked as often as allowed. `samples`
    are a few questions in full.
    """

    model: str
    questions: int
    cached: int
    tokens_in: int
    tokens_out: int
    expected: float
    most: float
    currency: str
    samples: tuple[str, ...] = ()

    def line(self) -> str:
        """Return one sentence for people."""
        return (
            f"{counted(self.questions - self.cached, 'question')} to {self.model} "
            f"({self.cached:,} more are "
            f"answered in the cache): about {self.tokens_in:,} + "
            f"{counted(self.tokens_out, 'token')}, about "
            f"{self.expected:.4f} {self.currency}, at the most {self.most:.4f}; nothing was asked"
        )
