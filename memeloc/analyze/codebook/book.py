"""Codebooks. In: a shipped name, or a TOML. Out: `Codebook`: codes, by themes."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from memeloc.errors import InputError
from memeloc.settings import read_toml, validate

FOLDER = Path(__file__).parent / "data"
NO_THEME = "(not in the codebook)"


class Theme(BaseModel):
    """Codes that have something in common; `about` says what, for coders."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(min_length=1, max_length=200)
    about: str = ""
    codes: tuple[str, ...] = ()


class Codebook(BaseModel):
    """The codes that reasons are given.

    Attributes:
        source: where the codes are from.
        theme: in the order in which coders see them.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    source: str = ""
    theme: tuple[Theme, ...] = ()

    @cached_property
    def codes(self) -> dict[str, str]:
        """Return the code by its folded form: small letters, one space between words."""
        return {folded(code): code for theme in self.theme for code in theme.codes}

    @cached_property
    def theme_of(self) -> dict[str, str]:
        """Return the theme of each code."""
        return {code: theme.name for theme in self.theme for code in theme.codes}

    def code(self, text: str) -> str:
        """Return the code that a coder wrote as the codebook writes it, a new one as written."""
        return self.codes.get(folded(text), " ".join(text.split()))


def load_codebook(name: str | Path = "multi3hate") -> Codebook:
    """Return a shipped codebook by its name, or that of a TOML file.

    Raises:
        InputError: there is no such codebook, its file is wrong, or it has a code twice.
    """
    path = Path(name)
    if path.suffix.lower() != ".toml":
        shipped = {file.stem: file for file in sorted(FOLDER.glob("*.toml"))}
        if str(name) not in shipped:
            raise InputError(
                f"There is no codebook {str(name)[:60]!r}. There is {', '.join(shipped)}, or name "
                "a TOML file of your own."
            )
        path = shipped[str(name)]
    book = validate(Codebook, read_toml(path), "a codebook", file=path)
    counts = Counter(folded(code) for theme in book.theme for code in theme.codes)
    if twice := [code for code, count in counts.items() if count > 1]:
        raise InputError(f"has the code {twice[0][:80]!r} twice; keep one", file=path)
    return book


def folded(text: str) -> str:
    """Return a code without what does not matter: case, spaces, the form of an apostrophe.

    >>> folded(" Women’s  right")
    "women's right"
    """
    return " ".join(text.replace("’", "'").split()).casefold()
