"""A new locale. In: a BCP 47 tag. Out: a TOML with what CLDR knows, for a person to finish."""

from __future__ import annotations

import json
from pathlib import Path
from string import Template

from memeloc.errors import InputError
from memeloc.locales.breaking import dictionaries, possible
from memeloc.locales.files import CASED, RIGHT_TO_LEFT
from memeloc.locales.registry import default, exemplars
from memeloc.locales.tags import DATA, candidates, canonical, cldr, is_well_formed, script_of

_CASING = {"lt": [[r"([ij]\u0328?)\u0307", r"\1"]]}
"""By language, what Unicode's SpecialCasing.txt has besides the built-in locales' rules: in
Lithuanian an i with an accent keeps its dot in small letters, and not in capitals."""

_TURKIC = frozenset({"crh", "gag", "tt"})  # in Latin letters they tell i from ı, as Turkish


def new_locale(tag: str, folder: str | Path = "locales") -> Path:
    """Write `folder`/TAG.toml, with what CLDR knows of a language, and return its path.

    What a person has to write is a line behind a `#`. For a language that memeloc has (`pt-PT`)
    it is a copy of the built-in file, with the tag and its country.

    Raises:
        InputError: it is no tag, CLDR does not know the language's script, or there is such a file.
    """
    tag = canonical(tag)
    if not is_well_formed(tag):
        raise InputError(f"{tag[:60]!r} is no BCP 47 tag; it is as de, zh-Hans or pt-BR")
    path = Path(folder) / f"{tag}.toml"
    text = _copied(tag) if tag in default() else _from_cldr(tag, path.parent)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise InputError("is there already, and is never written over", file=path) from None
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", file=path) from error
    return path


def _copied(tag: str) -> str:
    built_in = default().get(tag)
    text = (DATA / f"{built_in.tag}.toml").read_text("utf-8")
    region = next((part for part in tag.split("-")[1:] if len(part) == 2), built_in.country)
    changed = text.replace(f'tag = "{built_in.tag}"', f'tag = "{tag}"', 1)
    return changed.replace(f'country = "{built_in.country}"', f'country = "{region}"', 1)


def _from_cldr(tag: str, folder: Path) -> str:
    language, script = tag.split("-")[0], script_of(tag)
    if not script:
        raise InputError(f"CLDR does not know how {tag} is written; name its script: {tag}-Latn")
    known = cldr("languages")["languages"]
    key = next((key for key in candidates(tag) if key in known), "")
    english, own, country, iso639 = known[key].split(";") if key else ("", "", "", "")
    own = own if script_of(key) == script else ""  # written in another script
    country = next((part for part in tag.split("-")[1:] if len(part) == 2), country)
    same = [locale for locale in default() if locale.script == script]
    casing = default().get("tr").casing if language in _TURKIC and script == "Latn" else ()
    hyphens = dictionaries(language)
    values = {
        "title": english or tag,
        "tag": tag,
        "folder": folder,
        "letters": " ".join(exemplars(tag)[:60]) or "CLDR does not list them",
        "name": _line("name", english, '"..."  # the language\'s English name'),
        "native_name": _line(
            "native_name",
            own[:1].upper() + own[1:] if script in CASED else own,
            '"..."  # the language\'s name for itself',
        ),
        "script": script,
        "direction": "rtl" if script in RIGHT_TO_LEFT else "ltr",
        "country": _line("country", country, '"NG"  # its ISO 3166-1 code'),
        "poster": _line(
            "poster", same and same[0].poster, '["Heavy.ttf"]  # fonts with its letters'
        ),
        "plain": _line(
            "plain", same and same[0].plain, '["Regular.ttf"]  # fonts with its letters'
        ),
        "uppercase": "true" if script in CASED else "false",
        "smallest_size": f"{same[0].smallest_size:g}" if same else "14",
        "casing": _line("casing", _CASING.get(language) or casing, '[["ß", "ẞ"]]'),
        "habit": possible(script)[0],
        "hyphenation": "# No hyphenation: pyphen has no dictionary of the language."
        if not hyphens
        else f'# hyphenation = "{hyphens[0]}"  # of pyphen; look at its licence first',
        "language": language,
        "iso639": iso639,
        "english": english,
        "exemplars": "# exemplars = []  # where other letters than CLDR's are written"
        if exemplars(tag)
        else '# exemplars = ["a", "b", "ch"]  # its letters, which CLDR does not list',
    }
    return Template((DATA / "new_locale.txt").read_text("utf-8")).substitute(values)


def _line(key: str, value: object, example: str) -> str:
    """Return a setting's line; behind a `#`, with an example, where nothing is known."""
    return f"{key} = {json.dumps(value, ensure_ascii=False)}" if value else f"# {key} = {example}"
