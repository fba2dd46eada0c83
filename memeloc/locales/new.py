"""A new locale. In: a BCP 47 tag. Out: a TOML with what CLDR knows, for a person to finish."""

from __future__ import annotations

import json
import re
from pathlib import Path
from string import Template

from memeloc.errors import InputError
from memeloc.locales.breaking import dictionaries, possible
from memeloc.locales.registry import CASED, RIGHT_TO_LEFT, default, exemplars
from memeloc.locales.tags import DATA, candidates, canonical, cldr, is_well_formed, script_of

_TURKIC = frozenset({"ba", "crh", "gag", "tt"})
"""Languages that in Latin letters tell i from ı, as Turkish, which ICU does not know of them."""


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
    known = cldr("languages")["languages"]
    key = next((key for key in candidates(tag) if key in known), "")
    english, own, country, iso639 = known[key].split(";") if key else ("", "", "", "")
    own = own if script_of(key) == script else ""  # written in another script
    country = next((part for part in tag.split("-")[1:] if len(part) == 2), country)
    same = next((locale for locale in default() if locale.script == script), None)
    settings = {
        "name": english,
        "native_name": own[:1].upper() + own[1:] if script in CASED else own,
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
