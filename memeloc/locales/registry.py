"""Locales and their TOML files. In: folders of these. Out: `Locale` values by tag.

Built-in files are read one at a time, when their locale is first asked for; a user's own files are
read at once, so that what is wrong in them is reported before work begins. The letters of languages
are CLDR's: tools/make_exemplars.py generates data/exemplars.json, which names source and version.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from string import Template
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from memeloc.errors import InputError
from memeloc.files import Paths, paths_of
from memeloc.locales import tags
from memeloc.locales.breaking import HABITS, breaking, dictionaries, dictionary, possible
from memeloc.locales.tags import DATA, candidates, canonical, cldr, is_well_formed, script_of
from memeloc.model import Direction, Locale
from memeloc.settings import naming_line, read_toml, validate

_TURKIC = frozenset({"ba", "crh", "gag", "tt"})
"""Languages that in Latin letters tell i from ı, as Turkish, which ICU does not know of them."""


def new_locale(tag: str, folder: str | Path = "locales") -> Path:
    """Write `folder`/TAG.toml, with what CLDR knows of a language, and return its path.

    What a person has to write is a line behind a `#`. For a language that memeloc has (`pt-PT`) it
    is a copy of the built-in file, with the tag and its country. Raise InputError if it is no tag,
    CLDR does not know the language's script, or there is such a file.
    """
    tag = canonical(tag)
    if not is_well_formed(tag):
        raise InputError(f"{tag[:60]!r} is no BCP 47 tag; it is as de, zh-Hans or pt-BR")
    path = Path(folder) / f"{tag}.toml"
    if tag in default():
        built_in = default().get(tag)
        region = next((part for part in tag.split("-")[1:] if len(part) == 2), built_in.country)
        text = (DATA / f"{built_in.tag}.toml").read_text("utf-8")
        text = text.replace(f'tag = "{built_in.tag}"', f'tag = "{tag}"', 1)
        text = text.replace(f'country = "{built_in.country}"', f'country = "{region}"', 1)
    else:
        text = _from_cldr(tag, path.parent)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise InputError("is there already, and is never written over", file=path) from None
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", file=path) from error
    return path


def _from_cldr(tag: str, folder: Path) -> str:
    language, script = tag.split("-")[0], script_of(tag)
    if not script:
        raise InputError(f"CLDR does not know how {tag} is written; name its script: {tag}-Latn")
    languages = cldr("languages")["languages"]
    key = next((key for key in candidates(tag) if key in languages), "")
    english, native, country, iso639 = languages[key].split(";") if key else ("", "", "", "")
    native = native if script_of(key) == script else ""  # written in another script
    country = next((part for part in tag.split("-")[1:] if len(part) == 2), country)
    same = next((locale for locale in default() if locale.script == script), None)
    settings = {
        "name": english,
        "native_name": native[:1].upper() + native[1:] if script in CASED else native,
        "country": country,
        "poster": same.poster if same else (),
        "plain": same.plain if same else (),
        "uppercase": script in CASED,
        "casing": (("i", "İ"),) if language in _TURKIC and script == "Latn" else (),
    }
    text = Template((DATA / "new_locale.txt").read_text("utf-8")).substitute(
        {key: json.dumps(value, ensure_ascii=False) for key, value in settings.items()},
        title=english or tag,
        tag=tag,
        folder=folder,
        letters=" ".join(exemplars(tag)[:60]) or "CLDR does not list them",
        script=script,
        direction="rtl" if script in RIGHT_TO_LEFT else "ltr",
        smallest_size=f"{same.smallest_size:g}" if same else "14",
        habit=possible(script)[0],
        dictionaries=" and ".join(dictionaries(language)) or "none",
        language=language,
        iso639=iso639,
    )
    # `key = value | example`: what is not known becomes a comment with the example.
    text = re.sub(r'(?m)^(\w+ = )(?:""|\[\]) \| (.*)$', r"# \1\2", text)
    return re.sub(r"(?m)^(\w+ = .*) \| .*$", r"\1", text)


CASED = frozenset({"Latn", "Cyrl", "Grek", "Armn", "Copt", "Glag", "Cher", "Dsrt", "Osge", "Adlm"})
"""Scripts with capitals that posters use; Georgian Mtavruli is not used as capitals are."""

RIGHT_TO_LEFT = frozenset({"Arab", "Hebr", "Syrc", "Thaa", "Nkoo", "Adlm", "Rohg", "Mand", "Samr"})

_Words = Annotated[tuple[Annotated[str, Field(min_length=1)], ...], Field(strict=False)]
_FAMILIES = (
    "a list of font families, font files or names of fonts of the system, best first; "
    "`memeloc fonts` has the families"
)


def _text(pattern: str, meaning: str, **settings: Any) -> Any:
    return Field(pattern=f"^({pattern})$", description=meaning, **settings)


_ICU = (
    r"[A-Za-z]{2,8}(_\w+)*(@\w+=\w+(;\w+=\w+)*)?",
    'an ICU locale identifier such as "ja@lb=strict"',
)


def _check_rules(rules: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    for pattern, replacement in rules:
        try:
            re.sub(pattern, replacement, "")
        except re.error as error:
            raise ValueError(f"{pattern!r} to {replacement!r} is not possible: {error}") from None
    return rules


class _Section(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", defer_build=True)


class _Language(_Section):
    tag: str = _text("[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*", 'a BCP 47 tag such as "zh-Hans"')
    name: str = _text(r".*\S.*", "the language's English name")
    native_name: str = _text(r".*\S.*", "the language's name for itself")
    script: str = _text("[A-Z][a-z]{3}", 'an ISO 15924 code such as "Latn"')
    direction: Direction
    country: str = _text("[A-Z]{2}", 'an ISO 3166-1 code of two letters such as "DE"')


class _Fonts(_Section):
    poster: _Words = Field(min_length=1, description=_FAMILIES)
    plain: _Words = Field(min_length=1, description=_FAMILIES)
    comic: _Words = Field((), description=_FAMILIES)


class _Style(_Section):
    uppercase: bool
    smallest_size: float = Field(ge=4, le=100, description="pixels, from 4 to 100")
    casing: Annotated[
        tuple[Annotated[tuple[str, str], Field(strict=False)], ...], AfterValidator(_check_rules)
    ] = Field((), strict=False, description="pairs of a regular expression and what becomes of it")


class _LineBreaking(_Section):
    habit: str = Field(description=f"one of {', '.join(HABITS)}")
    icu: str = _text(*_ICU, default="")
    keep_with_next: _Words = Field((), description="words that a line should not end with")
    better_with_next: _Words = Field((), description="words that it should rather not end with")
    keep_with_previous: _Words = Field((), description="words that a line should not begin with")
    hyphenation: str = Field("", description='a dictionary of pyphen such as "de_DE", or empty')


class _Codes(_Section):
    google: str = _text(
        "([a-z]{2,3}(-[A-Za-z]{2,4})?)?", 'a code of Google Translate such as "zh-CN"', default=""
    )
    tesseract: str = _text(
        r"([A-Za-z]\w*(/\w+)?(\+\w+)*)?", 'a model of Tesseract such as "chi_sim"', default=""
    )
    recruitment: str = Field(default="", description="a first language as at Prolific, or empty")


class _Letters(_Section):
    exemplars: _Words = Field(default=(), description="letters, for a language CLDR lacks")


class _File(_Language):
    fonts: _Fonts
    style: _Style
    line_breaking: _LineBreaking
    codes: _Codes = Field(default_factory=_Codes)
    letters: _Letters = Field(default_factory=_Letters)


class _Values(_Language, _Fonts, _Style, _Codes):
    """The fields of a `Locale`, but lists of words."""

    line_break: str = _text(*_ICU)
    phrase_model: Literal["", "ja", "zh-hans", "zh-hant", "th"]


def read_locale(path: Path) -> Locale:
    """Read a locale's TOML; raise InputError, naming file and setting, where it is wrong."""
    table = read_toml(path)
    with naming_line(path):
        file = validate(_File, table, "a locale", file=path)
    lines = file.line_breaking
    if lines.habit not in possible(file.script):
        raise InputError(
            f"habit in [line_breaking] is {lines.habit!r}: for script {file.script} it can be "
            f"{' or '.join(map(repr, possible(file.script)))}",
            file=path,
        )
    icu, phrase_model = breaking(lines.habit, file.tag, file.script)
    values = file.model_dump(include=set(_Language.model_fields))
    for section in (file.style, file.codes, file.letters, lines):
        values |= section.model_dump(exclude={"habit", "icu"})
    for face, fonts in file.fonts.model_dump().items():
        beside = {font: path.parent / font for font in fonts if Path(font).suffix}
        files = {font: str(file) for font, file in beside.items() if file.is_file()}
        values[face] = tuple(files.get(font, font) for font in fonts)
    return _fitting(Locale(**values, line_break=lines.icu or icu, phrase_model=phrase_model), path)


