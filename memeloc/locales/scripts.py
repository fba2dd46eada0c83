"""Whose script letters are. In: ISO 15924 codes, texts. Out: the scripts of a text's letters."""

from __future__ import annotations

from collections import Counter

_WRITTEN_WITH = {
    "Jpan": frozenset(("Hira", "Kana", "Hani")),
    "Hans": frozenset(("Hani",)),
    "Hant": frozenset(("Hani", "Bopo")),
    "Kore": frozenset(("Hang", "Hani")),
}
"""ISO 15924's codes of several scripts together, by the scripts that Unicode gives to letters."""


def letter_scripts(script: str) -> frozenset[str]:
    """The scripts that letters of a language have, by the script of its locale.

    >>> sorted(letter_scripts("Kore")), sorted(letter_scripts("Deva"))
    (['Hang', 'Hani'], ['Deva'])
    """
    return _WRITTEN_WITH.get(script, frozenset((script,)))


def count_scripts(text: str) -> Counter[str]:
    """How many letters a text has of each script; letters that many scripts share do not count.

    >>> count_scripts("мем, 2x")
    Counter({'Cyrl': 3, 'Latn': 1})
    """
    scripts = Counter(map(_SCRIPTS.__getitem__, text))
    del scripts[""]
    return scripts


class _Scripts(dict[str, str]):
    """The script of each letter, looked up once; empty for what does not count."""

    def __missing__(self, char: str) -> str:
        from fontTools import unicodedata as ucd

        script = ucd.script(char) if char.isalpha() else ""
        return self.setdefault(char, "" if script in ("Zyyy", "Zinh") else script)


_SCRIPTS = _Scripts()
