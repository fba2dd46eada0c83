"""Sentences to measure language identification on. In: Debian's packages. Out: texts by language.

Nothing of them is in this repository: they are the translated dialogue of a game, The Battle for
Wesnoth (GPL-2+), read from its installed packages, or from packages fetched for the time of the
bench. Short, spoken, full of exclamations and invented names: the nearest to captions that many
languages share. No identifier was trained on them (py3langid: Wikipedia, Leipzig, CC-100, Tatoeba,
GlotCC; fastText: Wikipedia, Tatoeba, SETimes; langdetect: Wikipedia), and memeloc's weights were
set on other texts, those of Tux Paint.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import polib

PACKAGES = tuple(f"wesnoth-1.16-{name}" for name in ("ttb", "dm", "ei", "dw", "l", "thot", "did"))
"""Debian packages, of some 6 MB each; `MEMELOC_BENCH_SENTENCES` may name a folder instead that has
`LANGUAGE/LC_MESSAGES/*.mo`."""

INSTALLED = Path("/usr/share/games/wesnoth/1.16/locale")

LANGUAGES = 20
"""Languages measured: of ours, those with most sentences in the packages, English among them."""
SENTENCES = 300
"""Sentences of each, chosen by their hash."""

SHORT = 200
"""Parts of three words or fewer, of each language at most ..."""
_FEWEST_SHORT = 60
"""... and at least; a language with fewer is not among them."""
_WORDS = 3
_LETTERS = 4
_SPACELESS = {"zh-Hans": 6, "zh-Hant": 6, "ja": 6, "th": 12}
"""Letters that are about three words, where spaces tell nothing."""

_CODES = {"pt_BR": "pt", "zh_CN": "zh-Hans", "zh_TW": "zh-Hant", "nb_NO": "nb"}
_SHORTEST, _LONGEST = 12, 90
"""Characters of the English sentence."""
_MARKUP = frozenset("<>{}$%\\|=_^\n")


def sentences(folder: Path) -> dict[str, list[str]]:
    """Short sentences by locale, most first; empty when there is no source of them.

    Args:
        folder: where packages may be fetched to.
    """
    texts = _texts(folder, _SHORTEST - 1)
    ordered = sorted(texts.items(), key=lambda item: (-len(item[1]), item[0]))
    return {tag: _chosen(texts, SENTENCES) for tag, texts in ordered}


def short_parts(folder: Path) -> dict[str, list[str]]:
    """Dialogue of at most three words by locale, in as many languages as are measured.

    What is the same in two languages is in neither.

    Args:
        folder: where packages may be fetched to.
    """
    texts = _texts(folder, 0)
    languages = Counter(text for own in texts.values() for text in own)
    by = {
        tag: {text for text in own if languages[text] == 1 and _is_short(tag, text)}
        for tag, own in texts.items()
    }
    ordered = sorted(by.items(), key=lambda item: (-len(item[1]), item[0]))
    chosen: dict[str, list[str]] = {}
    for tag, own in ordered:
        enough = len({other.partition("-")[0] for other in (*chosen, tag)}) <= LANGUAGES
        if enough and len(own) >= _FEWEST_SHORT:
            chosen[tag] = _chosen(own, SHORT)
    return chosen


def _is_short(tag: str, text: str) -> bool:
    letters = sum(map(str.isalpha, text))
    most = _SPACELESS.get(tag)
    if most:
        return 2 <= letters <= most
    return letters >= _LETTERS and len(text.split()) <= _WORDS


def _texts(folder: Path, shortest: int) -> dict[str, set[str]]:
    """All texts by locale whose English has at least so many characters."""
    from memeloc.locales import default

    registry = default()
    catalogues = _catalogues(folder)
    if catalogues is None:
        return {}
    texts: dict[str, set[str]] = {"en": set()}
    for language in sorted(path for path in catalogues.iterdir() if path.is_dir()):
        tag = _CODES.get(language.name, language.name)
        if tag not in registry or "@" in language.name or registry.get(tag).tag != tag:
            continue
        for original, translated in _pairs(language, shortest):
            texts["en"].add(original)
            texts.setdefault(tag, set()).add(translated)
    return texts


def _catalogues(folder: Path) -> Path | None:
    there = folder / INSTALLED.relative_to("/")
    if there.is_dir():
        return there
    named = os.environ.get("MEMELOC_BENCH_SENTENCES")
    if named:
        return Path(named)
    if INSTALLED.is_dir():
        return INSTALLED
    try:
        subprocess.run(
            ["apt-get", "download", *PACKAGES],
            cwd=folder, capture_output=True, check=True, timeout=300,
        )  # fmt: skip
        for package in sorted(folder.glob("*.deb")):
            subprocess.run(["dpkg", "-x", str(package), str(folder)], check=True, timeout=60)
    except (OSError, subprocess.SubprocessError):
        return None
    return there if there.is_dir() else None


def _pairs(language: Path, shortest: int) -> Iterator[tuple[str, str]]:
    for catalogue in sorted((language / "LC_MESSAGES").glob("*.mo")):
        for entry in polib.mofile(str(catalogue)):
            original, translated = entry.msgid.strip(), entry.msgstr.strip()
            usable = (
                not entry.msgid_plural
                and shortest < len(original) <= _LONGEST
                and original[-1] in ".!?…"
                and (not shortest or " " in original)
                and translated
                and translated != original
                and not _MARKUP & {*original, *translated}
            )
            if usable:
                yield original, translated


def _chosen(texts: set[str], most: int) -> list[str]:
    ordered = sorted(texts, key=lambda text: hashlib.sha256(text.encode()).hexdigest())
    return ordered[:most]