def checked(locale: Locale) -> Locale:
    """Return a locale that was made in Python; raise InputError, naming a wrong field."""
    validate(_Values, {name: getattr(locale, name) for name in _Values.model_fields}, "a locale")
    return _fitting(locale)


def _fitting(locale: Locale, file: Path | None = None) -> Locale:
    wrong: dict[str, str] = {}
    right = "rtl" if locale.script in RIGHT_TO_LEFT else "ltr"
    if locale.direction != right:
        wrong["direction"] = f'script {locale.script} is written "{right}"'
    if locale.uppercase and locale.script not in CASED:
        wrong["uppercase"] = f"script {locale.script} has no capitals that posters use"
    if locale.hyphenation:
        try:
            dictionary(locale.hyphenation)
        except InputError as error:
            wrong["hyphenation"] = str(error)
    for key, what in wrong.items():
        raise InputError(f"{key} is {getattr(locale, key)!r}: {what}", file=file)
    return locale


class Registry:
    """Locales by tag. `tag in registry` says whether `get` would find something."""

    def __init__(self) -> None:
        self._entries: dict[str, Locale | Path] = {}
        self._files: dict[str, Path] = {}
        self._matches: dict[str, Locale] = {}

    @classmethod
    def load(cls, *locales: Paths | Registry) -> Registry:
        """Return the built-in locales and those of folders' TOML files; a later one wins by tag.

        A registry, given alone, is returned as it is. InputError is raised where a folder is not
        there, or one of its files is wrong.
        """
        if len(locales) == 1 and isinstance(locales[0], Registry):
            return locales[0]
        registry = cls()
        registry._files = {path.stem.lower(): path for path in sorted(DATA.glob("*.toml"))}
        registry._entries = {**registry._files}
        for each in locales:
            if isinstance(each, Registry):
                registry._entries |= each._entries
                registry._files |= each._files
                continue
            for folder in paths_of(each):
                if not folder.is_dir():
                    raise InputError("there is no such folder of locales", file=folder)
                for path in sorted(folder.glob("*.toml")):
                    registry.add(locale := read_locale(path))
                    registry._files[locale.tag.lower()] = path
        return registry

    def add(self, locale: Locale) -> None:
        """Add a locale in the place of one with the same tag; InputError if a field is wrong."""
        self._entries[locale.tag.lower()] = checked(locale)
        self._matches.clear()

    def get(self, tag: str) -> Locale:
        """Return a BCP 47 tag's locale: itself or the nearest it falls back to, in its own script.

        InputError, which names near tags, is raised where there is none.
        """
        if (locale := self._match(tag)) is not None:
            return locale
        near = [f"{each.tag} ({each.name}, {each.script})" for each in tags.near(tag, self)]
        hint = (near and f"did you mean {' or '.join(near)}?") or (
            f"`memeloc locales show` names all {len(self)}, `memeloc locales new TAG` begins a "
            "file for another, and --locales DIR adds yours."
        )
        raise InputError(f"there is no locale {tag[:60]!r}; {hint}")

    def file(self, tag: str) -> Path | None:
        """Return the TOML that a locale stands in; None for one that was made in Python."""
        return self._files.get(tag.lower())

    def exemplars(self, tag: str) -> tuple[str, ...]:
        """Return a locale's letters: its own list, else CLDR's main exemplar characters."""
        locale = self.get(tag)
        return locale.exemplars or exemplars(locale.tag)

    def __iter__(self) -> Iterator[Locale]:
        """Iterate over all locales, sorted by tag."""
        return iter([self._read(key) for key in sorted(self._entries)])

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, tag: object) -> bool:
        return isinstance(tag, str) and self._match(tag) is not None

    def _match(self, tag: str) -> Locale | None:
        if tag in self._matches:
            return self._matches[tag]
        exact, wanted = tag.strip().replace("_", "-").lower(), tags.canonical(tag)
        others = tags.candidates(wanted) if tags.is_well_formed(wanted) else []
        for key in (exact, *map(str.lower, others)):
            if key in self._entries:
                locale = self._read(key)
                if key == exact or tags.scripts_agree(tags.script_of(wanted), locale.script):
                    return self._matches.setdefault(tag, locale)
        return None

    def _read(self, key: str) -> Locale:
        entry = self._entries[key]
        if isinstance(entry, Path):
            entry = self._entries[key] = read_locale(entry)
        return entry


@cache
def default() -> Registry:
    """Return the built-in locales; the same registry each time."""
    return Registry.load()


@cache
def exemplars(tag: str) -> tuple[str, ...]:
    """Return CLDR's main exemplar characters of a language, one character or cluster each.

    Empty for a language, or a script of it, that CLDR does not know.

    >>> exemplars("cs")[12:16]
    ('h', 'ch', 'i', 'í')
    """
    tag, characters = canonical(tag), cldr("exemplars")["characters"]
    keys = [key for key in tags.candidates(tag) if script_of(key) == script_of(tag)]
    return next((tuple(characters[key].split(" ")) for key in keys if key in characters), ())
