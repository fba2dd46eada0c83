"""Write survey/targets/data/day_periods.json: what languages call forenoon and afternoon.

In: CLDR as Babel carries it. Out: JSON, so that the timestamps of any language can be read without
it. Run: pip install Babel && python tools/make_day_periods.py
"""

from __future__ import annotations

import json
from pathlib import Path

TARGET = Path(__file__).parent.parent / "memeloc/survey/targets/data/day_periods.json"


def main() -> None:
    """Write the file."""
    import babel
    from babel.localedata import load, locale_identifiers

    found: dict[str, set[str]] = {"am": set(), "pm": set()}
    for name in locale_identifiers():
        periods = load(name).get("day_periods", {})
        for context in ("format", "stand-alone"):
            for width in ("wide", "abbreviated"):
                words = periods.get(context, {}).get(width, {})
                for half in found:
                    word = words.get(half) if hasattr(words, "get") else None
                    # Letters that stand alone would be found in other words.
                    if isinstance(word, str) and (len(word) > 1 or not word.isascii()):
                        found[half].add(word.lower())
    both = found["am"] & found["pm"]
    value = {
        "source": f"CLDR, dayPeriods am and pm, from Babel {babel.__version__}",
        **{half: sorted(words - both) for half, words in found.items()},
    }
    TARGET.write_text(
        json.dumps(value, ensure_ascii=False, indent=1) + "\n", encoding="utf-8", newline="\n"
    )


if __name__ == "__main__":
    main()
