from base64 import b64encode
from io import BytesIO
from pathlib import Path

import pandas as pd
import pytest
from PIL import Image

from memeloc.reports import Card, Report, Version, Votes, write_report
from memeloc.reports.figures import gap, joined, tidy

NAMES = {"DE": "Germany", "US": "<b>States</b>", "EG": "مصر"}
LABELS = ("hate", "a_b & c")
MEMES = [f"m-{number}" for number in range(12)]


def figures():
    pairs = pd.DataFrame(
        {
            "group": ["DE–US", "DE–EG", "EG–US"],
            "agreement": [0.7, 0.6, 0.65],
            "agreement_low": [0.6, 0.5, 0.55],
            "agreement_high": [0.8, 0.7, 0.75],
            "p": [0.03, float("nan"), 1e-7],
            "n": [12, 11, 10],
        }
    )
    mean = pd.DataFrame({"mean_agreement": [0.65], "mean_agreement_low": [0.6], "n": [3]})
    mean["mean_agreement_high"] = 0.7
    within = tidy(
        "within",
        pd.DataFrame({"group": ["DE", "US"], "alpha": [0.5, 0.6], "alpha_low": [0.4, 0.5]}).assign(
            alpha_high=0.7
        ),
        "jackknife",
    )
    five = tidy("within", pd.DataFrame({"group": ["EG"], "alpha": 0.4}), "five people are too few")
    memes = pd.DataFrame(
        {
            "item": MEMES,
            "entropy": [number / 12 for number in range(12)],
            "votes: hate": 5.0,
            "votes: a_b & c": range(12),
        }
    )
    return joined(
        [
            tidy("between", pairs, "Wilson 1927"),
            tidy("between", mean, "bootstrap"),
            gap("between", "<b>FR</b> and مصر share no item."),
            within,
            five,
            gap("empty", "Empty could not be computed: there were no times."),
            tidy("dividing", memes),
            tidy("dividing", pd.DataFrame({"mean_entropy": [0.5]})),
            tidy("of-a-plugin", pd.DataFrame({"group": ["DE"], "people": [5]})),
        ]
    )


def card(meme, picture):
    versions = (
        Version("DE", "de", "Montags\nich", picture, "hate"),
        Version("EG", "ar", "الإثنين", picture, "tie"),
    )
    votes = (Votes("DE", "hate", (4, 1), 5), Votes("EG", "tie", (0, 5), 5))
    return Card(meme, ("tea",), versions, (*votes, Votes("US", "hate", (3, 2), 5)))


@pytest.fixture(scope="session")
def report():
    content = BytesIO()
    Image.new("RGB", (420, 280), "teal").save(content, "JPEG")
    picture = f"data:image/jpeg;base64,{b64encode(content.getvalue()).decode()}"
    return Report(
        "pilot",
        "What 120 <answers> show",
        figures(),
        Path(__file__).with_name("texts.toml"),
        question="Do cultures agree?",
        settings={"seed": 7, "confidence": 0.95},
        facts={"Items": "12"},
        notes=["row 3: <b>not a label</b>"],
        names=NAMES,
        labels=LABELS,
        cards={"dividing": [card(meme, picture) for meme in MEMES]},
        tables={"dividing": pd.DataFrame({"caption": ["=1+1", "[सोमवार]\n// मैं"]})},
        hashes={"answers.csv": "0123"},
    )


@pytest.fixture(scope="session")
def files(report, tmp_path_factory):
    return write_report(report, tmp_path_factory.mktemp("report"))
