"""The languages that captions are written in. In: TOML files and tags. Out: `Locale` values.

A locale is one TOML: the built-in ones stand in data/, a user's own, which `new_locale` begins, in
any folder given to `Registry.load`. Tags are matched as BCP 47 and CLDR do (`de-AT` finds `de`,
`zh-TW` finds `zh-Hant`, `sr-Latn` does not find Cyrillic `sr`).

>>> default().get("de-AT").native_name
'Deutsch'
"""

from memeloc.locales.breaking import coverage, uppercase
from memeloc.locales.registry import Registry, default, new_locale

__all__ = ["Registry", "coverage", "default", "new_locale", "uppercase"]
