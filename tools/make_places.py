"""Write data/places.json: what countries and languages are called in English.

In: CLDR as Babel carries it. Out: JSON, so that what recruitment services say of people can be
compared with a culture. Run: pip install Babel && python tools/make_places.py
"""

from __future__ import annotations

import json
from pathlib import Path

TARGET = Path(__file__).parent.parent / "memeloc/survey/quality/places.json"

FURTHER = {
    "BO": ["Bolivia, Plurinational State of"], "CD": ["Democratic Republic of the Congo"],
    "CG": ["Republic of the Congo"], "CI": ["Cote d'Ivoire", "Ivory Coast"],
    "CN": ["People's Republic of China", "Mainland China", "China, mainland"],
    "CV": ["Cabo Verde"], "CZ": ["Czech Republic"],
    "GB": ["Great Britain", "Britain", "England", "Scotland", "Wales", "Northern Ireland", "UK"],
    "HK": ["Hong Kong"], "IR": ["Iran, Islamic Republic of"],
    "KP": ["Korea, North", "Korea, Democratic People's Republic of"],
    "KR": ["Korea, South", "Korea, Republic of", "Republic of Korea"],
    "LA": ["Lao People's Democratic Republic"], "MD": ["Moldova, Republic of"], "MM": ["Burma"],
    "MK": ["Macedonia"], "MO": ["Macao", "Macau"], "NL": ["The Netherlands", "Holland"],
    "PS": ["Palestine"], "RU": ["Russian Federation"], "SY": ["Syrian Arab Republic"],
    "SZ": ["Swaziland"], "TL": ["East Timor"], "TR": ["Turkey"],
    "TW": ["Taiwan, Province of China"], "TZ": ["Tanzania, United Republic of"],
    "US": ["USA", "U.S.A.", "U.S.", "United States of America", "America"],
    "VE": ["Venezuela, Bolivarian Republic of"], "VN": ["Viet Nam"],
}  # fmt: skip
"""Names that services and people use and CLDR has not."""


def main() -> None:
    """Write the file."""
    import babel

    english = babel.Locale("en")
    countries = {
        code: sorted({name, *FURTHER.get(code, ())})
        for code, name in english.territories.items()
        if len(code) == 2 and code.isalpha() and code not in {"EU", "EZ", "UN", "ZZ", "QO"}
    }
    value = {
        "source": f"CLDR, English territories and languages, from Babel {babel.__version__}",
        "countries": countries,
        "languages": sorted(set(english.languages.values())),
    }
    TARGET.write_text(
        json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True) + "\n",
        encoding="utf-8",
        newline="\n",
    )


if __name__ == "__main__":
    main()
