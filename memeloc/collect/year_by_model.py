"""The year of a meme, by a language model. In: an entry's text. Out: a year and what bears it out.

The last resort of the encyclopaedias, after their tables of facts (CHARMemes, section 4.1). A model
may know a year from elsewhere or make one up: it counts only when the words it quotes stand in the
text and hold that year.
"""

from __future__ import annotations

import re
import unicodedata
from datetime import UTC, datetime
from importlib.resources import files
from typing import Annotated

from pydantic import BaseModel, Field

from memeloc.collect.page_values import EARLIEST, plain_digits
from memeloc.items import Year
from memeloc.language_models import AnswerError, LanguageModel
from memeloc.language_models.prompts import read_prompt

LONGEST_EVIDENCE = 300  # characters: longer quotations say nothing about where the year stands
LONGEST_TEXT = 6000  # characters of a text, from its beginning, that the model is given

_QUOTES = str.maketrans("‘’‚‛“”„‟«»`´", "''''\"\"\"\"\"\"''")
_YEAR_LIKE = re.compile(r"(?<!\d)\d{4}(?!\d)|'\d\d(?!\d)")


class YearRead(BaseModel):
    """What the model read."""

    evidence: Annotated[str, Field(description="the words of the text that say so, copied")] = ""
    year: Annotated[int | None, Field(description="null when the text does not say")]


class YearReader:
    """Reader of years in texts, by a model: `reader(text)` is a `Year` or None.

    No year after `latest` is believed; None is the present one.
    """

    def __init__(self, model: LanguageModel, *, latest: int | None = None) -> None:
        self.model = model
        self.prompt = read_prompt(
            files("memeloc.collect") / "prompts" / "year.toml", {"entry": {"text"}}
        )
        self.latest = latest or datetime.now(UTC).year

    def __call__(self, text: str) -> Year | None:
        """Return the year that a text gives; None when it gives none, or the model reads none."""
        text = text[:LONGEST_TEXT]
        if not _YEAR_LIKE.search(_plain(text)):
            return None  # nothing could bear an answer out
        try:
            read = self.model.ask(self.prompt.fill("entry", {"text": text}), YearRead).value
        except AnswerError:
            return None
        year = read.year or 0
        if EARLIEST <= year <= self.latest and bears_out(text, read.evidence, year):
            return Year(year, "model", read.evidence.strip())
        return None


def bears_out(text: str, evidence: str, year: int) -> bool:
    """Return whether `evidence` stands in `text` and names `year`.

    Spaces, case, and the forms of quotes and digits make no difference. '12 names 2012; the 2010s
    do not name 2010. A quotation does not begin or end within a number.

    >>> bears_out("It began in  early ２０１２.", "in Early 2012", 2012)
    True
    >>> bears_out("Known since the 2010s.", "the 2010s", 2010)
    False
    """
    words = _plain(evidence)
    if not words or len(words) > LONGEST_EVIDENCE:
        return False
    decade = r"(?!'?s\b)" if year % 10 == 0 else ""
    begin = r"(?<!\d)" if words[0].isdigit() else ""
    end = r"(?!\d)" if words[-1].isdigit() else ""
    quoted = re.search(f"{begin}{re.escape(words)}{end}", _plain(text))
    named = re.search(rf"(?<!\d)(?:{year}|'{year % 100:02d})(?!\d){decade}", words)
    return quoted is not None and named is not None


def _plain(text: str) -> str:
    text = unicodedata.normalize("NFKC", text).translate(_QUOTES)
    return " ".join(plain_digits(text).split()).casefold()
