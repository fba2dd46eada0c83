"""Where the checkout and its starter set are."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STARTER = ROOT / "examples" / "starter" / "captions.csv"
LANGUAGES = ("en", "de", "es", "hi", "zh", "ar")
