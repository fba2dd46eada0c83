"""What other programs call a locale. In: a locale. Out: codes to look for, the likeliest first.

Google's code is a field of the locale. Model files on disk are named by whoever made them: ISO
639-1, ISO 639-3 (Tatoeba, OPUS-MT), with a script, or by a custom of their own (Argos writes `zt`
for traditional Chinese). ISO 639-3 codes: https://iso639-3.sil.org/code_tables/639/data
"""

from __future__ import annotations

from memeloc.model import Locale

_ISO_639_3 = {
    "am": "amh", "ar": "ara", "az": "aze", "bg": "bul", "bn": "ben", "ca": "cat", "cs": "ces",
    "da": "dan", "de": "deu", "el": "ell", "en": "eng", "es": "spa", "fa": "pes", "fi": "fin",
    "fil": "fil", "fr": "fra", "gu": "guj", "he": "heb", "hi": "hin", "hr": "hrv", "hu": "hun",
    "hy": "hye", "id": "ind", "it": "ita", "ja": "jpn", "ka": "kat", "kk": "kaz", "km": "khm",
    "kn": "kan", "ko": "kor", "lo": "lao", "ml": "mal", "mr": "mar", "ms": "zsm", "my": "mya",
    "nb": "nob", "ne": "npi", "nl": "nld", "or": "ori", "pa": "pan", "pl": "pol", "pt": "por",
    "ro": "ron", "ru": "rus", "si": "sin", "sk": "slk", "sr": "srp", "sv": "swe", "sw": "swh",
    "ta": "tam", "te": "tel", "th": "tha", "tr": "tur", "uk": "ukr", "ur": "urd", "vi": "vie",
    "zh": "zho",
}  # fmt: skip

_CUSTOM = {
    "zh-Hans": ("zh", "cmn_Hans", "zh_cn", "zho_Hans", "cmn"),
    "zh-Hant": ("zt", "zh_tw", "cmn_Hant", "zh_hant", "zho_Hant"),
    "nb": ("no", "nor"),
    "he": ("iw",),
    "id": ("in",),
    "fil": ("tl", "tgl"),
    "fa": ("fas",),
    "sr": ("srp_Cyrl",),
    "ar": ("arb",),
    "ms": ("msa",),
}


def model_codes(locale: Locale) -> tuple[str, ...]:
    """Codes by which a model file may name the locale, lower case, `_` for `-`.

    >>> from memeloc.locales import default
    >>> model_codes(default().get("zh-TW"))[:2]
    ('zh_hant', 'zt')
    """
    language = locale.tag.partition("-")[0]
    codes = [locale.tag, *_CUSTOM.get(locale.tag, ())]
    if locale.tag != "zh-Hant":  # `zh` and `zho` mean simplified Chinese
        codes += [language, _ISO_639_3.get(language, "")]
    plain = (code.replace("-", "_").lower() for code in codes if code)
    return tuple(dict.fromkeys(plain))
